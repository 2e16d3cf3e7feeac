package simbank_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	. "galla/central/bank/simbank"
	"galla/shared/ist"
	"galla/shared/money"
)

// settled fetches a settlement file and gives its records by their reference,
// and its last record.
func settled(t *testing.T, d http.Handler, query string) (lines map[string][]string, end []string, planted map[string]string) {
	t.Helper()
	w := ask(t, d, "GET", "/books/settlement?"+query, "")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv") {
		t.Fatalf("%s: HTTP %d, %s", query, w.Code, w.Body)
	}
	records, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || strings.Join(records[0], ",") != "reference,rrn,stan,amount,code,time" {
		t.Fatalf("%s: %v, %v", query, records, err)
	}
	lines, planted = map[string][]string{}, map[string]string{}
	for _, r := range records[1 : len(records)-1] {
		lines[r[0]] = r
	}
	if said := w.Header().Get(PlantedHeader); said != "" {
		for pair := range strings.SplitSeq(said, ",") {
			kind, reference, _ := strings.Cut(pair, "=")
			planted[kind] = reference
		}
	}
	return lines, records[len(records)-1], planted
}

// TestSettlementFile: a transaction is in the file of the Indian day on which
// its end became final, as the books have it, and in no other.
func TestSettlementFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		day := ist.DayOf(time.Now())
		midnight, err := time.ParseInLocation(time.DateOnly, string(day), ist.Zone())
		if err != nil {
			t.Fatal(err)
		}
		midnight = midnight.AddDate(0, 0, 1)

		good, bad := h.request(central.KindWithdrawal, 500*money.Rupee), h.request(central.KindPurchase, 100*money.Rupee+5)
		back, silent := h.request(central.KindPurchase, 200*money.Rupee+93), h.request(central.KindWithdrawal, 100*money.Rupee+98)
		h.send(good)
		h.send(bad)
		h.send(back)
		_, _ = h.net.Send(t.Context(), silent) // it is never answered
		h.send(h.request(central.KindBalance, 0))
		time.Sleep(time.Until(midnight.Add(-time.Second)))
		late := h.request(central.KindWithdrawal, 300*money.Rupee+94) // final ten seconds later, on the next day
		h.send(late)
		h.request(central.KindBalance, 0)
		time.Sleep(time.Minute)
		next := h.request(central.KindWithdrawal, 50*money.Rupee)
		h.send(next)

		lines, end, planted := settled(t, d, "date="+string(day))
		if len(lines) != 3 || len(planted) != 0 || strings.Join(end, ",") != "END,"+string(day)+",3,800.98,," {
			t.Errorf("the first day: %v, %v", lines, end)
		}
		for r, want := range map[central.Reference]string{good.Reference: "500.00,00", bad.Reference: "100.05,05", back.Reference: "200.93,22"} {
			line := lines[string(r)]
			if line == nil || strings.Join(line[3:5], ",") != want || len(line[1]) != 12 || len(line[2]) != 6 || !strings.HasSuffix(line[5], "+05:30") || !strings.HasPrefix(line[5], string(day)) {
				t.Errorf("%s: %v, want %s", r, line, want)
			}
		}
		lines, end, _ = settled(t, d, "date="+midnight.Format(time.DateOnly))
		if len(lines) != 2 || lines[string(late.Reference)] == nil || lines[string(next.Reference)] == nil || end[3] != "350.94" {
			t.Errorf("the second day: %v, %v", lines, end)
		}
		if lines, end, _ = settled(t, d, "date=1999-12-01"); len(lines) != 0 || end[2] != "0" || end[3] != "0.00" {
			t.Errorf("an empty day: %v, %v", lines, end)
		}
		for _, bad := range []string{"", "date=21-11-2026", "date=" + string(day) + "&with=other", "date=" + string(day) + "&with=", "date=" + string(day) + "&x=1",
			"date=" + string(day) + "&date=" + string(day), "date=1999-12-01&with=amount", "date=" + string(day) + "&with=amount,state"} {
			if w := ask(t, d, "GET", "/books/settlement?"+bad, ""); w.Code != 400 {
				t.Errorf("%q: HTTP %d %s", bad, w.Code, w.Body)
			}
		}
	})
}

// TestPlantedDifferences: each kind spoils one line of its own, in the file
// only, and says which.
func TestPlantedDifferences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		query := "date=" + string(ist.DayOf(time.Now()))
		for range 4 {
			h.send(h.request(central.KindWithdrawal, 500*money.Rupee))
		}
		whole, _, _ := settled(t, d, query)
		spoilt, end, planted := settled(t, d, query+"&with=missing-here,missing-at-bank,amount-differs,outcome-differs")
		if len(planted) != 4 || end[2] != "4" || end[3] != "1601.00" {
			t.Fatalf("planted %v, end %v", planted, end)
		}
		here, there, amount, state := planted["missing-here"], planted["missing-at-bank"], planted["amount-differs"], planted["outcome-differs"]
		if whole[here] != nil || spoilt[here] == nil || whole[there] == nil || spoilt[there] != nil {
			t.Errorf("missing: %v, %v", spoilt[here], spoilt[there])
		}
		if spoilt[amount][3] != "501.00" || spoilt[state][4] != "91" || spoilt[state][3] != "500.00" {
			t.Errorf("amount %v, state %v", spoilt[amount], spoilt[state])
		}
		if again, _, _ := settled(t, d, query); len(again) != 4 || again[there] == nil || again[amount][3] != "500.00" {
			t.Errorf("the books were changed: %v", again)
		}
	})
}
