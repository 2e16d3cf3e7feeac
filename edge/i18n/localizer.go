package i18n

import (
	"fmt"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
)

// Localizer formats texts of one language.
type Localizer struct {
	code      string
	keys      map[string]string // every key, with its owner
	localizer *i18n.Localizer
}

// Code is the language's BCP 47 code, as in lang attributes.
func (w *Localizer) Code() string { return w.code }

// Has reports whether there is a text.
func (w *Localizer) Has(key string) bool { return w.keys[key] != "" }

// Text returns a text with its variables filled in; vars are pairs of name and value. A
// key without a text returns the key, so that the fault is visible.
func (w *Localizer) Text(key string, vars ...any) string {
	return w.localize(key, &i18n.LocalizeConfig{MessageID: key, TemplateData: vars, TemplateParser: braces{}})
}

// Plural returns the text for n things, in the language's plural form for n. {n} is the
// number.
func (w *Localizer) Plural(key string, n int, vars ...any) string {
	return w.localize(key, &i18n.LocalizeConfig{
		MessageID: key, PluralCount: n, TemplateData: append([]any{"n", n}, vars...), TemplateParser: braces{},
	})
}

// FirstKey returns the first key that has a text, or the last key.
func (w *Localizer) FirstKey(keys ...string) string {
	for _, key := range keys {
		if w.Has(key) {
			return key
		}
	}
	return keys[len(keys)-1]
}

func (w *Localizer) localize(key string, c *i18n.LocalizeConfig) string {
	// An error beside a text means that the text is the English one.
	if text, _ := w.localizer.Localize(c); text != "" {
		return text
	}
	return key
}

// braces parses texts with variables in braces. A text can do nothing else.
type braces struct{}

func (braces) Cacheable() bool { return true }

func (braces) Parse(src, _, _ string) (template.ParsedTemplate, error) {
	return bracesTemplate(src), nil
}

type bracesTemplate string

// Execute implements template.ParsedTemplate; data holds pairs of name and value.
func (f bracesTemplate) Execute(data any) (string, error) {
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
