package books

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

// Limits of what one look at the books brings.
const (
	// maxExecutions is what an oracle can ask for at once: hours of a torture
	// test. More is an error, never a part.
	maxExecutions = 200_000
	// maxListed bounds what a page lists, newest first.
	maxListed = 100
)

// ErrTooMany says that a filter matches more than one answer can hold.
var ErrTooMany = fmt.Errorf("more than %d executions match; ask for a shorter time", maxExecutions)

// ErrUnknownCustomer says that nobody with this Aadhaar number banks here.
var ErrUnknownCustomer = errors.New("no customer of this bank has this Aadhaar number")

// ExecutionStatus is what became of a debit.
type ExecutionStatus string

// The statuses. A debit, a transfer or a refund is EXECUTED from the moment it
// is booked, also while the caller is told PENDING; one that never reached the
// bank has none. A transfer that is refunded stays EXECUTED.
const (
	Executed ExecutionStatus = "EXECUTED"
	Reversed ExecutionStatus = "REVERSED"
	Declined ExecutionStatus = "DECLINED"
)

// Execution is one debit, transfer or refund as the books have it.
type Execution struct {
	Reference string
	Kind      network.Kind
	Amount    money.Paise
	Status    ExecutionStatus
	At        time.Time // when it arrived
}

// Filter says which transactions are wanted. Empty members do not restrict.
type Filter struct {
	Reference string // the caller's reference, or the bank's RRN
	From, To  time.Time
}

// where is the filter in SQL.
func (f Filter) where() (string, []any) {
	where, args := `1`, []any(nil)
	if f.Reference != "" {
		where, args = where+` AND id IN (SELECT id FROM transactions WHERE reference = ? UNION SELECT id FROM transactions WHERE rrn = ?)`,
			append(args, f.Reference, f.Reference)
	}
	if !f.From.IsZero() {
		where, args = where+` AND arrived_at >= ?`, append(args, f.From.UnixMilli())
	}
	if !f.To.IsZero() {
		where, args = where+` AND arrived_at <= ?`, append(args, f.To.UnixMilli())
	}
	return where, args
}

// Executions lists every debit, transfer and refund that matches, each once,
// oldest first: the oracle of exactly-once. What is due by now is resolved
// before.
func (b *Books) Executions(ctx context.Context, f Filter) ([]Execution, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return nil, err
	}
	where, args := f.where()
	where += fmt.Sprintf(` AND kind IN ('%s', '%s', '%s', '%s') AND state NOT IN ('%s', '%s') ORDER BY id`,
		network.Withdrawal, network.Purchase, network.Transfer, network.Refund, lost, abandoned)
	found, err := b.db.committed(ctx).records(where, args, maxExecutions+1)
	if err != nil {
		return nil, err
	}
	if len(found) > maxExecutions {
		return nil, ErrTooMany
	}
	out := make([]Execution, 0, len(found))
	for _, r := range found {
		out = append(out, Execution{Reference: r.reference, Kind: r.kind, Amount: r.amount, Status: executionStatus(r.state), At: r.arrived})
	}
	return out, nil
}

func executionStatus(s state) ExecutionStatus {
	switch s {
	case declined:
		return Declined
	case reversed:
		return Reversed
	}
	return Executed
}

// Posting is one side of an entry.
type Posting struct {
	Account string
	Title   string
	Side    string // DEBIT or CREDIT
	Amount  money.Paise
	Purpose string // such as DEBIT, REVERSAL, TRANSFER; see the CHECK of the table entries
	At      time.Time
}

// Entry is a transaction with its postings, for people.
type Entry struct {
	Reference string
	Kind      network.Kind
	State     string // as drawn in the package comment
	Code      string
	Message   string
	Amount    money.Paise
	STAN      string
	RRN       string
	AuthCode  string
	MID, TID  string
	IIN       string
	Customer  string // masked Aadhaar number; empty where none was found
	Arrived   time.Time
	Due       time.Time // zero: nothing is awaited
	Settled   time.Time // zero while something is awaited
	Postings  []Posting
}

// Entries lists the newest transactions of any kind that match, at most 100.
func (b *Books) Entries(ctx context.Context, f Filter) ([]Entry, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return nil, err
	}
	k := b.db.committed(ctx)
	where, args := f.where()
	found, err := k.records(where+` ORDER BY id DESC`, args, maxListed)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(found))
	for _, r := range found {
		e := Entry{
			Reference: r.reference, Kind: r.kind, State: string(r.state), Code: r.code, Message: cmp.Or(r.message, meanings[r.code]), Amount: r.amount,
			STAN: r.stan, RRN: r.rrn, AuthCode: r.authCode, MID: r.mid, TID: r.tid, IIN: r.iin,
			Arrived: r.arrived, Due: r.due, Settled: r.settled,
		}
		if r.customer != 0 {
			c, err := k.customerByID(r.customer)
			if err != nil {
				return nil, err
			}
			e.Customer = "XXXXXXXX" + c.last4
		}
		if e.Postings, err = k.postings(r.id); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// postings gives the two sides of each entry of a transaction.
func (k ledger) postings(transaction int64) ([]Posting, error) {
	var out []Posting
	err := k.rows("read postings", `
		SELECT a.code, a.title, CASE a.id WHEN e.debit_account THEN 'DEBIT' ELSE 'CREDIT' END, e.amount_paise, e.purpose, e.at
		FROM entries e JOIN accounts a ON a.id IN (e.debit_account, e.credit_account)
		WHERE e.transaction_id = ? ORDER BY e.id, a.id = e.credit_account`, []any{transaction},
		func(scan func(...any) error) error {
			var p Posting
			var at int64
			err := scan(&p.Account, &p.Title, &p.Side, &p.Amount, &p.Purpose, &at)
			p.At = time.UnixMilli(at)
			out = append(out, p)
			return err
		})
	return out, err
}

// Balance is what a customer has. An unknown one is ErrUnknownCustomer.
func (b *Books) Balance(ctx context.Context, a secret.Aadhaar) (money.Paise, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return 0, err
	}
	c, known, err := b.db.committed(ctx).customer(b.aadhaarHMAC(a))
	if err == nil && !known {
		err = ErrUnknownCustomer
	}
	return c.balance, err
}

// Trial is the trial balance of the books.
type Trial struct {
	Debits  money.Paise // of all accounts
	Credits money.Paise // of all accounts; equals Debits, always
	Entries money.Paise // of all entries; equals both
}

// Trial sums the books up, in one look.
func (b *Books) Trial(ctx context.Context) (Trial, error) {
	var t Trial
	_, err := b.db.committed(ctx).row("sum up the books", `SELECT sum(debits_paise), sum(credits_paise),
		(SELECT coalesce(sum(amount_paise), 0) FROM entries) FROM accounts`, nil, &t.Debits, &t.Credits, &t.Entries)
	return t, err
}

// Message is a text that the bank sent to a telephone.
type Message struct {
	At   time.Time
	Text string
}

// Inbox lists the newest texts sent to a mobile number, newest first, at most
// 100.
func (b *Books) Inbox(ctx context.Context, mobile string) ([]Message, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return nil, err
	}
	out := []Message{}
	err := b.db.committed(ctx).rows("read the inbox", `SELECT at, text FROM messages WHERE mobile = ? ORDER BY id DESC LIMIT ?`,
		[]any{mobile, maxListed}, func(scan func(...any) error) error {
			var m Message
			var at int64
			err := scan(&at, &m.Text)
			m.At = time.UnixMilli(at)
			out = append(out, m)
			return err
		})
	return slices.Clip(out), err
}
