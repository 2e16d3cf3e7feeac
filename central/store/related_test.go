package store

import (
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestRelated finds the operations that belong to one, and what it earned.
func TestRelated(t *testing.T) { onBoth(t, related) }

func related(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	transfer := inState(t, s, op.Succeeded)
	first := inState(t, s, op.Failed, func(o *central.Operation) { o.Original, o.CreatedAt = transfer.Reference, t0.Add(time.Hour) })
	second := inState(t, s, op.Succeeded, func(o *central.Operation) {
		o.Original, o.CreatedAt, o.Reverses = transfer.Reference, t0.Add(2*time.Hour), transfer.ID
	})
	alone := inState(t, s, op.Succeeded)
	for _, c := range []struct {
		name string
		of   central.Operation
		want []op.ID
	}{
		{"a transfer's refunds", transfer, []op.ID{second.ID, first.ID}},
		{"a failed refund's transfer", first, []op.ID{transfer.ID}},
		{"a refund's transfer, once", second, []op.ID{transfer.ID}},
		{"nothing", alone, nil},
	} {
		r, err := s.Related(background, c.of)
		wantErr(t, c.name, err, nil)
		var ids []op.ID
		for _, o := range r.Operations {
			ids = append(ids, o.ID)
		}
		if wantSame(t, c.name, ids, c.want); r.Earning != nil || r.Reversed {
			t.Errorf("%s: earned %+v", c.name, r.Earning)
		}
	}
	paid := earned(t, s, "TRANSFER", 1, t0)
	for _, reversed := range []bool{false, true} {
		r, err := s.Related(background, paid)
		wantErr(t, "what was earned", err, nil)
		if r.Earning == nil || r.Reversed != reversed || r.Earning.Commission != 12_95 || r.Earning.TDS != 26 || r.Earning.Charge != 20_00 || r.Earning.TxnType != "TRANSFER" {
			t.Errorf("earned %+v, reversed %v, want %v", r.Earning, r.Reversed, reversed)
		}
		_, err = finish(s, finalOutcome(refundOf(t, s, paid).ID, op.Succeeded))
		wantErr(t, "refund", err, map[bool]error{true: central.ErrState}[reversed])
	}
}
