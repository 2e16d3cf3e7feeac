package screen

import (
	"strings"
	"time"

	"galla/edge"
	"galla/shared/op"
)

// kind is what an agent can do for a customer.
type kind struct {
	Name  string // in URLs
	Route op.RouteID
	Icon  string
	Group string // which texts tell its outcomes: cash, goods, ask, day
	Money bool   // takes an amount
}

// kinds are the four actions of the home page, in its order.
var kinds = []kind{
	{"withdrawal", op.Withdrawal, "withdrawal", "cash", true},
	{"balance", op.Balance, "balance", "ask", false},
	{"statement", op.MiniStatement, "statement", "ask", false},
	{"purchase", op.Purchase, "purchase", "goods", true},
}

// dayKind is the agent's own authentication, which has no form.
var dayKind = kind{"day", op.ReqAuth, "finger", "day", false}

// otherKind stands for routes that have no page of their own here.
var otherKind = kind{"other", "", "list", "any", false}

func kindNamed(name string) (kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return kind{}, false
}

func kindOf(route op.RouteID) kind {
	for _, k := range append([]kind{dayKind}, kinds...) {
		if k.Route == route {
			return k
		}
	}
	return otherKind
}

// Tones: colour and shape together. A circle means give, an octagon means do
// not.
const (
	toneGive    = "give"    // green, circle
	toneDone    = "done"    // teal, circle: succeeded, no cash
	toneStop    = "stop"    // red, octagon
	tonePending = "pending" // amber, octagon
	toneWait    = "wait"    // blue, octagon for cash: not known yet
	toneQuiet   = "quiet"   // grey, octagon: no money moved
	toneAsk     = "ask"     // plain: the agent acts
)

// told is what the screen says of an operation.
type told struct {
	Case  string // of the texts: ready, problem, capturing, waiting, sending, bank, asking, ...
	Tone  string
	Icon  string
	Title string // the first thing to read: give cash, or do not
	Lead  string // what it means and what to do
	Why   string // the reason that was given, where it adds something
	Word  string // one line, for lists
}

// caseOf names what an operation's texts are about.
func caseOf(v edge.View, link edge.LinkState) string {
	switch v.State {
	case op.Succeeded:
		if !v.CashGiven.IsZero() {
			return "given"
		}
		return "succeeded"
	case op.Failed:
		if v.Verdict() == edge.VerdictNoMoney {
			return "unreached"
		}
		return "declined"
	case op.Reversed:
		return "reversed"
	case op.Pending:
		return "pending"
	case op.Expired:
		return "expired"
	case op.NotSent:
		return "not-sent"
	}
	switch v.Stage {
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
			return toneGive, "give"
		}
		return toneDone, "tick"
	case "given":
		return toneDone, "tick"
	case "declined", "reversed":
		return toneStop, no
	case "pending":
		return tonePending, no
	case "expired", "not-sent", "unreached":
		return toneQuiet, no
	case "problem":
		return tonePending, "warn"
	case "ready":
		return toneAsk, "finger"
	}
	if no == "stop" {
		return toneWait, no
	}
	return toneWait, "wait"
}

// tell puts an operation into words.
func (s *Screen) tell(v edge.View, st edge.Status) told {
	w, k := s.words, kindOf(v.Route)
	t := told{Case: caseOf(v, st.Link)}
	t.Tone, t.Icon = look(t.Case, k.Group)
	vars := []any{
		"amount", short(v.Amount), "customer", v.Customer, "kind", w.say("kind." + k.Name), "bank", v.BankName,
		"time", w.clock(v.CashGiven, st.Now), "until", w.clockSeconds(v.Deadline), "end", w.clock(st.Session.ExpiresAt, st.Now),
		"words", "", "balance", "",
	}
	if k.Money {
		vars[len(vars)-3] = w.spell(v.Amount)
	}
	if v.Result.Balance != nil {
		vars[len(vars)-1] = rupees(*v.Result.Balance)
	}
	text := func(part string) string {
		return w.first([]string{
			"told." + k.Name + "." + t.Case + "." + part,
			"told." + k.Group + "." + t.Case + "." + part,
			"told.any." + t.Case + "." + part,
		}, vars...)
	}
	t.Title, t.Lead, t.Word = text("title"), text("lead"), text("word")
	if t.Case == "problem" {
		t.Title = w.first([]string{"rd." + v.Problem.Code + ".title", "rd.action." + v.Problem.Action, "rd.action.other"})
		t.Lead = strings.TrimPrefix(v.Problem.Message, t.Title+". ")
		t.Why = w.say("told.nothing-sent")
	}
	switch t.Case {
	case "expired", "not-sent":
		t.Why = without(v.Reason, t.Lead, w.say("told.nothing-moved"))
	case "unreached":
		t.Why = without(v.Result.Message, t.Lead, w.say("told.nothing-moved"))
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

// clockSeconds writes a time of day to the second, for deadlines.
func (w *words) clockSeconds(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(india).Format("15:04:05")
}

// step is one of the four steps of an operation's way, for the progress line.
type step struct {
	Name string
	Mark string // done, now, next, bad
	Icon string
}

// steps says how far an operation is: finger, line, bank, answer.
func (s *Screen) steps(of string) []step {
	at, bad := map[string]int{
		"ready": 0, "problem": 0, "capturing": 0, "waiting": 1, "sending": 1, "asking": 1, "bank": 2, "pending": 2,
	}[of], of == "problem"
	var out []step
	for i, name := range []string{"finger", "send", "bank", "answer"} {
		st := step{Name: s.words.say("step." + name), Mark: "next", Icon: name}
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
