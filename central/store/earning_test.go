package store

import (
	"fmt"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// TestManyPostings: all postings of an earning are written, however many statements they take.
func TestManyPostings(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		for _, n := range []int{0, 1, maxPostings, maxPostings + 1, 2*maxPostings + 3} {
			o := inState(t, s, op.Sent)
			x := finalOutcome(o.ID, op.Succeeded)
			x.Earning = earningOf(o, "TRANSFER", 1)
			x.Earning.Postings = nil
			for i := range n {
				x.Earning.Postings = append(x.Earning.Postings, central.Posting{Purpose: fmt.Sprint("P", i), Debit: "a", Credit: "b", Amount: 1})
			}
			_, err := s.Finish(background, x)
			wantErr(t, "finish", err, nil)
			written := 0
			wantErr(t, "count", s.read(background, func(c conn) error {
				return c.one(`SELECT count(*) FROM ledger_entries WHERE operation = $1 AND written_by = $1 AND amount = 1`, []any{o.ID}, &written)
			}), nil)
			if written != n {
				t.Errorf("%d of %d postings were written", written, n)
			}
		}
	})
}
