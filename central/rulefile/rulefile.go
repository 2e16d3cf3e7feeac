// Package rulefile reads files of rules that staff may bring: the limits and the rates
// of commissions. Each rule has the Indian days on which it is in force, and a note that
// says where it comes from.
//
// It promises that a file is bounded, has no unknown and no repeated member, and that an
// error lists every fault that the caller finds, a line each, after the file's name. Text
// comes in as JSON; checked days and the caller's own types go out.
package rulefile

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/ist"
)

// Bounds of a file. Real ones are far smaller.
const (
	MaxBytes = 1 << 20
	MaxRules = 1000
	MaxText  = 1000 // bytes of one text
)

// Load reads a file of staff and gives it to read. what names the rules for people.
func Load[T any](path, what string, read func(text []byte) (T, error)) (T, error) {
	var none T
	text, err := os.ReadFile(path)
	if err != nil {
		return none, fmt.Errorf("read the %s: %w", what, err)
	}
	rules, err := read(text)
	if err != nil {
		return none, fmt.Errorf("%s %s: %w", what, path, err)
	}
	return rules, nil
}

// Decode decodes the whole file. what names the rules for people.
func Decode(text []byte, what string, into any) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("the %s have more than %d bytes", what, MaxBytes)
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("the %s are not JSON of the right form: %w", what, err)
	}
	return nil
}

// Dated are the members that every rule has. From is the first Indian day on which it is
// in force and Until the first on which it is not; empty: that side is open.
type Dated struct {
	From  string `json:"from"`
	Until string `json:"until"`
	Note  string `json:"note"`
}

// check gives the days and the faults of the members.
func (d Dated) check() (days ist.Days, wrong []error) {
	day := func(name, text string) ist.Day {
		if text == "" {
			return ""
		}
		day, err := ist.ParseDay(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
		return day
	}
	days = ist.Days{From: day("from", d.From), Until: day("until", d.Until)}
	if err := days.Check(); len(wrong) == 0 && err != nil {
		wrong = append(wrong, err)
	}
	if strings.TrimSpace(d.Note) == "" || len(d.Note) > MaxText {
		wrong = append(wrong, fmt.Errorf("note: say in 1 to %d bytes where it comes from", MaxText))
	}
	return days, wrong
}

// Rules decodes each rule of a list and gives it to read with its days. name is the
// list's name in errors; read returns the faults of the other members.
func Rules[T interface{ dated() Dated }](name string, list []jsontext.Value, read func(T, ist.Days) []error) (wrong []error) {
	if len(list) > MaxRules {
		return []error{fmt.Errorf("%s: there are %d, more than %d", name, len(list), MaxRules)}
	}
	for i, text := range list {
		var rule T
		var faults []error
		if err := json.Unmarshal(text, &rule, json.RejectUnknownMembers(true)); err != nil {
			faults = []error{fmt.Errorf("not an object of the right members: %w", err)}
		} else {
			var days ist.Days
			days, faults = rule.dated().check()
			faults = append(faults, read(rule, days)...)
		}
		for _, err := range faults {
			wrong = append(wrong, fmt.Errorf("%s %d: %w", name, i+1, err))
		}
	}
	return wrong
}

func (d Dated) dated() Dated { return d }
