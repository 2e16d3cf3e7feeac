package screen

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/printable"
	"galla/shared/secret"
)

// quickAmounts are the amounts that customers ask for most.
var quickAmounts = []money.Paise{
	100 * money.Rupee, 200 * money.Rupee, 500 * money.Rupee, 1_000 * money.Rupee,
	2_000 * money.Rupee, 3_000 * money.Rupee, 5_000 * money.Rupee, 10_000 * money.Rupee,
}

// Where recent banks come from: a counter's customers hold accounts with few.
const (
	recentBanks  = 5
	recentWithin = 40 // operations looked at
)

// formData is what a transaction's form shows.
type formData struct {
	Kind      told.Kind
	Customer  string
	IIN       string
	Typed     string // the amount, as typed
	Quick     string // the quick key chosen, in rupees
	Amount    web.Field
	Consented bool
	Consents  []consent         // in each language; the page shows the one that is chosen
	Language  string            // the customer's
	Errors    map[string]string // by field
	Focus     string            // the field to begin with
	Recent    []bank
	Banks     []bank
	Rate      *rate  // of the bank that is chosen; nil: none is, or nothing is said of banks
	Unasked   string // what is said of a bank that was not asked lately; empty: nothing
	BanksAt   string
	Ready     []web.Chip
}

// consent is what the customer is read, in one language.
type consent struct {
	words.Language
	Text    string
	Agrees  string // what is ticked
	Version string
}

// form shows a transaction's form. Without an active session the day's
// authentication comes first, and leads back.
func (s *Screen) form(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	k, ok := told.Named(r.PathValue("kind"))
	if !ok {
		s.Nowhere(w, r, ses)
		return
	}
	if !s.counter.Status().Session.Of(ses.Operator) && !web.Part(r) {
		http.Redirect(w, r, "/day?next="+k.Name, http.StatusSeeOther)
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
	s.formPage(w, r, ses, http.StatusOK, d, "")
}

func (s *Screen) formPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, d formData, alert string) {
	said := ses.Words()
	banks, at := s.counter.Banks()
	st := s.counter.Status()
	d.BanksAt = said.Clock(at, st.Now)
	if s.cfg.BankRate != nil {
		d.Unasked = said.Say("rate.none")
	}
	for _, b := range banks {
		d.Banks = append(d.Banks, bank{b, s.rate(said, b.IIN)})
		if b.IIN == d.IIN {
			d.Rate = d.Banks[len(d.Banks)-1].Rate
		}
	}
	for _, b := range s.recent(banks) {
		d.Recent = append(d.Recent, bank{b, s.rate(said, b.IIN)})
	}
	d.Ready = web.Readiness(said, st)
	d.Language = ses.CustomerLanguage()
	for _, l := range words.Languages() {
		theirs := s.In(l.Code)
		d.Consents = append(d.Consents, consent{
			l, told.Consent(theirs, d.Kind, st.Merchant), theirs.Say("consent.label"), told.ConsentVersion(theirs),
		})
	}
	d.Focus = "aadhaar"
	for _, field := range []string{"aadhaar", "customer", "iin", "amount", "consent"} {
		if d.Errors[field] != "" {
			d.Focus = field
			break
		}
	}
	d.Amount = web.Field{
		Name: "amount", Kind: web.Amount, Label: said.Say("field.amount"), Hint: said.Say("field.amount.hint"), Error: d.Errors["amount"],
		Value: d.Typed, Focus: d.Focus == "amount", Missing: said.Say("field.amount.missing"), Wrong: said.Say("field.amount.number"),
		Keys: web.Keys(d.Quick, quickAmounts...), KeysName: said.Say("field.amount.quick"), Spelling: said.Spelling(),
	}
	s.Render(w, r, ses, status, web.Page{Name: "screen/form", Title: d.Kind.Title(said), Back: "/", Alert: alert, Data: d})
}

// recent gives the banks of the last operations, newest first.
func (s *Screen) recent(banks []edge.Bank) []edge.Bank {
	last, err := s.counter.Recent("", recentWithin)
	if err != nil {
		return nil // the form works without; the operations page says what is wrong
	}
	var out []edge.Bank
	for _, v := range last {
		b := edge.Bank{IIN: v.IIN, Name: v.BankName}
		if len(out) < recentBanks && slices.Contains(banks, b) && !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// begin takes a form, and leads to the operation that it began. The same form
// sent twice leads to the same operation.
func (s *Screen) begin(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	k, ok := told.Named(r.PathValue("kind"))
	if !ok {
		s.Nowhere(w, r, ses)
		return
	}
	ses.SetCustomerLanguage(r.PostForm.Get("customer-language"))
	var d formData
	var draft edge.Draft
	id, err := s.Once(ses, r, func() (op.ID, error) {
		d, draft = s.readDraft(r, k, ses)
		return s.reserve(r.Context(), d, draft)
	})
	var incomplete *edge.DraftError
	var precluded *edge.PrecludedError
	switch {
	case err == nil:
		http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
	case errors.As(err, &incomplete):
		for _, f := range incomplete.Fields {
			if d.Errors[f.Field] == "" {
				d.Errors[f.Field] = s.fieldError(ses.Words(), f, draft)
			}
		}
		s.again(ses, &d, draft)
		s.formPage(w, r, ses, http.StatusUnprocessableEntity, d, ses.Words().Count("form.errors", len(d.Errors)))
	case errors.As(err, &precluded) && precluded.Code == "session":
		http.Redirect(w, r, "/day?next="+k.Name, http.StatusSeeOther)
	case errors.As(err, &precluded):
		s.again(ses, &d, draft)
		s.formPage(w, r, ses, http.StatusConflict, d, told.Precluded(ses.Words(), precluded))
	default:
		s.Failed(w, r, ses, err)
	}
}

// reserve begins the operation, unless a field is wrong that only the screen
// judges: then nothing may go on. *edge.DraftError, *edge.PrecludedError.
func (s *Screen) reserve(ctx context.Context, d formData, draft edge.Draft) (op.ID, error) {
	v, err := s.counter.Begin(ctx, draft)
	if err != nil {
		return "", err
	}
	if len(d.Errors) > 0 {
		if err := s.counter.Abandon(v.ID); err != nil {
			s.log.Error("an operation of a wrong form can't be given up", "operation", v.ID, "error", err)
		}
		return "", &edge.DraftError{}
	}
	return v.ID, nil
}

// fieldError says in the agent's language what the counter refused.
func (s *Screen) fieldError(said *words.Words, f edge.FieldError, draft edge.Draft) string {
	switch f.Field {
	case "amount":
		if why := told.Amount(said, s.counter.Bounds(draft.Route), draft.Amount); why != "" {
			return why
		}
	case "customer":
		if _, err := printable.Name(draft.Customer, printable.MaxName); err != nil && !errors.Is(err, printable.ErrLength) {
			return said.Say("field.customer.hidden")
		}
		return said.Say("field.customer.number") // one that is missing was noted already
	case "aadhaar", "iin", "consent":
		return said.First([]string{"field." + f.Field + ".missing"})
	}
	return f.Message
}

// readDraft reads the fields. What the screen itself can't read is noted and
// left empty in the draft, so that the counter notes everything else.
func (s *Screen) readDraft(r *http.Request, k told.Kind, ses *web.Session) (formData, edge.Draft) {
	f := r.PostForm
	d := formData{
		Kind: k, Customer: strings.TrimSpace(f.Get("customer")), IIN: f.Get("iin"), Typed: strings.TrimSpace(f.Get("amount")),
		Quick: f.Get("quick"), Consented: f.Get("consent") != "", Errors: map[string]string{},
	}
	draft := edge.Draft{Route: k.Route, Customer: d.Customer, IIN: d.IIN, Operator: ses.Operator.Name, OperatorID: ses.Operator.ID}
	digits := strings.NewReplacer(" ", "", "-", "").Replace(f.Get("aadhaar"))
	aadhaar, err := secret.ParseAadhaar(digits)
	switch {
	case digits == "":
		d.Errors["aadhaar"] = ses.Words().Say("field.aadhaar.missing")
	case errors.Is(err, secret.ErrAadhaarCheck):
		d.Errors["aadhaar"] = ses.Words().Say("field.aadhaar.check")
	case err != nil:
		d.Errors["aadhaar"] = ses.Words().Say("field.aadhaar.shape")
	}
	draft.Aadhaar = aadhaar
	if d.Customer == "" {
		d.Errors["customer"] = ses.Words().Say("field.customer.missing")
	}
	if d.IIN == "" {
		d.Errors["iin"] = ses.Words().Say("field.iin.missing")
	}
	if k.Money {
		draft.Amount = readAmount(ses.Words(), &d)
	}
	if d.Consented {
		draft.Consent = told.ConsentVersion(s.In(ses.CustomerLanguage()))
	} else {
		d.Errors["consent"] = ses.Words().Say("field.consent.missing")
	}
	return d, draft
}

// readAmount reads what was typed, or the quick key. Where they differ, the
// screen does not choose.
func readAmount(said *words.Words, d *formData) money.Paise {
	text := d.Typed
	if text == "" {
		text = d.Quick
	}
	amount, err := words.ParseRupees(text)
	quick, quickErr := words.ParseRupees(d.Quick)
	switch {
	case text == "":
		d.Errors["amount"] = said.Say("field.amount.missing")
	case errors.Is(err, money.ErrDecimals):
		d.Errors["amount"] = said.Say("field.amount.decimals")
	case err != nil:
		d.Errors["amount"] = said.Say("field.amount.number")
	case d.Quick != "" && (quickErr != nil || quick != amount):
		d.Errors["amount"] = said.Say("field.amount.both", "typed", d.Typed, "chosen", d.Quick)
	default:
		return amount
	}
	return 0
}

// again asks for the Aadhaar number once more: it is not sent back, and not
// kept.
func (s *Screen) again(ses *web.Session, d *formData, draft edge.Draft) {
	if d.Errors == nil {
		d.Errors = map[string]string{}
	}
	if d.Errors["aadhaar"] == "" && !draft.Aadhaar.IsZero() {
		d.Errors["aadhaar"] = ses.Words().Say("field.aadhaar.again", "masked", draft.Aadhaar.Masked())
	}
}

// dayData is what the page of the day's authentication shows.
type dayData struct {
	Next   string // the transaction to go on with
	Kind   string // its name, in words
	Active bool
	Until  string
	Left   string
	Agent  string
	Ready  []web.Chip
}

// day shows the agent's authentication for today.
func (s *Screen) day(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.dayPage(w, r, ses, http.StatusOK, "")
}

func (s *Screen) dayPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, alert string) {
	st := s.counter.Status()
	d := dayData{Active: st.Session.Of(ses.Operator), Agent: ses.Operator.Name, Ready: web.Readiness(ses.Words(), st)}
	if d.Active {
		d.Until = ses.Words().Clock(st.Session.ExpiresAt, st.Now)
		d.Left = ses.Words().Span(max(st.Session.ExpiresAt.Sub(st.Now), time.Minute))
	}
	if k, ok := told.Named(r.FormValue("next")); ok {
		d.Next, d.Kind = k.Name, k.Title(ses.Words())
	}
	s.Render(w, r, ses, status, web.Page{Name: "screen/day", Title: ses.Words().Say("day.title"), Back: "/", Alert: alert, Data: d})
}

// authenticate begins the agent's authentication. Sent twice by the same form,
// it is one.
func (s *Screen) authenticate(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	next := ""
	if k, ok := told.Named(r.PostForm.Get("next")); ok {
		next = "?next=" + k.Name
	}
	over := func(id op.ID) bool {
		v, err := s.counter.Operation(id)
		return err != nil || v.State.Final()
	}
	id, err := s.OneAtATime(ses, "day", over, func() (op.ID, error) {
		v, err := s.counter.Authenticate(r.Context(), ses.Operator)
		return v.ID, err
	})
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &precluded):
		s.dayPage(w, r, ses, http.StatusConflict, told.Precluded(ses.Words(), precluded))
	case err != nil:
		s.Failed(w, r, ses, err)
	default:
		http.Redirect(w, r, "/op/"+string(id)+next, http.StatusSeeOther)
	}
}
