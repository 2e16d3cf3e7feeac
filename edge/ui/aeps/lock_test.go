package aeps

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge/ui"
	"galla/edge/ui/uitest"
)

// pipes is an in-memory loopback listener, for virtual time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

var piped = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7200}

type pipe struct{ net.Conn }

func (pipe) LocalAddr() net.Addr { return piped }

// What package ui promises about its streams.
const (
	maxStreams   = 24
	maxAnonymous = 8
	streamBeat   = 30 * time.Second
)

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return pipe{c}, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return piped }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// inBubble runs a test whose server and clock are virtual.
func inBubble(t *testing.T, test func(t *testing.T, v *visitor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &visitor{f: newFake()}
		var err error
		if v.s, err = compose(v.f, testConfig()); err != nil {
			t.Fatal(err)
		}
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- v.s.Run(ctx, l) }()
		transport := &http.Transport{DialContext: l.dial}
		v.Client = uitest.NewClient(t, uitest.WithHostname("http://"+piped.String()), transport)
		test(t, v)
		transport.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		v.CheckNoSecrets()
	})
}

func typeRightPIN(v *visitor) {
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	v.Get("/", http.StatusOK)
}

func TestIdleLock(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		typeRightPIN(v)
		time.Sleep(ui.DefaultIdle - time.Second)
		v.Get("/", http.StatusOK) // activity
		time.Sleep(ui.DefaultIdle - time.Second)
		v.Post("/keep-alive", http.StatusNoContent) // typing is activity, too
		time.Sleep(ui.DefaultIdle - time.Second)
		v.Get("/?part=main", http.StatusOK) // a refresh is not
		v.Get("/?auto=1", http.StatusOK)
		time.Sleep(2 * time.Second)
		v.Get("/?part=main", http.StatusUnauthorized)
		v.Post("/keep-alive", http.StatusUnauthorized)
		if to := v.GetRedirect("/op/01a1fd9d-5dff-70af-bbe2-a29581a5d260?next=balance"); to != "/unlock?next=%2Fop%2F01a1fd9d-5dff-70af-bbe2-a29581a5d260%3Fnext%3Dbalance" {
			t.Errorf("a locked page leads to %s", to)
		}
	})
}

// TestLockedForm: a form that is sent after the lock starts nothing and leads back to the
// form.
func TestLockedForm(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		typeRightPIN(v)
		time.Sleep(ui.DefaultIdle)
		to := v.Post("/new/withdrawal", http.StatusSeeOther, "aadhaar", uitest.CustomerAadhaar, "customer", "X", "iin", "607094", "amount", "500", "consent", "yes")
		if to != "/unlock?next=%2Fnew%2Fwithdrawal" || v.f.begun() != 0 {
			t.Errorf("it led to %s, %d operations were begun", to, v.f.begun())
		}
		body := v.Get(to, http.StatusOK)
		uitest.Contains(t, body, `action="/unlock?next=%2fnew%2fwithdrawal"`)
		// A refusal that is loaded again, or read in another language, still knows the page.
		uitest.Contains(t, v.Post(to, http.StatusUnprocessableEntity, "pin", ""), `name="here" content="`+to+`"`)
		if to := v.Post(to, http.StatusSeeOther, "pin", rightPIN); to != "/new/withdrawal" {
			t.Errorf("after the PIN it leads to %s", to)
		}
		v.Get("/new/withdrawal", http.StatusOK)
	})
}

// stream returns events one by one.
func stream(v *visitor) (next func() string, end func()) {
	v.T.Helper()
	ctx, cancel := context.WithCancel(v.T.Context())
	reply, err := v.HTTP.Do(v.Request(http.MethodGet, "/events", nil).WithContext(ctx))
	if err != nil {
		v.T.Fatal(err)
	}
	if reply.StatusCode != 200 || reply.Header.Get("Content-Type") != "text/event-stream" {
		v.T.Fatalf("GET /events: HTTP %d, %s", reply.StatusCode, reply.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(reply.Body)
	next = func() string {
		for lines.Scan() {
			if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				return event
			}
		}
		return "end"
	}
	return next, func() { cancel(); _ = reply.Body.Close() }
}

func TestStream(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		typeRightPIN(v)
		next, end := stream(v)
		defer end()
		began := time.Now()
		if e := next(); e != "refresh" || time.Since(began) != 0 {
			t.Errorf("the stream begins with %q", e)
		}
		go func() {
			time.Sleep(time.Second)
			v.f.mu.Lock()
			v.f.notify()
			v.f.mu.Unlock()
		}()
		if e := next(); e != "refresh" || time.Since(began) != time.Second {
			t.Errorf("a ring came as %q after %s", e, time.Since(began))
		}
		looks := 0
		event := ""
		for event = next(); event == "refresh"; event = next() {
			looks++
		}
		// It outlives the server's timeouts, and ends with the lock.
		if event != "locked" || time.Since(began) != ui.DefaultIdle || looks != int(ui.DefaultIdle/streamBeat)-1 && looks != int(ui.DefaultIdle/streamBeat) {
			t.Errorf("it ended with %q after %s and %d looks", event, time.Since(began), looks)
		}
		if e := next(); e != "end" {
			t.Errorf("after the lock came %q", e)
		}
		if v.f.watching() != 0 {
			t.Error("a watch was left")
		}
	})
}

func TestLockEndsStreams(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		typeRightPIN(v)
		next, end := stream(v)
		defer end()
		next()
		if to := v.Post("/lock", http.StatusSeeOther); to != "/unlock" {
			t.Errorf("the lock leads to %s", to)
		}
		if e := next(); e != "locked" {
			t.Errorf("the other tab is told %q", e)
		}
		// The locked page gets events too: its bar must stay up to date.
		next, end = stream(v)
		defer end()
		if e := next(); e != "refresh" {
			t.Errorf("the unlock page is told %q", e)
		}
		uitest.Contains(t, v.Get("/unlock?part=main", http.StatusOK), "Online")
	})
}

// TestTooManyStreams: locked pages have their own slots, and use none of the unlocked
// ones.
func TestTooManyStreams(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		refused := func() {
			t.Helper()
			reply, _ := v.Do(v.Request(http.MethodGet, "/events", nil))
			if reply.StatusCode != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
				t.Errorf("HTTP %d", reply.StatusCode)
			}
		}
		for range maxAnonymous {
			_, end := stream(v)
			defer end()
		}
		refused()
		typeRightPIN(v)
		for range maxStreams {
			next, end := stream(v)
			defer end()
			if e := next(); e != "refresh" {
				t.Fatalf("an unlocked page is told %q", e)
			}
		}
		refused()
	})
}

func TestWrongPIN(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		v.Get("/unlock", http.StatusOK)
		for left := 4; left >= 1; left-- {
			page := v.Post("/unlock", http.StatusUnauthorized, "pin", "1111")
			want := fmt.Sprintf("Wrong PIN. %d tries left", left)
			if left == 1 {
				want = "Wrong PIN. 1 try left"
			}
			uitest.Contains(t, page, want)
		}
		reply, page := v.Do(v.Form("/unlock", "pin", "1111"))
		if reply.StatusCode != http.StatusTooManyRequests || reply.Header.Get("Retry-After") != "30" {
			t.Errorf("HTTP %d, Retry-After %q", reply.StatusCode, reply.Header.Get("Retry-After"))
		}
		uitest.Contains(t, page, "Try again in 30 s", `data-waits="{&#34;agent&#34;:30}"`)
		time.Sleep(10 * time.Second)
		uitest.Contains(t, v.Get("/unlock", http.StatusOK), "Try again in 20 s", `data-waits="{&#34;agent&#34;:20}"`) // a reload says so, too
		time.Sleep(20 * time.Second)
		uitest.NotContains(t, v.Get("/unlock", http.StatusOK), `class="said">Too many`, "data-waits")
		uitest.Contains(t, v.Post("/unlock", http.StatusTooManyRequests, "pin", "1111"), "Try again in 1 min")
		uitest.Contains(t, v.Post("/unlock", http.StatusUnprocessableEntity, "pin", ""), "4 to 12 digits")
		uitest.Contains(t, v.Post("/unlock", http.StatusUnprocessableEntity, "pin", strings.Repeat("1", 13)), "4 to 12 digits")
		if to := v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN, "next", "//evil.example"); to != "/" {
			t.Errorf("after the PIN it leads to %s", to)
		}
	})
}
