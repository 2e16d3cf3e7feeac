package screen

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed messages
var messageFiles embed.FS

// words is the catalogue of one language: every text that the pages show, by
// key. A text holds its variables in braces, such as {amount}.
type words struct {
	lang language.Tag
	text map[string]string
}

func loadWords(lang string) (*words, error) {
	tag, err := language.Parse(lang)
	if err != nil {
		return nil, fmt.Errorf("language %q: %w", lang, err)
	}
	b, err := messageFiles.ReadFile("messages/" + lang + ".json")
	if err != nil {
		return nil, fmt.Errorf("the screen speaks no %q: %w", lang, err)
	}
	w := &words{lang: tag}
	if err := json.Unmarshal(b, &w.text); err != nil {
		return nil, fmt.Errorf("read messages/%s.json: %w", lang, err)
	}
	return w, nil
}

// has tells whether there is a text.
func (w *words) has(key string) bool { return w.text[key] != "" }

// say gives a text with its variables filled in, given as pairs of name and
// value. A key without a text gives the key, so that a fault shows where it is.
func (w *words) say(key string, vars ...any) string {
	text, ok := w.text[key]
	if !ok {
		return key
	}
	if len(vars) == 0 {
		return text
	}
	pairs := make([]string, 0, len(vars))
	for i := 0; i+1 < len(vars); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", vars[i]), fmt.Sprint(vars[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// count gives the text for n things: key.one, key.few and so on, as the
// language distinguishes, or key.other. {n} is the number.
func (w *words) count(key string, n int, vars ...any) string {
	form := map[plural.Form]string{
		plural.Zero: ".zero", plural.One: ".one", plural.Two: ".two", plural.Few: ".few", plural.Many: ".many",
	}[plural.Cardinal.MatchPlural(w.lang, n, 0, 0, 0, 0)]
	if form == "" || !w.has(key+form) {
		form = ".other"
	}
	return w.say(key+form, append([]any{"n", n}, vars...)...)
}

// first gives the text of the first key that has one.
func (w *words) first(keys []string, vars ...any) string {
	for _, key := range keys {
		if w.has(key) {
			return w.say(key, vars...)
		}
	}
	return w.say(keys[len(keys)-1])
}
