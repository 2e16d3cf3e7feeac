package upi

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/upi/upitest"
	"galla/shared/money"
	"galla/shared/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// teller is books with a notifier that runs.
type teller struct {
	t        *testing.T
	books    *books.Books
	central  *upitest.Central
	sums     network.Checksums
	notifier *Notifier
	down     atomic.Bool
	stop     func()
}

func newTeller(t *testing.T) *teller {
	t.Helper()
	b, err := books.Open(t.Context(), books.Config{
		Dir: t.TempDir(), AuthorityKey: &rsa.PrivateKey{}, AuthorityCert: &x509.Certificate{}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &teller{t: t, books: b, sums: network.NewChecksums(secret.NewKey(make([]byte, 32)))}
	s.central = upitest.New(t, s.sums)
	s.run()
	t.Cleanup(func() {
		s.stop()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run begins a notifier, as a program that starts.
func (s *teller) run() {
	s.notifier = NewNotifier(NotifierConfig{
		Books: s.books, URL: "http://central.test/", DialContext: s.central.Dial, Checksums: s.sums, IsDown: s.down.Load, Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.notifier.Run(ctx) }()
	s.stop = sync.OnceFunc(func() { cancel(); <-done })
}

func (s *teller) pay(n books.Notice) network.Payment {
	s.t.Helper()
	id, err := s.books.NewPaymentID()
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := s.books.ReceivePayment(s.t.Context(), books.NewPayment{ID: id, Payee: "shop@galla", Amount: money.Rupee, PayerName: "A••a", PayerVPA: "••••@okbank"}, n)
	if err != nil {
		s.t.Fatal(err)
	}
	s.notifier.Wake()
	return p
}

// told gives the states of a payment's notifications.
func (s *teller) told(id string) []books.Told {
	s.t.Helper()
	found, err := s.books.Payments(s.t.Context(), books.Filter{Reference: id})
	if err != nil || len(found) != 1 {
		s.t.Fatalf("%d payments, %v", len(found), err)
	}
	return found[0].Notifications
}

// after gives the times of attempts since a moment.
func after(began time.Time, got []upitest.Received) (out []time.Duration) {
	for _, r := range got {
		out = append(out, r.At.Sub(began).Round(100*time.Millisecond))
	}
	return out
}

// TestStories plays each fault of a notification: when it is sent, and how it ends.
func TestStories(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		notice    books.Notice
		at        []time.Duration
		signed    []bool
		delivered []bool
	}{
		"plain":      {books.Notice{}, []time.Duration{0}, []bool{true}, []bool{true}},
		"twice":      {books.Notice{Copies: 2}, []time.Duration{0, 0}, []bool{true, true}, []bool{true, true}},
		"late":       {books.Notice{After: 5 * time.Minute}, []time.Duration{300 * s}, []bool{true}, []bool{true}},
		"missing":    {books.Notice{Never: true}, nil, nil, nil},
		"wrong once": {books.Notice{Spoil: books.SpoilOnce}, []time.Duration{0, s}, []bool{false, true}, []bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTeller(t)
				p := h.pay(c.notice)
				began := time.Now()
				time.Sleep(time.Hour)
				got := h.central.Took()
				if times := after(began, got); !slices.Equal(times, c.at) {
					t.Errorf("sent after %v, want %v", times, c.at)
				}
				for i, r := range got {
					if r.Signed != c.signed[i] || r.Payment.ID != p.ID || r.Payment.RRN != p.RRN || r.Payment.Amount != p.Amount {
						t.Errorf("notification %d: %+v", i, r)
					}
				}
				told := h.told(p.ID)
				if len(told) != len(c.delivered) {
					t.Fatalf("told %+v", told)
				}
				for i, n := range told {
					if !n.Delivered.IsZero() != c.delivered[i] || !n.Next.IsZero() {
						t.Errorf("notification %d ended as %+v", i, n)
					}
				}
			})
		})
	}
}

// TestTriedForADay: what is never confirmed is sent at growing distances, for a day.
func TestTriedForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTeller(t)
		p := h.pay(books.Notice{Spoil: books.SpoilAlways})
		began := time.Now()
		time.Sleep(48 * time.Hour)
		times := after(began, h.central.Took())
		want := []time.Duration{0, 1 * time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second, 31 * time.Second, 63 * time.Second, 127 * time.Second, 255 * time.Second, 511 * time.Second, 811 * time.Second}
		if len(times) < len(want) || !slices.Equal(times[:len(want)], want) {
			t.Errorf("sent after %v", times[:min(len(times), len(want))])
		}
		if last := times[len(times)-1]; last > tryFor || last < tryFor-lastDelay {
			t.Errorf("the last one after %s", last)
		}
		if told := h.told(p.ID); len(told) != 1 || told[0].Attempts != len(times) || !told[0].Next.IsZero() || !told[0].Delivered.IsZero() {
			t.Errorf("told %+v, and %d were sent", told, len(times))
		}
	})
}

// TestOnlyARightReplyConfirms: everything else is sent again.
func TestOnlyARightReplyConfirms(t *testing.T) {
	sums := network.NewChecksums(secret.NewKey(make([]byte, 32)))
	other := network.NewChecksums(secret.NewKey([]byte("another key that has thirty-two b")[:32]))
	for name, answer := range map[string]func(c *upitest.Central, w http.ResponseWriter, p network.Payment){
		"503": func(_ *upitest.Central, w http.ResponseWriter, _ network.Payment) {
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"409": func(_ *upitest.Central, w http.ResponseWriter, _ network.Payment) { w.WriteHeader(http.StatusConflict) },
		"redirect": func(_ *upitest.Central, w http.ResponseWriter, _ network.Payment) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"no checksum": func(_ *upitest.Central, w http.ResponseWriter, p network.Payment) { fmt.Fprintf(w, `{"id":%q}`, p.ID) },
		"another key": func(_ *upitest.Central, w http.ResponseWriter, p network.Payment) {
			upitest.New(t, other).Confirm(w, p.ID)
		},
		"another payment": func(c *upitest.Central, w http.ResponseWriter, _ network.Payment) { c.Confirm(w, "GSB1") },
		"two checksums": func(_ *upitest.Central, w http.ResponseWriter, p network.Payment) {
			w.Header().Add(network.HeaderChecksum, "x")
			body := fmt.Appendf(nil, `{"id":%q}`, p.ID)
			w.Header().Add(network.HeaderChecksum, string(sums.AppendReply(nil, 200, p.ID, body)))
			_, _ = w.Write(body)
		},
		"another receipt": func(_ *upitest.Central, w http.ResponseWriter, p network.Payment) {
			body := []byte(`{"id":"GSB1"}`)
			w.Header().Set(network.HeaderChecksum, string(sums.AppendReply(nil, 200, p.ID, body)))
			_, _ = w.Write(body)
		},
		"too long": func(_ *upitest.Central, w http.ResponseWriter, _ network.Payment) {
			_, _ = w.Write(make([]byte, maxReceipt+1))
		},
		"cut":     func(*upitest.Central, http.ResponseWriter, network.Payment) { panic(http.ErrAbortHandler) },
		"silence": func(*upitest.Central, http.ResponseWriter, network.Payment) { time.Sleep(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTeller(t)
				h.central.Answer(func(w http.ResponseWriter, n int, p network.Payment) {
					if n == 0 {
						answer(h.central, w, p)
						return
					}
					h.central.Confirm(w, p.ID)
				})
				p := h.pay(books.Notice{})
				time.Sleep(10 * time.Minute)
				if got := h.central.Took(); len(got) != 2 {
					t.Errorf("sent %d times, want twice", len(got))
				}
				if told := h.told(p.ID); len(told) != 1 || told[0].Attempts != 2 || told[0].Delivered.IsZero() {
					t.Errorf("told %+v", told)
				}
			})
		})
	}
}

// TestAStopForgetsNothing: what was due, late, or under way when the program ended is sent
// after its next start.
func TestAStopForgetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTeller(t)
		h.central.Answer(func(w http.ResponseWriter, n int, p network.Payment) {
			if n == 0 {
				time.Sleep(5 * time.Second) // the program stops meanwhile
			}
			h.central.Confirm(w, p.ID)
		})
		underWay := h.pay(books.Notice{})
		time.Sleep(time.Second)
		h.stop()
		due, late := h.pay(books.Notice{}), h.pay(books.Notice{After: time.Hour})
		time.Sleep(time.Minute)
		if got := h.central.Took(); len(got) != 1 {
			t.Fatalf("%d notifications before the stop", len(got))
		}
		h.central.Answer(nil)
		h.run()
		time.Sleep(2 * time.Hour)
		counts := map[string]int{}
		for _, r := range h.central.Took() {
			counts[r.Payment.ID]++
		}
		if counts[underWay.ID] != 1 || counts[due.ID] != 1 || counts[late.ID] != 1 {
			t.Errorf("sent after the start: %v", counts)
		}
		for _, id := range []string{underWay.ID, due.ID, late.ID} {
			if told := h.told(id); told[0].Delivered.IsZero() {
				t.Errorf("%s: %+v", id, told)
			}
		}
	})
}

// TestNothingWhileDown: a network that is down sends nothing, and then what is due.
func TestNothingWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTeller(t)
		h.down.Store(true)
		p := h.pay(books.Notice{})
		time.Sleep(time.Hour)
		if got := h.central.Took(); got != nil || h.told(p.ID)[0].Attempts != 0 {
			t.Errorf("sent %d", len(got))
		}
		h.down.Store(false)
		h.notifier.Wake()
		time.Sleep(time.Second)
		if got := h.central.Took(); len(got) != 1 || h.told(p.ID)[0].Delivered.IsZero() {
			t.Errorf("sent %d, %+v", len(got), h.told(p.ID))
		}
	})
}

// TestManyAtOnce: a heap of payments goes out over few connections that are kept, never
// more at once than there is room for.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTeller(t)
		h.central.Answer(func(w http.ResponseWriter, _ int, p network.Payment) {
			time.Sleep(20 * time.Millisecond)
			h.central.Confirm(w, p.ID)
		})
		h.down.Store(true)
		const many = 400
		for range many {
			h.pay(books.Notice{})
		}
		h.down.Store(false)
		h.notifier.Wake()
		time.Sleep(time.Second)
		if got := h.central.Took(); len(got) != many {
			t.Errorf("sent %d, want %d", len(got), many)
		}
		if most, dials := h.central.Most(), h.central.Dials(); most > maxUnderWay || most < maxUnderWay/2 || dials > maxUnderWay {
			t.Errorf("%d at once over %d connections", most, dials)
		}
	})
}

// TestANetworkThatFails: nobody can be reached, and then somebody.
func TestANetworkThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTeller(t)
		h.stop()
		var reachable atomic.Bool
		h.notifier = NewNotifier(NotifierConfig{
			Books: h.books, URL: "http://central.test", Checksums: h.sums, IsDown: h.down.Load, Logger: slog.New(slog.DiscardHandler),
			DialContext: func(ctx context.Context, n, a string) (net.Conn, error) {
				if !reachable.Load() {
					return nil, errors.New("refused")
				}
				return h.central.Dial(ctx, n, a)
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); h.notifier.Run(ctx) }()
		defer func() { cancel(); <-done }()
		p := h.pay(books.Notice{})
		time.Sleep(10 * time.Second)
		if told := h.told(p.ID); told[0].Attempts != 4 { // after 0, 1, 3 and 7 s
			t.Errorf("told %+v", told)
		}
		reachable.Store(true)
		time.Sleep(6 * time.Second)
		if told := h.told(p.ID); told[0].Attempts != 5 || told[0].Delivered.IsZero() {
			t.Errorf("told %+v", told)
		}
	})
}
