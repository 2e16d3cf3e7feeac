package uplink

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
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

func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Config)
		words string
	}{
		{"no address", func(c *Config) { c.URL = "" }, "no websocket address"},
		{"http", func(c *Config) { c.URL = "http://127.0.0.1/uplink" }, "no websocket address"},
		{"a password", func(c *Config) { c.URL = "wss://a:b@central/uplink" }, "no websocket address"},
		{"unencrypted", func(c *Config) { c.URL = "ws://central.example/uplink" }, "unencrypted"},
		{"no key", func(c *Config) { c.Key = nil }, "key is missing"},
		{"no terminal", func(c *Config) { c.TerminalID = "" }, "enrol"},
		{"no randomness", func(c *Config) { c.Rand = nil }, "randomness"},
		{"backoff", func(c *Config) { c.MinBackoff, c.MaxBackoff = time.Minute, time.Second }, "backoff"},
	}
	for _, tt := range tests {
		cfg := config()
		tt.spoil(&cfg)
		if _, err := New(cfg, &fakeReceiver{}); err == nil || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: New = %v, want %q", tt.name, err, tt.words)
		}
	}
	if _, err := New(config(), nil); err == nil {
		t.Error("a client without receiver was made")
	}
	for _, ok := range []func(*Config){
		func(c *Config) { c.URL, c.Plain = "ws://central.example/uplink", true },
		func(c *Config) { c.URL = "wss://central.example/uplink" },
		func(c *Config) { c.URL = "ws://localhost:7102/uplink" },
		func(c *Config) { c.URL = "ws://[::1]:7102/uplink" },
	} {
		cfg := config()
		ok(&cfg)
		if _, err := New(cfg, &fakeReceiver{}); err != nil {
			t.Errorf("New(%v) = %v", cfg, err)
		}
	}
}

func TestConfigDoesNotPrintItsKey(t *testing.T) {
	cfg := config()
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "config", cfg)
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s", cfg, cfg, cfg, cfg), b.String()} {
		if strings.Contains(s, "[") || strings.Contains(s, "0x") || !strings.Contains(s, terminalID) {
			t.Errorf("the configuration prints as %s", s)
		}
	}
}

// TestConversation is one line from hello to its end.
func TestConversation(t *testing.T) {
	id, unknown := newID(), newID()
	var afterEvent []string
	var seen, sent wire.Frame
	var left error
	ended := make(chan struct{})
	var c *fakeReceiver
	var changes atomic.Int64
	play(t, func(cfg *Config) { cfg.OnChange = func() { changes.Add(1) } }, func(t *testing.T, d *testServer) {
		c = d.counter
		c.cursor, c.ids = 7, []op.ID{unknown}
		d.script = append(d.script, d.serveScript(func(p *peer) {
			defer close(ended)
			h := p.want(wire.THello)
			if h.V != wire.Version || h.Terminal != terminalID || h.Version != "test" || h.Cursor != 7 ||
				len(h.Unresolved) != 1 || h.Unresolved[0] != unknown || h.Clock != time.Now().UnixMilli() {
				t.Errorf("hello %+v", h)
			}
			p.send(welcome(wire.OutcomeFrame(unknown, op.Outcome{State: op.Failed, HTTP: 200, Reply: []byte(`{}`)})))
			sent = p.want(wire.TOp)
			p.send(wire.Frame{T: wire.TAccepted, ID: id})
			p.send(wire.Frame{T: wire.TEvent, Cursor: 8, Kind: wire.EventBanks})
			seen = p.want(wire.TSeen)
			afterEvent = c.calls()
			left = p.rest()
		}))
	}, func(t *testing.T, _ *testServer, _ *fakeReceiver, l *Client) {
		until(t, "welcomed", func() bool { return l.State().Online })
		if s := l.State(); s.Offset != 0 || s.Window != 8 || s.Problem != "" {
			t.Errorf("when up: %+v", s)
		}
		if err := l.Send(wire.Frame{T: wire.TOp, ID: id, Route: op.Withdrawal, Body: []byte(`{"a":1}`)}); err != nil {
			t.Errorf("Send = %v", err)
		}
		if err := l.Send(wire.Frame{T: wire.TOp, Body: []byte(`{`)}); err == nil || errors.Is(err, edge.ErrOffline) {
			t.Errorf("Send of a frame that can't be written = %v", err)
		}
		until(t, "seen", func() bool { return len(c.calls()) == 4 })
	})
	<-ended
	if sent.ID != id || string(sent.Body) != `{"a":1}` || seen.Cursor != 8 {
		t.Errorf("sent %+v, seen %+v", sent, seen)
	}
	want := []string{"greet", "welcomed", "receive accepted", "receive event"}
	if !reflect.DeepEqual(afterEvent, want) {
		t.Errorf("when 'seen' came the counter had received %v", afterEvent)
	}
	if got := c.calls(); !reflect.DeepEqual(got, append(want, "lost")) {
		t.Errorf("the counter received %v", got)
	}
	if len(c.causes()) != 1 || !errors.Is(c.causes()[0], errStopped) {
		t.Errorf("lost for %v", c.causes())
	}
	var theirs *websocket.CloseError
	if !errors.As(left, &theirs) || theirs.Code != websocket.CloseGoingAway {
		t.Errorf("the central saw the end as %v", left)
	}
	l, err := New(config(), c)
	if err != nil {
		t.Fatal(err)
	}
	if s := l.State(); s.Online || s.Problem != edge.LinkConnecting || s.Since.IsZero() {
		t.Errorf("at first: %+v", s)
	}
	if err := l.Send(wire.Frame{T: wire.TAsk, ID: id}); !errors.Is(err, edge.ErrOffline) {
		t.Errorf("Send before the welcome = %v", err)
	}
	if n := changes.Load(); n != 2 {
		t.Errorf("%d changes were reported, want up and down", n)
	}
}

// TestOffset is measured to the middle of the round trip.
func TestOffset(t *testing.T) {
	const off = -3*time.Hour - 17*time.Minute
	play(t, func(c *Config) { c.Now = func() time.Time { return time.Now().Add(off) } }, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) {
			p.want(wire.THello)
			time.Sleep(time.Second)
			w := welcome()
			time.Sleep(time.Second)
			p.send(w)
			_ = p.rest()
		}))
	}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
		until(t, "welcomed", func() bool { return l.State().Online })
		if got := l.State().Offset; got != -off {
			t.Errorf("offset %v, want %v", got, -off)
		}
	})
}

// TestClockIsLearnt from the 401, and used at once, one time.
func TestClockIsLearnt(t *testing.T) {
	for _, off := range []time.Duration{5 * time.Hour, -26 * time.Hour, 40 * time.Second} {
		play(t, func(c *Config) { c.Now = func() time.Time { return time.Now().Add(off) } }, func(t *testing.T, d *testServer) {
			d.script = append(d.script, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
		}, func(t *testing.T, d *testServer, _ *fakeReceiver, l *Client) {
			until(t, "two attempts", func() bool { return len(d.gaps()) >= 1 })
			synctest.Wait()
			d.mu.Lock()
			for i, c := range d.tokens[:2] {
				ahead := c.IssuedAt.Add(tokenAge).Sub(d.attempts[i])
				if want := []time.Duration{off, 0}[i]; (ahead - want).Abs() > time.Second {
					t.Errorf("token %d is %v ahead, want %v", i+1, ahead, want)
				}
				if c.ExpiresAt.Sub(c.IssuedAt.Time) != tokenLife || len(c.ID) < 16 || c.Audience[0] != audience {
					t.Errorf("token %d: %+v", i+1, c)
				}
			}
			if d.tokens[0].ID == d.tokens[1].ID {
				t.Error("two tokens with one jti")
			}
			d.mu.Unlock()
			until(t, "three attempts", func() bool { return len(d.gaps()) >= 2 })
			if g := d.gaps(); g[0] != 0 || g[1] < 15*time.Second {
				t.Errorf("attempts came after %v; want at once, then slowly", g)
			}
			if s := l.State(); s.Problem != edge.LinkNotAccepted || s.Revoked {
				t.Errorf("state %+v", s)
			}
		})
	}
}

// TestClockThatWanders: a central whose Date is never the same does not make
// the counter knock at full speed.
func TestClockThatWanders(t *testing.T) {
	play(t, nil, func(t *testing.T, d *testServer) {
		n := 0
		d.script = append(d.script, func(w http.ResponseWriter, _ *http.Request) {
			n++
			w.Header().Set("Date", time.Now().Add(time.Duration(n)*time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(401)
		})
	}, func(t *testing.T, d *testServer, _ *fakeReceiver, _ *Client) {
		time.Sleep(10 * time.Minute)
		if n := d.attemptCount(); n > 2*10*60/15 || n < 20 {
			t.Errorf("%d attempts in ten minutes", n)
		}
	})
}

func TestBackoff(t *testing.T) {
	play(t, nil, func(t *testing.T, d *testServer) { d.dialErr = syscall.ECONNREFUSED }, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
		time.Sleep(2 * time.Hour)
		gaps := d.gaps()
		limit, sum := 500*time.Millisecond, time.Duration(0)
		early, late := 0, 0
		for i, g := range gaps {
			if g > limit {
				t.Errorf("attempt %d came after %v, more than %v", i+2, g, limit)
			}
			if limit *= 2; limit > shortBackoff {
				limit = min(max(shortBackoff, d.attempts[i+1].Sub(d.attempts[0])/backoffPart), 30*time.Second)
			}
			if at := d.attempts[i].Sub(d.attempts[0]); at > 4*time.Minute {
				sum += g
				late++
			} else if at < 30*time.Second {
				early++
			}
		}
		if early < 10 || early > 30 {
			t.Errorf("%d attempts in the first half-minute", early)
		}
		if mean := sum / time.Duration(late); mean < 12*time.Second || mean > 18*time.Second {
			t.Errorf("%d attempts, %v apart: full jitter would give 15 s", len(gaps), mean)
		}
		if s := l.State(); s.Problem != edge.LinkNoAnswer || s.Online || !s.Since.Equal(d.attempts[0]) {
			t.Errorf("state %+v", s)
		}
		if len(c.calls()) != 0 {
			t.Errorf("the counter received %v of a connection that never was", c.calls())
		}
	})
}

// TestBackoffStartsAnew after a connection that held, and does not after one that
// breaks right after its welcome.
func TestBackoffStartsAnew(t *testing.T) {
	for _, tt := range []struct {
		holds   time.Duration
		atLeast time.Duration // mean gap after many
		atMost  time.Duration
	}{{stableAfter, 0, 500 * time.Millisecond}, {0, 10 * time.Second, 20 * time.Second}} {
		play(t, nil, func(t *testing.T, d *testServer) {
			d.script = append(d.script, d.serveScript(func(p *peer) {
				p.greeted()
				time.Sleep(tt.holds)
			}))
		}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
			time.Sleep(time.Hour)
			gaps := d.gaps()[20:]
			sum := time.Duration(0)
			for _, g := range gaps {
				sum += g - tt.holds
			}
			if mean := sum / time.Duration(len(gaps)); mean < tt.atLeast || mean > tt.atMost {
				t.Errorf("a connection that holds %v: the next attempt comes after %v", tt.holds, mean)
			}
		})
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	for _, tt := range []struct {
		header   string
		turn     string // in milliseconds
		from, to time.Duration
	}{
		{"1", "250", 250 * time.Millisecond, 250*time.Millisecond + turnJitter},
		{"1", "99999999999", maxRetryAfter, maxRetryAfter + turnJitter},
		{"17", "-5", 17 * time.Second, 20 * time.Second},
		{"17", "", 17 * time.Second, 20 * time.Second},
		{"999999999999", "", maxRetryAfter, maxRetryAfter * 9 / 8},
		{"86400", "", maxRetryAfter, maxRetryAfter * 9 / 8},
		{"-5", "", 0, 30 * time.Second},
		{"Wed, 21 Oct 2026 07:28:00 GMT", "", 0, 30 * time.Second},
	} {
		play(t, nil, func(t *testing.T, d *testServer) {
			d.script = append(d.script, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", tt.header)
				w.Header().Set(wire.RetryAfterHeader, tt.turn)
				w.WriteHeader(503)
			})
		}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
			until(t, "one attempt", func() bool { return d.attemptCount() == 1 })
			l.Wake() // the central's word counts more
			until(t, "two attempts", func() bool { return len(d.gaps()) >= 1 })
			if g := d.gaps()[0]; g < tt.from || g > tt.to {
				t.Errorf("Retry-After %s: the next attempt came after %v", tt.header, g)
			}
			if s := l.State(); s.Problem != edge.LinkBusy {
				t.Errorf("state %+v", s)
			}
		})
	}
}

func TestRevoked(t *testing.T) {
	play(t, nil, func(t *testing.T, d *testServer) {
		gone := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(revokedHeader, "1")
			w.WriteHeader(401)
		}
		d.script = append(d.script,
			d.serveScript(func(p *peer) {
				p.greeted()
				p.close(wire.CloseRevoked, "this terminal was revoked")
			}),
			gone, gone,
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) },
			d.serveScript(func(p *peer) { p.greeted(); _ = p.rest() }))
	}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
		until(t, "revoked", func() bool { return l.State().Revoked })
		for range 4 {
			s, n := l.State(), len(d.gaps())
			if s.Online || !s.Revoked || s.Problem != edge.LinkRevoked {
				t.Errorf("state %+v", s)
			}
			l.Wake()
			until(t, "knocked", func() bool { return len(d.gaps()) > n })
			if g := d.gaps()[n]; g < 8*time.Minute || g > 10*time.Minute {
				t.Errorf("knocked after %v", g)
			}
		}
		until(t, "forgiven", func() bool { s := l.State(); return s.Online && !s.Revoked })
	})
}

func TestClosedByTheCentral(t *testing.T) {
	for _, tt := range []struct {
		code    int
		words   string
		problem edge.LinkProblem
		detail  string
		slow    bool
	}{
		{wire.CloseVersion, "the terminal speaks 1\n", edge.LinkVersion, "the terminal speaks 1 ", true},
		{wire.CloseReplaced, "x", edge.LinkReplaced, "", true},
		{wire.CloseProtocol, "no", edge.LinkRefused, "no", false},
		{websocket.CloseGoingAway, "", edge.LinkRestarting, "", false},
		{websocket.CloseTryAgainLater, "", edge.LinkSlow, "", false},
		{websocket.CloseNormalClosure, "", edge.LinkBroken, "", false},
	} {
		play(t, nil, func(t *testing.T, d *testServer) {
			d.script = append(d.script, d.serveScript(func(p *peer) {
				p.greeted()
				p.close(tt.code, tt.words)
			}))
		}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
			until(t, "closed", func() bool { return len(c.calls()) == 3 })
			if s := l.State(); s.Online || s.Problem != tt.problem || s.Detail != tt.detail || s.Revoked {
				t.Errorf("code %d: state %+v", tt.code, s)
			}
			until(t, "tried again", func() bool { return len(d.gaps()) > 0 })
			if g := d.gaps()[0]; (g >= 15*time.Second) != tt.slow {
				t.Errorf("code %d: tried again after %v", tt.code, g)
			}
		})
	}
}

func TestWake(t *testing.T) {
	t.Run("by hand", func(t *testing.T) {
		play(t, nil, func(t *testing.T, d *testServer) { d.dialErr = syscall.ENETUNREACH }, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
			time.Sleep(10 * time.Minute)
			for range 20 {
				synctest.Wait()
				n := d.attemptCount()
				l.Wake()
				synctest.Wait()
				if d.attemptCount() != n+1 {
					t.Fatalf("Wake made %d attempts", d.attemptCount()-n)
				}
				if s := l.State(); s.Problem != edge.LinkNoNetwork {
					t.Errorf("state %+v", s)
				}
			}
		})
	})
	t.Run("by a new address", func(t *testing.T) {
		var plugged atomic.Bool
		play(t, func(c *Config) {
			c.MinBackoff, c.MaxBackoff = time.Hour, time.Hour
			c.Addresses = func() ([]net.Addr, error) {
				if plugged.Load() {
					return []net.Addr{&net.IPNet{IP: net.IPv4(192, 0, 2, 1)}}, nil
				}
				return nil, nil
			}
		}, func(t *testing.T, d *testServer) { d.dialErr = syscall.ECONNREFUSED }, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
			synctest.Wait()
			n := d.attemptCount()
			plugged.Store(true)
			time.Sleep(addressPoll)
			synctest.Wait()
			if d.attemptCount() != n+1 {
				t.Errorf("%d attempts after the network came back", d.attemptCount()-n)
			}
		})
	})
}

// TestProbe: when the network changed, a connection must answer soon.
func TestProbe(t *testing.T) {
	for _, dead := range []bool{false, true} {
		play(t, nil, func(t *testing.T, d *testServer) {
			d.script = append(d.script, d.serveScript(func(p *peer) {
				p.greeted()
				if dead {
					p.ws.SetPingHandler(func(string) error { return nil })
				}
				_ = p.rest()
			}))
		}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
			until(t, "up", func() bool { return l.State().Online })
			l.Wake()
			time.Sleep(probeWait + time.Second)
			synctest.Wait()
			if n := d.attemptCount(); (n == 2) != dead || n > 2 {
				t.Errorf("dead %t: %d attempts", dead, n)
			}
			if len(c.causes()) > 0 && !errors.Is(c.causes()[0], errNoEcho) {
				t.Errorf("lost for %v", c.causes())
			}
		})
	}
}

// TestClockIsSet while online: the offset no longer holds, so nothing
// is sent with it.
func TestClockIsSet(t *testing.T) {
	var jump atomic.Int64
	play(t, func(c *Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }
	}, func(t *testing.T, d *testServer) {
		d.script = append(d.script, d.serveScript(func(p *peer) { p.greeted(); _ = p.rest() }))
	}, func(t *testing.T, d *testServer, c *fakeReceiver, l *Client) {
		until(t, "up", func() bool { return l.State().Online })
		jump.Store(int64(4 * time.Second))
		if !l.State().Online {
			t.Error("a clock that was slewed by 4 s cost the connection")
		}
		jump.Store(int64(time.Hour))
		if s := l.State(); s.Online || s.Problem != edge.LinkClockSet {
			t.Errorf("state %+v", s)
		}
		// Only a connection that has measured anew may be up already.
		if err := l.Send(wire.Frame{T: wire.TAsk, ID: newID()}); !errors.Is(err, edge.ErrOffline) && d.attemptCount() != 2 {
			t.Errorf("Send = %v", err)
		}
		until(t, "up again", func() bool { return l.State().Online })
		if s := l.State(); s.Offset != -time.Hour || d.attemptCount() != 2 {
			t.Errorf("state %+v after %d attempts", s, d.attemptCount())
		}
		jump.Store(0) // nobody looks at the state: the ping's tick notices
		time.Sleep(wsconn.PingEvery + time.Second)
		synctest.Wait()
		if s := l.State(); s.Offset != 0 || d.attemptCount() != 3 {
			t.Errorf("state %+v after %d attempts", s, d.attemptCount())
		}
	})
}
