package uitest

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/speech"
	"galla/edge/ui"
	"galla/shared/secret"
)

// Now is the clock of Counter: 21 November 2026, 10:14 in India.
func Now() time.Time { return time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC) }

// Counter is a ui.Counter whose state the test sets. The sections' own fakes embed one.
type Counter struct {
	mu       sync.Mutex
	status   edge.Status
	watchers map[chan struct{}]bool
	revision uint64

	unannounced []edge.Record // their sound is due
}

// NewCounter returns a counter without any problems.
func NewCounter() *Counter {
	return &Counter{watchers: map[chan struct{}]bool{}, status: edge.Status{
		Link:    edge.LinkState{Online: true, Since: Now().Add(-time.Hour)},
		Reader:  edge.ReaderState{Status: "READY", Name: "Mantra MFS110"},
		Session: edge.SessionState{Known: true, Active: true, ExpiresAt: Now().Add(19*time.Hour + 12*time.Minute)},
		Agent:   "Fatima", Merchant: "Lakshmi Kirana Store", TID: "GAL00001", Now: Now(),
	}}
}

// Status implements ui.Counter.
func (c *Counter) Status() edge.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Update changes the counter's state, and notifies.
func (c *Counter) Update(alter func(*edge.Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	alter(&c.status)
	c.revision++
	for ch := range c.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Revision implements ui.Counter.
func (c *Counter) Revision() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision
}

// Subscribe implements ui.Counter.
func (c *Counter) Subscribe() (<-chan struct{}, func()) {
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

// PIN is the right PIN where an owner types it again.
const PIN = "2580"

// Server serves sections.
type Server struct {
	Kit  *ui.Kit
	Base string // the server's address
	Log  *Transcript

	transport http.RoundTripper
}

// Serve serves sections with a login that needs no PIN: GET
// /enter?operator=agent&role=owner&language=hi&to=/ unlocks and redirects, confirmed
// unless confirm=no; PIN is right where it is asked for again.
func Serve(t testing.TB, counter ui.Counter, sections ...ui.Section) *Server {
	t.Helper()
	return serve(t, counter, speech.Find().Say, sections)
}

// ServeMute is Serve on a computer without a program that speaks.
func ServeMute(t testing.TB, counter ui.Counter, sections ...ui.Section) *Server {
	t.Helper()
	return serve(t, counter, nil, sections)
}

func serve(t testing.TB, counter ui.Counter, say func(context.Context, string, string) (speech.Clip, error), sections []ui.Section) *Server {
	t.Helper()
	h := &Server{Log: &Transcript{}}
	kit, err := ui.New(counter, ui.Config{
		Name: Hostname,
		CheckPIN: func(_ context.Context, _ *http.Request, _ string, pin secret.OTP) error {
			if pin.Equal(secret.NewOTP(PIN)) {
				return nil
			}
			return &edge.PINError{TriesLeft: 4}
		},
		Say:    say,
		Logger: slog.New(slog.NewTextHandler(h.Log, nil)), Catalogues: []i18n.Catalogue{outcome.Catalogue()},
	}, append(sections, LoginSection())...)
	if err != nil {
		t.Fatal(err)
	}
	h.start(t, kit)
	return h
}

func (h *Server) start(t testing.TB, kit *ui.Kit) {
	srv := Start(t, kit.Handler())
	t.Cleanup(kit.Close)
	h.Kit, h.Base, h.transport = kit, srv.URL, srv.Client().Transport
}

// ServeKit serves a kit that the test made, and returns a client; with LoginSection among
// its sections, the client can log in.
func ServeKit(t testing.TB, kit *ui.Kit) *Client {
	t.Helper()
	h := &Server{Log: &Transcript{}}
	h.start(t, kit)
	return h.NewClient(t)
}

// NewClient returns a client without a session. Its replies and the log are searched when
// the test ends.
func (h *Server) NewClient(t testing.TB) *Client {
	t.Helper()
	v := NewClient(t, h.Base, h.transport)
	v.Transcript = h.Log
	t.Cleanup(v.CheckNoSecrets)
	return v
}

// Login unlocks for the agent, in English.
func (v *Client) Login() {
	v.T.Helper()
	v.GetRedirect("/enter?to=/enter/done")
	v.Get("/enter/done", http.StatusOK)
}

// RequestWithCookies makes a request with the client's cookies, for Kit.Current.
func (v *Client) RequestWithCookies(path string) *http.Request {
	v.T.Helper()
	r := v.Request(http.MethodGet, path, nil)
	for _, c := range v.HTTP.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	return r
}

// LoginSection returns the section of GET /enter.
func LoginSection() ui.Section { return loginSection{} }

type loginSection struct{}

func (loginSection) Contents(kit *ui.Kit) ui.Contents {
	enter := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		who := edge.User{ID: q.Get("operator"), Name: q.Get("name"), Role: edge.Role(q.Get("role")), Language: q.Get("language")}
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
			ses.MarkConfirmed()
		}
		http.Redirect(w, r, ui.LocalPath(q.Get("to")), http.StatusSeeOther)
	}
	return ui.Contents{
		Name:  "login",
		Files: fstest.MapFS{"templates/in.html": {Data: []byte(`{{define "main"}}<h1>{{.Title}}</h1>{{end}}`)}},
		Open:  map[string]http.HandlerFunc{"GET /enter": enter},
		Pages: map[string]ui.Handler{"GET /enter/done": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
			kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "login/in", Title: "In"})
		}},
	}
}
