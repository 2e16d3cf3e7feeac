package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// finding is one thing that a scanner found.
type finding struct {
	rule, place string // such as G304, and a file; or a vulnerability's id, and its module
	what        string // for people
}

// key is what a baseline says a number for.
type key struct{ rule, place string }

// compare gives the findings that a baseline's file has not, and its lines that are of no use.
func compare(file string, found []finding) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	known, err := parseBaseline(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	by := map[key][]string{}
	for _, f := range found {
		k := key{f.rule, f.place}
		by[k] = append(by[k], f.what)
	}
	var errs []error
	for k, whats := range by {
		if len(whats) > known[k] {
			errs = append(errs, fmt.Errorf("%s %s was found %d times, and %s has %d:\n    %s\n  mend it, or say in %s why it is no weakness", k.rule, k.place, len(whats), file, known[k], strings.Join(whats, "\n    "), file))
		}
	}
	for k, count := range known {
		if len(by[k]) < count {
			errs = append(errs, fmt.Errorf("%s: %s is found %d times in %s, not %d: lower the number, or remove the line", file, k.rule, len(by[k]), k.place, count))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// parseBaseline reads a baseline: lines 'RULE reason', and below each one, after a tab, the
// places that it is for, 'place number'. Lines with # say something to people.
func parseBaseline(text string) (map[key]int, error) {
	known := map[key]int{}
	rule := ""
	for n, line := range strings.Split(text, "\n") {
		place, isPlace := strings.CutPrefix(line, "\t")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case !isPlace:
			name, reason, _ := strings.Cut(line, " ")
			if rule = name; len(strings.Fields(reason)) < 4 {
				return nil, fmt.Errorf("line %d gives no reason", n+1)
			}
		default:
			name, number, _ := strings.Cut(place, " ")
			count, err := strconv.Atoi(number)
			k := key{rule, name}
			if err != nil || count < 1 || rule == "" || known[k] != 0 {
				return nil, fmt.Errorf("line %d is not 'place number' below a rule, or stands twice", n+1)
			}
			known[k] = count
		}
	}
	return known, nil
}
