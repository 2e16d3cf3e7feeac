package ui

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/op"
)

// Page is a page to render.
type Page struct {
	Name     string // "<section>/<page>"
	Title    string
	Back     string        // the target of the Escape key; empty: none
	Refresh  int           // reload interval without scripts, in seconds; 0: never
	Alert    string        // what went wrong with the last request
	Bare     bool          // without the bars, for customers' screens
	Customer *CustomerPage // set on a page for customers
	// Operation is the operation that the page shows and asks about; empty: none.
	Operation op.ID
	Payments  []op.ID // the payments by UPI, and their returns, that the page shows
	Data      any     // for the page's own template
}

// CustomerPage marks a page for customers: after a lock it reloads instead of asking for
// the PIN, using it does not count as activity, and it has the customer's language.
type CustomerPage struct {
	Words *i18n.Localizer
	Stale string // text while the program does not answer
}

// View is the data of templates: the page, and what the kit adds.
type View struct {
	Page
	Session     *Session // nil on a locked page
	Lang        string
	CSRF        string
	Form        string // unique for each rendered page; the piece "once" sends it
	Address     string // the page's own address
	Revision    string // of the state that the page shows
	Class       string
	Bar         statusBar
	Locked      bool   // the PIN was not given
	AutoRefresh string // without scripts: seconds and address
	Languages   []i18n.Language
}

// Problem is what was wrong with the form that a page answers; the zero value is nothing.
type Problem struct {
	Status int               // of the reply; 0: 200
	Alert  string            // of the whole page
	Fields map[string]string // texts by field
}

// Show returns the handler that opens a page, where nothing is wrong yet.
func Show(render func(http.ResponseWriter, *http.Request, *Session, Problem)) Handler {
	return func(w http.ResponseWriter, r *http.Request, ses *Session) { render(w, r, ses, Problem{}) }
}

// Render writes a page, or only its parts for a script. The page is complete before the
// first byte is sent. Without a session (nil) the page shows the locked state, and the
// browser gets a cookie for its form token. Status 0 is 200.
func (k *Kit) Render(w http.ResponseWriter, r *http.Request, ses *Session, status int, p Page) {
	words := k.words(r, ses)
	if p.Customer != nil {
		words = p.Customer.Words
	}
	v, err := k.view(w, r, ses, words, p)
	var b bytes.Buffer
	if err == nil {
		err = k.execute(&b, words, v, IsPartial(r))
	}
	if err != nil {
		k.log.Error("a page can't be rendered", "page", p.Name, "error", err)
		http.Error(w, words.Text("error.broken"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(status, http.StatusOK))
	_, _ = w.Write(b.Bytes()) // the browser may have gone
}

func (k *Kit) words(r *http.Request, ses *Session) *i18n.Localizer {
	if ses != nil {
		return ses.Words()
	}
	return k.WordsOf(r)
}

func (k *Kit) execute(b *bytes.Buffer, words *i18n.Localizer, v View, parts bool) error {
	t, err := k.templates.localize(words, v.Name)
	if err != nil {
		return err
	}
	whole := "document"
	if parts {
		whole = "parts"
	}
	return t.ExecuteTemplate(b, whole, v)
}

func (k *Kit) view(w http.ResponseWriter, r *http.Request, ses *Session, words *i18n.Localizer, p Page) (View, error) {
	v := View{Page: p, Session: ses, Lang: words.Code(), Locked: ses == nil, Languages: i18n.Languages(), Address: k.pageAddress(r), Revision: revisionOf(r)}
	form, err := k.sessions.newToken()
	if err != nil {
		return v, err
	}
	v.Form = form
	id := sessionCookieOf(r)
	if ses != nil {
		id = ses.id
	} else if id == "" {
		if id, err = k.sessions.newToken(); err != nil {
			return v, err
		}
		setSessionCookie(w, r, id)
	}
	v.CSRF = k.sessions.csrfToken(id)
	if p.Refresh > 0 {
		v.AutoRefresh = strconv.Itoa(p.Refresh) + ";url=" + k.refreshAddress(r)
	}
	section := path.Dir(p.Name)
	v.Class = "in-" + section + " on-" + path.Base(p.Name)
	if !p.Bare {
		k.markShown(r, ses, p)
		st := k.counter.Status()
		v.Bar = k.makeStatusBar(words, st, ses)
		v.Bar.Cash = k.openCashBar(r, words, st, ses, p.Operation)
		v.Bar.Payments = k.makePaymentBar(words, st, ses, p)
	}
	return v, nil
}

// pageAddress returns the page's address without the parameters of refreshes; for a form's
// answer, the address of the form's page.
func (k *Kit) pageAddress(r *http.Request) string {
	u := *r.URL
	if r.Method == http.MethodPost {
		u.Path = k.parentPage(u.Path)
	}
	return withoutTransient(&u)
}

// refreshAddress returns the page's address, marked so that a refresh does not count as
// activity.
func (k *Kit) refreshAddress(r *http.Request) string {
	to := k.pageAddress(r)
	if strings.Contains(to, "?") {
		return to + "&auto=1"
	}
	return to + "?auto=1"
}

// Message shows a page with the texts <key>.title and <key>.
func (k *Kit) Message(w http.ResponseWriter, r *http.Request, ses *Session, status int, key string, vars ...any) {
	words := k.words(r, ses)
	k.Render(w, r, ses, status, Page{
		Name: "ui/message", Title: words.Text(key+".title", vars...), Back: "/",
		Data: struct{ Title, Text string }{words.Text(key+".title", vars...), words.Text(key, vars...)},
	})
}

// FindOperation looks up the operation of the path's {id}. Errors are those of find;
// edge.ErrNotFound for what is no id.
func FindOperation(r *http.Request, find func(op.ID) (edge.View, error)) (edge.View, error) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		return edge.View{}, edge.ErrNotFound
	}
	return find(id)
}

// NotFound answers for unknown paths.
func (k *Kit) NotFound(w http.ResponseWriter, r *http.Request, ses *Session) {
	k.Message(w, r, ses, http.StatusNotFound, "error.not-found")
}

// Fail answers for an error of the counter: edge.ErrNotFound as such, anything else as a
// disk fault, which is logged.
func (k *Kit) Fail(w http.ResponseWriter, r *http.Request, ses *Session, err error) {
	if errors.Is(err, edge.ErrNotFound) {
		k.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	k.log.Error("an operation can't be shown", "path", r.URL.Path, "error", err)
	k.Message(w, r, ses, http.StatusInternalServerError, "error.disk")
}
