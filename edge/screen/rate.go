package screen

import (
	"galla/edge"
	"galla/edge/web"
	"galla/edge/words"
)

// From which part of its operations on a bank counts as well, and as weak.
const (
	rateWell = 80 // of a hundred; the field's best banks let so many through
	rateWeak = 50
)

// bank is one of the list, with how it did lately.
type bank struct {
	edge.Bank
	Rate *rate // nil: nothing is said of banks
}

// rate is how a bank did lately, as the agent reads it before the customer
// gives a finger.
type rate struct {
	Tone  string // ok, warn, bad
	Short string // 17 of 20; empty: not asked lately
	Text  string
	name  string // what a screen reader calls it
}

// rate gives a bank's; nil where nothing is said of banks.
func (s *Screen) rate(said *words.Words, iin string) *rate {
	if s.cfg.BankRate == nil {
		return nil
	}
	succeeded, asked := s.cfg.BankRate(iin)
	r := &rate{Tone: "ok", Text: said.Say("rate.none"), name: said.Say("fact.bank")}
	if asked <= 0 {
		return r
	}
	r.Short = said.Say("rate.short", "succeeded", succeeded, "asked", asked)
	key := "rate.well"
	switch part := 100 * succeeded / asked; {
	case part < rateWeak:
		key, r.Tone = "rate.weak", "bad"
	case part < rateWell:
		key, r.Tone = "rate.fair", "warn"
	}
	r.Text = said.Say(key, "succeeded", succeeded, "asked", asked)
	return r
}

// chips is the rate beside reader, line and clock.
func (r *rate) chips() []web.Chip {
	if r == nil {
		return nil
	}
	return []web.Chip{{Name: r.name, Icon: "bank", Tone: r.Tone, Text: r.Text}}
}
