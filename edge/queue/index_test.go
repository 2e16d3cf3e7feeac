package queue

import (
	"slices"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/op"
)

// TestWhatHappenedLateIsFound: what an operation did long after it was begun, and
// cash that is open, are found however old the operation is, after each change and
// after a restart, and no longer when the operation is gone.
func TestWhatHappenedLateIsFound(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	begun := time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC)
	later := begun.Add(100 * 24 * time.Hour)
	old := record(idAt(begun), op.Pending)
	old.Route, old.CreatedAt = op.Withdrawal, begun
	mustAdd(t, q, old)
	quick := record(idAt(begun.Add(time.Minute)), op.Succeeded)
	quick.LinkedTo = old.ID
	quick.Route, quick.CreatedAt, quick.EndedAt, quick.CashGivenAt = op.Withdrawal, begun, begun.Add(time.Minute), begun.Add(2*time.Minute)
	mustAdd(t, q, quick)
	linked := []op.ID{quick.ID}
	want := func(open []op.ID, ended, given []op.ID) {
		t.Helper()
		for range 2 {
			for name, c := range map[string]struct {
				find func() ([]edge.Record, error)
				want []op.ID
			}{
				"open cash":           {q.OpenCash, open},
				"about another":       {q.LinkedOperations, linked},
				"when it was begun":   {func() ([]edge.Record, error) { return q.ChangedLater(begun, begun.Add(time.Hour)) }, nil},
				"when it ended":       {func() ([]edge.Record, error) { return q.ChangedLater(later, later.Add(time.Hour)) }, ended},
				"just before":         {func() ([]edge.Record, error) { return q.ChangedLater(later.Add(-time.Hour), later) }, nil},
				"when cash was given": {func() ([]edge.Record, error) { return q.ChangedLater(later.Add(24*time.Hour), later.Add(25*time.Hour)) }, given},
				"all its life":        {func() ([]edge.Record, error) { return q.ChangedLater(begun, later.Add(48*time.Hour)) }, nil}, // Between has it
			} {
				found, err := c.find()
				var ids []op.ID
				for _, r := range found {
					ids = append(ids, r.ID)
				}
				if err != nil || !slices.Equal(ids, c.want) {
					t.Errorf("%s: %v, want %v: %v", name, ids, c.want, err)
				}
			}
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
			q = mustOpen(t, config(path))
		}
	}
	change := func(alter func(*edge.Record)) {
		t.Helper()
		if _, err := q.Change(old.ID, func(r *edge.Record) error { alter(r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	want(nil, nil, nil)
	change(func(r *edge.Record) { r.State, r.EndedAt = op.Succeeded, later })
	want([]op.ID{old.ID}, []op.ID{old.ID}, nil)
	change(func(r *edge.Record) { r.CashGivenAt = later.Add(24 * time.Hour) })
	want(nil, []op.ID{old.ID}, []op.ID{old.ID})
	if n, err := q.Purge(later.Add(time.Hour)); n != 2 || err != nil {
		t.Fatalf("%d were purged: %v", n, err)
	}
	linked = nil
	want(nil, nil, nil)
}
