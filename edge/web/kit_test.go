package web_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"galla/edge"
	"galla/edge/web"
	"galla/edge/web/webtest"
	"galla/shared/op"
)

// room is a page room of a test.
type room struct {
	name  string
	files fstest.MapFS
	add   func(mux *http.ServeMux, kit *web.Kit)
	chips []web.Chip
	ways  []web.Entry
}

func (r *room) Name() string { return r.name }
func (r *room) Files() fs.FS { return r.files }
func (r *room) Register(mux *http.ServeMux, kit *web.Kit) {
	if r.add != nil {
		r.add(mux, kit)
	}
}
func (r *room) Chips(*web.Session) []web.Chip    { return r.chips }
func (r *room) Entries(*web.Session) []web.Entry { return r.ways }

func files(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return out
}

func newKit(rooms ...web.Room) error {
	_, err := web.New(webtest.NewCounter(), web.Config{Name: webtest.Name, Logger: slog.New(slog.DiscardHandler)}, rooms...)
	return err
}

// TestRoomsMayNotCollide: what two rooms bring under one name is an error at
// start that names it, as is a file that is broken.
func TestRoomsMayNotCollide(t *testing.T) {
	page := `{{define "main"}}<h1>x</h1>{{end}}`
	for name, c := range map[string]struct {
		a, b fstest.MapFS
		want string
	}{
		"texts":        {files("messages/en.json", `{"x": "1"}`), files("messages/en.json", `{"x": "2"}`), `"x" stands in the texts of a and of b`},
		"kit's texts":  {files("messages/en.json", `{"app.name": "1"}`), nil, "of web and of a"},
		"icons":        {files("icons/x.svg", "<svg />"), files("icons/x.svg", "<svg />"), "icon x is brought by two rooms"},
		"kit's icons":  {files("icons/lock.svg", "<svg />"), nil, "icon lock"},
		"files":        {files("static/x.js", "1"), files("static/x.js", "2"), "x.js is brought by two rooms"},
		"kit's files":  {files("static/base.css", ""), nil, "base.css is brought by two rooms"},
		"piece":        {files("templates/p.html", page+`{{define "row"}}mine{{end}}`), nil, `defines "row", which is a shared piece`},
		"room's piece": {files("templates/pieces/x.html", `{{define "token"}}mine{{end}}`, "templates/p.html", page), nil, `defines "token"`},
		"no main":      {files("templates/p.html", "text"), nil, `no template "main"`},
		"broken":       {files("templates/p.html", `{{define "main"}}{{`), nil, "pages of a"},
		"no English":   {files("messages/hi.json", `{"x": "१"}`), nil, "messages/en.json"},
	} {
		err := newKit(&room{name: "a", files: c.a}, &room{name: "b", files: c.b})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	// Pages and pieces of the same name in two rooms do not meet.
	if err := newKit(&room{name: "a", files: files("templates/p.html", page, "templates/pieces/x.html", `{{define "own"}}a{{end}}`)},
		&room{name: "b", files: files("templates/p.html", page, "templates/pieces/x.html", `{{define "own"}}b{{end}}`)}); err != nil {
		t.Error(err)
	}
	if _, err := web.New(nil, web.Config{}); err == nil {
		t.Error("New took no counter")
	}
}

// desk is a room with a page, a form and steps.
func desk(begun *atomic.Int32, fail *atomic.Bool) *room {
	r := &room{name: "desk", files: files(
		"templates/form.html", `{{define "main"}}{{template "back" .}}<h1>{{t "desk.title"}}</h1>{{template "alert" .}}<form method="post" action="/desk/pay">{{template "once" .}}</form>{{template "own" .}}{{end}}`,
		"templates/pieces/own.html", `{{define "own"}}<p>{{n "desk.found" 2}}</p>{{end}}`,
		"static/desk.css", "p{}", "static/desk.js", "export {};",
		"messages/en.json", `{"desk.title": "The desk", "desk.found": {"one": "{n} thing", "other": "{n} things"}}`,
		"messages/hi.json", `{"desk.title": "मेज़", "desk.found": {"one": "{n} चीज़", "other": "{n} चीज़ें"}}`,
	)}
	r.chips = []web.Chip{{Name: "Printer", Icon: "print", Tone: "ok", Text: "Printer ready"}}
	r.ways = []web.Entry{{Href: "/desk", Icon: "list", Title: "Desk"}}
	r.add = func(mux *http.ServeMux, kit *web.Kit) {
		show := func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
			kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "desk/form", Title: "The desk", Back: "/"})
		}
		mux.HandleFunc("GET /desk", kit.Get(show))
		mux.HandleFunc("GET /desk/second", kit.Glance(show))
		mux.HandleFunc("GET /desk/bare", kit.Get(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
			kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "desk/form", Title: "Bare", Bare: true})
		}))
		mux.HandleFunc("GET /desk/lost", kit.Get(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
			kit.Failed(w, r, ses, errors.New("the inner reason"))
		}))
		mux.HandleFunc("GET /desk/none", kit.Get(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
			kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "desk/nosuch"})
		}))
		mux.HandleFunc("GET /desk/broken", kit.Get(func(http.ResponseWriter, *http.Request, *web.Session) { panic("at the desk") }))
		mux.HandleFunc("GET /desk/owner", kit.Get(kit.Owner(show)))
		mux.HandleFunc("POST /desk/owner", kit.Post(kit.Owner(show)))
		mux.HandleFunc("POST /desk/pay", kit.Post(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
			id, err := kit.Once(ses, r, func() (op.ID, error) {
				if fail.Load() {
					return "", edge.ErrFull
				}
				return op.ID("op" + string(rune('0'+begun.Add(1)))), nil
			})
			if err != nil {
				kit.Failed(w, r, ses, err)
				return
			}
			http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
		}))
		mux.HandleFunc("GET /unlock", func(w http.ResponseWriter, r *http.Request) {
			kit.Render(w, r, nil, http.StatusOK, web.Page{Name: "desk/form", Title: "Locked"})
		})
	}
	return r
}

func serve(t *testing.T) (v *webtest.Visitor, h *webtest.House, begun *atomic.Int32, fail *atomic.Bool) {
	t.Helper()
	begun, fail = new(atomic.Int32), new(atomic.Bool)
	h = webtest.Serve(t, webtest.NewCounter(), desk(begun, fail))
	v = h.Visitor(t)
	v.Enter()
	return v, h, begun, fail
}

func TestOnce(t *testing.T) {
	v, _, begun, fail := serve(t)
	fail.Store(true)
	v.Post("/desk/pay", http.StatusInternalServerError, "form", "f", "amount", "5")
	fail.Store(false)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if to := v.Post("/desk/pay", http.StatusSeeOther, "form", "f", "amount", "5"); to != "/op/op1" {
				t.Errorf("it leads to %s", to)
			}
		})
	}
	wg.Wait()
	v.Post("/desk/pay", http.StatusSeeOther, "form", "f", "amount", "6")
	v.Post("/desk/pay", http.StatusSeeOther, "form", "g", "amount", "5")
	if n := begun.Load(); n != 3 {
		t.Errorf("%d operations were begun, want 3", n)
	}
	// Another session's form is another form.
	other, _, _, _ := serve(t)
	if to := other.Post("/desk/pay", http.StatusSeeOther, "form", "f", "amount", "5"); to != "/op/op1" {
		t.Errorf("another counter: %s", to)
	}
}

func TestPages(t *testing.T) {
	v, h, _, _ := serve(t)
	page := v.Get("/desk", http.StatusOK)
	webtest.Has(t, page, "<h1>The desk</h1>", "2 things", "Printer ready", "/desk.css", "/desk.js", "/kit.js", `class="in-desk on-form"`, `name="form"`,
		`name="here" value="/desk"`, "Lakshmi Kirana Store")
	webtest.HasNot(t, v.Get("/desk/bare", http.StatusOK), "Lakshmi Kirana Store", `id="chips"`, "/language")
	webtest.HasNot(t, v.Get("/desk/lost", http.StatusInternalServerError), "inner reason")
	webtest.Has(t, v.Get("/desk/none", http.StatusInternalServerError), "The screen has a fault")
	webtest.Has(t, v.Get("/desk/broken", http.StatusInternalServerError), "The screen has a fault")
	webtest.Has(t, v.Get("/desk/elsewhere", http.StatusNotFound), "no such page")
	if n := len(h.Kit.Entries(nil)); n != 1 {
		t.Errorf("%d ways in", n)
	}
	if log := v.Seen.String(); !strings.Contains(log, "at the desk") || !strings.Contains(log, "desk/nosuch") {
		t.Error("the log does not tell of the broken pages")
	}
}

// TestOwner: what only an owner may do, an operator may not, by no method; and a form
// wants the owner's PIN once more.
func TestOwner(t *testing.T) {
	v, _, _, _ := serve(t)
	v.Get("/desk/owner", http.StatusOK)
	webtest.HasNot(t, v.Post("/desk/owner", http.StatusOK), "Your PIN again")
	v.Leads("/enter?confirm=no&to=/desk/owner")
	webtest.HasNot(t, v.Get("/desk/owner", http.StatusOK), "Your PIN again")
	webtest.Has(t, v.Post("/desk/owner", http.StatusOK), "Your PIN again")
	v.Leads("/enter?role=operator&operator=2&name=Ravi&to=/desk")
	webtest.Has(t, v.Get("/desk", http.StatusOK), "Ravi")
	webtest.Has(t, v.Get("/desk/owner", http.StatusForbidden), "Only the owner")
	webtest.Has(t, v.Post("/desk/owner", http.StatusForbidden), "Only the owner")
}

// TestSwitch: a new session locks the one that the browser had, and LockAll
// those of an operator.
func TestSwitch(t *testing.T) {
	v, h, _, _ := serve(t)
	first := h.Kit.Current(v.Cookied("/desk"))
	if first == nil || first.Operator.Name != "Fatima" {
		t.Fatalf("the session is %+v", first)
	}
	v.Leads("/enter?operator=2&name=Ravi")
	<-first.Gone()
	if now := h.Kit.Current(v.Cookied("/desk")); now == nil || now.Operator.ID != "2" {
		t.Errorf("the session is %+v", now)
	}
	h.Kit.LockAll("1")
	v.Get("/desk", http.StatusOK)
	h.Kit.LockAll("2")
	if to := v.Leads("/desk?q=1&auto=1"); to != "/unlock?next="+url.QueryEscape("/desk?q=1") {
		t.Errorf("a locked page leads to %s", to)
	}
	// The step of a form leads back to the page that it was on.
	if to := v.Post("/desk/pay", http.StatusSeeOther); to != "/unlock?next="+url.QueryEscape("/desk") {
		t.Errorf("a locked step leads to %s", to)
	}
}

// TestLanguage: the switch keeps the page, the session and the browser remember
// it, the operator's own goes before the browser's.
func TestLanguage(t *testing.T) {
	v, _, _, _ := serve(t)
	v.Get("/desk", http.StatusOK)
	if to := v.Post("/language", http.StatusSeeOther, "language", "hi", "here", "/desk?x=1"); to != "/desk?x=1" {
		t.Errorf("it leads to %s", to)
	}
	webtest.Has(t, v.Get("/desk", http.StatusOK), `<html lang="hi">`, "मेज़", "2 चीज़ें", "लाइन चालू")
	v.Post("/language", http.StatusUnprocessableEntity, "language", "xx")
	v.Post("/language", http.StatusForbidden, "language", "ta", "csrf", "x")
	if to := v.Post("/language", http.StatusSeeOther, "language", "hi", "here", "//evil.example"); to != "/" {
		t.Errorf("it leads away: %s", to)
	}
	v.Post("/lock", http.StatusSeeOther)
	webtest.Has(t, v.Get("/unlock", http.StatusOK), `<html lang="hi">`) // before anybody is known
	v.Post("/language", http.StatusSeeOther, "language", "mr", "here", "/unlock")
	webtest.Has(t, v.Get("/unlock", http.StatusOK), `<html lang="mr">`)
	v.Leads("/enter?operator=2&language=hi")
	webtest.Has(t, v.Get("/desk", http.StatusOK), `<html lang="hi">`)
	// A room that lacks a language speaks English there, the kit does not.
	v.Post("/language", http.StatusSeeOther, "language", "ta", "here", "/desk")
	webtest.Has(t, v.Get("/desk", http.StatusOK), "The desk", "லைன்")
	// A browser's own wish, where nothing was chosen.
	fresh, _, _, _ := serve(t)
	fresh.HTTP.Jar = nil
	r := fresh.Request(http.MethodGet, "/unlock", nil)
	r.Header.Set("Accept-Language", "bn-IN,bn;q=0.9")
	if _, page := fresh.Do(r); !strings.Contains(page, `<html lang="bn">`) {
		t.Error("the browser's language is not spoken")
	}
}

func TestKeepLanguage(t *testing.T) {
	var kept []string
	kit, err := web.New(webtest.NewCounter(), web.Config{
		Name:   webtest.Name,
		Logger: slog.New(slog.DiscardHandler),
		KeepLanguage: func(_ context.Context, operator, language string) error {
			kept = append(kept, operator+" "+language)
			return errors.New("the disk is full")
		},
	}, webtest.Door())
	if err != nil {
		t.Fatal(err)
	}
	v := webtest.Over(t, kit)
	v.Enter()
	v.Post("/language", http.StatusSeeOther, "language", "te", "here", "/enter/done")
	webtest.Has(t, v.Get("/enter/done", http.StatusOK), `<html lang="te">`) // although it could not be kept
	if len(kept) != 1 || kept[0] != "agent te" {
		t.Errorf("kept %q", kept)
	}
}

func TestCustomerLanguage(t *testing.T) {
	v, h, _, _ := serve(t)
	ses := h.Kit.Current(v.Cookied("/desk"))
	for _, c := range [][2]string{{"", "en"}, {"hi", "hi"}, {"xx", "hi"}, {"ta", "ta"}} {
		ses.SetCustomerLanguage(c[0])
		if got := ses.CustomerLanguage(); got != c[1] {
			t.Errorf("after %q: %s, want %s", c[0], got, c[1])
		}
	}
}

// TestTwoCountersOnOneMachine: cookies know no ports, and still the lock of one
// counter is not another's.
func TestTwoCountersOnOneMachine(t *testing.T) {
	first := webtest.Serve(t, webtest.NewCounter(), desk(&atomic.Int32{}, &atomic.Bool{}))
	second := webtest.Serve(t, webtest.NewCounter(), desk(&atomic.Int32{}, &atomic.Bool{}))
	here, there := webtest.Visit(t, first.Base, nil), webtest.Visit(t, second.Base, nil)
	there.HTTP.Jar = here.HTTP.Jar
	here.Get("/enter?to=/desk", http.StatusSeeOther)
	there.Get("/desk", http.StatusSeeOther) // locked: the browser gets a cookie for the PIN's form
	here.Get("/desk", http.StatusOK)
	there.Get("/enter?to=/desk", http.StatusSeeOther)
	here.Get("/desk", http.StatusOK)
	there.Get("/desk", http.StatusOK)
}
