package customer

import (
	"embed"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
)

//go:embed templates static messages icons
var files embed.FS

// Counter is what the screen needs of edge.Counter. Its methods are safe for concurrent
// use.
type Counter interface {
	Status() edge.Status
	// Recent returns up to limit operations older than before, newest first.
	Recent(before op.ID, limit int) ([]edge.View, error)
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// PaymentsOf returns the payments of an order and their returns, oldest first.
	PaymentsOf(order string) []edge.Record
	// Payments returns up to limit payments by UPI and their returns, newest first.
	Payments(limit int) []edge.Record
}

// Config sets up the section. All fields are required.
type Config struct {
	// QRImage returns an operation's UPI code as a drawing, with its amount, 0 where the
	// customer types it; ok is false for a code that must not be shown.
	QRImage func(edge.View) (drawing template.HTML, amount money.Paise, ok bool)
	Rand    io.Reader // of codes and tickets
	Logger  *slog.Logger
}

// Pages is the section of the customer's screen.
type Pages struct {
	counter Counter
	cfg     Config
	access  *displayAccess
	kit     *ui.Kit

	mu           sync.Mutex
	balanceShown op.ID // the operation whose balance the agent chose to show
}

// New makes the section. An error means that a dependency is missing.
func New(counter Counter, cfg Config) (*Pages, error) {
	if counter == nil || cfg.QRImage == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the customer's screen needs a counter, QR images, randomness and a logger")
	}
	return &Pages{counter: counter, cfg: cfg, access: newDisplayAccess(cfg.Rand)}, nil
}

// Contents implements ui.Section. The streams of customers' screens use the slots of
// unlocked pages.
func (c *Pages) Contents(kit *ui.Kit) ui.Contents {
	c.kit = kit
	return ui.Contents{
		Name: "customer", Files: files,
		Menu: []ui.MenuItem{{Href: "/customer/setup", Icon: "customer", Title: "customer.setup", Hint: "customer.setup.hint"}},
		IsGuest: func(r *http.Request) bool {
			_, known := c.access.displayOf(r)
			return known
		},
		Open: map[string]http.HandlerFunc{"GET /customer": c.showScreen, "GET /customer/open": c.showCodeForm, "POST /customer/open": c.redeemCode},
		Pages: map[string]ui.Handler{
			"GET /customer/setup":          c.showSetup,
			"POST /customer/setup":         c.createCode,
			"POST /customer/setup/balance": c.toggleBalance,
		},
	}
}

// refresh is the reload interval without scripts, in seconds.
const refresh = 3

// sessionFor returns the session whose customer's screen a browser shows, nil while
// locked; known reports whether the browser was admitted. It does not count as activity.
func (c *Pages) sessionFor(r *http.Request) (ses *ui.Session, known bool) {
	s, known := c.access.displayOf(r)
	if ses := c.kit.Current(r); ses != nil {
		return ses, known
	}
	return s.session(c.kit.ActiveSessions()), known
}

// showScreen shows the customer's screen, without counting as activity.
func (c *Pages) showScreen(w http.ResponseWriter, r *http.Request) {
	ses, known := c.sessionFor(r)
	switch {
	case ses == nil && !known:
		c.askForCode(w, r)
		return
	case ses == nil:
		c.render(w, r, c.kit.WordsOf(r), nil)
		return
	case !known:
		// When the session is locked, this screen must not ask a customer for a code.
		ticket, err := c.access.ownTicket()
		if err != nil {
			c.kit.Fail(w, r, ses, err)
			return
		}
		setDisplayCookie(w, r, ticket)
	}
	c.render(w, r, c.kit.In(ses.CustomerLanguage()), ses)
}

// askForCode redirects a browser without a ticket to the code form. The script of a screen
// that was open before a restart follows it, and shows nothing of its last customer
// meanwhile.
func (c *Pages) askForCode(w http.ResponseWriter, r *http.Request) {
	if ui.IsPartial(r) {
		c.renderCodeForm(w, r, http.StatusOK, "")
		return
	}
	http.Redirect(w, r, "/customer/open", http.StatusSeeOther)
}

// render shows what a session's customer sees now, or the welcome without a session or
// after an error.
func (c *Pages) render(w http.ResponseWriter, r *http.Request, words *i18n.Localizer, ses *ui.Session) {
	f := welcomeView(words, c.counter.Status().Merchant)
	if ses != nil {
		now, spoken, err := c.currentView(words, ses)
		if err != nil {
			c.cfg.Logger.Error("the customer's screen can't be made", "error", err)
		} else {
			f, words = now, spoken
		}
	}
	c.kit.Render(w, r, nil, http.StatusOK, ui.Page{
		Name: "customer/screen", Title: f.Shop, Bare: true, Refresh: refresh, Data: f,
		Customer: &ui.CustomerPage{Words: words, Stale: words.Text("customer.stale")},
	})
}

// currentView returns what the customer of a session sees now, in the language of the
// customer's consent, or else said.
func (c *Pages) currentView(words *i18n.Localizer, ses *ui.Session) (screenView, *i18n.Localizer, error) {
	st := c.counter.Status()
	all, err := c.counter.Recent("", maxScanned)
	if err != nil {
		return screenView{}, words, err
	}
	v, ok := current(all, ses.Operator, st.Now)
	if !ok {
		return c.idleView(words, st), words, nil
	}
	if code := outcome.CustomerLanguage(v.Consent); code != "" {
		words = c.kit.In(code)
	}
	if v.Route == op.GenerateQR {
		return c.codeView(words, v, st), words, nil
	}
	f := operationView(words, v, st)
	c.mu.Lock()
	shown := c.balanceShown == v.ID
	c.mu.Unlock()
	if shown && v.State == op.Succeeded && v.Result.Balance != nil {
		f.Balance = words.Text("customer.balance", "amount", i18n.Rupees(*v.Result.Balance))
	}
	return f, words, nil
}

// codeView returns the screen of a UPI code, or the idle one where none may be shown.
func (c *Pages) codeView(words *i18n.Localizer, v edge.View, st edge.Status) screenView {
	drawing, amount, ok := c.cfg.QRImage(v)
	if v.State != op.Succeeded || !ok || amount == 0 { // the printed code is on the wall
		return c.idleView(words, st)
	}
	f := welcomeView(words, st.Merchant)
	if sum, full := edge.ReceivedFor(c.counter.PaymentsOf(v.ReplyValue("order_id")), amount); full {
		f = f.paid(words, v.ID, sum)
	} else {
		f.State, f.QR, f.Title, f.Lead = string(v.ID)+" code", drawing, words.Text("customer.code"), words.Text("customer.code.lead")
		f.Amount, f.Spell = i18n.ShortRupees(amount), words.AmountInWords(amount)
	}
	if r, ok := c.justPrinted(st); ok {
		f = f.withPrinted(words, r)
	}
	return f.withSpeech(words)
}

// idleView is the screen between customers: what was just paid with the printed code, or the
// welcome.
func (c *Pages) idleView(words *i18n.Localizer, st edge.Status) screenView {
	f := welcomeView(words, st.Merchant)
	if r, ok := c.justPrinted(st); ok {
		return f.paid(words, r.ID, r.Amount)
	}
	return f
}

// justPrinted returns the newest payment that was just made with the printed code, and not
// returned.
func (c *Pages) justPrinted(st edge.Status) (edge.Record, bool) {
	list := c.counter.Payments(maxScanned)
	for _, r := range list {
		paid := st.Now.Sub(r.PaidAt().Add(-st.Link.Offset))
		back := slices.ContainsFunc(list, func(other edge.Record) bool { return other.Route == op.PaymentReturned && other.LinkedTo == r.ID })
		if r.Route == op.PaymentReceived && r.PaymentOrder() == "" && paid < printedCodeTTL && !back {
			return r, true
		}
	}
	return edge.Record{}, false
}

// showCodeForm asks another browser for its code; an admitted one is redirected to the
// screen.
func (c *Pages) showCodeForm(w http.ResponseWriter, r *http.Request) {
	switch ses, known := c.sessionFor(r); {
	case ses == nil && !known:
		c.renderCodeForm(w, r, http.StatusOK, "")
	case ui.IsPartial(r):
		c.showScreen(w, r)
	default:
		http.Redirect(w, r, "/customer", http.StatusSeeOther)
	}
}

func (c *Pages) renderCodeForm(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	words := c.kit.WordsOf(r)
	f := ui.Field{
		Name: "code", Kind: ui.OTP, Label: words.Text("customer.open.code"), Hint: words.Text("customer.open.hint"), Error: wrong,
		Missing: words.Text("customer.open.hint"), Max: codeDigits, Focus: true,
	}
	c.kit.Render(w, r, nil, status, ui.Page{
		Name: "customer/code", Title: words.Text("customer.open"), Bare: true, Data: f,
		Customer: &ui.CustomerPage{Words: words, Stale: words.Text("customer.stale")},
	})
}

// redeemCode accepts a code once.
func (c *Pages) redeemCode(w http.ResponseWriter, r *http.Request) {
	if !c.kit.ReadForm(w, r) {
		return
	}
	if !c.kit.ValidToken(r) {
		c.kit.Message(w, r, nil, http.StatusForbidden, "error.token")
		return
	}
	ticket, err := c.access.redeem(strings.ReplaceAll(r.PostForm.Get("code"), " ", ""))
	switch {
	case err != nil:
		c.cfg.Logger.Error("the customer's screen can't be opened", "error", err)
		c.kit.Message(w, r, nil, http.StatusInternalServerError, "error.disk")
	case ticket == "":
		c.renderCodeForm(w, r, http.StatusForbidden, c.kit.WordsOf(r).Text("customer.open.wrong"))
	default:
		setDisplayCookie(w, r, ticket)
		http.Redirect(w, r, "/customer", http.StatusSeeOther)
	}
}

type setupData struct {
	Code    string // a new code, in two groups; empty: none
	Address string // where it is entered
	Balance op.ID  // the operation whose balance may be shown; empty: none
	Shown   bool
}

func (c *Pages) showSetup(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	c.renderSetup(w, r, ses, "")
}

func (c *Pages) renderSetup(w http.ResponseWriter, r *http.Request, ses *ui.Session, code string) {
	d := setupData{Address: "http://" + r.Host + "/customer"}
	if code != "" {
		d.Code = code[:codeDigits/2] + " " + code[codeDigits/2:]
	}
	all, err := c.counter.Recent("", maxScanned)
	if err != nil {
		c.kit.Fail(w, r, ses, err)
		return
	}
	if v, ok := current(all, ses.Operator, c.counter.Status().Now); ok && v.State == op.Succeeded && v.Result.Balance != nil {
		c.mu.Lock()
		d.Balance, d.Shown = v.ID, c.balanceShown == v.ID
		c.mu.Unlock()
	}
	c.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "customer/setup", Title: ses.Words().Text("customer.setup"), Back: "/", Data: d})
}

// createCode makes a code. It is shown once and is in no address.
func (c *Pages) createCode(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	code, err := c.access.newCode(ses)
	if err != nil {
		c.kit.Fail(w, r, ses, err)
		return
	}
	c.renderSetup(w, r, ses, code)
}

func (c *Pages) toggleBalance(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	id, err := op.ParseID(r.PostForm.Get("id"))
	if err != nil {
		c.kit.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := c.counter.Operation(id)
	if err == nil && !v.CreatedBy(ses.Operator) {
		err = edge.ErrNotFound // another user's customer
	}
	if err != nil {
		c.kit.Fail(w, r, ses, err)
		return
	}
	c.mu.Lock()
	c.balanceShown = ""
	if r.PostForm.Get("show") == "yes" {
		c.balanceShown = id
	}
	c.mu.Unlock()
	c.kit.Notify()
	http.Redirect(w, r, "/customer/setup", http.StatusSeeOther)
}
