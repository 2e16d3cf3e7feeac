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
	"galla/central/door"
	"galla/central/store"
	"galla/shared/envelope"
	"galla/shared/op"
	"galla/shared/secret"
)

// BenchmarkEnvelope measures what the envelope costs: the same body through
// the direct route and through the gateway, over one connection each, and the
// gateway alone. The envelope's share on the sender's side is not in it.
func BenchmarkEnvelope(b *testing.B) {
	h := open(b, func(cfg *Config, outer *door.Config) {
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
				s := &session{g: h.Gateway, m: m.message()}
				if err := s.authenticate(b.Context()); err != nil {
					b.Fatal(err)
				}
				if _, err := s.open(); err != nil {
					b.Fatal(err)
				}
				s.seal(central.Reply{HTTP: 200, Body: []byte(`{"statusCode":"00","message":"Transaction successful"}`)})
			}
		})
	}
	h.wire(b)
}

// each measures a call with a new message each time, sealed beforehand.
func (h *house) each(b *testing.B, plain string, call func(message)) {
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

// wire compares both doors over HTTP.
func (h *house) wire(b *testing.B) {
	hash, err := door.HashSecret(secret.NewKey([]byte("benchmark")), rand.Reader)
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

func (h *house) post(b *testing.B, path string, body []byte, headers [][2]string) {
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
	h := open(b, nil)
	stranger, err := envelope.New(counting(50))
	must(b, err)
	for name, client := range map[string]string{"unknown": "vk_sandbox_sahyadrx", "known": apiKey1} {
		m := sealed(b, stranger, client, "POST", withdrawal, newID(), money, time.Now())
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
// keeps quiet, and while it floods the gateway over 64 connections.
func BenchmarkNeighbour(b *testing.B) {
	h := open(b, func(c *Config, _ *door.Config) { c.Rate, c.Burst = 100, 200 })
	h.quick.Store(true)
	other, err := envelope.New(counting(0x40))
	must(b, err)
	measure := func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			time.Sleep(15 * time.Millisecond) // well below its own rate
			m := sealed(b, other, apiKey2, "POST", withdrawal, newID(), money, time.Now())
			began := time.Now()
			h.post(b, m.path, m.body, m.headers)
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
		b.ReportMetric(float64(took[len(took)*9/10].Microseconds()), "p90-us")
	}
	b.Run("quiet", measure)
	b.Run("flood", func(b *testing.B) {
		ctx, stop := context.WithCancel(b.Context())
		var flood sync.WaitGroup
		for range 64 {
			flood.Go(func() {
				for ctx.Err() == nil {
					h.do(b, h.seal(b, "POST", withdrawal, money))
				}
			})
		}
		time.Sleep(4 * time.Second) // until its burst is used up
		measure(b)
		stop()
		flood.Wait()
	})
}
