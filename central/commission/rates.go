package commission

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"time"

	"galla/central"
	"galla/shared/money"
)

//go:embed rates.json
var embedded []byte

// Rates are the taxes and the providers' costs, each with the days on which it
// is in force. They never change once read. The zero value has none: New
// refuses it.
type Rates struct {
	gst, tds []taxRate // one on every day
	costs    []providerCost
}

// span is the days on which a rate is in force: from the first, until the first
// that is no longer. An empty side is open.
type span struct{ from, until central.Day }

type taxRate struct {
	span
	percent central.Rate
}

type providerCost struct {
	span
	central.Combination
	cost money.Paise // of one operation
}

// holds tells whether a day lies in the span. Days are written so that their
// texts compare as the days do; the empty from comes before all.
func (s span) holds(d central.Day) bool {
	return s.from <= d && (s.until == "" || d < s.until)
}

func (s span) meets(o span) bool {
	return (s.until == "" || o.from < s.until) && (o.until == "" || s.from < o.until)
}

// String writes the span for people.
func (s span) String() string {
	return fmt.Sprintf("from %s until %s", cmp.Or(s.from, "ever"), cmp.Or(s.until, "ever"))
}

// Embedded gives the rates of rates.json. An error means that the program was
// built from a damaged file.
func Embedded() (Rates, error) {
	r, err := Read(bytes.NewReader(embedded))
	if err != nil {
		return Rates{}, fmt.Errorf("embedded rates: %w", err)
	}
	return r, nil
}

// Load reads an operator's rates from a file of the form of the package
// comment. The error names the file and all its faults.
func Load(path string) (Rates, error) {
	f, err := os.Open(path)
	if err != nil {
		return Rates{}, fmt.Errorf("open the rates: %w", err)
	}
	r, err := Read(f)
	if err := f.Close(); err != nil {
		return Rates{}, fmt.Errorf("close the rates %s: %w", path, err)
	}
	if err != nil {
		return Rates{}, fmt.Errorf("rates %s: %w", path, err)
	}
	return r, nil
}

func (r Rates) empty() bool { return len(r.gst) == 0 || len(r.tds) == 0 }

// terms gives the rates of a combination at a moment, by its Indian day. The
// error says that a tax has no rate then, which Read makes impossible.
func (r Rates) terms(c central.Combination, at time.Time) (Terms, error) {
	day := central.DayOf(at)
	var t Terms
	var err error
	if t.GST, err = rateOn(r.gst, "GST", day); err != nil {
		return Terms{}, err
	}
	if t.TDS, err = rateOn(r.tds, "TDS", day); err != nil {
		return Terms{}, err
	}
	for _, p := range r.costs {
		if p.Same(c) && p.holds(day) {
			t.ProviderCost = p.cost
		}
	}
	return t, nil
}

func rateOn(rates []taxRate, name string, day central.Day) (central.Rate, error) {
	for _, r := range rates {
		if r.holds(day) {
			return r.percent, nil
		}
	}
	return 0, fmt.Errorf("there is no rate of %s on %s", name, day)
}

// gaps gives what keeps a tax from having exactly one rate on every day.
func gaps(name string, rates []taxRate) []error {
	if len(rates) == 0 {
		return []error{fmt.Errorf("%s: no rate is given", name)}
	}
	sorted := slices.SortedFunc(slices.Values(rates), func(a, b taxRate) int { return cmp.Compare(a.from, b.from) })
	var wrong []error
	if first := sorted[0]; first.from != "" {
		wrong = append(wrong, fmt.Errorf("%s: there is no rate before %s: leave the first one's from out", name, first.from))
	}
	for i, r := range sorted[1:] {
		before := sorted[i]
		switch {
		case before.meets(r.span):
			wrong = append(wrong, fmt.Errorf("%s: two rates are in force on the same days, %s and %s", name, before.span, r.span))
		case before.until < r.from:
			wrong = append(wrong, fmt.Errorf("%s: there is no rate from %s until %s", name, before.until, r.from))
		}
	}
	if last := sorted[len(sorted)-1]; last.until != "" {
		wrong = append(wrong, fmt.Errorf("%s: there is no rate from %s on: leave the last one's until out", name, last.until))
	}
	return wrong
}
