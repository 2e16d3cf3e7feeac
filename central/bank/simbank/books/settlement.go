package books

import (
	"context"
	"fmt"
	"slices"
	"time"

	"galla/central/bank/network"
	"galla/shared/money"
)

// MaxSettlementLines bounds the transactions of one settlement file: more than the
// sandbox's day can hold, and no file is ever written in part.
const MaxSettlementLines = 200_000

// ErrTooManySettlementLines says that a day has more than one file can hold.
var ErrTooManySettlementLines = fmt.Errorf("more than %d transactions were settled on that day", MaxSettlementLines)

// latestSettlement is how long before its end a transaction may have arrived:
// what is deferred waits for seconds, unless Config.TimeScale stretches them.
const latestSettlement = 24 * time.Hour

// noSTAN stands where a line is of a payment by UPI, which has no STAN.
const noSTAN = "000000"

// SettlementLine is a transaction of a settlement file: one that moves money, and
// whose end is final. A payment by UPI has a line, and its refund another: the reference
// is UPI's id of the one or of the other, the amount the payment's, the code 00.
type SettlementLine struct {
	Reference string
	RRN       string
	STAN      string // 000000 of a payment by UPI and of its refund
	Amount    money.Paise
	Code      string    // 00 executed, 22 executed and reversed, others declined
	At        time.Time // when its end was final
}

// SettlementLines lists what ended on an Indian day, which begins at the given
// moment, oldest first: each withdrawal, purchase, transfer and refund that the
// bank executed, reversed or declined, and each payment by UPI and each refund of one on
// the day of its record. What is still deferred comes with the day on which it ends; what
// never reached the bank is in no file. ErrTooManySettlementLines.
func (b *Books) SettlementLines(ctx context.Context, day time.Time) ([]SettlementLine, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return nil, err
	}
	where := fmt.Sprintf(`arrived_at >= ? AND arrived_at < ? AND settled_at >= ? AND settled_at < ?
		AND kind IN ('%s', '%s', '%s', '%s') AND state IN ('%s', '%s', '%s') ORDER BY settled_at, id`,
		network.Withdrawal, network.Purchase, network.Transfer, network.Refund, approved, declined, reversed)
	from, to := day.UnixMilli(), day.AddDate(0, 0, 1).UnixMilli()
	found, err := b.db.committed(ctx).records(where, []any{from - latestSettlement.Milliseconds(), to, from, to}, MaxSettlementLines+1)
	if err != nil {
		return nil, err
	}
	paid, err := b.db.committed(ctx).settledPayments(day, day.AddDate(0, 0, 1))
	if err != nil {
		return nil, err
	}
	if len(found)+len(paid) > MaxSettlementLines {
		return nil, ErrTooManySettlementLines
	}
	out := make([]SettlementLine, 0, len(found)+len(paid))
	for _, r := range found {
		out = append(out, SettlementLine{Reference: r.reference, RRN: r.rrn, STAN: r.stan, Amount: r.amount, Code: r.code, At: r.settled})
	}
	out = append(out, paid...)
	slices.SortStableFunc(out, func(a, b SettlementLine) int { return a.At.Compare(b.At) })
	return out, nil
}
