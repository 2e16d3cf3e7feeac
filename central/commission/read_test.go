package commission

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
)

func rates(t testing.TB) Rates {
	t.Helper()
	r, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRatesOnEveryDay(t *testing.T) {
	r := rates(t)
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-2_000_000_000, 8_000_000_000).Draw(t, "at"), 0)
		terms, err := r.terms(central.Combination{}, at)
		want := central.Rate(2 * percent)
		if !at.After(lastOf5) {
			want = 5 * percent
		}
		if err != nil || terms.GST != 18*percent || terms.TDS != want || terms.ProviderCost != 0 {
			t.Fatalf("at %s: %+v, %v", at, terms, err)
		}
	})
}

func TestRatesFaults(t *testing.T) {
	const fine = `[{"percent": "1", "note": "n"}]`
	file := func(gst, costs string) string {
		return fmt.Sprintf(`{"gst": %s, "tds": %s, "providerCosts": [%s]}`, gst, fine, costs)
	}
	cost := func(members string) string {
		return `{"paymentMethod": "DMT", "provider": "P", "txnType": "T", "cost": "1", "note": "n"` + members + `}`
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"no JSON", `x`, []string{"not JSON of the right form"}},
		{"unknown", `{"vat": []}`, []string{"not JSON of the right form"}},
		{"repeated", `{"gst": [], "gst": []}`, []string{"not JSON of the right form"}},
		{"nothing", `{}`, []string{"gst: no rate is given", "tds: no rate is given"}},
		{"number", file(`[{"percent": 18, "note": "n"}]`, ""), []string{"gst 1: not an object of the right members"}},
		{"member", file(`[{"percent": "18", "rate": "1", "note": "n"}]`, ""), []string{"gst 1: not an object of the right members"}},
		{"cost of a tax", file(`[{"percent": "18", "cost": "1", "note": "n"}]`, ""), []string{"a tax has percent"}},
		{"percent", file(`[{"percent": "1.2345678", "note": "n"}, {"percent": "-1", "note": "n"}, {"percent": "1.", "note": "n"}, {"percent": "101", "note": "n"}]`, ""),
			[]string{"gst 1: percent", "gst 2: percent", "gst 3: percent", "gst 4: percent: more than 100"}},
		{"note", file(`[{"percent": "18"}]`, ""), []string{"where it comes from"}},
		{"days", file(`[{"percent": "18", "from": "x", "until": "2026-02-30", "note": "n"}]`, ""), []string{"from: ", "until: "}},
		{"never", file(`[{"percent": "18", "from": "2026-02-01", "until": "2026-02-01", "note": "n"}]`, ""), []string{"never be in force"}},
		{"open at the start", file(`[{"percent": "18", "from": "2026-02-01", "note": "n"}]`, ""), []string{"no rate before 2026-02-01"}},
		{"open at the end", file(`[{"percent": "18", "until": "2026-02-01", "note": "n"}]`, ""), []string{"no rate from 2026-02-01 on"}},
		{"gap", file(`[{"percent": "18", "until": "2026-02-01", "note": "n"}, {"percent": "12", "from": "2026-03-01", "note": "n"}]`, ""), []string{"no rate from 2026-02-01 until 2026-03-01"}},
		{"overlap", file(`[{"percent": "18", "until": "2026-03-02", "note": "n"}, {"percent": "12", "from": "2026-03-01", "note": "n"}]`, ""), []string{"two rates are in force"}},
		{"cost", file(fine, strings.Replace(cost(""), `"1"`, `"-1"`, 1)), []string{"providerCosts 1: cost: below zero"}},
		{"cost in paise", file(fine, strings.Replace(cost(""), `"1"`, `"1.005"`, 1)), []string{"providerCosts 1: cost: "}},
		{"percent of a cost", file(fine, cost(`, "percent": "1"`)), []string{"and no percent"}},
		{"no combination", file(fine, strings.Replace(cost(""), `"P"`, `""`, 1)), []string{"name the combination"}},
		{"two costs", file(fine, cost(`, "until": "2026-03-02"`)+","+cost(`, "from": "2026-03-01"`)), []string{"providerCosts 2: another cost"}},
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
	if _, err := Read([]byte(file(fine, cost(`, "until": "2026-03-01"`)+","+cost(`, "from": "2026-03-01"`)))); err != nil {
		t.Errorf("costs that follow each other: %v", err)
	}
	if _, err := Read([]byte(strings.Repeat(" ", rulefile.MaxBytes+1))); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a large file: %v", err)
	}
}

func TestLoadRates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates.json")
	if _, err := Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
	if err := os.WriteFile(path, embedded, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := Load(path); err != nil || r.empty() {
		t.Errorf("Load = %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(embedded)
	f.Add([]byte(`{"gst": [{"percent": "0.000001", "note": "n"}], "tds": [{"percent": "100", "note": "n"}], "providerCosts": [{"paymentMethod": "DMT", "provider": "P", "txnType": "T", "cost": "1.05", "from": "2026-01-01", "note": "n"}]}`))
	f.Add([]byte(`{"gst": [null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Read(text)
		if err != nil {
			if !r.empty() || r.costs != nil {
				t.Fatal("rates with faults are returned")
			}
			return
		}
		for _, at := range []time.Time{now, lastOf5, {}} {
			terms, err := r.terms(central.Combination{PaymentMethod: "DMT", Provider: "P", TxnType: "T"}, at)
			if err != nil || terms.GST < 0 || terms.GST > whole || terms.TDS < 0 || terms.TDS > whole || terms.ProviderCost < 0 {
				t.Fatalf("terms = %+v, %v", terms, err)
			}
		}
	})
}
