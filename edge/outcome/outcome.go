package outcome

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/shared/op"
)

// Outcome is the result of an operation and what the agent does next. Pages,
// lists, the receipt and the customer's screen all show the same one.
type Outcome struct {
	Kind Kind
	Case string // selects the texts (CaseOf)
	Tone string
	Icon string
	Code Code // of the bank or the central; zero: the case has none
	// Advice names what the agent does next: one thing, by the case or, where it
	// is more exact, by the code.
	Advice string

	key   string // of the text of the advice
	plain bool   // no finger was taken, or the name of the bank is unknown
}

// adviceFromCode reports whether the advice is the code's, not the case's: the
// bank declined, with a code that says that no money moved.
func (o Outcome) adviceFromCode() bool {
	if o.Case != "declined" || o.Kind.Group == "dmt" || o.Kind.Group == "any" || o.Kind.Route == op.Refund {
		return false
	}
	return o.Code.Class != ClassApproved && o.Code.Class != ClassUncertain
}

// Of returns the outcome of an operation, by route, state, code and cash.
func Of(w *i18n.Localizer, v edge.View, link edge.LinkState) Outcome {
	o := Outcome{Kind: KindOf(v.Record), Case: CaseOf(v, link)}
	o.Tone, o.Icon = toneAndIcon(o.Case, o.Kind.Group)
	o.plain = !v.TakesFinger() || o.Case == "bank" && v.BankName == ""
	switch o.Case {
	case "declined":
		o.Code = Lookup(FamilyOf(v.Route, v.HTTP), v.Result.Code)
	case "otp":
		o.Code = Lookup(FamilyTransfer, WrongOTP)
	case "give-back", "owed", "returned", "reused":
		if v.OwesCashBack() && v.Result.Code != "" {
			o.Code = Lookup(FamilyTransfer, v.Result.Code)
		}
	case "refused", "unreached":
		o.Code = Lookup(FamilyCentral, v.Result.StatusCode)
	}
	o.key = w.FirstKey(o.textKeys("lead")...)
	if o.adviceFromCode() {
		_, o.key = o.Code.TextKeys()
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(o.key, "outcome."), ".lead"), ".advice")
	o.Advice = strings.ReplaceAll(name, ".", "-")
	return o
}

// textKeys returns the keys of a part of the texts, the most specific first. The
// plain texts do not mention finger and bank.
func (o Outcome) textKeys(part string) []string {
	of := []string{o.Kind.Name}
	if o.Kind.Group != "any" {
		of = append(of, o.Kind.Group)
	}
	if o.plain {
		of = append(of, "plain")
	}
	var out []string
	for _, name := range append(of, "any") {
		out = append(out, "outcome."+name+"."+o.Case+"."+part)
	}
	return out
}

// Reason is the meaning of the code; "" where the case has no code or its texts
// say it.
func (o Outcome) Reason(w *i18n.Localizer) string {
	switch {
	case o.Case == "declined" && FamilyOf(o.Kind.Route, http.StatusOK) == FamilyBank:
		says, _ := o.Code.TextKeys()
		return w.Text(says, "code", o.Code.Code)
	case o.Case == "declined", o.refusedAfterCashKept():
		if key := "code.transfer." + o.Code.Code + ".meaning"; w.Has(key) {
			return w.Text(key)
		}
		return w.Text("code.unknown.meaning", "code", cmp.Or(o.Code.Code, "?"))
	case o.Case == "refused" || o.Case == "unreached":
		if key := "code.central." + o.Code.Code + ".meaning"; w.Has(key) {
			return w.Text(key)
		}
	}
	return ""
}

// refusedAfterCashKept reports whether the bank refused a transfer whose cash was kept.
func (o Outcome) refusedAfterCashKept() bool {
	return o.Kind.Route == op.Transfer && o.Code.Code != "" && slices.Contains([]string{"give-back", "owed", "returned", "reused"}, o.Case)
}

func (o Outcome) leadText(w *i18n.Localizer, vars []any) string {
	if o.Case != "declined" {
		return w.Text(o.key, vars...)
	}
	switch {
	case o.Code.Class == ClassApproved || o.Code.Class == ClassUncertain:
		return w.Text(o.key, vars...)
	case !o.adviceFromCode():
		return o.Reason(w) + " " + w.Text(o.key, vars...)
	}
	text := o.Reason(w)
	switch o.Kind.Group {
	case "goods":
		text += " " + w.Text("outcome.nothing-moved") + " " + w.Text("code.no.goods")
	case "cash":
		text += " " + w.Text("outcome.nothing-moved") + " " + w.Text("code.no.cash")
	}
	return text + " " + w.Text(o.key)
}

// Description has the texts of an operation.
type Description struct {
	Outcome
	Title string // the first thing to read: give cash, or do not
	Lead  string // what it means and what to do
	Why   string // the reason that was given, where it adds something
	Word  string // one line, for lists
}

// WrongOTP is the bank's code for a wrong or expired OTP: the only decline after which a
// transfer is tried again at once (domain.md).
const WrongOTP = "55"

// stageOfState is the stage of a record without one.
var stageOfState = map[op.State]edge.Stage{
	op.Reserved: edge.StageReady, op.Queued: edge.StageSending, op.Sent: edge.StageSending, op.Accepted: edge.StageBank, op.Unknown: edge.StageAsking,
}

// CaseOf returns the case of an operation, which selects its texts.
func CaseOf(v edge.View, link edge.LinkState) string {
	if v.OwesCashBack() {
		switch v.Cash() {
		case edge.CashGiven:
			if v.CashUsedBy != "" {
				return "reused"
			}
			return "returned"
		case edge.CashNotGiven:
			return "owed"
		}
		return "give-back"
	}
	switch v.State {
	case op.Succeeded:
		switch v.Cash() {
		case edge.CashGiven:
			return "given"
		case edge.CashNotGiven:
			return "owed"
		}
		return "succeeded"
	case op.Failed:
		switch {
		case v.Verdict() != edge.VerdictNoMoney && v.Route == op.Transfer && v.Result.Code == WrongOTP:
			return "otp"
		case v.Verdict() != edge.VerdictNoMoney:
			return "declined"
		case v.HTTP >= http.StatusBadRequest && v.HTTP < http.StatusInternalServerError:
			return "refused" // by the central, before it called the bank
		}
		return "unreached"
	case op.Reversed:
		switch {
		case !v.RefundedAt.IsZero():
			return "refunded"
		case v.Cash() == edge.CashGiven:
			return "returned-before-refund"
		}
		return "reversed"
	case op.Pending:
		return "pending"
	case op.Expired:
		return "expired"
	case op.NotSent:
		return "not-sent"
	}
	stage := v.Stage
	if stage == edge.StageNone {
		stage = stageOfState[v.State]
	}
	switch stage {
	case edge.StageReady:
		if v.Problem != nil {
			return "problem"
		}
		return "ready"
	case edge.StageCapturing:
		return "capturing"
	case edge.StageSending:
		if v.State == op.Queued && !link.Online {
			return "waiting"
		}
		return "sending"
	case edge.StageBank:
		return "bank"
	}
	return "asking"
}

// looks are tone and icon of the cases; an empty icon is the sign that says no.
// Others are not known yet.
var looks = map[string]struct{ tone, icon string }{
	"succeeded": {ToneDone, "tick"}, "given": {ToneDone, "tick"}, "returned": {ToneDone, "tick"}, "reused": {ToneDone, "tick"}, "refunded": {ToneDone, "tick"},
	"give-back": {ToneGive, "give"}, "owed": {TonePending, "give"},
	"returned-before-refund": {TonePending, ""}, "pending": {TonePending, ""},
	"declined": {ToneStop, ""}, "otp": {ToneStop, ""}, "reversed": {ToneStop, ""},
	"expired": {ToneQuiet, ""}, "not-sent": {ToneQuiet, ""}, "unreached": {ToneQuiet, ""}, "refused": {ToneQuiet, ""},
	"problem": {TonePending, "warn"}, "ready": {ToneAsk, "finger"},
}

func toneAndIcon(of, group string) (tone, icon string) {
	look, known := looks[of]
	takesOut := group == "cash" || group == "goods"
	switch {
	case of == "succeeded" && group == "cash":
		return ToneGive, "give"
	case !known && takesOut:
		return ToneWait, "stop"
	case !known:
		return ToneWait, "wait"
	case look.icon != "":
		return look.tone, look.icon
	case takesOut:
		return look.tone, "stop"
	}
	return look.tone, "refused"
}

// Describe returns the texts of an operation.
func Describe(w *i18n.Localizer, v edge.View, st edge.Status) Description {
	t := Description{Outcome: Of(w, v, st.Link)}
	k := t.Kind
	vars := []any{
		"amount", i18n.ShortRupees(cashbook.Payable(v.Record)), "customer", v.Customer, "kind", w.Text("kind." + k.Name), "bank", v.BankName,
		"time", w.ShortTime(v.CashGivenAt, st.Now), "until", w.TimeWithSeconds(v.Deadline), "end", w.ShortTime(st.Session.ExpiresAt, st.Now),
		"words", "", "balance", "",
	}
	if k.Money {
		vars[len(vars)-3] = w.AmountInWords(cashbook.Payable(v.Record))
	}
	if v.Result.Balance != nil {
		vars[len(vars)-1] = i18n.Rupees(*v.Result.Balance)
	}
	t.Title, t.Word = w.Text(w.FirstKey(t.textKeys("title")...), vars...), w.Text(w.FirstKey(t.textKeys("word")...), vars...)
	switch t.Case {
	case "problem":
		t.Title = w.Text(w.FirstKey("rd."+v.Problem.Code+".title", "rd.action."+v.Problem.Action, "rd.action.other"))
		t.Lead = strings.TrimPrefix(captureText(w, v.Problem), t.Title+". ")
		t.Why = w.Text("outcome.nothing-sent")
		return t
	}
	t.Lead = t.leadText(w, vars)
	switch t.Case {
	case "give-back", "owed", "returned", "reused":
		if t.refusedAfterCashKept() {
			t.Why = t.Reason(w)
		}
	case "expired", "not-sent":
		if t.Why = ReasonText(w, v.Reason); v.Reason == edge.ReasonRefused {
			t.Why = centralMessage(w, v.Record)
		}
	case "unreached", "refused":
		if t.Why = centralMessage(w, v.Record); t.Why == "" || k.Group == "dmt" {
			t.Why = t.Reason(w)
		}
	}
	return t
}
