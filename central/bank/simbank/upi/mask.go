package upi

import (
	"strings"
	"unicode"
)

// hidden stands for a letter.
const hidden = "•"

// MaskName hides a payer's name, such as "Ramesh Kumar" as "R••••h K•••r": of each word
// the first and the last letter stay.
func MaskName(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		letters := []rune(word)
		last := letters[len(letters)-1]
		masked := string(letters[0]) + strings.Repeat(hidden, max(0, len(letters)-2))
		switch {
		case len(letters) == 1:
			masked = hidden
		case len(letters) < 4 || !unicode.IsLetter(last): // a vowel sign alone is no letter
			masked += hidden
		default:
			masked += string(last)
		}
		words[i] = masked
	}
	return strings.Join(words, " ")
}

// MaskVPA hides a payer's VPA, such as "ramesh.k@okbank" as "ra••••@okbank": its length
// does not show.
func MaskVPA(vpa string) string {
	name, handle, _ := strings.Cut(vpa, "@")
	shown := name[:min(2, max(0, len(name)-2))]
	return shown + strings.Repeat(hidden, 4) + "@" + handle
}
