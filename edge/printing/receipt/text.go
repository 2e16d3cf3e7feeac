package receipt

import (
	"strings"
	"unicode/utf8"

	"galla/edge/i18n"
)

// Paper widths in characters of the printer's normal font.
const (
	Narrow = 32 // 58 mm
	Wide   = 48 // 80 mm
	// minWidth fits a masked Aadhaar number with its label.
	minWidth = 24
)

// Text lays the receipt out for a width in characters, at least 24. No line is longer, and
// nothing is cut off. The rupee sign is written Rs., since printers' fonts lack it.
func (r Receipt) Text(width int) string {
	p := &textLayout{width: max(width, minWidth)}
	for _, part := range r.parts() {
		switch part.kind {
		case rule:
			p.line(strings.Repeat("-", p.width))
		case centred:
			p.centred(part.left)
		case headline:
			p.centred(strings.ToUpper(part.left))
		case pair:
			p.pair(part.left, part.right)
		case entry:
			p.entry(part.left, part.right)
		case wrapped:
			p.wrapped(part.left, 0)
		}
	}
	return p.b.String()
}

// part is one part of a slip, in the order in which it is printed.
type part struct {
	kind        kind
	left, right string
}

type kind int

// The kinds of parts.
const (
	wrapped  kind = iota // left
	centred              // left
	headline             // left, centred and large
	pair                 // left and right
	entry                // left is a date and a narration, right a sum
	rule
)

// parts returns what stands on a slip.
func (r Receipt) parts() []part {
	var out []part
	each := func(k kind, texts ...string) {
		for _, text := range texts {
			out = append(out, part{kind: k, left: text})
		}
	}
	each(centred, r.Shop...)
	each(rule, "")
	each(headline, r.Title, r.Status)
	each(rule, "")
	for _, row := range r.Rows {
		out = append(out, part{pair, row.Label, row.Value})
	}
	if len(r.Entries) > 0 {
		each(rule, "")
	}
	for _, e := range r.Entries {
		if e.Date == "" {
			each(wrapped, e.Raw)
			continue
		}
		out = append(out, part{entry, e.Date + " " + e.Narration, e.sum(r.Words)})
	}
	if len(r.Notes) > 0 {
		each(rule, "")
	}
	each(wrapped, r.Notes...)
	return out
}

// textLayout builds text of a fixed width.
type textLayout struct {
	b     strings.Builder
	width int
}

func (p *textLayout) line(s string) {
	p.b.WriteString(strings.TrimRight(s, " "))
	p.b.WriteByte('\n')
}

// printed replaces what printers lack.
func printed(s string) string { return strings.ReplaceAll(s, "₹", "Rs.") }

func (p *textLayout) centred(s string) {
	for _, l := range wrap(printed(s), p.width) {
		p.line(strings.Repeat(" ", (p.width-size(l))/2) + l)
	}
}

func (p *textLayout) wrapped(s string, indent int) {
	for _, l := range wrap(printed(s), p.width-indent) {
		p.line(strings.Repeat(" ", indent) + l)
	}
}

// pair writes a label on the left and a value on the right, the value on separate lines
// where both do not fit.
func (p *textLayout) pair(label, value string) {
	label, value = printed(label), printed(value)
	if gap := p.width - size(label) - size(value); gap > 0 {
		p.line(label + strings.Repeat(" ", gap) + value)
		return
	}
	p.line(label)
	for _, l := range wrap(value, p.width) {
		p.line(strings.Repeat(" ", p.width-size(l)) + l)
	}
}

// entry writes a line of a mini statement: date and narration, amount and sign; the
// narration on its own line where they do not fit.
func (p *textLayout) entry(text, sum string) {
	if size(printed(text))+size(sum) < p.width {
		p.pair(text, sum)
		return
	}
	date, narration, _ := strings.Cut(text, " ")
	p.pair(date, sum)
	p.wrapped(narration, 2)
}

// sum is the amount with its sign: credit or debit.
func (e Entry) sum(words *i18n.Localizer) string {
	if e.Credit {
		return e.Amount.Grouped() + " " + words.Text("slip.credit")
	}
	return e.Amount.Grouped() + " " + words.Text("slip.debit")
}

func size(s string) int { return utf8.RuneCountInString(s) }

// wrap breaks a text into lines of at most width characters, between words if possible,
// and a long word after a hyphen.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for {
			if line != "" && size(line)+1+size(word) <= width {
				line += " " + word
				break
			}
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			if size(word) <= width {
				line = word
				break
			}
			runes := []rune(word)
			cut := width
			if hyphen := strings.LastIndexByte(string(runes[:width]), '-'); hyphen > 0 {
				cut = size(string(runes[:width])[:hyphen+1])
			}
			lines, word = append(lines, string(runes[:cut])), string(runes[cut:])
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
