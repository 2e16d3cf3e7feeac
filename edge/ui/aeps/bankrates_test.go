package aeps

import (
	"errors"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/op"
)

func TestBankRatesNeedASample(t *testing.T) {
	now := fakeNow
	var records []edge.Record
	var broken error
	rates, err := NewBankRates(func(from, to time.Time) ([]edge.Record, error) {
		if from != now.Add(-3*time.Hour) || !to.After(now) {
			t.Errorf("it reads from %s to %s at %s", from, to, now)
		}
		return records, broken
	}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	add := func(state op.State, code string) {
		records = append(records, edge.Record{Route: op.Withdrawal, IIN: "990326", State: state, Result: edge.Result{Code: code}})
	}
	check := func(when string, answered, asked int) {
		t.Helper()
		now = now.Add(ratesTTL)
		if a, n := rates.Rate("990326"); a != answered || n != asked {
			t.Errorf("%s: %d of %d, want %d of %d", when, a, n, answered, asked)
		}
	}
	for range 4 {
		add(op.Succeeded, "00")
	}
	records = append(records, edge.Record{Route: op.ReqAuth, IIN: "990326", State: op.Succeeded})
	check("four operations", 0, 0)
	add(op.Expired, "") // the bank was not asked
	check("and one that was not sent", 0, 0)
	add(op.Pending, "")
	check("and a pending one", 4, 5)
	add(op.Failed, "51")
	check("and one without enough balance", 5, 6)
	add(op.Failed, "91")
	check("and one that the bank could not answer", 5, 7)
	add(op.Pending, "")
	now = now.Add(ratesTTL - 1) // still cached
	if _, asked := rates.Rate("990326"); asked != 7 {
		t.Errorf("before the cached rates end: %d, want 7", asked)
	}
	check("after the cached rates ended", 5, 8)
	if answered, asked := rates.Rate("111111"); answered != 0 || asked != 0 {
		t.Errorf("a bank that was not asked has %d of %d", answered, asked)
	}
	broken = errors.New("the disk")
	check("unreadable records", 0, 0)
	if _, err := NewBankRates(nil, nil); err == nil {
		t.Error("NewBankRates needs no operations")
	}
}
