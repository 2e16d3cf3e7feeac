package uplink

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

func TestPingsAndSilence(t *testing.T) {
	var mute atomic.Bool
	var pings atomic.Int64
	play(t, nil, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.greeted()
			pong := p.ws.PingHandler()
			p.ws.SetPingHandler(func(s string) error {
				pings.Add(1)
				if mute.Load() {
					return nil
				}
				return pong(s)
			})
			_ = p.rest()
		}))
	}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		time.Sleep(10*time.Minute + time.Second)
		if n := pings.Load(); n != 30 || d.attemptCount() != 1 {
			t.Errorf("%d pings and %d connections in ten minutes", n, d.attemptCount())
		}
		mute.Store(true)
		begun := time.Now()
		until(t, "lost", func() bool { return len(c.causes()) == 1 })
		if d := time.Since(begun); d < 30*time.Second || d > wsconn.Silence+leaveWait || !errors.Is(c.causes()[0], wsconn.ErrSilent) {
			t.Errorf("lost after %v for %v", d, c.causes()[0])
		}
	})
}

func TestPingsAreAnswered(t *testing.T) {
	var pongs chan string
	play(t, nil, func(t *testing.T, d *testServer) {
		pongs = make(chan string, 10) // of the bubble
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.ws.SetPongHandler(func(s string) error {
				if s != "" { // not the answer of the counter's own
					select {
					case pongs <- s:
					default:
					}
				}
				return nil
			})
			p.greeted()
			go func() {
				for _, s := range []string{"a", "b", "c"} {
					_ = p.ws.WriteControl(websocket.PingMessage, []byte(s), time.Now().Add(time.Second))
				}
			}()
			_ = p.rest()
		}))
	}, func(t *testing.T, _ *testServer, _ *fakeReceiver, l *Client) {
		until(t, "a pong for the latest", func() bool {
			for len(pongs) > 0 {
				if <-pongs == "c" {
					return true
				}
			}
			return false
		})
	})
}

// TestSlowFrameIsNoSilence, in both directions.
func TestSlowFrameIsNoSilence(t *testing.T) {
	big := []byte(`"` + strings.Repeat("x", 60<<10) + `"`)
	var got chan int
	play(t, nil, func(t *testing.T, d *testServer) {
		got = make(chan int, 1) // of the bubble
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.greeted()
			var writers sync.WaitGroup
			defer writers.Wait()
			writers.Go(func() {
				for p.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) == nil {
					time.Sleep(wsconn.PingEvery)
				}
			})
			_, r, err := p.ws.NextReader()
			if err != nil {
				t.Error(err)
				return
			}
			n, part := 0, make([]byte, 8<<10)
			for err == nil {
				var m int
				time.Sleep(5 * time.Second)
				m, err = r.Read(part)
				n += m
			}
			got <- n
			data, _ := wire.Encode(wire.OutcomeFrame(newID(), op.Outcome{State: op.Succeeded, HTTP: 200, Reply: big}))
			writers.Go(func() {
				w, _ := p.ws.NextWriter(websocket.TextMessage)
				for chunk := range slices.Chunk(data, 8<<10) {
					time.Sleep(15 * time.Second)
					_, _ = w.Write(chunk)
				}
				_ = w.Close()
			})
			_ = p.rest()
		}))
	}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		if err := l.Send(wire.Frame{T: wire.TOp, ID: newID(), Route: op.Withdrawal, Body: big}); err != nil {
			t.Fatal(err)
		}
		if n := <-got; n < len(big) {
			t.Errorf("the central got %d bytes of %d", n, len(big))
		}
		until(t, "the outcome", func() bool { return len(c.applied()) == 1 })
		if len(c.applied()[0].Reply) != len(big) || len(c.causes()) != 0 {
			t.Errorf("reply of %d bytes, lost for %v", len(c.applied()[0].Reply), c.causes())
		}
	})
}

// TestFrameThatNeverEnds, and one that nobody takes.
func TestFrameThatNeverEnds(t *testing.T) {
	play(t, nil, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.greeted()
			w, _ := p.ws.NextWriter(websocket.TextMessage)
			for range 100 {
				if _, err := w.Write(make([]byte, 5000)); err != nil {
					return
				}
				time.Sleep(40 * time.Second)
			}
		}))
	}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		begun := time.Now()
		until(t, "lost", func() bool { return len(c.causes()) == 1 })
		if d := time.Since(begun); d > wsconn.FrameWait+wsconn.Silence {
			t.Errorf("lost after %v", d)
		}
	})
}

// TestCentralThatDoesNotRead: Send does not wait for long, the connection is ended, and
// what was sent before may or may not have arrived.
func TestCentralThatDoesNotRead(t *testing.T) {
	play(t, nil, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) { p.greeted(); <-d.closed }))
	}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		given := 0
		for {
			begun := time.Now()
			err := l.Send(wire.Frame{T: wire.TAsk, ID: newID()})
			if d := time.Since(begun); d > sendWait {
				t.Errorf("Send took %v", d)
			}
			if err != nil {
				if !errors.Is(err, edge.ErrOffline) {
					t.Errorf("Send = %v", err)
				}
				break
			}
			given++
		}
		if given < queued || given > queued+2 {
			t.Errorf("%d frames were given to a connection that nobody reads", given)
		}
		until(t, "lost", func() bool { return len(c.causes()) == 1 })
		if s := l.State(); s.Problem != edge.LinkSlow || !errors.Is(c.causes()[0], errNoRoom) {
			t.Errorf("state %+v, lost for %v", s, c.causes()[0])
		}
	})
}

// TestSendBeforeLost: a Send that returned nil did so before Lost was called.
// What the counter wrote down as given is then there to be marked unknown.
func TestSendBeforeLost(t *testing.T) {
	var given, late atomic.Int64
	var lostAt atomic.Bool
	play(t, func(c *Config) { c.MinBackoff, c.MaxBackoff = time.Hour, time.Hour }, func(t *testing.T, d *testServer) {
		d.counter.onCall = func(call string) {
			if call == "lost" {
				lostAt.Store(true)
			}
		}
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.greeted()
			for range 50 {
				_, _ = p.next()
			}
		}))
	}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		var senders sync.WaitGroup
		for range 8 {
			senders.Go(func() {
				for {
					if l.Send(wire.Frame{T: wire.TAsk, ID: newID()}) != nil {
						return
					}
					given.Add(1)
					if lostAt.Load() && !errors.Is(l.Send(wire.Frame{T: wire.TAsk, ID: newID()}), edge.ErrOffline) {
						late.Add(1)
					}
				}
			})
		}
		senders.Wait()
		if given.Load() < 50 || late.Load() != 0 {
			t.Errorf("%d given, %d of them after Lost", given.Load(), late.Load())
		}
	})
}

func TestReceiverThatFails(t *testing.T) {
	for _, call := range []string{"greet", "welcomed", "receive event"} {
		for _, panics := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, panics %t", call, panics), func(t *testing.T) {
				var failures atomic.Int64
				var seen chan wire.Frame
				play(t, nil, func(t *testing.T, d *testServer) {
					seen = make(chan wire.Frame, 10) // of the bubble
					d.counter.fault = func(name string) error {
						if name != call || failures.Add(1) > 3 {
							return nil
						}
						if panics {
							panic("disk")
						}
						return errors.New("disk full")
					}
					d.script = append(d.script, d.serveScript(func(p *peer) {
						if f, err := p.next(); err != nil || f.T != wire.THello {
							return // it could not even greet
						}
						p.send(welcome())
						p.send(wire.Frame{T: wire.TEvent, Cursor: 5, Kind: wire.EventBanks})
						for {
							f, err := p.next()
							if err != nil {
								return
							}
							seen <- f
						}
					}))
				}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
					until(t, "a failure", func() bool { return failures.Load() == 1 })
					if s := l.State(); s.Online || s.Problem != edge.LinkNotApplied {
						t.Errorf("state %+v", s)
					}
					until(t, "seen", func() bool { return len(seen) > 0 })
					if f := <-seen; f.T != wire.TSeen || f.Cursor != 5 || d.attemptCount() != 4 || len(seen) != 0 {
						t.Errorf("%v after %d attempts", f, d.attemptCount())
					}
				})
			})
		}
	}
}

// TestNonsenseEndsTheConnection, and the counter hears nothing of it.
func TestNonsenseEndsTheConnection(t *testing.T) {
	id := string(newID())
	tests := []struct {
		name, first, text string
		code              int
	}{
		{"an op", "", `{"t":"op","id":"` + id + `","route":"x","body":{}}`, websocket.CloseProtocolError},
		{"a second welcome", "", `{"t":"welcome","clock":1,"window":1}`, websocket.CloseProtocolError},
		{"no JSON", "", `{`, websocket.CloseProtocolError},
		{"an event without cursor", "", `{"t":"event","kind":"banks"}`, websocket.CloseProtocolError},
		{"too large", "", `{"pad":"` + strings.Repeat("x", wire.MaxFrame) + `"}`, websocket.CloseMessageTooBig},
		{"an event before the welcome", `{"t":"event","cursor":1,"kind":"banks"}`, "", websocket.CloseProtocolError},
		{"a hello", `{"t":"hello","v":1,"terminal":"x"}`, "", websocket.CloseProtocolError},
		{"a welcome without window", `{"t":"welcome","clock":1}`, "", websocket.CloseProtocolError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ended chan error
			play(t, nil, func(t *testing.T, d *testServer) {
				ended = make(chan error, 100) // of the bubble
				d.script = append(d.script, d.serveScript(func(p *peer) {
					p.want(wire.THello)
					if tt.first == "" {
						p.send(welcome())
					}
					go p.text(tt.first + tt.text)
					ended <- p.rest()
				}))
			}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
				var left *websocket.CloseError
				if err := <-ended; !errors.As(err, &left) || left.Code != tt.code {
					t.Errorf("the central saw the end as %v", err)
				}
				synctest.Wait()
				if s := l.State(); s.Online || s.Problem != edge.LinkProtocol || len(c.applied()) != 0 {
					t.Errorf("state %+v, %d frames", s, len(c.applied()))
				}
				if got := slices.Contains(c.calls(), "lost"); got != (tt.first == "") {
					t.Errorf("received %v", c.calls())
				}
			})
		})
	}
}

func TestNoWelcome(t *testing.T) {
	play(t, nil, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) {
			_ = p.rest()
		}))
	}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
		time.Sleep(welcomeWait + 2*time.Second)
		synctest.Wait()
		if s := l.State(); s.Problem != edge.LinkNoAnswer || d.attemptCount() < 2 {
			t.Errorf("state %+v after %d attempts", s, d.attemptCount())
		}
	})
}

// TestCentralThatHangs in the handshake costs dialWait, and the end of the
// program nothing.
func TestCentralThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		var dials atomic.Int64
		cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			dials.Add(1)
			go func() { // takes what comes and says nothing
				_, _ = there.Read(make([]byte, 4096))
				_, _ = there.Read(make([]byte, 4096))
			}()
			return here, nil
		}
		l, err := New(cfg, &fakeReceiver{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		time.Sleep(dialWait - time.Second)
		if dials.Load() != 1 {
			t.Errorf("%d attempts", dials.Load())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if dials.Load() != 2 || l.State().Problem != edge.LinkNoAnswer {
			t.Errorf("%d attempts, %+v", dials.Load(), l.State())
		}
		begun := time.Now()
		stop()
		if err := <-ended; err != nil || time.Since(begun) != 0 {
			t.Errorf("Run = %v after %v", err, time.Since(begun))
		}
	})
}

// TestOverTLS is the real thing over TCP: a certificate that is not trusted
// gets its own words, one that is connects.
func TestOverTLS(t *testing.T) {
	d := &testServer{t: t}
	d.script = append(d.script, d.serveScript(func(p *peer) { p.greeted(); _ = p.rest() }))
	web := httptest.NewTLSServer(d)
	defer web.Close()
	web.Config.ErrorLog = nil
	roots := x509.NewCertPool()
	for _, trusted := range []bool{false, true} {
		cfg := config()
		cfg.URL = "wss" + strings.TrimPrefix(web.URL, "https") + "/uplink"
		cfg.TLS = &tls.Config{RootCAs: roots}
		changed := make(chan struct{}, 100)
		cfg.OnChange = func() { changed <- struct{}{} }
		l, err := New(cfg, &fakeReceiver{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		<-changed
		if s := l.State(); s.Online != trusted || (!trusted && s.Problem != edge.LinkCertificate) {
			t.Errorf("trusted %t: state %+v", trusted, s)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		roots.AddCert(web.Certificate())
	}
}

func TestWordsForAttempts(t *testing.T) {
	none := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(127, 0, 0, 1)}, &net.IPNet{IP: net.ParseIP("fe80::1")}}, nil
	}
	some := func() ([]net.Addr, error) { return []net.Addr{&net.IPNet{IP: net.IPv4(10, 0, 0, 1)}}, nil }
	unknown := func() ([]net.Addr, error) { return nil, errors.New("no") }
	for _, tt := range []struct {
		err       error
		addresses func() ([]net.Addr, error)
		want      edge.LinkProblem
	}{
		{&net.OpError{Op: "dial", Err: &os.SyscallError{Err: syscall.ECONNREFUSED}}, none, edge.LinkNoAnswer},
		{&net.OpError{Op: "dial", Err: &os.SyscallError{Err: syscall.ENETUNREACH}}, some, edge.LinkNoNetwork},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "central"}}, some, edge.LinkNoNetwork},
		{context.DeadlineExceeded, none, edge.LinkNoNetwork},
		{context.DeadlineExceeded, some, edge.LinkNoAnswer},
		{os.ErrDeadlineExceeded, unknown, edge.LinkNoAnswer},
		{&url.Error{Op: "x", Err: x509.CertificateInvalidError{}}, some, edge.LinkCertificate},
		{errors.New("unexpected EOF"), some, edge.LinkNoAnswer},
	} {
		c := &Client{cfg: Config{Addresses: tt.addresses}}
		if got := c.failureFromDial(tt.err).problem; got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
	for status, want := range map[int]edge.LinkProblem{404: edge.LinkWrongAddress, 403: edge.LinkWrongAddress, 502: edge.LinkNoAnswer, 302: edge.LinkNoAnswer, 429: edge.LinkBusy} {
		c := &Client{cfg: config()}
		if got := c.failureFromStatus(&http.Response{StatusCode: status, Header: http.Header{}}, time.Now()).problem; got != want {
			t.Errorf("HTTP %d: %q, want %q", status, got, want)
		}
	}
}

// FuzzCentral plays whatever a central could say after its welcome, one message
// a line. The counter may take it or end the connection; it must not panic, and it
// takes frames of its protocol only.
func FuzzCentral(f *testing.F) {
	id := string(newID())
	for _, seed := range []string{
		`{"t":"accepted","id":"` + id + `"}` + "\n" + `{"t":"outcome","id":"` + id + `","state":"pending","http":200,"reply":{}}`,
		`{"t":"event","cursor":3,"kind":"outcome","id":"` + id + `","state":"failed","http":200,"reply":[]}`,
		`{"t":"event","cursor":9223372036854775807,"kind":"x"}`, `{"t":"unseen","id":"` + id + `"}`,
		`{"t":"welcome","clock":1,"window":1}`, `{"t":"op"}`, "", "\n", "\xff", `{"t":"event","cursor":-1,"kind":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		play(t, func(c *Config) { c.MinBackoff, c.MaxBackoff = time.Hour, time.Hour }, func(t *testing.T, d *testServer) {
			d.script = append(d.script, d.serveScript(func(p *peer) {
				p.greeted()
				var writer sync.WaitGroup
				writer.Go(func() {
					for _, text := range strings.Split(string(data), "\n") {
						p.text(text)
					}
					_ = p.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
				})
				_ = p.rest()
				_ = p.ws.Close()
				writer.Wait()
			}))
		}, func(t *testing.T, _ *testServer, c *fakeReceiver, l *Client) {
			until(t, "lost", func() bool { return len(c.calls()) > 0 && slices.Contains(c.calls(), "lost") })
			for _, f := range c.applied() {
				if !slices.Contains([]wire.Type{wire.TAccepted, wire.TOutcome, wire.TUnseen, wire.TEvent}, f.T) {
					t.Errorf("the counter was given %v", f)
				}
			}
		})
	})
}
