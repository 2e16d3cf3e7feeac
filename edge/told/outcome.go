package told

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/codes"
	"galla/edge/words"
	"galla/shared/op"
)

// Outcome is where an operation stands, and what follows from it. Every place
// that tells of an operation tells this one: its page, lists, the receipt, the
// customer's screen, the slip and the strip.
type Outcome struct {
	Kind Kind
	Case string // ready, problem, capturing, ..., succeeded, given, owed, back, returned, carried, declined, otp, refunded, ...: of the texts
	Tone string
	Icon string
	Code codes.Code // what the bank or the central gave as the reason; zero: the case has none
	// Advice names what is to be done next: exactly one thing, of the case or, where
	// it knows better, of the code.
	Advice string

	key   string // of the agent's words for it
	plain bool   // no finger was taken for it, or its bank is not known by name
}

// byCode tells whether the code's own advice is given, and not the case's: the
// bank declined, and its code is of a final end. A code that leaves open whether
// money moved never speaks against a state that says that none did.
func (o Outcome) byCode() bool {
	if o.Case != "declined" || o.Kind.Group == "remit" || o.Kind.Group == "any" || o.Kind.Route == op.Refund {
		return false
	}
	return o.Code.Class != codes.Approved && o.Code.Class != codes.Uncertain
}

// OutcomeOf is the one table of outcomes: of route, state, code and the facts of
// the cash.
func OutcomeOf(w *words.Words, v edge.View, link edge.LinkState) Outcome {
	o := Outcome{Kind: For(v.Record), Case: CaseOf(v, link)}
	o.Tone, o.Icon = look(o.Case, o.Kind.Group)
	o.plain = !v.TakesFinger() || o.Case == "bank" && v.BankName == ""
	switch o.Case {
	case "declined":
		o.Code = codes.In(codes.FamilyOf(v.Route, v.HTTP), v.Result.Code)
	case "otp":
		o.Code = codes.In(codes.Transfer, wrongOTP)
	case "back", "owed", "returned", "carried":
		if v.Returns() && v.Result.Code != "" {
			o.Code = codes.In(codes.Transfer, v.Result.Code)
		}
	case "refused", "unreached":
		o.Code = codes.In(codes.Central, v.Result.StatusCode)
	}
	o.key = w.FirstKey(o.keys("lead")...)
	if o.byCode() {
		_, o.key = o.Code.Keys()
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(o.key, "told."), ".lead"), ".do")
	o.Advice = strings.ReplaceAll(name, ".", "-")
	return o
}

// keys are those of a part of the outcome's texts, the closest first. What the
// texts for any operation say of finger and bank, the plain ones do not.
func (o Outcome) keys(part string) []string {
	of := []string{o.Kind.Name}
	if o.Kind.Group != "any" {
		of = append(of, o.Kind.Group)
	}
	if o.plain {
		of = append(of, "plain")
	}
	var out []string
	for _, name := range append(of, "any") {
		out = append(out, "told."+name+"."+o.Case+"."+part)
	}
	return out
}

// Reason is why it ended so, as the code says; "" where the case has no code or
// says it itself.
func (o Outcome) Reason(w *words.Words) string {
	switch {
	case o.Case == "declined" && codes.FamilyOf(o.Kind.Route, http.StatusOK) == codes.Bank:
		says, _ := o.Code.Keys()
		return w.Say(says, "code", o.Code.Code)
	case o.Case == "declined", o.keptCash():
		if key := "code.transfer." + o.Code.Code + ".says"; w.Has(key) {
			return w.Say(key)
		}
		return w.Say("code.unknown.says", "code", cmp.Or(o.Code.Code, "?"))
	case o.Case == "refused" || o.Case == "unreached":
		if key := "code.central." + o.Code.Code + ".says"; w.Has(key) {
			return w.Say(key)
		}
	}
	return ""
}

// keptCash tells whether the bank refused a transfer after its cash was kept.
func (o Outcome) keptCash() bool {
	return o.Kind.Route == op.Transfer && o.Code.Code != "" && slices.Contains([]string{"back", "owed", "returned", "carried"}, o.Case)
}

// lead is what it means, and the one thing to do.
func (o Outcome) lead(w *words.Words, vars []any) string {
	if o.Case != "declined" {
		return w.Say(o.key, vars...)
	}
	switch {
	case o.Code.Class == codes.Approved || o.Code.Class == codes.Uncertain:
		return w.Say(o.key, vars...)
	case !o.byCode():
		return o.Reason(w) + " " + w.Say(o.key, vars...)
	}
	text := o.Reason(w)
	switch o.Kind.Group {
	case "goods":
		text += " " + w.Say("told.nothing-moved") + " " + w.Say("code.no.goods")
	case "cash":
		text += " " + w.Say("told.nothing-moved") + " " + w.Say("code.no.cash")
	}
	return text + " " + w.Say(o.key)
}

// Told is what is said of an operation.
type Told struct {
	Outcome
	Title string // the first thing to read: give cash, or do not
	Lead  string // what it means and what to do
	Why   string // the reason that was given, where it adds something
	Word  string // one line, for lists
}

// wrongOTP is the bank's code for a one-time password that is not the customer's
// or has expired: the only decline after which a transfer is tried again at once.
const wrongOTP = "55"

// stages are what goes on with a record of a state, where the counter does not
// say more.
var stages = map[op.State]edge.Stage{
	op.Reserved: edge.StageReady, op.Queued: edge.StageSending, op.Sent: edge.StageSending, op.Accepted: edge.StageBank, op.Unknown: edge.StageAsking,
}

// CaseOf names what an operation's texts are about.
func CaseOf(v edge.View, link edge.LinkState) string {
	if v.Returns() { // what matters of it is the customer's cash
		switch v.Cash() {
		case edge.CashGiven:
			if v.CashInto != "" {
				return "carried"
			}
			return "returned"
		case edge.CashNotGiven:
			return "owed"
		}
		return "back"
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
		case v.Verdict() != edge.VerdictNoMoney && v.Route == op.Transfer && v.Result.Code == wrongOTP:
			return "otp"
		case v.Verdict() != edge.VerdictNoMoney:
			return "declined"
		case v.HTTP >= http.StatusBadRequest && v.HTTP < http.StatusInternalServerError:
			return "refused" // by the central: the bank was never called
		}
		return "unreached"
	case op.Reversed:
		switch {
		case !v.Refunded.IsZero():
			return "refunded"
		case v.Cash() == edge.CashGiven:
			return "repaid"
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
	if stage == edge.StageNone { // a record as it is kept: its state says what is going on
		stage = stages[v.State]
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
		if v.State == op.Queued && !link.Up {
			return "waiting"
		}
		return "sending"
	case edge.StageBank:
		return "bank"
	}
	return "asking"
}

// look is the tone and the icon of a case.
func look(of, group string) (tone, icon string) {
	no := "refused"
	if group == "cash" || group == "goods" {
		no = "stop"
	}
	switch of {
	case "succeeded":
		if group == "cash" {
			return ToneGive, "give"
		}
		return ToneDone, "tick"
	case "back":
		return ToneGive, "give"
	case "owed":
		return TonePending, "give"
	case "given", "returned", "carried", "refunded":
		return ToneDone, "tick"
	case "repaid":
		return TonePending, no
	case "declined", "otp", "reversed":
		return ToneStop, no
	case "pending":
		return TonePending, no
	case "expired", "not-sent", "unreached", "refused":
		return ToneQuiet, no
	case "problem":
		return TonePending, "warn"
	case "ready":
		return ToneAsk, "finger"
	}
	if no == "stop" {
		return ToneWait, no
	}
	return ToneWait, "wait"
}

// Tell puts an operation into words.
func Tell(w *words.Words, v edge.View, st edge.Status) Told {
	t := Told{Outcome: OutcomeOf(w, v, st.Link)}
	k := t.Kind
	vars := []any{
		"amount", words.Short(cashbook.Payable(v.Record)), "customer", v.Customer, "kind", w.Say("kind." + k.Name), "bank", v.BankName,
		"time", w.Clock(v.CashGiven, st.Now), "until", w.Seconds(v.Deadline), "end", w.Clock(st.Session.ExpiresAt, st.Now),
		"words", "", "balance", "",
	}
	if k.Money {
		vars[len(vars)-3] = w.Spell(cashbook.Payable(v.Record))
	}
	if v.Result.Balance != nil {
		vars[len(vars)-1] = words.Rupees(*v.Result.Balance)
	}
	t.Title, t.Word = w.First(t.keys("title"), vars...), w.First(t.keys("word"), vars...)
	switch t.Case {
	case "problem":
		t.Title = w.First([]string{"rd." + v.Problem.Code + ".title", "rd.action." + v.Problem.Action, "rd.action.other"})
		t.Lead = strings.TrimPrefix(capture(w, v.Problem), t.Title+". ")
		t.Why = w.Say("told.nothing-sent")
		return t
	}
	t.Lead = t.lead(w, vars)
	switch t.Case {
	case "back", "owed", "returned", "carried":
		if t.keptCash() {
			t.Why = t.Reason(w)
		}
	case "expired", "not-sent":
		t.Why = reason(w, v.Reason, t.Lead, w.Say("told.nothing-moved"))
	case "unreached", "refused":
		if t.Why = reason(w, v.Result.Message, t.Lead, w.Say("told.nothing-moved")); t.Why == "" || k.Group == "remit" {
			t.Why = t.Reason(w)
		}
	}
	return t
}

// without leaves sentences out of a reason that the page says already.
func without(reason string, said ...string) string {
	for _, s := range said {
		reason = strings.ReplaceAll(reason, s, "")
	}
	return strings.TrimSpace(reason)
}
