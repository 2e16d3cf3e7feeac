package model

import (
	"fmt"

	"galla/shared/op"
)

// violation gives the first invariant that a state breaks, or "".
func (h *explorer) violation(k key) string {
	s := unpack(k)
	all := 0
	for i := range h.cfg.Operations {
		if why := s.ops[i].violation(); why != "" {
			return fmt.Sprintf("operation %d: %s", i+1, why)
		}
		moved, _ := s.ops[i].debits()
		all += moved
	}
	if h.cfg.OneName && all > 1 {
		return fmt.Sprintf("invariant 1: the bank executed %d attempts under one name", all)
	}
	return ""
}

// debits counts the requests that moved money.
func (o *operation) debits() (moved, kept int) {
	for _, b := range o.books {
		if b == executed || b == reversed {
			moved++
		}
		if b == executed {
			kept++
		}
	}
	return moved, kept
}

func (o *operation) violation() string {
	moved, kept := o.debits()
	if moved > 1 {
		return fmt.Sprintf("invariant 1: the bank executed it %d times", moved)
	}
	for _, who := range []struct {
		name  string
		state op.State
	}{{"counter", o.state()}, {"central", o.record()}} {
		switch who.state {
		case op.Succeeded:
			if kept != 1 {
				return fmt.Sprintf("invariant 2: the %s says succeeded, and the bank has not executed it", who.name)
			}
		case op.Failed, op.Refused, op.NotSent, op.Expired:
			if kept != 0 {
				return fmt.Sprintf("invariant 2: the %s says %s, and the bank has executed it", who.name, who.state)
			}
		case op.Reversed:
			if kept != 0 || moved != 1 {
				return fmt.Sprintf("invariant 2: the %s says reversed, and the bank has not given it back", who.name)
			}
		}
	}
	if o.tombstoneReported && o.row >= firstRow {
		return "invariant 5: it was declared never seen, and began"
	}
	return ""
}

// unfinished says what is missing in a state in which nothing is left to do, or "".
func (h *explorer) unfinished(k key) string {
	s := unpack(k)
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		_, kept := o.debits()
		switch r := o.record(); {
		case h.cfg.OneName && o.row < firstRow: // the other one has the name
		case !h.cfg.OneName && !o.state().Final():
			return fmt.Sprintf("invariant 3: nothing more happens, and operation %d stays %s at the counter", i+1, o.state())
		case r != "" && !r.Final():
			return fmt.Sprintf("invariant 3: nothing more happens, and operation %d stays %s at the central", i+1, r)
		case kept == 1 && (o.state() != op.Succeeded && !h.cfg.OneName || r != op.Succeeded):
			return fmt.Sprintf("invariant 2: the bank executed operation %d, and in the end the counter says %s, the central %s", i+1, o.state(), r)
		}
	}
	return ""
}
