package screen

import (
	"errors"
	"net/http"

	"galla/edge"
	"galla/shared/op"
)

// opData is what the page of an operation shows.
type opData struct {
	ID       op.ID
	Kind     kind
	KindName string
	Told     told
	Steps    []step // empty: final
	Ready    []chip // before the finger
	Advice   advice
	Facts    []fact
	Balance  string // shown on request only
	Entries  []entry
	Closing  string // balance of a mini statement
	Next     string // the transaction to go on with, after the day's authentication
	NextName string
	Can      can
}

// advice is what a bank's code means and what to do.
type advice struct{ Code, Meaning, Do string }

// fact is one line of an operation's details.
type fact struct{ Label, Value string }

// can says which steps the agent may take now.
type can struct {
	Capture bool // or try again
	Retry   bool // it is a second try
	Abandon bool
	Cash    bool // confirm that cash was given
	Receipt bool
	Again   bool // the same customer, once more
	Leave   bool // it goes on by itself, or is over
}

// operation shows an operation as it stands, from the finger to the result.
func (s *Screen) operation(w http.ResponseWriter, r *http.Request, ses *session) {
	s.operationPage(w, r, ses, http.StatusOK, "")
}

// nextRefresh is how often a page without scripts looks again, in seconds.
const nextRefresh = "3"

func (s *Screen) operationPage(w http.ResponseWriter, r *http.Request, ses *session, status int, alert string) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := s.counter.Operation(id)
	if err != nil {
		s.failed(w, r, ses, err)
		return
	}
	st := s.counter.Status()
	k := kindOf(v.Route)
	d := opData{ID: id, Kind: k, KindName: s.words.say("kind." + k.Name), Told: s.tell(v, st), Can: s.can(v)}
	switch {
	case d.Can.Capture:
		d.Steps, d.Ready = s.steps(d.Told.Case), s.readiness(st)
	case !v.State.Final():
		d.Steps = s.steps(d.Told.Case)
	}
	if v.Result.Code != "" && v.State != op.Succeeded {
		d.Advice.Code = v.Result.Code
		d.Advice.Meaning, d.Advice.Do = s.cfg.Explain(v.Result.Code)
	}
	if v.State == op.Succeeded && v.Result.Balance != nil && k.Group == "cash" {
		d.Balance = rupees(*v.Result.Balance)
	}
	d.Entries, d.Closing = readStatement(v.Result.MiniStatement)
	d.Facts = s.facts(v, st)
	if next, ok := kindNamed(r.FormValue("next")); ok && v.Route == op.ReqAuth {
		d.Next, d.NextName = next.Name, s.words.say("kind."+next.Name)
	}
	p := page{Name: "op", Title: d.Told.Title, Alert: alert, Data: d}
	if d.Can.Leave {
		p.Back = "/"
	}
	if !v.State.Final() && v.Stage != edge.StageReady {
		p.Refresh = nextRefresh
	}
	s.render(w, r, ses, status, p)
}

// can says what may be done to an operation in its state.
func (s *Screen) can(v edge.View) can {
	early := v.State == op.Reserved || v.State == op.Queued
	final := v.State.Final()
	return can{
		Capture: v.State == op.Reserved && v.Stage == edge.StageReady,
		Retry:   v.Problem != nil,
		Abandon: early,
		Cash:    v.Verdict() == edge.VerdictGive && v.CashGiven.IsZero(),
		Receipt: v.Route != op.ReqAuth && (v.State == op.Pending || (final && v.Verdict() != edge.VerdictNoMoney)),
		Again:   final && v.State != op.Succeeded,
		Leave:   !early,
	}
}

// facts are the details that a dispute needs.
func (s *Screen) facts(v edge.View, st edge.Status) []fact {
	var out []fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, fact{s.words.say("fact." + label), value})
		}
	}
	if v.Route == op.ReqAuth {
		add("agent", v.Customer)
	} else {
		add("customer", v.Customer)
	}
	add("aadhaar", v.Aadhaar)
	add("bank", v.BankName)
	if kindOf(v.Route).Money {
		add("amount", rupees(v.Amount))
	}
	add("begun", s.words.stamp(v.CreatedAt))
	if v.State == op.Queued {
		add("deadline", s.words.clockSeconds(v.Deadline))
	}
	add("ended", s.words.stamp(v.EndedAt))
	add("cash", s.words.stamp(v.CashGiven))
	add("rrn", v.Result.RRN)
	add("stan", v.Result.STAN)
	add("reference", v.Result.Reference)
	add("auth", v.Result.AuthCode)
	if v.Operator != st.Agent {
		add("operator", v.Operator)
	}
	return out
}

// step takes one of the steps of an operation's page. Each is harmless when
// repeated; the page that follows shows what is true now.
func (s *Screen) step(w http.ResponseWriter, r *http.Request, ses *session) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	late := ""
	switch r.PathValue("step") {
	case "capture":
		err, late = s.counter.Capture(id), "op.late.capture"
	case "abandon":
		err, late = s.counter.Abandon(id), "op.late.abandon"
	case "cash":
		err, late = s.counter.ConfirmCash(id), "op.late.cash"
	default:
		s.nowhere(w, r, ses)
		return
	}
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &precluded):
		s.operationPage(w, r, ses, http.StatusConflict, precluded.Message)
	case errors.Is(err, edge.ErrIllegal):
		s.operationPage(w, r, ses, http.StatusConflict, s.words.say(late))
	case errors.Is(err, edge.ErrNotFound):
		s.message(w, r, ses, http.StatusNotFound, "error.unknown")
	case err != nil:
		s.log.Error("a step can't be taken", "operation", id, "step", r.PathValue("step"), "error", err)
		s.operationPage(w, r, ses, http.StatusInternalServerError, s.words.say("op.disk"))
	case part(r):
		s.operationPage(w, r, ses, http.StatusOK, "")
	default:
		to := "/op/" + string(id)
		if k, ok := kindNamed(r.PostForm.Get("next")); ok {
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
func (s *Screen) receipt(w http.ResponseWriter, r *http.Request, ses *session) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := s.counter.Operation(id)
	if err != nil {
		s.failed(w, r, ses, err)
		return
	}
	if !s.can(v).Receipt {
		http.Redirect(w, r, "/op/"+string(id), http.StatusSeeOther)
		return
	}
	d := receiptData{ID: id, View: s.cfg.Receipt(v.Record), Paper: papers[1], Papers: papers}
	for _, paper := range papers {
		if r.URL.Query().Get("paper") == paper {
			d.Paper = paper
		}
	}
	s.render(w, r, ses, http.StatusOK, page{Name: "receipt", Title: s.words.say("receipt.title"), Back: "/op/" + string(id), Data: d})
}
