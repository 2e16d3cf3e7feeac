package bank

import (
	"regexp"
	"strings"
)

// A line of a transaction begins with its day and ends with its amount, with C or
// D on either side of it (domain.md, 'Rules of AEPS'). Issuers keep neither widths
// nor spellings, and some leave the mark out.
var (
	dated  = regexp.MustCompile(`^(?:\d{1,2}[/.-](?:\d{1,2}|[A-Za-z]{3})(?:[/.-]\d{2,4})?|\d{4}-\d{2}-\d{2}|\d{1,2}[A-Za-z]{3}\d{0,4})\s`)
	summed = regexp.MustCompile(`\d\s*$`)
	marked = regexp.MustCompile(`(?i)(?:^|\s)(?:CR?|DR?)\.?\s*(?:(?:rs\.?|inr|₹)\s*)?[+-]?[0-9][0-9,]*(?:\.[0-9]{1,2})?$|[0-9]\s*(?:CR?|DR?)\.?$`)
	told   = regexp.MustCompile(`(?i)\bbal(?:ance)?\b`)
)

// transactions are the lines of a mini statement that are of transactions, joined
// by newlines. Networks send others with them, a balance, headings, empty ones,
// and the interface has one line for each transaction and no other.
func transactions(statement string) string {
	var lines []string
	for line := range strings.SplitSeq(statement, "\n") {
		line = strings.TrimSpace(line)
		if dated.MatchString(line) && (marked.MatchString(line) || summed.MatchString(line) && !told.MatchString(line)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
