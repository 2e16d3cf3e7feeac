package simbank_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/shared/freeport"
	"galla/shared/secret"
)

// TestRefused plays what is no use of the protocol; all of it leaves no trace.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _, wire := NewTestConfig(t)
		b := Open(t, cfg)
		Start(t, b)
		synctestWait(t)
		client := &http.Client{Transport: &http.Transport{DialContext: wire.Dial, DisableKeepAlives: true}}
		for name, tt := range map[string]struct {
			method, path, body string
			key                secret.Key
			status             int
		}{
			"wrong key":          {"POST", network.PathEnquiries, `{"reference":"A"}`, secret.NewKey([]byte("x")), 401},
			"another path":       {"POST", "/v2", ``, cfg.NetworkKey, 404},
			"GET":                {"GET", network.PathEnquiries, ``, cfg.NetworkKey, 405},
			"no JSON":            {"POST", network.PathTransactions, `{`, cfg.NetworkKey, 400},
			"wrong members":      {"POST", network.PathTransactions, `{"reference":"A"}`, cfg.NetworkKey, 400},
			"no enquiry":         {"POST", network.PathEnquiries, `{}`, cfg.NetworkKey, 400},
			"too large":          {"POST", network.PathEnquiries, strings.Repeat(" ", network.MaxBody+1), cfg.NetworkKey, 413},
			"a right enquiry":    {"POST", network.PathEnquiries, `{"reference":"A"}`, cfg.NetworkKey, 200},
			"GET a consultation": {"GET", network.PathConsultations, ``, cfg.NetworkKey, 405},
			"no consultation":    {"POST", network.PathConsultations, `{`, cfg.NetworkKey, 400},
			"signed for another": {"POST", network.PathConsultations, `{}`, secret.NewKey([]byte("x")), 401},
			"members of nothing": {"POST", network.PathConsultations, `{"reference":"A"}`, cfg.NetworkKey, 400},
			"GET payments":       {"GET", network.PathPayments, ``, cfg.NetworkKey, 405},
			"payments, signed":   {"POST", network.PathPayments, `{}`, secret.NewKey([]byte("x")), 401},
			"encoded as pages":   {"POST", network.PathEnquiries, `reference=A`, cfg.NetworkKey, 400},
		} {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, "http://bank.test"+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set(network.HeaderChecksum, network.RequestChecksum(tt.key, tt.method, tt.path, []byte(tt.body)))
			reply, err := client.Do(req)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if reply.StatusCode != tt.status || reply.Header.Get(network.HeaderChecksum) == "" {
				t.Errorf("%s: HTTP %d, want %d with a checksum", name, reply.StatusCode, tt.status)
			}
			_ = reply.Body.Close()
		}
	})
}

// TestDownOverTCP: connections are refused by the system, and the public interface
// answers on.
func TestDownOverTCP(t *testing.T) {
	cfg, _, _ := NewTestConfig(t)
	address := freeport.For(t)
	cfg.ListenNetwork = func(ctx context.Context) (net.Listener, error) {
		var l net.ListenConfig
		return l.Listen(ctx, "tcp", address)
	}
	b := Open(t, cfg)
	Start(t, b)
	for { // until it listens
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(time.Millisecond)
	}
	up, down := false, true
	for range 3 {
		if err := b.ChangeControl(t.Context(), Change{Down: &down}); err != nil {
			t.Fatal(err)
		}
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			t.Fatal("connected while the bank is down")
		}
		if err := b.ChangeControl(t.Context(), Change{Down: &up}); err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("the bank is up again: %v", err)
		}
		_ = c.Close()
	}
	// The address is taken while the bank is down: it says so and stays down.
	if err := b.ChangeControl(t.Context(), Change{Down: &down}); err != nil {
		t.Fatal(err)
	}
	squatter, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.ChangeControl(t.Context(), Change{Down: &up}); err == nil || !b.Control().Down {
		t.Errorf("up again on a taken address: %v, %+v", err, b.Control())
	}
	_ = squatter.Close()
	if err := b.ChangeControl(t.Context(), Change{Down: &up}); err != nil || b.Control().Down {
		t.Errorf("up again: %v, %+v", err, b.Control())
	}
}
