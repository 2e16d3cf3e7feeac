package limits

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/rulefile"
	"galla/shared/ist"
	"galla/shared/money"
)

// maxCount bounds the operations of a period.
const maxCount = 1 << 20

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
func Read(text []byte) (*RuleSet, error) {
	var file struct {
		Rules   []jsontext.Value `json:"rules"`
		Lookups *lookups         `json:"lookups"`
	}
	if err := rulefile.Decode(text, "limits", &file); err != nil {
		return nil, err
	}
	if len(file.Rules) == 0 {
		return nil, errors.New("there are no rules: limits can't be turned off by leaving them out")
	}
	set := &RuleSet{}
	faults := rulefile.Rules("rule", file.Rules, set.add)
	if file.Lookups != nil {
		faults = append(faults, file.Lookups.faults()...)
		set.lookups = *file.Lookups
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return set, nil
}

// entry is a rule of the file.
type entry struct {
	Kinds []central.Kind     `json:"kinds"`
	Scope central.LimitScope `json:"scope"`
	Min   *string            `json:"min"`
	Max   *string            `json:"max"`
	Step  *string            `json:"step"`
	Sum   *string            `json:"sum"`
	Count *int               `json:"count"`
	rulefile.Dated
}

// add adds a rule, or gives its faults.
func (b *RuleSet) add(e entry, days ist.Days) (wrong []error) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	l := central.Limit{Kinds: e.Kinds, Scope: e.Scope, Days: days}
	if len(e.Kinds) == 0 {
		say("kinds is missing or empty")
	}
	for i, k := range e.Kinds {
		if plurals[k] == "" {
			say("kinds: %.40q is not a kind of operation that can be limited", k)
		}
		if slices.Contains(e.Kinds[:i], k) {
			say("kinds: %s is given twice", k)
		}
	}
	if !slices.Contains(scopes(), string(e.Scope)) {
		say("scope: %.40q is not a scope; those are %s", e.Scope, strings.Join(scopes(), ", "))
	}
	for _, a := range []struct {
		name string
		text *string
		to   *money.Paise
	}{{"min", e.Min, &l.Min}, {"max", e.Max, &l.Max}, {"step", e.Step, &l.Step}, {"sum", e.Sum, &l.Sum}} {
		if a.text == nil {
			continue
		}
		var err error
		if *a.to, err = money.Parse(*a.text); err != nil {
			say("%s: %w", a.name, err)
		} else if *a.to <= 0 {
			say("%s: not more than zero; for no limit, leave it out", a.name)
		}
	}
	if e.Count != nil {
		if l.Count = *e.Count; l.Count < 1 || l.Count > maxCount {
			say("count: not a whole number from 1 to %d", maxCount)
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	wrong = contradictions(l)
	for _, known := range b.rules {
		i := slices.IndexFunc(l.Kinds, func(k central.Kind) bool { return slices.Contains(known.Kinds, k) })
		if i >= 0 && known.Scope == l.Scope && known.Overlaps(days) {
			say("another rule limits %s of %s on the same days, %s: end the earlier one with until", l.Scope, l.Kinds[i], known.Days)
		}
	}
	if len(wrong) == 0 {
		b.rules = append(b.rules, Rule{l, e.Note})
	}
	return wrong
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
	for _, k := range l.Kinds {
		if k == central.KindUPIPayment && !slices.Contains([]central.LimitScope{central.PerTransaction, central.PerMerchantDay, central.PerMerchantMonth}, l.Scope) {
			say("%s is received by a merchant: its scopes are %s, %s and %s", k, central.PerTransaction, central.PerMerchantDay, central.PerMerchantMonth)
		}
		if !k.MovesMoney() && !k.Reported() && (l.Min|l.Max|l.Step|l.Sum) != 0 {
			say("%s moves no amount: it can only be counted", k)
		}
	}
	return wrong
}
