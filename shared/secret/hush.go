package secret

import (
	"regexp"
	"strings"
)

var (
	// grouped is twelve digits, also as people group them, and what stands around.
	grouped = regexp.MustCompile(`[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}`)
	// ids have groups of digits by chance.
	ids = regexp.MustCompile(`[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`)
)

// HushAadhaar masks whatever stands in a text by itself and may be an Aadhaar
// number: people write customers' numbers into names, reasons and files' names.
// Ids, and digits that are part of a longer word such as a reference, stay.
func HushAadhaar(text string) string {
	var out strings.Builder
	done := 0
	safe := ids.FindAllStringIndex(text, -1)
	for from := 0; from < len(text); {
		at := grouped.FindStringIndex(text[from:])
		if at == nil {
			break
		}
		begin, end := from+at[0], from+at[1]
		from = begin + 1 // the next one may begin inside
		if begin > 0 && word(text[begin-1]) || end < len(text) && word(text[end]) || within(safe, begin) {
			continue
		}
		number := strings.NewReplacer(" ", "", "-", "").Replace(text[begin:end])
		if number[0] < '2' || !verhoeff(number) { // UIDAI gives out none below
			continue
		}
		out.WriteString(text[done:begin] + MaskAadhaar(number))
		done, from = end, end
	}
	if done == 0 {
		return text
	}
	return out.String() + text[done:]
}

func word(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func within(ranges [][]int, at int) bool {
	for _, r := range ranges {
		if r[0] <= at && at < r[1] {
			return true
		}
	}
	return false
}
