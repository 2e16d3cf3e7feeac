//go:build linux

package aeps

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/ui/uitest"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// smallDisk names the folder on which a test of a full disk, started again in its own
// namespaces, mounts a file system of diskSize.
const (
	smallDisk = "GALLA_SMALL_DISK"
	diskSize  = 6 << 20
	// reserveMost is more operations than fit into the queue's reserve.
	reserveMost = 200
)

// TestFullDisk serves customers on a file system that is really full: the agent is warned
// before a finger is captured, running operations can finish, and freed space is enough to
// continue.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
			t.Fatalf("mount a small file system on %s: %v", dir, err)
		}
		fullDisk(t, dir)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(self, "-test.run=^TestFullDisk$", "-test.v", "-test.timeout=2m")
	again.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	groups := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: ids, GidMappings: groups}
	out, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFullDisk") {
		t.Errorf("in namespaces of its own, which the kernel must allow this user: %v\n%s", err, out)
	}
}

func fullDisk(t *testing.T, dir string) {
	log := slog.New(slog.DiscardHandler)
	q, _, err := queue.Open(queue.Config{Path: filepath.Join(dir, "queue.db"), Key: secret.NewKey(bytes.Repeat([]byte{7}, 32)), Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	finger, central := &glass{}, &wireEnd{}
	counter, err := edge.New(q, finger, edge.Config{
		Agent: "Fatima", AgentAadhaar: number(t, uitest.AgentAadhaar), Merchant: "Lakshmi Kirana Store", TID: "GAL00001",
		Latitude: "18.5204", Longitude: "73.8567", Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	central.counter = counter
	counter.SetLink(central)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- counter.Run(ctx) }()
	defer func() {
		stop()
		if err := errors.Join(<-done, q.Close()); err != nil {
			t.Error(err)
		}
	}()
	if err := counter.Welcome(wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}); err != nil {
		t.Fatal(err)
	}
	s, err := compose(atCounter{counter}, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	srv := uitest.Start(t, s.Handler())
	defer srv.Close()
	defer s.Close()
	v := uitest.NewClient(t, srv.URL, srv.Client().Transport)
	defer v.CheckNoSecrets()
	v.Get("/unlock", http.StatusOK)
	v.Post("/unlock", http.StatusSeeOther, "pin", rightPIN)
	waitFor(t, "the references", func() bool {
		banks, _ := counter.Banks()
		return len(banks) > 0 && counter.Status().Session.Active
	})

	// When the disk fills up, one withdrawal is at central and one waits for its finger.
	begin := func(form string) (op.ID, string) {
		v.Get("/new/withdrawal", http.StatusOK)
		at := v.Post("/new/withdrawal", http.StatusSeeOther, filled("form", form)...)
		return op.ID(strings.TrimPrefix(at, "/op/")), at
	}
	sent, atSent := begin("f1")
	waitFor(t, "the first to be sent", func() bool { return central.sent(sent) })
	finger.lift(true)
	_, atReady := begin("f2")
	fill := fillDisk(t, dir)

	reserved, page := []string{atReady}, ""
	for n := 0; page == ""; n++ { // the queue has a reserve of its own
		v.Get("/new/withdrawal", http.StatusOK)
		reply, body := v.Do(v.Form("/new/withdrawal", filled("form", fmt.Sprint("full", n))...))
		switch {
		case reply.StatusCode == http.StatusConflict:
			page = body
		case reply.StatusCode != http.StatusSeeOther || n == reserveMost:
			t.Fatalf("operation %d on a full disk: HTTP %d", n, reply.StatusCode)
		default:
			reserved = append(reserved, reply.Header.Get("Location"))
		}
	}
	uitest.Contains(t, page, "The disk cannot save anything new, so nothing can be started", `class="alert"`)
	uitest.Contains(t, v.Get("/", http.StatusOK), "Free some space")
	waitFor(t, "the fingers of all that were created", func() bool { return finger.asked() >= 1+len(reserved) })
	if n := finger.asked() - 1 - len(reserved); n != 0 {
		t.Errorf("%d fingers were asked for that no operation on disk needs", n)
	}
	// An operation that was created before can finish, and its cash is recorded.
	if err := counter.Receive(outcomeFrame(sent, op.Succeeded, "00")); err != nil {
		t.Fatal(err)
	}
	uitest.Contains(t, v.Get(atSent, http.StatusOK), "GIVE CASH ₹500")
	v.Post(atSent+"/cash", http.StatusSeeOther)
	uitest.Contains(t, v.Get(atSent, http.StatusOK), "CASH GIVEN ₹500")
	for _, at := range reserved {
		v.Post(at+"/abandon", http.StatusSeeOther)
		uitest.Contains(t, v.Get(at, http.StatusOK), "DO NOT GIVE CASH", "No money moved")
	}

	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	finger.lift(false)
	begin("f4")
	uitest.NotContains(t, v.Get("/", http.StatusOK), "Free some space")
}

// fillDisk writes until nothing more fits, and returns the file.
func fillDisk(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk does not get full: %v", err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	end := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waiting for %s: never", what)
		}
	}
}

func number(t *testing.T, digits string) secret.Aadhaar {
	t.Helper()
	a, err := secret.ParseAadhaar(digits)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func outcomeFrame(id op.ID, state op.State, code string) wire.Frame {
	reply := fmt.Sprintf(`{"statusCode":"00","message":"m","data":{"ResponseCode":%q,"STAN":"000001"}}`, code)
	return wire.OutcomeFrame(id, op.Outcome{State: state, HTTP: http.StatusOK, Reply: []byte(reply)})
}

// atCounter is a real counter with Fatima as its only user.
type atCounter struct{ *edge.Counter }

func (atCounter) EnabledUsers(context.Context) []edge.User {
	return []edge.User{{ID: edge.AgentID, Name: "Fatima", Role: edge.RoleOwner}}
}

func (c atCounter) CheckPIN(_ context.Context, _ string, pin secret.OTP) (edge.User, error) {
	if !pin.Equal(secret.NewOTP(rightPIN)) {
		return edge.User{}, &edge.PINError{TriesLeft: 4}
	}
	return c.EnabledUsers(context.Background())[0], nil
}

func (atCounter) ChangePIN(context.Context, string, secret.OTP, secret.OTP) error {
	return &edge.PINError{TriesLeft: 4}
}

// glass is a reader that captures a finger at once, unless it is lifted.
type glass struct {
	mu     sync.Mutex
	n      int
	lifted bool
}

func (*glass) State() edge.ReaderState {
	return edge.ReaderState{Status: "READY", Name: "Mantra MFS110"}
}

func (g *glass) Capture(ctx context.Context) (edge.Capture, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
	if g.lifted {
		g.mu.Unlock()
		<-ctx.Done()
		g.mu.Lock()
		return edge.Capture{}, ctx.Err()
	}
	return edge.Capture{PidData: secret.NewPidData("<PidData/>"), CapturedAt: time.Now(), Quality: 80}, nil
}

func (g *glass) lift(yes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lifted = yes
}

// asked is how often a finger was asked for.
func (g *glass) asked() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.n
}

// wireEnd is a connection whose far end answers the counter's own requests, and not those
// about operations.
type wireEnd struct {
	counter *edge.Counter

	mu    sync.Mutex
	ops   map[op.ID]bool
	asked map[op.ID]bool
	lost  time.Time // zero: online
}

func (l *wireEnd) State() edge.LinkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return edge.LinkState{Online: l.lost.IsZero(), Since: l.lost, Window: 8}
}

// cut disconnects or reconnects; the caller informs the counter.
func (l *wireEnd) cut(lost time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = lost
}

func (l *wireEnd) Send(f wire.Frame) error {
	if !l.State().Online {
		return edge.ErrOffline
	}
	data := ""
	if f.T == wire.TAsk {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.asked == nil {
			l.asked = map[op.ID]bool{}
		}
		l.asked[f.ID] = true
		return nil
	}
	switch f.Route {
	case op.AuthStatus:
		data = fmt.Sprintf(`{"authenticated":true,"tid":"GAL00001","expiresAt":%q}`, time.Now().Add(12*time.Hour).UTC().Format(time.RFC3339))
	case op.Banks:
		data = `[{"iin":"607094","bankName":"State Bank of India"}]`
	case op.LimitsInForce:
		data = `[]`
	default:
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.ops == nil {
			l.ops = map[op.ID]bool{}
		}
		l.ops[f.ID] = true
		return nil
	}
	reply := `{"statusCode":"00","message":"m","data":` + data + `}`
	return l.counter.Receive(wire.OutcomeFrame(f.ID, op.Outcome{State: op.Succeeded, HTTP: http.StatusOK, Reply: []byte(reply)}))
}

func (l *wireEnd) sent(id op.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ops[id]
}
