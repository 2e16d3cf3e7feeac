package dmt

import (
	"net/http"
	"strings"

	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/shared/money"
)

func (s *Pages) fillForm(ses *ui.Session, r *http.Request, d *flowData, f flow, wrong formErrors) {
	words := ses.Words()
	d.Submit = words.Text("dmt.go")
	field := func(name, kind, key, value string, most int, must bool) {
		x := ui.Field{Name: name, Kind: kind, Label: words.Text(key), Value: value, Max: most, Error: s.fieldError(words, f, wrong[name]), Focus: len(d.Fields) == 0}
		if typed := r.PostForm.Get(name); typed != "" && kind != ui.OTP && wrong[name] != "dmt.text.wrong" {
			x.Value = typed
		}
		if must {
			x.Missing = words.Text("dmt.missing")
		}
		d.Fields = append(d.Fields, x)
	}
	switch f.Step {
	case Name:
		field("name", ui.Text, "dmt.name", f.Name, 100, true)
		field("city", ui.Text, "dmt.city", f.City, 60, true)
		field("state", ui.Text, "dmt.state", f.State, 60, true)
		field("email_id", ui.Text, "dmt.email", f.Email, 100, false)
	case Code, OTP, RefundCode:
		if f.otpTriesLeft() > 0 {
			field("otp", ui.OTP, "dmt.otp", "", 8, true)
		}
		d.fillOTP(words, f)
	case Aadhaar, Finger:
		s.fillIdentity(ses, r, d, f, wrong)
	case Payee:
		field("receiver_account_no", ui.Digits, "dmt.account", f.To.Number, 20, true)
		field("again", ui.Digits, "dmt.account.again", f.To.Number, 20, true)
		field("bank", ui.Text, "dmt.bank", "", 100, false)
		field("receiverIfscCode", ui.Text, "dmt.ifsc", f.To.IFSC, 11, true)
		field("receivername", ui.Text, "dmt.payee", f.To.Name, 100, true)
		field("receivermobilenumber", ui.Mobile, "dmt.payee.mobile", f.To.Mobile, 14, false)
		d.Submit = words.Text("dmt.verify")
	case Unconfirmed:
		left := f.AskAgain.Sub(s.cfg.Now())
		if d.Left = int((left + 999_999_999) / 1_000_000_000); d.Left > 0 {
			d.Submit = ""
		} else {
			d.Left, d.Submit = 0, words.Text("dmt.verify.again")
		}
	case Amount:
		typed := ""
		if f.Amount > 0 {
			typed = f.Amount.Number()
		}
		field("amount", ui.Amount, "dmt.amount", typed, 12, true)
		addQuickAmounts(words, &d.Fields[0])
		d.Fields[0].Limit = s.limitsOf(&f).field(words)
	case Confirm:
		d.Submit, d.Sums = words.Text("dmt.otp.send"), costFacts(words, f)
	case RefundAsk:
		d.Submit = words.Text("dmt.otp.send")
	case DeletePayee:
		d.Submit = words.Text("dmt.delete-payee")
	case ConfirmHolder:
		d.Submit = ""
		d.Sums = []ui.Fact{{Label: words.Text("dmt.fact.typed"), Value: f.To.Name}, {Label: words.Text("dmt.fact.holder"), Value: f.Holder}}
		d.Buttons = append(d.Buttons, button{ID: "do-holder", Act: "holder", Text: words.Text("dmt.holder.yes"), Main: true})
	default: // an automatic step that was refused
		d.Submit = ""
		d.Buttons = append(d.Buttons, button{ID: "do-again", Act: "again", Text: words.Text("dmt.again"), Main: true})
	}
	s.suggest(words, d.Fields)
}

func (d *flowData) fillOTP(words *i18n.Localizer, f flow) {
	if f.Step == OTP {
		d.Submit, d.Sums = words.Text("dmt.pay", "amount", i18n.ShortRupees(f.Amount)), costFacts(words, f)
	}
	if f.otpTriesLeft() == 0 {
		d.Submit = ""
	}
	if d.NewOTP = f.WrongOTPs > 0; !d.NewOTP {
		d.Buttons = append(d.Buttons, button{ID: "do-resend", Act: "resend", Text: words.Text("dmt.resend")})
	}
}

func addQuickAmounts(w *i18n.Localizer, x *ui.Field) {
	x.Wrong, x.Spelling = w.Text("dmt.amount.wrong"), w.NumberTextsJSON()
	x.KeysLabel, x.Keys = w.Text("dmt.amount.quick"), ui.Keys("", 500*money.Rupee, 1_000*money.Rupee, 2_000*money.Rupee, 5_000*money.Rupee)
}

func (s *Pages) fieldError(w *i18n.Localizer, f flow, key string) string {
	switch {
	case key == boundsError:
		return s.limitsOf(&f).text(w, f.Amount)
	case strings.HasPrefix(key, "dmt."), strings.HasPrefix(key, "field."):
		return w.Text(key)
	}
	return key
}
