package limits

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"slices"

	"galla/central"
	"galla/shared/ist"
)

//go:embed production.json
var production []byte

//go:embed sandbox.json
var sandbox []byte

// Rule is a limit and its source.
type Rule struct {
	central.Limit
	Note string // for people
}

// RuleSet is a set of rules. At any time at most one applies to a kind in a scope.
// The zero value limits nothing.
type RuleSet struct {
	rules []Rule
	// by has the few rules of one kind and scope.
	by map[ruleKey][]central.Limit
	// lookups of the bank's customers; the zero value is the default.
	lookups lookups
}

// ruleKey is what at most one rule applies to at a time.
type ruleKey struct {
	kind  central.Kind
	scope central.LimitScope
}

// Production gives the rules of the trade (domain.md, sections 6 and 7). An error
// means that the embedded file is damaged.
func Production() (*RuleSet, error) { return embedded("production.json", production) }

// Sandbox gives the rules of the sandbox (sandbox.md, section 4). An error means
// that the embedded file is damaged.
func Sandbox() (*RuleSet, error) { return embedded("sandbox.json", sandbox) }

func embedded(name string, text []byte) (*RuleSet, error) {
	b, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("embedded limits %s: %w", name, err)
	}
	return b, nil
}

// Load reads rules from a file of staff (Read). The error names the file and lists
// its faults.
func Load(path string) (*RuleSet, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the limits: %w", err)
	}
	b, err := Read(f)
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("close the limits %s: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("limits %s: %w", path, err)
	}
	return b, nil
}

// newRuleSet indexes rules that are each valid. Its errors name the pairs of
// rules, counted from 1, that overlap.
func newRuleSet(rules []Rule) (*RuleSet, []error) {
	b := &RuleSet{rules: rules, by: map[ruleKey][]central.Limit{}}
	first := map[ruleKey][]int{}
	var faults []error
	for i, r := range rules {
		for _, kind := range r.Kinds {
			s := ruleKey{kind, r.Scope}
			for _, j := range first[s] {
				if rules[j].Overlaps(r.Days) {
					faults = append(faults, fmt.Errorf("rules %d and %d both limit %s of %s on the same days: end the earlier one with until", j+1, i+1, r.Scope, kind))
				}
			}
			first[s] = append(first[s], i)
			b.by[s] = append(b.by[s], r.Limit)
		}
	}
	return b, faults
}

// rule gives the limit of a kind in a scope on a day.
func (b *RuleSet) rule(kind central.Kind, scope central.LimitScope, on ist.Day) (central.Limit, bool) {
	for _, l := range b.by[ruleKey{kind, scope}] {
		if l.Contains(on) {
			return l, true
		}
	}
	return central.Limit{}, false
}

// Rules gives all rules, in force or not, in the order of the file.
func (b *RuleSet) Rules() []Rule {
	out := make([]Rule, len(b.rules))
	for i, r := range b.rules {
		r.Kinds = slices.Clone(r.Kinds)
		out[i] = r
	}
	return out
}
