package screen

import (
	"regexp"
	"strings"

	"galla/edge/words"
	"galla/shared/money"
)

// entry is a line of a mini statement. Where the line could not be read, only
// Raw is set: it is shown as the bank sent it.
type entry struct {
	Raw       string
	Date      string // dd/MM
	Narration string
	Credit    bool
	Amount    string // with the rupee's sign
}

// statementLine is date, narration, C or D, amount (domain.md, 'Rules of
// AEPS'). Banks keep the widths badly, so positions mean nothing.
var statementLine = regexp.MustCompile(`^(\d{1,2}/\d{1,2})\s+(.*?)\s*\b([CD])\s+([0-9][0-9,]*(?:\.[0-9]{1,2})?)$`)

// readStatement reads the lines of a mini statement: one for each transaction. A
// balance among them, which a central of earlier days passed on, is none.
func readStatement(lines []string) (entries []entry) {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if tail, ok := cutPrefixFold(line, "balance:"); ok {
			if _, err := words.ParseRupees(strings.TrimPrefix(strings.TrimSpace(tail), "+")); err == nil {
				continue
			}
		}
		m := statementLine.FindStringSubmatch(line)
		if m == nil {
			entries = append(entries, entry{Raw: line})
			continue
		}
		amount, err := money.Parse(strings.ReplaceAll(m[4], ",", ""))
		if err != nil {
			entries = append(entries, entry{Raw: line})
			continue
		}
		entries = append(entries, entry{Date: m[1], Narration: m[2], Credit: m[3] == "C", Amount: words.Rupees(amount)})
	}
	return entries
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
