package recovery_test

import (
	"context"
	"errors"
	"galla/central/recovery"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/shared/op"
)

// engine records what reaches it, and asks the store as the engine does.
type engine struct {
	central.Executor
	store     *store.DB
	submitted []string
	last      central.Submission
}

func (e *engine) Submit(_ context.Context, s central.Submission) (central.Operation, bool, error) {
	e.submitted, e.last = append(e.submitted, s.Identity+s.CallerRef), s
	return central.Operation{}, false, nil
}

func (e *engine) FindOrTombstone(ctx context.Context, caller, identity string) (central.Operation, bool, error) {
	return e.store.FindOrTombstone(ctx, caller, identity, time.Now())
}

// guarded is an engine behind a Gap, as package api has it.
type guarded struct {
	*recovery.Gap
	engine central.Executor
}

func (g guarded) Submit(ctx context.Context, s central.Submission) (central.Operation, bool, error) {
	if err := g.Admit(ctx, &s); err != nil {
		return central.Operation{}, false, err
	}
	return g.engine.Submit(ctx, s)
}

func (g guarded) FindOrTombstone(ctx context.Context, caller, identity string) (central.Operation, bool, error) {
	if err := g.MayDeclareUnseen(ctx, caller, identity); err != nil {
		return central.Operation{}, false, err
	}
	return g.engine.FindOrTombstone(ctx, caller, identity)
}

// records reads operations by name, as package api does.
type records struct {
	*recovery.Gap
	store *store.DB
}

func (r records) Operation(ctx context.Context, id op.ID) (central.Operation, error) {
	o, err := r.store.Operation(ctx, id)
	return r.Confirm(ctx, o, err, false)
}

func (r records) ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	o, err := r.store.ByIdentity(ctx, caller, identity)
	return r.Confirm(ctx, o, err, o.NameReusable() && identity != string(o.ID))
}

func (r records) ByReference(ctx context.Context, party string, by central.ReferenceQuery) (central.Operation, error) {
	o, err := r.store.ByReference(ctx, party, by)
	return r.Confirm(ctx, o, err, o.NameReusable() && by.CallerRef != "")
}

// restored marks a store as restored and starts a central on it.
func restored(t *testing.T, s *store.DB, at time.Time, gap bool) (guarded, records, *engine) {
	t.Helper()
	if _, _, err := s.MarkRestored(background, at, gap); err != nil {
		t.Fatal(err)
	}
	return started(t, s)
}

func started(t *testing.T, s *store.DB) (guarded, records, *engine) {
	t.Helper()
	g := mustLoad(t, s)
	e := &engine{store: s}
	return guarded{g, e}, records{g, s}, e
}

// TestAsk: after a restore a terminal does not get 'never seen' if that may be wrong.
func TestAsk(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		put := time.Now()
		known := finished(t, s, put.Add(-time.Hour))
		stone := idAt(put.Add(-time.Hour))
		if _, _, err := s.FindOrTombstone(background, caller, stone, put); err != nil {
			t.Fatal(err)
		}
		d, _, _ := restored(t, s, put, true)
		if o, seen, err := d.FindOrTombstone(background, caller, known.Identity); err != nil || !seen || o.ID != known.ID {
			t.Errorf("one that is on record: %v, %v", seen, err)
		}
		if _, seen, err := d.FindOrTombstone(background, caller, stone); err != nil || seen {
			t.Errorf("one that has a tombstone: %v, %v", seen, err)
		}
		var waiting []string
		for name, createdAt := range map[string]time.Time{
			"long before": put.Add(-400 * 24 * time.Hour), "just before": put.Add(-time.Millisecond), "by a clock that is ahead": put.Add(23 * time.Hour),
			"by a clock that has stopped": time.UnixMilli(0),
		} {
			id := idAt(createdAt)
			waiting = append(waiting, id)
			for range 2 {
				if _, seen, err := d.FindOrTombstone(background, caller, id); err == nil || seen || !strings.Contains(err.Error(), "a person must find out") {
					t.Errorf("created %s: seen %v, %v", name, seen, err)
				}
			}
			if tombstone, err := s.HasTombstone(background, caller, id); err != nil || tombstone {
				t.Errorf("created %s: it has a tombstone: %v", name, err)
			}
		}
		if _, seen, err := d.FindOrTombstone(background, caller, idAt(put.Add(25*time.Hour))); err != nil || seen {
			t.Errorf("created long after: seen %v, %v", seen, err)
		}
		held, err := s.HeldIdentities(background, 10)
		if err != nil || len(held) != len(waiting) || held[0].Caller != caller {
			t.Errorf("held: %+v, %v", held, err)
		}
		// After a release new identities are accepted; a terminal still gets no answer.
		if _, err := s.ReleaseRestorations(background, put.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		d, _, _ = started(t, s)
		if _, _, err := d.FindOrTombstone(background, caller, waiting[0]); err == nil {
			t.Error("after the release it gets a tombstone")
		}
		// Until a person has recorded the outcome.
		if err := s.MarkTombstone(background, caller, waiting[0], put); err != nil {
			t.Fatal(err)
		}
		if _, seen, err := d.FindOrTombstone(background, caller, waiting[0]); err != nil || seen {
			t.Errorf("what a person declared never executed: %v, %v", seen, err)
		}
	})
}

// TestSubmit: before the release, no identity is accepted as new, except a terminal's,
// which never sends twice.
func TestSubmit(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		put := time.Now()
		known := finished(t, s, put.Add(-time.Hour))
		d, records, e := restored(t, s, put, true)
		for name, tt := range map[string]struct {
			s     central.Submission
			taken bool
		}{
			"a new identity":             {central.Submission{Identity: "new"}, false},
			"a new reference":            {central.Submission{CallerRef: "new"}, false},
			"both new":                   {central.Submission{Identity: "new", CallerRef: "new"}, false},
			"a known identity":           {central.Submission{Identity: known.Identity}, true},
			"a known reference":          {central.Submission{CallerRef: known.CallerRef}, true},
			"a reference known by a new": {central.Submission{Identity: "new", CallerRef: known.CallerRef}, true},
			"no identity":                {central.Submission{}, true},
			"a terminal's":               {central.Submission{Identity: idAt(put), Terminal: "terminal-1"}, true},
		} {
			before := len(e.submitted)
			tt.s.Caller, tt.s.Party = caller, caller
			_, _, err := d.Submit(background, tt.s)
			var refused *central.Error
			if tt.taken != (err == nil) || tt.taken != (len(e.submitted) == before+1) {
				t.Errorf("%s: taken %v, %v", name, len(e.submitted) > before, err)
			}
			if !tt.taken && (!errors.As(err, &refused) || refused.Fault != central.TooMany || !strings.Contains(refused.Message, "this call did nothing") || refused.RetryAfter == 0) {
				t.Errorf("%s: refused with %v", name, err)
			}
		}
		for name, read := range map[string]func() error{
			"id":       func() error { _, err := records.Operation(background, "x"); return err },
			"identity": func() error { _, err := records.ByIdentity(background, caller, "x"); return err },
			"reference": func() error {
				_, err := records.ByReference(background, caller, central.ReferenceQuery{CallerRef: "x"})
				return err
			},
		} {
			if err := read(); errors.Is(err, central.ErrNotFound) || central.AsError(err).Fault != central.TooMany {
				t.Errorf("an absent operation by its %s: %v", name, err)
			}
		}
		if _, err := records.Operation(background, known.ID); err != nil {
			t.Errorf("an operation that is there: %v", err)
		}

		if _, err := s.ReleaseRestorations(background, put.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		d, records, e = started(t, s)
		if _, _, err := d.Submit(background, central.Submission{Caller: caller, Identity: "new"}); err != nil || len(e.submitted) != 1 {
			t.Errorf("after the release: %v", err)
		}
		if _, err := records.Operation(background, "x"); !errors.Is(err, central.ErrNotFound) {
			t.Errorf("an absent operation after the release: %v", err)
		}
	})
}

// TestWithoutGap: a database that was never restored, or that lacks nothing, answers as
// usual.
func TestWithoutGap(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		never, _, e := started(t, s)
		whole, _, f := restored(t, s, time.Now(), false)
		for i, d := range []guarded{never, whole} {
			if _, seen, err := d.FindOrTombstone(background, caller, idAt(time.Now().Add(-time.Hour))); err != nil || seen {
				t.Errorf("gap %d: %v, %v", i, seen, err)
			}
			if _, _, err := d.Submit(background, central.Submission{Caller: caller, Identity: "new"}); err != nil {
				t.Errorf("gap %d: %v", i, err)
			}
		}
		if len(e.submitted) != 1 || len(f.submitted) != 1 {
			t.Error("a submission did not arrive")
		}
	})
}

// list is a store of restorations.
type list struct {
	all   []recovery.Restoration
	looks int
	err   error
}

func (l *list) ListRestorations(context.Context) ([]recovery.Restoration, error) {
	l.looks++
	return l.all, l.err
}

func (l *list) HoldIdentity(context.Context, recovery.HeldIdentity) error { return l.err }

// TestReleaseWhileRunning: a running central accepts new identities within a second of
// the release, reads once a second until then, and never again afterwards.
func TestReleaseWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		put := time.Now()
		l := &list{all: []recovery.Restoration{{At: put, Gap: true}, {At: put.Add(-time.Hour), Gap: true, ReleasedAt: put}}}
		g, err := recovery.LoadGap(t.Context(), l, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if holds, err := g.HoldsNewIdentities(t.Context()); err != nil || !holds {
				t.Fatal(holds, err)
			}
			time.Sleep(recovery.RecheckEvery / 20)
		}
		if l.looks > 7 {
			t.Errorf("%d reads in five seconds", l.looks)
		}
		l.err = errors.New("disk on fire")
		time.Sleep(recovery.RecheckEvery)
		if holds, err := g.HoldsNewIdentities(t.Context()); err == nil || !holds {
			t.Errorf("an error does not refuse: %v, %v", holds, err)
		}
		l.err, l.all[0].ReleasedAt = nil, time.Now()
		for n := range 10 {
			time.Sleep(recovery.RecheckEvery)
			if holds, err := g.HoldsNewIdentities(t.Context()); err != nil || holds {
				t.Fatalf("after the release, look %d: %v, %v", n, holds, err)
			}
		}
		if l.looks > 9 {
			t.Errorf("%d reads", l.looks)
		}
		if !g.MayContain(idAt(put)) || g.MayContain(idAt(put.Add(recovery.MaxClockError+time.Second))) || !g.MayContain("no id") {
			t.Error("a terminal's identity is checked against the gap")
		}
	})
	// A record that can't be read is not reported as absent.
	for _, err := range []error{central.ErrBusy, errors.New("disk on fire")} {
		d := guarded{recovery.NewHeldGap(&list{}, broken{err}, time.Now()), nil}
		_, seen, asked := d.FindOrTombstone(background, caller, idAt(time.Now()))
		_, _, sent := d.Submit(background, central.Submission{Caller: caller, Identity: "x"})
		if asked == nil || seen || sent == nil {
			t.Errorf("%v: %v, %v", err, asked, sent)
		}
		if want := errors.Is(err, central.ErrBusy); (central.AsError(sent).Fault == central.TooMany) != want {
			t.Errorf("%v: %v", err, sent)
		}
	}
}

// broken is a database that does not answer.
type broken struct{ err error }

func (b broken) ByIdentity(context.Context, string, string) (central.Operation, error) {
	return central.Operation{}, b.err
}

func (b broken) ByReference(context.Context, string, central.ReferenceQuery) (central.Operation, error) {
	return central.Operation{}, b.err
}

func (b broken) RefundOf(context.Context, central.Reference) (central.Operation, error) {
	return central.Operation{}, b.err
}

func (b broken) HasTombstone(context.Context, string, string) (bool, error) { return false, b.err }

func TestMintedAt(t *testing.T) {
	at := time.UnixMilli(1795254600123)
	if got, ok := recovery.IdTime(idAt(at)); !ok || !got.Equal(at) {
		t.Errorf("%v, %v", got, ok)
	}
	for _, bad := range []string{"", "x", strings.ToUpper(idAt(at)), "0193519c-0000-4000-8000-000000000001", string(op.ID("0193519c00007000800000000001"))} {
		if _, ok := recovery.IdTime(bad); ok {
			t.Errorf("%q has a time", bad)
		}
	}
}
