// Package crew is the pages on which an owner manages the operators of the
// counter, and each operator changes an own PIN.
//
// It promises that only an owner sees and does what is an owner's (the kit asks
// the session and for the PIN once more, package people the list as it is now),
// that a PIN or an Aadhaar
// number is never sent back to a page, that nobody is put out or gets another
// role by one press, and that whoever is put out, or gets another PIN or role,
// is locked out of every open page at once.
//
//	form ──► people.People (judges, keeps on disk) ──► the page, as the list has it
package crew

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"galla/edge"
	"galla/edge/people"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/secret"
)

//go:embed templates messages icons static
var files embed.FS

// People is what the pages need of people.People, with its errors.
type People interface {
	All() []people.Person
	Add(by string, n people.NewPerson) (edge.Operator, error)
	Rename(by, id, name string) error
	SetRole(by, id string, role edge.Role) error
	SetAadhaar(by, id string, number secret.Aadhaar) error
	ResetPIN(by, id string, pin secret.OTP) error
	PutOut(by, id string) error
	TakeIn(by, id string, pin secret.OTP) error
	ChangePIN(ctx context.Context, id string, old, pin secret.OTP) error
}

// Room is the pages.
type Room struct {
	people People
	kit    *web.Kit
}

// New makes the room.
func New(p People) (*Room, error) {
	if p == nil {
		return nil, errors.New("the pages of the operators need the operators")
	}
	return &Room{people: p}, nil
}

// Name implements web.Room.
func (c *Room) Name() string { return "crew" }

// Files implements web.Room.
func (c *Room) Files() fs.FS { return files }

// Register implements web.Room.
func (c *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	c.kit = kit
	mux.HandleFunc("GET /people", kit.Get(kit.Confirmed(c.list)))
	mux.HandleFunc("POST /people/add", kit.Post(kit.Confirmed(c.add)))
	mux.HandleFunc("GET /people/{id}", kit.Get(kit.Confirmed(c.one)))
	// A page that answers a form asks its own address for news, and a lock comes
	// back to it.
	mux.HandleFunc("GET /people/add", kit.Get(kit.Confirmed(c.list)))
	mux.HandleFunc("GET /people/{id}/{step}", kit.Get(kit.Confirmed(c.one)))
	mux.HandleFunc("POST /people/{id}/{step}", kit.Post(kit.Confirmed(c.step)))
	mux.HandleFunc("GET /pin", kit.Get(c.pin))
	mux.HandleFunc("POST /pin", kit.Post(c.change))
}

// Entries implements web.Entrance.
func (c *Room) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	own := web.Entry{Href: "/pin", Icon: "lock", Title: w.Say("crew.pin.title"), Hint: w.Say("crew.pin.hint")}
	if ses.Operator.Role != edge.RoleOwner {
		return []web.Entry{own}
	}
	return []web.Entry{{Href: "/people", Icon: "crew", Title: w.Say("crew.title"), Hint: w.Say("crew.hint")}, own}
}

// page is what the templates show.
type page struct {
	People web.Table
	ID     string
	Works  bool
	Role   web.Choice
	Own    bool   // the page is the owner's who looks at it
	State  string // role, and what keeps the operator out
	Name   web.Field
	PIN    web.Field
	Again  web.Field
	Old    web.Field
	Number web.Field
}

func fields(w *words.Words, name string) page {
	return page{
		Name:   web.Field{Name: "name", Label: w.Say("crew.name"), Value: name, Max: people.MaxName, Missing: w.Say("crew.error.name")},
		PIN:    web.Field{Name: "pin", Kind: web.PIN, Label: w.Say("crew.pin.new"), Hint: w.Say("crew.error.length"), Max: people.MaxPIN, Missing: w.Say("crew.error.length")},
		Again:  web.Field{Name: "again", Kind: web.PIN, Label: w.Say("crew.pin.again"), Max: people.MaxPIN, Missing: w.Say("crew.pin.again.missing")},
		Old:    web.Field{Name: "old", Kind: web.PIN, Label: w.Say("crew.pin.old"), Max: people.MaxPIN, Focus: true, Missing: w.Say("crew.error.length")},
		Number: web.Field{Name: "number", Kind: web.Digits, Label: w.Say("crew.number"), Hint: w.Say("crew.number.hint"), Max: 14},
		Role:   roles(w, edge.RoleOperator),
	}
}

func roles(w *words.Words, chosen edge.Role) web.Choice {
	c := web.Choice{Name: "role", Label: w.Say("crew.role")}
	for _, r := range []edge.Role{edge.RoleOperator, edge.RoleOwner} {
		c.Options = append(c.Options, web.Option{Value: string(r), Text: w.Say("crew.role." + string(r)), Chosen: r == chosen})
	}
	return c
}

func (c *Room) list(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	c.showList(w, r, ses, refusal{status: http.StatusOK})
}

func (c *Room) showList(w http.ResponseWriter, r *http.Request, ses *web.Session, why refusal) {
	said := ses.Words()
	d := fields(said, r.PostForm.Get("name"))
	if r.PostForm.Get("role") == string(edge.RoleOwner) {
		d.Role = roles(said, edge.RoleOwner)
	}
	d.People = web.Table{Caption: said.Say("crew.title"), Heads: []web.Head{{Text: said.Say("crew.name")}, {Text: said.Say("crew.role")}}}
	for _, p := range c.people.All() {
		d.People.Rows = append(d.People.Rows, []web.Cell{{Text: p.Name, Href: "/people/" + p.ID}, {Text: state(said, p)}})
	}
	alert := why.mark(&d)
	c.kit.Render(w, r, ses, why.status, web.Page{Name: "crew/list", Title: said.Say("crew.title"), Back: "/", Alert: alert, Data: d})
}

// state is an operator's role, or that there is none any more, and what keeps
// the operator out.
func state(w *words.Words, p people.Person) string {
	if !p.Working {
		return w.Say("crew.left")
	}
	out := w.Say("crew.role." + string(p.Role))
	if p.Given {
		out += " · " + w.Say("crew.given")
	}
	if p.Wait > 0 {
		out += " · " + w.Say("crew.waits", "span", w.Span(p.Wait.Round(time.Second)))
	}
	return out
}

func (c *Room) add(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	n := people.NewPerson{Name: r.PostForm.Get("name"), Role: edge.Role(r.PostForm.Get("role")), PIN: secret.NewOTP(r.PostForm.Get("pin"))}
	var err error
	if typed := strings.TrimSpace(r.PostForm.Get("number")); typed != "" {
		n.Aadhaar, err = number(typed)
	}
	if err == nil {
		_, err = c.people.Add(ses.Operator.ID, n)
	}
	if why := refuses(ses.Words(), err); why.text != "" {
		c.showList(w, r, ses, why)
		return
	}
	c.done(w, r, ses, err, "/people")
}

// What the pages refuse themselves, without what was typed.
var (
	errNumber = errors.New("this is no Aadhaar number")
	errAgain  = errors.New("the new PIN and its repetition differ")
)

func number(typed string) (secret.Aadhaar, error) {
	n, err := secret.ParseAadhaar(strings.ReplaceAll(typed, " ", ""))
	if err != nil {
		return secret.Aadhaar{}, errNumber
	}
	return n, nil
}

// find gives the operator of the path.
func (c *Room) find(r *http.Request) (people.Person, bool) {
	for _, p := range c.people.All() {
		if p.ID == r.PathValue("id") {
			return p, true
		}
	}
	return people.Person{}, false
}

func (c *Room) one(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	c.showOne(w, r, ses, refusal{status: http.StatusOK})
}

func (c *Room) showOne(w http.ResponseWriter, r *http.Request, ses *web.Session, why refusal) {
	p, ok := c.find(r)
	if !ok {
		c.kit.Nowhere(w, r, ses)
		return
	}
	said := ses.Words()
	d := fields(said, p.Name)
	d.ID, d.Works, d.Role, d.Own, d.State = p.ID, p.Working, roles(said, p.Role), p.ID == ses.Operator.ID, state(said, p)
	if p.Aadhaar != "" {
		d.Number.Hint = p.Aadhaar
	}
	alert := why.mark(&d)
	c.kit.Render(w, r, ses, why.status, web.Page{Name: "crew/one", Title: p.Name, Back: "/people", Alert: alert, Data: d})
}

// step takes one step on one operator.
func (c *Room) step(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	by, id, form := ses.Operator.ID, r.PathValue("id"), r.PostForm
	if form.Get("sure") == "" && c.asks(w, r, ses) {
		return
	}
	pin, locks := secret.NewOTP(form.Get("pin")), true
	var err error
	switch r.PathValue("step") {
	case "name":
		err = c.people.Rename(by, id, form.Get("name"))
	case "role":
		err = c.people.SetRole(by, id, edge.Role(form.Get("role")))
	case "pin":
		err = c.people.ResetPIN(by, id, pin)
	case "number":
		var n secret.Aadhaar
		if n, err = number(form.Get("number")); err == nil {
			err = c.people.SetAadhaar(by, id, n)
		}
		locks = false
	case "out":
		err = c.people.PutOut(by, id)
	case "in":
		err = c.people.TakeIn(by, id, pin)
	default:
		c.kit.Nowhere(w, r, ses)
		return
	}
	if why := refuses(ses.Words(), err); why.text != "" {
		c.showOne(w, r, ses, why)
		return
	}
	if err == nil && locks { // open pages have the old name, role and right
		c.kit.LockAll(id)
	}
	c.done(w, r, ses, err, "/people")
}

// question is what the page of a confirmation shows.
type question struct {
	ID, Step, Role string
	Lead, Do       string
}

// asks shows what a step means before it is taken, where it takes an operator's
// rights or gives them all. A role that stays, and an operator who is not here,
// need no question.
func (c *Room) asks(w http.ResponseWriter, r *http.Request, ses *web.Session) bool {
	p, ok := c.find(r)
	q := question{ID: p.ID, Step: r.PathValue("step"), Role: r.PostForm.Get("role")}
	about := q.Step
	if q.Step == "role" {
		about = q.Role
	}
	switch {
	case !ok || !p.Working:
		return false
	case about != "out" && (about == string(p.Role) || about != string(edge.RoleOwner) && about != string(edge.RoleOperator)):
		return false
	}
	said := ses.Words()
	q.Lead, q.Do = said.Say("crew.sure."+about+".lead", "name", p.Name), said.Say("crew.sure."+about+".do")
	c.kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "crew/sure", Title: said.Say("crew.sure."+about, "name", p.Name), Data: q})
	return true
}

func (c *Room) pin(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	c.showPIN(w, r, ses, refusal{status: http.StatusOK})
}

func (c *Room) showPIN(w http.ResponseWriter, r *http.Request, ses *web.Session, why refusal) {
	said := ses.Words()
	d := fields(said, "")
	alert := why.mark(&d)
	c.kit.Render(w, r, ses, why.status, web.Page{Name: "crew/pin", Title: said.Say("crew.pin.title"), Back: "/", Alert: alert, Data: d})
}

func (c *Room) change(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	err := errAgain
	if r.PostForm.Get("again") == r.PostForm.Get("pin") {
		err = c.people.ChangePIN(c.inBrowser(r), ses.Operator.ID, secret.NewOTP(r.PostForm.Get("old")), secret.NewOTP(r.PostForm.Get("pin")))
	}
	if why := refuses(ses.Words(), err); why.text != "" {
		c.showPIN(w, r, ses, why)
		return
	}
	c.done(w, r, ses, err, "/")
}

// inBrowser says of a request's context in which browser it comes.
func (c *Room) inBrowser(r *http.Request) context.Context {
	mark, err := c.kit.Mark(r)
	if err != nil {
		return r.Context()
	}
	return people.InBrowser(r.Context(), mark)
}

// refusal is why a step was refused: a text, and the field that it is about.
type refusal struct {
	text   string
	field  string // empty: it is about none of the page
	status int
}

// mark puts the text where it belongs: to its field, which is where the page then
// begins, or above everything.
func (f refusal) mark(d *page) (alert string) {
	for _, field := range []*web.Field{&d.Name, &d.Old, &d.PIN, &d.Again, &d.Number} {
		field.Focus = field.Focus && f.field == ""
		if field.Name == f.field && f.text != "" {
			field.Error, field.Focus = f.text, true
			return ""
		}
	}
	return f.text
}

// refuses says why a step was refused; without a text, it was not.
func refuses(w *words.Words, err error) refusal {
	var wrong *edge.PINError
	if errors.As(err, &wrong) {
		if wrong.Wait > 0 {
			return refusal{w.Say("crew.error.wait", "span", w.Span(wrong.Wait)), "old", http.StatusTooManyRequests}
		}
		return refusal{w.Say("crew.error.pin"), "old", http.StatusForbidden}
	}
	for _, known := range []struct {
		err        error
		key, field string
	}{
		{people.ErrLastOwner, "last", ""}, {people.ErrName, "name", "name"}, {people.ErrNameTaken, "taken", "name"},
		{people.ErrPINLength, "length", "pin"}, {people.ErrPINEasy, "easy", "pin"}, {people.ErrPINSame, "same", "pin"},
		{errAgain, "differs", "again"}, {people.ErrPINOwn, "own", ""}, {people.ErrTooMany, "many", ""},
		{people.ErrRole, "role", ""}, {people.ErrNotOwner, "owner", ""}, {people.ErrLeft, "left", ""}, {errNumber, "number", "number"},
	} {
		if errors.Is(err, known.err) {
			return refusal{w.Say("crew.error." + known.key), known.field, http.StatusUnprocessableEntity}
		}
	}
	return refusal{}
}

func (c *Room) done(w http.ResponseWriter, r *http.Request, ses *web.Session, err error, next string) {
	switch {
	case errors.Is(err, edge.ErrNotFound):
		c.kit.Nowhere(w, r, ses)
	case err != nil:
		c.kit.Failed(w, r, ses, err)
	default:
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
}
