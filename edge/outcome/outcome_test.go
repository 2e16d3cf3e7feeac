package outcome

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/money"
	"galla/shared/op"
)

// loadTexts loads the catalogue once.
var loadTexts = sync.OnceValues(func() (*i18n.Bundle, error) { return i18n.Load(Catalogue()) })

func texts(t *testing.T) *i18n.Bundle {
	t.Helper()
	book, err := loadTexts()
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// everyState is all states of the counter, and one that this program does not
// know.
var everyState = []op.State{
	op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Expired, op.NotSent, "new",
}

// everyCode is the codes of all families, as a reply brings them, and what no
// table has.
func everyCode() (out []string) {
	seen := map[string]bool{}
	for _, f := range []Family{FamilyBank, FamilyTransfer, FamilyCentral} {
		for _, c := range Codes(f) {
			if !seen[c.Code] {
				seen[c.Code] = true
				out = append(out, c.Code)
			}
		}
	}
	return append(out, "", "ZZ", "77", "???")
}

// oneOfEach is a code of each class of each family, and what no table has.
func oneOfEach() []string {
	out := []string{"", "ZZ"}
	for _, f := range []Family{FamilyBank, FamilyTransfer, FamilyCentral} {
		seen := map[Class]bool{}
		for _, c := range Codes(f) {
			if !seen[c.Class] {
				seen[c.Class] = true
				out = append(out, c.Code)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everyRecord calls with each route, state, code and fact of the cash. Only a
// failed operation has an outcome by its code; the others get one code of each class.
func everyRecord(call func(edge.View)) (routes, states, all, count int) {
	given := time.Date(2026, 11, 21, 4, 40, 0, 0, time.UTC)
	table, every, classes := append(op.Table(), op.Route{ID: "POST /other"}), everyCode(), oneOfEach()
	for _, route := range table {
		for _, state := range everyState {
			codes := classes
			if state == op.Failed {
				codes = every
			}
			for _, code := range codes {
				v := withdrawal(func(v *edge.View) { v.Route, v.State = route.ID, state })
				v.Result.Code, v.HTTP, v.Result.StatusCode = code, http.StatusOK, code
				facts := []edge.View{v}
				if state == op.Failed && code != "" { // refused by the central, and the bank not reached
					own := v
					own.Result.Code, own.HTTP = "", http.StatusUnprocessableEntity
					gone := own
					gone.HTTP = http.StatusBadGateway
					facts = append(facts, own, gone)
				}
				if route.ID == op.Refund {
					for _, f := range slices.Clone(facts) {
						closed := f
						f.Consent, closed.Consent = edge.RefundCashAfter, edge.RefundCashBefore
						facts = append(facts, f, closed)
					}
				}
				if route.ID == op.Transfer {
					for _, f := range slices.Clone(facts) {
						f.CashKept, f.Charge = true, 25*money.Rupee
						facts = append(facts, f)
					}
				}
				for _, f := range slices.Clone(facts) {
					if f.Cash() == edge.CashDue || f.Cash() == edge.CashReversed {
						said := f
						said.CashBy = "Fatima"
						facts = append(facts, said)
						if f.Cash() == edge.CashDue {
							said.CashGivenAt = given
							facts = append(facts, said)
							if f.Route == op.Transfer { // it paid for the next attempt
								said.CashUsedBy = "01a205b8-53bc-7995-a943-74046f469a72"
								facts = append(facts, said)
							}
						}
					}
					if f.Cash() == edge.CashRefund {
						hand, back := f, f
						hand.CashBy, hand.CashGivenAt, back.RefundedAt = "Fatima", given, given
						both := hand
						both.RefundedAt = given
						facts = append(facts, hand, back, both)
					}
				}
				for _, f := range slices.Clone(facts) {
					f.BankName = "" // a shop's list of banks may lack it
					facts = append(facts, f)
				}
				for _, f := range facts {
					call(f)
					count++
				}
			}
		}
	}
	return len(table), len(everyState), len(every), count
}

// commands are what tells an agent of the cash, in English.
var (
	gives  = regexp.MustCompile(`(?i)\b(give cash|into the customer's hand|give (the|it)( customer the)? ?(cash )?back|otherwise give it back|into the hand)`)
	denies = regexp.MustCompile(`(?i)(do not (give|hand out|hand over)|not given back|give no more|do not give it again)`)
	keeps  = regexp.MustCompile(`(?i)\bkeep the (customer's )?cash`)
)

// nobody is where a text lacks a name.
var nobody = regexp.MustCompile(`  | [.,:;।-]|^[-.,]`)

// fingers are the words of finger and capture, by language.
var fingers = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)finger|captur`), "hi": regexp.MustCompile(`उँगली|उंगली`), "mr": regexp.MustCompile(`बोट`),
	"bn": regexp.MustCompile(`আঙুল`), "te": regexp.MustCompile(`వేలు|వేలి`), "ta": regexp.MustCompile(`விரல்`),
}

// bareKey is a key without a text.
var bareKey = regexp.MustCompile(`\b(outcome|code)\.[0-9A-Za-z]`)

// wording is what selects the texts of an outcome.
type wording struct {
	kind, of, key, english string
	plain, finger          bool
}

// TestOneAdvice walks every route, state, code and fact of the cash: each has
// exactly one advice, in every language, which never speaks of the cash in two
// ways; nothing but what the bank has paid says to give; and page and list say
// the same.
func TestOneAdvice(t *testing.T) {
	book := texts(t)
	now := time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC)
	st := edge.Status{Now: now, Link: edge.LinkState{Online: true}, Session: edge.SessionState{ExpiresAt: now.Add(time.Hour)}}
	english := book.Localizer(i18n.English)
	advices := map[string]string{} // by name, what is to be done
	said, worded := map[Outcome]bool{}, map[wording]bool{}
	routes, states, all, n := everyRecord(func(v edge.View) {
		o := Of(english, v, st.Link)
		if o.Advice == "" || strings.ContainsAny(o.Advice, ". ") || !english.Has(o.key) {
			t.Fatalf("%s %s %q has the advice %q", v.Route, v.State, v.Result.Code, o.Advice)
		}
		if text, ok := advices[o.Advice]; ok && text != english.Text(o.key) {
			t.Fatalf("%s is two advices: %q, %q", o.Advice, text, english.Text(o.key))
		}
		advices[o.Advice] = english.Text(o.key)
		if give := o.Tone == ToneGive; give != (v.Cash() == edge.CashDue) {
			t.Errorf("%s %s %q looks like giving cash: %v", v.Route, v.State, v.Result.Code, give)
		}
		if said[o] {
			return
		}
		said[o] = true
		if o != Of(book.Localizer("ta"), v, st.Link) {
			t.Fatalf("%s %s %q: the outcome depends on the language", v.Route, v.State, v.Result.Code)
		}
		if row := Rows(english, []edge.View{v}, st)[0]; row.Advice != o.Advice || row.Tone != o.Tone || row.Icon != o.Icon {
			t.Errorf("%s %s %q: the page says %s, the list %s", v.Route, v.State, v.Result.Code, o.Advice, row.Advice)
		}
		inEnglish := Describe(english, v, st)
		judge(t, v, inEnglish)
		// Outcomes of the same texts in English have the same in every language.
		words := wording{o.Kind.Name, o.Case, o.key, inEnglish.Title + inEnglish.Lead + inEnglish.Word + inEnglish.Why, o.plain, v.TakesFinger()}
		if worded[words] {
			return
		}
		worded[words] = true
		for _, l := range i18n.Languages() {
			one := Describe(book.Localizer(l.Code), v, st)
			all := one.Title + one.Lead + one.Word
			if goes := v.State != op.Reserved && v.State != "new"; goes && !v.TakesFinger() && fingers[l.Code].MatchString(all) {
				t.Errorf("%s: %s %s speaks of a finger that nobody gave: %s", l.Code, v.Route, v.State, all)
			}
			for _, text := range []string{one.Title, one.Lead, one.Word} {
				if text == "" || bareKey.MatchString(text) || strings.ContainsAny(text, "{}") || nobody.MatchString(text) {
					t.Errorf("%s: %s %s %q says %q", l.Code, v.Route, v.State, v.Result.Code, text)
				}
			}
		}
	})
	t.Logf("%d routes x %d states x %d codes, with the facts of the cash %d: %d outcomes, %d wordings, %d advices", routes, states, all, n, len(said), len(worded), len(advices))
	if n < 20_000 || len(said) < 200 {
		t.Errorf("%d and %d outcomes are not all", n, len(said))
	}
}

// judge looks for two advices in what is said in English.
func judge(t *testing.T, v edge.View, one Description) {
	t.Helper()
	at := string(v.Route) + " " + string(v.State) + " " + v.Result.Code
	everything := one.Title + ". " + one.Lead + " " + one.Why
	do := denies.ReplaceAllString(everything, "")
	back := one.Case == "otp" // kept for the next try, or given back
	kinds := map[string]bool{"give": gives.MatchString(do), "deny": do != everything, "keep": keeps.MatchString(do)}
	if kinds["give"] && kinds["keep"] && !back || kinds["give"] && kinds["deny"] {
		t.Errorf("%s says two things of the cash (%v): %s", at, slices.Collect(maps.Keys(kinds)), everything)
	}
	owes := v.Cash() == edge.CashDue || v.Cash() == edge.CashNotGiven
	had := v.Cash() == edge.CashGiven // and nobody is to give it again
	returns := !had && v.RefundedAt.IsZero() && v.Route == op.Transfer && (v.State == op.Failed || v.State == op.Expired || v.State == op.NotSent || v.State == op.Reversed)
	if kinds["give"] && !owes && !returns {
		t.Errorf("%s says to give: %s", at, everything)
	}
	if (owes || returns) && !kinds["give"] {
		t.Errorf("%s does not say to give what is the customer's: %s", at, everything)
	}
	if open := v.State == op.Pending || v.State == op.Unknown; open && v.Route == op.Transfer && !kinds["keep"] {
		t.Errorf("%s does not say to keep the cash: %s", at, everything)
	}
	if v.Route == op.Withdrawal && !owes && v.State != op.Reserved && !strings.Contains(everything, "CASH") {
		t.Errorf("%s says nothing of the cash: %s", at, everything)
	}
	// Once, and not in two sentences.
	for _, sentence := range strings.SplitAfter(one.Lead, ". ") {
		if sentence = strings.TrimSpace(sentence); sentence != "" && strings.Count(one.Lead, sentence) > 1 {
			t.Errorf("%s says %q twice: %s", at, sentence, one.Lead)
		}
	}
}

// TestReversedTransferIsRed, with the whole of its customer's cash: it
// is what the strip on top of every page says.
func TestReversedTransferIsRed(t *testing.T) {
	book := texts(t)
	r := edge.Record{Route: op.Transfer, State: op.Reversed, CashKept: true, Amount: 500 * money.Rupee, Charge: 25 * money.Rupee}
	if !r.Cash().NeedsAnswer() {
		t.Errorf("nobody is asked about %q", r.Cash())
	}
	for _, l := range i18n.Languages() {
		w := book.Localizer(l.Code)
		one := Describe(w, edge.View{Record: r}, edge.Status{})
		if notice := CashNotice(w, r, edge.Status{}); one.Tone != ToneStop || !strings.Contains(notice, "₹525") || !strings.Contains(notice, one.Title) {
			t.Errorf("%s: %s, %q", l.Code, one.Tone, notice)
		}
	}
}

// TestWrongOTP: 55 is a wrong one-time password of a transfer, and of nothing
// else.
func TestWrongOTP(t *testing.T) {
	book := texts(t)
	w := book.Localizer(i18n.English)
	v := edge.View{Record: edge.Record{Route: op.Transfer, State: op.Failed, HTTP: 200, Amount: 2500 * money.Rupee}}
	v.Result.Code = "55"
	got := Describe(w, v, edge.Status{})
	if got.Case != "otp" || !strings.Contains(got.Lead, "expired OTP") || !strings.Contains(got.Lead, "Keep the cash") || strings.Contains(got.Lead, "not known") {
		t.Errorf("%+v", got)
	}
	v.Route = op.Withdrawal
	if got := Describe(w, v, edge.Status{}); got.Case != "declined" || !strings.Contains(got.Lead, "code 55, which is not known here") {
		t.Errorf("%+v", got)
	}
}

// TestWarnings: every warning has words in every language, and says what it is about.
func TestWarnings(t *testing.T) {
	book, err := i18n.Load(Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	kinds := []edge.WarningKind{
		edge.WarningDiskFull, edge.WarningSetAside, edge.WarningFileMissing, edge.WarningLastChange, edge.WarningEntriesMissing, edge.WarningUnreadable,
		edge.WarningSomeUnreadable, edge.WarningRequests, edge.WarningDays, edge.WarningLists, edge.WarningLogFork,
	}
	named := map[edge.WarningKind]bool{edge.WarningSetAside: true, edge.WarningFileMissing: true, edge.WarningUnreadable: true, edge.WarningRequests: true, edge.WarningDays: true}
	for _, l := range i18n.Languages() {
		said := map[string]bool{}
		for _, kind := range kinds {
			text := WarningText(book.Localizer(l.Code), edge.Warning{Kind: kind, Names: []string{"Q1", "Q2"}})
			if said[text] || strings.Contains(text, "warning.") || strings.Contains(text, "Q1, Q2") != named[kind] {
				t.Errorf("%s: %s says %q", l.Code, kind, text)
			}
			said[text] = true
		}
	}
}
