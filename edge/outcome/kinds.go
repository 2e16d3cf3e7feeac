package outcome

import (
	"embed"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/shared/op"
)

//go:embed messages
var messages embed.FS

// Catalogue returns the texts of this package.
func Catalogue() i18n.Catalogue { return i18n.Catalogue{Owner: "outcome", Files: messages} }

// Kind is what an agent can do for a customer.
type Kind struct {
	Name  string // in URLs, and in the keys of its texts
	Route op.RouteID
	Icon  string
	Group string // of its texts: cash, goods, enquiry, authentication, dmt, any
	Money bool   // takes an amount
}

// aepsKinds are the AEPS transactions, in the order of the home page.
var aepsKinds = []Kind{
	{"withdrawal", op.Withdrawal, "withdrawal", "cash", true},
	{"balance", op.Balance, "balance", "enquiry", false},
	{"statement", op.MiniStatement, "statement", "enquiry", false},
	{"purchase", op.Purchase, "purchase", "goods", true},
}

var authenticationKind = Kind{"authentication", op.ReqAuth, "finger", "authentication", false}

// transferKinds are the operations of money transfer that have texts of their own.
var transferKinds = []Kind{
	{"transfer", op.Transfer, "send", "dmt", true},
	{"refund", op.Refund, "send", "dmt", false},
	{"sender", op.CustomerUpdateBio, "finger", "any", false}, // the only one with a finger
}

// paymentKinds are what the customer's bank paid to the shop's account by UPI.
var paymentKinds = []Kind{
	{"payment", op.PaymentReceived, "purchase", "any", true},
	{"payment-returned", op.PaymentReturned, "purchase", "any", true},
}

// refundWithCashKind is a refund whose cash is given after the bank has refunded
// (edge.RefundCashAfter).
var refundWithCashKind = Kind{"refund-cash", op.Refund, "send", "cash", true}

// KindOf returns the kind of an operation.
func KindOf(r edge.Record) Kind {
	if r.Route == op.Refund && r.Consent == edge.RefundCashAfter {
		return refundWithCashKind
	}
	return KindOfRoute(r.Route)
}

// stepKind is a kind of which several routes are steps.
type stepKind struct {
	kind   Kind
	routes []op.RouteID
}

// steps are parts of something that the agent does for a customer or the shop.
// They move no money.
var steps = []stepKind{
	{Kind{Name: "registering", Icon: "list", Group: "any"}, []op.RouteID{
		op.CustomerDetail, op.CustomerOnboarding, op.CustomerRequestOTP, op.CustomerValidateOTP, op.CustomerVerifyUID,
		op.CustomerSubmit, op.CustomerStatus, op.RemitterRegister, op.RemitterDetails,
	}},
	{Kind{Name: "beneficiary", Icon: "list", Group: "any"}, []op.RouteID{op.BeneficiaryAdd, op.BeneficiaryGet, op.BeneficiaryDelete, op.AccountVerification}},
	{Kind{Name: "transferring", Icon: "list", Group: "any"}, []op.RouteID{op.TransferOTP, op.TransferCharges, op.TransferRequery, op.RefundOTP}},
	{Kind{Name: "code", Icon: "list", Group: "any"}, []op.RouteID{op.GenerateQR}},
	{Kind{Name: "message", Icon: "send", Group: "any"}, []op.RouteID{op.ReceiptMessage}},
	{Kind{Name: "shop", Icon: "list", Group: "any"}, []op.RouteID{
		op.AgentInitialize, op.AgentOnboarding, op.AgentRequestOTP, op.AgentValidateOTP, op.AgentVerifyPAN,
		op.AgentUpdateUID, op.AgentUpdateBio, op.AgentSubmit, op.AgentStatus, op.AgentDetail,
	}},
}

var otherKind = Kind{"other", "", "list", "any", false}

// AEPSKinds returns the four AEPS transactions, in the order of the home page.
func AEPSKinds() []Kind { return slices.Clone(aepsKinds) }

// KindNamed returns the AEPS transaction of a name.
func KindNamed(name string) (Kind, bool) {
	for _, k := range aepsKinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// KindOfRoute returns the kind of a route.
func KindOfRoute(route op.RouteID) Kind {
	for _, k := range slices.Concat([]Kind{authenticationKind}, aepsKinds, transferKinds, paymentKinds) {
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

// IsStep reports whether a route is a step of something else; lists leave out
// steps that succeeded.
func IsStep(route op.RouteID) bool {
	return slices.ContainsFunc(steps, func(s stepKind) bool { return slices.Contains(s.routes, route) })
}

// Title is the kind's name in words.
func (k Kind) Title(w *i18n.Localizer) string { return w.Text("kind." + k.Name) }

// The tones: colour and shape together. A circle means give, an octagon do not
// give.
const (
	ToneGive    = "give"    // green, circle
	ToneDone    = "done"    // teal, circle: succeeded, no cash
	ToneStop    = "stop"    // red, octagon
	TonePending = "pending" // amber, octagon
	ToneWait    = "wait"    // blue, octagon for cash: not known yet
	ToneQuiet   = "quiet"   // grey, octagon: no money moved
	ToneAsk     = "ask"     // plain: the agent acts
)

// CashNotice is the title of an operation with open cash, with the amount.
func CashNotice(w *i18n.Localizer, r edge.Record, st edge.Status) string {
	t := Describe(w, edge.View{Record: r}, st)
	if amount := i18n.ShortRupees(cashbook.Payable(r)); !strings.Contains(t.Title, amount) {
		return t.Title + " " + amount
	}
	return t.Title
}

// TransferLinkText is the text of the link from a transfer to the pages of money
// transfer, where it is asked about and refunded: POST /dmt/of/{operation}.
// Empty: there is no link.
func TransferLinkText(w *i18n.Localizer, v edge.View) string {
	switch {
	case v.Route != op.Transfer:
		return ""
	case v.State == op.Reversed && !v.RefundedAt.IsZero():
		return ""
	case v.State == op.Reversed:
		return w.Text("outcome.open.refund")
	}
	return w.Text("outcome.open.transfer")
}

// Step is one of the four steps of an operation, for the pages' stepper.
type Step struct {
	Name string
	Mark string // done, now, next, bad
	Icon string
}

// Steps returns the steps finger, sent, bank and answer, with how far an operation is.
func Steps(w *i18n.Localizer, of string) []Step {
	at, bad := map[string]int{
		"ready": 0, "problem": 0, "capturing": 0, "waiting": 1, "sending": 1, "asking": 1, "bank": 2, "pending": 2,
	}[of], of == "problem"
	var out []Step
	for i, name := range []string{"finger", "send", "bank", "answer"} {
		st := Step{Name: w.Text("step." + name), Mark: "next", Icon: name}
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
