package server

import (
	"fmt"

	"galla/central/commission"
	"galla/central/limits"
)

// rules are business rules that are data: they change at a date, without a release.
type rules struct {
	limits *limits.RuleSet
	rates  commission.Rates
}

// loadRules reads the configured files, or the program's own.
func loadRules(cfg Config) (r rules, err error) {
	switch {
	case cfg.LimitsFile != "":
		r.limits, err = limits.Load(cfg.LimitsFile)
	case cfg.Sandbox:
		r.limits, err = limits.Sandbox()
	default:
		r.limits, err = limits.Production()
	}
	if err != nil {
		return rules{}, fmt.Errorf("limits: %w", err)
	}
	if cfg.RatesFile != "" {
		r.rates, err = commission.Load(cfg.RatesFile)
	} else {
		r.rates, err = commission.Embedded()
	}
	if err != nil {
		return rules{}, fmt.Errorf("tax rates and provider costs: %w", err)
	}
	return r, nil
}
