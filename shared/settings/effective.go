package settings

import (
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
)

// Masked replaces a value that is set but not shown.
const Masked = "[set, not shown]"

// Effective prints the settings of the chosen command, each with its source, as a file
// that gives the same settings. Values that only the environment has follow as comments;
// secrets are masked.
func (b *Resolver) Effective(chosen *kong.Context, environment []string, out io.Writer) error {
	given := map[*kong.Flag]bool{}
	for _, p := range chosen.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag] = true
		}
	}
	var rows [][2]string
	var said []string // variables that a row has shown
	width := 0
	for _, group := range chosen.Selected().AllFlags(false) {
		for _, f := range group {
			if !isSetting(f) {
				continue
			}
			said = append(said, f.Envs...)
			text, err := inTOML(f.Name, f.Target)
			if err != nil {
				return fmt.Errorf("write the setting %s: %w", f.Name, err)
			}
			row := [2]string{text, b.origin(f, given[f])}
			rows, width = append(rows, row), max(width, len(row[0]))
		}
	}
	slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "%-*s  # %s\n", width, row[0], row[1])
	}
	for _, line := range b.environmentLines(environment, said) {
		fmt.Fprintf(&text, "# %s  (environment)\n", line)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// origin returns where a setting's value comes from.
func (b *Resolver) origin(f *kong.Flag, given bool) string {
	if given {
		return "flag --" + f.Name
	}
	if name := inEnvironment(f); name != "" {
		return "environment " + name
	}
	if e, ok := b.values[f.Name]; ok {
		return fmt.Sprintf("%s:%d", b.file, e.line)
	}
	return "default"
}

func inTOML(name string, v reflect.Value) (string, error) {
	value := v.Interface()
	if v.Kind() == reflect.String {
		value = withoutSecret(v.String())
	}
	text, err := toml.Marshal(map[string]any{name: value})
	return strings.TrimSpace(string(text)), err
}

// withoutSecret masks what may be a secret: an address may hold a password.
func withoutSecret(text string) string {
	if scheme, rest, found := strings.Cut(text, "://"); found && scheme != "" && strings.Contains(rest, "@") {
		u, err := url.Parse(text)
		if err != nil {
			return Masked
		}
		if _, has := u.User.Password(); has {
			return Masked
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// environmentLines are the variables without a setting.
func (b *Resolver) environmentLines(environment, said []string) []string {
	var out []string
	for _, one := range environment {
		name, value, _ := strings.Cut(one, "=")
		also := slices.ContainsFunc(b.cfg.VariablePrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		switch {
		case value == "", slices.Contains(said, name):
		case slices.Contains(b.cfg.SecretVariables, name), also && strings.HasSuffix(name, "HEADERS"):
			out = append(out, name+"="+Masked)
		case also:
			out = append(out, name+"="+withoutSecret(value))
		}
	}
	slices.Sort(out)
	return out
}
