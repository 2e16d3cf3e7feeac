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
	for _, line := range r.Shop {
		p.centred(line)
	}
	p.rule()
	p.centred(strings.ToUpper(r.Title))
	p.centred(strings.ToUpper(r.Status))
	p.rule()
	for _, row := range r.Rows {
		p.pair(row.Label, row.Value)
	}
	if len(r.Entries) > 0 {
		p.rule()
		for _, e := range r.Entries {
			p.entry(e, r.Words)
		}
	}
	if len(r.Notes) > 0 {
		p.rule()
	}
	for _, note := range r.Notes {
		p.wrapped(note, 0)
	}
	return p.b.String()
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

func (p *textLayout) rule() { p.line(strings.Repeat("-", p.width)) }

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
func (p *textLayout) entry(e Entry, words *i18n.Localizer) {
	if e.Date == "" {
		p.wrapped(e.Raw, 0)
		return
	}
	narration, sum := printed(e.Narration), e.sum(words)
	if gap := p.width - size(e.Date) - size(narration) - size(sum) - 1; gap > 0 {
		p.line(e.Date + " " + narration + strings.Repeat(" ", gap) + sum)
		return
	}
	p.pair(e.Date, sum)
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
