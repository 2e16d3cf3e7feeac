package till

import (
	"time"

	"galla/edge"
	"galla/shared/op"
)

// When a bank's rate means something: enough operations, and not long ago.
const (
	rateHours = 3
	rateLeast = 5
	// rateFresh is how long rates are remembered: a page asks for each bank of
	// the list.
	rateFresh = 15 * time.Second
)

// Rate is how a bank answered this counter in the last hours.
type Rate struct {
	Answered int // operations to which it gave an outcome
	Of       int // operations that it was asked for
	Hours    int // over how many hours
}

// Percent is the rate in whole hundredths, rounded down.
func (r Rate) Percent() int {
	if r.Of == 0 {
		return 0
	}
	return 100 * r.Answered / r.Of
}

// Rates gives the rates of banks, by their IIN, over this counter's last hours.
// A bank that was asked fewer than five times is not among them: two customers
// say nothing about a bank. What the bank refused for the customer's own
// reasons, such as a low balance, is answered: the bank works.
func (t *Till) Rates() (map[string]Rate, error) {
	now := t.cfg.Now()
	records, err := t.between(now.Add(-rateHours*time.Hour), now.Add(time.Minute))
	return rates(records), err
}

// BankRate is Rates for one bank: to how many of the operations that it was
// asked for it gave an outcome; 0 of 0 where too few were to say anything. It
// may be some seconds old. Where the records can't be read, nothing is said.
func (t *Till) BankRate(iin string) (answered, asked int) {
	t.asking.Lock()
	defer t.asking.Unlock()
	if now := t.cfg.Now(); t.rated.IsZero() || now.Sub(t.rated).Abs() >= rateFresh {
		rates, err := t.Rates()
		if err != nil {
			rates = nil
		}
		t.rates, t.rated = rates, now
	}
	r := t.rates[iin]
	return r.Answered, r.Of
}

func rates(records []edge.Record) map[string]Rate {
	out := map[string]Rate{}
	for _, r := range records {
		if r.IIN == "" || r.Route == op.ReqAuth {
			continue
		}
		rate := out[r.IIN]
		rate.Hours = rateHours
		switch {
		case r.State == op.Pending || r.State == op.Reversed, r.State == op.Failed && bankDown(r.Result.Code):
			rate.Of++
		case r.State == op.Succeeded || r.State == op.Failed && r.Result.Code != "":
			rate.Of++
			rate.Answered++
		default:
			continue // the bank was not asked, or is being asked now
		}
		out[r.IIN] = rate
	}
	for iin, rate := range out {
		if rate.Of < rateLeast {
			delete(out, iin)
		}
	}
	return out
}

// bankDown tells whether a response code (domain.md) is about the bank and not
// about the customer: its system, its cut-off, not available, malfunction.
func bankDown(code string) bool { return code == "08" || code == "90" || code == "91" || code == "96" }
