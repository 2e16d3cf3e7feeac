//go:build linux && !race

package uplink

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/websocket"

	"galla/central"
	server "galla/central/uplink"
	"galla/shared/wire"
)

// fleetVariable names the environment variable that makes a test process the terminals
// of TestIdleMemory.
const fleetVariable = "GALLA_UPLINK_FLEET"

// maxIdle is how much resident memory an idle terminal may take, in bytes.
const maxIdle = 25 << 10

// fleet is what the process of the terminals reads.
type fleet struct {
	URL         string
	Certificate []byte // of the central; nil: without TLS
	Members     []member
}

// member is one terminal of the fleet.
type member struct {
	ID  string
	Key ed25519.PrivateKey
}

// memory is what this process uses, in bytes: after collections that also shrink the
// stacks, and with what is free given back to the system.
type memory struct{ heap, stacks, resident uint64 }

func measureMemory(t *testing.T) memory {
	t.Helper()
	for range 8 { // each halves a stack at most
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatal("the system does not tell the memory of a process")
	}
	resident, _ := strconv.Atoi(string(found[1]))
	return memory{m.HeapInuse, m.StackInuse, uint64(resident) << 10}
}

// TestIdleMemory connects terminals of another process over loopback, and measures what
// each of them takes here while it is idle. The environment variable
// GALLA_UPLINK_TERMINALS says how many; a process may have few sockets.
func TestIdleMemory(t *testing.T) {
	t.Run("plain", func(t *testing.T) { measureIdle(t, nil, nil) })
	t.Run("TLS", func(t *testing.T) {
		named := httptest.NewTLSServer(nil) // for its certificate
		defer named.Close()
		measureIdle(t, &tls.Config{Certificates: named.TLS.Certificates, MinVersion: tls.VersionTLS13}, named.Certificate().Raw)
	})
}

func measureIdle(t *testing.T, secured *tls.Config, certificate []byte) {
	count := 2000
	if text := os.Getenv("GALLA_UPLINK_TERMINALS"); text != "" {
		count, _ = strconv.Atoi(text)
	}
	d := newFakeCentral(1)
	cfg := server.Config{Audience: audience, Rand: d, Logger: logger()}
	s, err := server.New(d, d, d.notifier, cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	all := fleet{URL: "ws://" + l.Addr().String() + server.Path, Certificate: certificate}
	if secured != nil {
		all.URL = "wss" + strings.TrimPrefix(all.URL, "ws")
		l = tls.NewListener(l, secured)
	}
	for range count {
		public, private, err := ed25519.GenerateKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		m := member{string(newID()), private}
		d.enrol(central.TerminalID(m.ID), public)
		all.Members = append(all.Members, m)
	}
	start(t, func(ctx context.Context) error { return s.Run(ctx, l) })
	before := measureMemory(t)
	leave := startFleet(t, all)
	defer leave()
	if n := s.Census().Connected; n != count {
		t.Fatalf("%d of %d terminals are connected", n, count)
	}
	after := measureMemory(t)
	each := func(a, b uint64) float64 { return (float64(a) - float64(b)) / 1024 / float64(count) }
	if each(after.resident, before.resident) > maxIdle/1024 {
		t.Errorf("an idle terminal takes more than %d KiB", maxIdle/1024)
	}
	t.Logf("%d idle terminals take %.1f KiB each of resident memory: heap %.1f, stacks %.1f; %.2f goroutines each", count,
		each(after.resident, before.resident), each(after.heap, before.heap), each(after.stacks, before.stacks), float64(runtime.NumGoroutine())/float64(count))
}

// startFleet starts the process of the terminals and returns when all are connected.
func startFleet(t *testing.T, all fleet) (leave func()) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestFleetProcess$")
	child.Env = append(os.Environ(), fleetVariable+"=1")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	leave = func() { _ = in.Close(); _ = child.Wait() }
	if err := json.NewEncoder(in).Encode(all); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "connected" {
		leave()
		t.Fatalf("the terminals say %q", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return leave
}

// TestFleetProcess is the process of TestIdleMemory's terminals; by itself it has none.
func TestFleetProcess(t *testing.T) {
	if os.Getenv(fleetVariable) == "" {
		return
	}
	var all fleet
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&all); err != nil {
		t.Fatal(err)
	}
	dialer := websocket.Dialer{}
	if all.Certificate != nil {
		trusted, err := x509.ParseCertificate(all.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		dialer.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS13}
		dialer.TLSClientConfig.RootCAs.AddCert(trusted)
	}
	work := make(chan member, len(all.Members))
	for _, m := range all.Members {
		work <- m
	}
	close(work)
	var workers, readers sync.WaitGroup
	var mu sync.Mutex
	var open []*websocket.Conn
	for range 32 {
		workers.Go(func() {
			for m := range work {
				ws, err := m.connect(&dialer, all.URL)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				open = append(open, ws)
				mu.Unlock()
				readers.Go(func() {
					for {
						if _, _, err := ws.ReadMessage(); err != nil {
							return
						}
					}
				})
			}
		})
	}
	workers.Wait()
	if !t.Failed() {
		fmt.Println("connected")
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the other process has measured
	for _, ws := range open {
		_ = ws.Close()
	}
	readers.Wait()
}

// connect opens a terminal's websocket and waits for the welcome.
func (m member) connect(dialer *websocket.Dialer, url string) (*websocket.Conn, error) {
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.RegisteredClaims{
		Audience: jwt.ClaimStrings{audience}, ID: string(newID()), IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
	})
	token.Header["kid"] = m.ID
	signed, err := token.SignedString(m.Key)
	if err != nil {
		return nil, err
	}
	ws, _, err := dialer.Dial(url, http.Header{"Authorization": {"Bearer " + signed}})
	if err != nil {
		return nil, err
	}
	hello, err := wire.Encode(wire.Frame{T: wire.THello, V: wire.Version, Terminal: m.ID, Version: "test", Clock: now.UnixMilli()})
	if err == nil {
		err = ws.WriteMessage(websocket.TextMessage, hello)
	}
	if err == nil {
		_, _, err = ws.ReadMessage()
	}
	return ws, err
}
