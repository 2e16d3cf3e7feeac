package customer

import (
	"embed"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

//go:embed templates static messages icons
var files embed.FS

// Counter is what the screen needs of edge.Counter. All methods may be called
// from many goroutines.
type Counter interface {
	Status() edge.Status
	// Recent gives up to limit operations, newest first, older than before.
	Recent(before op.ID, limit int) ([]edge.View, error)
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
}

// Config sets up a Customer. All fields are required.
type Config struct {
	// Picture gives the UPI code of an operation that brought one: its drawing
	// and its amount, 0 where the customer types it; ok is false for a code that
	// must not be shown.
	Picture func(edge.View) (drawing template.HTML, amount money.Paise, ok bool)
	Rand    io.Reader // of codes and tickets
	Logger  *slog.Logger
}

// Customer is the room of the customer's side.
type Customer struct {
	counter Counter
	cfg     Config
	grants  *grants
	kit     *web.Kit

	mu    sync.Mutex
	shown op.ID // the operation whose balance the agent shows
}

// New makes the room. An error means that a dependency is missing.
func New(counter Counter, cfg Config) (*Customer, error) {
	if counter == nil || cfg.Picture == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the customer's screen needs a counter, pictures, randomness and a logger")
	}
	return &Customer{counter: counter, cfg: cfg, grants: newGrants(cfg.Rand)}, nil
}

// Name implements web.Room.
func (c *Customer) Name() string { return "customer" }

// Files implements web.Room.
func (c *Customer) Files() fs.FS { return files }

// Register implements web.Room.
func (c *Customer) Register(mux *http.ServeMux, kit *web.Kit) {
	c.kit = kit
	mux.HandleFunc("GET /customer", c.screen)
	mux.HandleFunc("GET /customer/open", c.door)
	mux.HandleFunc("POST /customer/open", c.enter)
	mux.HandleFunc("GET /customer/desk", kit.Get(c.desk))
	mux.HandleFunc("POST /customer/desk", kit.Post(c.mint))
	mux.HandleFunc("POST /customer/desk/balance", kit.Post(c.show))
}

// Knows implements web.Guest: the streams of customers' screens have their places
// among those of unlocked pages.
func (c *Customer) Knows(r *http.Request) bool {
	_, known := c.grants.of(r)
	return known
}

// Entries implements web.Entrance.
func (c *Customer) Entries(ses *web.Session) []web.Entry {
	return []web.Entry{{Href: "/customer/desk", Icon: "customer", Title: ses.Words().Say("customer.desk"), Hint: ses.Words().Say("customer.desk.hint")}}
}

// refresh is how often a screen without scripts looks again, in seconds.
const refresh = 3

// seen gives the session whose customer's side a browser shows, nil while it is
// locked; known tells whether the browser was let in. It is no touch.
func (c *Customer) seen(r *http.Request) (ses *web.Session, known bool) {
	s, known := c.grants.of(r)
	if ses := c.kit.Current(r); ses != nil {
		return ses, known
	}
	return s.session(c.kit.Unlocked()), known
}

// screen shows the customer's side. No look at it is a touch of the session.
func (c *Customer) screen(w http.ResponseWriter, r *http.Request) {
	ses, known := c.seen(r)
	switch {
	case ses == nil && !known:
		c.turnedAway(w, r)
		return
	case ses == nil:
		c.render(w, r, c.kit.WordsOf(r), nil)
		return
	case !known:
		// The lock that ends the session must not turn this screen into a page
		// that asks a customer for a code.
		ticket, err := c.grants.own()
		if err != nil {
			c.kit.Failed(w, r, ses, err)
			return
		}
		seatOf(w, r, ticket)
	}
	c.render(w, r, c.kit.In(ses.CustomerLanguage()), ses)
}

// turnedAway leads a browser that was not let in to where it gives the code. A
// screen that was open before a restart is led there by its script, and shows
// nothing of its last customer meanwhile.
func (c *Customer) turnedAway(w http.ResponseWriter, r *http.Request) {
	if web.Part(r) {
		c.doorPage(w, r, http.StatusOK, "")
		return
	}
	http.Redirect(w, r, "/customer/open", http.StatusSeeOther)
}

// render shows what a session's customer sees now; without a session, and where
// that can't be read, it welcomes.
func (c *Customer) render(w http.ResponseWriter, r *http.Request, said *words.Words, ses *web.Session) {
	f := welcome(said, c.counter.Status().Merchant)
	if ses != nil {
		now, spoken, err := c.face(said, ses)
		if err != nil {
			c.cfg.Logger.Error("the customer's screen can't be made", "error", err)
		} else {
			f, said = now, spoken
		}
	}
	c.kit.Render(w, r, nil, http.StatusOK, web.Page{
		Name: "customer/screen", Title: f.Shop, Bare: true, Refresh: refresh, Data: f,
		Front: &web.Front{Words: said, Stale: said.Say("customer.stale")},
	})
}

// face is what the customer of a session sees now, and the words it is said in:
// those of the customer's consent, or else said.
func (c *Customer) face(said *words.Words, ses *web.Session) (face, *words.Words, error) {
	st := c.counter.Status()
	all, err := c.counter.Recent("", lookBack)
	if err != nil {
		return face{}, said, err
	}
	v, ok := current(all, ses.Operator, st.Now)
	if !ok {
		return welcome(said, st.Merchant), said, nil
	}
	if code := told.CustomerLanguage(v.Consent); code != "" {
		said = c.kit.In(code)
	}
	if v.Route == op.GenerateQR {
		return c.code(said, v, st), said, nil
	}
	f := of(said, v, st)
	c.mu.Lock()
	shown := c.shown == v.ID
	c.mu.Unlock()
	if shown && v.State == op.Succeeded && v.Result.Balance != nil {
		f.Balance = said.Say("customer.balance", "amount", words.Rupees(*v.Result.Balance))
	}
	return f, said, nil
}

// code is the screen of a UPI code; without one that may be shown it welcomes.
func (c *Customer) code(said *words.Words, v edge.View, st edge.Status) face {
	f := welcome(said, st.Merchant)
	if v.State != op.Succeeded {
		return f
	}
	drawing, amount, ok := c.cfg.Picture(v)
	if !ok || amount == 0 { // the printed code hangs on the wall
		return f
	}
	f.State, f.QR, f.Title, f.Lead = string(v.ID)+" code", drawing, said.Say("customer.code"), said.Say("customer.code.lead")
	f.Amount, f.Spell = words.Short(amount), said.Spell(amount)
	return f.speak(said)
}

// door asks another browser for its code; one that may show the customer's side
// is led there, by its script too.
func (c *Customer) door(w http.ResponseWriter, r *http.Request) {
	switch ses, known := c.seen(r); {
	case ses == nil && !known:
		c.doorPage(w, r, http.StatusOK, "")
	case web.Part(r):
		c.screen(w, r)
	default:
		http.Redirect(w, r, "/customer", http.StatusSeeOther)
	}
}

func (c *Customer) doorPage(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	said := c.kit.WordsOf(r)
	f := web.Field{
		Name: "code", Kind: web.OTP, Label: said.Say("customer.open.code"), Hint: said.Say("customer.open.hint"), Error: wrong,
		Missing: said.Say("customer.open.hint"), Max: codeDigits, Focus: true,
	}
	c.kit.Render(w, r, nil, status, web.Page{
		Name: "customer/open", Title: said.Say("customer.open"), Bare: true, Data: f,
		Front: &web.Front{Words: said, Stale: said.Say("customer.stale")},
	})
}

// enter takes a code, once.
func (c *Customer) enter(w http.ResponseWriter, r *http.Request) {
	if !c.kit.ReadForm(w, r) {
		return
	}
	if !c.kit.TokenGood(r) {
		c.kit.Message(w, r, nil, http.StatusForbidden, "error.token")
		return
	}
	ticket, err := c.grants.redeem(strings.ReplaceAll(r.PostForm.Get("code"), " ", ""))
	switch {
	case err != nil:
		c.cfg.Logger.Error("the customer's screen can't be opened", "error", err)
		c.kit.Message(w, r, nil, http.StatusInternalServerError, "error.disk")
	case ticket == "":
		c.doorPage(w, r, http.StatusForbidden, c.kit.WordsOf(r).Say("customer.open.wrong"))
	default:
		seatOf(w, r, ticket)
		http.Redirect(w, r, "/customer", http.StatusSeeOther)
	}
}

// deskData is what the agent's page of the customer's side shows.
type deskData struct {
	Code    string // just made, in two groups; empty: none
	Address string // where it is typed
	Balance op.ID  // whose balance may be shown; empty: none
	Shown   bool
}

func (c *Customer) desk(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	c.deskPage(w, r, ses, "")
}

func (c *Customer) deskPage(w http.ResponseWriter, r *http.Request, ses *web.Session, code string) {
	d := deskData{Address: "http://" + r.Host + "/customer"}
	if code != "" {
		d.Code = code[:codeDigits/2] + " " + code[codeDigits/2:]
	}
	all, err := c.counter.Recent("", lookBack)
	if err != nil {
		c.kit.Failed(w, r, ses, err)
		return
	}
	if v, ok := current(all, ses.Operator, c.counter.Status().Now); ok && v.State == op.Succeeded && v.Result.Balance != nil {
		c.mu.Lock()
		d.Balance, d.Shown = v.ID, c.shown == v.ID
		c.mu.Unlock()
	}
	c.kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "customer/desk", Title: ses.Words().Say("customer.desk"), Back: "/", Data: d})
}

// mint makes a code; it is shown once, and stands in no address.
func (c *Customer) mint(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	code, err := c.grants.mint(ses)
	if err != nil {
		c.kit.Failed(w, r, ses, err)
		return
	}
	c.deskPage(w, r, ses, code)
}

// show shows the customer the balance of one operation, or hides it.
func (c *Customer) show(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	id, err := op.ParseID(r.PostForm.Get("id"))
	if err != nil {
		c.kit.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := c.counter.Operation(id)
	if err == nil && !v.By(ses.Operator) {
		err = edge.ErrNotFound // another operator's customer
	}
	if err != nil {
		c.kit.Failed(w, r, ses, err)
		return
	}
	c.mu.Lock()
	c.shown = ""
	if r.PostForm.Get("show") == "yes" {
		c.shown = id
	}
	c.mu.Unlock()
	c.kit.Ring()
	http.Redirect(w, r, "/customer/desk", http.StatusSeeOther)
}
