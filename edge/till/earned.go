package till

import (
	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Earned sums up the commission that replies to operations that succeeded told,
// and says how many told one. It is the bank's word and no account: what is
// paid out, and what tax is kept, the distributor's statement says.
func Earned(records []edge.Record) (sum money.Paise, of int) {
	for _, r := range records {
		if r.State != op.Succeeded {
			continue
		}
		if p, err := money.Parse(r.Value("commission")); err == nil && p >= 0 {
			sum += p
			of++
		}
	}
	return sum, of
}
