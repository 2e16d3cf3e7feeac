package web

import (
	"bytes"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/look"
	"galla/shared/op"
)

// Page is what a room gives to be shown.
type Page struct {
	Name    string // "<room>/<page>"
	Title   string
	Back    string // where Escape leads; empty: nowhere
	Refresh int    // seconds after which a page without scripts looks again; 0: never
	Alert   string // something went wrong with what was just asked
	Bare    bool   // without the bar: for screens that customers see
	Front   *Front // of a page that faces a customer
	// Operation is the one that the page shows and asks about; empty: none.
	Operation op.ID
	Data      any // of the page's own template
}

// Front makes a page one that faces a customer: a lock does not lead it to the
// PIN, it looks again instead; a touch of it keeps nothing unlocked; and it
// speaks the customer's language.
type Front struct {
	Words *words.Words
	Stale string // what it says while the counter's program does not answer
}

// View is what templates get: the page, and what the kit adds.
type View struct {
	Page
	Session   *Session // nil on a locked screen
	Lang      string
	CSRF      string
	Form      string // differs with each page shown; the piece "once" sends it
	Here      string // the page's own address
	Class     string
	Bar       bar
	Locked    bool   // the PIN was not given
	Looks     string // of a page without scripts: seconds, and the address
	Languages []words.Language
	Styles    []string
	Scripts   []string
}

// Render writes a page, or only its parts where a script asked for them. The
// page is made whole before the first byte is sent. Without a session (nil) the
// screen is shown as locked, and the browser gets a cookie for its form's token.
func (k *Kit) Render(w http.ResponseWriter, r *http.Request, ses *Session, status int, p Page) {
	said := k.said(r, ses)
	if p.Front != nil {
		said = p.Front.Words
	}
	v, err := k.view(w, r, ses, said, p)
	var b bytes.Buffer
	if err == nil {
		err = k.execute(&b, said, v, Part(r))
	}
	if err != nil {
		k.log.Error("a page can't be made", "page", p.Name, "error", err)
		http.Error(w, said.Say("error.broken"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that went away needs no answer
}

// said gives the words of a page.
func (k *Kit) said(r *http.Request, ses *Session) *words.Words {
	if ses != nil {
		return ses.Words()
	}
	return k.WordsOf(r)
}

func (k *Kit) execute(b *bytes.Buffer, said *words.Words, v View, parts bool) error {
	t, err := k.pages.in(said, v.Name)
	if err != nil {
		return err
	}
	whole := "document"
	if parts {
		whole = "parts"
	}
	return t.ExecuteTemplate(b, whole, v)
}

func (k *Kit) view(w http.ResponseWriter, r *http.Request, ses *Session, said *words.Words, p Page) (View, error) {
	v := View{Page: p, Session: ses, Lang: said.Code(), Locked: ses == nil, Languages: words.Languages(), Here: k.address(r)}
	form, err := k.sessions.mint()
	if err != nil {
		return v, err
	}
	v.Form = form
	id := cookieOf(r)
	if ses != nil {
		id = ses.id
	} else if id == "" {
		if id, err = k.sessions.mint(); err != nil {
			return v, err
		}
		setCookie(w, r, id)
	}
	v.CSRF = k.sessions.token(id)
	if p.Refresh > 0 {
		v.Looks = strconv.Itoa(p.Refresh) + ";url=" + k.auto(r)
	}
	room := path.Dir(p.Name)
	v.Class = "in-" + room + " on-" + path.Base(p.Name)
	v.Styles, v.Scripts = append(look.Sheets(), "cash.css"), []string{"kit.js"}
	if k.static.has(room + ".css") {
		v.Styles = append(v.Styles, room+".css")
	}
	if k.static.has(room + ".js") {
		v.Scripts = append(v.Scripts, room+".js")
	}
	if !p.Bare {
		st := k.counter.Status()
		v.Bar = k.status(said, st, ses)
		v.Bar.Cash = k.open(r, said, st, ses, p.Operation)
	}
	return v, nil
}

// address is the page's own address, without what is of the moment; of what a
// step answered, that of the page that it was on.
func (k *Kit) address(r *http.Request) string {
	u := *r.URL
	if r.Method == http.MethodPost {
		u.Path = k.pageOf(u.Path)
	}
	return here(&u)
}

// auto is the page's own address, marked so that its refresh is no touch.
func (k *Kit) auto(r *http.Request) string {
	to := k.address(r)
	if strings.Contains(to, "?") {
		return to + "&auto=1"
	}
	return to + "?auto=1"
}

// Message shows a page with one text, title and body of a key: <key>.title and
// <key>.
func (k *Kit) Message(w http.ResponseWriter, r *http.Request, ses *Session, status int, key string, vars ...any) {
	said := k.said(r, ses)
	k.Render(w, r, ses, status, Page{
		Name: "web/message", Title: said.Say(key+".title", vars...), Back: "/",
		Data: struct{ Title, Text string }{said.Say(key+".title", vars...), said.Say(key, vars...)},
	})
}

// Nowhere answers for paths that do not exist.
func (k *Kit) Nowhere(w http.ResponseWriter, r *http.Request, ses *Session) {
	k.Message(w, r, ses, http.StatusNotFound, "error.nowhere")
}

// Failed answers for what could not be read or changed: edge.ErrNotFound as
// such, and everything else as a fault of the disk, which is logged.
func (k *Kit) Failed(w http.ResponseWriter, r *http.Request, ses *Session, err error) {
	if errors.Is(err, edge.ErrNotFound) {
		k.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	k.log.Error("an operation can't be shown", "path", r.URL.Path, "error", err)
	k.Message(w, r, ses, http.StatusInternalServerError, "error.disk")
}
