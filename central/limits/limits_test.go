package limits

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/central/rulefile"
	"galla/shared/ist"
	"galla/shared/money"
)

func noon(day string) time.Time {
	at, err := time.ParseInLocation(time.DateOnly, day, ist.Zone())
	if err != nil {
		panic(err)
	}
	return at.Add(12 * time.Hour)
}

func ruleSet(t testing.TB, load func() (*RuleSet, error)) *RuleSet {
	t.Helper()
	b, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func subject1(kind central.Kind, amount money.Paise) central.LimitSubject {
	return central.LimitSubject{Kind: kind, Amount: amount, Customer: "c0ffee", TID: "GAL00001", Sender: "s1", Merchant: "m1"}
}

func TestProductionAndSandbox(t *testing.T) {
	const rs = money.Rupee
	production, sandbox := ruleSet(t, Production), ruleSet(t, Sandbox)
	tests := []struct {
		rules  *RuleSet
		kind   central.Kind
		amount money.Paise
		words  string // empty: it passes
		quotas int
	}{
		{production, central.KindWithdrawal, 100 * rs, "", 1},
		{production, central.KindWithdrawal, 10000 * rs, "", 1},
		{production, central.KindWithdrawal, 99 * rs, "The amount is under the limit: a transaction has at least 100.00 rupees", 0},
		{production, central.KindWithdrawal, 10000*rs + 1, "The amount is over the limit: a transaction has at most 10,000.00 rupees", 0},
		{production, central.KindWithdrawal, 120 * rs, "The amount is out of step: a transaction has a multiple of 50.00 rupees", 0},
		{production, central.KindWithdrawal, 0, "The amount is under the limit: a transaction has at least 100.00 rupees", 0},
		{production, central.KindPurchase, 150 * rs, "", 0},
		{production, central.KindBalance, 0, "", 0},
		{production, central.KindTransfer, 5000 * rs, "", 2},
		{production, central.KindTransfer, 5000*rs + 1, "The amount is over the limit: a transaction has at most 5,000.00 rupees", 0},
		{production, central.KindRefund, 5000 * rs, "", 0},
		{production, central.KindBeneficiaryAdd, 0, "", 0},
		{production, central.KindUPIPayment, 100000 * rs, "", 0},
		{production, central.KindUPIPayment, 100000*rs + 1, "The amount is over the limit: a transaction has at most 1,00,000.00 rupees", 0},
		{sandbox, central.KindUPIPayment, 1, "", 1},
		{sandbox, central.KindWithdrawal, 123*rs + 45, "", 0},
		{sandbox, central.KindWithdrawal, 1*rs - 1, "The amount is under the limit: a transaction has at least 1.00 rupees", 0},
		{sandbox, central.KindPurchase, 10001 * rs, "The amount is over the limit: a transaction has at most 10,000.00 rupees", 0},
		{sandbox, central.KindTransfer, 4999*rs + 97, "", 2},
		{sandbox, central.KindTransfer, 5001 * rs, "The amount is over the limit: a transaction has at most 5,000.00 rupees", 0},
	}
	for _, at := range []time.Time{noon("2000-01-01"), noon("2026-11-21")} {
		for _, tt := range tests {
			quotas, err := tt.rules.Check(at, subject1(tt.kind, tt.amount))
			var refused *central.Error
			switch {
			case tt.words == "" && (err != nil || len(quotas) != tt.quotas):
				t.Errorf("%s of %s: %d quotas, %v; want %d", tt.kind, tt.amount, len(quotas), err, tt.quotas)
			case tt.words != "" && (!errors.As(err, &refused) || refused.Fault != central.FailedPrecondition || refused.Message != tt.words || quotas != nil):
				t.Errorf("%s of %s: %v; want %q", tt.kind, tt.amount, err, tt.words)
			}
		}
	}
}

func TestQuotasOfProduction(t *testing.T) {
	b, at := ruleSet(t, Production), noon("2026-11-21")
	quotas, err := b.Check(at, subject1(central.KindTransfer, 340000))
	if err != nil {
		t.Fatal(err)
	}
	want := []central.Quota{
		{Key: "remitter:s1:TRANSFER", Period: "2026-11-21", Amount: 340000, MaxSum: 2500000, What: "this remitter's transfers today"},
		{Key: "remitter:s1:TRANSFER", Period: "2026-11", Amount: 340000, MaxSum: 2500000, What: "this remitter's transfers this month"},
	}
	if fmt.Sprint(quotas) != fmt.Sprint(want) {
		t.Errorf("quotas = %+v", quotas)
	}
	quotas, err = b.Check(at, subject1(central.KindWithdrawal, 50000))
	if err != nil || len(quotas) != 1 {
		t.Fatalf("Check = %v, %v", quotas, err)
	}
	q := quotas[0]
	if q.Key != "customer-terminal:c0ffee:GAL00001:CASH_WITHDRAWAL" || q.Period != "2026-11-21" || q.MaxCount != 5 || q.MaxSum != 0 {
		t.Errorf("quota = %+v", q)
	}
	full := &central.QuotaError{Quota: q, Used: central.Used{Count: 5}}
	if full.Error() != "The limit of 5 for this customer's withdrawals at this terminal today is reached; none is left" {
		t.Errorf("words = %s", full)
	}
	nobody, err := b.Check(at, central.LimitSubject{Kind: central.KindWithdrawal, Amount: 50000})
	if err != nil || len(nobody) != 0 {
		t.Errorf("a subject without keys = %v, %v", nobody, err)
	}
}

func TestEveryRuleNamesItsSource(t *testing.T) {
	for name, load := range map[string]func() (*RuleSet, error){"production": Production, "sandbox": Sandbox} {
		b := ruleSet(t, load)
		for _, r := range b.rules {
			if !strings.Contains(r.Note, ".md") && !strings.Contains(r.Note, "interface document") {
				t.Errorf("%s: the note of %s of %v names no document: %s", name, r.Scope, r.Kinds, r.Note)
			}
		}
		if n := len(b.InForce(noon("2026-11-21"))); n != len(b.rules) {
			t.Errorf("%s: %d of %d rules in force today", name, n, len(b.rules))
		}
	}
}

func TestARuleFollowsAnother(t *testing.T) {
	b, err := Read([]byte(`{"rules": [
		{"kinds": ["TRANSFER"], "scope": "transaction", "max": "5000", "until": "2026-04-01", "note": "n"},
		{"kinds": ["TRANSFER"], "scope": "transaction", "max": "10000.00", "from": "2026-04-01", "note": "n"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := subject1(central.KindTransfer, 700000)
	before := time.Date(2026, 3, 31, 18, 29, 59, 0, time.UTC) // 23:59:59 in India
	if _, err := b.Check(before, s); central.AsError(err).Fault != central.FailedPrecondition {
		t.Errorf("in the evening before: %v", err)
	}
	if _, err := b.Check(before.Add(time.Second), s); err != nil {
		t.Errorf("from midnight on: %v", err)
	}
}

// ruleSets generates the texts of rules that may overlap.
func ruleSets() *rapid.Generator[string] {
	day := rapid.SampledFrom([]string{"", "2026-01-01", "2026-02-01", "2026-03-01"})
	rule := rapid.Custom(func(t *rapid.T) string {
		scope, bound := "transaction", `"max": "5000"`
		if rapid.Bool().Draw(t, "counts") {
			scope, bound = rapid.SampledFrom([]string{"remitter-day", "remitter-month", "terminal-day"}).Draw(t, "scope"), `"count": 3`
		}
		kinds := rapid.SampledFrom([]string{`"TRANSFER"`, `"PURCHASE"`, `"PURCHASE", "TRANSFER"`}).Draw(t, "kinds")
		text := fmt.Sprintf(`{"kinds": [%s], "scope": %q, %s, "note": "n"`, kinds, scope, bound)
		if d := day.Draw(t, "from"); d != "" {
			text += fmt.Sprintf(`, "from": %q`, d)
		}
		if d := day.Draw(t, "until"); d != "" {
			text += fmt.Sprintf(`, "until": %q`, d)
		}
		return text + "}"
	})
	return rapid.Map(rapid.SliceOfN(rule, 1, 5), func(rules []string) string {
		return `{"rules": [` + strings.Join(rules, ", ") + `]}`
	})
}

func TestOneRuleIsInForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := Read([]byte(ruleSets().Draw(t, "rules")))
		if err != nil {
			t.Skip("the rules are refused")
		}
		at := time.Unix(rapid.Int64Range(noon("2025-12-30").Unix(), noon("2026-03-03").Unix()).Draw(t, "at"), 0)
		type key struct {
			kind  central.Kind
			scope central.LimitScope
		}
		seen := map[key]bool{}
		for _, l := range b.InForce(at) {
			for _, k := range l.Kinds {
				if seen[key{k, l.Scope}] {
					t.Fatalf("two rules limit %s of %s at %s", l.Scope, k, at)
				}
				seen[key{k, l.Scope}] = true
			}
		}
	})
}

func TestACheckedAmountIsWithin(t *testing.T) {
	loads := []*RuleSet{ruleSet(t, Production), ruleSet(t, Sandbox)}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(loads).Draw(t, "rules")
		kind := rapid.SampledFrom([]central.Kind{central.KindWithdrawal, central.KindPurchase, central.KindTransfer}).Draw(t, "kind")
		amount := rapid.OneOf(
			rapid.Map(rapid.Int64Range(-1000, 1_200_000), func(n int64) money.Paise { return money.Paise(n) }),
			rapid.Map(rapid.Int64Range(-1, 250), func(n int64) money.Paise { return money.Paise(n) * 50 * money.Rupee }),
			rapid.Map(rapid.Int64(), func(n int64) money.Paise { return money.Paise(n) }),
		).Draw(t, "amount")
		at := noon("2026-11-21")
		var bound central.Limit
		for _, l := range b.InForce(at) {
			for _, k := range l.Kinds {
				if k == kind && l.Scope == central.PerTransaction {
					bound = l
				}
			}
		}
		within := amount >= bound.Min && amount <= bound.Max && (bound.Step == 0 || amount%bound.Step == 0)
		quotas, err := b.Check(at, subject1(kind, amount))
		if (err == nil) != within {
			t.Fatalf("Check = %v, within %v: %s", err, bound, amount)
		}
		for _, q := range quotas {
			if q.Amount != amount || q.MaxCount == 0 && q.MaxSum == 0 || q.What == "" {
				t.Fatalf("quota = %+v", q)
			}
		}
	})
}

func TestPeriodsTurnAtMidnightInIndia(t *testing.T) {
	b := ruleSet(t, Production)
	period := func(at time.Time, i int) string {
		quotas, err := b.Check(at, subject1(central.KindTransfer, 100))
		if err != nil || len(quotas) != 2 {
			t.Fatalf("Check = %v, %v", quotas, err)
		}
		return quotas[i].Period
	}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "at"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		local := at.In(ist.Zone())
		midnight := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, ist.Zone())
		today, month := local.Format(time.DateOnly), local.Format("2006-01")
		if period(at, 0) != today || period(at, 1) != month || period(midnight.Add(-1), 0) != today {
			t.Fatalf("at %s: %s, %s", local, period(at, 0), period(at, 1))
		}
		if period(midnight, 0) == today {
			t.Fatalf("%s is still the day %s", midnight, today)
		}
		first := time.Date(local.Year(), local.Month()+1, 1, 0, 0, 0, 0, ist.Zone())
		if period(first, 1) == month || period(first.Add(-1), 1) != month {
			t.Fatalf("the month %s does not end at %s", month, first)
		}
	})
}

func TestFaults(t *testing.T) {
	rule := func(members string) string {
		return `{"rules": [{"kinds": ["TRANSFER"], "scope": "transaction", "max": "5000", "note": "n"` + members + `}]}`
	}
	tests := []struct {
		name, text string
		want       []string // each in the error
	}{
		{"no JSON", `rules`, []string{"not JSON of the right form"}},
		{"no rules", `{}`, []string{"no rules"}},
		{"empty", `{"rules": []}`, []string{"no rules"}},
		{"unknown at the top", `{"rule": []}`, []string{"not JSON of the right form"}},
		{"repeated key", rule(`, "max": "1"`), []string{"not JSON of the right form"}},
		{"trailing", rule("") + "{}", []string{"not JSON of the right form"}},
		{"null rule", `{"rules": [null]}`, []string{"rule 1: kinds is missing or empty"}},
		{"unknown member", rule(`, "maximum": "1"`), []string{`rule 1: not an object of the right members`, `"maximum"`}},
		{"number", rule(`, "min": 100`), []string{"rule 1: not an object of the right members", "/min"}},
		{"three decimals", rule(`, "min": "1.005"`), []string{"min: amount: more than two decimals"}},
		{"negative", rule(`, "min": "-1"`), []string{"min: not more than zero"}},
		{"zero", rule(`, "step": "0"`), []string{"step: not more than zero"}},
		{"day", rule(`, "from": "2026-02-30"`), []string{"from: ", "a day is written as"}},
		{"short day", rule(`, "until": "2026-2-3"`), []string{"until: ", "a day is written as"}},
		{"never", rule(`, "from": "2026-04-01", "until": "2026-04-01"`), []string{"would never be in force"}},
		{"count of one", rule(`, "count": 5`), []string{"count and sum belong to scopes that count"}},
		{"min over max", rule(`, "min": "6000"`), []string{"min 6000.00 is more than max 5000.00"}},
		{"step over max", rule(`, "step": "6000"`), []string{"no amount from min to max"}},
		{"step between", rule(`, "min": "4100", "step": "2000"`), []string{"no amount from min to max"}},
		{"kinds", `{"rules": [{"kinds": ["TRANSFER_OTP"], "scope": "transaction", "max": "1", "note": "n"}]}`, []string{"not a kind of operation that can be limited"}},
		{"no kinds", `{"rules": [{"kinds": [], "scope": "transaction", "max": "1", "note": "n"}]}`, []string{"kinds is missing or empty"}},
		{"twice", `{"rules": [{"kinds": ["TRANSFER", "TRANSFER"], "scope": "transaction", "max": "1", "note": "n"}]}`, []string{"is given twice"}},
		{"scope", `{"rules": [{"kinds": ["TRANSFER"], "scope": "year", "max": "1", "note": "n"}]}`, []string{`"year" is not a scope`}},
		{"limits nothing", `{"rules": [{"kinds": ["TRANSFER"], "scope": "remitter-day", "note": "n"}]}`, []string{"it limits nothing: give count or sum"}},
		{"amount over time", `{"rules": [{"kinds": ["TRANSFER"], "scope": "remitter-day", "max": "1", "count": 1, "note": "n"}]}`, []string{"takes count and sum"}},
		{"sum of no amounts", `{"rules": [{"kinds": ["BALANCE_ENQUIRY"], "scope": "terminal-day", "sum": "1", "note": "n"}]}`, []string{"it can only be counted"}},
		{"fraction of a count", `{"rules": [{"kinds": ["TRANSFER"], "scope": "remitter-day", "count": 1.5, "note": "n"}]}`, []string{"rule 1: not an object of the right members", "/count"}},
		{"count of none", `{"rules": [{"kinds": ["TRANSFER"], "scope": "remitter-day", "count": 0, "note": "n"}]}`, []string{"count: not a whole number"}},
		{"no note", `{"rules": [{"kinds": ["TRANSFER"], "scope": "transaction", "max": "1", "note": " "}]}`, []string{"where it comes from"}},
		{"overlap", `{"rules": [
			{"kinds": ["TRANSFER", "PURCHASE"], "scope": "transaction", "max": "1", "from": "2026-01-01", "note": "n"},
			{"kinds": ["PURCHASE"], "scope": "transaction", "max": "2", "until": "2026-01-02", "note": "n"}]}`,
			[]string{"rule 2: another rule limits transaction of PURCHASE"}},
		{"all faults", `{"rules": [
			{"kinds": ["TRANSFER"], "scope": "transaction", "max": "x", "from": "y"},
			{"kinds": ["PURCHASE"], "scope": "transaction", "max": "1", "note": "n"},
			{"kinds": ["PURCHASE"], "scope": "transaction", "max": "2", "note": "n"},
			{"scope": "day"}]}`,
			[]string{"rule 1: max: ", "rule 1: from: ", "rule 1: note: ", "rule 3: another rule limits", "rule 4: kinds is missing", "rule 4: scope: "}},
	}
	for _, tt := range tests {
		_, err := Read([]byte(tt.text))
		if err == nil {
			t.Errorf("%s: accepted", tt.name)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: want %q in: %v", tt.name, want, err)
			}
		}
	}
	if _, err := Read([]byte(strings.Repeat(" ", rulefile.MaxBytes+1))); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a large file: %v", err)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "limits.json")
	if _, err := Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"rules": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := os.WriteFile(path, production, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := Load(path); err != nil || len(b.rules) != len(ruleSet(t, Production).rules) {
		t.Errorf("Load = %v", err)
	}
}

func TestNobodyCanChangeARuleSet(t *testing.T) {
	b := ruleSet(t, Production)
	b.InForce(noon("2026-11-21"))[0].Kinds[0] = "X"
	if b.InForce(noon("2026-11-21"))[0].Kinds[0] != central.KindWithdrawal {
		t.Error("a caller changed the rules")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(production)
	f.Add(sandbox)
	f.Add([]byte(`{"rules": [{"kinds": ["TRANSFER"], "scope": "remitter-day", "count": 1e3, "sum": "1", "from": "2026-01-01", "until": "2026-01-02", "note": "n"}]}`))
	f.Add([]byte(`{"rules": [null, {}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Read(text)
		if err != nil {
			if b != nil {
				t.Fatal("rules with faults are returned")
			}
			return
		}
		for _, r := range b.rules {
			if r.Min < 0 || r.Max < 0 || r.Step < 0 || r.Sum < 0 || r.Count < 0 || r.Note == "" || len(r.Kinds) == 0 {
				t.Fatalf("rule = %+v", r)
			}
		}
		for _, at := range []time.Time{noon("2000-01-01"), noon("2026-11-21")} {
			for kind := range plurals {
				if quotas, err := b.Check(at, subject1(kind, 10000)); err != nil && quotas != nil {
					t.Fatalf("Check = %v, %v", quotas, err)
				}
			}
		}
	})
}
