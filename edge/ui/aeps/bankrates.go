package aeps

import (
	"errors"
	"sync"
	"time"

	"galla/edge"
	"galla/shared/op"
)

// A bank's rate needs enough operations, and recent ones.
const (
	ratePeriod    = 3 * time.Hour
	minRateSample = 5
	// ratesTTL is how long rates are cached: a page asks for each bank of the list.
	ratesTTL = 15 * time.Second
)

type rate struct {
	answered int // operations with an outcome from the bank
	asked    int // operations sent to it
}

// BankRates computes the banks' rates from this counter's last operations. Its methods are
// safe for concurrent use.
type BankRates struct {
	operations func(from, to time.Time) ([]edge.Record, error)
	now        func() time.Time

	mu    sync.Mutex
	rates map[string]rate // by IIN
	at    time.Time
}

// NewBankRates makes BankRates. operations returns the operations created in a period.
func NewBankRates(operations func(from, to time.Time) ([]edge.Record, error), now func() time.Time) (*BankRates, error) {
	if operations == nil || now == nil {
		return nil, errors.New("the banks' rates need operations and a clock")
	}
	return &BankRates{operations: operations, now: now}, nil
}

// Rate returns how many operations of the last hours were sent to a bank and how many of
// them got an outcome; 0 of 0 where there were fewer than five, or the records can't be
// read. A refusal for the customer's own reasons, such as a low balance, counts as
// answered: the bank works. The rate may be some seconds old.
func (b *BankRates) Rate(iin string) (answered, asked int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.now(); b.at.IsZero() || now.Sub(b.at).Abs() >= ratesTTL {
		b.rates, b.at = nil, now
		if records, err := b.operations(now.Add(-ratePeriod), now.Add(time.Minute)); err == nil {
			b.rates = ratesOf(records)
		}
	}
	r := b.rates[iin]
	return r.answered, r.asked
}

func ratesOf(records []edge.Record) map[string]rate {
	out := map[string]rate{}
	for _, r := range records {
		if r.IIN == "" || r.Route == op.ReqAuth {
			continue
		}
		bank := out[r.IIN]
		switch {
		case r.State == op.Pending || r.State == op.Reversed, r.State == op.Failed && bankDown(r.Result.Code):
			bank.asked++
		case r.State == op.Succeeded || r.State == op.Failed && r.Result.Code != "":
			bank.asked++
			bank.answered++
		default:
			continue // the bank was not asked, or is being asked now
		}
		out[r.IIN] = bank
	}
	for iin, bank := range out {
		if bank.asked < minRateSample {
			delete(out, iin)
		}
	}
	return out
}

// bankDown reports whether a response code (domain.md, 'AEPS response codes and what the
// agent does') is about the bank and not the customer: its system, its cut-off, not
// available, malfunction.
func bankDown(code string) bool { return code == "08" || code == "90" || code == "91" || code == "96" }
