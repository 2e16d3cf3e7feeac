package secret

import (
	"regexp"
	"strings"
)

var (
	// aadhaarPattern is twelve digits, also in groups of four.
	aadhaarPattern = regexp.MustCompile(`[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}`)
	// uuidPattern finds UUIDs, which may have such digits by chance.
	uuidPattern = regexp.MustCompile(`[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`)
)

// RedactAadhaar masks what may be an Aadhaar number in a text, since people write
// them into names, reasons and file names. UUIDs, and digits that are part of a
// longer word such as a reference, stay.
func RedactAadhaar(text string) string {
	var out strings.Builder
	done := 0
	safe := uuidPattern.FindAllStringIndex(text, -1)
	for from := 0; from < len(text); {
		at := aadhaarPattern.FindStringIndex(text[from:])
		if at == nil {
			break
		}
		begin, end := from+at[0], from+at[1]
		from = begin + 1 // the next match may overlap
		if begin > 0 && isWordChar(text[begin-1]) || end < len(text) && isWordChar(text[end]) || inRanges(safe, begin) {
			continue
		}
		number := strings.NewReplacer(" ", "", "-", "").Replace(text[begin:end])
		if number[0] < '2' || !verhoeff(number) { // no number begins with 0 or 1
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

func isWordChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func inRanges(ranges [][]int, at int) bool {
	for _, r := range ranges {
		if r[0] <= at && at < r[1] {
			return true
		}
	}
	return false
}
