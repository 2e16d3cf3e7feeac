package dayend

import (
	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Commission sums up the commission in the replies of successful operations, and counts
// those replies. It is only what the bank reported: payout and tax are in the
// distributor's statement.
func Commission(records []edge.Record) (sum money.Paise, of int) {
	for _, r := range records {
		if r.State != op.Succeeded {
			continue
		}
		if p, err := money.Parse(r.ReplyValue("commission")); err == nil && p >= 0 {
			sum += p
			of++
		}
	}
	return sum, of
}
