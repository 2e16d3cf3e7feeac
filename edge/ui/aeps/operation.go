package aeps

import (
	"errors"
	"net/http"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/op"
)

type opData struct {
	ID       op.ID
	Kind     outcome.Kind
	KindName string
	Outcome  outcome.Description
	Banner   ui.Banner
	Steps    []outcome.Step  // empty: final
	Ready    []ui.Chip       // before the finger is captured
	Consent  *ui.Consent     // in the customer's language, until the finger is captured
	Due      *returnDeadline // of a debit that is pending
	Finger   *printQuality   // after a failure that the print explains
	Code     string          // the bank's, unless it succeeded
	Facts    []ui.Fact
	Balance  string // shown on request only
	Entries  []receipt.Entry
	Next     string // what follows the daily authentication: a transaction's name or nextHome
	Go       string // the page that follows now
	Can      actions
	Owed     string // the customer's cash to return
	Flow     string // the address of the money transfer; empty: none
}

type actions struct {
	Capture      bool // or try again
	Retry        bool // Capture is a second attempt
	Abandon      bool
	Cash         bool // confirm that cash was given
	CashReturned bool // confirm that a transfer's cash was returned
	Refund       bool // its refund comes first
	NotGiven     bool // say that cash was not given
	Acknowledge  bool // acknowledge that the bank reversed the payment
	Receipt      bool
	Again        bool // the same transaction for the same customer
	Next         bool // leave the page for the next transaction
}

// nextRefresh is the reload interval without scripts, in seconds.
const nextRefresh = 3

func (s *Pages) renderOperation(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	v, err := ui.FindOperation(r, s.counter.Operation)
	if err != nil {
		s.Fail(w, r, ses, err)
		return
	}
	if v.IsMessage() { // its outcome stands beside the receipt
		if of, err := s.counter.Operation(v.LinkedTo); err == nil && allowedActions(of).Receipt {
			http.Redirect(w, r, "/op/"+string(of.ID)+"/receipt", http.StatusSeeOther)
			return
		}
	}
	st := s.counter.Status()
	t := outcome.Describe(ses.Words(), v, st)
	k := t.Kind
	d := opData{ID: v.ID, Kind: k, KindName: ses.Words().Text("kind." + k.Name), Outcome: t, Can: allowedActions(v), Flow: outcome.TransferLinkText(ses.Words(), v)}
	switch {
	case d.Can.Capture:
		d.Steps, d.Ready = outcome.Steps(ses.Words(), d.Outcome.Case), ui.Readiness(ses.Words(), st)
		if v.IIN != "" {
			d.Ready = append(d.Ready, s.bankRateOf(ses.Words(), v.IIN).chips()...)
		}
	case !v.State.Final() && k.Group != "dmt" && v.Route != op.Refund: // these take no finger
		d.Steps = outcome.Steps(ses.Words(), d.Outcome.Case)
	}
	if v.State == op.Reserved {
		d.Consent = s.ConsentOf(v.Consent, k, st.Merchant)
	}
	if v.Result.Code != "" && v.State != op.Succeeded {
		d.Code = v.Result.Code
	}
	if v.State == op.Succeeded && v.Result.Balance != nil && k.Group == "cash" {
		d.Balance = i18n.Rupees(*v.Result.Balance)
	}
	if v.Route == op.Withdrawal || v.Route == op.Purchase {
		d.Due = returnDeadlineOf(ses.Words(), v, st)
	}
	d.Finger = printQualityOf(ses.Words(), v)
	d.Entries = statementEntries(v.Result.MiniStatement)
	d.Facts, d.Owed = facts(ses.Words(), v, st), i18n.Rupees(cashbook.OwedBack(v.Record))
	if next := r.FormValue("next"); v.Route == op.ReqAuth && nextQuery(next) != "" {
		d.Next = next
		if d.Go = followingPage(next, v); d.Go != "" && !ui.IsPartial(r) {
			http.Redirect(w, r, d.Go, http.StatusSeeOther)
			return
		}
	}
	d.Banner = ui.Banner{
		Tone: d.Outcome.Tone, Icon: d.Outcome.Icon, Group: k.Group, Subject: d.KindName, Title: d.Outcome.Title, Lead: d.Outcome.Lead, Reason: d.Outcome.Why,
	}
	p := ui.Page{Name: "aeps/operation", Title: d.Outcome.Title, Alert: wrong.Alert, Data: d, Operation: v.ID}
	if d.Can.Next {
		p.Back = "/"
	}
	if !v.State.Final() && v.Stage != edge.StageReady {
		p.Refresh = nextRefresh
	}
	s.Render(w, r, ses, wrong.Status, p)
}

// followingPage is the page that follows an authentication, once it has succeeded.
func followingPage(next string, v edge.View) string {
	switch {
	case v.State != op.Succeeded:
		return ""
	case next == nextHome:
		return "/"
	}
	return "/new/" + next
}

func allowedActions(v edge.View) actions {
	early := v.State == op.Reserved || v.State == op.Queued
	final := v.State.Final()
	_, form := outcome.KindNamed(outcome.KindOfRoute(v.Route).Name) // other sections have their own forms
	return actions{
		Capture:      v.State == op.Reserved && v.Stage == edge.StageReady,
		Retry:        v.Problem != nil,
		Abandon:      early,
		Cash:         (v.Cash() == edge.CashDue || v.Cash() == edge.CashNotGiven) && v.Route != op.Transfer,
		NotGiven:     v.Cash() == edge.CashDue,
		Acknowledge:  v.Cash() == edge.CashReversed,
		CashReturned: cashbook.OwedBack(v.Record) > 0,
		Refund:       v.Cash() == edge.CashRefund,
		Receipt:      v.Route != op.ReqAuth && !v.IsMessage() && (v.State == op.Pending || (final && v.Verdict() != edge.VerdictNoMoney)),
		Again:        final && v.State != op.Succeeded && (form || v.Route == op.ReqAuth),
		Next:         !early,
	}
}

func facts(w *i18n.Localizer, v edge.View, st edge.Status) []ui.Fact {
	var out []ui.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, ui.Fact{Label: w.Text("fact." + label), Value: value})
		}
	}
	if v.Route == op.ReqAuth {
		add("agent", v.Customer)
	} else {
		add("customer", v.Customer)
	}
	add("aadhaar", v.Aadhaar)
	add("bank", v.BankName)
	if outcome.KindOf(v.Record).Money {
		add("amount", i18n.Rupees(v.Amount))
	}
	if charge := cashbook.Charge(v.Record); charge > 0 {
		add("charge", i18n.Rupees(charge))
	}
	add("drawer", drawerText(v))
	add("created", w.DateTime(v.CreatedAt))
	if v.State == op.Queued {
		add("deadline", w.TimeWithSeconds(v.Deadline))
	}
	add("ended", w.DateTime(v.EndedAt))
	given := "cash"
	if v.Route == op.Transfer { // the customer paid its cash
		given = "cash-returned"
	}
	if cash := w.DateTime(v.CashGivenAt); cash != "" && v.CashBy != "" {
		add(given, cash+" · "+v.CashBy) // a dispute needs the person
	} else {
		add(given, cash)
	}
	add("rrn", v.Result.RRN)
	add("stan", v.Result.STAN)
	add("reference", v.Result.Reference)
	add("auth", v.Result.AuthCode)
	if v.User != st.Agent {
		add("operator", v.User)
	}
	return out
}

// statementEntries parses the lines of a mini statement, without empty lines and balances.
func statementEntries(lines []string) (entries []receipt.Entry) {
	for _, line := range lines {
		if e, _ := receipt.ParseLine(line); e.Raw != "" && !e.Balance {
			entries = append(entries, e)
		}
	}
	return entries
}

// drawerText says how an operation changed the cash in the drawer; "" for one without
// cash, or an unfinished one.
func drawerText(v edge.View) string {
	in, out := cashbook.Sum(cashbook.EntriesOf(v.Record))
	var moved []string
	if in > 0 {
		moved = append(moved, "+"+i18n.Rupees(in))
	}
	if out > 0 {
		moved = append(moved, "−"+i18n.Rupees(out))
	}
	if moved == nil && v.State.Final() && (v.Route == op.Withdrawal || v.Route == op.Transfer || v.Route == op.Refund) {
		return i18n.Rupees(0)
	}
	return strings.Join(moved, ", ")
}

// takeStep takes a step of an operation's page. A repeated step changes nothing; the next
// page shows the present state.
func (s *Pages) takeStep(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.Fail(w, r, ses, edge.ErrNotFound)
		return
	}
	late := ""
	switch r.PathValue("step") {
	case "capture":
		err, late = s.counter.Capture(id), "op.late.capture"
	case "abandon":
		err, late = s.counter.Cancel(id), "op.late.abandon"
	case "cash":
		err, late = s.counter.ConfirmCash(id, ses.Operator), "op.late.cash"
	case "not-given":
		err, late = s.counter.AnswerCash(id, ses.Operator, edge.CashNotGiven), "op.late.capture"
	case "noted":
		err, late = s.counter.AnswerCash(id, ses.Operator, edge.CashAcknowledged), "op.late.capture"
	default:
		s.NotFound(w, r, ses)
		return
	}
	var precluded *edge.PreconditionError
	switch {
	case errors.As(err, &precluded):
		s.renderOperation(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(ses.Words(), precluded)})
	case errors.Is(err, edge.ErrIllegal):
		s.renderOperation(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: ses.Words().Text(late)})
	case errors.Is(err, edge.ErrNotFound):
		s.Fail(w, r, ses, err)
	case err != nil:
		s.log.Error("a step of an operation failed", "operation", id, "step", r.PathValue("step"), "error", err)
		s.renderOperation(w, r, ses, ui.Problem{Status: http.StatusInternalServerError, Alert: ses.Words().Text("op.disk")})
	case ui.IsPartial(r):
		s.renderOperation(w, r, ses, ui.Problem{})
	default:
		http.Redirect(w, r, "/op/"+string(id)+nextQuery(r.PostForm.Get("next")), http.StatusSeeOther)
	}
}
