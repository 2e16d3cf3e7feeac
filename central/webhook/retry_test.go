package webhook_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/webhook"

	"galla/central/store"
)

// line connects to the receivers in virtual time.
type line func(r *http.Request) (int, http.Header)

func (l line) RoundTrip(r *http.Request) (*http.Response, error) {
	status, header := l(r)
	if status == 0 {
		return nil, errors.New("the line is cut")
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// inTime runs a test in virtual time, over a migrated store. Each poll takes real time, so
// tests of a whole day poll less often.
func inTime(t *testing.T, poll time.Duration, test func(t *testing.T, r *rig)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "central.db")
	must(t, openSQLite(t, path, "node-a").Close())
	synctest.Test(t, func(t *testing.T) {
		db := openSQLite(t, path, "node-a")
		r := newRig(t, db, webhook.Config{Sandbox: true, Poll: poll})
		r.at(merchant1, "http://127.0.0.1:7400/")
		test(t, r)
	})
}

// TestADay: a receiver that does not answer gets 23 to 35 attempts in 24 hours, the last
// one at their end.
func TestADay(t *testing.T) {
	for range 3 {
		inTime(t, 20*time.Second, func(t *testing.T, r *rig) {
			var at []time.Time
			r.deliverer.Client().Transport = line(func(*http.Request) (int, http.Header) {
				at = append(at, time.Now())
				return 503, nil
			})
			o := owe(t, r.db, merchant1)
			stop := r.run()
			time.Sleep(26 * time.Hour)
			stop()
			got := r.callback(o)
			if got.State != webhook.StateGivenUp || !strings.Contains(got.Detail, "24 hours") || got.Attempts != len(at) {
				t.Errorf("after a day: %+v", got)
			}
			if len(at) < 23 || len(at) > 35 {
				t.Errorf("%d attempts", len(at))
			}
			if last := at[len(at)-1].Sub(o.FinishedAt); last < webhook.RetryPeriod || last > webhook.RetryPeriod+21*time.Second {
				t.Errorf("the last attempt came after %s", last)
			}
			for i := 1; i < len(at); i++ {
				if pause := at[i].Sub(at[i-1]); pause < webhook.FirstBackoff/2 || pause > webhook.MaxBackoff+21*time.Second {
					t.Errorf("pause %d is %s", i, pause)
				}
			}
			if c := r.deliverer.Counts(); c.GivenUp != 1 || c.Failed != int64(len(at)-1) {
				t.Errorf("counts %+v", c)
			}

			// The operator replays it, and the receiver is back.
			r.deliverer.Client().Transport = line(func(*http.Request) (int, http.Header) { return 200, nil })
			must(t, r.db.ReplayCallback(context.Background(), o.ID, time.Now()))
			stop = r.run()
			time.Sleep(21 * time.Second)
			stop()
			if got := r.callback(o); got.State != webhook.StateDelivered || got.Failures != 0 {
				t.Errorf("after the replay: %+v", got)
			}
		})
	}
}

// TestBackInTheLastMinute: an outage of nearly a day loses nothing.
func TestBackInTheLastMinute(t *testing.T) {
	inTime(t, 20*time.Second, func(t *testing.T, r *rig) {
		o := owe(t, r.db, merchant1)
		r.deliverer.Client().Transport = line(func(*http.Request) (int, http.Header) {
			if time.Since(o.FinishedAt) < 24*time.Hour-time.Minute {
				return 0, nil
			}
			return 200, nil
		})
		stop := r.run()
		time.Sleep(26 * time.Hour)
		stop()
		if got := r.callback(o); got.State != webhook.StateDelivered {
			t.Errorf("came to %+v", got)
		}
	})
}

// losingStore is a database that fails between a delivery and its record.
type losingStore struct {
	*store.DB
	forget int
}

func (f *losingStore) RecordAttempt(ctx context.Context, a webhook.Attempt) error {
	if f.forget > 0 {
		f.forget--
		return errors.New("the node was killed")
	}
	return f.DB.RecordAttempt(ctx, a)
}

// TestACrashAfterTheDelivery: a delivery that was not recorded is repeated when the lease
// ends, as the same message.
func TestACrashAfterTheDelivery(t *testing.T) {
	inTime(t, time.Second, func(t *testing.T, r *rig) {
		var x receiver
		r.deliverer.SetStore(&losingStore{r.db, 1})
		r.deliverer.Client().Transport = line(func(q *http.Request) (int, http.Header) {
			body, err := io.ReadAll(q.Body)
			must(t, err)
			x.mu.Lock()
			defer x.mu.Unlock()
			x.got = append(x.got, received{header: q.Header, body: body})
			return 200, nil
		})
		o := owe(t, r.db, merchant1)
		stop := r.run()
		time.Sleep(webhook.ClaimLease - time.Second)
		if n := len(x.all()); n != 1 {
			t.Fatalf("%d deliveries before the lease's end", n)
		}
		time.Sleep(3 * time.Second)
		stop()
		got := x.all()
		if len(got) != 2 || got[0].header.Get(webhook.HeaderID) != got[1].header.Get(webhook.HeaderID) || !bytes.Equal(got[0].body, got[1].body) {
			t.Errorf("deliveries: %+v", got)
		}
		if got[0].header.Get(webhook.HeaderTimestamp) == got[1].header.Get(webhook.HeaderTimestamp) || got[0].header.Get(webhook.HeaderSignature) == got[1].header.Get(webhook.HeaderSignature) {
			t.Error("the second attempt has the time of the first")
		}
		if x := r.callback(o); x.State != webhook.StateDelivered || x.Attempts != 2 {
			t.Errorf("came to %+v", x)
		}
	})
}

// TestASilentReceiver: an attempt has 15 seconds.
func TestASilentReceiver(t *testing.T) {
	inTime(t, time.Second, func(t *testing.T, r *rig) {
		r.deliverer.Client().Transport = roundTrip(func(q *http.Request) (*http.Response, error) {
			<-q.Context().Done()
			return nil, q.Context().Err()
		})
		o := owe(t, r.db, merchant1)
		before := time.Now()
		got := r.once(o)
		if took := time.Since(before); took < webhook.AttemptTime || took > webhook.AttemptTime+time.Second {
			t.Errorf("the attempt took %s", took)
		}
		if got.State != webhook.StateWaiting || !strings.Contains(got.Detail, "no reply within 15s") {
			t.Errorf("came to %+v", got)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, " 120 ": 2 * time.Minute, "7200": webhook.MaxBackoff, "7201": webhook.MaxBackoff, "18446744073709551615": webhook.MaxBackoff,
		"99999999999999999999999": 0, "-1": 0, "1.5": 0, "soon": 0, "Sat, 21 Nov 2026 10:05:00 GMT": 5 * time.Minute,
		"Sat, 21 Nov 2026 09:59:59 GMT": 0, "Sat, 21 Nov 2126 10:05:00 GMT": webhook.MaxBackoff, strings.Repeat("1", 100): 0,
	} {
		if got := webhook.RetryAfter(text, now); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"1", "99999999999", "Sat, 21 Nov 2026 10:05:00 GMT", "-5", ""} {
		f.Add(text)
	}
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if got := webhook.RetryAfter(text, now); got < 0 || got > webhook.MaxBackoff {
			t.Fatalf("%q: %s", text, got)
		}
	})
}

// TestPauses: doubling, bounded, and never less than half.
func TestPauses(t *testing.T) {
	for n, want := range map[int]time.Duration{1: webhook.FirstBackoff, 2: 2 * webhook.FirstBackoff, 3: 4 * webhook.FirstBackoff, 11: 1024 * webhook.FirstBackoff, 12: webhook.MaxBackoff, 1000: webhook.MaxBackoff} {
		for range 50 {
			if got := webhook.Backoff(n, rand.Reader); got < want/2 || got > want {
				t.Errorf("after %d failures: %s, want %s to %s", n, got, want/2, want)
			}
		}
		if got := webhook.Backoff(n, strings.NewReader("")); got != want {
			t.Errorf("without randomness, after %d failures: %s", n, got)
		}
	}
}

// TestNewRefuses: missing dependencies.
func TestNewRefuses(t *testing.T) {
	if _, err := webhook.New(nil, nil, webhook.Config{}); err == nil {
		t.Error("a deliverer without dependencies was created")
	}
	if _, err := webhook.NewVault(nil, nil, rand.Reader); err == nil {
		t.Error("a safe without a master key was made")
	}
}
