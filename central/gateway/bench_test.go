package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/httpapi"
	"galla/central/store"
	"galla/shared/envelope"
	"galla/shared/op"
	"galla/shared/secret"
)

// BenchmarkEnvelope measures what the envelope costs: the same body through
// the direct route and through the gateway, over one connection each, and the
// gateway alone. The envelope's share on the sender's side is not in it.
func BenchmarkEnvelope(b *testing.B) {
	h := startGateway(b, func(cfg *Config, outer *httpapi.Config) {
		cfg.Rate, cfg.Burst = 1e9, 1<<30
		outer.Rate, outer.Burst = 1e9, 1<<30
	})
	h.quick.Store(true)
	for _, size := range []int{4 << 10, 180 << 10} {
		plain := `{"merchantId":"` + m1 + `","PidData":"` + strings.Repeat("x", size) + `"}`
		b.Run(fmt.Sprintf("alone/%dKB", size>>10), func(b *testing.B) {
			h.each(b, plain, func(m message) {
				if out := h.Serve(b.Context(), m.message()); out.HTTP != 200 {
					b.Fatalf("HTTP %d", out.HTTP)
				}
			})
		})
		// Without the database: the cryptography and the checks of form.
		b.Run(fmt.Sprintf("cryptography/%dKB", size>>10), func(b *testing.B) {
			m := h.seal(b, "POST", withdrawal, plain)
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				s := &exchange{g: h.Gateway, m: m.message()}
				if err := s.authenticate(b.Context()); err != nil {
					b.Fatal(err)
				}
				if _, err := s.decrypt(); err != nil {
					b.Fatal(err)
				}
				s.seal(central.Reply{HTTP: 200, Body: []byte(`{"statusCode":"00","message":"Transaction successful"}`)})
			}
		})
	}
	h.wire(b)
}

// each measures a call with a new message each time, sealed beforehand.
func (h *system) each(b *testing.B, plain string, call func(message)) {
	b.SetBytes(int64(len(plain)))
	var batch []message
	for i := range b.N {
		if i%256 == 0 {
			b.StopTimer()
			batch = batch[:0]
			for range min(256, b.N-i) {
				batch = append(batch, h.seal(b, "POST", withdrawal, plain))
			}
			b.StartTimer()
		}
		call(batch[i%256])
	}
}

// wire compares both entrances over HTTP.
func (h *system) wire(b *testing.B) {
	hash, err := httpapi.HashSecret(secret.NewKey([]byte("benchmark")), rand.Reader)
	must(b, err)
	must(b, h.db.Seed(b.Context(), store.Seed{Clients: []central.Client{
		{ID: "vendor-one", SecretHash: hash, Active: true, Principal: central.Principal{Role: op.Vendor, Vendor: v1}},
	}}))
	res, err := h.client.PostForm("http://"+h.addr+"/oauth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"vendor-one"}, "client_secret": {"benchmark"},
	})
	must(b, err)
	var grant struct {
		Token string `json:"access_token"`
	}
	must(b, json.NewDecoder(res.Body).Decode(&grant))
	must(b, res.Body.Close())
	token := grant.Token
	for _, size := range []int{4 << 10, 180 << 10} {
		plain := `{"merchantId":"` + m1 + `","PidData":"` + strings.Repeat("x", size) + `"}`
		b.Run(fmt.Sprintf("direct/%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				h.post(b, "/aeps/withdrawal", []byte(plain), [][2]string{{"Authorization", "Bearer " + token}})
			}
		})
		b.Run(fmt.Sprintf("gateway/%dKB", size>>10), func(b *testing.B) {
			h.each(b, plain, func(m message) { h.post(b, m.path, m.body, m.headers) })
		})
	}
}

func (h *system) post(b *testing.B, path string, body []byte, headers [][2]string) {
	req, err := http.NewRequest("POST", "http://"+h.addr+path, bytes.NewReader(body))
	must(b, err)
	for _, x := range headers {
		req.Header.Set(x[0], x[1])
	}
	res, err := h.client.Do(req)
	must(b, err)
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		b.Fatalf("HTTP %d, %v", res.StatusCode, err)
	}
	_ = res.Body.Close()
}

// BenchmarkRefusal compares what an unknown client costs with what a known one
// with a wrong checksum does.
func BenchmarkRefusal(b *testing.B) {
	h := startGateway(b, nil)
	unknown, err := envelope.New(counting(50))
	must(b, err)
	for name, client := range map[string]string{"unknown": "vk_sandbox_sahyadrx", "known": apiKey1} {
		m := sealed(b, unknown, client, "POST", withdrawal, newID(), money, time.Now())
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if out := h.Serve(b.Context(), m.message()); out.HTTP != 401 {
					b.Fatalf("HTTP %d", out.HTTP)
				}
			}
		})
	}
}

// BenchmarkNeighbour measures a vendor's calls over HTTP while another vendor
// floods the gateway over 64 connections, against its calls a moment before and
// after while that one keeps quiet: machines drift, and pairs do not. Each flood
// begins with what the pause before it gave back of the burst. With
// -benchtime 20x it makes twenty pairs. The ratios' medians are the result.
func BenchmarkNeighbour(b *testing.B) {
	const window = 3 * time.Second
	h := startGateway(b, nil) // the product's own limits
	h.quick.Store(true)
	other, err := envelope.New(counting(0x40))
	must(b, err)
	measure := func() (p50, p90, mean float64) {
		var took []time.Duration
		var sum time.Duration
		for end := time.Now().Add(window); time.Now().Before(end); {
			time.Sleep(15 * time.Millisecond) // well below its own rate
			m := sealed(b, other, apiKey2, "POST", withdrawal, newID(), money, time.Now())
			began := time.Now()
			h.post(b, m.path, m.body, m.headers)
			took = append(took, time.Since(began))
			sum += took[len(took)-1]
		}
		slices.Sort(took)
		us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
		return us(took[len(took)/2]), us(took[len(took)*9/10]), us(sum) / float64(len(took))
	}
	flood := func() (end func()) {
		ctx, stop := context.WithCancel(b.Context())
		var flood sync.WaitGroup
		for range 64 {
			flood.Go(func() {
				for ctx.Err() == nil {
					h.do(b, h.seal(b, "POST", withdrawal, money))
				}
			})
		}
		return func() { stop(); flood.Wait() }
	}
	var quiet, loud, ratios [3][]float64
	keep := func(to *[3][]float64, p50, p90, mean float64) {
		for i, x := range []float64{p50, p90, mean} {
			to[i] = append(to[i], x)
		}
	}
	measure()
	for b.Loop() {
		p50, p90, mean := measure()
		keep(&quiet, p50, p90, mean)
		end := flood()
		l50, l90, lmean := measure()
		end()
		keep(&loud, l50, l90, lmean)
		keep(&ratios, l50/p50, l90/p90, lmean/mean)
		b.Logf("quiet %.0f/%.0f/%.0f us, flood %.0f/%.0f/%.0f us: median, 90th, mean", p50, p90, mean, l50, l90, lmean)
	}
	median := func(x []float64) float64 { slices.Sort(x); return x[len(x)/2] }
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"p50", "p90", "mean"} {
		b.ReportMetric(median(quiet[i]), name+"-us")
		b.ReportMetric(median(loud[i]), "flood-"+name+"-us")
		b.ReportMetric(median(ratios[i]), name+"-ratio")
	}
}
