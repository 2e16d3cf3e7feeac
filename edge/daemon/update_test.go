package daemon

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/queue"
	"galla/edge/reader"
	"galla/shared/op"
	"galla/shared/secret"
)

// testLink is online or offline as a test wants.
type testLink struct {
	fixedLink
	state edge.LinkState
}

func (l *testLink) State() edge.LinkState { return l.state }

// A counter is empty where nobody touches it, it is online, and every operation
// has its end, waits for the bank, or never got a finger.
func TestBusy(t *testing.T) {
	const idle = 5 * time.Minute
	for name, c := range map[string]struct {
		states  []op.State
		touched time.Duration // ago; 0: never
		down    bool
		want    string
	}{
		"empty":            {nil, 0, false, ""},
		"long ago":         {nil, idle + time.Second, false, ""},
		"just now":         {nil, idle - time.Second, false, "the counter is in use"},
		"offline":          {nil, 0, true, "the terminal is offline"},
		"queued":           {[]op.State{op.Queued}, 0, false, "an operation is on its way"},
		"sent":             {[]op.State{op.Queued, op.Sent}, 0, false, "an operation is on its way"},
		"accepted":         {[]op.State{op.Queued, op.Sent, op.Accepted}, 0, false, "an operation is on its way"},
		"unknown":          {[]op.State{op.Queued, op.Sent, op.Unknown}, 0, false, "an operation is on its way"},
		"pending":          {[]op.State{op.Queued, op.Sent, op.Accepted, op.Pending}, 0, false, ""},
		"without a finger": {[]op.State{}, 0, false, ""},
		"ended":            {[]op.State{op.Queued, op.Sent, op.Accepted, op.Succeeded}, 0, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			q, _, err := queue.Open(queue.Config{Path: filepath.Join(t.TempDir(), "queue.db"), Key: secret.NewKey(make([]byte, 32)), Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = q.Close() }()
			device, err := reader.New(reader.Config{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			counter, err := edge.New(q, device, edge.Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			counter.SetLink(&testLink{state: edge.LinkState{Online: !c.down}})
			if c.states != nil {
				id, err := op.NewID(rand.Reader)
				if err == nil {
					err = q.Add(edge.Record{ID: id, Route: op.Withdrawal, State: op.Reserved, CreatedAt: time.Now()})
				}
				for _, s := range c.states {
					if err == nil {
						_, err = q.Change(id, func(r *edge.Record) error { r.State = s; return nil })
					}
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			u := &updates{cfg: Config{Updates: &Updates{IdleFor: idle}}, counter: counter, queue: q, lastTouch: func() time.Time {
				if c.touched == 0 {
					return time.Time{}
				}
				return time.Now().Add(-c.touched)
			}}
			if got := u.busy(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			// A fetch leaves the connection to what is on its way.
			if got := u.operationRunning(); got != (c.want == "an operation is on its way") {
				t.Errorf("under way: %v", got)
			}
		})
	}
}

// Formats tell what this program leaves behind. Whoever gives the settings, or what
// lies in the queue, another version, raises queue.Writes with it, and brings a
// release before that reads the new one: this test is where that is remembered. Format
// 1 was never in a release, so the first one writes 2.
func TestFormats(t *testing.T) {
	if settingsVersion != 1 || formats.Writes != 2 || formats.Reads < formats.Writes {
		t.Errorf("the settings have version %d and the queue writes %d, reads %d: a counter that goes back to the release before must be able to read both", settingsVersion, formats.Writes, formats.Reads)
	}
}

// The pages' sign of life is one of the counter's own.
func TestAlive(t *testing.T) {
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
	}))
	if err := checkPages(t.Context(), s.URL); err != nil {
		t.Error(err)
	}
	status = http.StatusInternalServerError
	if err := checkPages(t.Context(), s.URL+"/"); err == nil {
		t.Error("a page that fails is a sign of life")
	}
	s.Close()
	if err := checkPages(t.Context(), s.URL); err == nil {
		t.Error("no page is a sign of life")
	}
}
