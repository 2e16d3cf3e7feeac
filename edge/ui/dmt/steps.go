package dmt

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

func (s *Pages) createFlow(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	typed := plainDigits(r.PostForm.Get("mobile"))
	if len(typed) != mobileDigits || strings.Trim(typed, "0123456789") != "" {
		s.renderStart(w, r, ses, ui.Problem{Status: http.StatusUnprocessableEntity, Fields: map[string]string{"mobile": ses.Words().Text("dmt.mobile.wrong")}})
		return
	}
	id, err := s.Once(ses, r, func() (op.ID, error) {
		id, err := op.NewID(s.cfg.Rand)
		if err != nil {
			return "", err
		}
		s.store.mu.Lock()
		defer s.store.mu.Unlock()
		return id, s.store.save(flow{ID: id, Operator: ses.Operator.Name, OperatorID: ses.Operator.ID, Step: Find, Mobile: typed})
	})
	if err != nil {
		s.Fail(w, r, ses, err)
		return
	}
	http.Redirect(w, r, "/dmt/"+string(id), http.StatusSeeOther)
}

func plainDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || c == '-' {
			return -1
		}
		return c
	}, strings.TrimSpace(s))
}

// handleStep handles a step's form. A form of an earlier turn, sent twice or from another
// tab, changes nothing; the next page shows the present step.
func (s *Pages) handleStep(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	id := op.ID(r.PathValue("flow"))
	f, ok := s.store.get(id, ses.Operator)
	if !ok {
		s.Message(w, r, ses, http.StatusNotFound, "dmt.expired")
		return
	}
	if r.PathValue("act") == "forget" {
		if err := s.store.remove(id); err != nil {
			s.Fail(w, r, ses, err)
			return
		}
		s.proofs.take(id)
		s.abandonCall(f.Call)
		http.Redirect(w, r, "/dmt", http.StatusSeeOther)
		return
	}
	if act := r.PathValue("act"); act == "capture" || act == "abandon" {
		s.fingerStep(w, r, ses, f, act)
		return
	}
	here := "/dmt/" + string(id)
	turn, err := strconv.Atoi(r.PostForm.Get("turn"))
	if err != nil || turn != f.Turn || (f.Call != "") {
		http.Redirect(w, r, here, http.StatusSeeOther)
		return
	}
	wrong, err := s.applyStep(r, ses, &f, r.PathValue("act"))
	draft := (*edge.ValidationError)(nil)
	switch {
	case errors.As(err, &draft):
		wrong = f.fieldErrors(draft)
	case errors.Is(err, errNoStep):
		s.NotFound(w, r, ses)
		return
	case err != nil:
		s.Fail(w, r, ses, err)
		return
	}
	switch {
	case len(wrong) > 0:
		s.renderFlow(w, r, ses, http.StatusUnprocessableEntity, f, nil, wrong, "")
	case f.asksIdentity() && f.Problem == problemPrecluded: // what was filled in stays
		s.renderFlow(w, r, ses, http.StatusConflict, f, nil, nil, "")
	default:
		http.Redirect(w, r, here, http.StatusSeeOther)
	}
}

// abandonCall cancels an operation that still waits for the finger, because no page shows
// it any more. Sent and queued operations continue.
func (s *Pages) abandonCall(call op.ID) {
	v, err := s.counter.Operation(call)
	if err != nil || v.State != op.Reserved {
		return
	}
	if err := s.counter.Cancel(call); err != nil && !errors.Is(err, edge.ErrIllegal) {
		s.cfg.Logger.Warn("a fingerprint that nobody waits for is not given up", "operation", call, "error", err)
	}
}

// fingerStep handles the buttons of an operation that waits for the finger. A repeated
// step changes nothing; the next page shows the present state.
func (s *Pages) fingerStep(w http.ResponseWriter, r *http.Request, ses *ui.Session, f flow, act string) {
	take := s.counter.Capture
	if act == "abandon" {
		take = s.counter.Cancel
	}
	alert, precluded := "", (*edge.PreconditionError)(nil)
	switch err := take(f.Call); {
	case errors.As(err, &precluded):
		alert = outcome.PreconditionText(ses.Words(), precluded)
	case err != nil && !errors.Is(err, edge.ErrNotFound) && !errors.Is(err, edge.ErrIllegal):
		s.Fail(w, r, ses, err)
		return
	}
	switch {
	case alert != "":
		s.advanceAndRender(w, r, ses, http.StatusConflict, f, alert)
	case ui.IsPartial(r):
		s.advanceAndRender(w, r, ses, http.StatusOK, f, "")
	default:
		http.Redirect(w, r, "/dmt/"+string(f.ID), http.StatusSeeOther)
	}
}

// formErrors holds the errors of fields: text keys by field name.
type formErrors map[string]string

// boundsError is the key of an amount outside the counter's bounds.
const boundsError = "bounds"

// fieldErrors translates the counter's fields into text keys.
func (f *flow) fieldErrors(e *edge.ValidationError) formErrors {
	wrong := formErrors{}
	typed := map[string]string{"name": f.Name, "city": f.City, "state": f.State, "receivername": f.To.Name}
	for _, name := range e.Fields {
		switch name {
		case "title":
			name = "receivername"
		case "customer":
			name = "name"
		}
		switch {
		case name == "amount":
			wrong[name] = boundsError
		case name == "otp":
			wrong[name] = "dmt.otp.missing"
		case name == "aadhaar":
			wrong[name] = "field.aadhaar.check"
		case name == "consent":
			wrong[name] = "field.consent.missing"
		case typed[name] != "":
			wrong[name] = "dmt.text.wrong"
		default:
			wrong[name] = "dmt.missing"
		}
	}
	return wrong
}

// otpSender is the step that sends the OTP of another, where a person sends it.
var otpSender = map[Step]Step{OTP: Confirm, RefundCode: RefundAsk}

var errNoStep = errors.New("there is no such step")

// applyStep does what a form asks, if the flow's step allows it.
func (s *Pages) applyStep(r *http.Request, ses *ui.Session, f *flow, act string) (formErrors, error) {
	none := formErrors{}
	switch {
	case act == "go":
		return s.submit(r, ses, f)
	case act == "again" && f.Problem != "" && f.Step != Sent:
		f.moveTo(f.Step)
	case act == "resend" && f.Step == Code:
		f.moveTo(CodeAsk)
	case act == "resend" && otpSender[f.Step] != "":
		f.moveTo(otpSender[f.Step])
		return none, s.startCall(r.Context(), f, credentials{})
	case act == "back" && rules[f.Step].back != "":
		f.moveTo(rules[f.Step].back)
	case act == "holder" && f.Step == ConfirmHolder:
		f.To.Name = f.Holder
		f.moveTo(PayeeAdd)
	case act == "add" && f.Step == Sender:
		f.To = account{}
		f.moveTo(Payee)
	case (act == "pay" || act == "drop") && f.Step == Sender:
		to, ok := s.findPayee(f, r.PostForm.Get("payee"))
		if !ok || (act == "pay" && (!to.Usable || s.detailsStale(f))) {
			return none, nil
		}
		f.To = to
		f.moveTo(map[string]Step{"pay": Amount, "drop": DeletePayee}[act])
	case act == "sender" && (f.Step == Sender || f.Step == Sent || f.Step == Refunded) && f.Mobile != "":
		f.moveTo(Details)
	case act == "retry" && f.Step == Sent && f.SenderID != "" && movedNoMoney(s.operation(f.Transfer)):
		if f.CashFrom = ""; s.cashDue(f.Transfer) > 0 { // the next attempt is paid with it once it is recorded
			f.CashFrom = f.Transfer
		}
		f.moveTo(Confirm)
	case act == "cash" && f.Step == Sent && s.cashDue(f.Transfer) > 0:
		if err := s.counter.ConfirmCash(f.Transfer, edge.User{ID: f.OperatorID, Name: f.Operator}); err != nil && !errors.Is(err, edge.ErrIllegal) { // a refund is running: its page says what to do
			return none, err
		}
		f.stop("")
	case act == "retry" && f.Step == Refunded && movedNoMoney(s.operation(f.Refund)):
		f.moveTo(RefundAsk)
	case act == "refund" && f.Step == Sent && s.refundable(f):
		f.CashReturned = f.CashReturned || s.operation(f.Transfer).Cash() == edge.CashGiven
		f.moveTo(RefundCheck)
	case act == "requery" && f.Step == Sent:
		if err := s.requery(r.Context(), f); err != nil {
			return none, err
		}
	default:
		return none, errNoStep
	}
	return none, s.store.save(*f)
}

// requery makes central enquire about a transfer now. The outcome arrives later by itself.
func (s *Pages) requery(ctx context.Context, f *flow) error {
	body, err := json.Marshal(map[string]string{"refId": string(f.Transfer)})
	if err != nil {
		return err
	}
	f.stop("")
	_, err = s.counter.Start(edge.Request{Route: op.TransferRequery, Fields: body, Title: f.To.Name, Customer: f.Name, User: f.Operator, UserID: f.OperatorID})
	if precluded := (*edge.PreconditionError)(nil); errors.As(err, &precluded) {
		f.stopPrecluded(precluded)
		return nil
	}
	return err
}

func (s *Pages) findPayee(f *flow, id string) (account, bool) {
	m, err := readRemitter(s.operation(f.DetailsID).Reply)
	i := slices.IndexFunc(m.Payees, func(p account) bool { return p.ID == id && id != "" })
	if err != nil || i < 0 {
		return account{}, false
	}
	return m.Payees[i], true
}

// operation returns an operation, or the zero View where it is not stored.
func (s *Pages) operation(id op.ID) edge.View {
	v, err := s.counter.Operation(id)
	if err != nil {
		return edge.View{}
	}
	return v
}

// detailsStale reports whether the remitter's details were received before the connection
// was lost.
func (s *Pages) detailsStale(f *flow) bool {
	v, err := s.counter.Operation(f.DetailsID)
	return err != nil || !v.KnownAt.IsZero()
}

// movedNoMoney reports whether an operation moved no money, so that another attempt is safe.
func movedNoMoney(v edge.View) bool {
	return v.State.Final() && (v.Verdict() == edge.VerdictNoCash || v.Verdict() == edge.VerdictNoMoney) && v.State != op.Reversed
}

// cashDue returns a transfer's cash that is here and belongs to the customer; 0: none.
func (s *Pages) cashDue(id op.ID) money.Paise { return cashbook.OwedBack(s.operation(id).Record) }

// carriedCash returns the cash of the failed attempt that pays for this one, if it is
// still here and the same sum; 0: none.
func (s *Pages) carriedCash(f *flow) money.Paise {
	if due := s.cashDue(f.CashFrom); due == paise(f.Total) {
		return due
	}
	return 0
}

// refundable reports whether a refund is offered: the bank has said that it returns the
// transfer, and has not refunded it yet. It does not return what it has paid out.
func (s *Pages) refundable(f *flow) bool {
	v := s.operation(f.Transfer)
	return v.State == op.Reversed && v.RefundedAt.IsZero() && f.TransactionID != ""
}

// maxText bounds a name or place, in characters; the counter has the same limit.
const maxText = 100

func (s *Pages) submit(r *http.Request, ses *ui.Session, f *flow) (formErrors, error) {
	wrong, p := formErrors{}, credentials{}
	text := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	plain := func(name string) string {
		if utf8.RuneCountInString(text(name)) > maxText || api.ContainsAadhaar(text(name)) { // a number typed into the wrong field is not stored
			wrong[name] = "dmt.text.wrong"
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
		s.readCode(f, text("bank"), wrong)
		if plainDigits(text("again")) != f.To.Number {
			wrong["again"] = "dmt.account.differs"
		}
		if text("receivername") == "" {
			wrong["receivername"] = "dmt.name.missing"
		}
	case Unconfirmed:
		if s.cfg.Now().Before(f.AskAgain) {
			return wrong, nil
		}
	case Amount:
		amount, err := i18n.ParseRupees(text("amount"))
		if err != nil || amount <= 0 {
			wrong["amount"] = "dmt.amount.wrong"
		} else if !s.limitsOf(f).allow(amount) {
			wrong["amount"] = boundsError
		}
		f.Amount = amount
	case Code, OTP, RefundCode:
		if f.otpTriesLeft() == 0 { // a new OTP comes first
			return wrong, nil
		}
		typed := plainDigits(text("otp"))
		if typed == "" || strings.Trim(typed, "0123456789") != "" {
			wrong["otp"] = "dmt.otp.missing"
		}
		p.otp = secret.NewOTP(typed)
	case Aadhaar, Finger:
		p = s.readIdentity(r, ses, wrong)
	case Confirm, DeletePayee, RefundAsk:
	default:
		return wrong, errNoStep
	}
	if len(wrong) > 0 {
		return wrong, nil
	}
	return wrong, s.startCall(r.Context(), f, p)
}
