package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"galla/shared/op"
)

// Report is what an exploration found.
type Report struct {
	States int // different ones
	Steps  int // between them
	Depth  int // of the longest of the shortest paths

	// EdgeSteps and CentralSteps are the entries of the two tables that were used, as
	// "from -> to".
	EdgeSteps, CentralSteps []string

	Violation *Violation // nil: everything holds
}

// Violation is a broken promise, with the shortest path to it.
type Violation struct {
	Rule  string
	Trace []string // what happens, step by step
}

func (v *Violation) Error() string {
	text := v.Rule
	for i, words := range v.Trace {
		text += fmt.Sprintf("\n  %2d. %s", i+1, words)
	}
	return text
}

// ErrTooMany means that MaxStates was reached: nothing is proved.
var ErrTooMany = errors.New("more states than the exploration may keep; give it fewer faults or more memory")

// none marks the absence of a state's number.
const none = ^uint32(0)

// look is the number of states between two checks of the context.
const progressEvery = 1 << 14

// stateSet is the explored part of the system: states by number, each with the step by
// which it was reached first, and with the next step of a schedule without faults.
type stateSet struct {
	keys      []key
	parent    []uint32
	reachedBy []step
	fairSteps []uint32 // none: nothing is left to do
	slots     []uint32 // open addressing; 0: free, otherwise the number plus one
}

func newStateSet() *stateSet { return &stateSet{slots: make([]uint32, 1<<16)} }

func mix(k key) uint64 {
	h := k[0]*0x9e3779b97f4a7c15 ^ k[1]*0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// number gives a state's number; isNew means that it had none.
func (a *stateSet) number(k key, parent uint32, by step) (n uint32, isNew bool) {
	if 2*len(a.keys) >= len(a.slots) {
		a.grow()
	}
	mask := uint64(len(a.slots) - 1)
	for at := mix(k) & mask; ; at = (at + 1) & mask {
		if slot := a.slots[at]; slot == 0 {
			n = uint32(len(a.keys))
			a.slots[at] = n + 1
			a.keys, a.parent, a.reachedBy, a.fairSteps = append(a.keys, k), append(a.parent, parent), append(a.reachedBy, by), append(a.fairSteps, none)
			return n, true
		} else if a.keys[slot-1] == k {
			return slot - 1, false
		}
	}
}

func (a *stateSet) grow() {
	a.slots = make([]uint32, 2*len(a.slots))
	mask := uint64(len(a.slots) - 1)
	for n, k := range a.keys {
		at := mix(k) & mask
		for a.slots[at] != 0 {
			at = (at + 1) & mask
		}
		a.slots[at] = uint32(n) + 1
	}
}

// traceTo gives the steps that first led to a state.
func (a *stateSet) traceTo(n uint32) []string {
	var trace []string
	for ; a.parent[n] != none; n = a.parent[n] {
		trace = append(trace, a.reachedBy[n].String())
	}
	slices.Reverse(trace)
	return trace
}

// Explore visits every state that the system can reach, the nearest first, and ends
// with the first broken promise. Errors: ErrTooMany, or ctx's.
func Explore(ctx context.Context, cfg Config) (Report, error) {
	if cfg.Operations == 0 {
		cfg.Operations = 1
	}
	if cfg.MaxStates == 0 {
		cfg.MaxStates = 60_000_000
	}
	if cfg.Operations > maxOperations || cfg.Faults > 15 {
		return Report{}, fmt.Errorf("explore: %d operations and %d faults; at most %d and 15 fit a state", cfg.Operations, cfg.Faults, maxOperations)
	}
	operations, a := &explorer{cfg: cfg}, newStateSet()
	var h system = operations
	if cfg.Payment {
		h = &paymentExplorer{cfg: cfg}
	}
	a.number(h.start(), none, step{})
	r := Report{}
	horizon := uint32(1) // the first state that is one step further than those before it
	for next := uint32(0); int(next) < len(a.keys) && r.Violation == nil; next++ {
		if next == horizon {
			r.Depth, horizon = r.Depth+1, uint32(len(a.keys))
		}
		if cfg.Steps > 0 && r.Depth >= cfg.Steps {
			break
		}
		if next%progressEvery == 0 && ctx.Err() != nil {
			return r, ctx.Err()
		}
		if len(a.keys) > cfg.MaxStates {
			return r, ErrTooMany
		}
		a.visit(h, next, &r)
	}
	if r.Violation == nil && cfg.Steps == 0 {
		r.Violation = a.findEndless()
	}
	r.States = len(a.keys)
	r.EdgeSteps, r.CentralSteps = operations.walked()
	return r, nil
}

// visit takes every step from one state.
func (a *stateSet) visit(h system, n uint32, r *Report) {
	best := never
	for _, m := range h.next(a.keys[n]) {
		r.Steps++
		if m.bad != "" {
			r.Violation = &Violation{Rule: m.bad, Trace: append(a.traceTo(n), m.step.String())}
			return
		}
		to, isNew := a.number(m.to, n, m.step)
		if m.rank != never && (best == never || m.rank < best) {
			best, a.fairSteps[n] = m.rank, to
		}
		if !isNew {
			continue
		}
		if why := h.violation(m.to); why != "" {
			r.Violation = &Violation{Rule: why, Trace: a.traceTo(to)}
			return
		}
	}
	if best == never {
		if why := h.unfinished(a.keys[n]); why != "" {
			r.Violation = &Violation{Rule: why, Trace: a.traceTo(n)}
		}
	}
}

// findEndless finds a state from which the schedule without faults loops.
func (a *stateSet) findEndless() *Violation {
	const fresh, onTheWay, ends = 0, 1, 2
	marks := make([]uint8, len(a.keys))
	var way []uint32
	for first := range a.keys {
		n := uint32(first)
		for way = way[:0]; n != none && marks[n] == fresh; n = a.fairSteps[n] {
			marks[n] = onTheWay
			way = append(way, n)
		}
		if n != none && marks[n] == onTheWay {
			return &Violation{Rule: "invariant 3: without further faults it goes round in a circle and never ends", Trace: a.traceTo(n)}
		}
		for _, n := range way {
			marks[n] = ends
		}
	}
	return nil
}

// walked lists the entries of the tables that were used.
func (h *explorer) walked() (edgeSteps, centralSteps []string) {
	for from := range h.edgeWalked {
		for to, walked := range h.edgeWalked[from] {
			if walked {
				edgeSteps = append(edgeSteps, line(edgeStates[from], edgeStates[to]))
			}
		}
	}
	for from := range h.centralWalked {
		for to, walked := range h.centralWalked[from] {
			if walked {
				centralSteps = append(centralSteps, line(centralStates[from], centralStates[to]))
			}
		}
	}
	return edgeSteps, centralSteps
}

func line(from, to op.State) string { return string(from) + " -> " + string(to) }
