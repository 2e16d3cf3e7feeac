package sim

import (
	"context"
	"time"

	"galla/central"
	"galla/central/bank/simbank"
	"galla/shared/op"
)

// verify holds what every part says against the bank's books (operations.md,
// 'What must always hold').
func (s *story) verify() {
	ctx := context.Background()
	executions, err := s.bank.Executions(ctx, simbank.Filter{To: time.Now().Add(time.Hour)})
	if err != nil {
		s.complain("the books can't be read: %v", err)
		return
	}
	debits := map[central.Reference]string{}
	for _, e := range executions {
		ref := central.Reference(e.Reference)
		if before, twice := debits[ref]; twice {
			s.complain("reference %s stands twice in the books: %s and %s", ref, before, e.Status)
		}
		debits[ref] = string(e.Status)
	}
	owned := map[central.Reference]bool{}
	for id, c := range s.told {
		s.verifyOperation(ctx, id, c, debits, owned)
	}
	for ref, status := range debits {
		if !owned[ref] && status != "DECLINED" {
			s.complain("the books have %s %s, which no counter knows", status, ref)
		}
	}
	for _, c := range s.counters {
		left, err := c.queue.Unresolved()
		if err != nil || len(left) > 0 {
			for _, r := range left {
				s.complain("%s: operation %s is still %s after everything healed (%s)", c.name, r.ID, r.State, r.Reason)
			}
			if err != nil {
				s.complain("%s: %v", c.name, err)
			}
		}
	}
	trial, err := s.bank.Trial(ctx)
	if err != nil || trial.Debits != trial.Credits {
		s.complain("the books do not balance: %+v, %v", trial, err)
	}
}

// verifyOperation compares the three tellings of one operation.
func (s *story) verifyOperation(ctx context.Context, id op.ID, c *counter, debits map[central.Reference]string, owned map[central.Reference]bool) {
	r, err := c.queue.Get(id)
	if err != nil {
		s.complain("%s: operation %s is lost: %v", c.name, id, err)
		return
	}
	s.ends[r.State]++
	inBooks := "" // never asked for
	known, err := s.store.Operation(ctx, id)
	if err == nil {
		owned[known.Reference] = true
		inBooks = debits[known.Reference]
		if !known.State.Final() {
			s.complain("operation %s is %s at the central after everything healed", id, known.State)
		}
	}
	want := map[op.State]bool{}
	switch inBooks {
	case "EXECUTED":
		want[op.Succeeded] = true
	case "REVERSED":
		want[op.Reversed] = true
		want[op.Failed] = true // the bank says FAILED of what it gave back itself
	default:
		want[op.Failed], want[op.NotSent], want[op.Expired] = true, true, true
	}
	if !want[r.State] {
		s.complain("operation %s: the books say %q, the central %s, the counter %s (%s)", id, inBooks, known.State, r.State, r.Reason)
	}
	if r.State.Final() && r.Body != nil {
		s.complain("operation %s ended and keeps its body", id)
	}
}
