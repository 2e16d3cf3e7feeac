package dmt

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
)

// refreshSeconds is the reload interval without scripts, in seconds.
const refreshSeconds = 3

type startData struct {
	Mobile ui.Field
	Wrong  []ui.Chip // reader, connection and clock, where something is wrong
	Open   []openFlow
}

type openFlow struct {
	Href, Who, Mobile, Where, When string
}

func (s *Pages) renderStart(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	words := ses.Words()
	d := startData{Mobile: ui.Field{
		Name: "mobile", Kind: ui.Mobile, Label: words.Text("dmt.mobile"), Hint: words.Text("dmt.mobile.hint"), Value: r.PostForm.Get("mobile"), Error: wrong.Fields["mobile"],
		Max: 14, Focus: true, Missing: words.Text("dmt.mobile.wrong"), Wrong: words.Text("dmt.mobile.wrong"), MinDigits: 10,
	}}
	d.Wrong = slices.DeleteFunc(ui.Readiness(words, s.counter.Status()), func(c ui.Chip) bool { return c.Tone == "ok" })
	now := s.cfg.Now()
	for _, f := range s.store.list(ses.Operator) {
		if f.Step == Sender || f.Step == Sent || f.Step == Refunded {
			continue // finished
		}
		d.Open = append(d.Open, openFlow{"/dmt/" + string(f.ID), f.Name, f.Mobile, stepText(words, f.Step), words.ShortTime(f.Touched, now)})
	}
	s.Render(w, r, ses, wrong.Status, ui.Page{Name: "dmt/start", Title: words.Text("dmt.title"), Back: "/", Data: d})
}

// button is a button of a step. One with an Act is a form of its own.
type button struct {
	ID, Act, Text, Icon, Key string
	Main                     bool
	Href                     string
}

// Shown is the button's key as printed on keyboards.
func (b button) Shown() string { return strings.ToUpper(b.Key) }

type payeeRow struct {
	account
	Ending string
	Key    string // the digit that sends money to it; empty: none
}

// maxPayeeKeys is how many beneficiaries have a digit as their key.
const maxPayeeKeys = 9

type flowData struct {
	ID       op.ID
	Step     Step
	Turn     int
	Lead     string
	Facts    []ui.Fact
	Sums     []ui.Fact // what is paid; the last is the total
	Steps    []ui.Step
	Fields   []ui.Field
	Identity *identityForm // nil: the page asks for none
	Submit   string        // the form's button; empty: no form
	NewOTP   bool          // a new OTP is the first choice, before the form
	Buttons  []button

	Live    bool   // it refreshes by itself
	Case    string // of package outcome
	Advice  string // which advice is shown (outcome.Outcome)
	Banner  *ui.Banner
	Ready   []ui.Chip
	Capture bool
	Abandon bool
	Agreed  *ui.Consent // what the customer agreed to, before the finger; nil: nothing
	Awaits  bool        // what follows may ask for the Aadhaar number again

	Left   int // seconds until an unconfirmed account may be enquired about again
	Meters []ui.Meter
	Payees []payeeRow
	Search ui.Field
	None   bool // no beneficiary matches
	Many   bool // enough to need a search
	CanPay bool
	Age    string // the age of stored details; empty: they are new
}

// showFlow advances a flow as far as no person is needed, and shows it.
func (s *Pages) showFlow(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	f, ok := s.store.get(op.ID(r.PathValue("flow")), ses.Operator)
	if !ok {
		s.Message(w, r, ses, http.StatusNotFound, "dmt.expired")
		return
	}
	s.advanceAndRender(w, r, ses, http.StatusOK, f, "")
}

// advanceAndRender advances a flow and shows it with the errors of this request.
func (s *Pages) advanceAndRender(w http.ResponseWriter, r *http.Request, ses *ui.Session, status int, f flow, alert string) {
	v, err := s.advance(r.Context(), &f)
	if err != nil {
		s.Fail(w, r, ses, err)
		return
	}
	s.renderFlow(w, r, ses, status, f, v, nil, alert)
}

// renderFlow shows a flow's step; v is its operation while that is running.
func (s *Pages) renderFlow(w http.ResponseWriter, r *http.Request, ses *ui.Session, status int, f flow, v *edge.View, wrong formErrors, alert string) {
	words := ses.Words()
	d := flowData{ID: f.ID, Step: f.Step, Turn: f.Turn, Lead: words.Text(leadKey(f)), Steps: steps(words, f.Step)}
	p := ui.Page{Name: "dmt/flow", Title: stepText(words, f.Step), Back: "/dmt", Alert: alert}
	d.Facts = knownFacts(words, f)
	if alert == "" {
		p.Alert = problemText(words, f)
	}
	switch {
	case v != nil:
		s.fillWaiting(ses, &d, *v)
		if f.Step == OTP {
			d.Facts = append(d.Facts, costFacts(words, f)...)
		}
		p.Refresh, d.Awaits = refreshSeconds, f.asksIdentity()
	case f.Step == Sender:
		p.Alert = firstNonEmpty(s.fillSender(ses, r, &d, f), p.Alert)
		if p.Alert == "" && f.Fee > 0 {
			p.Alert = words.Text("dmt.fee", "amount", i18n.Rupees(f.Fee))
		}
	case f.Step == Sent:
		p.Alert, p.Operation = firstNonEmpty(s.fillOutcome(ses, &d, f.Transfer, f), p.Alert), f.Transfer
	case f.Step == Refunded:
		p.Alert, p.Operation = firstNonEmpty(s.fillOutcome(ses, &d, f.Refund, f), p.Alert), f.Refund
	default:
		s.fillForm(ses, r, &d, f, wrong)
		if here := s.carriedCash(&f); here > 0 && (f.Step == Confirm || f.Step == OTP) {
			d.Facts = append(d.Facts, ui.Fact{Label: words.Text("dmt.fact.cash-here"), Value: i18n.Rupees(here)})
		}
		if len(wrong) > 0 && !d.showsError(wrong) {
			p.Alert = words.Text("dmt.problem.form")
		}
		if rules[f.Step].back != "" {
			d.Buttons = append(d.Buttons, button{ID: "do-back", Act: "back", Text: words.Text("dmt.back"), Icon: "back"})
		}
	}
	d.Live = d.Banner != nil || d.Left > 0 || d.Ready != nil
	if d.Banner != nil {
		p.Title = d.Banner.Title
	}
	p.Data = d
	s.Render(w, r, ses, status, p)
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func (d flowData) showsError(wrong formErrors) bool {
	for _, x := range d.Fields {
		if wrong[x.Name] != "" {
			return true
		}
	}
	return d.Identity != nil && (wrong["aadhaar"] != "" || wrong["consent"] != "")
}

// stepText is the title of a step's page.
func stepText(w *i18n.Localizer, s Step) string {
	if s == Finger { // one page with the number
		s = Aadhaar
	}
	return w.Text("dmt.step." + string(s))
}

// leadKey is the key of a step's first sentence. It always says whether to return cash
// now, since cash is returned once.
func leadKey(f flow) string {
	key := "dmt.lead." + string(f.Step)
	if f.Step == Finger {
		key = "dmt.lead.aadhaar"
	}
	if (f.Step == RefundAsk || f.Step == RefundCode) && f.CashReturned {
		return key + ".again"
	}
	return key
}

// problemText says why a step failed.
func problemText(w *i18n.Localizer, f flow) string {
	switch f.Problem {
	case "", problemNoRefund: // the banner says it
		return ""
	case problemPrecluded:
		return outcome.PreconditionText(w, &edge.PreconditionError{Code: edge.Precondition(f.Code)})
	case problemRefused:
		return refusalText(w, f.Code, f.Message)
	case problemWrongOTP:
		text := w.Text(problemWrongOTP + "." + string(f.Step))
		if f.otpTriesLeft() == 0 {
			return text + " " + w.Text("dmt.otp.tries.none")
		}
		return text + " " + w.Plural("dmt.otp.tries", f.otpTriesLeft())
	case problemNotSent:
		return strings.TrimSpace(w.Text(f.Problem) + " " + outcome.ReasonText(w, f.Reason))
	}
	return w.Text(f.Problem)
}

// refusalText explains a code of the bank or of central.
func refusalText(w *i18n.Localizer, code, message string) string {
	text := w.Text("dmt.problem.code", "code", strings.TrimPrefix(code, centralCodePrefix))
	if key := "dmt.code." + code; w.Has(key) {
		text = w.Text(key)
	}
	if w.Code() == i18n.English && message != "" {
		text += " " + w.Text(problemRefused, "said", message)
	}
	return text
}

// progressBars are the steps that people see, for each path through the table.
var progressBars = [][]struct {
	name string
	of   []Step
}{
	{{"name", []Step{Name}}, {"otp", []Step{CodeAsk, Code}}, {"finger", []Step{Aadhaar, Finger, Submit}}},
	{{"amount", []Step{Amount}}, {"charges", []Step{Confirm}}, {"otp", []Step{OTP}}, {"result", []Step{Sent}}},
	{{"otp", []Step{RefundCheck, RefundAsk, RefundCode}}, {"result", []Step{Refunded}}, {"cash", nil}},
}

// steps returns the progress bar of a step; nil for a step outside all bars.
func steps(w *i18n.Localizer, s Step) []ui.Step {
	for _, way := range progressBars {
		var names []string
		at := -1
		for i, part := range way {
			names = append(names, w.Text("dmt.progress."+part.name))
			if slices.Contains(part.of, s) {
				at = i
			}
		}
		if at >= 0 {
			return ui.Steps(at, names...)
		}
	}
	return nil
}

func knownFacts(w *i18n.Localizer, f flow) []ui.Fact {
	var out []ui.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, ui.Fact{Label: w.Text("dmt.fact." + label), Value: value})
		}
	}
	add("mobile", f.Mobile)
	add("sender", f.Name)
	switch f.Step {
	case DeletePayee, Amount, Confirm, OTP, Sent, RefundCheck, RefundAsk, RefundCode, Refunded, Unconfirmed, PayeeAdd, ConfirmHolder:
		add("payee", f.To.Name)
		add("account", f.To.Number)
		add("ifsc", f.To.IFSC)
		add("bank", f.To.Bank)
	}
	switch f.Step {
	case Sent, RefundCheck, RefundAsk, RefundCode, Refunded:
		out = append(out, costFacts(w, f)...)
	}
	if f.Fee > 0 {
		add("fee", i18n.Rupees(f.Fee))
	}
	return out
}

// costFacts returns what the customer pays, part by part, as far as known.
func costFacts(w *i18n.Localizer, f flow) []ui.Fact {
	out := []ui.Fact{{Label: w.Text("dmt.fact.amount"), Value: i18n.Rupees(f.Amount)}}
	for _, told := range []struct{ label, sum string }{{"charge", rupees(f.Charge)}, {"total", rupees(f.Total)}} {
		if told.sum != "" {
			out = append(out, ui.Fact{Label: w.Text("dmt.fact." + told.label), Value: told.sum})
		}
	}
	return out
}

// rupees formats an amount from central; "" for none.
func rupees(told string) string {
	p, err := money.Parse(told)
	if err != nil {
		return ""
	}
	return i18n.Rupees(p)
}

func (s *Pages) fillWaiting(ses *ui.Session, d *flowData, v edge.View) {
	words, st := ses.Words(), s.counter.Status()
	t := outcome.Describe(words, v, st)
	k := t.Kind
	d.Case, d.Capture, d.Abandon = t.Case, v.State == op.Reserved && v.Stage == edge.StageReady, v.State == op.Reserved
	d.Banner = &ui.Banner{Tone: t.Tone, Icon: t.Icon, Group: k.Group, Subject: k.Title(words), Title: t.Title, Lead: t.Lead, Reason: t.Why}
	if k.Name == "other" {
		d.Banner.Subject = stepText(words, d.Step)
		if t.Case == "sending" || t.Case == "bank" {
			d.Banner.Subject, d.Banner.Title, d.Banner.Lead = "", d.Banner.Subject, words.Text("dmt.wait")
		}
	}
	if v.State == op.Reserved {
		d.Ready, d.Agreed = ui.Readiness(words, st), s.agreed(v, st.Merchant)
	}
}

// maxUnsearched is how many beneficiaries are listed without a search box.
const maxUnsearched = 4

// fillSender shows what is known of a remitter; alert says what is wrong.
func (s *Pages) fillSender(ses *ui.Session, r *http.Request, d *flowData, f flow) (alert string) {
	words := ses.Words()
	fresh := button{ID: "do-fresh", Act: "sender", Text: words.Text("dmt.refresh"), Main: true}
	v, err := s.counter.Operation(f.DetailsID)
	if err == nil && v.State != op.Succeeded {
		err = errDetails
	}
	var m remitter
	if err == nil {
		m, err = readRemitter(v.Reply)
	}
	if err != nil {
		d.Buttons = append(d.Buttons, fresh)
		return words.Text("dmt.problem.details")
	}
	meter := func(key string, left, whole money.Paise) {
		if whole > 0 {
			used := max(whole-left, 0)
			d.Meters = append(d.Meters, ui.Meter{
				Label: words.Text(key), Part: int64(used), Whole: int64(whole),
				Text: words.Text("dmt.limit", "used", i18n.Rupees(used), "left", i18n.Rupees(left)),
			})
		}
	}
	meter("dmt.limit.day", m.Left, m.Day)
	meter("dmt.limit.month", m.MonthLeft, m.Month)
	typed := r.URL.Query().Get("q")
	keys := 0
	for _, p := range m.search(typed) {
		row := payeeRow{account: p, Ending: p.lastDigits()}
		if p.Usable && keys < maxPayeeKeys {
			keys++
			row.Key = strconv.Itoa(keys)
		}
		d.Payees = append(d.Payees, row)
	}
	d.None, d.Many = len(d.Payees) == 0, len(m.Payees) > maxUnsearched || typed != ""
	d.Search = ui.Field{Name: "q", Kind: ui.Search, Label: words.Text("dmt.search"), Value: typed}
	d.CanPay = v.KnownAt.IsZero()
	if !d.CanPay {
		d.Age = words.Text("dmt.stale", "span", words.Duration(s.cfg.Now().Sub(v.KnownAt)))
		d.Buttons = append(d.Buttons, fresh)
		return ""
	}
	d.Buttons = append(d.Buttons, button{ID: "do-add", Act: "add", Text: words.Text("dmt.add"), Key: "a", Main: len(m.Payees) == 0})
	return ""
}

// fillOutcome shows the outcome of a transfer or refund in the words of the operation's
// page; alert says what is wrong.
func (s *Pages) fillOutcome(ses *ui.Session, d *flowData, id op.ID, f flow) (alert string) {
	words, st := ses.Words(), s.counter.Status()
	v, err := s.counter.Operation(id)
	if err != nil {
		return words.Text("dmt.problem.deleted")
	}
	t := outcome.Describe(words, v, st)
	k := t.Kind
	d.Case, d.Advice = t.Case, t.Advice
	d.Banner = &ui.Banner{Tone: t.Tone, Icon: t.Icon, Group: k.Group, Subject: k.Title(words), Title: t.Title, Lead: t.Lead, Reason: t.Why}
	offer := func(b button) { d.Buttons = append(d.Buttons, b) }
	if f.Problem == problemNoRefund && (t.Case == "reversed" || t.Case == "returned-before-refund") { // the earlier advice no longer holds
		d.Case, d.Advice = "no-refund", "dmt-no-refund"
		d.Banner.Title, d.Banner.Lead = words.Text("dmt.no-refund.title"), words.Text("dmt.no-refund.lead")
	}
	refundFirst, refundable := v.Cash() == edge.CashRefund, f.Step == Sent && s.refundable(&f)
	if owed := cashbook.OwedBack(v.Record); owed > 0 && d.Case != "no-refund" {
		b := button{ID: "do-cash", Act: "cash", Text: words.Text("dmt.cash.back", "amount", i18n.Rupees(owed)), Icon: "tick", Key: "c"}
		if refundFirst {
			b.Key = "" // it skips the refund
		}
		offer(b)
	}
	again := movedNoMoney(v) && (f.Step == Refunded || f.SenderID != "")
	if again {
		offer(button{ID: "do-retry", Act: "retry", Text: words.Text("dmt.retry"), Key: "t", Main: true})
	}
	if v.State.Final() && f.Mobile != "" {
		offer(button{ID: "do-sender", Act: "sender", Text: words.Text("dmt.another"), Key: "n", Main: !again && (d.Case == "no-refund" || !refundable && !v.Cash().NeedsAnswer())})
	}
	offer(button{ID: "do-op", Href: "/op/" + string(id), Text: words.Text("dmt.operation"), Icon: "list", Key: "r", Main: v.Cash().NeedsAnswer() && !refundFirst})
	if f.Step == Sent && v.State == op.Pending {
		offer(button{ID: "do-requery", Act: "requery", Text: words.Text("dmt.refresh")})
	}
	if refundable {
		b := button{ID: "do-refund", Act: "refund", Text: words.Text("dmt.refund"), Main: true}
		if d.Case == "no-refund" {
			b.Text, b.Main = words.Text("dmt.refresh"), false
		}
		offer(b)
	}
	return ""
}
