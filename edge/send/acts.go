package send

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// find begins a flow with the sender's mobile number.
func (s *Room) find(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	typed := plainDigits(r.PostForm.Get("mobile"))
	if len(typed) != mobileDigits || strings.Trim(typed, "0123456789") != "" {
		s.startPage(w, r, ses, http.StatusUnprocessableEntity, r.PostForm.Get("mobile"), "send.mobile.wrong")
		return
	}
	id, err := s.Once(ses, r, func() (op.ID, error) {
		id, err := op.NewID(s.cfg.Rand)
		if err != nil {
			return "", err
		}
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		return id, s.store.put(flow{ID: id, Operator: ses.Operator.Name, By: ses.Operator.ID, Step: Find, Mobile: typed})
	})
	if err != nil {
		s.Failed(w, r, ses, err)
		return
	}
	http.Redirect(w, r, "/send/"+string(id), http.StatusSeeOther)
}

// plainDigits leaves out how people group a number.
func plainDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '-' {
			return -1
		}
		return c
	}, strings.TrimSpace(s))
}

// act takes one step of a flow. A form of an earlier turn, such as one that was
// sent twice or stands in another tab, changes nothing; the page that follows
// shows where the flow is.
func (s *Room) act(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	id := op.ID(r.PathValue("flow"))
	f, ok := s.store.get(id, ses.Operator)
	if !ok {
		s.Message(w, r, ses, http.StatusNotFound, "send.gone")
		return
	}
	if r.PathValue("act") == "forget" {
		if err := s.store.forget(id); err != nil {
			s.Failed(w, r, ses, err)
			return
		}
		s.hold(id, secret.Aadhaar{})
		s.giveUp(f.Call)
		http.Redirect(w, r, "/send", http.StatusSeeOther)
		return
	}
	if act := r.PathValue("act"); act == "capture" || act == "abandon" {
		s.finger(w, r, ses, f, act)
		return
	}
	here := "/send/" + string(id)
	turn, err := strconv.Atoi(r.PostForm.Get("turn"))
	if err != nil || turn != f.Turn || (f.Call != "") {
		http.Redirect(w, r, here, http.StatusSeeOther)
		return
	}
	wrong, err := s.take(r, ses, &f, r.PathValue("act"))
	draft := (*edge.DraftError)(nil)
	switch {
	case errors.As(err, &draft):
		wrong = f.drafted(draft)
	case errors.Is(err, errAct):
		s.Nowhere(w, r, ses)
		return
	case err != nil:
		s.Failed(w, r, ses, err)
		return
	}
	if len(wrong) > 0 {
		s.flowPage(w, r, ses, http.StatusUnprocessableEntity, f, nil, wrong, "")
		return
	}
	http.Redirect(w, r, here, http.StatusSeeOther)
}

// giveUp ends a call that still waits for the finger: nobody would see it any
// more. What was sent or waits for the line goes its way.
func (s *Room) giveUp(call op.ID) {
	v, err := s.counter.Operation(call)
	if err != nil || v.State != op.Reserved {
		return
	}
	if err := s.counter.Abandon(call); err != nil && !errors.Is(err, edge.ErrIllegal) {
		s.cfg.Logger.Warn("a fingerprint that nobody waits for is not given up", "operation", call, "error", err)
	}
}

// finger takes a step of a call that waits for the finger. Each is harmless
// when repeated; the page that follows shows what is true now.
func (s *Room) finger(w http.ResponseWriter, r *http.Request, ses *web.Session, f flow, act string) {
	take := s.counter.Capture
	if act == "abandon" {
		take = s.counter.Abandon
	}
	alert, precluded := "", (*edge.PrecludedError)(nil)
	switch err := take(f.Call); {
	case errors.As(err, &precluded):
		alert = told.Precluded(ses.Words(), precluded)
	case err != nil && !errors.Is(err, edge.ErrNotFound) && !errors.Is(err, edge.ErrIllegal):
		s.Failed(w, r, ses, err)
		return
	}
	switch {
	case alert != "":
		s.look(w, r, ses, http.StatusConflict, f, alert)
	case web.Part(r):
		s.look(w, r, ses, http.StatusOK, f, "")
	default:
		http.Redirect(w, r, "/send/"+string(f.ID), http.StatusSeeOther)
	}
}

// formErrors says what is wrong with a field, by its name: a text's key.
type formErrors map[string]string

// boundsWrong is the key of an amount that the counter's bounds refuse.
const boundsWrong = "bounds"

// drafted puts what the counter refused of a form into keys of texts: its own
// words are English.
func (f *flow) drafted(e *edge.DraftError) formErrors {
	wrong := formErrors{}
	typed := map[string]string{"name": f.Name, "city": f.City, "state": f.State, "receivername": f.To.Name}
	for _, field := range e.Fields {
		name := field.Field
		switch name {
		case "title":
			name = "receivername"
		case "customer":
			name = "name"
		}
		switch {
		case name == "amount":
			wrong[name] = boundsWrong
		case name == "otp":
			wrong[name] = "send.otp.missing"
		case name == "aadhaar":
			wrong[name] = "send.aadhaar.wrong"
		case name == "consent":
			wrong[name] = "send.consent.missing"
		case typed[name] != "":
			wrong[name] = "send.text.wrong"
		default:
			wrong[name] = "send.missing"
		}
	}
	return wrong
}

var errAct = errors.New("there is no such step")

// take does what a form asks, if the flow's step has it.
func (s *Room) take(r *http.Request, ses *web.Session, f *flow, act string) (formErrors, error) {
	none := formErrors{}
	switch {
	case act == "go":
		return s.submit(r, ses, f)
	case act == "again" && f.Trouble != "" && f.Step != Sent:
		f.enter(f.Step)
	case act == "resend" && f.Step == Code:
		f.enter(CodeAsk)
	case act == "back" && rules[f.Step].back != "":
		f.enter(rules[f.Step].back)
	case act == "holder" && f.Step == Holder:
		f.To.Name = f.Holder
		f.enter(PayeeAdd)
	case act == "add" && f.Step == Sender:
		f.To = account{}
		f.enter(Payee)
	case (act == "pay" || act == "drop") && f.Step == Sender:
		to, ok := s.payee(f, r.PostForm.Get("payee"))
		if !ok || (act == "pay" && (!to.Usable || s.old(f))) {
			return none, nil
		}
		f.To = to
		f.enter(map[string]Step{"pay": Amount, "drop": Drop}[act])
	case act == "sender" && (f.Step == Sender || f.Step == Sent || f.Step == Refunded) && f.Mobile != "":
		f.enter(Details)
	case act == "retry" && f.Step == Sent && f.SenderID != "" && s.failed(f.Transfer):
		if f.Kept = ""; s.due(f.Transfer) > 0 { // the next attempt is paid with it, once it is recorded
			f.Kept = f.Transfer
		}
		f.enter(Confirm)
	case act == "cash" && f.Step == Sent && s.due(f.Transfer) > 0:
		if err := s.giveBack(f); err != nil && !errors.Is(err, edge.ErrIllegal) { // a refund is under way: its page says what to do
			return none, err
		}
		f.stay("")
	case act == "retry" && f.Step == Refunded && s.failed(f.Refund):
		f.enter(RefundAsk)
	case act == "refund" && f.Step == Sent && s.refundable(f):
		f.CashBack = f.CashBack || s.given(f.Transfer)
		f.enter(RefundCheck)
	case act == "requery" && f.Step == Sent:
		if err := s.requery(r.Context(), f); err != nil {
			return none, err
		}
	default:
		return none, errAct
	}
	return none, s.store.put(*f)
}

// requery has the central ask the bank about a transfer now. The counter learns
// what became of it by itself, as always.
func (s *Room) requery(ctx context.Context, f *flow) error {
	body, err := json.Marshal(map[string]string{"refId": string(f.Transfer)})
	if err != nil {
		return err
	}
	f.stay("")
	_, err = s.counter.Perform(ctx, edge.Request{Route: op.TransferRequery, Fields: body, Title: f.To.Name, Customer: f.Name, Operator: f.Operator, OperatorID: f.By})
	if precluded := (*edge.PrecludedError)(nil); errors.As(err, &precluded) {
		f.precluded(precluded)
		return nil
	}
	return err
}

// payee finds a beneficiary in what the central told.
func (s *Room) payee(f *flow, id string) (account, bool) {
	v, err := s.counter.Operation(f.Known)
	if err != nil {
		return account{}, false
	}
	m, err := readRemitter(v.Reply)
	if err != nil {
		return account{}, false
	}
	for _, p := range m.Payees {
		if p.ID == id && id != "" {
			return p, true
		}
	}
	return account{}, false
}

// old tells whether the remitter's details were told before the line went down.
func (s *Room) old(f *flow) bool {
	v, err := s.counter.Operation(f.Known)
	return err != nil || !v.KnownAt.IsZero()
}

// failed tells whether an operation moved no money, so that it may be tried
// again as another.
func (s *Room) failed(id op.ID) bool {
	v, err := s.counter.Operation(id)
	return err == nil && v.State.Final() && (v.Verdict() == edge.VerdictNoCash || v.Verdict() == edge.VerdictNoMoney) && v.State != op.Reversed
}

// due is a transfer's cash that is here and the customer's; 0: none.
func (s *Room) due(id op.ID) money.Paise {
	v, err := s.counter.Operation(id)
	if err != nil {
		return 0
	}
	return cashbook.Due(v.Record)
}

// given tells whether somebody said that the customer has a transfer's cash back.
func (s *Room) given(id op.ID) bool {
	v, err := s.counter.Operation(id)
	return err == nil && v.Cash() == edge.CashGiven
}

// carries is the cash of the failed attempt that pays for this one, where it is
// still here and the same sum; 0: none.
func (s *Room) carries(f *flow) money.Paise {
	if due := s.due(f.Kept); f.Kept != "" && due == paise(f.Total) {
		return due
	}
	return 0
}

// giveBack records that the customer has a transfer's cash, if any is due.
func (s *Room) giveBack(f *flow) error {
	if s.due(f.Transfer) == 0 {
		return nil
	}
	return s.counter.ConfirmCash(f.Transfer, edge.Operator{ID: f.By, Name: f.Operator})
}

// refundable tells whether a refund is offered: the bank has said that it gives
// the transfer's value back, and has not said that it did. What it has paid out it
// does not give back.
func (s *Room) refundable(f *flow) bool {
	v, err := s.counter.Operation(f.Transfer)
	return err == nil && v.State == op.Reversed && v.Refunded.IsZero() && f.PaidAs != ""
}

// maxText bounds a name or a place, in characters; the counter bounds it too.
const maxText = 100

// fit tells whether a text may be kept: a name that is an Aadhaar number, typed
// into the wrong field, however it is spaced, may not.
func fit(text string) bool {
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, text)
	_, err := secret.ParseAadhaar(digits)
	return err != nil && utf8.RuneCountInString(text) <= maxText
}

// submit takes the form of a step and makes its call.
func (s *Room) submit(r *http.Request, ses *web.Session, f *flow) (formErrors, error) {
	wrong, p := formErrors{}, proof{}
	text := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	plain := func(name string) string {
		if !fit(text(name)) {
			wrong[name] = "send.text.wrong"
			return ""
		}
		return text(name)
	}
	switch f.Step {
	case Name:
		f.Name, f.City, f.State, f.Email = plain("name"), plain("city"), plain("state"), plain("email_id")
	case Payee:
		f.To = account{
			Name: plain("receivername"), Number: plainDigits(text("receiver_account_no")),
			IFSC: strings.ToUpper(text("receiverIfscCode")), Mobile: plainDigits(text("receivermobilenumber")),
		}
		if plainDigits(text("again")) != f.To.Number {
			wrong["again"] = "send.account.differs"
		}
		if text("receivername") == "" {
			wrong["receivername"] = "send.name.missing"
		}
	case Unsure:
		if s.cfg.Now().Before(f.AskAgain) {
			return wrong, nil
		}
	case Amount:
		amount, err := words.ParseRupees(text("amount"))
		if err != nil || amount <= 0 {
			wrong["amount"] = "send.amount.wrong"
		} else if s.counter.Bounds(op.Transfer).Refuse(amount) != "" {
			wrong["amount"] = boundsWrong
		}
		f.Amount = amount
	case Code, OTP, RefundCode, Aadhaar, Finger:
		p = s.proof(r, ses, f, wrong)
	case Confirm, Drop, RefundAsk:
	default:
		return wrong, errAct
	}
	if len(wrong) > 0 {
		return wrong, nil
	}
	err := s.ask(r.Context(), f, p)
	if err == nil && (f.Step == Aadhaar || f.Step == Finger) {
		s.hold(f.ID, p.aadhaar)
	}
	return wrong, err
}

// proof takes what the customer proves with from a form.
func (s *Room) proof(r *http.Request, ses *web.Session, f *flow, wrong formErrors) (p proof) {
	text := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	switch f.Step {
	case Code, OTP, RefundCode:
		typed := plainDigits(text("otp"))
		if typed == "" || strings.Trim(typed, "0123456789") != "" {
			wrong["otp"] = "send.otp.missing"
		}
		p.otp = secret.NewOTP(typed)
	case Aadhaar, Finger:
		p.aadhaar = s.holding(f.ID)
		if typed := plainDigits(text("aadhaar")); f.Step == Aadhaar || p.aadhaar.IsZero() || typed != "" {
			number, err := secret.ParseAadhaar(typed)
			if err != nil {
				wrong["aadhaar"] = "send.aadhaar.wrong"
			}
			p.aadhaar = number
		}
		if f.Step == Finger {
			ses.SetCustomerLanguage(text("customer-language"))
			if p.consent = told.ConsentVersion(s.In(ses.CustomerLanguage())); text("consent") == "" {
				wrong["consent"] = "send.consent.missing"
			}
		}
	}
	return p
}
