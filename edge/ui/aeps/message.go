package aeps

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/op"
)

// messageWithin is how long after an operation the central sends its receipt (uplink.md,
// section 10).
const messageWithin = 30 * 24 * time.Hour

// mobileDigits is the length of an Indian mobile number.
const mobileDigits = 10

// notFound is the code of what never arrived at the bank.
const notFound = "91"

// messageForm asks for the number that a receipt is sent to.
type messageForm struct {
	Open    bool
	Offline bool
	Mobile  ui.Field
	Wants   bool   // the customer wants it
	Error   string // nobody said so
	Focus   bool   // of Wants
	About   string // language and contents
}

// messageLine says what became of a message.
type messageLine struct{ Tone, Text string }

// maySend reports whether a receipt may be sent by SMS: of what the bank answered for a
// customer, as long as the central does it.
func maySend(v edge.View, now time.Time) bool {
	switch v.Route {
	case op.Withdrawal, op.Balance, op.MiniStatement, op.Purchase, op.Transfer, op.Refund, op.PaymentReceived, op.PaymentReturned:
	default:
		return false
	}
	settled := v.State == op.Succeeded || v.State == op.Failed || v.State == op.Reversed
	return settled && v.KnownAt.IsZero() && allowedActions(v).Receipt && now.Sub(v.CreatedAt) < messageWithin
}

// messageLines says what became of the messages with a receipt, the latest to each number.
func messageLines(w *i18n.Localizer, list []edge.View) (out []messageLine) {
	var seen []string
	for _, v := range list {
		if slices.Contains(seen, v.Title) {
			continue
		}
		seen = append(seen, v.Title)
		tone, key := "warn", "sms.sending"
		switch {
		case v.State == op.Succeeded:
			tone, key = "ok", "sms.sent"
		case v.State == op.Pending:
			key = "sms.pending"
		case v.State == op.Failed && v.Verdict() == edge.VerdictNoCash && v.Result.Code != notFound:
			tone, key = "bad", "sms.declined"
		case v.State.Final() && v.HTTP == http.StatusUnprocessableEntity:
			tone, key = "bad", "sms.limit"
		case v.State.Final():
			tone, key = "bad", "sms.failed"
		}
		out = append(out, messageLine{tone, w.Text(key, "mobile", v.Title)})
	}
	return out
}

// fillMessageForm fills in the form of a receipt's page; typed is what was sent.
func (s *Pages) fillMessageForm(ses *ui.Session, v edge.View, d *receiptData, typed *http.Request, wrong ui.Problem) {
	words := ses.Words()
	f := &d.Message
	f.Offline = !s.counter.Status().Link.Online
	f.About = words.Text("sms.about", "language", languageName(receiptLanguage(d.View, words)))
	f.Mobile = ui.Field{
		Name: "mobile", Kind: ui.Mobile, Label: words.Text("sms.mobile"), Hint: words.Text("sms.mobile.hint"), Error: wrong.Fields["mobile"],
		Missing: words.Text("sms.mobile.wrong"), Wrong: words.Text("sms.mobile.wrong"), MinDigits: mobileDigits, Value: v.Mobile,
	}
	f.Error = wrong.Fields["wants"]
	if typed != nil {
		f.Mobile.Value, f.Wants = typed.PostForm.Get("mobile"), typed.PostForm.Get("wants") != ""
	}
	f.Focus = f.Error != "" && f.Mobile.Error == ""
	f.Mobile.Focus = !f.Focus
}

// sendReceipt sends a receipt as an SMS to the number that the customer named. The same
// form twice is one message; so is the same number, at the central.
func (s *Pages) sendReceipt(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	v, ok := s.receiptOf(w, r, ses)
	if !ok {
		return
	}
	words := ses.Words()
	if !maySend(v, s.counter.Status().Now) {
		s.renderReceipt(w, r, ses, v, ui.Problem{Status: http.StatusConflict, Alert: words.Text("sms.not-now")})
		return
	}
	mobile, wrong := readMobile(r.PostForm.Get("mobile")), map[string]string{}
	if mobile == "" {
		wrong["mobile"] = words.Text("sms.mobile.wrong")
	}
	if r.PostForm.Get("wants") == "" {
		wrong["wants"] = words.Text("sms.wants.missing")
	}
	if len(wrong) > 0 {
		s.renderReceipt(w, r, ses, v, ui.Problem{Status: http.StatusUnprocessableEntity, Alert: words.Plural("form.errors", len(wrong)), Fields: wrong})
		return
	}
	_, err := s.Once(ses, r, func() (op.ID, error) {
		q, err := edge.MessageOf(v.ID, mobile, receiptLanguage(s.cfg.Receipt(v.Record, words), words), ses.Operator)
		if err != nil {
			return "", err
		}
		message, err := s.counter.Start(q)
		return message.ID, err
	})
	var precluded *edge.PreconditionError
	switch {
	case err == nil:
		http.Redirect(w, r, "/op/"+string(v.ID)+"/receipt", http.StatusSeeOther)
	case errors.As(err, &precluded):
		s.renderReceipt(w, r, ses, v, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(words, precluded)})
	default:
		s.Fail(w, r, ses, err)
	}
}

// readMobile reads a typed mobile number, with or without +91; empty: it is none.
func readMobile(typed string) string {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(typed))
	if len(digits) > mobileDigits {
		digits = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(digits, "+"), "91"), "0")
	}
	if len(digits) != mobileDigits || strings.Trim(digits, "0123456789") != "" || digits[0] < '6' {
		return ""
	}
	return digits
}

// receiptLanguage is the language of a receipt.
func receiptLanguage(v ReceiptView, operator *i18n.Localizer) string {
	if v.Words != nil {
		return v.Words.Code()
	}
	return operator.Code()
}

// languageName is a language's own name.
func languageName(code string) string {
	for _, l := range i18n.Languages() {
		if l.Code == code {
			return l.Name
		}
	}
	return code
}
