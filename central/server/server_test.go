package server

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/shared/freeport"
)

func testConfig(t *testing.T) Config {
	t.Helper()
	return Config{
		Addr: freeport.For(t), AdminAddr: freeport.For(t), UplinkAddr: freeport.For(t), BankURL: "http://" + freeport.For(t), Data: t.TempDir(),
		Sandbox: true, Node: "test", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// startTime is how long a central may take to be ready on a busy machine.
const startTime = 2 * time.Minute

// until waits until /readyz contains a text, and returns the answer.
func until(t *testing.T, cfg Config, text string) string {
	t.Helper()
	patience, end := context.WithTimeout(t.Context(), startTime)
	defer end()
	for {
		_, says := get(t, "http://"+cfg.AdminAddr+"/readyz")
		if strings.Contains(says, text) {
			return says
		}
		select {
		case <-patience.Done():
			t.Fatalf("/readyz does not say %q but %q", text, says)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// serving runs a central until the test ends, and waits until it is ready.
func serving(t *testing.T, cfg Config) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, cfg) }()
	patience, end := context.WithTimeout(t.Context(), startTime)
	defer end()
	for {
		status, says := get(t, "http://"+cfg.AdminAddr+"/readyz")
		if status == http.StatusOK {
			break
		}
		if patience.Err() != nil {
			t.Fatalf("the central is not ready after %v: %s", startTime, says)
		}
		select {
		case err := <-done:
			t.Fatalf("Run = %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	}
}

func TestASandboxServesItsParties(t *testing.T) {
	cfg := testConfig(t)
	for range 2 { // a second start finds its data
		stop := serving(t, cfg)
		for _, c := range sandboxClients() {
			form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.id}, "client_secret": {c.secret}}
			resp, err := http.PostForm("http://"+cfg.Addr+"/oauth/token", form)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			want := http.StatusOK
			if c.id == "merchant-nila" { // PENDING
				want = http.StatusUnprocessableEntity
			}
			if resp.StatusCode != want {
				t.Errorf("token for %s: HTTP %d, want %d", c.id, resp.StatusCode, want)
			}
		}
		if _, metrics := get(t, "http://"+cfg.AdminAddr+"/metrics"); !strings.Contains(metrics, "galla_operations_stuck 0") {
			t.Error("the metrics have no stuck operations")
		}
		stop()
		if _, err := os.Stat(filepath.Join(cfg.Data, pidFile)); !os.IsNotExist(err) {
			t.Errorf("the PID file is left behind: %v", err)
		}
	}
}

func TestProductionRefusesToStartWithoutKeys(t *testing.T) {
	cfg := testConfig(t)
	cfg.Sandbox = false
	err := Run(t.Context(), cfg)
	for _, key := range []string{"fingerprint.key", "token-signing.key", "bank-network.key", "log-signing.key", "vendor-master.key"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("Run = %v, want it to name %s", err, key)
		}
	}
}

func TestATakenAddressIsNamed(t *testing.T) {
	cfg := testConfig(t)
	l, err := net.Listen("tcp", cfg.UplinkAddr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), cfg.UplinkAddr) {
		t.Errorf("Run = %v, want it to name %s", err, cfg.UplinkAddr)
	}
}

func TestConfigReportsAllFaultsAtOnce(t *testing.T) {
	err := Config{}.Validate()
	for _, word := range []string{"direct", "admin", "uplink", "bank", "data", "node", "logger"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("Validate = %v, want it to name %q", err, word)
		}
	}
	if err := (Config{TLSCert: "x"}).Validate(); err == nil || !strings.Contains(err.Error(), "a certificate needs its key") {
		t.Errorf("a certificate without its key: %v", err)
	}
	late := testConfig(t)
	late.BankTimeout = 26 * time.Second
	if err := late.Validate(); err == nil || !strings.Contains(err.Error(), "at most 25s") {
		t.Errorf("Validate of a bank timeout beyond the callers' wait = %v", err)
	}
	idle := testConfig(t)
	idle.BankIdle = 31 * time.Second
	if err := idle.Validate(); err == nil || !strings.Contains(err.Error(), "at most 30s") {
		t.Errorf("Validate of connections that the bank has closed long ago = %v", err)
	}
	none := testConfig(t)
	none.Load.DirectBurst = -1
	if err := none.Validate(); err == nil || !strings.Contains(err.Error(), "below zero") {
		t.Errorf("Validate of a burst below zero = %v", err)
	}
	if err := testConfig(t).Validate(); err != nil {
		t.Errorf("a full configuration is refused: %v", err)
	}
}
