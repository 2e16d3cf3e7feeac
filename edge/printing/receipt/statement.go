package receipt

import (
	"regexp"
	"strings"

	"galla/edge/i18n"
	"galla/shared/money"
)

// Entry is a parsed line of a mini statement. If the line could not be read, only Raw is
// set, and it is shown unchanged.
type Entry struct {
	Raw       string
	Date      string // as the bank writes it, such as 21/11
	Narration string // may be empty
	Credit    bool   // money received
	Amount    money.Paise
	Balance   bool // the account's balance, in Amount, and no transaction
}

// Lines of a mini statement (domain.md, 'Rules of AEPS'): date, narration, C or D, amount;
// and the balance. Banks keep neither widths nor spellings, so positions mean nothing: the
// date is first, sign and amount are last, in either order.
var (
	entryLine   = regexp.MustCompile(`(?i)^(\d{1,2}[/-](?:\d{1,2}|[a-z]{3})(?:[/-]\d{2,4})?)\s+(?:(.*?)\s+)?(CR?|DR?)\.?\s*(?:rs\.?\s*|inr\s*|₹\s*)?\+?(\d[\d,]*(?:\.\d{1,2})?)$`)
	signedLast  = regexp.MustCompile(`(?i)^(\d{1,2}[/-](?:\d{1,2}|[a-z]{3})(?:[/-]\d{2,4})?)\s+(?:(.*?)\s+)?(?:rs\.?\s*|inr\s*|₹\s*)?(\d[\d,]*(?:\.\d{1,2})?)\s*(CR?|DR?)\.?$`)
	balanceLine = regexp.MustCompile(`(?i)^(?:(?:avail(?:able)?|avl|ledger|closing|a/c)\.?\s*)?bal(?:ance)?\.?\s*[:=]?\s*(?:rs\.?\s*|inr\s*|₹\s*)?([+-]?)(\d[\d,]*(?:\.\d{1,2})?)$`)
)

// statement parses the lines of a mini statement. Every line is in both results, except a
// balance; the lines beyond the limit are counted in a last one.
func statement(lines []string, words *i18n.Localizer) (shown []string, entries []Entry) {
	for i, line := range lines {
		if len(shown) == maxLines {
			rest := words.Text("slip.more", "n", len(lines)-i)
			return append(shown, rest), append(entries, Entry{Raw: rest})
		}
		if line = clean(line); line == "" {
			continue
		}
		entry, _ := ParseLine(line)
		if entry.Balance {
			continue
		}
		shown = append(shown, line)
		entries = append(entries, entry)
	}
	return shown, entries
}

// ParseLine parses one line of a mini statement, leniently and not by position. If ok is
// false, only Raw is set: the line without control characters, at most 120 characters of
// it.
func ParseLine(line string) (Entry, bool) {
	line = clean(line)
	if m := balanceLine.FindStringSubmatch(line); m != nil {
		if p, err := amount(m[2]); err == nil {
			if m[1] == "-" {
				p = -p
			}
			return Entry{Raw: line, Balance: true, Amount: p}, true
		}
	}
	m := entryLine.FindStringSubmatch(line)
	if m == nil {
		if m = signedLast.FindStringSubmatch(line); m == nil {
			return Entry{Raw: line}, false
		}
		m[3], m[4] = m[4], m[3]
	}
	p, err := amount(m[4])
	if err != nil {
		return Entry{Raw: line}, false
	}
	return Entry{Raw: line, Date: m[1], Narration: m[2], Credit: strings.EqualFold(m[3][:1], "C"), Amount: p}, true
}

// amount parses rupees as banks print them: grouped, with leading zeros.
func amount(s string) (money.Paise, error) {
	s = strings.TrimLeft(strings.ReplaceAll(s, ",", ""), "0")
	if s == "" || s[0] == '.' {
		s = "0" + s
	}
	return money.Parse(s)
}
