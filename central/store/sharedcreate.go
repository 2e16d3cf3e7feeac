package store

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"galla/central"
	"galla/central/store/postgres"
	"galla/shared/money"
	"galla/shared/op"
)

//go:embed sharedcreate.sql
var sharedCreate string

// newCall is a call of Create that may share its statement.
type newCall struct {
	operation central.Operation // as asCreated returns it
	counts    []quotaCount
	message   *central.SealedMessage // nil: none
}

// quotaCount is what an operation adds to one count, with the lowest limits of its quotas.
type quotaCount struct {
	at       usageKey
	amount   money.Paise
	maxCount int         // 0: no limit
	maxSum   money.Paise // 0: no limit
}

// createShared creates an operation by a statement that may serve other calls, too. done is
// false where the statement recorded nothing of it: its names are known, a quota has no
// room, or it is not ordinary. Then insertOperation decides.
func (s Operations) createShared(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew, done bool, err error) {
	if s.shared == nil || !isOrdinary(o) {
		return known, false, false, nil
	}
	counts, ok := countsOf(quotas)
	if !ok {
		return known, false, false, nil
	}
	message := o.Message
	o = asCreated(o)
	o.Attempt = 1
	answer, err := s.shared.create.Do(ctx, newCall{o, counts, message})
	switch {
	case err != nil:
		return known, false, true, s.task("record operation %s", o.ID).failed(err)
	case answer == postgres.Served:
		return o, true, true, nil
	case answer == postgres.Unanswered:
		o.Message = message
		known, isNew, err = s.createAfterLoss(context.WithoutCancel(ctx), o, quotas)
		return known, isNew, true, err
	}
	return known, false, false, nil
}

// createAfterLoss creates an operation whose statement was not answered, or finds that the
// statement did; see doc.go.
func (s Operations) createAfterLoss(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	for range 2 {
		known, isNew, err = s.createAlone(ctx, o, quotas)
		// Between its two looks, the statement may have come and taken the reference
		// or spent the message.
		if !errors.Is(err, central.ErrTaken) && !errors.Is(err, central.ErrReplayed) {
			break
		}
	}
	if errors.Is(err, central.ErrReplayed) {
		return central.Operation{}, false, err // another call spent the message: the statement never can
	}
	if err != nil {
		return central.Operation{}, false, postgres.Unknown(err)
	}
	// Only this call has the reference.
	mine := known.ID == o.ID && known.Reference == o.Reference && known.Node == o.Node && known.State == o.State
	return known, isNew || mine, nil
}

// isOrdinary tells whether an operation can be created by a shared statement if nothing of
// it is known. Others are rare, or refused with a better error.
func isOrdinary(o central.Operation) bool {
	return o.ID != "" && o.Caller != "" && o.Identity != "" && o.Reference != "" && o.Amount >= 0 && !o.CreatedAt.IsZero() &&
		(o.CallerRef == "" || o.Party != "") && isMasked(o.Aadhaar) &&
		o.Original == "" && o.Reverses == "" && o.KYC == nil &&
		(o.State != op.Sent || !o.SentAt.IsZero() && !o.BankNotAfter.IsZero())
}

// countsOf returns the counts of quotas; false: one refuses the operation in any case.
func countsOf(quotas []central.Quota) ([]quotaCount, bool) {
	var list []quotaCount
	for _, q := range quotas {
		if q.Amount < 0 {
			return nil, false
		}
		at := usageKey{q.Key, q.Period}
		i := 0
		for i < len(list) && list[i].at != at {
			i++
		}
		if i == len(list) {
			list = append(list, quotaCount{at: at})
		}
		list[i].amount = max(list[i].amount, q.Amount)
		list[i].maxCount = lowerLimit(list[i].maxCount, q.MaxCount)
		list[i].maxSum = lowerLimit(list[i].maxSum, q.MaxSum)
	}
	for _, c := range list {
		if c.maxSum > 0 && c.amount > c.maxSum {
			return nil, false
		}
	}
	return list, true
}

// lowerLimit is the lower of two limits, of which 0 is none.
func lowerLimit[N int | money.Paise](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return max(b, 0)
	}
	return a
}

// keysOfNew are the names of a new operation that another must not have in the same
// statement.
func keysOfNew(c newCall) []string {
	o := c.operation
	keys := make([]string, 0, 5)
	keys = append(keys, "id "+string(o.ID), "identity "+o.Caller+" "+o.Identity, "reference "+string(o.Reference))
	if o.CallerRef != "" {
		keys = append(keys, "name "+o.Party+" "+o.CallerRef)
	}
	if m := c.message; m != nil {
		keys = append(keys, "message "+string(m.Key)+" "+string(m.IV[:]))
	}
	return keys
}

// argsOfNew are the arguments of sharedCreate.
func argsOfNew(node string, calls []newCall) []any {
	of := func(text func(*central.Operation) string) []string {
		return columnOf(calls, func(c *newCall) string { return text(&c.operation) })
	}
	at := func(when func(*central.Operation) time.Time) []int64 {
		return columnOf(calls, func(c *newCall) int64 { return millis(when(&c.operation)) })
	}
	var places, amounts, maxCounts, maxSums []int64
	var keys, periods, senders []string
	var messages, expiries []int64 // messages: the places of their calls
	var ivs [][]byte
	for i, c := range calls {
		if m := c.message; m != nil {
			messages, senders = append(messages, int64(i+1)), append(senders, string(m.Key))
			ivs, expiries = append(ivs, m.IV[:]), append(expiries, millis(m.Expires))
		}
		for _, n := range c.counts {
			places, keys, periods = append(places, int64(i+1)), append(keys, n.at.key), append(periods, n.at.period)
			amounts, maxCounts, maxSums = append(amounts, int64(n.amount)), append(maxCounts, int64(n.maxCount)), append(maxSums, int64(n.maxSum))
		}
	}
	return []any{
		of(func(o *central.Operation) string { return string(o.ID) }),
		of(func(o *central.Operation) string { return o.Caller }),
		of(func(o *central.Operation) string { return o.Identity }),
		of(func(o *central.Operation) string { return string(o.Route) }),
		columnOf(calls, func(c *newCall) []byte { return c.operation.Fingerprint[:] }),
		of(func(o *central.Operation) string { return string(o.Merchant) }),
		of(func(o *central.Operation) string { return string(o.Terminal) }),
		of(func(o *central.Operation) string { return o.TID }),
		of(func(o *central.Operation) string { return string(o.Kind) }),
		columnOf(calls, func(c *newCall) int64 { return int64(c.operation.Amount) }),
		of(func(o *central.Operation) string { return o.Aadhaar }),
		of(func(o *central.Operation) string { return o.IIN }),
		of(func(o *central.Operation) string { return string(o.Reference) }),
		of(func(o *central.Operation) string { return o.STAN }),
		of(func(o *central.Operation) string { return string(o.State) }),
		of(func(o *central.Operation) string { return o.Node }),
		at(func(o *central.Operation) time.Time { return o.NotAfter }),
		at(func(o *central.Operation) time.Time { return o.CreatedAt }),
		of(func(o *central.Operation) string { return o.Party }),
		of(func(o *central.Operation) string { return o.CallerRef }),
		of(func(o *central.Operation) string { return o.Sender }),
		at(func(o *central.Operation) time.Time { return o.SentAt }),
		at(func(o *central.Operation) time.Time { return o.BankNotAfter }),
		filled(places), filled(keys), filled(periods), filled(amounts), filled(maxCounts), filled(maxSums),
		node,
		filled(messages), filled(senders), filled(ivs), filled(expiries),
	}
}
