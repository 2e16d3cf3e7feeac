package i18n

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/go-json-experiment/json"
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

var languages = []Language{
	{English, "English"}, {"hi", "हिन्दी"}, {"mr", "मराठी"}, {"bn", "বাংলা"}, {"te", "తెలుగు"}, {"ta", "தமிழ்"},
}

// Languages returns the counter's languages, English first.
func Languages() []Language { return slices.Clone(languages) }

// IsSupported reports whether the counter has a language.
func IsSupported(code string) bool {
	return slices.ContainsFunc(languages, func(l Language) bool { return l.Code == code })
}

// Catalogue holds the texts of one section.
type Catalogue struct {
	Owner string // for errors
	Files fs.FS  // messages/en.json, and hi, mr, bn, te, ta
}

//go:embed messages
var ownFiles embed.FS

// Bundle holds the texts of all sections in all languages. It does not change and is safe
// for concurrent use.
type Bundle struct {
	localizers map[string]*Localizer
	matcher    language.Matcher
}

// Load reads catalogues. A key of two sections, a key twice in a file, or a key without an
// English text is an error. A text that another language lacks is shown in English.
func Load(catalogues ...Catalogue) (*Bundle, error) {
	bundle := i18n.NewBundle(language.English)
	b := &Bundle{localizers: map[string]*Localizer{}}
	owner := map[string]string{}
	var faults []error
	own := Catalogue{Owner: "i18n", Files: ownFiles} // times and numbers
	for _, c := range append([]Catalogue{own}, catalogues...) {
		for _, l := range languages {
			messages, err := c.read(l.Code)
			if errors.Is(err, fs.ErrNotExist) && l.Code != English {
				continue
			}
			if err != nil {
				return nil, err
			}
			if err := bundle.AddMessages(language.Make(l.Code), messages...); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", c.Owner, l.Code, err)
			}
			if l.Code != English {
				continue
			}
			for _, m := range messages {
				if other, ok := owner[m.ID]; ok {
					faults = append(faults, fmt.Errorf("the key %q is in the texts of %s and of %s: rename one of them", m.ID, other, c.Owner))
				}
				owner[m.ID] = c.Owner
			}
		}
	}
	var tags []language.Tag
	for _, l := range languages {
		tags = append(tags, language.Make(l.Code))
		b.localizers[l.Code] = &Localizer{code: l.Code, keys: owner, localizer: i18n.NewLocalizer(bundle, l.Code)}
	}
	b.matcher = language.NewMatcher(tags)
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

// read returns the texts of one file. The error for a missing file is fs.ErrNotExist.
func (c Catalogue) read(code string) ([]*i18n.Message, error) {
	name := "messages/" + code + ".json"
	raw, err := fs.ReadFile(c.Files, name)
	if err == nil {
		err = json.Unmarshal(raw, new(map[string]any)) // go-i18n takes a key that stands twice
	}
	if err != nil {
		return nil, fmt.Errorf("%s: read %s: %w", c.Owner, name, err)
	}
	file, err := i18n.ParseMessageFileBytes(raw, code+".json", nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.Owner, name, err)
	}
	return file.Messages, nil
}
