package escpos

import "strings"

// CodePage is a printer's code page: its characters beyond ASCII.
type CodePage byte

// Code pages that nearly every printer has.
const (
	PC437   CodePage = 0  // the printers' default
	WPC1252 CodePage = 16 // Western European
)

// upper437 is PC437 from 0x80 on, in order.
const upper437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ "

// upper1252 is WPC1252 from 0x80 to 0x9f, with spaces for unused codes.
const upper1252 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"

func (p CodePage) commandNumber() byte { return byte(p) }

// byteOf returns the byte of a printable character.
func (p CodePage) byteOf(r rune) (byte, bool) {
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

// Printable reports whether the page has every character of a text; the rupee sign counts,
// since it is printed as Rs.
func (p CodePage) Printable(s string) bool {
	for _, r := range spellRupee(s) {
		if _, ok := p.byteOf(r); !ok {
			return false
		}
	}
	return true
}

func (p CodePage) encode(s string) []byte {
	var out []byte
	for _, r := range spellRupee(s) {
		c, ok := p.byteOf(r)
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
