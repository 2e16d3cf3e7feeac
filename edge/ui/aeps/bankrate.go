package aeps

import (
	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui"
)

// The least success rates, in percent, that count as good and as weak.
const (
	goodRate = 80 // the best banks reach this
	weakRate = 50
)

type bankOption struct {
	edge.Bank
	Rate *bankRate // nil: unknown
}

// bankRate is a bank's recent success rate, which the agent reads before the customer
// gives a finger.
type bankRate struct {
	Tone  string // ok, warn, bad
	Short string // 17 of 20; empty: no recent operations
	Text  string
	name  string // for screen readers
}

// bankRateOf returns a bank's rate; nil where rates are not shown.
func (s *Pages) bankRateOf(words *i18n.Localizer, iin string) *bankRate {
	if s.cfg.BankRate == nil {
		return nil
	}
	succeeded, asked := s.cfg.BankRate(iin)
	r := &bankRate{Tone: "ok", Text: words.Text("rate.none"), name: words.Text("fact.bank")}
	if asked <= 0 {
		return r
	}
	r.Short = words.Text("rate.short", "succeeded", succeeded, "asked", asked)
	key := "rate.well"
	switch part := 100 * succeeded / asked; {
	case part < weakRate:
		key, r.Tone = "rate.weak", "bad"
	case part < goodRate:
		key, r.Tone = "rate.fair", "warn"
	}
	r.Text = words.Text(key, "succeeded", succeeded, "asked", asked)
	return r
}

func (r *bankRate) chips() []ui.Chip {
	if r == nil {
		return nil
	}
	return []ui.Chip{{Name: r.name, Icon: "bank", Tone: r.Tone, Text: r.Text}}
}
