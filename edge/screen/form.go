package screen

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
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
	Kind      kind
	Form      string // makes a double submission one
	Customer  string
	IIN       string
	Amount    string // as typed
	Quick     string // the quick key chosen, in rupees
	Consented bool
	Consent   string
	Errors    map[string]string // by field
	Focus     string            // the field to begin with
	Recent    []edge.Bank
	Banks     []edge.Bank
	BanksAt   string
	Keys      []quickKey
	Spelling  string // the words of numbers, for the script
	Ready     []chip
}

type quickKey struct{ Value, Text string }

// form shows a transaction's form. Without an active session the day's
// authentication comes first, and leads back.
func (s *Screen) form(w http.ResponseWriter, r *http.Request, ses *session) {
	k, ok := kindNamed(r.PathValue("kind"))
	if !ok {
		s.nowhere(w, r, ses)
		return
	}
	if !s.counter.Status().Session.Active && !part(r) {
		http.Redirect(w, r, "/day?next="+k.Name, http.StatusSeeOther)
		return
	}
	d := formData{Kind: k}
	if again, err := op.ParseID(r.URL.Query().Get("again")); err == nil {
		if v, err := s.counter.Operation(again); err == nil {
			d.Customer, d.IIN = v.Customer, v.IIN
			if k.Money && v.Amount > 0 {
				d.Amount = v.Amount.Number()
			}
		}
	}
	s.formPage(w, r, ses, http.StatusOK, d, "")
}

func (s *Screen) formPage(w http.ResponseWriter, r *http.Request, ses *session, status int, d formData, alert string) {
	form, err := s.sessions.mint()
	if err != nil {
		s.failed(w, r, ses, err)
		return
	}
	d.Form = form
	banks, at := s.counter.Banks()
	st := s.counter.Status()
	d.Banks, d.BanksAt = banks, s.words.clock(at, st.Now)
	d.Recent = s.recent(banks)
	d.Ready = s.readiness(st)
	d.Consent = s.words.say("consent.text", "kind", s.words.say("kind."+d.Kind.Name), "shop", st.Merchant)
	d.Spelling = s.spelling()
	for _, p := range quickAmounts {
		d.Keys = append(d.Keys, quickKey{p.Number(), short(p)})
	}
	d.Focus = "aadhaar"
	for _, field := range []string{"aadhaar", "customer", "iin", "amount", "consent"} {
		if d.Errors[field] != "" {
			d.Focus = field
			break
		}
	}
	s.render(w, r, ses, status, page{
		Name: "form", Title: s.words.say("kind." + d.Kind.Name), Back: "/", Alert: alert, Data: d,
	})
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

// spelling gives the script the words of numbers, which it shows as the amount
// is typed.
func (s *Screen) spelling() string {
	m := map[string]string{}
	for _, key := range []string{"below100", "hundred", "thousand", "lakh", "crore", "rupee", "rupees", "paise", "and"} {
		m[key] = s.words.say("number." + key)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "{}" // strings always marshal
	}
	return string(b)
}

// begin takes a form, and leads to the operation that it began. The same form
// sent twice leads to the same operation.
func (s *Screen) begin(w http.ResponseWriter, r *http.Request, ses *session) {
	k, ok := kindNamed(r.PathValue("kind"))
	if !ok {
		s.nowhere(w, r, ses)
		return
	}
	// The form is the same only if every field is: who goes back and changes the
	// amount means another operation.
	sent := s.sessions.seal("form", k.Name+"\x00"+r.PostForm.Encode())
	ses.beginning.Lock()
	defer ses.beginning.Unlock()
	if id, ok := ses.begun[sent]; ok {
		http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
		return
	}
	d, draft := s.readDraft(r, k, ses)
	v, err := s.counter.Begin(r.Context(), draft)
	var incomplete *edge.DraftError
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &incomplete):
		for _, f := range incomplete.Fields {
			if d.Errors[f.Field] == "" {
				d.Errors[f.Field] = f.Message
			}
		}
	case errors.As(err, &precluded) && precluded.Code == "session":
		http.Redirect(w, r, "/day?next="+k.Name, http.StatusSeeOther)
		return
	case errors.As(err, &precluded):
		s.again(&d, draft)
		s.formPage(w, r, ses, http.StatusConflict, d, precluded.Message)
		return
	case err != nil:
		s.failed(w, r, ses, err)
		return
	case len(d.Errors) > 0:
		// The counter was content with less than the screen: nothing may go on.
		if err := s.counter.Abandon(v.ID); err != nil {
			s.log.Error("an operation of a wrong form can't be given up", "operation", v.ID, "error", err)
		}
	default:
		ses.remember(sent, v.ID)
		http.Redirect(w, r, "/op/"+string(v.ID), http.StatusSeeOther)
		return
	}
	s.again(&d, draft)
	s.formPage(w, r, ses, http.StatusUnprocessableEntity, d, s.words.count("form.errors", len(d.Errors)))
}

// readDraft reads the fields. What the screen itself can't read is noted and
// left empty in the draft, so that the counter notes everything else.
func (s *Screen) readDraft(r *http.Request, k kind, ses *session) (formData, edge.Draft) {
	f := r.PostForm
	d := formData{
		Kind: k, Customer: strings.TrimSpace(f.Get("customer")), IIN: f.Get("iin"), Amount: strings.TrimSpace(f.Get("amount")),
		Quick: f.Get("quick"), Consented: f.Get("consent") != "", Errors: map[string]string{},
	}
	draft := edge.Draft{Route: k.Route, Customer: d.Customer, IIN: d.IIN, Operator: ses.agent}
	digits := strings.NewReplacer(" ", "", "-", "").Replace(f.Get("aadhaar"))
	aadhaar, err := secret.ParseAadhaar(digits)
	switch {
	case digits == "":
		d.Errors["aadhaar"] = s.words.say("field.aadhaar.missing")
	case errors.Is(err, secret.ErrAadhaarCheck):
		d.Errors["aadhaar"] = s.words.say("field.aadhaar.check")
	case err != nil:
		d.Errors["aadhaar"] = s.words.say("field.aadhaar.shape")
	}
	draft.Aadhaar = aadhaar
	if d.Customer == "" {
		d.Errors["customer"] = s.words.say("field.customer.missing")
	}
	if d.IIN == "" {
		d.Errors["iin"] = s.words.say("field.iin.missing")
	}
	if k.Money {
		draft.Amount = s.readAmount(&d)
	}
	if d.Consented {
		draft.Consent = s.words.say("consent.version")
	} else {
		d.Errors["consent"] = s.words.say("field.consent.missing")
	}
	return d, draft
}

// readAmount reads what was typed, or the quick key. Where they differ, the
// screen does not choose.
func (s *Screen) readAmount(d *formData) money.Paise {
	text := d.Amount
	if text == "" {
		text = d.Quick
	}
	amount, err := parseRupees(text)
	quick, quickErr := parseRupees(d.Quick)
	switch {
	case text == "":
		d.Errors["amount"] = s.words.say("field.amount.missing")
	case errors.Is(err, money.ErrDecimals):
		d.Errors["amount"] = s.words.say("field.amount.decimals")
	case err != nil:
		d.Errors["amount"] = s.words.say("field.amount.number")
	case d.Quick != "" && (quickErr != nil || quick != amount):
		d.Errors["amount"] = s.words.say("field.amount.both", "typed", d.Amount, "chosen", d.Quick)
	default:
		return amount
	}
	return 0
}

// again asks for the Aadhaar number once more: it is not sent back, and not
// kept.
func (s *Screen) again(d *formData, draft edge.Draft) {
	if d.Errors == nil {
		d.Errors = map[string]string{}
	}
	if d.Errors["aadhaar"] == "" && !draft.Aadhaar.IsZero() {
		d.Errors["aadhaar"] = s.words.say("field.aadhaar.again", "masked", draft.Aadhaar.Masked())
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
	Ready  []chip
}

// day shows the agent's authentication for today.
func (s *Screen) day(w http.ResponseWriter, r *http.Request, ses *session) {
	s.dayPage(w, r, ses, http.StatusOK, "")
}

func (s *Screen) dayPage(w http.ResponseWriter, r *http.Request, ses *session, status int, alert string) {
	st := s.counter.Status()
	d := dayData{Active: st.Session.Active, Agent: st.Agent, Ready: s.readiness(st)}
	if d.Active {
		d.Until = s.words.clock(st.Session.ExpiresAt, st.Now)
		d.Left = s.words.span(max(st.Session.ExpiresAt.Sub(st.Now), time.Minute))
	}
	if k, ok := kindNamed(r.FormValue("next")); ok {
		d.Next, d.Kind = k.Name, s.words.say("kind."+k.Name)
	}
	s.render(w, r, ses, status, page{Name: "day", Title: s.words.say("day.title"), Back: "/", Alert: alert, Data: d})
}

// authenticate begins the agent's authentication. Sent twice by the same form,
// it is one.
func (s *Screen) authenticate(w http.ResponseWriter, r *http.Request, ses *session) {
	next := ""
	if k, ok := kindNamed(r.PostForm.Get("next")); ok {
		next = "?next=" + k.Name
	}
	ses.beginning.Lock()
	defer ses.beginning.Unlock()
	if id, ok := ses.begun["day"]; ok {
		if v, err := s.counter.Operation(id); err == nil && !v.State.Final() {
			http.Redirect(w, r, "/op/"+string(id)+next, http.StatusSeeOther)
			return
		}
	}
	v, err := s.counter.Authenticate(r.Context(), ses.agent)
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &precluded):
		s.dayPage(w, r, ses, http.StatusConflict, precluded.Message)
	case err != nil:
		s.failed(w, r, ses, err)
	default:
		ses.begun["day"] = v.ID
		http.Redirect(w, r, "/op/"+string(v.ID)+next, http.StatusSeeOther)
	}
}
