package bank

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"galla/central"
	"galla/central/bank/network"
	"galla/shared/freeport"
	"galla/shared/money"
	"galla/shared/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	reference = "GL261121ABCDEFGHJK"
	resident  = "999941057058"
	// canary stands in every bad reply; no error may show it.
	canary = "canary-of-the-body"
)

func testKey() secret.Key { return secret.NewKey([]byte("a key of the test, 32 bytes long")) }

func aRequest(t testing.TB) central.BankRequest {
	t.Helper()
	a, err := secret.ParseAadhaar(resident)
	if err != nil {
		t.Fatal(err)
	}
	return central.BankRequest{
		Reference: reference, STAN: "000042", Kind: central.KindWithdrawal, MID: "GAL0000001", TID: "GAL00001", IIN: "990326",
		Amount: 500 * money.Rupee, Aadhaar: a, PidData: secret.NewPidData("<PidData/>"), Customer: "Shivshankar Choudhury",
		Latitude: "18.5204", Longitude: "73.8567", NotAfter: time.Now().Add(time.Minute),
	}
}

func newClient(t testing.TB, cfg Config) *Client {
	t.Helper()
	if cfg.BaseURL == "" {
		cfg.BaseURL = "http://bank.test:7301"
	}
	if cfg.Key.IsZero() {
		cfg.Key = testKey()
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// line is a TCP listener that lets each connection be played by hand.
type line struct {
	url      string
	accepted atomic.Int64
}

func listen(t *testing.T, play func(net.Conn)) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := &line{url: "http://" + l.Addr().String()}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			out.accepted.Add(1)
			conns.Go(func() {
				defer func() { _ = c.Close() }()
				play(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		conns.Wait()
	})
	return out
}

// readRequest reads one request and gives its body.
func readRequest(c net.Conn) []byte {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(r.Body)
	return b
}

// replying reads the request and writes the given bytes.
func replying(text string) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, text)
	}
}

// signed is a complete reply with the right checksum.
func signed(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\n\r\n%s", status, len(body),
		network.HeaderChecksum, network.ReplyChecksum(testKey(), status, reference, []byte(body)), body)
}

const approvedBody = `{"reference":"` + reference + `","status":"SUCCESS","code":"00","message":"SUCCESS","stan":"000042","rrn":"632512345678","authCode":"A1B2C3","balancePaise":2450000}`

func TestSendAndEnquire(t *testing.T) {
	var got network.Transaction
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get(network.HeaderChecksum) != network.RequestChecksum(testKey(), "POST", r.URL.Path, body) {
			t.Error("the request is not signed")
		}
		if r.URL.Path == network.PathTransactions {
			var err error
			if got, err = network.DecodeTransaction(body); err != nil {
				t.Error(err)
			}
		} else if e, err := network.DecodeEnquiry(body); err != nil || e.Reference != reference || r.URL.Path != network.PathEnquiries {
			t.Errorf("enquiry %v, %v at %s", e, err, r.URL.Path)
		}
		w.Header().Set(network.HeaderChecksum, network.ReplyChecksum(testKey(), 200, reference, []byte(approvedBody)))
		_, _ = io.WriteString(w, approvedBody)
	}))
	defer s.Close()
	c := newClient(t, Config{BaseURL: s.URL})
	req := aRequest(t)
	a, err := c.Send(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != central.BankApproved || a.Code != "00" || a.RRN != "632512345678" || a.AuthCode != "A1B2C3" || a.STAN != "000042" ||
		a.Balance == nil || *a.Balance != 24500*money.Rupee {
		t.Errorf("answer %+v", a)
	}
	if got.Reference != reference || got.Kind != network.Withdrawal || got.Amount != req.Amount || !got.Aadhaar.Equal(req.Aadhaar) ||
		got.PidData.Reveal() != "<PidData/>" || got.NotAfter.UnixMilli() != req.NotAfter.UnixMilli() || got.TID != req.TID {
		t.Errorf("the bank got %+v", got)
	}
	if a, err := c.Enquire(t.Context(), reference); err != nil || a.Status != central.BankApproved {
		t.Errorf("enquiry: %+v, %v", a, err)
	}
}

// TestEverythingAfterTheFirstByteIsPending plays a bank that got the request
// and answers badly. Each case must be a plain error, one connection, and an
// error text without the body.
func TestEverythingAfterTheFirstByteIsPending(t *testing.T) {
	good := signed(200, approvedBody)
	cases := map[string]func(net.Conn){
		"closes at once":           func(net.Conn) {},
		"closes after the request": replying(""),
		"half a status line":       replying("HTTP/1.1 2"),
		"half of the headers":      replying(good[:60]),
		"headers without the body": replying(good[:strings.Index(good, "\r\n\r\n")+4]),
		"half of the body":         replying(good[:len(good)-20]),
		"no HTTP":                  replying(canary + "\r\n\r\n"),
		"HTML":                     replying("HTTP/1.1 200 OK\r\n\r\n<html>" + canary + "</html>"),
		"right checksum, no JSON":  replying(signed(200, "{"+canary)),
		"an array":                 replying(signed(200, "["+approvedBody+"]")),
		"an unknown member":        replying(signed(200, strings.Replace(approvedBody, "{", `{"`+canary+`":1,`, 1))),
		"two statuses":             replying(signed(200, strings.Replace(approvedBody, "{", `{"status":"FAILED",`, 1))),
		"no checksum":              replying("HTTP/1.1 200 OK\r\nContent-Length: " + fmt.Sprint(len(approvedBody)) + "\r\n\r\n" + approvedBody),
		"wrong checksum":           replying(strings.Replace(good, "SUCCESS", "success", 1)),
		"two checksums":            replying(strings.Replace(good, network.HeaderChecksum, network.HeaderChecksum+": 00\r\n"+network.HeaderChecksum, 1)),
		"last byte altered":        replying(good[:len(good)-1] + " "),
		"another reference":        replying(signed(200, strings.Replace(approvedBody, "HJK", "HJM", 1))),
		"another STAN":             replying(signed(200, strings.Replace(approvedBody, "000042", "000043", 1))),
		"no STAN":                  replying(signed(200, strings.Replace(approvedBody, `"stan":"000042",`, "", 1))),
		"unknown status":           replying(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS"`, `"status":"DONE"`, 1))),
		"status of an enquiry":     replying(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS","code":"00"`, `"status":"NOT_FOUND","code":""`, 1))),
		"reversed":                 replying(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS","code":"00"`, `"status":"REVERSED","code":"22"`, 1))),
		"success without 00":       replying(signed(200, strings.Replace(approvedBody, `"code":"00"`, `"code":"51"`, 1))),
		"failed with 00":           replying(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS"`, `"status":"FAILED"`, 1))),
		"failed without a code":    replying(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS","code":"00"`, `"status":"FAILED","code":""`, 1))),
		"duplicate":                replying(signed(200, strings.Replace(approvedBody, `"status":"SUCCESS","code":"00"`, `"status":"FAILED","code":"94"`, 1))),
		"500":                      replying(signed(500, `{"error":"`+canary+`"}`)),
		"401":                      replying(signed(401, `{"error":"`+canary+`"}`)),
		"503":                      replying(signed(503, `{"error":"`+canary+`"}`)),
		"204":                      replying("HTTP/1.1 204 No Content\r\n\r\n"),
		"201 with the right body":  replying(signed(201, approvedBody)),
		"redirect":                 replying("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
		"100 and no more":          replying("HTTP/1.1 100 Continue\r\n\r\n"),
		"too large":                replying(signed(200, approvedBody+strings.Repeat(" ", network.MaxReply))),
		"endless body":             endless("HTTP/1.1 200 OK\r\n\r\n", canary),
		"endless header":           endless("HTTP/1.1 200 OK\r\nX: ", canary),
		"endless headers":          endless("HTTP/1.1 200 OK\r\n", "X: "+canary+"\r\n"),
		"endless chunks":           endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
		"endless chunk line":       endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1"),
		"reset": func(c net.Conn) {
			readRequest(c)
			_ = c.(*net.TCPConn).SetLinger(0)
		},
	}
	for name, play := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listen(t, play)
			c := newClient(t, Config{BaseURL: l.url})
			_, err := c.Send(t.Context(), aRequest(t))
			if err == nil {
				t.Fatal("the reply was believed")
			}
			if central.NotSent(err) {
				t.Errorf("marked as not sent, though the bank may have it: %v", err)
			}
			if s := err.Error(); strings.Contains(s, canary) || strings.Contains(s, resident) || strings.Contains(s, "PidData") {
				t.Errorf("the error shows what was exchanged: %s", s)
			}
			if n := l.accepted.Load(); n != 1 {
				t.Errorf("%d connections, want 1", n)
			}
			if (name == "duplicate") != errors.Is(err, ErrDuplicate) {
				t.Errorf("ErrDuplicate: %v", err)
			}
		})
	}
}

// endless writes the head and then the tail until nobody listens.
func endless(head, tail string) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		_, err := io.WriteString(c, head)
		for err == nil {
			_, err = io.WriteString(c, strings.Repeat(tail, 100))
		}
	}
}

// TestSilenceEndsWithTheContextOrTheTimeout: the bank got the request, or a
// part of it, and says nothing. Time is virtual.
func TestSilenceEndsWithTheContextOrTheTimeout(t *testing.T) {
	for name, play := range map[string]func(net.Conn){
		"silent":            func(c net.Conn) { readRequest(c) },
		"silent after half": replying("HTTP/1.1 200 OK\r\nContent-Le"),
		"does not read":     func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go func() {
						defer func() { _ = far.Close() }()
						play(far)
						<-t.Context().Done()
					}()
					return near, nil
				}
				c := newClient(t, Config{DialContext: dial})
				began := time.Now()
				if _, err := c.Send(t.Context(), aRequest(t)); !errors.Is(err, context.DeadlineExceeded) || central.NotSent(err) {
					t.Errorf("own time-out: %v", err)
				}
				if took := time.Since(began); took != defaultTimeout {
					t.Errorf("gave up after %s, want %s", took, defaultTimeout)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				began = time.Now()
				if _, err := c.Send(ctx, aRequest(t)); !errors.Is(err, context.DeadlineExceeded) || central.NotSent(err) {
					t.Errorf("context's deadline: %v", err)
				}
				if took := time.Since(began); took != 3*time.Second {
					t.Errorf("gave up after %s, want 3s", took)
				}
				if _, err := c.Enquire(t.Context(), reference); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("enquiry: %v", err)
				}
			})
		})
	}
}

// TestNotSent lists every way in which no byte of the request is written.
func TestNotSent(t *testing.T) {
	closed := listen(t, func(net.Conn) {})
	refusing := freeport.For(t)
	dialFails := func(context.Context, string, string) (net.Conn, error) { return nil, syscall.EHOSTUNREACH }
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	tests := map[string]struct {
		ctx    context.Context
		cfg    Config
		change func(*central.BankRequest)
		want   error
	}{
		"connection refused":    {cfg: Config{BaseURL: "http://" + refusing}, want: syscall.ECONNREFUSED},
		"no route":              {cfg: Config{DialContext: dialFails}, want: syscall.EHOSTUNREACH},
		"dial takes too long":   {cfg: Config{DialContext: dialHangs, Timeout: time.Millisecond}, want: context.DeadlineExceeded},
		"context ended before":  {ctx: ended, cfg: Config{BaseURL: closed.url}, want: context.Canceled},
		"write takes nothing":   {cfg: Config{DialContext: dialTo(&brokenConn{takes: 0})}, want: os.ErrClosed},
		"TLS handshake fails":   {cfg: Config{BaseURL: strings.Replace(closed.url, "http:", "https:", 1)}, want: errConnect},
		"deadline has passed":   {cfg: Config{BaseURL: closed.url}, change: func(r *central.BankRequest) { r.NotAfter = time.Now().Add(-time.Millisecond) }},
		"no deadline":           {cfg: Config{BaseURL: closed.url}, change: func(r *central.BankRequest) { r.NotAfter = time.Time{} }},
		"no Aadhaar number":     {cfg: Config{BaseURL: closed.url}, change: func(r *central.BankRequest) { r.Aadhaar = secret.Aadhaar{} }},
		"a name not in UTF-8":   {cfg: Config{BaseURL: closed.url}, change: func(r *central.BankRequest) { r.Customer = "\xff" }},
		"a reference with a LF": {cfg: Config{BaseURL: closed.url}, change: func(r *central.BankRequest) { r.Reference = "A\nB" }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			req := aRequest(t)
			if tt.change != nil {
				tt.change(&req)
			}
			_, err := newClient(t, tt.cfg).Send(tt.ctx, req)
			if err == nil || !central.NotSent(err) {
				t.Fatalf("error %v, want one that is marked as not sent", err)
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if strings.Contains(err.Error(), resident) {
				t.Errorf("the error shows the Aadhaar number: %v", err)
			}
		})
	}
	if _, err := newClient(t, Config{BaseURL: closed.url}).Enquire(t.Context(), "a b"); err == nil {
		t.Error("an enquiry for no reference was sent")
	}
}

func dialHangs(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func dialTo(c net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return c, nil }
}

// brokenConn takes some bytes of the first write and then fails.
type brokenConn struct {
	net.Conn
	takes int
}

func (c *brokenConn) Write(p []byte) (int, error)     { return min(c.takes, len(p)), os.ErrClosed }
func (c *brokenConn) Read([]byte) (int, error)        { return 0, io.EOF }
func (c *brokenConn) Close() error                    { return nil }
func (c *brokenConn) SetDeadline(_ time.Time) error   { return nil }
func (c *brokenConn) SetReadDeadline(time.Time) error { return nil }

func TestOneByteWrittenIsSent(t *testing.T) {
	for _, n := range []int{1, 100, 1 << 20} {
		_, err := newClient(t, Config{DialContext: dialTo(&brokenConn{takes: n})}).Send(t.Context(), aRequest(t))
		if err == nil || central.NotSent(err) {
			t.Errorf("%d bytes taken: %v, want an error that is pending", n, err)
		}
	}
}

// TestAllConnectionsInUse: an exchange that finds no place waits unsent.
func TestAllConnectionsInUse(t *testing.T) {
	arrived := make(chan struct{})
	l := listen(t, func(c net.Conn) {
		readRequest(c)
		close(arrived)
		_, _ = io.Copy(io.Discard, c)
	})
	c := newClient(t, Config{BaseURL: l.url, MaxConnections: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() { _, _ = c.Send(ctx, aRequest(t)) })
	<-arrived
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := c.Send(short, aRequest(t)); !central.NotSent(err) || !errors.Is(err, errBusy) {
		t.Errorf("error %v, want not sent for want of a place", err)
	}
	cancel()
	first.Wait()
	if l.accepted.Load() != 1 {
		t.Error("the second exchange connected")
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set(network.HeaderChecksum, network.ReplyChecksum(testKey(), 200, reference, []byte(approvedBody)))
		_, _ = io.WriteString(w, approvedBody)
	}))
	defer s.Close()
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c := newClient(t, Config{BaseURL: s.URL, TLS: &tls.Config{RootCAs: roots}})
	if a, err := c.Send(t.Context(), aRequest(t)); err != nil || a.Status != central.BankApproved {
		t.Errorf("%+v, %v", a, err)
	}
	c = newClient(t, Config{BaseURL: s.URL})
	if _, err := c.Send(t.Context(), aRequest(t)); !central.NotSent(err) {
		t.Errorf("a certificate that nobody vouches for: %v, want not sent", err)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := New(Config{BaseURL: "ftp://x/y", Timeout: -1, MaxConnections: -1})
	for _, want := range []string{"BaseURL", "Key", "Timeout", "MaxConnections", "Logger"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
	for url, ok := range map[string]bool{
		"http://127.0.0.1:7301": true, "http://127.0.0.1:7301/": true, "https://bank.example": true,
		"": false, "127.0.0.1:7301": false, "http://": false, "http://h/path": false, "http://h?q": false, "http://u:p@h": false,
	} {
		if _, err := New(Config{BaseURL: url, Key: testKey(), Logger: slog.New(slog.DiscardHandler)}); (err == nil) != ok {
			t.Errorf("BaseURL %q: %v", url, err)
		}
	}
}

// FuzzReply gives any bytes as a reply: only one with the right checksum may
// be believed, and nothing may hang, panic or count as not sent.
func FuzzReply(f *testing.F) {
	f.Add([]byte(signed(200, approvedBody)))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.0 301\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				readRequest(far)
				_, _ = far.Write(data)
				_ = far.Close()
			}()
			return near, nil
		}
		c := newClient(t, Config{DialContext: dial, Timeout: 10 * time.Second})
		a, err := c.Send(context.Background(), aRequest(t))
		switch {
		case err != nil && (central.NotSent(err) || errors.Is(err, context.DeadlineExceeded)):
			t.Fatalf("error %v", err)
		case err == nil && !bytes.Contains(data, []byte(approvedBody)):
			t.Fatalf("believed %q: %+v", data, a)
		}
	})
}
