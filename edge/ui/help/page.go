package help

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/edge/ui/help/guide"
)

// Bounds of what is searched for, in characters.
const (
	maxQuery = 60
	maxCode  = 8
)

type codeGroup struct {
	ID, Title string
	Parts     []codePart
}

type codePart struct {
	Title   string // empty: the table has one part
	Tone    string // ok, warn, bad; empty: none
	Entries []Entry
}

type helpPage struct {
	Field    ui.Field
	Searched bool   // the lists are hidden
	Count    string // how many answers, for screen readers
	Nothing  string // that nothing was found
	Unknown  string // that the code is not known, with what not to do
	Found    []Entry
	Answers  []Answer
	Guide    []guide.Article // its contents
	Support  string          // who to call; empty: unknown
	Groups   []codeGroup
}

// longNumber is a number that is no code: of Aadhaar, of a card, of a phone. It does not
// stay in an address.
var longNumber = regexp.MustCompile(`(\d[\s-]*){7,}`)

// askedFor returns what is searched for, and whether the request's address may stay.
func askedFor(r *http.Request) (query string, clean bool) {
	given := r.URL.Query().Get("q")
	if code := r.URL.Query().Get("code"); code != "" {
		given = strings.ToUpper(code)
	}
	query = strings.TrimSpace(longNumber.ReplaceAllString(given, " "))
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	return query, !longNumber.MatchString(given)
}

// showHelp shows what was searched for, or else the lists of everything. Links of other
// pages ask for a code, the form for words or a code.
func (h *Pages) showHelp(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	query, clean := askedFor(r)
	if !clean {
		http.Redirect(w, r, "/help?q="+url.QueryEscape(query), http.StatusSeeOther)
		return
	}
	l, err := h.library()
	if err != nil {
		h.kit.Fail(w, r, ses, err)
		return
	}
	words := ses.Words()
	p := helpPage{Searched: query != "", Guide: l.guides[words.Code()].Chapters, Field: ui.Field{
		Name: "q", Kind: ui.Search, Label: words.Text("help.query"), Hint: words.Text("help.query.hint"), Value: query, Max: maxQuery, Focus: true,
	}}
	if h.support != "" {
		p.Support = words.Text("help.support", "phone", h.support)
	}
	if p.Searched {
		h.search(words, l, query, r.URL.Query().Has("typed"), &p)
	} else {
		p.Groups = []codeGroup{
			{"bank", words.Text("help.bank"), bankParts(words)},
			{"reader", words.Text("help.reader"), []codePart{{Entries: h.Reader(words)}}},
			{"face", words.Text("help.face"), []codePart{{Entries: h.Face(words)}}},
		}
	}
	h.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "help/help", Title: words.Text("help.title"), Back: "/", Data: p})
}

// search fills the page with what is found: a code's own entry first. While somebody types,
// half a code is no unknown code yet.
func (h *Pages) search(words *i18n.Localizer, l *library, query string, typed bool, p *helpPage) {
	code := strings.ToUpper(query)
	p.Found = h.Find(words, code)
	for _, a := range h.find(words, l, query) {
		if len(p.Found) == 0 || !strings.HasPrefix(a.Href, "/help#") {
			p.Answers = append(p.Answers, a)
		}
	}
	isCode := utf8.RuneCountInString(code) <= maxCode && !strings.Contains(code, " ")
	switch n := len(p.Found) + len(p.Answers); {
	case n > 0:
		p.Count = words.Plural("help.count", n)
	case isCode && !typed:
		p.Unknown = words.Text("help.none", "code", code)
	default:
		p.Nothing = words.Text("help.nothing", "query", query)
	}
}

// showGuide shows the whole guide on one page, which prints as a booklet.
func (h *Pages) showGuide(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	l, err := h.library()
	if err != nil {
		h.kit.Fail(w, r, ses, err)
		return
	}
	g := l.guides[ses.Words().Code()]
	h.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "help/guide", Title: g.Title, Back: "/help", Data: g})
}

// servePicture serves a picture of the guide. It needs no session: there is nothing of a
// customer in it.
func servePicture(w http.ResponseWriter, r *http.Request) {
	content, err := guide.Content(r.PathValue("file"))
	if err != nil || hashOf(content) != r.PathValue("hash") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/webp")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(content) // the browser may have gone
}
