package aeps

import (
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/printable"
)

var quickAmounts = []money.Paise{
	100 * money.Rupee, 200 * money.Rupee, 500 * money.Rupee, 1_000 * money.Rupee,
	2_000 * money.Rupee, 3_000 * money.Rupee, 5_000 * money.Rupee, 10_000 * money.Rupee,
}

// Recent banks are offered first, because a counter's customers use few banks.
const (
	maxRecentBanks    = 5
	recentBanksWithin = 40 // operations searched
)

type formData struct {
	Kind     outcome.Kind
	Customer string
	IIN      string
	Typed    string // the amount, as typed
	Quick    string // the quick key chosen, in rupees
	Amount   ui.Field
	Aadhaar  ui.AadhaarField
	Consent  ui.ConsentField
	Errors   map[string]string // by field
	Focus    string            // the field to focus
	Recent   []bankOption
	Banks    []bankOption
	Rate     *bankRate // of the chosen bank; nil: none is chosen, or the rate is unknown
	NoRate   string    // text for a bank without recent operations; empty: none
	BanksAt  string
	Ready    []ui.Chip
}

// showForm shows a transaction's form. Without an active session it leads to the daily
// authentication first, which leads back.
func (s *Pages) showForm(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	k, ok := outcome.KindNamed(r.PathValue("kind"))
	if !ok {
		s.NotFound(w, r, ses)
		return
	}
	if !s.counter.Status().Session.BelongsTo(ses.Operator) && !ui.IsPartial(r) {
		http.Redirect(w, r, "/sign-in?next="+k.Name, http.StatusSeeOther)
		return
	}
	d := formData{Kind: k}
	if again, err := op.ParseID(r.URL.Query().Get("again")); err == nil {
		if v, err := s.counter.Operation(again); err == nil {
			d.Customer, d.IIN = v.Customer, v.IIN
			if k.Money && v.Amount > 0 {
				d.Typed = v.Amount.Number()
			}
		}
	}
	s.renderForm(w, r, ses, d, ui.Problem{})
}

func (s *Pages) renderForm(w http.ResponseWriter, r *http.Request, ses *ui.Session, d formData, wrong ui.Problem) {
	words := ses.Words()
	if api.ContainsAadhaar(d.Customer) { // a number in the wrong field is not sent back either
		d.Customer = ""
	}
	banks, at := s.counter.Banks()
	st := s.counter.Status()
	d.BanksAt = words.ShortTime(at, st.Now)
	if s.cfg.BankRate != nil {
		d.NoRate = words.Text("rate.none")
	}
	for _, b := range banks {
		d.Banks = append(d.Banks, bankOption{b, s.bankRateOf(words, b.IIN)})
		if b.IIN == d.IIN {
			d.Rate = d.Banks[len(d.Banks)-1].Rate
		}
	}
	for _, b := range s.recentBanks(banks) {
		d.Recent = append(d.Recent, bankOption{b, s.bankRateOf(words, b.IIN)})
	}
	d.Ready = ui.Readiness(words, st)
	d.Focus = "aadhaar"
	for _, field := range []string{"aadhaar", "customer", "iin", "amount", "consent"} {
		if d.Errors[field] != "" {
			d.Focus = field
			break
		}
	}
	given := d.Consent.Given
	d.Consent = s.ConsentFieldOf(ses, d.Kind, st.Merchant, "transaction")
	d.Consent.Given, d.Consent.Error, d.Consent.Focus = given, d.Errors["consent"], d.Focus == "consent"
	d.Aadhaar.Error, d.Aadhaar.Focus = d.Errors["aadhaar"], d.Focus == "aadhaar"
	d.Amount = ui.Field{
		Name: "amount", Kind: ui.Amount, Label: words.Text("field.amount"), Hint: words.Text("field.amount.hint"), Error: d.Errors["amount"],
		Value: d.Typed, Focus: d.Focus == "amount", Missing: words.Text("field.amount.missing"), Wrong: words.Text("field.amount.number"),
		Keys: ui.Keys(d.Quick, quickAmounts...), KeysLabel: words.Text("field.amount.quick"), Spelling: words.NumberTextsJSON(), Limit: ui.AmountLimit(words, s.counter.Bounds(d.Kind.Route)),
	}
	s.Render(w, r, ses, wrong.Status, ui.Page{Name: "aeps/form", Title: d.Kind.Title(words), Back: "/", Alert: wrong.Alert, Data: d})
}

func (s *Pages) recentBanks(banks []edge.Bank) []edge.Bank {
	last, err := s.counter.Recent("", recentBanksWithin)
	if err != nil {
		return nil // the form works without them; the operations page shows the error
	}
	var out []edge.Bank
	for _, v := range last {
		b := edge.Bank{IIN: v.IIN, Name: v.BankName}
		if len(out) < maxRecentBanks && slices.Contains(banks, b) && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// create creates the operation of a form, starts the capture and redirects to it. A form
// that is sent twice leads to the same operation.
func (s *Pages) create(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	k, ok := outcome.KindNamed(r.PathValue("kind"))
	if !ok {
		s.NotFound(w, r, ses)
		return
	}
	var d formData
	var draft edge.Request
	id, err := s.Once(ses, r, func() (op.ID, error) {
		d, draft = s.readDraft(r, k, ses)
		return s.start(d, draft)
	})
	var incomplete *edge.ValidationError
	var precluded *edge.PreconditionError
	switch {
	case err == nil:
		http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
	case errors.As(err, &incomplete):
		for _, f := range incomplete.Fields {
			if d.Errors[f] == "" {
				d.Errors[f] = s.fieldError(ses.Words(), f, draft)
			}
		}
		wrong := ui.Problem{Status: http.StatusUnprocessableEntity, Alert: ses.Words().Plural("form.errors", len(d.Errors))}
		s.askAadhaarAgain(ses, &d, draft)
		s.renderForm(w, r, ses, d, wrong)
	case errors.As(err, &precluded) && precluded.Code == edge.PreconditionSession:
		http.Redirect(w, r, "/sign-in?next="+k.Name, http.StatusSeeOther)
	case errors.As(err, &precluded):
		s.askAadhaarAgain(ses, &d, draft)
		s.renderForm(w, r, ses, d, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(ses.Words(), precluded)})
	default:
		s.Fail(w, r, ses, err)
	}
}

// start starts the operation and its capture, unless the page itself found a wrong field:
// then it returns the fields that the counter finds wrong too.
func (s *Pages) start(d formData, draft edge.Request) (op.ID, error) {
	if len(d.Errors) > 0 {
		if err := s.counter.Validate(draft); err != nil {
			return "", err
		}
		return "", &edge.ValidationError{}
	}
	return s.startCapture(draft)
}

// startCapture starts an operation and asks for its finger at once. Where the capture
// can't begin, the operation's page offers it.
func (s *Pages) startCapture(q edge.Request) (op.ID, error) {
	v, err := s.counter.Start(q)
	if err != nil {
		return "", err
	}
	if err := s.counter.Capture(v.ID); err != nil {
		s.log.Warn("the capture did not begin with its operation", "operation", v.ID, "error", err)
	}
	return v.ID, nil
}

func (s *Pages) fieldError(words *i18n.Localizer, field string, draft edge.Request) string {
	switch field {
	case "amount":
		return outcome.AmountText(words, s.counter.Bounds(draft.Route), draft.Amount)
	case "customer":
		if _, err := printable.Name(draft.Customer, printable.MaxName); err != nil && !errors.Is(err, printable.ErrLength) {
			return words.Text("field.customer.hidden")
		}
		return words.Text("field.customer.number") // a missing name has an error already
	}
	return words.Text("field." + field + ".missing")
}

// readDraft reads the fields. A field that can't be read is reported and left empty in the
// draft, so that the counter reports all other errors too.
func (s *Pages) readDraft(r *http.Request, k outcome.Kind, ses *ui.Session) (formData, edge.Request) {
	f := r.PostForm
	d := formData{
		Kind: k, Customer: strings.TrimSpace(f.Get("customer")), IIN: f.Get("iin"), Typed: strings.TrimSpace(f.Get("amount")),
		Quick: f.Get("quick"), Errors: map[string]string{},
	}
	draft := edge.Request{Route: k.Route, Customer: d.Customer, IIN: d.IIN, User: ses.Operator.Name, UserID: ses.Operator.ID}
	var wrong string
	if draft.Aadhaar, wrong = ui.ReadAadhaar(ses.Words(), r); wrong != "" {
		d.Errors["aadhaar"] = wrong
	}
	if d.Customer == "" {
		d.Errors["customer"] = ses.Words().Text("field.customer.missing")
	}
	if d.IIN == "" {
		d.Errors["iin"] = ses.Words().Text("field.iin.missing")
	}
	if k.Money {
		draft.Amount = readAmount(ses.Words(), &d)
	}
	draft.Consent = s.ReadConsent(ses, r)
	if d.Consent.Given = draft.Consent != ""; !d.Consent.Given {
		d.Errors["consent"] = ses.Words().Text("field.consent.missing")
	}
	return d, draft
}

// readAmount reads the typed amount or the quick key. Where they differ, it reports an
// error.
func readAmount(words *i18n.Localizer, d *formData) money.Paise {
	text := d.Typed
	if text == "" {
		text = d.Quick
	}
	amount, err := i18n.ParseRupees(text)
	quick, quickErr := i18n.ParseRupees(d.Quick)
	switch {
	case text == "":
		d.Errors["amount"] = words.Text("field.amount.missing")
	case errors.Is(err, money.ErrDecimals):
		d.Errors["amount"] = words.Text("field.amount.decimals")
	case err != nil:
		d.Errors["amount"] = words.Text("field.amount.number")
	case d.Quick != "" && (quickErr != nil || quick != amount):
		d.Errors["amount"] = words.Text("field.amount.both", "typed", d.Typed, "chosen", d.Quick)
	default:
		return amount
	}
	return 0
}

// askAadhaarAgain asks for the Aadhaar number again, because it is neither sent back nor
// stored. The script of the page that was refused still has it.
func (s *Pages) askAadhaarAgain(ses *ui.Session, d *formData, draft edge.Request) {
	if d.Errors == nil {
		d.Errors = map[string]string{}
	}
	d.Aadhaar.Error = d.Errors["aadhaar"]
	d.Aadhaar.AskAgain(ses.Words(), draft.Aadhaar)
	d.Errors["aadhaar"] = d.Aadhaar.Error
}

type signInData struct {
	Next   string // the transaction that follows
	Kind   string // its name, in words
	Active bool
	Until  string
	Left   string
	Agent  string
	Ready  []ui.Chip
}

func (s *Pages) renderSignIn(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	st := s.counter.Status()
	d := signInData{Active: st.Session.BelongsTo(ses.Operator), Agent: ses.Operator.Name, Ready: ui.Readiness(ses.Words(), st)}
	if d.Active {
		d.Until = ses.Words().ShortTime(st.Session.ExpiresAt, st.Now)
		d.Left = ses.Words().Duration(max(st.Session.ExpiresAt.Sub(st.Now), time.Minute))
	}
	if k, ok := outcome.KindNamed(r.FormValue("next")); ok {
		d.Next, d.Kind = k.Name, k.Title(ses.Words())
	}
	s.Render(w, r, ses, wrong.Status, ui.Page{Name: "aeps/sign-in", Title: ses.Words().Text("signin.title"), Back: "/", Alert: wrong.Alert, Data: d})
}

// nextHome is the name of the first page as what follows the authentication.
const nextHome = "home"

// nextQuery is the query that leads on to what follows the authentication: a transaction's
// name or nextHome; empty for anything else.
func nextQuery(name string) string {
	if k, ok := outcome.KindNamed(name); ok {
		return "?next=" + k.Name
	}
	if name == nextHome {
		return "?next=" + nextHome
	}
	return ""
}

// signInAfterUnlock implements ui.Contents.SignIn. Where it can't start, the first page and
// the forms say what is missing.
func (s *Pages) signInAfterUnlock(ses *ui.Session, next string) string {
	if s.counter.Status().Session.BelongsTo(ses.Operator) {
		return ""
	}
	name := nextHome
	if next != "/" {
		page, _, _ := strings.Cut(next, "?")
		name = path.Base(page)
	}
	id, err := s.startSignIn(ses)
	if err != nil {
		s.log.Warn("the day's authentication does not follow the unlock", "error", err)
		return ""
	}
	return "/op/" + string(id) + nextQuery(name)
}

// startSignIn starts the agent's authentication and its capture, once at a time.
func (s *Pages) startSignIn(ses *ui.Session) (op.ID, error) {
	over := func(id op.ID) bool {
		v, err := s.counter.Operation(id)
		return err != nil || v.State.Final()
	}
	return s.OneAtATime(ses, "day", over, func() (op.ID, error) {
		return s.startCapture(edge.Request{Route: op.ReqAuth, User: ses.Operator.Name, UserID: ses.Operator.ID})
	})
}

// signIn starts the agent's authentication, once for a form that is sent twice.
func (s *Pages) signIn(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	id, err := s.startSignIn(ses)
	var precluded *edge.PreconditionError
	switch {
	case errors.As(err, &precluded):
		s.renderSignIn(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(ses.Words(), precluded)})
	case err != nil:
		s.Fail(w, r, ses, err)
	default:
		http.Redirect(w, r, "/op/"+string(id)+nextQuery(r.PostForm.Get("next")), http.StatusSeeOther)
	}
}
