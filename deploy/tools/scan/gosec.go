package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/rules"
)

// runGosec scans the packages of some folders with all rules, on every processor.
func runGosec(folders []string) ([]finding, error) {
	config := gosec.NewConfig()
	a := gosec.NewAnalyzer(config, false, false, false, runtime.NumCPU(), log.New(io.Discard, "", 0))
	// No comment in the source silences it: what is no weakness stands in the baseline.
	config.SetGlobal(gosec.Nosec, "true")
	a.SetConfig(config)
	a.LoadRules(rules.Generate(false).RulesInfo())
	a.LoadAnalyzers(analyzers.Generate(false).AnalyzersInfo())
	if err := a.Process(nil, folders...); err != nil {
		return nil, err
	}
	issues, metrics, failed := a.Report()
	var errs []error
	for file, why := range failed {
		errs = append(errs, fmt.Errorf("%s can't be read: %v", file, why))
	}
	if metrics.NumFiles == 0 {
		errs = append(errs, errors.New("no file was read"))
	}
	var found []finding
	for _, i := range issues {
		found = append(found, finding{rule: i.RuleID, place: relative(i.File), what: "line " + i.Line + ": " + i.What})
	}
	return found, errors.Join(errs...)
}
