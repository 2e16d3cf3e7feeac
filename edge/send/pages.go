package send

import (
	"net/http"
	"strings"

	"galla/edge"
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

// payeeRow is one beneficiary in the sender's list.
type payeeRow struct {
	account
	Ending string
}

type flowData struct {
	ID      op.ID
	Step    Step
	Turn    int
	Lead    string
	Trouble string
	Facts   []web.Fact
	Fields  []web.Field
	Check   *check // a box to tick
	Submit  string // the form's button; empty: no form
	Buttons []button

	Wait    string // what goes on; empty: nothing
	Ready   []web.Chip
	Capture bool
	Problem string

	Left    int // seconds until an unsure account may be asked about again
	Meters  []web.Meter
	Payees  []payeeRow
	Search  web.Field
	None    bool // no beneficiary fits
	CanPay  bool
	Age     string // the details are from memory, and so old
	Band    *web.Band
	Receipt string
}

// check is a box that must be ticked, with the text it stands for.
type check struct{ Name, Value, Text, Quote, Lang, Error string }

// show brings a flow as far as nothing is asked of people, and shows it.
func (s *Room) show(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	f, ok := s.store.get(op.ID(r.PathValue("flow")), ses.Operator)
	if !ok {
		s.Message(w, r, ses, http.StatusNotFound, "send.gone")
		return
	}
	v, err := s.advance(r.Context(), &f)
	if err != nil {
		s.Failed(w, r, ses, err)
		return
	}
	s.flowPage(w, r, ses, http.StatusOK, f, v, nil, "")
}

// flowPage shows a flow's step; v is its call while that goes on.
func (s *Room) flowPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, f flow, v *edge.View, wrong formErrors, alert string) {
	said := ses.Words()
	d := flowData{ID: f.ID, Step: f.Step, Turn: f.Turn, Lead: said.Say("send.lead." + string(f.Step))}
	p := web.Page{Name: "send/flow", Title: said.Say("send.step." + string(f.Step)), Back: "/send", Alert: alert}
	d.Facts = known(said, f)
	if f.Trouble != "" {
		p.Alert = said.Say(f.Trouble, "said", f.Said)
	}
	switch {
	case v != nil:
		s.waiting(ses, &d, *v)
		p.Refresh = nextRefresh
	case f.Step == Sender:
		s.sender(ses, r, &d, f)
	case f.Step == Sent:
		s.outcome(ses, &d, f.Transfer, f)
	case f.Step == Refunded:
		s.outcome(ses, &d, f.Refund, f)
	default:
		s.form(ses, r, &d, f, wrong)
		if rules[f.Step].back != "" {
			d.Buttons = append(d.Buttons, button{ID: "do-back", Act: "back", Text: said.Say("send.back")})
		}
	}
	if d.Band != nil {
		p.Title = d.Band.Title
	}
	p.Data = d
	s.Render(w, r, ses, status, p)
}

// known are the facts that the flow has so far.
func known(w *words.Words, f flow) []web.Fact {
	out := []web.Fact{{Label: w.Say("send.fact.mobile"), Value: f.Mobile}}
	add := func(label, value string) {
		if value != "" {
			out = append(out, web.Fact{Label: w.Say("send.fact." + label), Value: value})
		}
	}
	add("sender", f.Name)
	switch f.Step {
	case Drop, Amount, Confirm, OTP, Sent, RefundAsk, RefundCode, Refunded, Unsure, PayeeAdd:
		add("payee", f.To.Name)
		add("account", f.To.Number)
		add("ifsc", f.To.IFSC)
	}
	switch f.Step {
	case Confirm, OTP, Sent, RefundAsk, RefundCode, Refunded:
		add("amount", words.Rupees(f.Amount))
		add("charge", rupees(f.Charge))
		add("total", rupees(f.Total))
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
	said := ses.Words()
	d.Wait = said.Say("send.wait")
	if v.State == op.Reserved {
		d.Wait = said.Say("send.wait.finger")
		d.Capture = v.Stage == edge.StageReady
		d.Ready = web.Readiness(said, s.counter.Status())
		if v.Problem != nil {
			d.Problem = told.Tell(said, v, s.counter.Status()).Title
		}
	}
}

// sender shows what is known of a remitter.
func (s *Room) sender(ses *web.Session, r *http.Request, d *flowData, f flow) {
	said := ses.Words()
	v, err := s.counter.Operation(f.Known)
	if err != nil {
		return
	}
	m, err := readRemitter(v.Reply)
	if err != nil {
		d.Trouble = said.Say("send.trouble.details")
		d.Buttons = append(d.Buttons, button{ID: "do-fresh", Act: "sender", Text: said.Say("send.fresh"), Main: true})
		return
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
	d.None = len(d.Payees) == 0
	d.Search = web.Field{Name: "q", Kind: web.Search, Label: said.Say("send.search"), Value: typed}
	d.CanPay = v.KnownAt.IsZero()
	if !d.CanPay {
		d.Age = said.Say("send.age", "span", said.Span(s.cfg.Now().Sub(v.KnownAt)))
		d.Buttons = append(d.Buttons, button{ID: "do-fresh", Act: "sender", Text: said.Say("send.fresh"), Main: true})
		return
	}
	d.Buttons = append(d.Buttons, button{ID: "do-add", Act: "add", Text: said.Say("send.add"), Key: "a"})
}

// outcome shows what became of a transfer or a refund, in the words of the
// operation's page.
func (s *Room) outcome(ses *web.Session, d *flowData, id op.ID, f flow) {
	said, st := ses.Words(), s.counter.Status()
	v, err := s.counter.Operation(id)
	if err != nil {
		d.Trouble = said.Say("send.trouble.purged")
		return
	}
	k, t := told.Of(v.Route), told.Tell(said, v, st)
	d.Lead = ""
	d.Band = &web.Band{Tone: t.Tone, Icon: t.Icon, Group: k.Group, Of: k.Title(said), Title: t.Title, Lead: t.Lead, Why: t.Why}
	d.Buttons = append(d.Buttons, button{ID: "do-op", Href: "/op/" + string(id), Text: said.Say("send.operation"), Icon: "list"})
	if f.Step == Sent && v.State == op.Pending {
		d.Buttons = append(d.Buttons, button{ID: "do-requery", Act: "requery", Text: said.Say("send.fresh")})
	}
	if f.Step == Sent && s.failed(id) {
		d.Buttons = append(d.Buttons, button{ID: "do-retry", Act: "retry", Text: said.Say("send.retry"), Key: "t"})
	}
	if f.Step == Sent && v.State == op.Succeeded && f.PaidAs != "" {
		d.Buttons = append(d.Buttons, button{ID: "do-refund", Act: "refund", Text: said.Say("send.refund")})
	}
	if v.State.Final() {
		d.Buttons = append(d.Buttons, button{ID: "do-sender", Act: "sender", Text: said.Say("send.another"), Key: "n", Main: true})
	}
}

// form shows the form of a step, with what was typed or is known.
func (s *Room) form(ses *web.Session, r *http.Request, d *flowData, f flow, wrong formErrors) {
	said := ses.Words()
	d.Submit = said.Say("send.go")
	field := func(name, kind, key, value string, most int, must bool) {
		x := web.Field{Name: name, Kind: kind, Label: said.Say(key), Value: value, Max: most, Error: s.wrong(said, f, wrong[name]), Focus: len(d.Fields) == 0}
		if typed := r.PostForm.Get(name); typed != "" && kind != web.OTP && name != "aadhaar" {
			x.Value = typed
		}
		if must {
			x.Missing = said.Say("send.missing")
		}
		d.Fields = append(d.Fields, x)
	}
	switch f.Step {
	case Name:
		field("name", web.Text, "send.name", f.Name, 100, true)
		field("city", web.Text, "send.city", f.City, 60, true)
		field("state", web.Text, "send.state", f.State, 60, true)
		field("email_id", web.Text, "send.email", f.Email, 100, false)
	case Code, OTP, RefundCode:
		field("otp", web.OTP, "send.otp", "", 8, true)
		if f.Step == Code {
			d.Buttons = append(d.Buttons, button{ID: "do-resend", Act: "resend", Text: said.Say("send.resend")})
		}
		if f.Step == OTP {
			d.Submit = said.Say("send.pay", "amount", words.Short(f.Amount))
		}
		if f.Step == RefundCode {
			d.Check = &check{Name: "cash", Value: "yes", Text: said.Say("send.cash", "amount", words.Rupees(f.Amount)), Error: s.wrong(said, f, wrong["cash"])}
		}
	case Aadhaar:
		field("aadhaar", web.Digits, "send.aadhaar", "", 14, true)
	case Finger:
		if s.holding(f.ID).IsZero() || wrong["aadhaar"] != "" {
			field("aadhaar", web.Digits, "send.aadhaar", "", 14, true)
		}
		d.Ready = web.Readiness(said, s.counter.Status())
		d.Check = s.consent(ses)
		d.Check.Error = s.wrong(said, f, wrong["consent"])
	case Payee:
		field("receiver_account_no", web.Digits, "send.account", f.To.Number, 20, true)
		field("again", web.Digits, "send.account.again", f.To.Number, 20, true)
		field("receiverIfscCode", web.Text, "send.ifsc", f.To.IFSC, 11, true)
		field("receivername", web.Text, "send.payee", f.To.Name, 100, true)
		field("receivermobilenumber", web.Mobile, "send.payee.mobile", f.To.Mobile, 14, false)
		d.Submit = said.Say("send.verify")
	case Unsure:
		left := f.AskAgain.Sub(s.cfg.Now())
		if d.Left = int((left + 999_999_999) / 1_000_000_000); d.Left > 0 {
			d.Submit = ""
		} else {
			d.Left, d.Submit = 0, said.Say("send.verify.again")
		}
	case Amount:
		typed := ""
		if f.Amount > 0 {
			typed = f.Amount.Number()
		}
		field("amount", web.Amount, "send.amount", typed, 12, true)
		quick(said, &d.Fields[0])
	case Confirm, RefundAsk:
		d.Submit = said.Say("send.otp.send")
	case Drop:
		d.Submit = said.Say("send.drop")
	default: // a step that asks by itself, and was refused
		d.Submit = ""
		d.Buttons = append(d.Buttons, button{ID: "do-again", Act: "again", Text: said.Say("send.again"), Main: true})
	}
}

// quick gives an amount's field its keys and its spelling.
func quick(w *words.Words, x *web.Field) {
	x.Wrong, x.Spelling = w.Say("send.amount.wrong"), w.Spelling()
	x.KeysName, x.Keys = w.Say("send.amount.quick"), web.Keys("", 500*money.Rupee, 1_000*money.Rupee, 2_000*money.Rupee, 5_000*money.Rupee)
}

// consent is what the customer is read, in the customer's language.
func (s *Room) consent(ses *web.Session) *check {
	theirs := s.In(ses.CustomerLanguage())
	return &check{
		Name: "consent", Value: told.ConsentVersion(theirs), Text: theirs.Say("send.consent"), Lang: theirs.Code(),
		Quote: told.Consent(theirs, told.Kind{Name: "sender"}, s.counter.Status().Merchant),
	}
}

// wrong puts a field's error into words.
func (s *Room) wrong(w *words.Words, f flow, key string) string {
	switch {
	case key == "bounds":
		return told.Amount(w, s.counter.Bounds(op.Transfer), f.Amount)
	case strings.HasPrefix(key, "send."):
		return w.Say(key)
	}
	return key
}
