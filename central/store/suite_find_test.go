package store

import (
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

func suiteFind(t *testing.T, s *DB) {
	mine := func(o *central.Operation) { o.Party, o.CallerRef = "merchant:"+string(o.Merchant), "order-17" }
	settled := inState(t, s, op.Reversed, mine)
	waiting := inState(t, s, op.Pending, func(o *central.Operation) { o.CreatedAt = t0.Add(time.Minute) })
	stuck := inState(t, s, op.Pending, func(o *central.Operation) { o.CreatedAt = t0.Add(2 * time.Minute) })
	wantErr(t, "stick", s.PostponeEnquiry(background, stuck.ID, t0.Add(time.Hour), t0.Add(2*time.Hour), "nothing came", true), nil)

	for what, name := range map[string]string{
		"id": string(settled.ID), "reference": string(settled.Reference), "pending reference": settled.PendingReference,
		"RRN": settled.RRN, "caller's reference": "order-17", "identity": settled.Identity,
	} {
		found, err := s.FindByAnyName(background, name, 10)
		wantErr(t, "find by "+what, err, nil)
		if len(found) != 1 || found[0].ID != settled.ID {
			t.Errorf("by %s (%q): %d operations", what, name, len(found))
		}
	}
	for _, nothing := range []string{"", "x", "' OR 1=1 --"} {
		if found, err := s.FindByAnyName(background, nothing, 10); err != nil || len(found) != 0 {
			t.Errorf("%q finds %d operations: %v", nothing, len(found), err)
		}
	}
	list, err := s.ListPending(background, 10)
	wantErr(t, "waiting", err, nil)
	if len(list) != 2 || list[0].ID != stuck.ID || list[1].ID != waiting.ID {
		t.Errorf("waiting: %d operations, want the stuck one first", len(list))
	}
	if one, err := s.ListPending(background, 1); err != nil || len(one) != 1 {
		t.Errorf("one of them: %d, %v", len(one), err)
	}
}
