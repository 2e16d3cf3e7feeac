package send

import (
	"net/http"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// nextRefresh is how often a page without scripts looks again, in seconds.
const nextRefresh = 3

type startData struct {
	Mobile web.Field
	Wrong  []web.Chip // reader, line and clock, where they are in the way
	Open   []openFlow
}

// openFlow is one half-finished flow in the list.
type openFlow struct {
	Href, Who, Mobile, Where, When string
}

// start asks whose money is sent, and lists what is half finished.
func (s *Room) start(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.startPage(w, r, ses, http.StatusOK, "", "")
}

func (s *Room) startPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, typed, wrong string) {
	said := ses.Words()
	d := startData{Mobile: web.Field{
		Name: "mobile", Kind: web.Mobile, Label: said.Say("send.mobile"), Hint: said.Say("send.mobile.hint"), Value: typed,
		Max: 14, Focus: true, Missing: said.Say("send.mobile.wrong"), Wrong: said.Say("send.mobile.wrong"), Least: 10,
	}}
	if wrong != "" {
		d.Mobile.Error = said.Say(wrong)
	}
	d.Wrong = slices.DeleteFunc(web.Readiness(said, s.counter.Status()), func(c web.Chip) bool { return c.Tone == "ok" })
	now := s.cfg.Now()
	for _, f := range s.store.of(ses.Operator) {
		if f.Step == Sender || f.Step == Sent || f.Step == Refunded {
			continue // nothing is half finished
		}
		d.Open = append(d.Open, openFlow{"/send/" + string(f.ID), f.Name, f.Mobile, said.Say("send.step." + string(f.Step)), said.Clock(f.Touched, now)})
	}
	s.Render(w, r, ses, status, web.Page{Name: "send/start", Title: said.Say("send.title"), Back: "/", Data: d})
}

// button is one way on from a step. One with an Act is a form of its own.
type button struct {
	ID, Act, Text, Icon, Key string
	Main                     bool
	Href                     string
}

// Shown is the button's key, as it is printed on keyboards.
func (b button) Shown() string { return strings.ToUpper(b.Key) }

// payeeRow is one beneficiary in the sender's list.
type payeeRow struct {
	account
	Ending string
}

type flowData struct {
	ID       op.ID
	Step     Step
	Turn     int
	Lead     string
	Facts    []web.Fact
	Sums     []web.Fact // what is paid: the last is the whole
	Steps    []web.Step
	Fields   []web.Field
	Check    *check // a box to tick
	Consents []consent
	Tongue   web.Choice // the language of the consent
	Submit   string     // the form's button; empty: no form
	Buttons  []button

	Live    bool   // it changes by itself
	Case    string // of package told, of what it shows
	Advice  string // which advice that is (told.Outcome)
	Band    *web.Band
	Ready   []web.Chip
	Capture bool
	Abandon bool

	Left   int // seconds until an unsure account may be asked about again
	Meters []web.Meter
	Payees []payeeRow
	Search web.Field
	None   bool // no beneficiary fits
	Many   bool // so many that people search
	CanPay bool
	Age    string // the details are from memory, and so old
}

// check is a box that must be ticked, with the text it stands for; where
// consents are shown, theirs.
type check struct{ Name, Text, Missing, Error string }

// consent is what the customer is read, in one language.
type consent struct{ Lang, Quote, Version, Agrees string }

// show brings a flow as far as nothing is asked of people, and shows it.
func (s *Room) show(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	f, ok := s.store.get(op.ID(r.PathValue("flow")), ses.Operator)
	if !ok {
		s.Message(w, r, ses, http.StatusNotFound, "send.gone")
		return
	}
	s.look(w, r, ses, http.StatusOK, f, "")
}

// look brings a flow on, and shows it with what went wrong just now.
func (s *Room) look(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, f flow, alert string) {
	v, err := s.advance(r.Context(), &f)
	if err != nil {
		s.Failed(w, r, ses, err)
		return
	}
	s.flowPage(w, r, ses, status, f, v, nil, alert)
}

// flowPage shows a flow's step; v is its call while that goes on.
func (s *Room) flowPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, f flow, v *edge.View, wrong formErrors, alert string) {
	said := ses.Words()
	d := flowData{ID: f.ID, Step: f.Step, Turn: f.Turn, Lead: said.Say(leadOf(f)), Steps: steps(said, f.Step)}
	p := web.Page{Name: "send/flow", Title: said.Say("send.step." + string(f.Step)), Back: "/send", Alert: alert}
	d.Facts = known(said, f)
	if alert == "" {
		p.Alert = trouble(said, f)
	}
	switch {
	case v != nil:
		s.waiting(ses, &d, *v)
		if f.Step == OTP {
			d.Facts = append(d.Facts, sums(said, f)...)
		}
		p.Refresh = nextRefresh
	case f.Step == Sender:
		p.Alert = first(s.sender(ses, r, &d, f), p.Alert)
		if p.Alert == "" && f.Fee > 0 {
			p.Alert = said.Say("send.fee", "amount", words.Rupees(f.Fee))
		}
	case f.Step == Sent:
		p.Alert, p.Operation = first(s.outcome(ses, &d, f.Transfer, f), p.Alert), f.Transfer
	case f.Step == Refunded:
		p.Alert, p.Operation = first(s.outcome(ses, &d, f.Refund, f), p.Alert), f.Refund
	default:
		s.form(ses, r, &d, f, wrong)
		if here := s.carries(&f); here > 0 && (f.Step == Confirm || f.Step == OTP) {
			d.Facts = append(d.Facts, web.Fact{Label: said.Say("send.fact.kept"), Value: words.Rupees(here)})
		}
		if len(wrong) > 0 && !d.tells(wrong) {
			p.Alert = said.Say("send.trouble.form")
		}
		if rules[f.Step].back != "" {
			d.Buttons = append(d.Buttons, button{ID: "do-back", Act: "back", Text: said.Say("send.back"), Icon: "back"})
		}
	}
	d.Live = d.Band != nil || d.Left > 0 || d.Ready != nil
	if d.Band != nil {
		p.Title = d.Band.Title
	}
	p.Data = d
	s.Render(w, r, ses, status, p)
}

// first gives the first text that says something.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// tells tells whether one of the page's fields says what is wrong.
func (d flowData) tells(wrong formErrors) bool {
	for _, x := range d.Fields {
		if wrong[x.Name] != "" {
			return true
		}
	}
	return d.Check != nil && wrong[d.Check.Name] != ""
}

// leadOf is the key of what a step says first. Whether the cash goes back now
// is never left open: it goes back once.
func leadOf(f flow) string {
	key := "send.lead." + string(f.Step)
	if (f.Step == RefundAsk || f.Step == RefundCode) && f.CashBack {
		return key + ".again"
	}
	return key
}

// trouble says why a step went no further. What was said in English stands
// there for who reads it; in other languages the code tells.
func trouble(w *words.Words, f flow) string {
	english := w.Code() == words.English
	switch f.Trouble {
	case "", troubleNoRefund: // the band says it
		return ""
	case troublePrecluded:
		return told.Precluded(w, &edge.PrecludedError{Code: f.Code, Message: f.Said})
	case troubleRefused:
		return refusal(w, f.Code, f.Said)
	case troubleNotSent:
		if english && f.Said != "" {
			return w.Say(f.Trouble) + " " + f.Said
		}
	}
	return w.Say(f.Trouble)
}

// refusal says what a code of the bank's or the central's means here.
func refusal(w *words.Words, code, message string) string {
	text := w.Say("send.trouble.code", "code", strings.TrimPrefix(code, ownCode))
	if key := "send.code." + code; w.Has(key) {
		text = w.Say(key)
	}
	if w.Code() == words.English && message != "" {
		text += " " + w.Say(troubleRefused, "said", message)
	}
	return text
}

// ways are the steps that people see, of each way through the table.
var ways = [][]struct {
	name string
	of   []Step
}{
	{{"name", []Step{Name}}, {"password", []Step{CodeAsk, Code}}, {"aadhaar", []Step{Aadhaar}}, {"finger", []Step{Finger, Submit}}},
	{{"amount", []Step{Amount}}, {"charges", []Step{Confirm}}, {"password", []Step{OTP}}, {"result", []Step{Sent}}},
	{{"password", []Step{RefundCheck, RefundAsk, RefundCode}}, {"result", []Step{Refunded}}, {"cash", nil}},
}

// steps shows how far a way is; nil for a step that is on none.
func steps(w *words.Words, s Step) []web.Step {
	for _, way := range ways {
		var names []string
		at := -1
		for i, part := range way {
			names = append(names, w.Say("send.way."+part.name))
			if slices.Contains(part.of, s) {
				at = i
			}
		}
		if at >= 0 {
			return web.Stepper(at, names...)
		}
	}
	return nil
}

// known are the facts that the flow has so far.
func known(w *words.Words, f flow) []web.Fact {
	var out []web.Fact
	add := func(label, value string) {
		if value != "" {
			out = append(out, web.Fact{Label: w.Say("send.fact." + label), Value: value})
		}
	}
	add("mobile", f.Mobile)
	add("sender", f.Name)
	switch f.Step {
	case Drop, Amount, Confirm, OTP, Sent, RefundCheck, RefundAsk, RefundCode, Refunded, Unsure, PayeeAdd, Holder:
		add("payee", f.To.Name)
		add("account", f.To.Number)
		add("ifsc", f.To.IFSC)
	}
	switch f.Step {
	case Sent, RefundCheck, RefundAsk, RefundCode, Refunded:
		out = append(out, sums(w, f)...)
	}
	if f.Fee > 0 {
		add("fee", words.Rupees(f.Fee))
	}
	return out
}

// sums are what the customer pays, part by part, as far as it was told.
func sums(w *words.Words, f flow) []web.Fact {
	out := []web.Fact{{Label: w.Say("send.fact.amount"), Value: words.Rupees(f.Amount)}}
	for _, told := range []struct{ label, sum string }{{"charge", rupees(f.Charge)}, {"total", rupees(f.Total)}} {
		if told.sum != "" {
			out = append(out, web.Fact{Label: w.Say("send.fact." + told.label), Value: told.sum})
		}
	}
	return out
}

// rupees writes an amount of the central's; "" for none.
func rupees(told string) string {
	p, err := money.Parse(told)
	if err != nil {
		return ""
	}
	return words.Rupees(p)
}

// waiting shows a call that goes on.
func (s *Room) waiting(ses *web.Session, d *flowData, v edge.View) {
	said, st := ses.Words(), s.counter.Status()
	t := told.Tell(said, v, st)
	k := t.Kind
	d.Case, d.Capture, d.Abandon = t.Case, v.State == op.Reserved && v.Stage == edge.StageReady, v.State == op.Reserved
	d.Band = &web.Band{Tone: t.Tone, Icon: t.Icon, Group: k.Group, Of: k.Title(said), Title: t.Title, Lead: t.Lead, Why: t.Why}
	if k.Name == "other" {
		d.Band.Of = said.Say("send.step." + string(d.Step))
		if t.Case == "sending" || t.Case == "bank" {
			d.Band.Of, d.Band.Title, d.Band.Lead = "", d.Band.Of, said.Say("send.wait")
		}
	}
	if v.State == op.Reserved {
		d.Ready = web.Readiness(said, st)
	}
}

// maxSeen is how many beneficiaries people find without searching.
const maxSeen = 4

// sender shows what is known of a remitter; alert says why it can't.
func (s *Room) sender(ses *web.Session, r *http.Request, d *flowData, f flow) (alert string) {
	said := ses.Words()
	fresh := button{ID: "do-fresh", Act: "sender", Text: said.Say("send.fresh"), Main: true}
	v, err := s.counter.Operation(f.Known)
	if err == nil && v.State != op.Succeeded {
		err = errDetails
	}
	var m remitter
	if err == nil {
		m, err = readRemitter(v.Reply)
	}
	if err != nil {
		d.Buttons = append(d.Buttons, fresh)
		return said.Say("send.trouble.details")
	}
	meter := func(key string, left, whole money.Paise) {
		if whole > 0 {
			used := max(whole-left, 0)
			d.Meters = append(d.Meters, web.Meter{
				Label: said.Say(key), Part: int64(used), Whole: int64(whole),
				Text: said.Say("send.limit", "used", words.Rupees(used), "left", words.Rupees(left)),
			})
		}
	}
	meter("send.limit.day", m.Left, m.Day)
	meter("send.limit.month", m.MonthLeft, m.Month)
	typed := r.URL.Query().Get("q")
	for _, p := range m.search(typed) {
		d.Payees = append(d.Payees, payeeRow{p, p.ending()})
	}
	d.None, d.Many = len(d.Payees) == 0, len(m.Payees) > maxSeen || typed != ""
	d.Search = web.Field{Name: "q", Kind: web.Search, Label: said.Say("send.search"), Value: typed}
	d.CanPay = v.KnownAt.IsZero()
	if !d.CanPay {
		d.Age = said.Say("send.age", "span", said.Span(s.cfg.Now().Sub(v.KnownAt)))
		d.Buttons = append(d.Buttons, fresh)
		return ""
	}
	d.Buttons = append(d.Buttons, button{ID: "do-add", Act: "add", Text: said.Say("send.add"), Key: "a", Main: len(m.Payees) == 0})
	return ""
}

// outcome shows what became of a transfer or a refund, in the words of the
// operation's page; alert says why it can't.
func (s *Room) outcome(ses *web.Session, d *flowData, id op.ID, f flow) (alert string) {
	said, st := ses.Words(), s.counter.Status()
	v, err := s.counter.Operation(id)
	if err != nil {
		return said.Say("send.trouble.purged")
	}
	t := told.Tell(said, v, st)
	k := t.Kind
	d.Case, d.Advice = t.Case, t.Advice
	d.Band = &web.Band{Tone: t.Tone, Icon: t.Icon, Group: k.Group, Of: k.Title(said), Title: t.Title, Lead: t.Lead, Why: t.Why}
	offer := func(b button) { d.Buttons = append(d.Buttons, b) }
	if f.Trouble == troubleNoRefund && (t.Case == "reversed" || t.Case == "repaid") { // what was told of it before does not hold now
		d.Case, d.Advice = "no-refund", "send-no-refund"
		d.Band.Title, d.Band.Lead = said.Say("send.no-refund.title"), said.Say("send.no-refund.lead")
	}
	refundFirst, refundable := v.Cash() == edge.CashRefund, f.Step == Sent && s.refundable(&f)
	if owed := cashbook.Due(v.Record); owed > 0 && d.Case != "no-refund" {
		b := button{ID: "do-cash", Act: "cash", Text: said.Say("send.cash.back", "amount", words.Rupees(owed)), Icon: "tick", Key: "c"}
		if refundFirst {
			b.Key = "" // it is the way past the refund
		}
		offer(b)
	}
	again := s.failed(id) && (f.Step == Refunded || f.SenderID != "")
	if again {
		offer(button{ID: "do-retry", Act: "retry", Text: said.Say("send.retry"), Key: "t", Main: true})
	}
	if v.State.Final() && f.Mobile != "" {
		offer(button{ID: "do-sender", Act: "sender", Text: said.Say("send.another"), Key: "n", Main: !again && (d.Case == "no-refund" || !refundable && !v.Cash().Asks())})
	}
	offer(button{ID: "do-op", Href: "/op/" + string(id), Text: said.Say("send.operation"), Icon: "list", Key: "r", Main: v.Cash().Asks() && !refundFirst})
	if f.Step == Sent && v.State == op.Pending {
		offer(button{ID: "do-requery", Act: "requery", Text: said.Say("send.fresh")})
	}
	if refundable {
		b := button{ID: "do-refund", Act: "refund", Text: said.Say("send.refund"), Main: true}
		if d.Case == "no-refund" {
			b.Text, b.Main = said.Say("send.fresh"), false
		}
		offer(b)
	}
	return ""
}
