package customer

import (
	"html/template"
	"slices"
	"time"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/words"
	"galla/shared/op"
)

// Limits of what the screen looks at.
const (
	// linger is how long a result stays: it is read, and the next customer does
	// not find it.
	linger = 2 * time.Minute
	// codeStays is how long a code stays: until it is paid.
	codeStays = 10 * time.Minute
	// lookBack is how many operations are searched for the customer's.
	lookBack = 20
)

// face is what the screen shows: texts in the customer's language.
type face struct {
	Lang    string
	Advice  string // which one the counter's pages give (told.Outcome)
	State   string // differs with each thing that is to be said aloud
	Tone    string // of package told
	Icon    string
	Group   string
	Shop    string
	Kind    string
	Amount  string
	Spell   string
	Title   string
	Lead    string
	Consent string
	Balance string
	QR      template.HTML
	Say     string
	Sound   string // the switch's label
	Silent  string // and when it is on
	Stale   string // said while the counter's program does not answer
}

// current is the operation that the screen is about: the newest of the
// operator's that a customer stands before.
func current(all []edge.View, operator edge.Operator, now time.Time) (edge.View, bool) {
	for _, v := range all {
		if !v.By(operator) || !concerns(v.Route) {
			continue
		}
		stays := linger
		if v.Route == op.GenerateQR {
			stays = codeStays
		}
		over := v.State.Final() && now.Sub(v.EndedAt) > stays
		late := v.State == op.Pending && now.Sub(v.CreatedAt) > codeStays
		return v, !over && !late
	}
	return edge.View{}, false
}

// concerns tells whether a customer stands before an operation of the route.
func concerns(route op.RouteID) bool {
	return route == op.GenerateQR || slices.ContainsFunc(told.Kinds(), func(k told.Kind) bool { return k.Route == route })
}

// welcome is the screen between customers.
func welcome(w *words.Words, shop string) face {
	f := face{Lang: w.Code(), State: "welcome", Tone: told.ToneAsk, Icon: "till", Shop: shop, Title: w.Say("customer.welcome"), Lead: w.Say("customer.welcome.lead")}
	return f.speak(w)
}

// phases is what a customer is told of an outcome. One that is not named here is
// waiting, never a success.
var phases = map[string]string{
	"succeeded": "done", "given": "given", "owed": "owed", "declined": "declined", "otp": "declined",
	"unreached": "ended", "refused": "ended", "expired": "ended", "not-sent": "ended", "reversed": "reversed", "pending": "pending",
	"ready": "consent", "problem": "consent", "capturing": "finger",
}

// phase names what is said of an outcome.
func phase(o told.Outcome) string {
	if p := phases[o.Case]; p != "" {
		return p
	}
	return "wait"
}

// of puts an operation into a customer's words.
func of(w *words.Words, v edge.View, st edge.Status) face {
	t := told.Tell(w, v, st)
	k, is := t.Kind, phase(t.Outcome)
	f := face{
		Advice: t.Advice,
		Lang:   w.Code(), State: string(v.ID) + " " + is, Tone: t.Tone, Icon: t.Icon, Group: k.Group, Shop: st.Merchant, Kind: k.Title(w),
		Title: w.First([]string{"customer." + k.Group + "." + is, "customer." + is}),
		Lead:  w.First([]string{"customer." + k.Group + "." + is + ".lead", "customer." + is + ".lead"}),
	}
	if t.Tone == told.ToneGive {
		f.Group = "cash"
	}
	if is == "finger" {
		f.Tone, f.Icon = told.ToneAsk, "finger" // it is the customer's turn, not the bank's
	}
	if k.Money && v.Amount > 0 {
		f.Amount, f.Spell = words.Short(v.Amount), w.Spell(v.Amount)
	}
	if is == "consent" {
		f.Consent = told.Consent(w, k, st.Merchant)
	}
	return f.speak(w)
}

// speak makes what is said aloud, and the switch.
func (f face) speak(w *words.Words) face {
	f.Say = f.Title + ". "
	if f.Spell != "" {
		f.Say += f.Spell + ". "
	}
	f.Say += f.Lead
	if f.Consent != "" {
		f.Say += " " + f.Consent
	}
	f.Sound, f.Silent = w.Say("customer.sound"), w.Say("customer.silent")
	f.Stale = w.Say("customer.stale")
	return f
}
