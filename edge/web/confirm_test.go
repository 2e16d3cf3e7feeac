package web_test

import (
	"io/fs"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"galla/edge/web"
	"galla/edge/web/webtest"
)

// safe is a room with an owner's acts.
type safe struct{ opened, set atomic.Int32 }

func (*safe) Name() string { return "safe" }

func (*safe) Files() fs.FS {
	return fstest.MapFS{"templates/in.html": {Data: []byte(`{{define "main"}}<h1>{{.Title}}</h1>{{end}}`)}}
}

func (s *safe) Register(mux *http.ServeMux, kit *web.Kit) {
	show := func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
		kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "safe/in", Title: "In the safe"})
	}
	mux.HandleFunc("GET /safe", kit.Get(kit.Confirmed(show)))
	mux.HandleFunc("POST /safe/open", kit.Post(kit.Confirmed(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
		s.opened.Add(1)
		show(w, r, ses)
	})))
	mux.HandleFunc("POST /safe/set", kit.Post(kit.Confirmed(func(w http.ResponseWriter, r *http.Request, ses *web.Session) {
		if r.PostForm.Get("colour") == "red" && r.PostForm.Get("other") == "" {
			s.set.Add(1)
		}
		show(w, r, ses)
	}, "colour")))
}

// TestConfirmed: an owner's act wants the PIN once more, whatever session asks, and
// nothing is done before.
func TestConfirmed(t *testing.T) {
	s := &safe{}
	v := webtest.Serve(t, webtest.NewCounter(), s).Visitor(t)
	enter := func(query string) {
		t.Helper()
		v.Leads("/enter?to=/enter/done&" + query)
		v.Get("/enter/done", http.StatusOK)
	}
	const asked, in = "Your PIN again", "In the safe"
	enter("confirm=no")
	webtest.Has(t, v.Get("/safe", http.StatusOK), asked, `action="/confirm?next=%2Fsafe"`)
	page := v.Post("/safe/open", http.StatusOK, "secret", "1234")
	webtest.Has(t, page, asked)
	webtest.HasNot(t, page, "1234")
	webtest.Has(t, v.Post("/confirm?next=/safe", http.StatusUnauthorized, "confirm", "1111"), "This PIN is wrong")
	v.Post("/confirm?next=/safe", http.StatusUnprocessableEntity, "confirm", "")
	v.Post("/safe/open", http.StatusUnauthorized, "confirm", "1111")
	if s.opened.Load() != 0 {
		t.Fatal("the act was taken without the PIN")
	}
	// What may go along does, and the act is taken with the PIN.
	page = v.Post("/safe/set", http.StatusOK, "colour", "red", "other", "9")
	webtest.Has(t, page, asked, `action="/safe/set"`, `name="colour" value="red"`)
	webtest.HasNot(t, page, `name="other"`)
	webtest.Has(t, v.Post("/safe/set", http.StatusOK, "colour", "red", "confirm", webtest.PIN), in)
	if s.set.Load() != 1 {
		t.Error("the act was not taken with the PIN")
	}
	webtest.Has(t, v.Post("/safe/open", http.StatusOK), in) // for some minutes
	webtest.Has(t, v.Get("/safe", http.StatusOK), in)
	if s.opened.Load() != 1 {
		t.Error("the confirmed act was not taken")
	}
	enter("confirm=no") // a new session has to be confirmed anew
	webtest.Has(t, v.Get("/safe", http.StatusOK), asked)
	if to := v.Post("/confirm?next=/safe", http.StatusSeeOther, "confirm", webtest.PIN); to != "/safe" {
		t.Errorf("the PIN leads to %s", to)
	}
	if to := v.Post("/confirm?next=//evil.example", http.StatusSeeOther, "confirm", webtest.PIN); to != "/" {
		t.Errorf("the PIN leads to %s", to)
	}
	enter("role=operator&operator=2&name=Ravi") // no PIN makes an operator an owner
	v.Get("/safe", http.StatusForbidden)
	v.Post("/safe/open", http.StatusForbidden, "confirm", webtest.PIN)
	webtest.Has(t, v.Get("/", http.StatusNotFound), "no such page")
}

// TestConfirmedInChromium: the page of the PIN is one that everybody can use.
func TestConfirmedInChromium(t *testing.T) {
	h := webtest.Serve(t, webtest.NewCounter(), &safe{})
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		for _, language := range []string{"ta", "hi", "en"} {
			b := webtest.Open(t, chromium, h.Base, size[0], size[1])
			b.Go("/enter?confirm=no&language=" + language + "&to=/safe")
			b.Focused("#confirm")
			b.Look("confirm-" + language)
			b.Press("2", "5", "8", "0", "\r")
			b.Reads("In the safe")
		}
	}
}
