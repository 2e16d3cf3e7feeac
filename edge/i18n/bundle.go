package i18n

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// English has every text.
const English = "en"

// Language is a language of the counter.
type Language struct {
	Code string // BCP 47: "hi"
	Name string // its own name: हिन्दी
}

// languages in the order in which they are offered.
var languages = []Language{
	{English, "English"}, {"hi", "हिन्दी"}, {"mr", "मराठी"}, {"bn", "বাংলা"}, {"te", "తెలుగు"}, {"ta", "தமிழ்"},
}

// Languages returns the counter's languages, English first.
func Languages() []Language { return append([]Language(nil), languages...) }

// IsSupported reports whether the counter has a language.
func IsSupported(code string) bool {
	for _, l := range languages {
		if l.Code == code {
			return true
		}
	}
	return false
}

// Catalogue holds the texts of one section.
type Catalogue struct {
	Owner string // for errors
	Files fs.FS  // messages/en.json, and hi, mr, bn, te, ta
}

//go:embed messages
var ownFiles embed.FS

const folder = "messages"

// ownCatalogue holds the texts of this package: times and numbers.
func ownCatalogue() Catalogue { return Catalogue{Owner: "i18n", Files: ownFiles} }

// Bundle holds the texts of all sections in all languages. It does not change and is safe
// for concurrent use.
type Bundle struct {
	localizers map[string]*Localizer
	tags       []language.Tag
	matcher    language.Matcher
}

// Load reads catalogues. A key of two sections, a key twice in a file, or a key without an
// English text is an error. A text that another language lacks is shown in English.
func Load(catalogues ...Catalogue) (*Bundle, error) {
	bundle := i18n.NewBundle(language.English)
	b := &Bundle{localizers: map[string]*Localizer{}}
	owner := map[string]string{}
	var faults []error
	for _, c := range append([]Catalogue{ownCatalogue()}, catalogues...) {
		english, err := c.read(English)
		if err != nil {
			return nil, err
		}
		for key := range english {
			if other, ok := owner[key]; ok {
				faults = append(faults, fmt.Errorf("the key %q is in the texts of %s and of %s: rename one of them", key, other, c.Owner))
			}
			owner[key] = c.Owner
		}
		for _, l := range languages {
			found, err := c.read(l.Code)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if err := bundle.AddMessages(language.Make(l.Code), list(found)...); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", c.Owner, l.Code, err)
			}
		}
	}
	for _, l := range languages {
		tag := language.Make(l.Code)
		b.tags = append(b.tags, tag)
		b.localizers[l.Code] = &Localizer{code: l.Code, keys: owner, localizer: i18n.NewLocalizer(bundle, l.Code)}
	}
	b.matcher = language.NewMatcher(b.tags)
	return b, errors.Join(faults...)
}

// Localizer returns the texts of a language, or English where it is not supported.
func (b *Bundle) Localizer(code string) *Localizer {
	if w := b.localizers[code]; w != nil {
		return w
	}
	return b.localizers[English]
}

// Match returns the texts of the language that fits a browser's Accept-Language best,
// English where none does.
func (b *Bundle) Match(accept string) *Localizer {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(wanted) == 0 {
		return b.localizers[English]
	}
	_, i, confidence := b.matcher.Match(wanted...)
	if confidence < language.High { // speakers of a related language may not read this one
		return b.localizers[English]
	}
	return b.localizers[languages[i].Code]
}

// read returns the texts of one file by key. The error for a missing file is
// fs.ErrNotExist.
func (c Catalogue) read(code string) (map[string]*i18n.Message, error) {
	name := folder + "/" + code + ".json"
	raw, err := fs.ReadFile(c.Files, name)
	if err != nil {
		return nil, fmt.Errorf("%s: read %s: %w", c.Owner, name, err)
	}
	if twice := duplicateKeys(raw); len(twice) > 0 {
		return nil, fmt.Errorf("%s: %s: these keys stand twice: %s", c.Owner, name, strings.Join(twice, ", "))
	}
	file, err := i18n.ParseMessageFileBytes(raw, code+".json", nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.Owner, name, err)
	}
	found := map[string]*i18n.Message{}
	for _, m := range file.Messages {
		found[m.ID] = m
	}
	return found, nil
}

// duplicateKeys returns the keys that occur twice in one object of a JSON text.
func duplicateKeys(raw []byte) (twice []string) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	var seen []map[string]bool // one for each open object
	key := true                // the next string is a key
	for {
		token, err := d.Token()
		if err != nil {
			return twice // the end; the messages' parser reports invalid JSON
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' {
				seen, key = append(seen, map[string]bool{}), true
			} else if v == '}' && len(seen) > 0 {
				seen, key = seen[:len(seen)-1], true
			}
		case string:
			if key && len(seen) > 0 {
				if top := seen[len(seen)-1]; top[v] {
					twice = append(twice, v)
				} else {
					top[v] = true
				}
			}
			key = !key
		default:
			key = true
		}
	}
}

func list(m map[string]*i18n.Message) []*i18n.Message {
	out := make([]*i18n.Message, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}
