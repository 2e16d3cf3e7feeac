package reader

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/edge"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type pair struct {
	cert *x509.Certificate
	key  *rsa.PrivateKey
}

var authority = sync.OnceValues(func() (pair, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return pair{}, err
	}
	cert, err := rdcrypto.DeviceCertificate(key, "authority", 1000*time.Hour, rand.Reader)
	return pair{cert, key}, err
})

// testService is a simulated RD service on the real network, with a tap on the wire.
type testService struct {
	address string
	server  *httptest.Server

	mu       sync.Mutex
	methods  []string // of the requests, in the order in which they came
	captured []byte   // the last answer to CAPTURE
	ended    int      // CAPTUREs that the simulator is through with
}

// newReader serves a simulator on loopback.
func newReader(t *testing.T, cfg rdsim.Config) *testService {
	t.Helper()
	a, err := authority()
	if err != nil {
		t.Fatal(err)
	}
	sim, err := rdsim.New(a.cert, rand.Reader, slog.New(slog.DiscardHandler), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &testService{}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasPrefix(req.URL.Path, "/sim/") {
			sim.ServeHTTP(w, req)
			return
		}
		r.mu.Lock()
		r.methods = append(r.methods, req.Method)
		r.mu.Unlock()
		if req.Method != "CAPTURE" {
			sim.ServeHTTP(w, req)
			return
		}
		tap := &tapped{ResponseWriter: w}
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.captured = tap.body.Bytes()
			r.ended++
		}()
		sim.ServeHTTP(tap, req)
	}))
	t.Cleanup(r.server.Close)
	r.address = r.server.URL
	return r
}

// tapped keeps what is written.
type tapped struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (t *tapped) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *tapped) Write(b []byte) (int, error) {
	t.body.Write(b)
	return t.ResponseWriter.Write(b)
}

func (r *testService) sent() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.captured)
}

// count gives the number of requests with the method, or of all.
func (r *testService) count(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, m := range r.methods {
		if method == "" || m == method {
			n++
		}
	}
	return n
}

// post sets the simulator up.
func (r *testService) post(t *testing.T, path, body string) {
	t.Helper()
	resp, err := http.Post(r.address+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: HTTP %d %s, %v", path, body, resp.StatusCode, got, err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// newDevice looks at the addresses and nowhere else.
func newDevice(t *testing.T, log io.Writer, cfg Config) *Reader {
	t.Helper()
	cfg.FirstPort, cfg.LastPort = 1, 1
	cfg.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	d, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// run runs the device until the test ends, and gives what to call to wait for a
// state.
func run(t *testing.T, d *Reader) (until func(what string, ok func(edge.ReaderState) bool) edge.ReaderState) {
	t.Helper()
	changed := make(chan struct{}, 1)
	d.SetOnChange(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
	return func(what string, ok func(edge.ReaderState) bool) edge.ReaderState {
		t.Helper()
		late := time.After(30 * time.Second)
		for {
			if s := d.State(); ok(s) {
				return s
			}
			select {
			case <-changed:
			case <-late:
				t.Fatalf("waited for %s, the state is %+v", what, d.State())
			}
		}
	}
}

// arrived waits until CAPTURE has come, and over until the simulator is through
// with it.
func (r *testService) arrived(t *testing.T) {
	t.Helper()
	r.await(t, "CAPTURE to come", func() bool { return r.count("CAPTURE") > 0 })
}

func (r *testService) over(t *testing.T) {
	t.Helper()
	r.await(t, "CAPTURE to end", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.ended > 0
	})
}

func (r *testService) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

func is(status string) func(edge.ReaderState) bool {
	return func(s edge.ReaderState) bool { return s.Status == status }
}

// refused captures and wants a CaptureError.
func refused(t *testing.T, d *Reader) *edge.CaptureError {
	t.Helper()
	got, err := d.Capture(t.Context())
	return problem(t, got, err)
}

func problem(t *testing.T, got edge.Capture, err error) *edge.CaptureError {
	t.Helper()
	var p *edge.CaptureError
	if !errors.As(err, &p) {
		t.Fatalf("captured %+v, %v; want a *edge.CaptureError", got, err)
	}
	if !got.PidData.IsZero() {
		t.Error("an error came with PidData")
	}
	if p.Err == nil || p.Action == "" || p.Message == "" || p.Message != p.Error() {
		t.Errorf("incomplete: %+v", p)
	}
	return p
}
