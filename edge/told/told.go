package told

import (
	"embed"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
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

// paybackKind is a refund whose cash follows the bank's word (edge.RefundRule).
var paybackKind = Kind{"payback", op.Refund, "send", "cash", true}

// For gives the kind of an operation.
func For(r edge.Record) Kind {
	if r.Route == op.Refund && r.Consent == edge.RefundRule {
		return paybackKind
	}
	return Of(r.Route)
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

// Notice is the first thing to read of open cash, with the amount.
func Notice(w *words.Words, r edge.Record, st edge.Status) string {
	t := Tell(w, edge.View{Record: r}, st)
	if amount := words.Short(cashbook.Payable(r)); !strings.Contains(t.Title, amount) {
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
	case v.State == op.Reversed && !v.Refunded.IsZero(): // it is over
		return ""
	case v.State == op.Reversed: // what the bank has paid out it does not give back
		return w.Say("told.open.refund")
	}
	return w.Say("told.open.transfer")
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
