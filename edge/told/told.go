package told

import (
	"embed"
	"net/http"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/op"
)

//go:embed messages
var messages embed.FS

// Catalogue is the texts of this room.
func Catalogue() words.Catalogue { return words.Catalogue{Room: "told", Files: messages} }

// Kind is what an agent can do for a customer.
type Kind struct {
	Name  string // in URLs, and in the keys of its texts
	Route op.RouteID
	Icon  string
	Group string // which texts tell its outcomes: cash, goods, ask, day, remit, any
	Money bool   // takes an amount
}

// kinds are the four actions of AEPS, in the order of the home page.
var kinds = []Kind{
	{"withdrawal", op.Withdrawal, "withdrawal", "cash", true},
	{"balance", op.Balance, "balance", "ask", false},
	{"statement", op.MiniStatement, "statement", "ask", false},
	{"purchase", op.Purchase, "purchase", "goods", true},
}

// dayKind is the agent's own authentication, which has no form.
var dayKind = Kind{"day", op.ReqAuth, "finger", "day", false}

// remitKinds are what the room of sending money begins.
var remitKinds = []Kind{
	{"transfer", op.Transfer, "send", "remit", true},
	{"refund", op.Refund, "send", "remit", false},
	{"sender", op.CustomerUpdateBio, "finger", "any", false}, // the one of them that takes a finger
}

// stepKind is what several routes are steps of.
type stepKind struct {
	kind   Kind
	routes []op.RouteID
}

// steps are what belongs to something that the agent does for a customer or for
// the shop, and moves no money by itself.
var steps = []stepKind{
	{Kind{Name: "registering", Icon: "list", Group: "any"}, []op.RouteID{
		op.CustomerDetail, op.CustomerOnboarding, op.CustomerRequestOTP, op.CustomerValidateOTP, op.CustomerVerifyUID,
		op.CustomerSubmit, op.CustomerStatus, op.RemitterRegister, op.RemitterDetails,
	}},
	{Kind{Name: "beneficiary", Icon: "list", Group: "any"}, []op.RouteID{op.BeneficiaryAdd, op.BeneficiaryGet, op.BeneficiaryDelete, op.AccountVerification}},
	{Kind{Name: "transferring", Icon: "list", Group: "any"}, []op.RouteID{op.TransferOTP, op.TransferCharges, op.TransferRequery, op.RefundOTP}},
	{Kind{Name: "code", Icon: "list", Group: "any"}, []op.RouteID{op.GenerateQR}},
	{Kind{Name: "shop", Icon: "list", Group: "any"}, []op.RouteID{
		op.AgentInitialize, op.AgentOnboarding, op.AgentRequestOTP, op.AgentValidateOTP, op.AgentVerifyPAN,
		op.AgentUpdateUID, op.AgentUpdateBio, op.AgentSubmit, op.AgentStatus, op.AgentDetail,
	}},
}

// otherKind stands for routes that have no page of their own here.
var otherKind = Kind{"other", "", "list", "any", false}

// Kinds gives the four actions of AEPS, in the order of the home page.
func Kinds() []Kind { return slices.Clone(kinds) }

// Named gives the action of AEPS of a name.
func Named(name string) (Kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Of gives the kind of a route; a route that has none of its own is "other".
func Of(route op.RouteID) Kind {
	for _, k := range slices.Concat([]Kind{dayKind}, kinds, remitKinds) {
		if k.Route == route {
			return k
		}
	}
	for _, s := range steps {
		if slices.Contains(s.routes, route) {
			k := s.kind
			k.Route = route
			return k
		}
	}
	return otherKind
}

// IsStep tells whether a route is a step of something, which nobody looks for by
// itself once it has succeeded.
func IsStep(route op.RouteID) bool {
	return slices.ContainsFunc(steps, func(s stepKind) bool { return slices.Contains(s.routes, route) })
}

// Title is what people call the kind.
func (k Kind) Title(w *words.Words) string { return w.Say("kind." + k.Name) }

// Tones: colour and shape together. A circle means give, an octagon means do
// not.
const (
	ToneGive    = "give"    // green, circle
	ToneDone    = "done"    // teal, circle: succeeded, no cash
	ToneStop    = "stop"    // red, octagon
	TonePending = "pending" // amber, octagon
	ToneWait    = "wait"    // blue, octagon for cash: not known yet
	ToneQuiet   = "quiet"   // grey, octagon: no money moved
	ToneAsk     = "ask"     // plain: the agent acts
)

// Told is what is said of an operation.
type Told struct {
	Case  string // of the texts: ready, problem, capturing, waiting, sending, bank, asking, ...
	Tone  string
	Icon  string
	Title string // the first thing to read: give cash, or do not
	Lead  string // what it means and what to do
	Why   string // the reason that was given, where it adds something
	Word  string // one line, for lists
}

// stages are what goes on with a record of a state, where the counter does not
// say more.
var stages = map[op.State]edge.Stage{
	op.Reserved: edge.StageReady, op.Queued: edge.StageSending, op.Sent: edge.StageSending, op.Accepted: edge.StageBank, op.Unknown: edge.StageAsking,
}

// CaseOf names what an operation's texts are about.
func CaseOf(v edge.View, link edge.LinkState) string {
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
		case v.Verdict() != edge.VerdictNoMoney:
			return "declined"
		case v.HTTP >= http.StatusBadRequest && v.HTTP < http.StatusInternalServerError:
			return "refused" // by the central: the bank was never called
		}
		return "unreached"
	case op.Reversed:
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
	case "owed":
		return TonePending, "give"
	case "given":
		return ToneDone, "tick"
	case "declined", "reversed":
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
	k := Of(v.Route)
	t := Told{Case: CaseOf(v, st.Link)}
	t.Tone, t.Icon = look(t.Case, k.Group)
	vars := []any{
		"amount", words.Short(v.Amount), "customer", v.Customer, "kind", w.Say("kind." + k.Name), "bank", v.BankName,
		"time", w.Clock(v.CashGiven, st.Now), "until", w.Seconds(v.Deadline), "end", w.Clock(st.Session.ExpiresAt, st.Now),
		"words", "", "balance", "",
	}
	if k.Money {
		vars[len(vars)-3] = w.Spell(v.Amount)
	}
	if v.Result.Balance != nil {
		vars[len(vars)-1] = words.Rupees(*v.Result.Balance)
	}
	text := func(part string) string {
		return w.First([]string{
			"told." + k.Name + "." + t.Case + "." + part,
			"told." + k.Group + "." + t.Case + "." + part,
			"told.any." + t.Case + "." + part,
		}, vars...)
	}
	t.Title, t.Lead, t.Word = text("title"), text("lead"), text("word")
	if t.Case == "problem" {
		t.Title = w.First([]string{"rd." + v.Problem.Code + ".title", "rd.action." + v.Problem.Action, "rd.action.other"})
		t.Lead = strings.TrimPrefix(capture(w, v.Problem), t.Title+". ")
		t.Why = w.Say("told.nothing-sent")
	}
	switch t.Case {
	case "expired", "not-sent":
		t.Why = reason(w, v.Reason, t.Lead, w.Say("told.nothing-moved"))
	case "unreached", "refused":
		t.Why = reason(w, v.Result.Message, t.Lead, w.Say("told.nothing-moved"))
	}
	return t
}

// Notice is the first thing to read of open cash, with the amount.
func Notice(w *words.Words, r edge.Record, st edge.Status) string {
	t := Tell(w, edge.View{Record: r}, st)
	if amount := words.Short(r.Amount); !strings.Contains(t.Title, amount) {
		return t.Title + " " + amount
	}
	return t.Title
}

// Flow names the way from a transfer to the room of sending money, where the
// bank is asked about it and it is refunded: POST /send/of/{operation}. It is
// empty for operations that have none.
func Flow(w *words.Words, v edge.View) string {
	switch {
	case v.Route != op.Transfer:
		return ""
	case v.State == op.Succeeded || v.State == op.Reversed:
		return w.Say("told.open.refund")
	}
	return w.Say("told.open.transfer")
}

// without leaves sentences out of a reason that the page says already.
func without(reason string, said ...string) string {
	for _, s := range said {
		reason = strings.ReplaceAll(reason, s, "")
	}
	return strings.TrimSpace(reason)
}

// Step is one of the four steps of an operation's way, for the pages' stepper.
type Step struct {
	Name string
	Mark string // done, now, next, bad
	Icon string
}

// Steps says how far an operation is: finger, line, bank, answer.
func Steps(w *words.Words, of string) []Step {
	at, bad := map[string]int{
		"ready": 0, "problem": 0, "capturing": 0, "waiting": 1, "sending": 1, "asking": 1, "bank": 2, "pending": 2,
	}[of], of == "problem"
	var out []Step
	for i, name := range []string{"finger", "send", "bank", "answer"} {
		st := Step{Name: w.Say("step." + name), Mark: "next", Icon: name}
		switch {
		case i < at:
			st.Mark, st.Icon = "done", "tick"
		case i == at && bad:
			st.Mark, st.Icon = "bad", "warn"
		case i == at:
			st.Mark = "now"
		}
		out = append(out, st)
	}
	return out
}
