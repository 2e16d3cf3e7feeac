package screen

import (
	"errors"
	"net/http"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

// opData is what the page of an operation shows.
type opData struct {
	ID       op.ID
	Kind     told.Kind
	KindName string
	Told     told.Told
	Band     web.Band
	Steps    []told.Step // empty: final
	Ready    []web.Chip  // before the finger
	Consent  *consent    // what the customer agreed to, in the customer's language, before the finger
	Due      *due        // of a debit that is pending
	Finger   *reading    // where the print is why it failed
	Code     string      // the bank's, of what did not succeed
	Facts    []web.Fact
	Balance  string // shown on request only
	Entries  []entry
	Next     string // the transaction to go on with, after the day's authentication
	NextName string
	Can      can
	Owed     string // the customer's cash that is to be given back
	Flow     string // the way to the room of sending money; empty: none
}

// can says which steps the agent may take now.
type can struct {
	Capture bool // or try again
	Retry   bool // it is a second try
	Abandon bool
	Cash    bool // confirm that cash was given
	Back    bool // confirm that a transfer's cash was given back
	Refund  bool // its refund comes first
	Not     bool // say that it was not
	Noted   bool // say that it is known that the bank took the payment back
	Receipt bool
	Again   bool // the same customer, once more
	Leave   bool // it goes on by itself, or is over
}

// operation shows an operation as it stands, from the finger to the result.
func (s *Screen) operation(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.operationPage(w, r, ses, http.StatusOK, "")
}

// nextRefresh is how often a page without scripts looks again, in seconds.
const nextRefresh = 3

func (s *Screen) operationPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, alert string) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := s.counter.Operation(id)
	if err != nil {
		s.Failed(w, r, ses, err)
		return
	}
	st := s.counter.Status()
	t := told.Tell(ses.Words(), v, st)
	k := t.Kind
	d := opData{ID: id, Kind: k, KindName: ses.Words().Say("kind." + k.Name), Told: t, Can: allowed(v), Flow: told.Flow(ses.Words(), v)}
	switch {
	case d.Can.Capture:
		d.Steps, d.Ready = told.Steps(ses.Words(), d.Told.Case), web.Readiness(ses.Words(), st)
		if v.IIN != "" {
			d.Ready = append(d.Ready, s.rate(ses.Words(), v.IIN).chips()...)
		}
		d.Consent = s.consented(v, k, st.Merchant)
	case !v.State.Final() && k.Group != "remit" && v.Route != op.Refund: // no finger is taken for them
		d.Steps = told.Steps(ses.Words(), d.Told.Case)
	}
	if v.Result.Code != "" && v.State != op.Succeeded {
		d.Code = v.Result.Code
	}
	if v.State == op.Succeeded && v.Result.Balance != nil && k.Group == "cash" {
		d.Balance = words.Rupees(*v.Result.Balance)
	}
	if v.Route == op.Withdrawal || v.Route == op.Purchase {
		d.Due = dueOf(ses.Words(), v, st)
	}
	d.Finger = readingOf(ses.Words(), v)
	d.Entries = readStatement(v.Result.MiniStatement)
	d.Facts, d.Owed = facts(ses.Words(), v, st), words.Rupees(cashbook.Due(v.Record))
	if next, ok := told.Named(r.FormValue("next")); ok && v.Route == op.ReqAuth {
		d.Next, d.NextName = next.Name, next.Title(ses.Words())
	}
	d.Band = web.Band{
		Tone: d.Told.Tone, Icon: d.Told.Icon, Group: k.Group, Of: d.KindName, Title: d.Told.Title, Lead: d.Told.Lead, Why: d.Told.Why,
	}
	p := web.Page{Name: "screen/op", Title: d.Told.Title, Alert: alert, Data: d, Operation: id}
	if d.Can.Leave {
		p.Back = "/"
	}
	if !v.State.Final() && v.Stage != edge.StageReady {
		p.Refresh = nextRefresh
	}
	s.Render(w, r, ses, status, p)
}

// consented gives what the customer agreed to, to be read again before each
// capture; nil where no customer was asked.
func (s *Screen) consented(v edge.View, k told.Kind, shop string) *consent {
	code := told.CustomerLanguage(v.Consent)
	if code == "" {
		return nil
	}
	theirs := s.In(code)
	return &consent{
		Language: words.Language{Code: code}, Text: told.Consent(theirs, k, shop), Agrees: theirs.Say("consent.label"), Version: v.Consent,
	}
}

// allowed says what may be done to an operation in its state.
func allowed(v edge.View) can {
	early := v.State == op.Reserved || v.State == op.Queued
	final := v.State.Final()
	_, form := told.Named(told.Of(v.Route).Name) // other rooms' operations begin there
	return can{
		Capture: v.State == op.Reserved && v.Stage == edge.StageReady,
		Retry:   v.Problem != nil,
		Abandon: early,
		Cash:    (v.Cash() == edge.CashDue || v.Cash() == edge.CashNotGiven) && v.Route != op.Transfer,
		Not:     v.Cash() == edge.CashDue,
		Noted:   v.Cash() == edge.CashReversed,
		Back:    cashbook.Due(v.Record) > 0,
		Refund:  v.Cash() == edge.CashRefund,
		Receipt: v.Route != op.ReqAuth && (v.State == op.Pending || (final && v.Verdict() != edge.VerdictNoMoney)),
		Again:   final && v.State != op.Succeeded && (form || v.Route == op.ReqAuth),
		Leave:   !early,
	}
}

// facts are the details that a dispute needs.
func facts(w *words.Words, v edge.View, st edge.Status) []web.Fact {
	var out []web.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, web.Fact{Label: w.Say("fact." + label), Value: value})
		}
	}
	if v.Route == op.ReqAuth {
		add("agent", v.Customer)
	} else {
		add("customer", v.Customer)
	}
	add("aadhaar", v.Aadhaar)
	add("bank", v.BankName)
	if told.For(v.Record).Money {
		add("amount", words.Rupees(v.Amount))
	}
	if charge := cashbook.Charge(v.Record); charge > 0 {
		add("charge", words.Rupees(charge))
	}
	add("drawer", inDrawer(v))
	add("begun", w.Stamp(v.CreatedAt))
	if v.State == op.Queued {
		add("deadline", w.Seconds(v.Deadline))
	}
	add("ended", w.Stamp(v.EndedAt))
	given := "cash"
	if v.Route == op.Transfer { // its cash is the customer's own
		given = "back"
	}
	if cash := w.Stamp(v.CashGiven); cash != "" && v.CashBy != "" {
		add(given, cash+" · "+v.CashBy) // in a dispute it is that person's word
	} else {
		add(given, cash)
	}
	add("rrn", v.Result.RRN)
	add("stan", v.Result.STAN)
	add("reference", v.Result.Reference)
	add("auth", v.Result.AuthCode)
	if v.Operator != st.Agent {
		add("operator", v.Operator)
	}
	return out
}

// inDrawer says what an operation did to the cash drawer; "" for one that deals in
// no cash, or is not over.
func inDrawer(v edge.View) string {
	in, out := cashbook.Sum(cashbook.Of(v.Record))
	var moved []string
	if in > 0 {
		moved = append(moved, "+"+words.Rupees(in))
	}
	if out > 0 {
		moved = append(moved, "−"+words.Rupees(out))
	}
	if moved == nil && v.State.Final() && (v.Route == op.Withdrawal || v.Route == op.Transfer || v.Route == op.Refund) {
		return words.Rupees(0)
	}
	return strings.Join(moved, ", ")
}

// step takes one of the steps of an operation's page. Each is harmless when
// repeated; the page that follows shows what is true now.
func (s *Screen) step(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	late := ""
	switch r.PathValue("step") {
	case "capture":
		err, late = s.counter.Capture(id), "op.late.capture"
	case "abandon":
		err, late = s.counter.Abandon(id), "op.late.abandon"
	case "cash":
		err, late = s.counter.ConfirmCash(id, ses.Operator), "op.late.cash"
	case "not-given":
		err, late = s.counter.AnswerCash(id, ses.Operator, edge.CashNotGiven), "op.late.capture"
	case "noted":
		err, late = s.counter.AnswerCash(id, ses.Operator, edge.CashNoted), "op.late.capture"
	default:
		s.Nowhere(w, r, ses)
		return
	}
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &precluded):
		s.operationPage(w, r, ses, http.StatusConflict, told.Precluded(ses.Words(), precluded))
	case errors.Is(err, edge.ErrIllegal):
		s.operationPage(w, r, ses, http.StatusConflict, ses.Words().Say(late))
	case errors.Is(err, edge.ErrNotFound):
		s.Message(w, r, ses, http.StatusNotFound, "error.unknown")
	case err != nil:
		s.log.Error("a step can't be taken", "operation", id, "step", r.PathValue("step"), "error", err)
		s.operationPage(w, r, ses, http.StatusInternalServerError, ses.Words().Say("op.disk"))
	case web.Part(r):
		s.operationPage(w, r, ses, http.StatusOK, "")
	default:
		to := "/op/" + string(id)
		if k, ok := told.Named(r.PostForm.Get("next")); ok {
			to += "?next=" + k.Name
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// papers are the widths that a receipt is shown and printed for.
var papers = []string{"58", "80", "a4"}

type receiptData struct {
	ID     op.ID
	View   ReceiptView
	Paper  string
	Papers []string
}

// receipt shows the receipt of an operation whose outcome the bank told, or the
// slip of one that is pending.
func (s *Screen) receipt(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := s.counter.Operation(id)
	if err != nil {
		s.Failed(w, r, ses, err)
		return
	}
	if !allowed(v).Receipt {
		http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
		return
	}
	d := receiptData{ID: id, View: s.cfg.Receipt(v.Record, ses.Words()), Paper: papers[1], Papers: papers}
	for _, paper := range papers {
		if r.URL.Query().Get("paper") == paper {
			d.Paper = paper
		}
	}
	s.Render(w, r, ses, http.StatusOK, web.Page{Name: "screen/receipt", Title: ses.Words().Say("receipt.title"), Back: "/op/" + string(id), Data: d})
}
