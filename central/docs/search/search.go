package search

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Bounds of a query and its answer.
const (
	MaxQuery = 100 // characters; the rest of a longer query is ignored
	maxWords = 8
	Results  = 20
)

// Section is a part of a page that can be found.
type Section struct {
	Path    string // with the anchor, such as /docs/operate#watching-with-prometheus
	Page    string // the page's title
	Name    string // more words that name the page, such as those of its address
	Heading string // empty: the part above the first heading
	Terms   string // what the section explains, such as the first cells of its tables
	Text    string // all its text, Terms too
	Preview string // what a result shows if Text is empty
}

// Result is a section that was found.
type Result struct {
	Section
	Excerpt []Piece
}

// Piece is a part of an excerpt.
type Piece struct {
	Text   string
	Marked bool
}

// field is a place of a section in which a word may be.
type field int

const (
	inText field = iota
	inTerms
	inTitle
	inHeading
	fields
)

// weights are what a word counts in each field.
func weights() [fields]float64 {
	return [fields]float64{inText: 1, inTerms: 3, inTitle: 2.5, inHeading: 5}
}

// What a word of the text counts compared with the word that was asked for.
const (
	likeExact  = 1.0
	likeLonger = 0.2 // it begins with the word, which is a word itself
	likePrefix = 0.6
	likeTypo   = 0.5
	likeShort  = 0.4 // a typo, and the word of the text is the shorter one
)

// allNamed is what a section gains if its heading and its page's title have all words.
const allNamed = 2.5

// posting says how often a word is in each field of a section.
type posting struct {
	section int
	count   [fields]int
}

// text is what a result shows of a section, read once.
type text struct {
	shown string
	lower string // all its letters small
	words []word
	size  int // how many words it has, those of a name once
}

// Index is the sections and their words.
type Index struct {
	sections []Section
	names    [][]string // of each section
	texts    []text     // of each section
	mean     float64
	postings map[string][]posting
	words    []string // all, sorted
}

// New builds the index.
func New(sections []Section) *Index {
	ix := &Index{sections: sections, postings: map[string][]posting{}}
	total := 0
	for i, s := range sections {
		counts := map[string]*posting{}
		heading := s.Heading
		if heading == "" { // the page itself
			heading = s.Page + " " + s.Name
		}
		read := text{shown: cmp.Or(s.Text, s.Preview), lower: strings.ToLower(s.Text), size: len(part.FindAllStringIndex(s.Text, -1))}
		read.words = wordsOf(read.shown)
		ix.texts, total = append(ix.texts, read), total+read.size
		for f, words := range [fields][]word{inText: read.words, inTerms: wordsOf(s.Terms), inTitle: wordsOf(s.Page + " " + s.Name), inHeading: wordsOf(heading)} {
			if field(f) == inText && s.Text == "" {
				continue
			}
			for _, w := range words {
				if counts[w.stem] == nil {
					counts[w.stem] = &posting{section: i}
				}
				counts[w.stem].count[f]++
			}
		}
		for stem, p := range counts {
			ix.postings[stem] = append(ix.postings[stem], *p)
		}
		ix.names = append(ix.names, namesOf(s))
	}
	ix.mean = float64(max(1, total)) / float64(max(1, len(sections)))
	for stem := range ix.postings {
		ix.words = append(ix.words, stem)
	}
	slices.Sort(ix.words)
	return ix
}

// Cut returns a query without what is over MaxQuery, and whether it was longer.
func Cut(query string) (cut string, longer bool) {
	query = strings.TrimSpace(strings.ToValidUTF8(query, ""))
	if utf8.RuneCountInString(query) <= MaxQuery {
		return query, false
	}
	return string([]rune(query)[:MaxQuery]), true
}

// Find returns the sections that a query finds, best first, at most Results of them, and the
// number of all. Sections that have all words come before those that lack some.
func (ix *Index) Find(query string) (found []Result, total int) {
	query, _ = Cut(query)
	asked := ix.known(queryWords(query))
	if len(asked) == 0 {
		return nil, 0
	}
	points, matches, names := map[int]float64{}, map[int]int{}, map[int]int{}
	marked := map[string]bool{}
	for _, stem := range asked {
		for section, m := range ix.score(stem, marked) {
			points[section] += m.points
			matches[section]++
			if m.isName {
				names[section]++
			}
		}
	}
	order := make([]int, 0, len(points))
	for section := range points {
		share := float64(matches[section]) / float64(len(asked))
		points[section] *= share * share * share * ix.named(section, asked, query)
		if len(asked) > 1 && names[section] == len(asked) {
			points[section] *= allNamed
		}
		order = append(order, section)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(points[b], points[a]), cmp.Compare(a, b))
	})
	for _, section := range order[:min(Results, len(order))] {
		found = append(found, Result{ix.sections[section], excerpt(ix.texts[section], marked)})
	}
	return found, len(order)
}

// known replaces names that no section has, such as bank/down, by their parts.
func (ix *Index) known(asked []string) (out []string) {
	for _, stem := range asked {
		parts := part.FindAllString(stem, -1)
		if len(parts) < 2 || len(ix.alike(stem)) > 0 {
			parts = []string{stem}
		}
		out = append(out, parts...)
	}
	return out[:min(maxWords, len(out))]
}

// match is what a word of a query found in a section.
type match struct {
	points float64
	isName bool // the heading or the page's title has it
}

// score returns what a word found in each section, and adds the words of the texts that it
// stands for to marked.
func (ix *Index) score(stem string, marked map[string]bool) map[int]match {
	found := map[int]match{}
	for like, words := range ix.alike(stem) {
		for _, w := range words {
			marked[w] = true
			rare := math.Log(1 + float64(len(ix.sections))/float64(len(ix.postings[w])))
			for _, p := range ix.postings[w] {
				m := found[p.section]
				m.points = max(m.points, like*rare*ix.weigh(p))
				m.isName = m.isName || p.count[inHeading] > 0 || p.count[inTitle] > 0
				found[p.section] = m
			}
		}
	}
	return found
}

// weigh is what the occurrences of a word count in a section. In a text they count less the
// more there are, and the longer the text is.
func (ix *Index) weigh(p posting) (sum float64) {
	for f, weight := range weights() {
		switch n := float64(p.count[f]); {
		case n == 0:
		case field(f) == inText:
			sum += weight * 2 * n / (n + 0.5 + float64(ix.texts[p.section].size)/ix.mean)
		default:
			sum += weight
		}
	}
	return sum
}

// alike returns the words of the texts that a word of a query stands for, by how like they
// are.
func (ix *Index) alike(stem string) map[float64][]string {
	out, prefix := map[float64][]string{}, likePrefix
	if len(ix.postings[stem]) > 0 {
		out[likeExact], prefix = []string{stem}, likeLonger
	}
	if isNumber(stem) {
		return out
	}
	if len(stem) >= 3 {
		for i := sort.SearchStrings(ix.words, stem); i < len(ix.words) && strings.HasPrefix(ix.words[i], stem); i++ {
			if ix.words[i] != stem {
				out[prefix] = append(out[prefix], ix.words[i])
			}
		}
	}
	if len(out[likeExact]) > 0 || len(stem) < 4 {
		return out
	}
	for _, w := range ix.words {
		switch {
		case !oneTypo(stem, w):
		case len(w) < len(stem):
			out[likeShort] = append(out[likeShort], w)
		default:
			out[likeTypo] = append(out[likeTypo], w)
		}
	}
	return out
}

// named is what a section gains by being named as the query is: its heading, its page's title
// or its page's address has the words of the query, in their order and nothing else; or its
// heading has them among others, or its text has the query as it is.
func (ix *Index) named(section int, asked []string, query string) float64 {
	whole := strings.Join(asked, " ")
	s, names := ix.sections[section], ix.names[section]
	switch {
	case s.Heading == "" && slices.Contains(names, whole): // a whole page
		return 4.5
	case strings.EqualFold(s.Heading, query):
		return 4
	case slices.Contains(names, whole):
		return 3
	case len(asked) > 1 && strings.Contains(" "+names[0]+" ", " "+whole+" "):
		return 2
	case len(asked) > 1 && strings.Contains(ix.texts[section].lower, strings.ToLower(query)):
		return 1.5
	}
	return 1
}

// chapter matches the number before a heading.
var chapter = regexp.MustCompile(`^\d+(\.\d+)*\.? `)

// namesOf are the names of a section, as a query is read: its heading first; of a page as a
// whole also its address, with and without its folder.
func namesOf(s Section) []string {
	plain := func(text string) string { return strings.Join(queryWords(chapter.ReplaceAllString(text, "")), " ") }
	if s.Heading != "" {
		return []string{plain(s.Heading)}
	}
	_, last, _ := strings.Cut(s.Name, " ")
	return []string{plain(s.Page), plain(s.Name), plain(last)}
}
