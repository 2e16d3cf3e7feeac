package model

import (
	"fmt"
	"slices"

	"galla/central"
	"galla/edge"
	"galla/shared/op"
)

// Faulty are rules of the design that can be broken on purpose. Each answers a 'what
// would happen if'.
type Faulty struct {
	SendBeforeCommit bool // the bank is asked before the state sent of an operation that waited is committed
	SendBeforeCreate bool // the bank is asked before an operation is recorded as sent
	RetryOnTimeout   bool // a request that the bank did not answer is sent again under a new reference
	ForgetTombstone  bool // 'never seen' is reported and not stored

	BelieveNotFound     bool // the bank's first 'not found' is final
	JudgeAnswerLate     bool // 'not found' is judged by the time of the answer, not by that of the question
	SendBeforeRecord    bool // the counter gives the frame to the connection before 'sent' is on its disk
	NeverAskPending     bool // the counter does not ask for a pending operation that a welcome leaves out
	LateStart           bool // the bank executes what arrives after its deadline
	ReportRefusals      bool // a refusal without a record is reported as final, and the id may still run
	AttemptWhilePending bool // a name is free while its attempt is pending

	ForgetQuestion bool // a session whose store fails stops watching an operation that it reported as pending

	// Of payments by UPI.
	SeenBeforeStored bool // a counter's cursor passes an event before its payment is stored
	TellBeforeCommit bool // counters are told before the payment is committed
	EventsApart      bool // the events are written in a transaction after the payment's
	RecordUnchecked  bool // a node that found nothing records the payment, whatever was recorded since
	KnownIsDone      bool // a report of a recorded payment changes nothing, though it has the return
	NeverEnquire     bool // what is not reported is not asked for
	MarkBeforeRecord bool // the enquiry's period is past when it is asked for, not when it is recorded
	NeverLook        bool // a session reads its events only when it is woken
}

// Config says what to explore.
type Config struct {
	Operations int  // 1 or 2; 0: 1. Two are too many to explore completely
	Faults     int  // that may happen in one run, of any kind; at most 15; negative: unlimited
	Duplicates bool // a frame may arrive twice: a fault
	Refusals   bool // a busy central may refuse before it records: a fault
	// OneName makes the two operations attempts at one transfer, under one refId. They
	// are called at the direct entrance, each once at either node; there is no counter.
	OneName bool
	// Payment explores a payment by UPI in place of operations; Operations is then the number
	// of counters that the shop has.
	Payment bool
	Faulty  Faulty

	// Steps bounds the distance from the start; 0: unlimited. With a bound, nothing is
	// checked about how operations end.
	Steps int
	// MaxStates bounds the memory, at about 40 bytes a state; 0: 60 million.
	MaxStates int
}

// system is what is explored, state by state.
type system interface {
	start() key
	// next gives every step that a state allows, until the next call.
	next(k key) []arrow
	// violation gives the first promise that a state breaks, or "".
	violation(k key) string
	// unfinished says what is missing in a state in which nothing is left to do, or "".
	unfinished(k key) string
}

// arrow is a step with the key of the state that it leads to.
type arrow struct {
	step step
	to   key
	rank rank
	bad  string // the step itself is a violation
}

// explorer makes the steps of one exploration of operations.
type explorer struct {
	cfg       Config
	generated []move // of the current state
	arrows    []arrow

	edgeWalked    [len(edgeStates)][len(edgeStates)]bool
	centralWalked [len(centralStates)][len(centralStates)]bool
	illegal       string // a step of the counter that its table forbids
}

// move is a step with the state that it leads to.
type move struct {
	step step
	to   state
	rank rank
	bad  string // the step itself is a violation
}

func (h *explorer) start() key {
	s := h.startState()
	return s.pack()
}

func (h *explorer) next(k key) []arrow {
	s := unpack(k)
	h.arrows = h.arrows[:0]
	for _, m := range h.moves(&s) {
		h.arrows = append(h.arrows, arrow{m.step, m.to.pack(), m.rank, m.bad})
	}
	return h.arrows
}

// startState is the system before anything happens.
func (h *explorer) startState() state {
	s := state{faults: uint8(max(h.cfg.Faults, 0))}
	for i := range s.ops {
		if h.cfg.OneName {
			s.ops[i].frame, s.ops[i].copy = staleAt(0), staleAt(1)
		}
	}
	return s
}

// add keeps a step, unless it changes nothing.
func (h *explorer) add(from *state, to state, s step, r rank) {
	bad := h.illegal
	h.illegal = ""
	if to == *from && bad == "" {
		return
	}
	h.generated = append(h.generated, move{s, to, r, bad})
}

// changeEdgeState makes a step of the counter's table.
func (h *explorer) changeEdgeState(o *operation, to op.State) {
	from := o.state()
	if !edge.CanBecome(from, to) {
		h.illegal = fmt.Sprintf("the counter would go from %s to %s, which its table does not allow: it cuts the connection, for ever", from, to)
		return
	}
	index := uint8(slices.Index(edgeStates[:], to))
	h.edgeWalked[o.disk][index] = true
	o.disk = index
}

// changeCentralState makes a step of the central's table, as the store does:
// conditionally.
func (h *explorer) changeCentralState(o *operation, to op.State) bool {
	from := o.record()
	if !central.CanTransition(from, to) {
		return false
	}
	index := row(slices.Index(centralStates[:], to))
	h.centralWalked[o.row-firstRow][index] = true
	o.row = firstRow + index
	if from == op.Pending {
		o.event = true
	}
	return true
}

// moves gives every step that a state allows.
func (h *explorer) moves(s *state) []move {
	h.generated = h.generated[:0]
	for i := range h.cfg.Operations {
		if !h.cfg.OneName {
			h.counter(s, i)
		}
		h.session(s, i)
		h.execute(s, i)
		h.reconcile(s, i)
		h.bank(s, i)
	}
	if !h.cfg.OneName {
		h.connect(s)
	}
	if s.faults > 0 || h.cfg.Faults < 0 {
		h.applyFaults(s)
	}
	return h.generated
}
