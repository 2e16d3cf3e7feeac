package commission

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/rulefile"
	"galla/shared/ist"
	"galla/shared/money"
)

// entry is a rate of the file, as texts.
type entry struct {
	Percent       string `json:"percent"`
	PaymentMethod string `json:"paymentMethod"`
	Provider      string `json:"provider"`
	TxnType       string `json:"txnType"`
	Cost          string `json:"cost"`
	rulefile.Dated
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
func Read(text []byte) (Rates, error) {
	var file struct {
		GST   []jsontext.Value `json:"gst"`
		TDS   []jsontext.Value `json:"tds"`
		Costs []jsontext.Value `json:"providerCosts"`
	}
	if err := rulefile.Decode(text, "rates", &file); err != nil {
		return Rates{}, err
	}
	var rates Rates
	wrong := rulefile.Rules("gst", file.GST, taxReader(&rates.gst))
	wrong = append(wrong, rulefile.Rules("tds", file.TDS, taxReader(&rates.tds))...)
	wrong = append(wrong, rulefile.Rules("providerCosts", file.Costs, costReader(&rates.costs))...)
	if len(wrong) == 0 { // else a gap may only be a rate that could not be read
		wrong = append(gaps("gst", rates.gst), gaps("tds", rates.tds)...)
	}
	if len(wrong) > 0 {
		return Rates{}, errors.Join(wrong...)
	}
	return rates, nil
}

// taxReader reads entries of a tax into to.
func taxReader(to *[]taxRate) func(entry, ist.Days) []error {
	return func(e entry, s ist.Days) []error {
		if e.PaymentMethod+e.Provider+e.TxnType+e.Cost != "" {
			return []error{errors.New("a tax has percent, from, until and note only")}
		}
		p, err := parseRate(e.Percent)
		if err != nil {
			return []error{fmt.Errorf("percent: %w", err)}
		}
		if p > whole {
			return []error{errors.New("percent: more than 100")}
		}
		*to = append(*to, taxRate{s, p})
		return nil
	}
}

// costReader reads providers' costs into to, and refuses one whose days overlap
// with those of another of the same combination.
func costReader(to *[]providerCost) func(entry, ist.Days) []error {
	return func(e entry, s ist.Days) []error {
		if e.Percent != "" {
			return []error{errors.New("a provider's cost has cost, and no percent")}
		}
		for _, text := range []string{e.PaymentMethod, e.Provider, e.TxnType} {
			if strings.TrimSpace(text) == "" || len(text) > rulefile.MaxText {
				return []error{errors.New("paymentMethod, provider and txnType name the combination, and none may be empty")}
			}
		}
		cost, err := money.Parse(e.Cost)
		if err != nil {
			return []error{fmt.Errorf("cost: %w", err)}
		}
		if cost < 0 {
			return []error{errors.New("cost: below zero")}
		}
		p := providerCost{s, central.Combination{PaymentMethod: e.PaymentMethod, Provider: e.Provider, TxnType: e.TxnType}, cost}
		for _, known := range *to {
			if known.Same(p.Combination) && known.Overlaps(p.Days) {
				return []error{fmt.Errorf("another cost of the same combination is in force on the same days, %s", known.Days)}
			}
		}
		*to = append(*to, p)
		return nil
	}
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
