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
	"galla/central/webhook"
	"galla/shared/op"
)

// finishedAt is when settlement finishes.
var finishedAt = truncateToMillis(t0.Add(30 * time.Second))

// dueCallback finishes an operation of a merchant that was pending.
func dueCallback(t *testing.T, s *DB, m central.MerchantID) op.ID {
	t.Helper()
	o := inState(t, s, op.Pending, func(o *central.Operation) { o.Merchant = m })
	wantErr(t, "finish", step(s, o.ID, op.Succeeded), nil)
	return o.ID
}

func claimAt(t *testing.T, s *DB, now time.Time, limit, share int) []webhook.Callback {
	t.Helper()
	list, err := s.ClaimCallbacks(background, webhook.ClaimLimits{Now: now, Until: now.Add(time.Minute), Limit: limit, PerReceiver: share})
	wantErr(t, "claim", err, nil)
	return list
}

func callbackOfOperation(t *testing.T, s *DB, id op.ID) (webhook.Callback, []webhook.Attempt) {
	t.Helper()
	x, attempts, err := s.Callback(background, id)
	wantErr(t, "read a callback", err, nil)
	return x, attempts
}

func attemptOf(x webhook.Callback, at time.Time, v webhook.Result) webhook.Attempt {
	return webhook.Attempt{Operation: x.Operation, Receiver: x.Receiver(), Number: x.Attempts, At: at, HTTP: 500, Detail: "HTTP 500", Result: v, RetryAt: at.Add(10 * time.Second)}
}

// TestCallbacksAreEnqueued: a merchant that wants to know is owed the end of what
// was pending, from the transaction that finishes it, and nothing else.
func TestCallbacksAreEnqueued(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		for _, way := range [][]op.State{{op.Refused}, {op.Failed}, {op.Sent, op.Succeeded}, {op.Sent, op.Failed}, {op.Sent, op.Pending}} {
			o := created(t, s)
			for _, to := range way {
				wantErr(t, "step", step(s, o.ID, to), nil)
			}
			if _, _, err := s.Callback(background, o.ID); !errors.Is(err, central.ErrNotFound) {
				t.Errorf("a callback is owed of an operation that went %v: %v", way, err)
			}
		}
		for _, to := range []op.State{op.Succeeded, op.Failed, op.Reversed} {
			o := inState(t, s, op.Pending)
			wantErr(t, "finish", step(s, o.ID, to), nil)
			x, attempts := callbackOfOperation(t, s, o.ID)
			wantSame(t, "owed", x, webhook.Callback{Operation: o.ID, Merchant: merchant1, Event: webhook.EventFinished, State: webhook.StateWaiting,
				CreatedAt: finishedAt, Since: finishedAt, DueAt: finishedAt})
			if len(attempts) != 0 {
				t.Errorf("%d attempts before the first", len(attempts))
			}
		}
		// merchant2 has no endpoint, merchant3 does not want this event, and some
		// operations are nobody's.
		for _, m := range []central.MerchantID{merchant2, merchant3, ""} {
			if _, _, err := s.Callback(background, dueCallback(t, s, m)); !errors.Is(err, central.ErrNotFound) {
				t.Errorf("merchant %q is owed a callback: %v", m, err)
			}
		}
		n, err := s.CallbackBacklog(background)
		wantErr(t, "count", err, nil)
		wantSame(t, "counts", n, webhook.Backlog{Waiting: 3, Oldest: finishedAt})
	})
}

// TestCallbacksAreTriedAgain walks a callback through its attempts.
func TestCallbacksAreTriedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		id := dueCallback(t, s, merchant1)
		if early := claimAt(t, s, finishedAt.Add(-time.Millisecond), 10, 10); len(early) != 0 {
			t.Fatalf("claimed before it is due: %+v", early)
		}
		first := claimAt(t, s, finishedAt, 10, 10)
		if len(first) != 1 || first[0].Attempts != 1 || first[0].Node != testNode || !first[0].DueAt.Equal(finishedAt.Add(time.Minute)) {
			t.Fatalf("claimed %+v", first)
		}
		if again := claimAt(t, s, finishedAt.Add(time.Minute-time.Millisecond), 10, 10); len(again) != 0 {
			t.Fatalf("claimed twice: %+v", again)
		}
		at := finishedAt.Add(time.Second)
		wantErr(t, "note", s.RecordAttempt(background, attemptOf(first[0], at, webhook.ResultRetry)), nil)
		wantErr(t, "the same note again", s.RecordAttempt(background, attemptOf(first[0], at, webhook.ResultGivenUp)), central.ErrState)
		x, _ := callbackOfOperation(t, s, id)
		if x.State != webhook.StateWaiting || x.Node != "" || !x.DueAt.Equal(at.Add(10*time.Second)) || x.Failures != 1 || x.HTTP != 500 {
			t.Fatalf("after a failure: %+v", x)
		}
		second := claimAt(t, s, at.Add(10*time.Second), 10, 10)[0]
		stopped := attemptOf(second, at.Add(11*time.Second), webhook.ResultRetry)
		stopped.Interrupted = true
		wantErr(t, "an interruption", s.RecordAttempt(background, stopped), nil)
		third := claimAt(t, s, at.Add(time.Minute), 10, 10)[0]
		if third.Attempts != 3 || third.Failures != 1 {
			t.Fatalf("the third: %+v", third)
		}
		// Its node dies; the lease ends, and another one delivers. What the dead
		// one's note would say is too late, unless it says that it was delivered.
		fourth := claimAt(t, s, at.Add(2*time.Minute), 10, 10)[0]
		wantErr(t, "a note of the third", s.RecordAttempt(background, attemptOf(third, at.Add(3*time.Minute), webhook.ResultRetry)), central.ErrState)
		wantErr(t, "a note of the third", s.RecordAttempt(background, attemptOf(third, at.Add(3*time.Minute), webhook.ResultGone)), central.ErrState)
		done := attemptOf(third, at.Add(3*time.Minute), webhook.ResultDelivered)
		done.HTTP, done.Detail = 204, "HTTP 204"
		wantErr(t, "a delivery of the third", s.RecordAttempt(background, done), nil)
		wantErr(t, "a note of the fourth", s.RecordAttempt(background, attemptOf(fourth, at.Add(4*time.Minute), webhook.ResultRetry)), central.ErrState)
		x, attempts := callbackOfOperation(t, s, id)
		if x.State != webhook.StateDelivered || x.Attempts != 4 || x.HTTP != 204 || !x.EndedAt.Equal(at.Add(3*time.Minute)) || !x.DueAt.IsZero() {
			t.Errorf("at the end: %+v", x)
		}
		if len(attempts) != 3 || attempts[2].Result != webhook.ResultDelivered || attempts[0].Node != testNode || attempts[0].Detail != "HTTP 500" {
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
		wantErr(t, "set", s.SetEndpoint(background, webhook.OfMerchant(merchant2), "https://other.example", []string{webhook.EventFinished}, t0), nil)
		for range 20 {
			dueCallback(t, s, merchant1)
		}
		var late []op.ID
		for range 3 {
			late = append(late, dueCallback(t, s, merchant2))
		}
		share := claimAt(t, s, finishedAt, 10, 2)
		if len(share) != 4 {
			t.Fatalf("%d claimed where two merchants have a share of 2", len(share))
		}
		busy := webhook.ClaimLimits{Now: finishedAt, Until: finishedAt.Add(time.Minute), Limit: 10, PerReceiver: 2,
			InFlight: map[webhook.Receiver]int{webhook.OfMerchant(merchant1): 2, webhook.OfMerchant(merchant2): 1}}
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
					list, err := s.ClaimCallbacks(background, webhook.ClaimLimits{Now: finishedAt, Until: finishedAt.Add(time.Minute), Limit: 2, PerReceiver: 2})
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
		for _, x := range claimAt(t, s, finishedAt, 100, 100) {
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

// TestEndpointGone: a receiver that is gone is asked no more, and what it is owed from
// then on is given up, until somebody sets the endpoint again and replays.
func TestEndpointGone(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		first, second, third := dueCallback(t, s, merchant1), dueCallback(t, s, merchant1), dueCallback(t, s, merchant1)
		claimed := claimAt(t, s, finishedAt, 2, 2)
		slices.SortFunc(claimed, func(a, b webhook.Callback) int { return strings.Compare(string(a.Operation), string(b.Operation)) })
		gone := attemptOf(claimed[0], finishedAt.Add(time.Second), webhook.ResultGone)
		gone.HTTP, gone.Detail = 410, "HTTP 410"
		wantErr(t, "note", s.RecordAttempt(background, gone), nil)
		later := dueCallback(t, s, merchant1)
		states := func(want map[op.ID]webhook.State) {
			t.Helper()
			for id, state := range want {
				if x, _ := callbackOfOperation(t, s, id); x.State != state {
					t.Errorf("callback %s is %s, want %s: %q", id, x.State, state, x.Detail)
				}
			}
		}
		// The second is under way at this moment, and has its own end.
		states(map[op.ID]webhook.State{first: webhook.StateGivenUp, second: webhook.StateWaiting, third: webhook.StateGivenUp, later: webhook.StateGivenUp})
		e, err := s.Endpoint(background, webhook.OfMerchant(merchant1), t0)
		if err != nil || !e.DisabledAt.Equal(gone.At) || e.URL != "https://shop.example/events" {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		if n, err := s.CallbackBacklog(background); err != nil || n.Disabled != 1 || n.GivenUp != 3 || n.Waiting != 1 {
			t.Errorf("counts %+v, %v", n, err)
		}

		wantErr(t, "set", s.SetEndpoint(background, webhook.OfMerchant(merchant1), "https://new.example", []string{webhook.EventFinished}, t0), nil)
		if e, err := s.Endpoint(background, webhook.OfMerchant(merchant1), t0); err != nil || !e.DisabledAt.IsZero() || e.URL != "https://new.example" {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		now := finishedAt.Add(time.Hour)
		n, err := s.ReplayCallbacksSince(background, merchant1, finishedAt, now)
		if err != nil || n != 3 {
			t.Errorf("%d replayed, %v; want all but the one that is under way", n, err)
		}
		if n, err := s.ReplayCallbacksSince(background, merchant1, finishedAt.Add(time.Millisecond), now); err != nil || n != 0 {
			t.Errorf("%d replayed that were finished before the moment, %v", n, err)
		}
		_, err = s.ReplayCallbacksSince(background, "nobody", finishedAt, now)
		wantErr(t, "nobody's", err, central.ErrNotFound)
		x, _ := callbackOfOperation(t, s, third)
		wantSame(t, "replayed", x, webhook.Callback{Operation: third, Merchant: merchant1, Event: webhook.EventFinished, State: webhook.StateWaiting,
			CreatedAt: finishedAt, Since: now, DueAt: now, Detail: reasonDisabled})

		wantErr(t, "unset", s.SetEndpoint(background, webhook.OfMerchant(merchant1), "", nil, now), nil)
		states(map[op.ID]webhook.State{first: webhook.StateGivenUp, second: webhook.StateWaiting, third: webhook.StateGivenUp})
		if e, err := s.Endpoint(background, webhook.OfMerchant(merchant1), t0); err != nil || e.URL != "" || e.Events != nil {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		if m, err := s.Merchant(background, merchant1); err != nil || m.Callback != nil {
			t.Errorf("merchant %+v, %v", m, err)
		}
		wantErr(t, "nobody's", s.SetEndpoint(background, webhook.OfMerchant("nobody"), "", nil, now), central.ErrNotFound)
		_, err = s.Endpoint(background, webhook.OfMerchant("nobody"), t0)
		wantErr(t, "nobody's", err, central.ErrNotFound)
	})
}

// TestReplay: a delivered callback is sent again; one that was never due, since its
// merchant had no endpoint, is sent for the first time.
func TestReplay(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		id, now := dueCallback(t, s, merchant1), finishedAt.Add(time.Hour)
		x := claimAt(t, s, finishedAt, 1, 1)[0]
		wantErr(t, "while it is delivered", s.ReplayCallback(background, id, now), central.ErrState)
		wantErr(t, "note", s.RecordAttempt(background, attemptOf(x, finishedAt, webhook.ResultDelivered)), nil)
		wantErr(t, "replay", s.ReplayCallback(background, id, now), nil)
		if x, _ := callbackOfOperation(t, s, id); x.State != webhook.StateWaiting || x.Attempts != 1 || !x.Since.Equal(now) || !x.DueAt.Equal(now) || !x.EndedAt.IsZero() {
			t.Errorf("replayed: %+v", x)
		}
		if again := claimAt(t, s, now, 1, 1); len(again) != 1 || again[0].Attempts != 2 {
			t.Errorf("claimed %+v", again)
		}

		never := dueCallback(t, s, merchant2)
		wantErr(t, "set", s.SetEndpoint(background, webhook.OfMerchant(merchant2), "https://other.example", []string{webhook.EventFinished}, now), nil)
		wantErr(t, "replay", s.ReplayCallback(background, never, now), nil)
		if x, _ := callbackOfOperation(t, s, never); x.State != webhook.StateWaiting || !x.CreatedAt.Equal(finishedAt) || !x.Since.Equal(now) {
			t.Errorf("sent for the first time: %+v", x)
		}
		for _, state := range []op.State{op.Pending, op.Succeeded, op.Refused, op.Sent} {
			wantErr(t, "one that is "+string(state), s.ReplayCallback(background, inState(t, s, state).ID, now), central.ErrState)
		}
		wantErr(t, "nothing", s.ReplayCallback(background, newID(), now), central.ErrNotFound)

		list, err := s.ListCallbacks(background, webhook.Filter{Limit: 10})
		if err != nil || len(list) != 2 || list[0].Operation != never {
			t.Errorf("list %+v, %v", list, err)
		}
		for want, f := range map[op.ID]webhook.Filter{
			id: {Merchant: merchant1, Limit: 10}, never: {State: webhook.StateWaiting, Merchant: merchant2, Since: finishedAt, Limit: 10},
		} {
			if list, err := s.ListCallbacks(background, f); err != nil || len(list) != 1 || list[0].Operation != want {
				t.Errorf("%+v: %+v, %v", f, list, err)
			}
		}
		if list, err := s.ListCallbacks(background, webhook.Filter{Since: finishedAt.Add(time.Millisecond), Limit: 10}); err != nil || len(list) != 0 {
			t.Errorf("later ones: %+v, %v", list, err)
		}
	})
}

func newSecret(m central.MerchantID, n int) webhook.Secret {
	return newSecretOf(webhook.OfMerchant(m), n)
}

func newSecretOf(r webhook.Receiver, n int) webhook.Secret {
	return webhook.Secret{ID: webhook.SecretID(newID()), Receiver: r, Sealed: bytes.Repeat([]byte{byte(n)}, 61), CreatedAt: truncateToMillis(t0.Add(time.Duration(n) * time.Second))}
}

func TestCallbackSecrets(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		first, second, third := newSecret(merchant1, 1), newSecret(merchant1, 2), newSecret(merchant1, 3)
		wantErr(t, "nobody's", s.AddSecret(background, newSecret("nobody", 1), time.Time{}), central.ErrNotFound)
		wantErr(t, "first", s.AddSecret(background, first, time.Time{}), nil)
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			x := newSecret(merchant1, 2)
			if i == 0 {
				x = second
			}
			wg.Go(func() { errs[i] = s.AddSecret(background, x, time.Time{}) })
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
		e, err := s.Endpoint(background, webhook.OfMerchant(merchant1), t0)
		wantErr(t, "endpoint", err, nil)
		wantSame(t, "endpoint", e, webhook.Endpoint{Receiver: webhook.OfMerchant(merchant1), URL: "https://shop.example/events",
			Events: []string{"operation.finished", "terminal.enrolled"}, Secrets: []webhook.Secret{first, second}})
		page, err := s.LiveSecrets(background, first.ID, 10)
		if err != nil || len(page) != 1 || page[0].ID != second.ID {
			t.Errorf("after the first: %+v, %v", page, err)
		}

		wantErr(t, "nothing", s.RevokeSecret(background, "nothing", t0), central.ErrNotFound)
		for i := range 2 {
			wantErr(t, "revoke", s.RevokeSecret(background, first.ID, t0.Add(time.Duration(i)*time.Hour)), nil)
		}
		first.RevokedAt = truncateToMillis(t0)
		wantErr(t, "third", s.AddSecret(background, third, time.Time{}), nil)
		list, err := s.ListSecrets(background, webhook.OfMerchant(merchant1))
		wantErr(t, "list", err, nil)
		wantSame(t, "secrets", list, []webhook.Secret{first, second, third})
		other := bytes.Repeat([]byte{9}, 61)
		wantErr(t, "reseal", s.ResealSecret(background, third.ID, third.Sealed, other), nil)
		wantErr(t, "reseal again", s.ResealSecret(background, third.ID, third.Sealed, other), central.ErrState)
	})
}

// TestSchemaRefusesOfWebhooks: what a mistake might try.
func TestSchemaRefusesOfWebhooks(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		waiting, delivered := dueCallback(t, s, merchant1), dueCallback(t, s, merchant1)
		for _, x := range claimAt(t, s, finishedAt, 10, 10) {
			if x.Operation == delivered {
				wantErr(t, "note", s.RecordAttempt(background, attemptOf(x, finishedAt, webhook.ResultDelivered)), nil)
			} else {
				wantErr(t, "note", s.RecordAttempt(background, attemptOf(x, finishedAt, webhook.ResultRetry)), nil)
			}
		}
		pending, never := inState(t, s, op.Pending).ID, inState(t, s, op.Succeeded).ID
		wantErr(t, "secret", s.AddSecret(background, newSecret(merchant1, 1), time.Time{}), nil)
		wantErr(t, "secret", s.AddSecret(background, newSecret(merchant1, 2), time.Time{}), nil)
		wantErr(t, "scheduled job", s.RegisterJob(background, "purge", t0, time.Hour), nil)
		add := func(id op.ID, m central.MerchantID, state string) string {
			return fmt.Sprintf(`INSERT INTO callbacks (operation, merchant, event, state, created_at, since, due_at) VALUES ('%s', '%s', 'operation.finished', '%s', 1, 1, 1)`, id, m, state)
		}
		set := func(id op.ID, what string) string {
			return fmt.Sprintf(`UPDATE callbacks SET %s WHERE operation = '%s'`, what, id)
		}
		for name, statement := range map[string]string{
			"a callback of nothing":                          add("nothing", merchant1, "waiting"),
			"a callback of what is pending":                  add(pending, merchant1, "waiting"),
			"a callback of what was never pending":           add(never, merchant1, "waiting"),
			"a second callback":                              add(waiting, merchant1, "waiting"),
			"another merchant's":                             set(waiting, "merchant = '"+string(merchant2)+"'"),
			"another operation's":                            set(waiting, "operation = '"+string(never)+"'"),
			"another moment":                                 set(waiting, "created_at = 5"),
			"a state that is none":                           set(waiting, "state = 'lost'"),
			"one that waits for nothing":                     set(waiting, "due_at = NULL"),
			"an end without a moment":                        set(waiting, "state = 'given-up', due_at = NULL"),
			"fewer attempts":                                 set(waiting, "attempts = 0, tried_at = NULL"),
			"a delivery that is given up":                    set(delivered, "state = 'given-up'"),
			"an attempt of what is delivered":                set(delivered, "attempts = attempts + 1"),
			"an earlier beginning":                           set(waiting, "since = since - 1"),
			"a carrier of what is delivered":                 set(delivered, "node = 'n'"),
			"a status that is none":                          set(waiting, "http = 1000"),
			"a deletion of what waits":                       fmt.Sprintf(`DELETE FROM callbacks WHERE operation = '%s'`, waiting),
			"another attempt":                                "UPDATE callback_attempts SET detail = 'fine'",
			"an attempt of nothing":                          "INSERT INTO callback_attempts (operation, attempt, at, node, http, detail, result) VALUES ('nothing', 1, 1, '', 0, '', 'retry')",
			"a verdict that is none":                         fmt.Sprintf("INSERT INTO callback_attempts (operation, attempt, at, node, http, detail, result) VALUES ('%s', 9, 1, '', 0, '', 'perhaps')", waiting),
			"a third secret":                                 fmt.Sprintf("INSERT INTO callback_secrets (id, merchant, sealed, created_at) VALUES ('x', '%s', zeroblob(61), 1)", merchant1),
			"a secret in the clear":                          fmt.Sprintf("INSERT INTO callback_secrets (id, merchant, sealed, created_at) VALUES ('x', '%s', zeroblob(32), 1)", merchant2),
			"a secret's other owner":                         "UPDATE callback_secrets SET merchant = '" + string(merchant2) + "'",
			"a secret's deletion":                            "DELETE FROM callback_secrets",
			"a disabled endpoint that is none":               "UPDATE merchants SET callback_disabled_at = 1 WHERE id = '" + string(merchant2) + "'",
			"a scheduled job that somebody does, not begun":  "UPDATE scheduled_jobs SET node = 'n'",
			"a scheduled job that ended before it ever was":  "UPDATE scheduled_jobs SET ended_at = 1",
			"a scheduled job that failed less than not once": "UPDATE scheduled_jobs SET failures = -1",
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

// TestScheduledJobs: one of many takes a scheduled job that is due, and its period is kept.
// wantRegistered registers the job purge again and compares when it is due.
