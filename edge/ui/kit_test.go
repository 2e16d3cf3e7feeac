package ui_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"galla/edge"
	"galla/edge/ui"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// section is a test's section.
type section struct {
	name  string
	files fstest.MapFS
	add   func(kit *ui.Kit) (pages map[string]ui.Handler, open map[string]http.HandlerFunc)
	chips []ui.Chip
	menu  []ui.MenuItem
}

func (r *section) Contents(kit *ui.Kit) ui.Contents {
	c := ui.Contents{Name: r.name, Files: r.files, Menu: r.menu, Chips: func(*ui.Session) []ui.Chip { return r.chips }}
	if r.add != nil {
		c.Pages, c.Open = r.add(kit)
	}
	return c
}

func files(pairs ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return out
}

func newKit(sections ...ui.Section) error {
	_, err := ui.New(uitest.NewCounter(), ui.Config{Name: uitest.Hostname, Logger: slog.New(slog.DiscardHandler)}, sections...)
	return err
}

// TestSectionsMayNotCollide: a name that two sections bring is an error at start, as is a
// broken file.
func TestSectionsMayNotCollide(t *testing.T) {
	page := `{{define "main"}}<h1>x</h1>{{end}}`
	for name, c := range map[string]struct {
		a, b fstest.MapFS
		want string
	}{
		"texts":           {files("messages/en.json", `{"x": "1"}`), files("messages/en.json", `{"x": "2"}`), `"x" is in the texts of a and of b`},
		"kit's texts":     {files("messages/en.json", `{"app.name": "1"}`), nil, "of ui and of a"},
		"icons":           {files("icons/x.svg", "<svg />"), files("icons/x.svg", "<svg />"), "icon x is brought by two sections"},
		"kit's icons":     {files("icons/lock.svg", "<svg />"), nil, "icon lock"},
		"files":           {files("static/x.js", "1"), files("static/x.js", "2"), "two files are called x.js"},
		"a module":        {files("static/a.js", "export default 1;"), nil, "a.js can't be bundled"},
		"kit's files":     {files("static/base.css", ""), nil, "two files are called base.css"},
		"piece":           {files("templates/p.html", page+`{{define "row"}}mine{{end}}`), nil, `defines "row", which is a shared piece`},
		"section's piece": {files("templates/pieces/x.html", `{{define "token"}}mine{{end}}`, "templates/p.html", page), nil, `defines "token"`},
		"no main":         {files("templates/p.html", "text"), nil, `no template "main"`},
		"broken":          {files("templates/p.html", `{{define "main"}}{{`), nil, "pages of a"},
		"no English":      {files("messages/hi.json", `{"x": "१"}`), nil, "messages/en.json"},
	} {
		err := newKit(&section{name: "a", files: c.a}, &section{name: "b", files: c.b})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	// Pages and pieces of the same name in two sections do not collide.
	if err := newKit(&section{name: "a", files: files("templates/p.html", page, "templates/pieces/x.html", `{{define "own"}}a{{end}}`)},
		&section{name: "b", files: files("templates/p.html", page, "templates/pieces/x.html", `{{define "own"}}b{{end}}`)}); err != nil {
		t.Error(err)
	}
	if _, err := ui.New(nil, ui.Config{}); err == nil {
		t.Error("New took no counter")
	}
}

// exampleSection is a section with a page, a form and steps.
func exampleSection(begun *atomic.Int32, fail *atomic.Bool) *section {
	r := &section{name: "example", files: files(
		"templates/form.html", `{{define "main"}}{{template "back" .}}<h1>{{t "example.title"}}</h1>{{template "alert" .}}<form method="post" action="/example/pay">{{template "once" .}}</form>{{template "own" .}}{{end}}`,
		"templates/pieces/own.html", `{{define "own"}}<p>{{n "example.found" 2}}</p>{{end}}`,
		"static/example.css", "p{}", "static/example.js", "void 0;",
		"messages/en.json", `{"example.title": "The example", "example.found": {"one": "{n} thing", "other": "{n} things"}}`,
		"messages/hi.json", `{"example.title": "मेज़", "example.found": {"one": "{n} चीज़", "other": "{n} चीज़ें"}}`,
	)}
	r.chips = []ui.Chip{{Name: "Printer", Icon: "print", Tone: "ok", Text: "Printer ready"}}
	r.menu = []ui.MenuItem{{Href: "/example", Icon: "list", Title: "example.title"}}
	r.add = func(kit *ui.Kit) (map[string]ui.Handler, map[string]http.HandlerFunc) {
		show := func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
			kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "example/form", Title: "The example", Back: "/"})
		}
		pay := func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
			id, err := kit.Once(ses, r, func() (op.ID, error) {
				if fail.Load() {
					return "", edge.ErrFull
				}
				return op.ID("op" + string(rune('0'+begun.Add(1)))), nil
			})
			if err != nil {
				kit.Fail(w, r, ses, err)
				return
			}
			http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
		}
		return map[string]ui.Handler{
				"GET /example": show,
				"GET /example/bare": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
					kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "example/form", Title: "Bare", Bare: true})
				},
				"GET /example/lost": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
					kit.Fail(w, r, ses, errors.New("the inner reason"))
				},
				"GET /example/none": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
					kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "example/nosuch"})
				},
				"GET /example/broken": func(http.ResponseWriter, *http.Request, *ui.Session) { panic("at the example") },
				"GET /example/owner":  kit.OwnerConfirmed(show),
				"POST /example/owner": kit.OwnerConfirmed(show),
				"POST /example/pay":   pay,
			}, map[string]http.HandlerFunc{"GET /unlock": func(w http.ResponseWriter, r *http.Request) {
				kit.Render(w, r, nil, http.StatusOK, ui.Page{Name: "example/form", Title: "Locked"})
			}}
	}
	return r
}

func serve(t *testing.T) (v *uitest.Client, h *uitest.Server, begun *atomic.Int32, fail *atomic.Bool) {
	t.Helper()
	begun, fail = new(atomic.Int32), new(atomic.Bool)
	h = uitest.Serve(t, uitest.NewCounter(), exampleSection(begun, fail))
	v = h.NewClient(t)
	v.Login()
	return v, h, begun, fail
}

func TestOnce(t *testing.T) {
	v, _, begun, fail := serve(t)
	fail.Store(true)
	v.Post("/example/pay", http.StatusInternalServerError, "form", "f", "amount", "5")
	fail.Store(false)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if to := v.Post("/example/pay", http.StatusSeeOther, "form", "f", "amount", "5"); to != "/op/op1" {
				t.Errorf("it leads to %s", to)
			}
		})
	}
	wg.Wait()
	v.Post("/example/pay", http.StatusSeeOther, "form", "f", "amount", "6")
	v.Post("/example/pay", http.StatusSeeOther, "form", "g", "amount", "5")
	if n := begun.Load(); n != 3 {
		t.Errorf("%d operations were begun, want 3", n)
	}
	// Another session's form is another form.
	other, _, _, _ := serve(t)
	if to := other.Post("/example/pay", http.StatusSeeOther, "form", "f", "amount", "5"); to != "/op/op1" {
		t.Errorf("another counter: %s", to)
	}
}

func TestPages(t *testing.T) {
	v, h, _, _ := serve(t)
	page := v.Get("/example", http.StatusOK)
	uitest.Contains(t, page, "<h1>The example</h1>", "2 things", "Printer ready", "/page.css", "/page.js", `class="in-example on-form"`, `name="form"`,
		`name="here" value="/example"`, "Lakshmi Kirana Store")
	uitest.NotContains(t, v.Get("/example/bare", http.StatusOK), "Lakshmi Kirana Store", `id="chips"`, "/language")
	uitest.NotContains(t, v.Get("/example/lost", http.StatusInternalServerError), "inner reason")
	uitest.Contains(t, v.Get("/example/none", http.StatusInternalServerError), "This page has a fault")
	uitest.Contains(t, v.Get("/example/broken", http.StatusInternalServerError), "This page has a fault")
	uitest.Contains(t, v.Get("/example/elsewhere", http.StatusNotFound), "Page not found")
	if n := len(h.Kit.MenuItems(h.Kit.Current(v.RequestWithCookies("/example")))); n != 1 {
		t.Errorf("%d ways in", n)
	}
	if log := v.Transcript.String(); !strings.Contains(log, "at the example") || !strings.Contains(log, "example/nosuch") {
		t.Error("the log does not tell of the broken pages")
	}
}

// TestOwner: an operator can't open an owner's page by any method; and each needs the
// owner's PIN again.
func TestOwner(t *testing.T) {
	v, _, _, _ := serve(t)
	v.Get("/example/owner", http.StatusOK)
	uitest.NotContains(t, v.Post("/example/owner", http.StatusOK), "Enter your PIN again")
	v.GetRedirect("/enter?confirm=no&to=/example/owner")
	uitest.Contains(t, v.Get("/example/owner", http.StatusOK), "Enter your PIN again")
	uitest.Contains(t, v.Post("/example/owner", http.StatusOK), "Enter your PIN again")
	v.GetRedirect("/enter?role=operator&operator=2&name=Ravi&to=/example")
	uitest.Contains(t, v.Get("/example", http.StatusOK), "Ravi")
	uitest.Contains(t, v.Get("/example/owner", http.StatusForbidden), "Only the owner")
	uitest.Contains(t, v.Post("/example/owner", http.StatusForbidden), "Only the owner")
}

// TestSwitch: a new session locks the browser's former one, and LockUser those of a user.
func TestSwitch(t *testing.T) {
	v, h, _, _ := serve(t)
	first := h.Kit.Current(v.RequestWithCookies("/example"))
	if first == nil || first.Operator.Name != "Fatima" {
		t.Fatalf("the session is %+v", first)
	}
	v.GetRedirect("/enter?operator=2&name=Ravi")
	<-first.Done()
	if now := h.Kit.Current(v.RequestWithCookies("/example")); now == nil || now.Operator.ID != "2" {
		t.Errorf("the session is %+v", now)
	}
	h.Kit.LockUser("1")
	v.Get("/example", http.StatusOK)
	h.Kit.LockUser("2")
	if to := v.GetRedirect("/example?q=1&auto=1"); to != "/unlock?next="+url.QueryEscape("/example?q=1") {
		t.Errorf("a locked page leads to %s", to)
	}
	// A form's address leads back to the form's page.
	if to := v.Post("/example/pay", http.StatusSeeOther); to != "/unlock?next="+url.QueryEscape("/example") {
		t.Errorf("a locked step leads to %s", to)
	}
}

// TestLanguage: the language menu keeps the page, session and browser remember the choice,
// and the user's own language precedes the browser's.
func TestLanguage(t *testing.T) {
	v, _, _, _ := serve(t)
	v.Get("/example", http.StatusOK)
	if to := v.Post("/language", http.StatusSeeOther, "language", "hi", "here", "/example?x=1"); to != "/example?x=1" {
		t.Errorf("it leads to %s", to)
	}
	uitest.Contains(t, v.Get("/example", http.StatusOK), `<html lang="hi">`, "मेज़", "2 चीज़ें", "ऑनलाइन")
	v.Post("/language", http.StatusUnprocessableEntity, "language", "xx")
	v.Post("/language", http.StatusForbidden, "language", "ta", "csrf", "x")
	if to := v.Post("/language", http.StatusSeeOther, "language", "hi", "here", "//evil.example"); to != "/" {
		t.Errorf("it leads away: %s", to)
	}
	v.Post("/lock", http.StatusSeeOther)
	uitest.Contains(t, v.Get("/unlock", http.StatusOK), `<html lang="hi">`) // before anybody has unlocked
	v.Post("/language", http.StatusSeeOther, "language", "mr", "here", "/unlock")
	uitest.Contains(t, v.Get("/unlock", http.StatusOK), `<html lang="mr">`)
	v.GetRedirect("/enter?operator=2&language=hi")
	uitest.Contains(t, v.Get("/example", http.StatusOK), `<html lang="hi">`)
	// A section without a language shows English there, the kit does not.
	v.Post("/language", http.StatusSeeOther, "language", "ta", "here", "/example")
	uitest.Contains(t, v.Get("/example", http.StatusOK), "The example", "ஆன்லைன்")
	// The browser's preference, where nothing was chosen.
	fresh, _, _, _ := serve(t)
	fresh.HTTP.Jar = nil
	r := fresh.Request(http.MethodGet, "/unlock", nil)
	r.Header.Set("Accept-Language", "bn-IN,bn;q=0.9")
	if _, page := fresh.Do(r); !strings.Contains(page, `<html lang="bn">`) {
		t.Error("the browser's language is not spoken")
	}
}

func TestSaveLanguage(t *testing.T) {
	var kept []string
	kit, err := ui.New(uitest.NewCounter(), ui.Config{
		Name:   uitest.Hostname,
		Logger: slog.New(slog.DiscardHandler),
		SaveLanguage: func(_ context.Context, operator, language string) error {
			kept = append(kept, operator+" "+language)
			return errors.New("the disk is full")
		},
	}, uitest.LoginSection())
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.ServeKit(t, kit)
	v.Login()
	v.Post("/language", http.StatusSeeOther, "language", "te", "here", "/enter/done")
	uitest.Contains(t, v.Get("/enter/done", http.StatusOK), `<html lang="te">`) // although it could not be stored
	if len(kept) != 1 || kept[0] != "agent te" {
		t.Errorf("kept %q", kept)
	}
}

func TestCustomerLanguage(t *testing.T) {
	v, h, _, _ := serve(t)
	ses := h.Kit.Current(v.RequestWithCookies("/example"))
	for _, c := range [][2]string{{"", "en"}, {"hi", "hi"}, {"xx", "hi"}, {"ta", "ta"}} {
		ses.SetCustomerLanguage(c[0])
		if got := ses.CustomerLanguage(); got != c[1] {
			t.Errorf("after %q: %s, want %s", c[0], got, c[1])
		}
	}
}

// TestTwoCountersOnOneMachine: cookies do not depend on ports, and still the lock of one
// counter does not affect another's.
func TestTwoCountersOnOneMachine(t *testing.T) {
	first := uitest.Serve(t, uitest.NewCounter(), exampleSection(&atomic.Int32{}, &atomic.Bool{}))
	second := uitest.Serve(t, uitest.NewCounter(), exampleSection(&atomic.Int32{}, &atomic.Bool{}))
	here, there := uitest.NewClient(t, first.Base, nil), uitest.NewClient(t, second.Base, nil)
	there.HTTP.Jar = here.HTTP.Jar
	here.Get("/enter?to=/example", http.StatusSeeOther)
	there.Get("/example", http.StatusSeeOther) // locked: the browser gets a cookie for the PIN's form
	here.Get("/example", http.StatusOK)
	there.Get("/enter?to=/example", http.StatusSeeOther)
	here.Get("/example", http.StatusOK)
	there.Get("/example", http.StatusOK)
}
