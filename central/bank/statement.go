package bank

import (
	"regexp"
	"strings"
)

// A line of a transaction begins with its day and has an amount, with C or D on
// either side of it (domain.md, 'Rules of AEPS'). Issuers keep neither widths nor
// spellings: some leave the mark out, some add a running balance, some write
// commas between the fields. What could be a transaction is kept; a line that
// names a balance and has no mark is none.
var (
	dated       = regexp.MustCompile(`^(?:\d{1,2}[/.-](?:\d{1,2}|[A-Za-z]{3})(?:[/.-]\d{2,4})?|\d{4}-\d{2}-\d{2}|\d{1,2}[A-Za-z]{3}\d{0,4}|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:20)?\d{2})[\s,;|]`)
	amount      = regexp.MustCompile(`(?i)(?:[\s,;|(CDR]|rs\.?|inr|₹)[+-]?[0-9][0-9,]*(?:\.[0-9]{1,2})?(?:/-)?(?:[\s,;|)]|CR?|DR?|$)`)
	marked      = regexp.MustCompile(`(?i)(?:[\s,;|(0-9]|/-)(?:CR?|DR?)\.?(?:[\s,;|)0-9+-]|rs|inr|₹|$)`)
	balanceLine = regexp.MustCompile(`(?i)\bbal(?:ance)?\b`)
)

// transactions are the lines of a mini statement that are of transactions, joined
// by newlines. Networks send others with them, a balance, headings, empty ones,
// and the interface has one line for each transaction and no other.
func transactions(statement string) string {
	var lines []string
	for line := range strings.SplitSeq(statement, "\n") {
		line = strings.TrimSpace(line)
		day := dated.FindStringIndex(line)
		if day == nil {
			continue
		}
		rest := line[day[1]-1:] // with what stands between the fields
		if amount.MatchString(rest) && (marked.MatchString(rest) || !balanceLine.MatchString(rest)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
