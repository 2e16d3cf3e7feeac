package model

import (
	"fmt"
	"slices"

	"galla/central"
	"galla/edge"
	"galla/shared/op"
)

// Faulty are rules of the design that a house may break. Each is an answer to
// 'what would happen if'.
type Faulty struct {
	DispatchBeforeCommit bool // the bank is asked before the state dispatched is committed (galla/shared/bug)
	RetryOnTimeout       bool // what the bank did not answer is sent again under a new reference (galla/shared/bug)
	ForgetTombstone      bool // 'never seen' is answered and not remembered (galla/shared/bug)

	BelieveNotFound     bool // the bank's first 'not found' is final
	JudgeAnswerLate     bool // 'not found' is judged by the moment at which it is heard, not by that of the question
	SendBeforeRecord    bool // the counter gives the frame to the line before 'sent' is on its disk
	NeverAskPending     bool // the counter does not ask for a pending operation of which a welcome says nothing
	LateStart           bool // the bank starts what arrives after its deadline
	TellRefusals        bool // a refusal that left no record is told as the last word, and the id may still run
	AttemptWhilePending bool // a name is free while its attempt is pending (galla/shared/bug)

	ForgetQuestion bool // a session whose store fails stops looking for what it told pending
}

// Config says what is explored.
type Config struct {
	Operations int  // 1 or 2; 0: 1. Two are too many to be looked at to the end
	Faults     int  // that may strike in one run, of whatever kind; at most 15; negative: without bound
	Duplicates bool // a frame may arrive twice: a fault
	Refusals   bool // a busy central may refuse before it records: a fault
	// OneName makes the two operations attempts at one transfer, under one refId.
	// They are called at the direct door, each once at either node; there is no
	// counter.
	OneName bool
	Faulty  Faulty

	// Steps bounds how far from the start is looked, 0: to the end. Short of the
	// end, nothing is said of how operations end.
	Steps int
	// MaxStates bounds the memory, at some 40 bytes a state; 0: 60 million.
	MaxStates int
}

// house makes the steps of one exploration.
type house struct {
	cfg  Config
	made []move // of the state that is looked at

	edgeWalked    [len(edgeStates)][len(edgeStates)]bool
	centralWalked [len(centralStates)][len(centralStates)]bool
	illegal       string // a step of the counter that its table does not allow
}

// move is a step with what comes of it.
type move struct {
	step step
	to   state
	rank rank
	bad  string // the step itself must not be
}

// start is the house before anything happens.
func (h *house) start() state {
	s := state{faults: uint8(max(h.cfg.Faults, 0))}
	for i := range s.ops {
		if h.cfg.OneName {
			s.ops[i].frame, s.ops[i].copy = staleAt(0), staleAt(1)
		}
	}
	return s
}

// add keeps a step, unless it changes nothing.
func (h *house) add(from *state, to state, s step, r rank) {
	bad := h.illegal
	h.illegal = ""
	if to == *from && bad == "" {
		return
	}
	h.made = append(h.made, move{s, to, r, bad})
}

// become takes a step of the counter's table.
func (h *house) become(o *operation, to op.State) {
	from := o.state()
	if !edge.CanBecome(from, to) {
		h.illegal = fmt.Sprintf("the counter would go from %s to %s, which its table does not allow: it cuts the line, for ever", from, to)
		return
	}
	index := uint8(slices.Index(edgeStates[:], to))
	h.edgeWalked[o.disk][index] = true
	o.disk = index
}

// settle takes a step of the central's table, as the store does: conditionally.
func (h *house) settle(o *operation, to op.State) bool {
	from := o.record()
	if !central.CanBecome(from, to) {
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
func (h *house) moves(s *state) []move {
	h.made = h.made[:0]
	for i := range h.cfg.Operations {
		if !h.cfg.OneName {
			h.counter(s, i)
		}
		h.session(s, i)
		h.carry(s, i)
		h.reconcile(s, i)
		h.bank(s, i)
	}
	if !h.cfg.OneName {
		h.connect(s)
	}
	if s.faults > 0 || h.cfg.Faults < 0 {
		h.misfortune(s)
	}
	return h.made
}
