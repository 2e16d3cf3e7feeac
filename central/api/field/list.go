package field

import (
	"fmt"
	"slices"
	"strings"
)

// List reads words of a query, separated by commas, each at most once and in any
// order. It returns otherwise if the field is absent or empty.
func (r *Reader) List(field string, otherwise []string, words ...string) []string {
	r.describe(field, May, Schema{
		Type: "string", Pattern: `^(` + strings.Join(words, "|") + `)(,(` + strings.Join(words, "|") + `))*$`,
		Note: fmt.Sprintf("any of %s, separated by commas, each once; default %s", strings.Join(words, ", "), strings.Join(otherwise, ",")),
	})
	s, ok := r.stringValue(field, May)
	if !ok || s == "" {
		return otherwise
	}
	var given []string
	for part := range strings.SplitSeq(s, ",") {
		if !slices.Contains(words, part) || slices.Contains(given, part) {
			r.Fail(field, "enum", fmt.Sprintf("must be any of %s, separated by commas, each once", strings.Join(words, ", ")))
			return otherwise
		}
		given = append(given, part)
	}
	return given
}
