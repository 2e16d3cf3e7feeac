package edge

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"galla/shared/op"
)

// Cash is how the cash of an operation stands between the counter and its
// customer.
type Cash string

// How it stands. Due and Reversed are open until a person has answered.
const (
	CashNone     Cash = ""          // none is to be given for it, or it is not known yet
	CashDue      Cash = "due"       // the bank paid, or a kept transfer failed; nobody has said whether it was given
	CashGiven    Cash = "given"     // somebody said that it was given
	CashNotGiven Cash = "not-given" // somebody said that it was not: the customer is owed it
	CashReversed Cash = "reversed"  // the bank took the payment back; nobody has said that they know
	CashNoted    Cash = "noted"     // somebody has
)

// RefundRule is the Consent of a refund whose cash is given after the bank's
// word. Refunds begun by older programs lack it: of those the customer had the
// cash before the one-time password was entered.
const RefundRule = "CASH-AFTER-REFUND"

// paysCash tells whether the operation's success means that the customer is
// given cash.
func (r Record) paysCash() bool {
	return r.Route == op.Withdrawal || r.Route == op.Refund && r.Consent == RefundRule
}

// mayPay tells whether the operation's cash can be open, now or later.
func (r Record) mayPay() bool { return r.paysCash() || r.Returns() }

// Cash says how the operation's cash stands, from its facts alone. CashBy
// without a time of CashGiven is somebody's word that none was given. The cash of
// a transfer that failed after the agent was told to keep it stands as a
// withdrawal's does: it is the customer's.
func (r Record) Cash() Cash {
	switch {
	case r.paysCash() && r.State == op.Reversed && r.CashBy != "":
		return CashNoted
	case r.paysCash() && r.State == op.Reversed:
		return CashReversed
	case !r.Returns() && (!r.paysCash() || r.State != op.Succeeded):
		return CashNone
	case !r.CashGiven.IsZero():
		return CashGiven
	case r.CashBy != "":
		return CashNotGiven
	}
	return CashDue
}

// Open tells whether somebody at the counter has to do something about it, or
// owes the customer something.
func (c Cash) Open() bool { return c == CashDue || c == CashNotGiven || c == CashReversed }

// Asks tells whether it waits for somebody's answer.
func (c Cash) Asks() bool { return c == CashDue || c == CashReversed }

// ConfirmCash records that the agent handed the cash over: a withdrawal's, a
// refund's, or that of a transfer which was kept and moved nothing in the end. A
// second word changes nothing; ErrIllegal where no cash is the customer's.
func (c *Counter) ConfirmCash(id op.ID, operator Operator) error {
	_, err := c.change(id, func(r *Record) error {
		switch r.Cash() {
		case CashDue, CashNotGiven:
			r.CashGiven, r.CashBy, r.CashByID = c.cfg.Now(), operator.Name, operator.ID
		case CashGiven:
		default:
			return ErrIllegal
		}
		return nil
	})
	return err
}

// AnswerCash records that somebody at the counter knows how the cash stands:
// CashNotGiven of what is due, CashNoted of what it took back. A
// second answer of the same changes nothing; one that the operation's state does
// not allow is ErrIllegal.
func (c *Counter) AnswerCash(id op.ID, operator Operator, answer Cash) error {
	_, err := c.change(id, func(r *Record) error {
		from := map[Cash]Cash{CashNotGiven: CashDue, CashNoted: CashReversed}[answer]
		switch now := r.Cash(); {
		case now == answer && now != CashNone:
		case from == CashNone || now != from:
			return ErrIllegal
		default:
			r.CashBy, r.CashByID = cmp.Or(operator.Name, operator.ID, AgentID), operator.ID
		}
		return nil
	})
	return err
}

const (
	cacheCashSince = "cash since"
	// cashDays is how far back a start looks for open cash, by when operations
	// began: a bank may pay some days late.
	cashDays = 31
	cashStep = 200
	// cashFresh is how young the end of an operation is that is noted whatever the
	// clock was at the first start.
	cashFresh = time.Minute
)

// loadCash finds the operations whose cash is open. What ended before the first
// program that tells of open cash is left to the day's closing: nobody was asked
// then.
func (c *Counter) loadCash() {
	now := c.cfg.Now()
	value, _, ok, err := c.queue.Cached(cacheCashSince)
	since := time.Time{}
	if err == nil && ok {
		err = since.UnmarshalText(value)
	}
	if !ok || err != nil || since.After(now) { // the clock was ahead when it was written
		since = now
		if text, textErr := now.MarshalText(); textErr == nil {
			err = c.queue.Cache(cacheCashSince, text, now)
		}
	}
	if err != nil {
		c.log.Error("since when open cash is told can't be kept", "error", err)
	}
	c.cash.mu.Lock()
	c.cash.since = since
	c.cash.mu.Unlock()
	var before op.ID
	for {
		records, err := c.queue.Recent(before, cashStep)
		if err != nil {
			c.log.Error("some stored operations can't be read; their open cash is not told", "error", err)
		}
		for _, r := range records {
			if now.Sub(r.CreatedAt) > cashDays*24*time.Hour {
				return
			}
			c.noteCash(r)
		}
		if len(records) < cashStep {
			return
		}
		before = records[len(records)-1].ID
	}
}

// noteCash keeps the list of open cash true after a change of an operation. It
// goes by what the queue holds: of two changes at one time the last note is of
// both.
func (c *Counter) noteCash(r Record) {
	if !r.mayPay() {
		return
	}
	c.cash.mu.Lock()
	defer c.cash.mu.Unlock()
	if now, err := c.queue.Get(r.ID); err == nil {
		r = now
	}
	told := !r.EndedAt.Before(c.cash.since) || c.cfg.Now().Sub(r.EndedAt).Abs() < cashFresh
	if !r.Cash().Open() || !told {
		delete(c.cash.open, r.ID)
		return
	}
	r.Body, r.Reply = nil, nil
	c.cash.open[r.ID] = r
}

// cashList is the operations whose cash is open, but for those that ended before
// since.
type cashList struct {
	mu    sync.Mutex
	since time.Time
	open  map[op.ID]Record
}

// list gives them, the one that ended first first.
func (l *cashList) list() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Record, 0, len(l.open))
	for _, r := range l.open {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Record) int {
		return cmp.Or(a.EndedAt.Compare(b.EndedAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}
