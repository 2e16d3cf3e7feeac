package edge

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"galla/shared/op"
)

// Cash is how the cash of an operation stands between the counter and its
// customer.
type Cash string

// How it stands. Due and Reversed are open until a person has answered, Refund
// until the bank has refunded the transfer.
const (
	CashNone     Cash = ""          // none is to be given for it, or it is not known yet
	CashDue      Cash = "due"       // the bank paid, or a kept transfer failed; nobody has said whether it was given
	CashGiven    Cash = "given"     // somebody said that it was given
	CashNotGiven Cash = "not-given" // somebody said that it was not: the customer is owed it
	CashReversed Cash = "reversed"  // the bank took the payment back; nobody has said that they know
	CashNoted    Cash = "noted"     // somebody has
	CashRefund   Cash = "refund"    // a transfer came back: its cash is here, and goes to the customer with a refund
)

// RefundRule is the Consent of a refund whose cash is given after the bank's
// word. Refunds begun by older programs lack it: of those the customer had the
// cash before the one-time password was entered.
const RefundRule = "CASH-AFTER-REFUND"

// RefundClosed is the Consent of a refund whose transfer's cash somebody gave back
// before it: none is given for the refund, and it takes none out of the drawer.
const RefundClosed = "CASH-BEFORE-REFUND"

// paysCash tells whether the operation's success means that the customer is
// given cash.
func (r Record) paysCash() bool {
	return r.Route == op.Withdrawal || r.Route == op.Refund && r.Consent == RefundRule
}

// mayPay tells whether the operation's cash can be open, now or later.
func (r Record) mayPay() bool { return r.paysCash() || r.Returns() || r.cameBack() }

// Cash says how the operation's cash stands, from its facts alone. CashBy
// without a time of CashGiven is somebody's word that none was given. The cash of
// a transfer that failed after the agent was told to keep it stands as a
// withdrawal's does: it is the customer's. That of one that came back is open
// until the bank has refunded it, or somebody says that the customer has it.
func (r Record) Cash() Cash {
	switch {
	case r.paysCash() && r.State == op.Reversed && r.CashBy != "":
		return CashNoted
	case r.paysCash() && r.State == op.Reversed:
		return CashReversed
	case r.cameBack() && r.CashGiven.IsZero() && r.Refunded.IsZero():
		return CashRefund
	case r.cameBack() && r.CashGiven.IsZero():
		return CashNone // what the refund pays stands in the refund's own record
	case !r.Returns() && !r.cameBack() && (!r.paysCash() || r.State != op.Succeeded):
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
func (c Cash) Open() bool { return c.Asks() || c == CashNotGiven }

// Asks tells whether it waits for somebody at the counter: an answer, or the
// refund of a transfer.
func (c Cash) Asks() bool { return c == CashDue || c == CashReversed || c == CashRefund }

// ConfirmCash records that the agent handed the cash over: a withdrawal's, a
// refund's, or that of a transfer which was kept and moved nothing in the end, or
// came back. A second word changes nothing; ErrIllegal where no cash is the
// customer's, or where a refund of the transfer is under way and may pay it.
func (c *Counter) ConfirmCash(id op.ID, operator Operator) error {
	c.handover.Lock()
	defer c.handover.Unlock()
	refunding := c.refunding(id)
	_, err := c.change(id, func(r *Record) error {
		switch now := r.Cash(); {
		case now == CashRefund && refunding:
			return ErrIllegal
		case now == CashDue || now == CashNotGiven || now == CashRefund:
			r.CashGiven, r.CashBy, r.CashByID = c.cfg.Now(), operator.Name, operator.ID
		case now == CashGiven:
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

// Names in the session cache of what the first program that asks for open cash
// found when it first started: when that was, and the operations whose cash was
// open then (untold).
const (
	cacheCashSince  = "cash since"
	cacheCashUntold = "cash untold"
)

// maxUntold bounds the operations that are left out: half a year of a busy counter
// whose agent never confirmed. Of more, the newest.
const maxUntold = 1 << 17

// loadCash finds the operations whose cash is open, however long ago they were
// begun. What was open before the first program that asks for it is left to the
// day's closing: nobody was asked then. Which operations those are is noted by
// their ids, once, so that no clock has a say in it.
func (c *Counter) loadCash() {
	// First what a power cut left out of transfers that others are about: it may
	// close their cash.
	linked, err := c.queue.Linked()
	if err != nil {
		c.log.Error("some stored operations can't be read; what they say of a transfer's cash is not taken over", "error", err)
	}
	for _, r := range linked {
		c.noteTransfer(r)
	}
	open, err := c.queue.OpenCash()
	if err != nil {
		c.log.Error("some stored operations can't be read; their open cash is not told", "error", err)
	}
	untold, err := c.untoldCash(open)
	if err != nil {
		c.log.Error("the operations whose open cash is not told can't be kept", "error", err)
	}
	c.cash.mu.Lock()
	c.cash.untold = untold
	c.cash.mu.Unlock()
	for _, r := range open {
		c.noteCash(r)
	}
}

// untoldCash gives the marks of the operations whose open cash is not told. Where
// they are noted, they are that; a program of one release noted a time alone, and
// what ended before it is left out: if it lies ahead, one of the two clocks was
// wrong, and all is told.
func (c *Counter) untoldCash(open []Record) (map[untoldMark]bool, error) {
	value, _, noted, err := c.queue.Cached(cacheCashUntold)
	if err == nil && noted {
		return untoldMarks(value), nil
	}
	text, _, dated, dateErr := c.queue.Cached(cacheCashSince)
	since := c.cfg.Now()
	if dated && dateErr == nil {
		dateErr = since.UnmarshalText(text)
	}
	if err = errors.Join(err, dateErr); err != nil || since.After(c.cfg.Now()) {
		return nil, err
	}
	var marks []byte
	for _, r := range slices.Backward(open) {
		if (!dated || r.EndedAt.Before(since)) && len(marks) < maxUntold*len(untoldMark{}) {
			m := markOf(r.ID)
			marks = append(marks, m[:]...)
		}
	}
	if !dated {
		if text, err = since.MarshalText(); err == nil {
			err = c.queue.Cache(cacheCashSince, text, since)
		}
	}
	return untoldMarks(marks), errors.Join(err, c.queue.Cache(cacheCashUntold, marks, c.cfg.Now()))
}

// untoldMark stands for an operation, in few bytes.
type untoldMark [8]byte

func markOf(id op.ID) untoldMark {
	sum := sha256.Sum256([]byte(id))
	return untoldMark(sum[:8])
}

func untoldMarks(value []byte) map[untoldMark]bool {
	marks := map[untoldMark]bool{}
	for ; len(value) >= len(untoldMark{}); value = value[len(untoldMark{}):] {
		marks[untoldMark(value)] = true
	}
	return marks
}

// noteCash keeps the list of open cash true after a change of an operation. It
// goes by what the queue holds: of two changes at one time the last note is of
// both.
func (c *Counter) noteCash(r Record) {
	c.noteTransfer(r)
	if !r.mayPay() {
		return
	}
	c.cash.mu.Lock()
	defer c.cash.mu.Unlock()
	if now, err := c.queue.Get(r.ID); err == nil {
		r = now
	}
	if !r.Cash().Open() || c.cash.untold[markOf(r.ID)] {
		delete(c.cash.open, r.ID)
		return
	}
	r.Body, r.Reply = nil, nil
	c.cash.open[r.ID] = r
}

// cashList is the operations whose cash is open, but for those that are left out
// (loadCash).
type cashList struct {
	mu     sync.Mutex
	untold map[untoldMark]bool
	open   map[op.ID]Record
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
