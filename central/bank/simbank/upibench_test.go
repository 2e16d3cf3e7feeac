package simbank_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/upi/upitest"
)

// BenchmarkPayUntilTold measures the time from the beginning of a payment by the control
// until the central has the notification, at 200 payments a second over real connections.
func BenchmarkPayUntilTold(b *testing.B) {
	const every = time.Second / 200
	central := upitest.New(b, network.NewChecksums(NetworkKey()))
	var mu sync.Mutex
	began, took := map[string]time.Time{}, []time.Duration(nil)
	var told sync.WaitGroup
	central.Answer(func(w http.ResponseWriter, _ int, p network.Payment) {
		mu.Lock()
		took = append(took, time.Since(began[p.TR]))
		mu.Unlock()
		central.Confirm(w, p.ID)
		told.Done()
	})
	server := httptest.NewServer(central)
	defer server.Close()
	cfg, _, _ := NewTestConfig(b)
	cfg.NotifyURL = server.URL
	bank := Open(b, cfg)
	Start(b, bank)
	public := httptest.NewServer(bank.PublicHandler())
	defer public.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	clock := time.NewTicker(every)
	defer clock.Stop()
	var n int
	for b.Loop() {
		<-clock.C
		n++
		tr := fmt.Sprint("order-", n)
		told.Add(1)
		mu.Lock()
		began[tr] = time.Now()
		mu.Unlock()
		go func() {
			reply, err := client.Post(public.URL+"/control/upi/pay", "application/json", strings.NewReader(`{"vpa":"shop@galla","amount":1,"order_id":"`+tr+`"}`))
			if err != nil || reply.StatusCode != 200 {
				b.Error(reply, err)
				return
			}
			_ = reply.Body.Close()
		}()
	}
	told.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
