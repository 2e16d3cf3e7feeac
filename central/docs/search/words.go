package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// word is a word of a text and its place there, in bytes.
type word struct {
	stem     string
	from, to int
}

// joined matches what is searched as a whole, and by its parts: bank-concurrency,
// galla_requests_total, data.ResponseCode, 10:30, T+5.
var joined = regexp.MustCompile(`[\pL\pN]+(?:[-_.:/+'’][\pL\pN]+)*`)

// part matches the parts of a word: letters or digits.
var part = regexp.MustCompile(`[\pL\pN]+`)

// camel matches the end of one word in a name such as GallaOperationsStuck or statusCode.
var camel = regexp.MustCompile(`\p{Ll}\p{Lu}`)

// wordsOf returns the words of a text: whole names, and the parts of names.
func wordsOf(text string) (all []word) {
	for _, at := range joined.FindAllStringIndex(text, -1) {
		whole := text[at[0]:at[1]]
		all = append(all, word{stem(whole), at[0], at[1]})
		// A date, a time or an amount is no list of numbers.
		if !strings.ContainsFunc(whole, unicode.IsLetter) {
			continue
		}
		for _, p := range part.FindAllStringIndex(whole, -1) {
			name, from := whole[p[0]:p[1]], at[0]+p[0]
			if name != whole {
				all = append(all, word{stem(name), from, from + len(name)})
			}
			humps := pieces(name)
			for _, piece := range humps {
				if len(humps) > 1 {
					all = append(all, word{stem(piece), from, from + len(piece)})
				}
				from += len(piece)
			}
		}
	}
	return all
}

// pieces divides a name at its capitals.
func pieces(name string) (out []string) {
	from := 0
	for _, at := range camel.FindAllStringIndex(name, -1) {
		to := at[1] - len(lastRune(name[:at[1]]))
		out, from = append(out, name[from:to]), to
	}
	return append(out, name[from:])
}

func lastRune(s string) string {
	runes := []rune(s)
	return string(runes[len(runes)-1])
}

// stem is the form under which a word is kept: lower case, without the joints of a name and
// without its ending.
func stem(text string) string {
	s := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	s = strings.TrimSuffix(s, "'s")
	if part.FindString(s) != s && strings.ContainsFunc(s, unicode.IsLetter) {
		s = strings.NewReplacer("-", "", "_", "", "'", "").Replace(s)
	}
	return withoutEnding(s)
}

// withoutEnding takes off what makes a plural, a past or a progress of a word, so that
// restores, restored and restoring are one word.
func withoutEnding(s string) string {
	cut := func(end, put string, least int) bool {
		if len(s) < len(end)+least || !strings.HasSuffix(s, end) {
			return false
		}
		s = strings.TrimSuffix(s, end) + put
		return true
	}
	if !cut("ies", "y", 2) && !strings.HasSuffix(s, "ss") && !strings.HasSuffix(s, "us") {
		cut("s", "", 3)
	}
	if !cut("ing", "", 4) {
		cut("ed", "", 4)
	}
	cut("e", "", 4)
	if n := len(s); n > 4 && s[n-1] == s[n-2] && s[n-1] != 's' { // stopped, enroll
		s = s[:n-1]
	}
	return s
}

// isNumber reports whether a stem is a number or a code of digits.
func isNumber(s string) bool { return !strings.ContainsFunc(s, unicode.IsLetter) }

// fillers are words that say nothing about what is looked for.
func fillers() []string {
	return strings.Fields("a an and are as at be by can do does for from how i if in is it my of on or our the there to too was we what when where which who why will with you your not get")
}

// queryWords returns the words of a query that count: at most maxWords, each once, no
// fillers unless there is nothing else.
func queryWords(query string) []string {
	var all, kept []string
	for _, at := range joined.FindAllString(query, -1) {
		s := stem(at)
		if !slices.Contains(all, s) && len(all) < maxWords {
			all = append(all, s)
		}
	}
	for _, s := range all {
		if !slices.Contains(fillers(), s) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return all
	}
	return kept
}

// oneTypo reports whether two words differ by one letter that is wrong, missing, too many, or
// changed places with its neighbour.
func oneTypo(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return slices.Equal(x[i:], y[i+1:])
	}
	if i == len(x) {
		return true
	}
	swapped := i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
	return swapped || slices.Equal(x[i+1:], y[i+1:])
}
