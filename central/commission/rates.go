package commission

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/central/rulefile"
	"galla/shared/ist"
	"galla/shared/money"
)

//go:embed rates.json
var embedded []byte

// Rates are the taxes and the providers' costs, each with the days on which it is
// in force. They never change once read. New refuses the zero value, which has
// none.
type Rates struct {
	gst, tds []taxRate // one on every day
	costs    []providerCost
}

type taxRate struct {
	ist.Days
	percent central.Rate
}

type providerCost struct {
	ist.Days
	central.Combination
	cost money.Paise // of one operation
}

// Embedded gives the rates of rates.json. An error means that the embedded file is
// damaged.
func Embedded() (Rates, error) { return Read(embedded) }

// Load reads rates from a file of staff (Read). The error names the file and lists
// its faults.
func Load(path string) (Rates, error) { return rulefile.Load(path, "rates", Read) }

func (r Rates) empty() bool { return len(r.gst) == 0 || len(r.tds) == 0 }

// terms gives the rates of a combination on the Indian day of a time. The error
// says that a tax has no rate then, which Read excludes.
func (r Rates) terms(c central.Combination, at time.Time) (Terms, error) {
	day := ist.DayOf(at)
	var t Terms
	var err error
	if t.GST, err = rateOn(r.gst, "GST", day); err != nil {
		return Terms{}, err
	}
	if t.TDS, err = rateOn(r.tds, "TDS", day); err != nil {
		return Terms{}, err
	}
	for _, p := range r.costs {
		if p.Same(c) && p.Contains(day) {
			t.ProviderCost = p.cost
		}
	}
	return t, nil
}

func rateOn(rates []taxRate, name string, day ist.Day) (central.Rate, error) {
	for _, r := range rates {
		if r.Contains(day) {
			return r.percent, nil
		}
	}
	return 0, fmt.Errorf("there is no rate of %s on %s", name, day)
}

// gaps gives the reasons why a tax does not have exactly one rate on every day.
func gaps(name string, rates []taxRate) []error {
	if len(rates) == 0 {
		return []error{fmt.Errorf("%s: no rate is given", name)}
	}
	sorted := slices.SortedFunc(slices.Values(rates), func(a, b taxRate) int { return cmp.Compare(a.From, b.From) })
	var wrong []error
	if first := sorted[0]; first.From != "" {
		wrong = append(wrong, fmt.Errorf("%s: there is no rate before %s: leave the first one's from out", name, first.From))
	}
	for i, r := range sorted[1:] {
		before := sorted[i]
		switch {
		case before.Overlaps(r.Days):
			wrong = append(wrong, fmt.Errorf("%s: two rates are in force on the same days, %s and %s", name, before.Days, r.Days))
		case before.Until < r.From:
			wrong = append(wrong, fmt.Errorf("%s: there is no rate from %s until %s", name, before.Until, r.From))
		}
	}
	if last := sorted[len(sorted)-1]; last.Until != "" {
		wrong = append(wrong, fmt.Errorf("%s: there is no rate from %s on: leave the last one's until out", name, last.Until))
	}
	return wrong
}
