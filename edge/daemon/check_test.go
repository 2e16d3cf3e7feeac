package daemon

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/edge/aadhaarqr/qrtest"
	"galla/edge/queue"
	"galla/rdservice"
	"galla/shared/telemetry"
)

// oneReader is a computer with one reader that is ready.
type oneReader struct{}

func (oneReader) Survey(context.Context) ([]rdservice.Device, []*rdservice.Error, error) {
	return []rdservice.Device{{
		Service: rdservice.Service{Address: "http://127.0.0.1:11100", Status: rdservice.Ready, CapturePath: "/rd/capture"},
		Info:    rdservice.DeviceInfo{DPID: "MANTRA.MSIPL", CertificateEnds: time.Now().AddDate(1, 0, 0)},
	}}, nil, nil
}

// enrolled is a counter's data folder as enrolment leaves it, with a central that
// answers.
func enrolled(t *testing.T) Config {
	t.Helper()
	central := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/terminals/enrol" {
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"statusCode":"00","data":{"terminalId":"t1","merchantId":"m1","merchantName":"Lakshmi","mid":"GAL0000001","tid":"GAL00101","uplink":"ws://` + r.Host + `/uplink","audience":"a"}}`))
	}))
	t.Cleanup(central.Close)
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "edge"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Enrol(t.Context(), filepath.Join(data, "edge"), enrolment(central.URL), rand.Reader); err != nil {
		t.Fatal(err)
	}
	return Config{Data: data, Addr: "http://127.0.0.1:0", Version: "v1", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)}
}

// check gives what a check says.
func check(t *testing.T, cfg Config) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := Check(t.Context(), cfg, nil, oneReader{}, &out)
	wrong := strings.Contains("\n"+out.String(), "\nwrong ")
	if (err != nil) != wrong {
		t.Errorf("%v after\n%s", err, out.String())
	}
	for _, secret := range []string{agentAadhaar, "2580"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%s is printed", secret)
		}
	}
	return out.String(), err
}

// TestCheck: everything that a start needs has a line, and what is wrong is said.
func TestCheck(t *testing.T) {
	cfg := enrolled(t)
	open := func() *queue.Queue {
		t.Helper()
		_, key, _, err := folderOf(cfg.Data).load(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := queue.Open(queue.Config{Path: folderOf(cfg.Data).queue(), Key: key, Rand: rand.Reader, Logger: cfg.Logger})
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	said, err := check(t, cfg)
	if err != nil || !strings.Contains(said, "there is none yet") {
		t.Errorf("before the first start: %v\n%s", err, said)
	}
	q := open()
	if said, err = check(t, cfg); err != nil || !strings.Contains(said, "ok     queue: a running counter has it open") {
		t.Errorf("beside a running counter: %v\n%s", err, said)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	said, err = check(t, cfg)
	for _, want := range []string{"settings", "queue: it opens; 0 operation(s)", "reader", "certificate", "uplink", "clock", "pages: their address is free", "disk", "enrolment"} {
		if !strings.Contains(said, "ok     "+want) {
			t.Errorf("%s: %v\n%s", want, err, said)
		}
	}
	if !strings.Contains(said, "printer: ") {
		t.Errorf("the printer has no line:\n%s", said)
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, *Config)
		want  string
	}{
		"an address of the network": {func(_ *testing.T, c *Config) { c.Addr = "0.0.0.0:7200" }, "wrong  settings: address of the pages"},
		"no address":                {func(_ *testing.T, c *Config) { c.Addr = "7200" }, "want host:port"},
		"an address in use": {func(t *testing.T, c *Config) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			c.Addr = l.Addr().String()
		}, "wrong  pages: "},
		"another queue's key": {func(t *testing.T, c *Config) {
			if err := os.WriteFile(folderOf(c.Data).queueKey(), []byte(strings.Repeat("7c", 32)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "wrong  queue: "},
		"no certificate of cards":     {func(t *testing.T, c *Config) { c.CardCertificate = filepath.Join(t.TempDir(), "uidai.cer") }, "wrong  settings: certificate of Aadhaar QR codes"},
		"an empty certificate":        {func(t *testing.T, c *Config) { c.CardCertificate = cardCertificate(t, nil) }, "has 0 bytes"},
		"another file as certificate": {func(t *testing.T, c *Config) { c.CardCertificate = cardCertificate(t, []byte("no certificate")) }, "no X.509 certificate"},
		"a certificate": {func(t *testing.T, c *Config) {
			uidai, err := qrtest.NewSigner(rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			c.CardCertificate = cardCertificate(t, uidai.Certificate)
		}, "ok     settings: "},
		"no data folder": {func(_ *testing.T, c *Config) { c.Data = "" }, "data folder is missing"},
		"never enrolled": {func(t *testing.T, c *Config) { c.Data = t.TempDir() }, "wrong  enrolment: "},
	} {
		t.Run(name, func(t *testing.T) {
			spoiled := cfg
			c.spoil(t, &spoiled)
			if said, _ := check(t, spoiled); !strings.Contains(said, c.want) {
				t.Errorf("no %q in\n%s", c.want, said)
			}
		})
	}
}

func cardCertificate(t *testing.T, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "uidai.cer")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCheckOfTraces: a collector that is away is reported, and is no reason not to
// start; a setting that can't be is one.
func TestCheckOfTraces(t *testing.T) {
	cfg := enrolled(t)
	collector := httptest.NewServer(http.NotFoundHandler())
	for _, want := range []string{"ok     traces: their collector can be reached", "look   traces: no collector accepts them at 127.0.0.1:"} {
		var err error
		if cfg.Traces, err = (telemetry.Settings{Endpoint: collector.URL, Share: 1}).Config(func(string) string { return "" }); err != nil {
			t.Fatal(err)
		}
		if said, err := check(t, cfg); err != nil || !strings.Contains(said, want) {
			t.Errorf("%v, no %q in\n%s", err, want, said)
		}
		collector.Close()
	}
	var out bytes.Buffer
	if err := Check(t.Context(), cfg, errors.New("trace-share 7: want less"), oneReader{}, &out); err == nil || !strings.Contains(out.String(), "wrong  settings: trace-share 7") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestValidate: a start refuses an address that others could call.
func TestValidate(t *testing.T) {
	cfg := enrolled(t)
	cfg.Addr = "192.0.2.1:7200"
	if err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "others on the network") {
		t.Error(err)
	}
	if err := (Config{}).Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not all faults at once: %v", err)
	}
}
