package commission

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
)

// Bounds of a file of rates. Real ones are far smaller; any other file is refused
// before it fills the memory.
const (
	maxBytes   = 1 << 20
	maxEntries = 1000
	maxText    = 1000 // bytes of one text
)

// entry is one line of the file, as texts.
type entry struct {
	Percent       string `json:"percent"`
	PaymentMethod string `json:"paymentMethod"`
	Provider      string `json:"provider"`
	TxnType       string `json:"txnType"`
	Cost          string `json:"cost"`
	From          string `json:"from"`
	Until         string `json:"until"`
	Note          string `json:"note"`
}

// Read reads rates of this form:
//
//	{
//	  "gst": [{"percent": "18", "note": "…"}],
//	  "tds": [{"percent": "5", "until": "2024-10-01", "note": "…"}, {"percent": "2", "from": "2024-10-01", "note": "…"}],
//	  "providerCosts": [{"paymentMethod": "DMT", "provider": "NSDL", "txnType": "TRANSFER", "cost": "4.00", "from": "2026-04-01", "note": "…"}]
//	}
//
// from is the first Indian day of a rate and until the first day on which it is no
// longer in force; either may be absent. GST and TDS have exactly one rate on every
// day. A combination without a provider's cost costs nothing.
//
// The error lists every fault, a line each.
func Read(r io.Reader) (Rates, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return Rates{}, fmt.Errorf("read the rates: %w", err)
	}
	if len(text) > maxBytes {
		return Rates{}, fmt.Errorf("the rates have more than %d bytes", maxBytes)
	}
	var file struct {
		GST   []jsontext.Value `json:"gst"`
		TDS   []jsontext.Value `json:"tds"`
		Costs []jsontext.Value `json:"providerCosts"`
	}
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return Rates{}, fmt.Errorf("the rates are not JSON of the right form: %w", err)
	}
	if n := len(file.GST) + len(file.TDS) + len(file.Costs); n > maxEntries {
		return Rates{}, fmt.Errorf("there are %d rates, more than %d", n, maxEntries)
	}
	var (
		rates Rates
		wrong []error
	)
	add := func(name string, entries []jsontext.Value, read func(entry, ist.Days) error) {
		for i, v := range entries {
			for _, err := range readEntry(v, read) {
				wrong = append(wrong, fmt.Errorf("%s %d: %w", name, i+1, err))
			}
		}
	}
	add("gst", file.GST, taxReader(&rates.gst))
	add("tds", file.TDS, taxReader(&rates.tds))
	add("providerCosts", file.Costs, costReader(&rates.costs))
	if len(wrong) == 0 { // else a gap may only be a rate that could not be read
		wrong = append(wrong, gaps("gst", rates.gst)...)
		wrong = append(wrong, gaps("tds", rates.tds)...)
	}
	if len(wrong) > 0 {
		return Rates{}, errors.Join(wrong...)
	}
	return rates, nil
}

// readEntry reads the members that all entries have, and calls read for the rest.
func readEntry(v jsontext.Value, read func(entry, ist.Days) error) []error {
	var e entry
	if err := json.Unmarshal(v, &e, json.RejectUnknownMembers(true)); err != nil {
		return []error{fmt.Errorf("not an object of the right texts: %w", err)}
	}
	var (
		wrong []error
		s     ist.Days
		err   error
	)
	if s.From, err = readDay(e.From); err != nil {
		wrong = append(wrong, fmt.Errorf("from: %w", err))
	}
	if s.Until, err = readDay(e.Until); err != nil {
		wrong = append(wrong, fmt.Errorf("until: %w", err))
	}
	if err := s.Check(); len(wrong) == 0 && err != nil {
		wrong = append(wrong, err)
	}
	if strings.TrimSpace(e.Note) == "" || len(e.Note) > maxText {
		wrong = append(wrong, fmt.Errorf("note: say in 1 to %d bytes where the rate comes from", maxText))
	}
	if err := read(e, s); err != nil {
		wrong = append(wrong, err)
	}
	return wrong
}

// taxReader reads entries of a tax into to.
func taxReader(to *[]taxRate) func(entry, ist.Days) error {
	return func(e entry, s ist.Days) error {
		if e.PaymentMethod+e.Provider+e.TxnType+e.Cost != "" {
			return errors.New("a tax has percent, from, until and note only")
		}
		p, err := parseRate(e.Percent)
		if err != nil {
			return fmt.Errorf("percent: %w", err)
		}
		if p > whole {
			return errors.New("percent: more than 100")
		}
		*to = append(*to, taxRate{s, p})
		return nil
	}
}

// costReader reads providers' costs into to, and refuses one whose days overlap
// with those of another of the same combination.
func costReader(to *[]providerCost) func(entry, ist.Days) error {
	return func(e entry, s ist.Days) error {
		if e.Percent != "" {
			return errors.New("a provider's cost has cost, and no percent")
		}
		for _, text := range []string{e.PaymentMethod, e.Provider, e.TxnType} {
			if strings.TrimSpace(text) == "" || len(text) > maxText {
				return errors.New("paymentMethod, provider and txnType name the combination, and none may be empty")
			}
		}
		cost, err := money.Parse(e.Cost)
		if err != nil {
			return fmt.Errorf("cost: %w", err)
		}
		if cost < 0 {
			return errors.New("cost: below zero")
		}
		p := providerCost{s, central.Combination{PaymentMethod: e.PaymentMethod, Provider: e.Provider, TxnType: e.TxnType}, cost}
		for _, known := range *to {
			if known.Same(p.Combination) && known.Overlaps(p.Days) {
				return fmt.Errorf("another cost of the same combination is in force on the same days, %s", known.Days)
			}
		}
		*to = append(*to, p)
		return nil
	}
}

// readDay reads a day; empty: an open side.
func readDay(text string) (ist.Day, error) {
	if text == "" {
		return "", nil
	}
	return ist.ParseDay(text)
}

// parseRate reads a decimal number with at most six places as millionths.
func parseRate(text string) (central.Rate, error) {
	digits, places, point := strings.Cut(text, ".")
	if digits == "" || len(digits) > 6 || (point && places == "") || len(places) > 6 || (len(digits) > 1 && digits[0] == '0') {
		return 0, errors.New(`not a decimal number such as "18" or "0.45", with at most six places`)
	}
	var n int64
	for _, c := range []byte(digits + (places + "000000")[:6]) {
		if c < '0' || c > '9' {
			return 0, errors.New(`not a decimal number such as "18" or "0.45"`)
		}
		n = n*10 + int64(c-'0')
	}
	return central.Rate(n), nil
}
