// Package users holds the unlock page, the pages on which an owner manages the users of the
// counter, and the page where each user changes the own PIN.
//
// Only an owner can use the owner's pages: the kit checks session and PIN, package
// edge/users the stored list. A PIN or Aadhaar number is never sent back to a page.
// Disabling a user or changing a role needs a confirmation, and locks that user out of
// every open page at once, as does a new PIN. Forms enter, edge/users checks and stores
// them, and the page shows the stored list.
package users

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/edge/users"
	"galla/shared/secret"
)

//go:embed templates messages icons static
var files embed.FS

// Users is what the pages need of users.Users, with its errors.
type Users interface {
	All() []users.User
	Add(by string, n users.NewUser) (edge.User, error)
	Rename(by, id, name string) error
	SetRole(by, id string, role edge.Role) error
	SetAadhaar(by, id string, number secret.Aadhaar) error
	ResetPIN(by, id string, pin secret.OTP) error
	Disable(by, id string) error
	Enable(by, id string, pin secret.OTP) error

	// EnabledUsers returns the users who may unlock the counter, and how long a user has to
	// wait. The context of this, CheckPIN and ChangePIN names the browser (users.WithBrowser).
	EnabledUsers(ctx context.Context) []edge.User
	// CheckPIN returns the user of a right PIN. Errors: *edge.PINError, edge.ErrNotFound,
	// users.ErrPINMustChange.
	CheckPIN(ctx context.Context, id string, pin secret.OTP) (edge.User, error)
	// ChangePIN sets a user's own PIN. Errors: *edge.PINError, those of users.CheckNewPIN,
	// users.ErrPINSame.
	ChangePIN(ctx context.Context, id string, old, pin secret.OTP) error
}

// Pages is the section of the users' pages.
type Pages struct {
	users       Users
	log         *slog.Logger
	kit         *ui.Kit
	unlockState unlockStore
}

// New makes the section. An error means that a dependency is missing.
func New(p Users, log *slog.Logger) (*Pages, error) {
	if p == nil || log == nil {
		return nil, errors.New("the pages of users need the users and a logger")
	}
	return &Pages{users: p, log: log}, nil
}

// Contents implements ui.Section. A page that answers a form refreshes from its own
// address, and an unlock returns to it: so addresses of forms are pages, too.
func (c *Pages) Contents(kit *ui.Kit) ui.Contents {
	c.kit = kit
	list, user := kit.OwnerConfirmed(ui.Show(c.renderList)), kit.OwnerConfirmed(ui.Show(c.renderUser))
	return ui.Contents{
		Name: "users", Files: files,
		Menu: []ui.MenuItem{
			{Href: "/users", Icon: "users", Title: "users.title", Hint: "users.hint", Owner: true},
			{Href: "/pin", Icon: "lock", Title: "users.pin.title", Hint: "users.pin.hint"},
		},
		Open: map[string]http.HandlerFunc{"GET /unlock": c.showUnlock, "POST /unlock": c.checkUnlock},
		Pages: map[string]ui.Handler{
			"GET /users":              list,
			"GET /users/add":          list,
			"POST /users/add":         kit.OwnerConfirmed(c.addUser),
			"GET /users/{id}":         user,
			"GET /users/{id}/{step}":  user,
			"POST /users/{id}/{step}": kit.OwnerConfirmed(c.takeStep),
			"GET /pin":                ui.Show(c.renderPIN),
			"POST /pin":               c.changePIN,
		},
	}
}

type userData struct {
	Users   ui.Table
	ID      string
	Enabled bool
	Role    ui.Choice
	Own     bool   // the page is the owner's own
	State   string // role, and what keeps the user from unlocking
	Name    ui.Field
	PIN     ui.Field
	Again   ui.Field
	Old     ui.Field
	Number  ui.Field
}

func fields(w *i18n.Localizer, name string) userData {
	return userData{
		Name:   ui.Field{Name: "name", Label: w.Text("users.name"), Value: name, Max: users.MaxName, Missing: w.Text("users.error.name")},
		PIN:    ui.Field{Name: "pin", Kind: ui.PIN, Label: w.Text("users.pin.new"), Hint: w.Text("users.error.length"), Max: users.MaxPIN, Missing: w.Text("users.error.length")},
		Again:  ui.Field{Name: "again", Kind: ui.PIN, Label: w.Text("users.pin.again"), Max: users.MaxPIN, Missing: w.Text("users.pin.again.missing")},
		Old:    ui.Field{Name: "old", Kind: ui.PIN, Label: w.Text("users.pin.old"), Max: users.MaxPIN, Focus: true, Missing: w.Text("users.error.length")},
		Number: ui.Field{Name: "number", Kind: ui.Digits, Label: w.Text("users.number"), Hint: w.Text("users.number.hint"), Max: 14},
		Role:   roles(w, edge.RoleOperator),
	}
}

func roles(w *i18n.Localizer, chosen edge.Role) ui.Choice {
	c := ui.Choice{Name: "role", Label: w.Text("users.role")}
	for _, r := range []edge.Role{edge.RoleOperator, edge.RoleOwner} {
		c.Options = append(c.Options, ui.Option{Value: string(r), Text: w.Text("users.role." + string(r)), Chosen: r == chosen})
	}
	return c
}

func (c *Pages) renderList(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	words := ses.Words()
	d := fields(words, r.PostForm.Get("name"))
	if r.PostForm.Get("role") == string(edge.RoleOwner) {
		d.Role = roles(words, edge.RoleOwner)
	}
	d.Users = ui.Table{Caption: words.Text("users.title"), Heads: []ui.Head{{Text: words.Text("users.name")}, {Text: words.Text("users.role")}}}
	for _, p := range c.users.All() {
		d.Users.Rows = append(d.Users.Rows, []ui.Cell{{Text: p.Name, Href: "/users/" + p.ID}, {Text: userState(words, p)}})
	}
	d.show(wrong)
	c.kit.Render(w, r, ses, wrong.Status, ui.Page{Name: "users/list", Title: words.Text("users.title"), Back: "/", Alert: wrong.Alert, Data: d})
}

// userState describes a user's role, or that the user is disabled, and what keeps the user
// from unlocking.
func userState(w *i18n.Localizer, p users.User) string {
	if !p.Enabled {
		return w.Text("users.disabled")
	}
	out := w.Text("users.role." + string(p.Role))
	if p.MustChangePIN {
		out += " · " + w.Text("users.initial-pin")
	}
	if p.Wait > 0 {
		out += " · " + w.Text("users.locked", "span", w.Duration(p.Wait.Round(time.Second)))
	}
	return out
}

func (c *Pages) addUser(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	n := users.NewUser{Name: r.PostForm.Get("name"), Role: edge.Role(r.PostForm.Get("role")), PIN: secret.NewOTP(r.PostForm.Get("pin"))}
	var err error
	if typed := strings.TrimSpace(r.PostForm.Get("number")); typed != "" {
		n.Aadhaar, err = parseAadhaar(typed)
	}
	if err == nil {
		_, err = c.users.Add(ses.Operator.ID, n)
	}
	c.finish(w, r, ses, err, "/users", c.renderList)
}

// Refusals of the pages themselves; they do not repeat what was typed.
var (
	errNumber     = errors.New("not an Aadhaar number")
	errRepetition = errors.New("the new PIN and its repetition differ")
)

func parseAadhaar(typed string) (secret.Aadhaar, error) {
	n, err := secret.ParseAadhaar(strings.ReplaceAll(typed, " ", ""))
	if err != nil {
		return secret.Aadhaar{}, errNumber
	}
	return n, nil
}

func (c *Pages) userOf(r *http.Request) (users.User, bool) {
	for _, p := range c.users.All() {
		if p.ID == r.PathValue("id") {
			return p, true
		}
	}
	return users.User{}, false
}

func (c *Pages) renderUser(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	p, ok := c.userOf(r)
	if !ok {
		c.kit.NotFound(w, r, ses)
		return
	}
	words := ses.Words()
	d := fields(words, p.Name)
	d.ID, d.Enabled, d.Role, d.Own, d.State = p.ID, p.Enabled, roles(words, p.Role), p.ID == ses.Operator.ID, userState(words, p)
	if p.Aadhaar != "" {
		d.Number.Hint = p.Aadhaar
	}
	d.show(wrong)
	c.kit.Render(w, r, ses, wrong.Status, ui.Page{Name: "users/user", Title: p.Name, Back: "/users", Alert: wrong.Alert, Data: d})
}

func (c *Pages) takeStep(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	by, id, form := ses.Operator.ID, r.PathValue("id"), r.PostForm
	if form.Get("sure") == "" && c.askConfirmation(w, r, ses) {
		return
	}
	pin, locks := secret.NewOTP(form.Get("pin")), true
	var err error
	switch r.PathValue("step") {
	case "name":
		err = c.users.Rename(by, id, form.Get("name"))
	case "role":
		err = c.users.SetRole(by, id, edge.Role(form.Get("role")))
	case "pin":
		err = c.users.ResetPIN(by, id, pin)
	case "number":
		var n secret.Aadhaar
		if n, err = parseAadhaar(form.Get("number")); err == nil {
			err = c.users.SetAadhaar(by, id, n)
		}
		locks = false
	case "disable":
		err = c.users.Disable(by, id)
	case "enable":
		err = c.users.Enable(by, id, pin)
	default:
		c.kit.NotFound(w, r, ses)
		return
	}
	if err == nil && locks { // open pages have the old name, role and rights
		c.kit.LockUser(id)
	}
	c.finish(w, r, ses, err, "/users", c.renderUser)
}

type confirmData struct {
	ID, Step, Role string
	Lead, Do       string
}

// askConfirmation asks for a confirmation before a step that removes a user's rights or
// grants all. An unchanged role or an unknown user needs none.
func (c *Pages) askConfirmation(w http.ResponseWriter, r *http.Request, ses *ui.Session) bool {
	p, ok := c.userOf(r)
	q := confirmData{ID: p.ID, Step: r.PathValue("step"), Role: r.PostForm.Get("role")}
	about := q.Step
	if q.Step == "role" {
		about = q.Role
	}
	switch {
	case !ok || !p.Enabled:
		return false
	case about != "disable" && (about == string(p.Role) || about != string(edge.RoleOwner) && about != string(edge.RoleOperator)):
		return false
	}
	words := ses.Words()
	q.Lead, q.Do = words.Text("users.confirm."+about+".lead", "name", p.Name), words.Text("users.confirm."+about+".do")
	c.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "users/confirm", Title: words.Text("users.confirm."+about, "name", p.Name), Data: q})
	return true
}

func (c *Pages) renderPIN(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	words := ses.Words()
	d := fields(words, "")
	d.show(wrong)
	c.kit.Render(w, r, ses, wrong.Status, ui.Page{Name: "users/pin", Title: words.Text("users.pin.title"), Back: "/", Alert: wrong.Alert, Data: d})
}

func (c *Pages) changePIN(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	err := errRepetition
	if r.PostForm.Get("again") == r.PostForm.Get("pin") {
		err = c.users.ChangePIN(c.browserContext(r.Context(), r), ses.Operator.ID, secret.NewOTP(r.PostForm.Get("old")), secret.NewOTP(r.PostForm.Get("pin")))
	}
	c.finish(w, r, ses, err, "/", c.renderPIN)
}

// browserContext adds the request's browser id to a context; without one the browser is
// unknown.
func (c *Pages) browserContext(ctx context.Context, r *http.Request) context.Context {
	id, err := c.kit.BrowserID(r)
	if err != nil {
		return ctx
	}
	return users.WithBrowser(ctx, id)
}

// show puts the error texts beside their fields, of which the first gets the focus.
func (d *userData) show(wrong ui.Problem) {
	if wrong.Fields == nil {
		return
	}
	for _, field := range []*ui.Field{&d.Name, &d.Old, &d.PIN, &d.Again, &d.Number} {
		field.Error = wrong.Fields[field.Name]
		field.Focus = field.Error != ""
	}
}

// problemOf returns why a step was refused; ok is false for other errors, and for none.
func problemOf(w *i18n.Localizer, err error) (wrong ui.Problem, ok bool) {
	if pin, ok := errors.AsType[*edge.PINError](err); ok {
		if pin.Wait > 0 {
			return ui.Problem{Status: http.StatusTooManyRequests, Fields: map[string]string{"old": w.Text("users.error.wait", "span", w.Duration(pin.Wait))}}, true
		}
		return ui.Problem{Status: http.StatusForbidden, Fields: map[string]string{"old": w.Text("users.error.pin")}}, true
	}
	for _, known := range []struct {
		err        error
		key, field string // no field: the whole page
	}{
		{users.ErrLastOwner, "last", ""}, {users.ErrName, "name", "name"}, {users.ErrNameTaken, "taken", "name"},
		{users.ErrPINLength, "length", "pin"}, {users.ErrPINEasy, "easy", "pin"}, {users.ErrPINSame, "same", "pin"},
		{errRepetition, "differs", "again"}, {users.ErrOwnPIN, "own", ""}, {users.ErrTooManyUsers, "many", ""},
		{users.ErrRole, "role", ""}, {users.ErrNotOwner, "owner", ""}, {users.ErrDisabled, "disabled", ""}, {errNumber, "number", "number"},
	} {
		if errors.Is(err, known.err) {
			wrong = ui.Problem{Status: http.StatusUnprocessableEntity}
			if text := w.Text("users.error." + known.key); known.field != "" {
				wrong.Fields = map[string]string{known.field: text}
			} else {
				wrong.Alert = text
			}
			return wrong, true
		}
	}
	return ui.Problem{}, false
}

// finish redirects after a step, or shows the form again with what was wrong.
func (c *Pages) finish(w http.ResponseWriter, r *http.Request, ses *ui.Session, err error, next string, form func(http.ResponseWriter, *http.Request, *ui.Session, ui.Problem)) {
	wrong, refused := problemOf(ses.Words(), err)
	switch {
	case refused:
		form(w, r, ses, wrong)
	case errors.Is(err, edge.ErrNotFound):
		c.kit.NotFound(w, r, ses)
	case err != nil:
		c.kit.Fail(w, r, ses, err)
	default:
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
}
