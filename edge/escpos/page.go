package escpos

import "strings"

// Page is a printer's code page: which characters it has beyond ASCII.
type Page byte

// The code pages that are on nearly every printer.
const (
	PC437   Page = 0  // the printers' default
	WPC1252 Page = 16 // Western European
)

// upper is the half of PC437 from 0x80 on, in order.
const upper437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ "

// upper1252 is the part of WPC1252 from 0x80 to 0x9f; places without a character
// hold a space.
const upper1252 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"

// number is the page's number in the command that chooses it.
func (p Page) number() byte { return byte(p) }

// find gives the byte of a printable character.
func (p Page) find(r rune) (byte, bool) {
	switch {
	case r >= ' ' && r < 0x7f:
		return byte(r), true
	case r < 0xa0:
		return 0, false
	case p == WPC1252 && r <= 0xff:
		return byte(r), true
	}
	table, n := upper437, byte(0x80)
	if p == WPC1252 {
		table = upper1252
	}
	for _, c := range table {
		if c == r {
			return n, true
		}
		n++
	}
	return 0, false
}

// Printable tells whether the page has every character of a text; the rupee's
// sign counts, since it is written Rs.
func (p Page) Printable(s string) bool {
	for _, r := range rupee(s) {
		if _, ok := p.find(r); !ok {
			return false
		}
	}
	return true
}

func (p Page) encode(s string) []byte {
	var out []byte
	for _, r := range rupee(s) {
		c, ok := p.find(r)
		switch {
		case ok:
			out = append(out, c)
		case r < 0xa0: // a control character could command the printer
			out = append(out, ' ')
		default:
			out = append(out, '?')
		}
	}
	return out
}

func rupee(s string) string { return strings.ReplaceAll(s, "₹", "Rs.") }
