package console

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"galla/central/operator"
)

// Room is a part of the console that stands in a package of its own: its pages
// pass the same guard, roles and tokens as the console's.
type Room interface {
	Routes() []Route
	// Ways are its entries of the bar.
	Ways() []Way
	// Files has its pages as templates/*.html, each with a template "main", its
	// shared pieces as templates/pieces/*.html, and its styles as static/*.css.
	// The names are used by no other room.
	Files() fs.FS
	// Done is what pages say after a step, by the name in the address.
	Done() map[string]string
}

// Route is one way into a room.
type Route struct {
	Pattern string // method and path, below Root
	Need    operator.Role
	// Free says why a form asks for no code of the second factor; empty: it does.
	Free string
	Do   func(v *Visit)
}

// Way is an entry of the bar.
type Way struct {
	Href, Title string
	Need        operator.Role
}

// Page is what a room gives to be shown; the fields are those of the templates.
type Page struct {
	Name, Title, Back, Alert, Fine string
	Data                           any
}

// Refusal is an error in words for people: what was asked for can't be done.
type Refusal struct {
	Status int
	Text   string // a sentence
}

func (e *Refusal) Error() string { return e.Text }

// Refuse makes a refusal of what was asked for as it was asked for.
func Refuse(format string, args ...any) error {
	return &Refusal{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// Visit is a request to a room, and its answer. Exactly one of Show, To, Fail and
// Say answers it.
type Visit struct {
	c  *Console
	w  http.ResponseWriter
	r  *http.Request
	in *visit
}

// Context is the request's.
func (v *Visit) Context() context.Context { return v.r.Context() }

// Path gives a part of the address that the route's pattern names.
func (v *Visit) Path(name string) string { return v.r.PathValue(name) }

// Query gives what stands behind the address.
func (v *Visit) Query() url.Values { return v.r.URL.Query() }

// Form gives a field of the form that was sent.
func (v *Visit) Form(name string) string { return v.r.PostForm.Get(name) }

// Sent tells whether the form had a field, empty or not.
func (v *Visit) Sent(name string) bool { return v.r.PostForm.Has(name) }

// Sure tells whether the person was asked once more, and said yes.
func (v *Visit) Sure() bool { return v.Form("sure") == "yes" }

// Role is what the visitor may do.
func (v *Visit) Role() operator.Role { return v.in.Role }

// Login names the visitor.
func (v *Visit) Login() string { return v.in.Login() }

// Note writes into the trail that the visitor looked at something.
func (v *Visit) Note(c operator.Change) error {
	return v.c.People.Note(v.Context(), v.in.Actor(), c)
}

// Do carries out a step under the trail (operator.Desk.Do).
func (v *Visit) Do(c operator.Change, step func(ctx context.Context) error) error {
	return v.c.People.Do(v.Context(), v.in.Actor(), c, step)
}

// Show answers with a page.
func (v *Visit) Show(status int, p Page) {
	v.c.render(v.w, v.r, v.in, status, page(p))
}

// To leads to another page; done names what it says.
func (v *Visit) To(path, done string) {
	if done != "" {
		sign := "?"
		if strings.Contains(path, sign) {
			sign = "&"
		}
		path += sign + "done=" + url.QueryEscape(done)
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}

// Fail answers with an error's words, or says that the log has it.
func (v *Visit) Fail(err error) { v.c.failed(v.w, v.r, v.in, err) }

// Told gives an error's words, to stand on the page that was sent; where it has
// none for people, ok is false and the request is answered.
func (v *Visit) Told(err error) (status int, text string, ok bool) {
	return v.c.refusal(v.w, v.r, v.in, err)
}

// roomRoutes are the routes of all rooms.
func (c *Console) roomRoutes() (all []route) {
	for _, room := range c.Rooms {
		for _, r := range room.Routes() {
			all = append(all, route{pattern: r.Pattern, need: r.Need, free: r.Free, do: func(w http.ResponseWriter, q *http.Request, in *visit) {
				r.Do(&Visit{c: c, w: w, r: q, in: in})
			}})
		}
	}
	return all
}

// roomWays are the bar's entries of all rooms.
func (c *Console) roomWays() (all []entry) {
	for _, room := range c.Rooms {
		for _, w := range room.Ways() {
			all = append(all, entry{Href: w.Href, Title: w.Title, need: w.Need})
		}
	}
	return all
}

// roomFiles are the files of all rooms.
func (p Parts) roomFiles() (all []fs.FS) {
	for _, room := range p.Rooms {
		all = append(all, room.Files())
	}
	return all
}

// roomSheets lists the styles of all rooms.
func (c *Console) roomSheets() (names []string) {
	for _, files := range c.roomFiles() {
		found, _ := fs.Glob(files, "static/*.css") // the pattern is right
		for _, name := range found {
			names = append(names, name[len("static/"):])
		}
	}
	return names
}

// roomDone is what a page of a room says after a step.
func (c *Console) roomDone(name string) string {
	for _, room := range c.Rooms {
		if text := room.Done()[name]; text != "" {
			return text
		}
	}
	return ""
}
