package webtest

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/secret"
)

// Now is the clock of Counter: 21 November 2026, 10:14 in India.
func Now() time.Time { return time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC) }

// Counter is a counter whose state the test sets. It is a web.Counter; a room's
// own fake holds one.
type Counter struct {
	mu       sync.Mutex
	status   edge.Status
	watchers map[chan struct{}]bool
}

// NewCounter gives a counter at which all is well.
func NewCounter() *Counter {
	return &Counter{watchers: map[chan struct{}]bool{}, status: edge.Status{
		Link:    edge.LinkState{Up: true, Since: Now().Add(-time.Hour)},
		Device:  edge.DeviceState{Status: "READY", Name: "Mantra MFS110"},
		Session: edge.SessionState{Known: true, Active: true, ExpiresAt: Now().Add(19*time.Hour + 12*time.Minute)},
		Agent:   "Fatima", Merchant: "Lakshmi Kirana Store", TID: "GAL00001", Now: Now(),
	}}
}

// Status implements web.Counter.
func (c *Counter) Status() edge.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Change alters the counter's state, and rings.
func (c *Counter) Change(alter func(*edge.Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	alter(&c.status)
	for ch := range c.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Watch implements web.Counter.
func (c *Counter) Watch() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers[ch] = true
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, ch)
	}
}

// PIN is right at a House where an owner types it again.
const PIN = "2580"

// House is rooms that are served.
type House struct {
	Kit  *web.Kit
	Base string // the server's address
	Log  *Ledger

	transport http.RoundTripper
}

// Serve serves rooms over a counter, together with a door that needs no PIN:
// GET /enter?operator=agent&role=owner&language=hi&to=/ unlocks and leads on, with
// the owner's acts open unless confirm=no; PIN is right where it is asked for again.
func Serve(t testing.TB, counter web.Counter, rooms ...web.Room) *House {
	t.Helper()
	h := &House{Log: &Ledger{}}
	kit, err := web.New(counter, web.Config{
		Name: Name,
		CheckPIN: func(_ context.Context, _ *http.Request, _ string, pin secret.OTP) error {
			if pin.Equal(secret.NewOTP(PIN)) {
				return nil
			}
			return &edge.PINError{Left: 4}
		},
		Logger: slog.New(slog.NewTextHandler(h.Log, nil)), Catalogues: []words.Catalogue{told.Catalogue()},
	}, append(rooms, Door())...)
	if err != nil {
		t.Fatal(err)
	}
	h.start(t, kit)
	return h
}

func (h *House) start(t testing.TB, kit *web.Kit) {
	srv := Start(t, kit.Handler())
	t.Cleanup(kit.Close)
	h.Kit, h.Base, h.transport = kit, srv.URL, srv.Client().Transport
}

// Over serves a kit that the test made itself, and gives a visitor; with Door
// among its rooms, the visitor can enter.
func Over(t testing.TB, kit *web.Kit) *Visitor {
	t.Helper()
	h := &House{Log: &Ledger{}}
	h.start(t, kit)
	return h.Visitor(t)
}

// Visitor gives a browser without scripts that has no session yet. What it and
// the log saw is searched when the test ends.
func (h *House) Visitor(t testing.TB) *Visitor {
	t.Helper()
	v := Visit(t, h.Base, h.transport)
	v.Seen = h.Log
	t.Cleanup(v.Search)
	return v
}

// Enter unlocks for the agent, in English.
func (v *Visitor) Enter() {
	v.T.Helper()
	v.Leads("/enter?to=/enter/done")
	v.Get("/enter/done", http.StatusOK)
}

// Cookied makes a request of a path with the visitor's cookies, for
// Kit.Current.
func (v *Visitor) Cookied(path string) *http.Request {
	v.T.Helper()
	r := v.Request(http.MethodGet, path, nil)
	for _, c := range v.HTTP.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	return r
}

// Door gives the room that lets tests in.
func Door() web.Room { return door{} }

// door lets tests in.
type door struct{}

func (door) Name() string { return "door" }

func (door) Files() fs.FS {
	return fstest.MapFS{"templates/in.html": {Data: []byte(`{{define "main"}}<h1>{{.Title}}</h1>{{end}}`)}}
}

func (door) Register(mux *http.ServeMux, kit *web.Kit) {
	mux.HandleFunc("GET /enter", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		who := edge.Operator{ID: q.Get("operator"), Name: q.Get("name"), Role: edge.Role(q.Get("role")), Language: q.Get("language")}
		if who.ID == "" {
			who.ID = edge.AgentID
		}
		if who.Name == "" {
			who.Name = "Fatima"
		}
		if who.Role == "" {
			who.Role = edge.RoleOwner
		}
		ses, err := kit.Unlock(w, r, who)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if q.Get("confirm") != "no" {
			ses.Confirm()
		}
		http.Redirect(w, r, web.LocalPath(q.Get("to")), http.StatusSeeOther)
	})
	mux.HandleFunc("GET /enter/done", kit.Get(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
		kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "door/in", Title: "In"})
	}))
}
