package customer

import (
	"fmt"
	"html/template"
	"slices"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/money"
	"galla/shared/op"
)

// Limits of what the screen shows.
const (
	// resultTTL is how long a result is shown: long enough to read, and not to the next
	// customer.
	resultTTL = 2 * time.Minute
	// paymentCodeTTL is how long a code is shown, until it is paid.
	paymentCodeTTL = 10 * time.Minute
	// printedCodeTTL is how long after it was paid a payment with the printed code is shown:
	// a confirmation that comes late would be read by another customer.
	printedCodeTTL = time.Minute
	// maxScanned is how many operations are searched for the customer's.
	maxScanned = 20
)

type screenView struct {
	Lang    string
	Advice  string // which advice the agent's pages show (outcome.Outcome)
	State   string // changes with each thing to say aloud
	Tone    string // of package outcome
	Icon    string
	Group   string
	Shop    string
	Kind    string
	Amount  string
	Spell   string
	Title   string
	Lead    string
	Also    string // what was just paid with the printed code, beside a code for an order
	Consent string
	Balance string
	QR      template.HTML
	Say     string
	Sound   string // the label of the switch
	Silent  string // its label while sound is on
	Stale   string // text while the program does not answer
}

// current returns the operation of the present customer: the user's newest that needs a
// customer.
func current(all []edge.View, operator edge.User, now time.Time) (edge.View, bool) {
	for _, v := range all {
		if !v.CreatedBy(operator) || !isForCustomer(v.Route) {
			continue
		}
		stays := resultTTL
		if v.Route == op.GenerateQR {
			stays = paymentCodeTTL
		}
		over := v.State.Final() && now.Sub(v.EndedAt) > stays
		late := v.State == op.Pending && now.Sub(v.CreatedAt) > paymentCodeTTL
		return v, !over && !late
	}
	return edge.View{}, false
}

// isForCustomer reports whether an operation of the route has a customer present.
func isForCustomer(route op.RouteID) bool {
	return route == op.GenerateQR || slices.ContainsFunc(outcome.AEPSKinds(), func(k outcome.Kind) bool { return k.Route == route })
}

func welcomeView(w *i18n.Localizer, shop string) screenView {
	f := screenView{Lang: w.Code(), State: "welcome", Tone: outcome.ToneAsk, Icon: "cash", Shop: shop, Title: w.Text("customer.welcome"), Lead: w.Text("customer.welcome.lead")}
	return f.withSpeech(w)
}

// paid makes the screen say what was paid by UPI. The central has recorded it.
func (f screenView) paid(w *i18n.Localizer, id op.ID, sum money.Paise) screenView {
	f.State, f.Tone, f.Icon, f.Title, f.Lead = fmt.Sprint(id, " paid ", sum), outcome.ToneDone, "tick", w.Text("customer.code.paid"), w.Text("customer.code.paid.lead")
	f.Amount, f.Spell = i18n.ShortRupees(sum), w.AmountInWords(sum)
	return f.withSpeech(w)
}

// phases maps outcomes to what the customer reads. An outcome that is not listed is shown
// as waiting, never as a success.
var phases = map[string]string{
	"succeeded": "done", "given": "given", "owed": "owed", "declined": "declined", "otp": "declined",
	"unreached": "ended", "refused": "ended", "expired": "ended", "not-sent": "ended", "reversed": "reversed", "pending": "pending",
	"ready": "consent", "problem": "consent", "capturing": "finger",
}

func phase(o outcome.Outcome) string {
	if p := phases[o.Case]; p != "" {
		return p
	}
	return "wait"
}

// withPrinted adds what was just paid with the printed code, maybe by another customer.
func (f screenView) withPrinted(w *i18n.Localizer, r edge.Record) screenView {
	f.Also = w.Text("customer.code.printed", "amount", i18n.ShortRupees(r.Amount))
	f.State += " and " + string(r.ID)
	return f
}

func operationView(w *i18n.Localizer, v edge.View, st edge.Status) screenView {
	t := outcome.Describe(w, v, st)
	k, is := t.Kind, phase(t.Outcome)
	f := screenView{
		Advice: t.Advice,
		Lang:   w.Code(), State: string(v.ID) + " " + is, Tone: t.Tone, Icon: t.Icon, Group: k.Group, Shop: st.Merchant, Kind: k.Title(w),
		Title: w.Text(w.FirstKey("customer."+k.Group+"."+is, "customer."+is)),
		Lead:  w.Text(w.FirstKey("customer."+k.Group+"."+is+".lead", "customer."+is+".lead")),
	}
	if t.Tone == outcome.ToneGive {
		f.Group = "cash"
	}
	if is == "finger" {
		f.Tone, f.Icon = outcome.ToneAsk, "finger" // the customer must act now, not the bank
	}
	if k.Money && v.Amount > 0 {
		f.Amount, f.Spell = i18n.ShortRupees(v.Amount), w.AmountInWords(v.Amount)
	}
	if is == "consent" {
		f.Consent = outcome.ConsentText(w, k, st.Merchant)
	}
	return f.withSpeech(w)
}

// withSpeech adds what is said aloud, and the switch.
func (f screenView) withSpeech(w *i18n.Localizer) screenView {
	f.Say = f.Title + ". "
	if f.Spell != "" {
		f.Say += f.Spell + ". "
	}
	f.Say += f.Lead
	if f.Also != "" {
		f.Say += " " + f.Also
	}
	if f.Consent != "" {
		f.Say += " " + f.Consent
	}
	f.Sound, f.Silent = w.Text("customer.sound.on"), w.Text("customer.sound.off")
	f.Stale = w.Text("customer.stale")
	return f
}
