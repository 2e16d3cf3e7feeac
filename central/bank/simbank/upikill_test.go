package simbank

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/upi/upitest"
)

// told is a payment as the public address lists it.
type told struct {
	ID            string
	AmountPaise   int64
	Notifications []struct {
		Attempts            int
		NextAt, DeliveredAt string
	}
}

// TestKilledBeforeTheNotification kills the bank with SIGKILL while people pay and the
// central hears little. Whoever was told 'paid' has paid once, and in the end the central
// has heard of each payment.
func TestKilledBeforeTheNotification(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	central := upitest.New(t, network.NewChecksums(NetworkKey()))
	var confirmed sync.Map // the ids that the central has confirmed
	var healthy atomic.Bool
	ended := make(chan struct{}) // releases those that are held
	central.Answer(func(w http.ResponseWriter, n int, p network.Payment) {
		switch {
		case healthy.Load() || n%3 == 0:
			confirmed.Store(p.ID, true)
			central.Confirm(w, p.ID)
		case n%3 == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			<-ended // the bank is killed while it waits
		}
	})
	server := httptest.NewServer(central)
	defer server.Close()
	notify := childNotifyEnv + "=" + server.URL
	release := sync.OnceFunc(func() { close(ended) })
	defer release()

	dir := t.TempDir()
	var paid sync.Map // the ids that somebody was told
	for round := range 4 {
		_, public, kill := startChild(t, dir, notify)
		ctx, cancel := context.WithCancel(t.Context())
		var load sync.WaitGroup
		for payer := range 4 {
			load.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					body := fmt.Sprintf(`{"vpa":"shop@galla","order_id":"K%d-%d-%d","amount":1}`, round, payer, n)
					if id := payAt(ctx, public, body); id != "" {
						if _, twice := paid.LoadOrStore(id, true); twice {
							t.Errorf("%s was told twice", id)
						}
					}
				}
			})
		}
		// The kill comes amid payments, each time at another moment.
		for end := time.Now().Add(time.Minute); countOf(&paid) < 15+22*round && time.Now().Before(end); {
			<-time.After(time.Millisecond)
		}
		kill()
		cancel()
		load.Wait()
	}
	healthy.Store(true)
	release()
	_, public, _ := startChild(t, dir, notify)
	listed := delivered(t, public)
	seen := map[string]bool{}
	for _, p := range listed {
		if _, heard := confirmed.Load(p.ID); !heard || seen[p.ID] || p.AmountPaise != 100 {
			t.Errorf("%s: heard by the central: %t, listed twice: %t, %d paise", p.ID, heard, seen[p.ID], p.AmountPaise)
		}
		seen[p.ID] = true
	}
	paid.Range(func(id, _ any) bool {
		if !seen[id.(string)] {
			t.Errorf("%s was told 'paid' and is not in the books", id)
		}
		return true
	})
	var trial struct{ DebitsPaise, CreditsPaise int64 }
	getJSON(t, "http://"+public+"/books/trial", &trial)
	if trial.DebitsPaise != trial.CreditsPaise {
		t.Errorf("trial %+v", trial)
	}
	t.Logf("%d told, %d in the books", countOf(&paid), len(listed))
}

// payAt pays; empty: nobody was told.
func payAt(ctx context.Context, public, body string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+public+"/control/upi/pay", bytes.NewReader([]byte(body)))
	if err != nil {
		return ""
	}
	req.Close = true
	reply, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return ""
	}
	defer func() { _ = reply.Body.Close() }()
	var p struct{ ID string }
	if json.NewDecoder(reply.Body).Decode(&p) != nil || reply.StatusCode != http.StatusOK {
		return ""
	}
	return p.ID
}

func countOf(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

// delivered lists all payments, once the central has confirmed each.
func delivered(t *testing.T, public string) []told {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		var list []told
		getJSON(t, "http://"+public+"/books/payments", &list)
		waits := 0
		for _, p := range list {
			if len(p.Notifications) != 1 || p.Notifications[0].DeliveredAt == "" {
				waits++
			}
		}
		if waits == 0 {
			return list
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d payments are not delivered", waits, len(list))
		}
		<-time.After(50 * time.Millisecond)
	}
}

func getJSON(t *testing.T, address string, v any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	reply, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	if err := json.NewDecoder(reply.Body).Decode(v); err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: HTTP %d, %v", address, reply.StatusCode, err)
	}
}
