package words

import (
	"fmt"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
)

// Words is what is said in one language.
type Words struct {
	code string
	keys map[string]string // every key, and its room
	say  *i18n.Localizer
}

// Code is the language's BCP 47 code, as lang attributes want it.
func (w *Words) Code() string { return w.code }

// Has tells whether there is a text.
func (w *Words) Has(key string) bool { return w.keys[key] != "" }

// Say gives a text with its variables filled in, given as pairs of name and
// value. A key without a text gives the key, so that a fault shows where it is.
func (w *Words) Say(key string, vars ...any) string {
	return w.localize(key, &i18n.LocalizeConfig{MessageID: key, TemplateData: vars, TemplateParser: braces{}})
}

// Count gives the text for n things, in the plural form that the language has
// for n. {n} is the number.
func (w *Words) Count(key string, n int, vars ...any) string {
	return w.localize(key, &i18n.LocalizeConfig{
		MessageID: key, PluralCount: n, TemplateData: append([]any{"n", n}, vars...), TemplateParser: braces{},
	})
}

// First gives the text of the first key that has one.
func (w *Words) First(keys []string, vars ...any) string {
	for _, key := range keys {
		if w.Has(key) {
			return w.Say(key, vars...)
		}
	}
	return w.Say(keys[len(keys)-1])
}

// FirstKey gives the first key that has a text, the last where none has.
func (w *Words) FirstKey(keys ...string) string {
	for _, key := range keys {
		if w.Has(key) {
			return key
		}
	}
	return keys[len(keys)-1]
}

func (w *Words) localize(key string, c *i18n.LocalizeConfig) string {
	// An error beside a text says that it is the English one.
	if text, _ := w.say.Localize(c); text != "" {
		return text
	}
	return key
}

// braces reads texts whose variables stand in braces. A text can do nothing but
// hold variables.
type braces struct{}

func (braces) Cacheable() bool { return true }

func (braces) Parse(src, _, _ string) (template.ParsedTemplate, error) { return filled(src), nil }

// filled is a text whose variables are filled in when it is said.
type filled string

// Execute implements template.ParsedTemplate; data is pairs of name and value.
func (f filled) Execute(data any) (string, error) {
	vars, _ := data.([]any)
	if len(vars) == 0 {
		return string(f), nil
	}
	pairs := make([]string, 0, len(vars))
	for i := 0; i+1 < len(vars); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", vars[i]), fmt.Sprint(vars[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(string(f)), nil
}
