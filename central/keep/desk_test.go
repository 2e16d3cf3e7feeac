package keep

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/central/store"
	"galla/shared/op"
)

// engine is what stands behind the desk: it notes what reaches it, and asks the
// store as the engine does.
type engine struct {
	central.Desk
	store     *store.DB
	submitted []string
	last      central.Submission
}

func (e *engine) Submit(_ context.Context, s central.Submission) (central.Operation, bool, error) {
	e.submitted, e.last = append(e.submitted, s.Identity+s.CallerRef), s
	return central.Operation{}, false, nil
}

func (e *engine) Ask(ctx context.Context, caller, identity string) (central.Operation, bool, error) {
	return e.store.Ask(ctx, caller, identity, time.Now())
}

// restored marks a store as put back, and gives the desk of a central that
// starts on it.
func restored(t *testing.T, s *store.DB, at time.Time, gap bool) (*Desk, *Records, *engine) {
	t.Helper()
	if _, _, err := s.MarkRestored(background, at, gap); err != nil {
		t.Fatal(err)
	}
	return started(t, s)
}

func started(t *testing.T, s *store.DB) (*Desk, *Records, *engine) {
	t.Helper()
	g, err := LoadGap(background, s)
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{store: s}
	return NewDesk(e, g, s, slog.New(slog.DiscardHandler)), NewRecords(s, g), e
}

// TestAsk: after a restoration no counter is told that no money moved, where
// nobody can know it.
func TestAsk(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		put := time.Now()
		known := settled(t, s, put.Add(-time.Hour))
		stone := idAt(put.Add(-time.Hour))
		if _, _, err := s.Ask(background, caller, stone, put); err != nil {
			t.Fatal(err)
		}
		d, _, _ := restored(t, s, put, true)
		if o, seen, err := d.Ask(background, caller, known.Identity); err != nil || !seen || o.ID != known.ID {
			t.Errorf("one that is on record: %v, %v", seen, err)
		}
		if _, seen, err := d.Ask(background, caller, stone); err != nil || seen {
			t.Errorf("one that has a tombstone: %v, %v", seen, err)
		}
		var waiting []string
		for name, minted := range map[string]time.Time{
			"long before": put.Add(-400 * 24 * time.Hour), "just before": put.Add(-time.Millisecond), "by a clock that is ahead": put.Add(23 * time.Hour),
			"by a clock that is dead": time.UnixMilli(0),
		} {
			id := idAt(minted)
			waiting = append(waiting, id)
			for range 2 {
				if _, seen, err := d.Ask(background, caller, id); err == nil || seen || !strings.Contains(err.Error(), "a person must say") {
					t.Errorf("minted %s: seen %v, %v", name, seen, err)
				}
			}
			if forsworn, err := s.Forsworn(background, caller, id); err != nil || forsworn {
				t.Errorf("minted %s: it was declared never seen: %v", name, err)
			}
		}
		if _, seen, err := d.Ask(background, caller, idAt(put.Add(25*time.Hour))); err != nil || seen {
			t.Errorf("minted long after: seen %v, %v", seen, err)
		}
		held, err := s.HeldIdentities(background, 10)
		if err != nil || len(held) != len(waiting) || held[0].Caller != caller {
			t.Errorf("held: %+v, %v", held, err)
		}
		// A release opens the doors; what a counter asks still waits.
		if _, err := s.Release(background, put.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		d, _, _ = started(t, s)
		if _, _, err := d.Ask(background, caller, waiting[0]); err == nil {
			t.Error("after the release it is declared never seen")
		}
		// Until a person says what became of it.
		if err := s.Forswear(background, caller, waiting[0], put); err != nil {
			t.Fatal(err)
		}
		if _, seen, err := d.Ask(background, caller, waiting[0]); err != nil || seen {
			t.Errorf("what a person declared never executed: %v, %v", seen, err)
		}
	})
}

// TestSubmit: while a restoration holds, no identity is taken for a new one,
// except a terminal's, which never sends twice.
func TestSubmit(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		put := time.Now()
		known := settled(t, s, put.Add(-time.Hour))
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

		if _, err := s.Release(background, put.Add(time.Hour)); err != nil {
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

// TestWithoutGap: a database that was never put back, or of which a person said
// that it misses nothing, answers as ever.
func TestWithoutGap(t *testing.T) {
	onBoth(t, func(t *testing.T, s *store.DB) {
		never, _, e := started(t, s)
		whole, _, f := restored(t, s, time.Now(), false)
		for i, d := range []*Desk{never, whole} {
			if _, seen, err := d.Ask(background, caller, idAt(time.Now().Add(-time.Hour))); err != nil || seen {
				t.Errorf("desk %d: %v, %v", i, seen, err)
			}
			if _, _, err := d.Submit(background, central.Submission{Caller: caller, Identity: "new"}); err != nil {
				t.Errorf("desk %d: %v", i, err)
			}
		}
		if len(e.submitted) != 1 || len(f.submitted) != 1 {
			t.Error("a submission did not arrive")
		}
	})
}

// list is what a database remembers of restorations.
type list struct {
	all   []duty.Restoration
	looks int
	err   error
}

func (l *list) Restorations(context.Context) ([]duty.Restoration, error) {
	l.looks++
	return l.all, l.err
}

func (l *list) Hold(context.Context, duty.Held) error { return l.err }

// TestReleaseWhileRunning: a running central opens its doors within a second of
// the release, looks once a second until then, and never again afterwards.
func TestReleaseWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		put := time.Now()
		l := &list{all: []duty.Restoration{{At: put, Gap: true}, {At: put.Add(-time.Hour), Gap: true, ReleasedAt: put}}}
		g, err := LoadGap(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if holds, err := g.Holds(t.Context()); err != nil || !holds {
				t.Fatal(holds, err)
			}
			time.Sleep(lookAgain / 20)
		}
		if l.looks > 7 {
			t.Errorf("%d looks in five seconds", l.looks)
		}
		l.err = errors.New("disk on fire")
		time.Sleep(lookAgain)
		if holds, err := g.Holds(t.Context()); err == nil || !holds {
			t.Errorf("where nobody can look it does not hold: %v, %v", holds, err)
		}
		l.err, l.all[0].ReleasedAt = nil, time.Now()
		for n := range 10 {
			time.Sleep(lookAgain)
			if holds, err := g.Holds(t.Context()); err != nil || holds {
				t.Fatalf("after the release, look %d: %v, %v", n, holds, err)
			}
		}
		if l.looks > 9 {
			t.Errorf("%d looks", l.looks)
		}
		if !g.Doubts(idAt(put)) || g.Doubts(idAt(put.Add(clockError+time.Second))) || !g.Doubts("no id") {
			t.Error("what a counter asks is doubted by the moment of its id")
		}
	})
	// Of a record that can't be looked up nothing is said.
	for _, err := range []error{central.ErrBusy, errors.New("disk on fire")} {
		d := NewDesk(nil, &Gap{store: &list{}, until: time.Now(), held: true, looked: time.Now()}, broken{err}, slog.New(slog.DiscardHandler))
		_, seen, asked := d.Ask(background, caller, idAt(time.Now()))
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

func (b broken) Forsworn(context.Context, string, string) (bool, error) { return false, b.err }

func TestMintedAt(t *testing.T) {
	at := time.UnixMilli(1795254600123)
	if got, ok := mintedAt(idAt(at)); !ok || !got.Equal(at) {
		t.Errorf("%v, %v", got, ok)
	}
	for _, bad := range []string{"", "x", strings.ToUpper(idAt(at)), "0193519c-0000-4000-8000-000000000001", string(op.ID("0193519c00007000800000000001"))} {
		if _, ok := mintedAt(bad); ok {
			t.Errorf("%q says when it was minted", bad)
		}
	}
}
