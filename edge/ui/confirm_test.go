package ui_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"galla/edge/ui"
	"galla/edge/ui/uitest"
)

// safe is a section with owner pages.
type safe struct{ opened, set atomic.Int32 }

func (s *safe) Contents(kit *ui.Kit) ui.Contents {
	show := func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
		kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "safe/in", Title: "In the safe"})
	}
	open := func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
		s.opened.Add(1)
		show(w, r, ses)
	}
	set := func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
		if r.PostForm.Get("colour") == "red" && r.PostForm.Get("other") == "" {
			s.set.Add(1)
		}
		show(w, r, ses)
	}
	return ui.Contents{
		Name:  "safe",
		Files: fstest.MapFS{"templates/in.html": {Data: []byte(`{{define "main"}}<h1>{{.Title}}</h1>{{end}}`)}},
		Pages: map[string]ui.Handler{"GET /safe": kit.OwnerConfirmed(show), "POST /safe/open": kit.OwnerConfirmed(open), "POST /safe/set": kit.OwnerConfirmed(set, "colour")},
	}
}

// TestOwnerConfirmed: an owner's form needs the PIN again in any session, and does nothing
// before.
func TestOwnerConfirmed(t *testing.T) {
	s := &safe{}
	v := uitest.Serve(t, uitest.NewCounter(), s).NewClient(t)
	enter := func(query string) {
		t.Helper()
		v.GetRedirect("/enter?to=/enter/done&" + query)
		v.Get("/enter/done", http.StatusOK)
	}
	const asked, in = "Enter your PIN again", "In the safe"
	enter("confirm=no")
	uitest.Contains(t, v.Get("/safe", http.StatusOK), asked, `action="/confirm?next=%2Fsafe"`)
	page := v.Post("/safe/open", http.StatusOK, "secret", "1234")
	uitest.Contains(t, page, asked)
	uitest.NotContains(t, page, "1234")
	uitest.Contains(t, v.Post("/confirm?next=/safe", http.StatusUnauthorized, "confirm", "1111"), "Wrong PIN")
	v.Post("/confirm?next=/safe", http.StatusUnprocessableEntity, "confirm", "")
	v.Post("/safe/open", http.StatusUnauthorized, "confirm", "1111")
	if s.opened.Load() != 0 {
		t.Fatal("the act was taken without the PIN")
	}
	// Kept fields are sent again, and the form is handled with the PIN.
	page = v.Post("/safe/set", http.StatusOK, "colour", "red", "other", "9")
	uitest.Contains(t, page, asked, `action="/safe/set"`, `name="colour" value="red"`)
	uitest.NotContains(t, page, `name="other"`)
	uitest.Contains(t, v.Post("/safe/set", http.StatusOK, "colour", "red", "confirm", uitest.PIN), in)
	if s.set.Load() != 1 {
		t.Error("the act was not taken with the PIN")
	}
	uitest.Contains(t, v.Post("/safe/open", http.StatusOK), in) // for some minutes
	uitest.Contains(t, v.Get("/safe", http.StatusOK), in)
	if s.opened.Load() != 1 {
		t.Error("the confirmed act was not taken")
	}
	enter("confirm=no") // a new session needs a new confirmation
	uitest.Contains(t, v.Get("/safe", http.StatusOK), asked)
	if to := v.Post("/confirm?next=/safe", http.StatusSeeOther, "confirm", uitest.PIN); to != "/safe" {
		t.Errorf("the PIN leads to %s", to)
	}
	if to := v.Post("/confirm?next=//evil.example", http.StatusSeeOther, "confirm", uitest.PIN); to != "/" {
		t.Errorf("the PIN leads to %s", to)
	}
	enter("role=operator&operator=2&name=Ravi") // no PIN makes an operator an owner
	v.Get("/safe", http.StatusForbidden)
	v.Post("/safe/open", http.StatusForbidden, "confirm", uitest.PIN)
	uitest.Contains(t, v.Get("/", http.StatusNotFound), "Page not found")
}

// TestChromiumConfirmed: the page of the PIN is accessible.
func TestChromiumConfirmed(t *testing.T) {
	h := uitest.Serve(t, uitest.NewCounter(), &safe{})
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		for _, language := range []string{"ta", "hi", "en"} {
			b := uitest.Open(t, chromium, h.Base, size[0], size[1])
			b.Navigate("/enter?confirm=no&language=" + language + "&to=/safe")
			b.WaitForFocus("#confirm")
			b.Check("confirm-" + language)
			b.Press("2", "5", "8", "0", "\r")
			b.WaitForHeading("In the safe")
		}
	}
}
