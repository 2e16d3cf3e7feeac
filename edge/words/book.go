package words

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

// English is the language that has every text.
const English = "en"

// Language is one that the counter speaks.
type Language struct {
	Code string // BCP 47: "hi"
	Name string // in itself: हिन्दी
}

// languages in the order in which people are offered them.
var languages = []Language{
	{English, "English"}, {"hi", "हिन्दी"}, {"mr", "मराठी"}, {"bn", "বাংলা"}, {"te", "తెలుగు"}, {"ta", "தமிழ்"},
}

// Languages gives the languages that the counter speaks, English first.
func Languages() []Language { return append([]Language(nil), languages...) }

// Known tells whether the counter speaks a language.
func Known(code string) bool {
	for _, l := range languages {
		if l.Code == code {
			return true
		}
	}
	return false
}

// Catalogue is the texts that one room brings.
type Catalogue struct {
	Room  string // who brings it, for errors
	Files fs.FS  // messages/en.json, and hi, mr, bn, te, ta
}

//go:embed messages
var own embed.FS

// folder of a catalogue's files.
const folder = "messages"

// ownCatalogue is the texts of this package: times and numbers.
func ownCatalogue() Catalogue { return Catalogue{Room: "words", Files: own} }

// Book is the texts of all rooms in all languages. It does not change, and may
// be used by many goroutines.
type Book struct {
	words   map[string]*Words
	tags    []language.Tag
	matcher language.Matcher
}

// Load reads catalogues. A key that stands in two rooms, or twice in a file, is
// an error, as is a language that English has no text for; a text that a
// language lacks is English there.
func Load(catalogues ...Catalogue) (*Book, error) {
	bundle := i18n.NewBundle(language.English)
	b := &Book{words: map[string]*Words{}}
	owner := map[string]string{}
	var faults []error
	for _, c := range append([]Catalogue{ownCatalogue()}, catalogues...) {
		english, err := c.read(English)
		if err != nil {
			return nil, err
		}
		for key := range english {
			if other, ok := owner[key]; ok {
				faults = append(faults, fmt.Errorf("the key %q stands in the texts of %s and of %s: rename one of them", key, other, c.Room))
			}
			owner[key] = c.Room
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
				return nil, fmt.Errorf("%s: %s: %w", c.Room, l.Code, err)
			}
		}
	}
	for _, l := range languages {
		tag := language.Make(l.Code)
		b.tags = append(b.tags, tag)
		b.words[l.Code] = &Words{code: l.Code, keys: owner, say: i18n.NewLocalizer(bundle, l.Code)}
	}
	b.matcher = language.NewMatcher(b.tags)
	return b, errors.Join(faults...)
}

// In gives the words of a language, or English where it is not spoken here.
func (b *Book) In(code string) *Words {
	if w := b.words[code]; w != nil {
		return w
	}
	return b.words[English]
}

// Match gives the words of the language that fits a browser's Accept-Language
// best, English where none does.
func (b *Book) Match(accept string) *Words {
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(wanted) == 0 {
		return b.words[English]
	}
	_, i, confidence := b.matcher.Match(wanted...)
	if confidence < language.High { // a language nearby is not one that people read
		return b.words[English]
	}
	return b.words[languages[i].Code]
}

// read gives the texts of one file by key. An error for a missing file is
// fs.ErrNotExist.
func (c Catalogue) read(code string) (map[string]*i18n.Message, error) {
	name := folder + "/" + code + ".json"
	raw, err := fs.ReadFile(c.Files, name)
	if err != nil {
		return nil, fmt.Errorf("%s: read %s: %w", c.Room, name, err)
	}
	if twice := repeated(raw); len(twice) > 0 {
		return nil, fmt.Errorf("%s: %s: these keys stand twice: %s", c.Room, name, strings.Join(twice, ", "))
	}
	file, err := i18n.ParseMessageFileBytes(raw, code+".json", nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.Room, name, err)
	}
	found := map[string]*i18n.Message{}
	for _, m := range file.Messages {
		found[m.ID] = m
	}
	return found, nil
}

// repeated gives the keys that stand twice in one object of a JSON text.
func repeated(raw []byte) (twice []string) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	var seen []map[string]bool // one for each open object
	key := true                // the next string is a key
	for {
		token, err := d.Token()
		if err != nil {
			return twice // the end; what is no JSON, the reader of messages tells
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
