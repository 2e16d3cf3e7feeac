package search

import (
	"strings"
	"unicode"
)

// spelling makes one letter of those that people mix up: signs that fonts join or leave
// out, and the nasal signs of Hindi and Bengali.
var spelling = strings.NewReplacer(
	"\u200c", "", "\u200d", "", // joiners
	"\u093c", "", "\u09bc", "", // nukta
	"\u0958", "क", "\u0959", "ख", "\u095a", "ग", "\u095b", "ज", "\u095c", "ड", "\u095d", "ढ", "\u095e", "फ", "\u095f", "य",
	"\u09dc", "ড", "\u09dd", "ঢ", "\u09df", "য",
	"\u0901", "\u0902", "\u0981", "\u0982",
	"'", "", "’", "",
)

// Words returns a text's words in the form in which the index compares them: small letters,
// one spelling, and Latin letters that stand twice once (aadhaar, adhar).
func Words(text string) []string {
	words := strings.FieldsFunc(spelling.Replace(strings.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
	for i, w := range words {
		words[i] = withoutDoubles(w)
	}
	return words
}

func withoutDoubles(word string) string {
	var b strings.Builder
	var last rune
	for _, r := range word {
		if r != last || r < 'a' || r > 'z' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// How well words match, from 0 to 1.
const (
	sameWord   = 1.0
	beginning  = 0.75 // one is the beginning of the other
	misspelt   = 0.7  // by one letter
	worse      = 0.5  // misspelt by two letters, or with the same beginning and another end
	minPrefix  = 2    // letters of a beginning
	minShorter = 4    // letters of a word that is the beginning of what was typed
	minFuzzy   = 4    // letters of a word that may be misspelt
	minLong    = 8    // letters of a word that may be misspelt twice
)

// match compares a typed word with one of the index.
func match(typed, word []rune) float64 {
	n, m := len(typed), len(word)
	common := commonPrefix(typed, word)
	switch {
	case common == n && common == m:
		return sameWord
	case common == n && n >= minPrefix && hasLetter(typed), common == m && m >= minShorter && hasLetter(word):
		// The more of the word is there, the surer it is meant.
		return beginning * float64(common+2) / float64(max(n, m)+2)
	case min(n, m) >= minFuzzy && hasLetter(typed) && within(1, typed[common:], word[common:]):
		return misspelt
	case common >= minFuzzy && 3*common >= 2*max(n, m), min(n, m) >= minLong && common >= minPrefix && within(2, typed[common:], word[common:]):
		return worse
	}
	return 0
}

// hasLetter reports whether a word is no number: numbers match as a whole.
func hasLetter(word []rune) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// within reports whether so many letters, each wrong, missing, surplus or in the place of
// the next, make one word of the other.
func within(letters int, a, b []rune) bool {
	n := commonPrefix(a, b)
	a, b = a[n:], b[n:]
	switch {
	case len(a) == 0 && len(b) == 0:
		return true
	case letters == 0 || len(a)-len(b) > letters || len(b)-len(a) > letters:
		return false
	}
	letters--
	return len(a) > 0 && within(letters, a[1:], b) ||
		len(b) > 0 && within(letters, a, b[1:]) ||
		len(a) > 0 && len(b) > 0 && within(letters, a[1:], b[1:]) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && within(letters, a[2:], b[2:])
}
