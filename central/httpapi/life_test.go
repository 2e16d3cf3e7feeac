package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/central"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps one clock for the whole process, and a stopped server's
		// cleaner sleeps out its last ten seconds.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

func TestCallsUnderWayFinishAtShutdown(t *testing.T) {
	h := startServer(t, nil)
	h.executor.hold = make(chan struct{})
	bearer := h.merchantToken(t)
	first := make(chan answer)
	go func() { first <- h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer) }()
	<-h.executor.began
	h.stop()
	for refused := false; !refused; { // newcomers are turned away at once
		c, err := net.Dial("tcp", h.addr)
		if refused = err != nil; !refused {
			_ = c.Close()
		}
	}
	select {
	case err := <-h.ended:
		t.Fatalf("Run ended under a call: %v", err)
	default:
	}
	close(h.executor.hold)
	a := expect(t, <-first, 200, "00")
	if a.text("message") != "Transaction successful" {
		t.Errorf("reply is %s", a.body)
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
	h.ended <- nil
}

// TestShutdownDoesNotWaitForEver: a call that does not end is answered as
// pending, and silent connections are cut.
func TestShutdownDoesNotWaitForEver(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.Drain = 300 * time.Millisecond })
	h.executor.hold = make(chan struct{})
	bearer := h.merchantToken(t)
	silent, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	go func() {
		res, err := h.client.Do(must(http.NewRequest("POST", "http://"+h.addr+"/aeps/withdrawal", strings.NewReader(money))))
		if err == nil {
			_ = res.Body.Close()
		}
	}()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, _ = io.WriteString(c, request("POST /aeps/withdrawal HTTP/1.1", []string{"Authorization: " + bearer, fmt.Sprintf("Content-Length: %d", len(money))}, money))
	<-h.executor.began
	h.stop()
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
	h.ended <- nil
	if !strings.Contains(h.log.String(), "connections are closed") {
		t.Errorf("the log does not report it: %s", h.log)
	}
}

func must(r *http.Request, err error) *http.Request {
	if err != nil {
		panic(err)
	}
	return r
}

func TestRunEndsAtOnceWhenItHasNotBegun(t *testing.T) {
	for range 20 {
		d, err := New(&faulty{}, newFakeDirectory(), newFakeDirectory(), testConfig(io.Discard))
		if err != nil {
			t.Fatal(err)
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		stop()
		if err := d.Run(ctx, ln); err != nil {
			t.Fatal(err)
		}
	}
}

// scriptedListener is a listener with a scripted Accept.
type scriptedListener struct {
	net.Listener
	answers []error
}

func (s *scriptedListener) Accept() (net.Conn, error) {
	if len(s.answers) == 0 {
		return s.Listener.Accept()
	}
	err := s.answers[0]
	s.answers = s.answers[1:]
	return nil, err
}

func TestAcceptErrors(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	passing := &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	broken := errors.New("the network card is gone")
	d, err := New(&faulty{}, newFakeDirectory(), newFakeDirectory(), testConfig(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(context.Background(), &scriptedListener{inner, []error{passing, broken}}); !errors.Is(err, broken) {
		t.Errorf("Run: %v", err)
	}
}

func TestListenerBoundsConnections(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.MaxConns = 1 })
	first, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	one := request("GET /.well-known/jwks.json HTTP/1.1", []string{"A: b"}, "")
	_, _ = io.WriteString(first, one)
	if res, err := http.ReadResponse(bufio.NewReader(first), nil); err != nil || res.StatusCode != 200 {
		t.Fatalf("%v %v", res, err)
	}
	second, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	_, _ = io.WriteString(second, one)
	_ = second.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := second.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a second connection is served: %v", err)
	}
	_ = first.Close()
	_ = second.SetReadDeadline(time.Now().Add(20 * time.Second))
	if res, err := http.ReadResponse(bufio.NewReader(second), nil); err != nil || res.StatusCode != 200 {
		t.Errorf("the second connection is not served when its turn comes: %v", err)
	}
}

func TestConfigReportsAllFaults(t *testing.T) {
	_, err := New(nil, nil, nil, Config{TokenLife: time.Millisecond})
	if err == nil {
		t.Fatal("an empty configuration was accepted")
	}
	for _, part := range []string{"issuer and audience", "randomness, a logger and shared rates", "above zero"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not name %q: %v", part, err)
		}
	}
	cfg := testConfig(io.Discard)
	cfg.Keys = nil
	if _, err := New(nil, nil, nil, cfg); err == nil || !strings.Contains(err.Error(), "signing key") {
		t.Errorf("without keys: %v", err)
	}
	cfg = testConfig(io.Discard)
	cfg.Rand = strings.NewReader("")
	if _, err := New(nil, nil, nil, cfg); err == nil {
		t.Error("without randomness")
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"203.0.113.9": "network:203.0.113.9", "::ffff:203.0.113.9": "network:203.0.113.9", "2001:db8:1:2:3:4:5:6": "network:2001:db8:1:2::",
	} {
		if got := networkName(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
