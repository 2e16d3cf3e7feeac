package limits

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"slices"

	"galla/central"
)

//go:embed production.json
var production []byte

//go:embed sandbox.json
var sandbox []byte

// Rule is a limit with where it comes from.
type Rule struct {
	central.Limit
	Note string // for people
}

// Book is a set of rules of which at most one bounds a kind in a scope at any
// moment. The zero value bounds nothing.
type Book struct {
	rules []Rule
	// by finds the rules of one kind and scope; they are few.
	by map[subject][]central.Limit
	// lookups of the bank's customers; the zero value is the default.
	lookups lookups
}

// subject is what at most one rule bounds at a time.
type subject struct {
	kind  central.Kind
	scope central.LimitScope
}

// Production gives the rules of the trade (domain.md). An error means that the
// program was built from a damaged book.
func Production() (*Book, error) { return embedded("production.json", production) }

// Sandbox gives the rules of the sandbox (sandbox.md). An error means that the
// program was built from a damaged book.
func Sandbox() (*Book, error) { return embedded("sandbox.json", sandbox) }

func embedded(name string, text []byte) (*Book, error) {
	b, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("embedded limits %s: %w", name, err)
	}
	return b, nil
}

// Load reads an operator's book from a file. The error names the file and all
// its faults.
func Load(path string) (*Book, error) {
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

// newBook indexes rules that are each in order. Its errors name the pairs of
// rules, counted from 1, that bound the same at the same time.
func newBook(rules []Rule) (*Book, []error) {
	b := &Book{rules: rules, by: map[subject][]central.Limit{}}
	first := map[subject][]int{}
	var faults []error
	for i, r := range rules {
		for _, kind := range r.Kinds {
			s := subject{kind, r.Scope}
			for _, j := range first[s] {
				if meet(rules[j].Limit, r.Limit) {
					faults = append(faults, fmt.Errorf("rules %d and %d both bound %s of %s on the same days: end the earlier one with until", j+1, i+1, r.Scope, kind))
				}
			}
			first[s] = append(first[s], i)
			b.by[s] = append(b.by[s], r.Limit)
		}
	}
	return b, faults
}

// inForce tells whether a limit is in force on a day. Days are written so that
// their texts compare as the days do; the empty From comes before all.
func inForce(l central.Limit, on central.Day) bool {
	return l.From <= on && (l.Until == "" || on < l.Until)
}

// meet tells whether two limits are in force on a common day.
func meet(a, b central.Limit) bool {
	return (a.Until == "" || b.From < a.Until) && (b.Until == "" || a.From < b.Until)
}

// rule gives the limit that bounds a kind in a scope on a day.
func (b *Book) rule(kind central.Kind, scope central.LimitScope, on central.Day) (central.Limit, bool) {
	for _, l := range b.by[subject{kind, scope}] {
		if inForce(l, on) {
			return l, true
		}
	}
	return central.Limit{}, false
}

// Rules gives every rule with its note, those of other days included, in the
// order of the book.
func (b *Book) Rules() []Rule {
	out := make([]Rule, len(b.rules))
	for i, r := range b.rules {
		r.Kinds = slices.Clone(r.Kinds)
		out[i] = r
	}
	return out
}
