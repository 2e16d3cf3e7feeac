package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/op"
)

// settledAt is when settlement settles.
var settledAt = cut(t0.Add(30 * time.Second))

// owed settles an operation of a merchant that was pending.
func owed(t *testing.T, s *DB, m central.MerchantID) op.ID {
	t.Helper()
	o := inState(t, s, op.Pending, func(o *central.Operation) { o.Merchant = m })
	wantErr(t, "settle", step(s, o.ID, op.Succeeded), nil)
	return o.ID
}

func claimAt(t *testing.T, s *DB, now time.Time, limit, share int) []duty.Callback {
	t.Helper()
	list, err := s.ClaimCallbacks(background, duty.ClaimBounds{Now: now, Until: now.Add(time.Minute), Limit: limit, PerMerchant: share})
	wantErr(t, "claim", err, nil)
	return list
}

func callbackOfOperation(t *testing.T, s *DB, id op.ID) (duty.Callback, []duty.Attempt) {
	t.Helper()
	x, attempts, err := s.Callback(background, id)
	wantErr(t, "read a callback", err, nil)
	return x, attempts
}

func noteOf(x duty.Callback, at time.Time, v duty.Verdict) duty.Attempt {
	return duty.Attempt{Operation: x.Operation, Merchant: x.Merchant, Number: x.Attempts, At: at, HTTP: 500, Said: "HTTP 500", Verdict: v, Next: at.Add(10 * time.Second)}
}

// TestCallbacksAreOwed: a merchant that wants to know is owed the end of what
// was pending, from the transaction that settles it, and nothing else.
func TestCallbacksAreOwed(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		for _, way := range [][]op.State{{op.Refused}, {op.Failed}, {op.Dispatched, op.Succeeded}, {op.Dispatched, op.Failed}, {op.Dispatched, op.Pending}} {
			o := begun(t, s)
			for _, to := range way {
				wantErr(t, "step", step(s, o.ID, to), nil)
			}
			if _, _, err := s.Callback(background, o.ID); !errors.Is(err, central.ErrNotFound) {
				t.Errorf("a callback is owed of an operation that went %v: %v", way, err)
			}
		}
		for _, to := range []op.State{op.Succeeded, op.Failed, op.Reversed} {
			o := inState(t, s, op.Pending)
			wantErr(t, "settle", step(s, o.ID, to), nil)
			x, attempts := callbackOfOperation(t, s, o.ID)
			wantSame(t, "owed", x, duty.Callback{Operation: o.ID, Merchant: merchant1, Event: duty.EventSettled, State: duty.CallbackWaiting,
				CreatedAt: settledAt, Since: settledAt, DueAt: settledAt})
			if len(attempts) != 0 {
				t.Errorf("%d attempts before the first", len(attempts))
			}
		}
		// merchant2 has no endpoint, merchant3 does not want this event, and some
		// operations are nobody's.
		for _, m := range []central.MerchantID{merchant2, merchant3, ""} {
			if _, _, err := s.Callback(background, owed(t, s, m)); !errors.Is(err, central.ErrNotFound) {
				t.Errorf("merchant %q is owed a callback: %v", m, err)
			}
		}
		n, err := s.CallbackCounts(background)
		wantErr(t, "count", err, nil)
		wantSame(t, "counts", n, duty.CallbackCounts{Waiting: 3, Oldest: settledAt})
	})
}

// TestCallbacksAreTriedAgain walks a callback through its attempts.
func TestCallbacksAreTriedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		id := owed(t, s, merchant1)
		if early := claimAt(t, s, settledAt.Add(-time.Millisecond), 10, 10); len(early) != 0 {
			t.Fatalf("claimed before it is due: %+v", early)
		}
		first := claimAt(t, s, settledAt, 10, 10)
		if len(first) != 1 || first[0].Attempts != 1 || first[0].Node != testNode || !first[0].DueAt.Equal(settledAt.Add(time.Minute)) {
			t.Fatalf("claimed %+v", first)
		}
		if again := claimAt(t, s, settledAt.Add(time.Minute-time.Millisecond), 10, 10); len(again) != 0 {
			t.Fatalf("claimed twice: %+v", again)
		}
		at := settledAt.Add(time.Second)
		wantErr(t, "note", s.NoteAttempt(background, noteOf(first[0], at, duty.Again)), nil)
		wantErr(t, "the same note again", s.NoteAttempt(background, noteOf(first[0], at, duty.GivenUp)), central.ErrState)
		x, _ := callbackOfOperation(t, s, id)
		if x.State != duty.CallbackWaiting || x.Node != "" || !x.DueAt.Equal(at.Add(10*time.Second)) || x.Failures != 1 || x.HTTP != 500 {
			t.Fatalf("after a failure: %+v", x)
		}
		second := claimAt(t, s, at.Add(10*time.Second), 10, 10)[0]
		stopped := noteOf(second, at.Add(11*time.Second), duty.Again)
		stopped.Interrupted = true
		wantErr(t, "an interruption", s.NoteAttempt(background, stopped), nil)
		third := claimAt(t, s, at.Add(time.Minute), 10, 10)[0]
		if third.Attempts != 3 || third.Failures != 1 {
			t.Fatalf("the third: %+v", third)
		}
		// Its node dies; the lease ends, and another one delivers. What the dead
		// one's note would say is too late, unless it says that it was delivered.
		fourth := claimAt(t, s, at.Add(2*time.Minute), 10, 10)[0]
		wantErr(t, "a note of the third", s.NoteAttempt(background, noteOf(third, at.Add(3*time.Minute), duty.Again)), central.ErrState)
		wantErr(t, "a note of the third", s.NoteAttempt(background, noteOf(third, at.Add(3*time.Minute), duty.Gone)), central.ErrState)
		done := noteOf(third, at.Add(3*time.Minute), duty.Delivered)
		done.HTTP, done.Said = 204, "HTTP 204"
		wantErr(t, "a delivery of the third", s.NoteAttempt(background, done), nil)
		wantErr(t, "a note of the fourth", s.NoteAttempt(background, noteOf(fourth, at.Add(4*time.Minute), duty.Again)), central.ErrState)
		x, attempts := callbackOfOperation(t, s, id)
		if x.State != duty.CallbackDelivered || x.Attempts != 4 || x.HTTP != 204 || !x.EndedAt.Equal(at.Add(3*time.Minute)) || !x.DueAt.IsZero() {
			t.Errorf("at the end: %+v", x)
		}
		if len(attempts) != 3 || attempts[2].Verdict != duty.Delivered || attempts[0].Node != testNode || attempts[0].Said != "HTTP 500" {
			t.Errorf("attempts: %+v", attempts)
		}
		if rest := claimAt(t, s, at.Add(time.Hour), 10, 10); len(rest) != 0 {
			t.Errorf("what is delivered was claimed: %+v", rest)
		}
	})
}

// TestCallbacksAreShared: many claimers at one time, each callback to one of
// them, and no merchant has more than its share.
func TestCallbacksAreShared(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		wantErr(t, "set", s.SetEndpoint(background, merchant2, "https://other.example", []string{duty.EventSettled}, t0), nil)
		for range 20 {
			owed(t, s, merchant1)
		}
		var late []op.ID
		for range 3 {
			late = append(late, owed(t, s, merchant2))
		}
		share := claimAt(t, s, settledAt, 10, 2)
		if len(share) != 4 {
			t.Fatalf("%d claimed where two merchants have a share of 2", len(share))
		}
		busy := duty.ClaimBounds{Now: settledAt, Until: settledAt.Add(time.Minute), Limit: 10, PerMerchant: 2,
			UnderWay: map[central.MerchantID]int{merchant1: 2, merchant2: 1}}
		list, err := s.ClaimCallbacks(background, busy)
		wantErr(t, "claim", err, nil)
		if len(list) != 1 || !slices.Contains(late, list[0].Operation) {
			t.Fatalf("beside a merchant that has its share: %+v", list)
		}
		var mu sync.Mutex
		claimed := map[op.ID]int{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 6 {
					list, err := s.ClaimCallbacks(background, duty.ClaimBounds{Now: settledAt, Until: settledAt.Add(time.Minute), Limit: 2, PerMerchant: 2})
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					for _, x := range list {
						claimed[x.Operation]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for _, x := range claimAt(t, s, settledAt, 100, 100) {
			claimed[x.Operation]++
		}
		if len(claimed) != 18 {
			t.Errorf("%d callbacks were claimed, want the 18 that were left", len(claimed))
		}
		for id, n := range claimed {
			if n != 1 {
				t.Errorf("the callback of operation %s was claimed %d times", id, n)
			}
		}
	})
}

// TestGone: a receiver that is gone is asked no more, and what it is owed from
// then on is given up, until somebody sets the endpoint again and replays.
func TestGone(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		first, second, third := owed(t, s, merchant1), owed(t, s, merchant1), owed(t, s, merchant1)
		claimed := claimAt(t, s, settledAt, 2, 2)
		slices.SortFunc(claimed, func(a, b duty.Callback) int { return strings.Compare(string(a.Operation), string(b.Operation)) })
		gone := noteOf(claimed[0], settledAt.Add(time.Second), duty.Gone)
		gone.HTTP, gone.Said = 410, "HTTP 410"
		wantErr(t, "note", s.NoteAttempt(background, gone), nil)
		later := owed(t, s, merchant1)
		states := func(want map[op.ID]duty.CallbackState) {
			t.Helper()
			for id, state := range want {
				if x, _ := callbackOfOperation(t, s, id); x.State != state {
					t.Errorf("callback %s is %s, want %s: %q", id, x.State, state, x.Said)
				}
			}
		}
		// The second is under way at this moment, and has its own end.
		states(map[op.ID]duty.CallbackState{first: duty.CallbackGivenUp, second: duty.CallbackWaiting, third: duty.CallbackGivenUp, later: duty.CallbackGivenUp})
		e, err := s.Endpoint(background, merchant1)
		if err != nil || !e.DisabledAt.Equal(gone.At) || e.URL != "https://shop.example/events" {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		if n, err := s.CallbackCounts(background); err != nil || n.Disabled != 1 || n.GivenUp != 3 || n.Waiting != 1 {
			t.Errorf("counts %+v, %v", n, err)
		}

		wantErr(t, "set", s.SetEndpoint(background, merchant1, "https://new.example", []string{duty.EventSettled}, t0), nil)
		if e, err := s.Endpoint(background, merchant1); err != nil || !e.DisabledAt.IsZero() || e.URL != "https://new.example" {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		now := settledAt.Add(time.Hour)
		n, err := s.ReplaySince(background, merchant1, settledAt, now)
		if err != nil || n != 3 {
			t.Errorf("%d replayed, %v; want all but the one that is under way", n, err)
		}
		if n, err := s.ReplaySince(background, merchant1, settledAt.Add(time.Millisecond), now); err != nil || n != 0 {
			t.Errorf("%d replayed that were settled before the moment, %v", n, err)
		}
		_, err = s.ReplaySince(background, "nobody", settledAt, now)
		wantErr(t, "nobody's", err, central.ErrNotFound)
		x, _ := callbackOfOperation(t, s, third)
		wantSame(t, "replayed", x, duty.Callback{Operation: third, Merchant: merchant1, Event: duty.EventSettled, State: duty.CallbackWaiting,
			CreatedAt: settledAt, Since: now, DueAt: now, Said: saidDisabled})

		wantErr(t, "unset", s.SetEndpoint(background, merchant1, "", nil, now), nil)
		states(map[op.ID]duty.CallbackState{first: duty.CallbackGivenUp, second: duty.CallbackWaiting, third: duty.CallbackGivenUp})
		if e, err := s.Endpoint(background, merchant1); err != nil || e.URL != "" || e.Events != nil {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		if m, err := s.Merchant(background, merchant1); err != nil || m.Callback != nil {
			t.Errorf("merchant %+v, %v", m, err)
		}
		wantErr(t, "nobody's", s.SetEndpoint(background, "nobody", "", nil, now), central.ErrNotFound)
		_, err = s.Endpoint(background, "nobody")
		wantErr(t, "nobody's", err, central.ErrNotFound)
	})
}

// TestReplay: one that was delivered is told again; one that was never owed,
// since its merchant had no endpoint, is told for the first time.
func TestReplay(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		id, now := owed(t, s, merchant1), settledAt.Add(time.Hour)
		x := claimAt(t, s, settledAt, 1, 1)[0]
		wantErr(t, "while it is delivered", s.Replay(background, id, now), central.ErrState)
		wantErr(t, "note", s.NoteAttempt(background, noteOf(x, settledAt, duty.Delivered)), nil)
		wantErr(t, "replay", s.Replay(background, id, now), nil)
		if x, _ := callbackOfOperation(t, s, id); x.State != duty.CallbackWaiting || x.Attempts != 1 || !x.Since.Equal(now) || !x.DueAt.Equal(now) || !x.EndedAt.IsZero() {
			t.Errorf("replayed: %+v", x)
		}
		if again := claimAt(t, s, now, 1, 1); len(again) != 1 || again[0].Attempts != 2 {
			t.Errorf("claimed %+v", again)
		}

		never := owed(t, s, merchant2)
		wantErr(t, "set", s.SetEndpoint(background, merchant2, "https://other.example", []string{duty.EventSettled}, now), nil)
		wantErr(t, "replay", s.Replay(background, never, now), nil)
		if x, _ := callbackOfOperation(t, s, never); x.State != duty.CallbackWaiting || !x.CreatedAt.Equal(settledAt) || !x.Since.Equal(now) {
			t.Errorf("told for the first time: %+v", x)
		}
		for _, state := range []op.State{op.Pending, op.Succeeded, op.Refused, op.Dispatched} {
			wantErr(t, "one that is "+string(state), s.Replay(background, inState(t, s, state).ID, now), central.ErrState)
		}
		wantErr(t, "nothing", s.Replay(background, newID(), now), central.ErrNotFound)

		list, err := s.CallbacksOf(background, duty.CallbackFilter{Limit: 10})
		if err != nil || len(list) != 2 || list[0].Operation != never {
			t.Errorf("list %+v, %v", list, err)
		}
		for want, f := range map[op.ID]duty.CallbackFilter{
			id: {Merchant: merchant1, Limit: 10}, never: {State: duty.CallbackWaiting, Merchant: merchant2, Since: settledAt, Limit: 10},
		} {
			if list, err := s.CallbacksOf(background, f); err != nil || len(list) != 1 || list[0].Operation != want {
				t.Errorf("%+v: %+v, %v", f, list, err)
			}
		}
		if list, err := s.CallbacksOf(background, duty.CallbackFilter{Since: settledAt.Add(time.Millisecond), Limit: 10}); err != nil || len(list) != 0 {
			t.Errorf("later ones: %+v, %v", list, err)
		}
	})
}

func newSecret(m central.MerchantID, n int) duty.CallbackSecret {
	return duty.CallbackSecret{ID: duty.SecretID(newID()), Merchant: m, Sealed: bytes.Repeat([]byte{byte(n)}, 61), CreatedAt: cut(t0.Add(time.Duration(n) * time.Second))}
}

func TestCallbackSecrets(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		first, second, third := newSecret(merchant1, 1), newSecret(merchant1, 2), newSecret(merchant1, 3)
		wantErr(t, "nobody's", s.AddSecret(background, newSecret("nobody", 1)), central.ErrNotFound)
		wantErr(t, "first", s.AddSecret(background, first), nil)
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			x := newSecret(merchant1, 2)
			if i == 0 {
				x = second
			}
			wg.Go(func() { errs[i] = s.AddSecret(background, x) })
		}
		wg.Wait()
		added := 0
		for i, err := range errs {
			if err == nil {
				added++
				if i != 0 {
					second.ID = ""
				}
			} else if !errors.Is(err, central.ErrState) {
				t.Errorf("one too many: %v", err)
			}
		}
		live, err := s.LiveSecrets(background, "", 10)
		wantErr(t, "live", err, nil)
		if added != 1 || len(live) != 2 {
			t.Fatalf("%d were added beside the first, %d live", added, len(live))
		}
		second = live[1]
		e, err := s.Endpoint(background, merchant1)
		wantErr(t, "endpoint", err, nil)
		wantSame(t, "endpoint", e, duty.Endpoint{Merchant: merchant1, URL: "https://shop.example/events",
			Events: []string{"operation.settled", "terminal.enrolled"}, Secrets: []duty.CallbackSecret{first, second}})
		page, err := s.LiveSecrets(background, first.ID, 10)
		if err != nil || len(page) != 1 || page[0].ID != second.ID {
			t.Errorf("after the first: %+v, %v", page, err)
		}

		wantErr(t, "nothing", s.RevokeSecret(background, "nothing", t0), central.ErrNotFound)
		for i := range 2 {
			wantErr(t, "revoke", s.RevokeSecret(background, first.ID, t0.Add(time.Duration(i)*time.Hour)), nil)
		}
		first.RevokedAt = cut(t0)
		wantErr(t, "third", s.AddSecret(background, third), nil)
		list, err := s.SecretsOf(background, merchant1)
		wantErr(t, "list", err, nil)
		wantSame(t, "secrets", list, []duty.CallbackSecret{first, second, third})
		other := bytes.Repeat([]byte{9}, 61)
		wantErr(t, "reseal", s.ResealSecret(background, third.ID, third.Sealed, other), nil)
		wantErr(t, "reseal again", s.ResealSecret(background, third.ID, third.Sealed, other), central.ErrState)
	})
}

// TestSchemaRefusesOfDuties: what a mistake might try.
func TestSchemaRefusesOfDuties(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		waiting, delivered := owed(t, s, merchant1), owed(t, s, merchant1)
		for _, x := range claimAt(t, s, settledAt, 10, 10) {
			if x.Operation == delivered {
				wantErr(t, "note", s.NoteAttempt(background, noteOf(x, settledAt, duty.Delivered)), nil)
			} else {
				wantErr(t, "note", s.NoteAttempt(background, noteOf(x, settledAt, duty.Again)), nil)
			}
		}
		pending, never := inState(t, s, op.Pending).ID, inState(t, s, op.Succeeded).ID
		wantErr(t, "secret", s.AddSecret(background, newSecret(merchant1, 1)), nil)
		wantErr(t, "secret", s.AddSecret(background, newSecret(merchant1, 2)), nil)
		wantErr(t, "chore", s.EnrolChore(background, "purge", t0, time.Hour), nil)
		add := func(id op.ID, m central.MerchantID, state string) string {
			return fmt.Sprintf(`INSERT INTO callbacks (operation, merchant, event, state, created_at, since, due_at) VALUES ('%s', '%s', 'operation.settled', '%s', 1, 1, 1)`, id, m, state)
		}
		set := func(id op.ID, what string) string {
			return fmt.Sprintf(`UPDATE callbacks SET %s WHERE operation = '%s'`, what, id)
		}
		for name, statement := range map[string]string{
			"a callback of nothing":                  add("nothing", merchant1, "waiting"),
			"a callback of what is pending":          add(pending, merchant1, "waiting"),
			"a callback of what was never pending":   add(never, merchant1, "waiting"),
			"a second callback":                      add(waiting, merchant1, "waiting"),
			"another merchant's":                     set(waiting, "merchant = '"+string(merchant2)+"'"),
			"another operation's":                    set(waiting, "operation = '"+string(never)+"'"),
			"another moment":                         set(waiting, "created_at = 5"),
			"a state that is none":                   set(waiting, "state = 'lost'"),
			"one that waits for nothing":             set(waiting, "due_at = NULL"),
			"an end without a moment":                set(waiting, "state = 'given-up', due_at = NULL"),
			"fewer attempts":                         set(waiting, "attempts = 0, tried_at = NULL"),
			"a delivery that is given up":            set(delivered, "state = 'given-up'"),
			"an attempt of what is delivered":        set(delivered, "attempts = attempts + 1"),
			"an earlier beginning":                   set(waiting, "since = since - 1"),
			"a carrier of what is delivered":         set(delivered, "node = 'n'"),
			"a status that is none":                  set(waiting, "http = 1000"),
			"a deletion of what waits":               fmt.Sprintf(`DELETE FROM callbacks WHERE operation = '%s'`, waiting),
			"another attempt":                        "UPDATE callback_attempts SET said = 'fine'",
			"an attempt of nothing":                  "INSERT INTO callback_attempts (operation, attempt, at, node, http, said, verdict) VALUES ('nothing', 1, 1, '', 0, '', 'again')",
			"a verdict that is none":                 fmt.Sprintf("INSERT INTO callback_attempts (operation, attempt, at, node, http, said, verdict) VALUES ('%s', 9, 1, '', 0, '', 'perhaps')", waiting),
			"a third secret":                         fmt.Sprintf("INSERT INTO callback_secrets (id, merchant, sealed, created_at) VALUES ('x', '%s', zeroblob(61), 1)", merchant1),
			"a secret in the clear":                  fmt.Sprintf("INSERT INTO callback_secrets (id, merchant, sealed, created_at) VALUES ('x', '%s', zeroblob(32), 1)", merchant2),
			"a secret's other owner":                 "UPDATE callback_secrets SET merchant = '" + string(merchant2) + "'",
			"a secret's deletion":                    "DELETE FROM callback_secrets",
			"a disabled endpoint that is none":       "UPDATE merchants SET callback_disabled_at = 1 WHERE id = '" + string(merchant2) + "'",
			"a chore that somebody does, not begun":  "UPDATE chores SET node = 'n'",
			"a chore that ended before it ever was":  "UPDATE chores SET ended_at = 1",
			"a chore that failed less than not once": "UPDATE chores SET failures = -1",
		} {
			if err := tryWrite(s, on.sql(statement)); err == nil {
				t.Errorf("the schema takes %s: %s", name, statement)
			}
		}
		// What is delivered may go, and its attempts with it.
		wantErr(t, "purge", s.write(background, func(c conn) error {
			_, err := c.exec(`DELETE FROM callbacks WHERE operation = $1`, string(delivered))
			return err
		}), nil)
	})
}

// TestChores: one of many takes a chore that is due, and its period is kept.
func TestChores(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		place := on.seeded(t)
		s, other := openAt(t, place, testConfig()), openAt(t, place, func() Config { c := testConfig(); c.Node = "node-b"; return c }())
		at := cut(t0)
		for i := range 2 { // the second time changes nothing
			wantErr(t, "enrol", s.EnrolChore(background, "purge", t0.Add(time.Duration(i)*time.Minute), time.Hour), nil)
		}
		wantErr(t, "enrol", s.EnrolChore(background, "archive", t0.Add(time.Minute), time.Hour), nil)
		list, err := s.Chores(background)
		wantErr(t, "list", err, nil)
		wantSame(t, "chores", list, []duty.ChoreRecord{{Name: "archive", DueAt: at.Add(time.Minute)}, {Name: "purge", DueAt: at}})

		_, err = s.ClaimChore(background, "archive", at, at.Add(time.Hour))
		wantErr(t, "one that is not due", err, central.ErrState)
		_, err = s.ClaimChore(background, "nothing", at, at.Add(time.Hour))
		wantErr(t, "nothing", err, central.ErrState)
		var wg sync.WaitGroup
		var taken [8]bool
		for i := range taken {
			db := s
			if i%2 == 1 {
				db = other
			}
			wg.Go(func() {
				_, err := db.ClaimChore(background, "purge", at, at.Add(10*time.Minute))
				taken[i] = err == nil
				if err != nil && !errors.Is(err, central.ErrState) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		by := -1
		for i, yes := range taken {
			if yes && by >= 0 {
				t.Fatal("two took one chore")
			} else if yes {
				by = i
			}
		}
		owner, rival := s, other
		if by%2 == 1 {
			owner, rival = other, s
		}
		end := duty.ChoreEnd{Name: "purge", StartedAt: at, At: at.Add(time.Minute), Next: at.Add(time.Hour), Note: "12 rows"}
		wantErr(t, "another's end", rival.EndChore(background, end), central.ErrState)
		failed := end
		failed.Failed, failed.Next, failed.Note = true, at.Add(2*time.Minute), "no room"
		wantErr(t, "end", owner.EndChore(background, failed), nil)
		wantErr(t, "end again", owner.EndChore(background, failed), central.ErrState)
		again, err := rival.ClaimChore(background, "purge", at.Add(2*time.Minute), at.Add(12*time.Minute))
		if err != nil || again.Failures != 1 || again.Note != "no room" {
			t.Fatalf("claimed %+v, %v", again, err)
		}
		// Its node dies, the lease ends, and what it would still write is too late.
		third, err := owner.ClaimChore(background, "purge", at.Add(12*time.Minute), at.Add(22*time.Minute))
		wantErr(t, "claim after the lease", err, nil)
		end.StartedAt = again.StartedAt
		wantErr(t, "a late end", rival.EndChore(background, end), central.ErrState)
		end.StartedAt = third.StartedAt
		wantErr(t, "end", owner.EndChore(background, end), nil)
		// A period that was made shorter holds; one that was made longer does not
		// put off what is due sooner.
		wantErr(t, "enrol", s.EnrolChore(background, "purge", at, 5*time.Hour), nil)
		list, err = s.Chores(background)
		wantErr(t, "list", err, nil)
		wantSame(t, "the end", list[1], duty.ChoreRecord{Name: "purge", DueAt: at.Add(time.Hour), StartedAt: third.StartedAt, EndedAt: end.At, Note: "12 rows"})
		wantErr(t, "enrol", s.EnrolChore(background, "purge", at, time.Minute), nil)
		if list, err := s.Chores(background); err != nil || !list[1].DueAt.Equal(at.Add(time.Minute)) {
			t.Errorf("with a shorter period: %+v, %v", list, err)
		}
	})
}
