package help

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"

	"galla/edge/i18n"
	"galla/edge/ui/help/guide"
	"galla/edge/ui/help/search"
)

// typed are the words that agents type for an article, by language.
//
//go:embed words
var typed embed.FS

// Weights of the index: what an article is called, and what it says.
const (
	nameWeight = 3
	textWeight = 1
)

// maxAnswers bounds the results of a search.
const maxAnswers = 8

// library is everything that help can find.
type library struct {
	index  *search.Index
	guides map[string]guide.Guide // by language
}

// newLibrary reads the guide and the codes in all languages into one index.
func (h *Pages) newLibrary() (*library, error) {
	l := &library{guides: map[string]guide.Guide{}}
	var names []string
	parts := map[string][]search.Part{}
	add := func(name string, weight float64, text string) {
		if parts[name] == nil {
			names = append(names, name)
		}
		parts[name] = append(parts[name], search.Part{Weight: weight, Words: text})
	}
	for _, language := range i18n.Languages() {
		g, err := guide.Read(language.Code, pictureAddress)
		if err != nil {
			return nil, err
		}
		l.guides[language.Code] = g
		for _, a := range g.Articles() {
			add(a.ID, nameWeight, a.Title)
			add(a.ID, textWeight, a.Text())
		}
		for _, e := range h.entries(h.kit.Book().Localizer(language.Code)) {
			add(e.ID(), nameWeight, e.Codes+" "+e.Says)
			add(e.ID(), textWeight, e.Do)
		}
		words, err := readTyped(language.Code)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			if parts[w.name] == nil {
				return nil, fmt.Errorf("words/%s.txt: there is no article %s", language.Code, w.name)
			}
			add(w.name, nameWeight, w.text)
		}
	}
	var texts []search.Text
	for _, name := range names {
		texts = append(texts, search.Text{Name: name, Parts: parts[name]})
	}
	l.index = search.New(texts...)
	return l, nil
}

// line is a line of a file of words: an article, and what agents type for it.
type line struct{ name, text string }

func readTyped(code string) (out []line, err error) {
	b, err := typed.ReadFile("words/" + code + ".txt")
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(b)) {
		if name, text, ok := strings.Cut(l, ": "); ok && !strings.HasPrefix(l, "#") {
			out = append(out, line{name, text})
		}
	}
	return out, nil
}

// Answer is a result of a search, which leads to the article.
type Answer struct{ Href, Title, Text string }

// find returns the articles for a query in a language. It keeps nothing of the query.
func (h *Pages) find(w *i18n.Localizer, l *library, query string) (out []Answer) {
	articles := map[string]Answer{}
	for _, a := range l.guides[w.Code()].Articles() {
		articles[a.ID] = Answer{"/guide#" + a.ID, a.Title, excerpt(a.Text())}
	}
	for _, e := range h.entries(w) {
		articles[e.ID()] = Answer{"/help#" + e.ID(), e.Says, e.Do}
	}
	for _, name := range l.index.Find(query, maxAnswers) {
		out = append(out, articles[name])
	}
	return out
}

// entries returns the entries of all codes in a language.
func (h *Pages) entries(w *i18n.Localizer) (all []Entry) {
	for _, p := range bankParts(w) {
		all = append(all, p.Entries...)
	}
	return append(append(all, h.Reader(w)...), h.Face(w)...)
}

// maxExcerpt is about two lines of a desktop, in characters.
const maxExcerpt = 170

// excerpt shortens an article to its beginning, at the end of a word.
func excerpt(text string) string {
	runes := []rune(text)
	if len(runes) <= maxExcerpt {
		return text
	}
	short := string(runes[:maxExcerpt])
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return strings.TrimRight(short, ".,:;।") + "…"
}

// pictureAddress is where the pages find a picture of the guide. The hash of the content is
// in it, so browsers may keep it.
func pictureAddress(p guide.Picture) string {
	content, err := guide.Content(p.File())
	if err != nil {
		return "" // a test of package guide finds missing pictures
	}
	return "/guide/pictures/" + hashOf(content) + "/" + p.File()
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}
