package screen

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a loopback listener in memory, for virtual time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

var piped = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7200}

type pipe struct{ net.Conn }

func (pipe) LocalAddr() net.Addr { return piped }

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

// inBubble runs a test with a visitor whose server and clock are virtual.
func inBubble(t *testing.T, test func(t *testing.T, v *visitor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		v := &visitor{t: t, f: newFake(), seen: &ledger{}, base: "http://" + piped.String()}
		var err error
		if v.s, err = New(v.f, testConfig()); err != nil {
			t.Fatal(err)
		}
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- v.s.Run(ctx, l) }()
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		transport := &http.Transport{DialContext: l.dial}
		v.http = &http.Client{Jar: jar, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		test(t, v)
		transport.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		v.search()
	})
}

func giveRightPIN(v *visitor) {
	v.get("/unlock", http.StatusOK)
	v.post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	v.get("/", http.StatusOK)
}

func TestIdleLock(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		giveRightPIN(v)
		time.Sleep(defaultIdle - time.Second)
		v.get("/", http.StatusOK) // a touch
		time.Sleep(defaultIdle - time.Second)
		v.post("/awake", http.StatusNoContent) // typing is one, too
		time.Sleep(defaultIdle - time.Second)
		v.get("/?part=main", http.StatusOK) // a page that looks by itself is none
		v.get("/?auto=1", http.StatusOK)
		time.Sleep(2 * time.Second)
		v.get("/?part=main", http.StatusUnauthorized)
		v.post("/awake", http.StatusUnauthorized)
		if to := v.leads("/op/01a1fd9d-5dff-70af-bbe2-a29581a5d260?next=balance"); to != "/unlock?next=%2Fop%2F01a1fd9d-5dff-70af-bbe2-a29581a5d260%3Fnext%3Dbalance" {
			t.Errorf("a locked page leads to %s", to)
		}
	})
}

// TestLockedForm: a form that is sent after the lock begins nothing and leads
// back to the form.
func TestLockedForm(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		giveRightPIN(v)
		time.Sleep(defaultIdle)
		to := v.post("/new/withdrawal", http.StatusSeeOther, "aadhaar", customerAadhaar, "customer", "X", "iin", "607094", "amount", "500", "consent", "yes")
		if to != "/unlock?next=%2Fnew%2Fwithdrawal" || v.f.begun() != 0 {
			t.Errorf("it led to %s, %d operations were begun", to, v.f.begun())
		}
		body := v.get(to, http.StatusOK)
		has(t, body, `name="next" value="/new/withdrawal"`)
		if to := v.post("/unlock", http.StatusSeeOther, "pin", rightPIN, "next", "/new/withdrawal"); to != "/new/withdrawal" {
			t.Errorf("after the PIN it leads to %s", to)
		}
		v.get("/new/withdrawal", http.StatusOK)
	})
}

// stream reads events, one by one.
func stream(v *visitor) (next func() string, end func()) {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	reply, err := v.http.Do(v.request(http.MethodGet, "/live", nil).WithContext(ctx))
	if err != nil {
		v.t.Fatal(err)
	}
	if reply.StatusCode != 200 || reply.Header.Get("Content-Type") != "text/event-stream" {
		v.t.Fatalf("GET /live: HTTP %d, %s", reply.StatusCode, reply.Header.Get("Content-Type"))
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
		giveRightPIN(v)
		next, end := stream(v)
		defer end()
		began := time.Now()
		if e := next(); e != "look" || time.Since(began) != 0 {
			t.Errorf("the stream begins with %q", e)
		}
		go func() {
			time.Sleep(time.Second)
			v.f.mu.Lock()
			v.f.ring()
			v.f.mu.Unlock()
		}()
		if e := next(); e != "look" || time.Since(began) != time.Second {
			t.Errorf("a ring came as %q after %s", e, time.Since(began))
		}
		looks := 0
		event := ""
		for event = next(); event == "look"; event = next() {
			looks++
		}
		// It outlives the server's read and write time-outs, and ends with the lock.
		if event != "locked" || time.Since(began) != defaultIdle || looks != int(defaultIdle/streamBeat)-1 && looks != int(defaultIdle/streamBeat) {
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
		giveRightPIN(v)
		next, end := stream(v)
		defer end()
		next()
		if to := v.post("/lock", http.StatusSeeOther); to != "/unlock" {
			t.Errorf("the lock leads to %s", to)
		}
		if e := next(); e != "locked" {
			t.Errorf("the other tab is told %q", e)
		}
		// The locked page is told of changes too: its bar must stay true.
		next, end = stream(v)
		defer end()
		if e := next(); e != "look" {
			t.Errorf("the unlock page is told %q", e)
		}
		has(t, v.get("/unlock?part=main", http.StatusOK), "Line up")
	})
}

func TestTooManyStreams(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		for range maxStreams {
			_, end := stream(v)
			defer end()
		}
		reply, _ := v.do(v.request(http.MethodGet, "/live", nil))
		if reply.StatusCode != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") == "" {
			t.Errorf("HTTP %d", reply.StatusCode)
		}
	})
}

func TestWrongPIN(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visitor) {
		v.get("/unlock", http.StatusOK)
		for left := 4; left >= 1; left-- {
			page := v.post("/unlock", http.StatusUnauthorized, "pin", "1111")
			want := fmt.Sprintf("This PIN is wrong. %d tries are left", left)
			if left == 1 {
				want = "This PIN is wrong. 1 try is left"
			}
			has(t, page, want)
		}
		reply, page := v.do(v.form("/unlock", "pin", "1111"))
		if reply.StatusCode != http.StatusTooManyRequests || reply.Header.Get("Retry-After") != "30" {
			t.Errorf("HTTP %d, Retry-After %q", reply.StatusCode, reply.Header.Get("Retry-After"))
		}
		has(t, page, "looked at in 30 s", `data-wait="30"`)
		time.Sleep(10 * time.Second)
		has(t, v.get("/unlock", http.StatusOK), "looked at in 20 s", `data-wait="20"`) // a reload says so, too
		time.Sleep(20 * time.Second)
		hasNot(t, v.get("/unlock", http.StatusOK), "looked at in")
		has(t, v.post("/unlock", http.StatusTooManyRequests, "pin", "1111"), "looked at in 1 min")
		has(t, v.post("/unlock", http.StatusUnprocessableEntity, "pin", ""), "4 to 12 digits")
		has(t, v.post("/unlock", http.StatusUnprocessableEntity, "pin", strings.Repeat("1", 13)), "4 to 12 digits")
		if to := v.post("/unlock", http.StatusSeeOther, "pin", rightPIN, "next", "//evil.example"); to != "/" {
			t.Errorf("after the PIN it leads to %s", to)
		}
	})
}

// TestManyBrowsers: the browser that was idle longest is locked for another.
func TestManyBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := newSessions(testRand{}, defaultIdle)
		if err != nil {
			t.Fatal(err)
		}
		var all []*session
		for range maxSessions + 1 {
			ses, err := s.unlock("Fatima")
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, ses)
			time.Sleep(time.Second)
		}
		for i, ses := range all {
			if open := s.find(ses.id, false) != nil; open != (i > 0) {
				t.Errorf("browser %d is open: %v", i, open)
			}
		}
		<-all[0].gone
	})
}
