package send

import (
	"net/http"
	"strings"

	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// form shows the form of a step, with what was typed or is known.
func (s *Room) form(ses *web.Session, r *http.Request, d *flowData, f flow, wrong formErrors) {
	said := ses.Words()
	d.Submit = said.Say("send.go")
	field := func(name, kind, key, value string, most int, must bool) {
		x := web.Field{Name: name, Kind: kind, Label: said.Say(key), Value: value, Max: most, Error: s.wrong(said, f, wrong[name]), Focus: len(d.Fields) == 0}
		if typed := r.PostForm.Get(name); typed != "" && kind != web.OTP && name != "aadhaar" && wrong[name] != "send.text.wrong" {
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
		d.code(said, f)
	case Aadhaar:
		field("aadhaar", web.Digits, "send.aadhaar", "", 14, true)
	case Finger:
		if s.holding(f.ID).IsZero() || wrong["aadhaar"] != "" {
			field("aadhaar", web.Digits, "send.aadhaar", "", 14, true)
		}
		s.consent(ses, d)
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
	case Confirm:
		d.Submit, d.Sums = said.Say("send.otp.send"), sums(said, f)
	case RefundAsk:
		d.Submit = said.Say("send.otp.send")
	case Drop:
		d.Submit = said.Say("send.drop")
	case Holder:
		d.Submit = ""
		d.Sums = []web.Fact{{Label: said.Say("send.fact.typed"), Value: f.To.Name}, {Label: said.Say("send.fact.holder"), Value: f.Holder}}
		d.Buttons = append(d.Buttons, button{ID: "do-holder", Act: "holder", Text: said.Say("send.holder.yes"), Main: true})
	default: // a step that asks by itself, and was refused
		d.Submit = ""
		d.Buttons = append(d.Buttons, button{ID: "do-again", Act: "again", Text: said.Say("send.again"), Main: true})
	}
}

// code adds what goes with a one-time password.
func (d *flowData) code(said *words.Words, f flow) {
	switch f.Step {
	case Code:
		d.Buttons = append(d.Buttons, button{ID: "do-resend", Act: "resend", Text: said.Say("send.resend")})
	case OTP:
		d.Submit, d.Sums = said.Say("send.pay", "amount", words.Short(f.Amount)), sums(said, f)
	}
}

// quick gives an amount's field its keys and its spelling.
func quick(w *words.Words, x *web.Field) {
	x.Wrong, x.Spelling = w.Say("send.amount.wrong"), w.Spelling()
	x.KeysName, x.Keys = w.Say("send.amount.quick"), web.Keys("", 500*money.Rupee, 1_000*money.Rupee, 2_000*money.Rupee, 5_000*money.Rupee)
}

// consent shows what the customer is read, in the customer's language.
func (s *Room) consent(ses *web.Session, d *flowData) {
	said, st := ses.Words(), s.counter.Status()
	d.Tongue = web.LanguageChoice("customer-language", said.Say("send.tongue"), ses.CustomerLanguage())
	for _, l := range words.Languages() {
		theirs := s.In(l.Code)
		d.Consents = append(d.Consents, consent{
			l.Code, told.Consent(theirs, told.Of(op.CustomerUpdateBio), st.Merchant), told.ConsentVersion(theirs), theirs.Say("send.consent"),
		})
	}
	d.Ready = web.Readiness(said, st)
	d.Check = &check{Name: "consent", Missing: said.Say("send.consent.missing")}
}

// wrong puts a field's error into words.
func (s *Room) wrong(w *words.Words, f flow, key string) string {
	switch {
	case key == boundsWrong:
		return told.Amount(w, s.counter.Bounds(op.Transfer), f.Amount)
	case strings.HasPrefix(key, "send."):
		return w.Say(key)
	}
	return key
}
