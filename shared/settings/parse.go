package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

type assignment struct {
	name  string
	value any
	line  int
}

// parse reads the text of a file. Errors have the line, and not its content, which might
// be a secret in the wrong place.
func parse(name, text string) ([]assignment, error) {
	var values map[string]any
	meta, err := toml.Decode(text, &values)
	if err != nil {
		at := 1
		var wrong toml.ParseError
		if errors.As(err, &wrong) && wrong.Position.Line > 0 {
			at = wrong.Position.Line
		}
		return nil, fmt.Errorf("%s:%d: this can't be read as TOML; a setting is one line, name = value, each name once, and texts stand in \"quotes\"", name, at)
	}
	lines, seen := linesOf(text), map[string]bool{}
	var out []assignment
	for _, key := range meta.Keys() { // several keys of a table have the same beginning
		if !seen[key[0]] {
			seen[key[0]] = true
			out = append(out, assignment{name: key[0], value: values[key[0]], line: lines[key[0]]})
		}
	}
	return out, nil
}

// linesOf finds the line at which each name begins: the first after which the text up to
// there can be parsed and has the name. A value over several lines can't be parsed
// before its end, so it begins after the last text that could.
func linesOf(text string) map[string]int {
	out, from := map[string]int{}, 1
	rows := strings.SplitAfter(text, "\n")
	var piece strings.Builder
	for i, row := range rows {
		piece.WriteString(row)
		var values map[string]any
		if _, err := toml.Decode(piece.String(), &values); err != nil {
			continue
		}
		for name := range values {
			if _, known := out[name]; !known {
				out[name] = from
			}
		}
		from = i + 2
		piece.Reset()
	}
	return out
}

// kongText returns the value as kong reads it for a flag of the type; an error says which
// kind of value is needed.
func (a assignment) kongText(want reflect.Type) (string, error) {
	switch v := a.value.(type) {
	case bool:
		if want.Kind() == reflect.Bool {
			return strconv.FormatBool(v), nil
		}
	case int64:
		if isNumber(want) {
			return strconv.FormatInt(v, 10), nil
		}
	case float64:
		if want.Kind() == reflect.Float64 {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
	case string:
		if want.Kind() == reflect.String || want == reflect.TypeFor[time.Duration]() {
			return v, nil
		}
	case []any:
		if want.Kind() == reflect.Slice {
			return joinList(v)
		}
	}
	return "", fmt.Errorf("wants %s", describeType(want))
}

// isNumber reports whether values of the type are whole numbers. A duration is a text
// with its unit.
func isNumber(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return t != reflect.TypeFor[time.Duration]()
	}
	return false
}

// separator separates the items of a list on a command line.
const separator = ","

func joinList(items []any) (string, error) {
	texts := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok || text == "" || strings.Contains(text, separator) {
			return "", errors.New(`wants a list of texts without commas, such as ["a", "b"]`)
		}
		texts[i] = text
	}
	return strings.Join(texts, separator), nil
}

func describeType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return `a time with its unit, such as "15s"`
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return `a list of texts, such as ["a", "b"]`
	case isNumber(t):
		return "a number"
	}
	return `a text in "quotes"`
}
