package limits

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
)

// Bounds of a rule file. Real ones are far smaller; any other file is refused before
// it fills the memory.
const (
	maxBytes = 1 << 20
	maxRules = 1000
	maxNote  = 1000    // bytes
	maxCount = 1 << 20 // operations in a period
)

// Read reads rules of this form:
//
//	{
//	  "lookups": {"hour": 60, "merchants": {"c0000000-…": 300}, "note": "why"},
//	  "rules": [
//	    {
//	      "kinds": ["TRANSFER"],
//	      "scope": "remitter-month",
//	      "sum": "25000.00",
//	      "from": "2026-04-01",
//	      "until": "2027-04-01",
//	      "note": "circular such-and-such of such a date"
//	    }
//	  ]
//	}
//
// A rule applies to each of its kinds separately. The scope transaction takes min,
// max and step; the other scopes take count and sum, which add up over the period.
// Amounts are texts of rupees with at most two decimals. from is the first Indian
// day on which the rule is in force and until the first on which it is not; either
// may be absent. The note is required and says where the rule comes from. Unknown
// and repeated keys are errors, and so are two rules for one kind and scope whose
// days overlap.
//
// lookups is how many of the bank's customers a merchant may look up in an hour
// without their OTP or fingerprint, each counted once; merchants, by id, may have a
// limit of their own. Without lookups the limit is DefaultLookups.
//
// The error lists every fault, a line each.
func Read(r io.Reader) (*RuleSet, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the limits: %w", err)
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("the limits have more than %d bytes", maxBytes)
	}
	var file struct {
		Rules   []map[string]jsontext.Value `json:"rules"`
		Lookups *lookups                    `json:"lookups"`
	}
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the limits are not JSON of the right form: %w", err)
	}
	if len(file.Rules) == 0 {
		return nil, errors.New("there are no rules: limits can't be turned off by leaving them out")
	}
	if len(file.Rules) > maxRules {
		return nil, fmt.Errorf("there are %d rules, more than %d", len(file.Rules), maxRules)
	}
	var (
		rules  []Rule
		faults []error
	)
	for i, members := range file.Rules {
		rule, wrong := readRule(members)
		for _, err := range wrong {
			faults = append(faults, fmt.Errorf("rule %d: %w", i+1, err))
		}
		if len(wrong) > 0 {
			rule.Kinds = nil // so that it overlaps no other rule
		}
		rules = append(rules, rule)
	}
	set, overlaps := newRuleSet(rules)
	faults = append(faults, overlaps...)
	if file.Lookups != nil {
		faults = append(faults, file.Lookups.faults()...)
		set.lookups = *file.Lookups
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return set, nil
}

// member reads one member of a rule.
type member struct {
	name string
	read func(r *Rule, v jsontext.Value) error
}

// members are the members of a rule.
var members = []member{
	{"kinds", readKinds},
	{"scope", readScope},
	{"min", func(r *Rule, v jsontext.Value) error { return readAmount(&r.Min, v) }},
	{"max", func(r *Rule, v jsontext.Value) error { return readAmount(&r.Max, v) }},
	{"step", func(r *Rule, v jsontext.Value) error { return readAmount(&r.Step, v) }},
	{"sum", func(r *Rule, v jsontext.Value) error { return readAmount(&r.Sum, v) }},
	{"count", readCount},
	{"from", func(r *Rule, v jsontext.Value) error { return readDay(&r.From, v) }},
	{"until", func(r *Rule, v jsontext.Value) error { return readDay(&r.Until, v) }},
	{"note", readNote},
}

// readRule reads one rule and gives all its faults.
func readRule(text map[string]jsontext.Value) (Rule, []error) {
	var (
		r     Rule
		wrong []error
		names []string
	)
	for _, m := range members {
		names = append(names, m.name)
		v, ok := text[m.name]
		if !ok {
			continue
		}
		if err := m.read(&r, v); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", m.name, err))
		}
	}
	for name := range text {
		if !slices.Contains(names, name) {
			wrong = append(wrong, fmt.Errorf("%.40q is not a member of a rule; those are %s", name, strings.Join(names, ", ")))
		}
	}
	for _, name := range []string{"kinds", "scope", "note"} {
		if _, ok := text[name]; !ok {
			wrong = append(wrong, fmt.Errorf("%s is missing", name))
		}
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	if len(wrong) == 0 {
		wrong = contradictions(r.Limit)
	}
	return r, wrong
}

// contradictions gives the faults of a rule whose members are each valid.
func contradictions(l central.Limit) []error {
	var wrong []error
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if l.Scope == central.PerTransaction {
		if l.Count != 0 || l.Sum != 0 {
			say("the scope transaction takes min, max and step; count and sum belong to scopes that count over time")
		}
		if l.Min == 0 && l.Max == 0 && l.Step == 0 {
			say("it limits nothing: give min, max or step")
		}
	} else {
		if l.Min != 0 || l.Max != 0 || l.Step != 0 {
			say("min, max and step belong to the scope %s; %s takes count and sum", central.PerTransaction, l.Scope)
		}
		if l.Count == 0 && l.Sum == 0 {
			say("it limits nothing: give count or sum")
		}
	}
	if l.Max != 0 && l.Min > l.Max {
		say("min %s is more than max %s", l.Min, l.Max)
	}
	if l.Step != 0 && l.Max != 0 && l.Max/l.Step*l.Step < max(l.Min, l.Step) {
		say("no amount from min to max is a multiple of step %s", l.Step)
	}
	if err := l.Days.Check(); err != nil {
		wrong = append(wrong, err)
	}
	for _, k := range l.Kinds {
		if !k.MovesMoney() && (l.Min|l.Max|l.Step|l.Sum) != 0 {
			say("%s moves no amount: it can only be counted", k)
		}
	}
	return wrong
}

func readKinds(r *Rule, v jsontext.Value) error {
	if err := json.Unmarshal(v, &r.Kinds); err != nil {
		return errors.New("not a list of texts")
	}
	if len(r.Kinds) == 0 {
		return errors.New("the list is empty")
	}
	for i, k := range r.Kinds {
		if plurals[k] == "" {
			return fmt.Errorf("%.40q is not a kind of operation that can be limited", k)
		}
		if slices.Contains(r.Kinds[:i], k) {
			return fmt.Errorf("%s is given twice", k)
		}
	}
	return nil
}

func readScope(r *Rule, v jsontext.Value) error {
	if err := json.Unmarshal(v, &r.Scope); err != nil {
		return errors.New("not a text")
	}
	known := []string{string(central.PerTransaction)}
	for _, c := range periodScopes {
		known = append(known, string(c.scope))
	}
	if !slices.Contains(known, string(r.Scope)) {
		return fmt.Errorf("%.40q is not a scope; those are %s", r.Scope, strings.Join(known, ", "))
	}
	return nil
}

// readAmount reads an amount of rupees above zero. Without a limit the member is
// left out.
func readAmount(to *money.Paise, v jsontext.Value) error {
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return errors.New(`not a text of rupees, such as "10000.00"`)
	}
	p, err := money.Parse(text)
	if err != nil {
		return err
	}
	if p <= 0 {
		return errors.New("not more than zero; for no limit, leave it out")
	}
	*to = p
	return nil
}

func readCount(r *Rule, v jsontext.Value) error {
	if err := json.Unmarshal(v, &r.Count); err != nil || r.Count < 1 || r.Count > maxCount {
		return fmt.Errorf("not a whole number from 1 to %d", maxCount)
	}
	return nil
}

func readDay(to *ist.Day, v jsontext.Value) error {
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return errors.New("not a text")
	}
	d, err := ist.ParseDay(text)
	*to = d
	return err
}

func readNote(r *Rule, v jsontext.Value) error {
	if err := json.Unmarshal(v, &r.Note); err != nil {
		return errors.New("not a text")
	}
	if strings.TrimSpace(r.Note) == "" || len(r.Note) > maxNote {
		return fmt.Errorf("say in 1 to %d bytes where the rule comes from", maxNote)
	}
	return nil
}
