package limits

import (
	_ "embed"
	"slices"

	"galla/central"
	"galla/central/rulefile"
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
	rules   []Rule
	lookups lookups // the zero value is the default
}

// Production gives the rules of the trade (domain.md, sections 6 and 7). An error
// means that the embedded file is damaged.
func Production() (*RuleSet, error) { return Read(production) }

// Sandbox gives the rules of the sandbox (sandbox.md, section 4). An error means
// that the embedded file is damaged.
func Sandbox() (*RuleSet, error) { return Read(sandbox) }

// Load reads rules from a file of staff (Read). The error names the file and lists
// its faults.
func Load(path string) (*RuleSet, error) { return rulefile.Load(path, "limits", Read) }

// rule gives the limit of a kind in a scope on a day.
func (b *RuleSet) rule(kind central.Kind, scope central.LimitScope, on ist.Day) (central.Limit, bool) {
	for _, r := range b.rules {
		if r.Scope == scope && r.Contains(on) && slices.Contains(r.Kinds, kind) {
			return r.Limit, true
		}
	}
	return central.Limit{}, false
}
