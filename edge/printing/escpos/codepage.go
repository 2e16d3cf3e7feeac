package escpos

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// page is the code page of every document, PC437: nearly every printer has it, as its
// default, under the number 0.
var page = charmap.CodePage437

const pageNumber = 0

// byteOf returns the byte of a printable character.
func byteOf(r rune) (byte, bool) {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return 0, false
	}
	return page.EncodeRune(r)
}

// Printable reports whether a printer has every character of a text; the rupee sign
// counts, since it is printed as Rs.
func Printable(s string) bool {
	for _, r := range spellRupee(s) {
		if _, ok := byteOf(r); !ok {
			return false
		}
	}
	return true
}

func encode(s string) []byte {
	var out []byte
	for _, r := range spellRupee(s) {
		c, ok := byteOf(r)
		switch {
		case ok:
			out = append(out, c)
		case r < 0xa0: // a control character could be a command
			out = append(out, ' ')
		default:
			out = append(out, '?')
		}
	}
	return out
}

func spellRupee(s string) string { return strings.ReplaceAll(s, "₹", "Rs.") }
