package store

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"galla/central"
	"galla/central/store/postgres"
	"galla/shared/ist"
	"galla/shared/op"
)

//go:embed sharedsent.sql
var sharedSent string

//go:embed sharedpending.sql
var sharedPending string

// ofMonth is a shared statement for operations that were created in an Indian month, such
// as 2026-11. It names the month's partition, so that PostgreSQL opens no other. If the
// month has none, the statement fails and its calls go alone.
func ofMonth(statement, month string) string {
	return strings.Replace(statement, "operations_of_month", "operations_"+strings.Replace(month, "-", "_", 1), 1)
}

// monthTexts keeps a statement for each month: few, since operations finish soon.
type monthTexts struct {
	statement string
	of        sync.Map
}

func (m *monthTexts) text(created time.Time) string {
	month := ist.MonthOf(created)
	text, known := m.of.Load(month)
	if !known {
		text, _ = m.of.LoadOrStore(month, ofMonth(m.statement, month))
	}
	return text.(string)
}

// afterLoss ends a step whose statement was not answered, and which was made once more
// alone: with o and err. In another state than the step leaves, it may have been the
// statement's own; see doc.go.
func (s Operations) afterLoss(ctx context.Context, id op.ID, o central.Operation, err error, own func(central.Operation) bool) (central.Operation, error) {
	if !errors.Is(err, central.ErrState) {
		if err != nil {
			err = postgres.Unknown(err)
		}
		return o, err
	}
	// A change, though it changes nothing: its commit is acknowledged behind that of the
	// statement, so that a standby has both.
	now, readErr := update(ctx, s.task("read operation %s", id), func(c conn) (central.Operation, error) { return operationByID(c, id) })
	switch {
	case readErr != nil:
		return central.Operation{}, postgres.Unknown(readErr)
	case own(now):
		return now, nil
	}
	return central.Operation{}, err // its state is another for ever
}

// markSentShared marks an operation as sent by a statement that may serve other calls, too.
// done is false where the statement recorded nothing of it.
func (s Operations) markSentShared(ctx context.Context, x central.SentUpdate) (done bool, err error) {
	if s.shared == nil || x.Before == nil || x.Before.ID != x.ID || x.Before.State != op.Received || x.At.IsZero() || x.BankNotAfter.IsZero() {
		return false, nil
	}
	answer, err := s.shared.sent.Do(ctx, x)
	switch {
	case err != nil:
		return true, s.task("record operation %s as sent", x.ID).failed(err)
	case answer == postgres.Served:
		return true, nil
	case answer == postgres.Unanswered:
		return true, s.markSentAfterLoss(context.WithoutCancel(ctx), x)
	}
	return false, nil
}

// markSentAfterLoss marks an operation as sent whose statement was not answered, or finds
// that the statement did. Only its execution does so, once.
func (s Operations) markSentAfterLoss(ctx context.Context, x central.SentUpdate) error {
	err := s.markSentAlone(ctx, x)
	_, err = s.afterLoss(ctx, x.ID, central.Operation{}, err, func(now central.Operation) bool {
		return now.State == op.Sent && now.SentAt.Equal(truncateToMillis(x.At)) && now.BankNotAfter.Equal(truncateToMillis(x.BankNotAfter))
	})
	return err
}

// argsOfSent are the arguments of sharedSent.
func argsOfSent(node string, calls []central.SentUpdate) []any {
	number := func(of func(*central.SentUpdate) int64) []int64 { return columnOf(calls, of) }
	return []any{
		columnOf(calls, func(x *central.SentUpdate) string { return string(x.ID) }),
		number(func(x *central.SentUpdate) int64 { return x.Before.CreatedAt.UnixMilli() }),
		number(func(x *central.SentUpdate) int64 { return millis(x.At) }),
		number(func(x *central.SentUpdate) int64 { return millis(x.BankNotAfter) }),
		node,
	}
}

// pendingCall is a call of MarkPending that may share its statement.
type pendingCall struct {
	update    central.PendingUpdate
	reference string // that it gets
}

// markPendingShared makes an operation pending by a statement that may serve other calls,
// too. done is false where the statement recorded nothing of it: it is not in state sent,
// or the reference is taken.
func (s Operations) markPendingShared(ctx context.Context, x central.PendingUpdate) (o central.Operation, done bool, err error) {
	if s.shared == nil || x.Before == nil || x.Before.ID != x.ID || x.Before.State != op.Sent || x.NextEnquiry.IsZero() {
		return o, false, nil
	}
	call := pendingCall{x, x.Prefix + strconv.FormatInt(s.shared.numbers.next(x.Prefix, x.At.UnixMilli()), 10)}
	answer, err := s.shared.pending.Do(ctx, call)
	switch {
	case err != nil:
		return o, true, s.task("record operation %s as pending", x.ID).failed(err)
	case answer == postgres.Served:
		return asPending(call), true, nil
	case answer == postgres.Unanswered:
		o, err = s.markPendingAfterLoss(context.WithoutCancel(ctx), call)
		return o, true, err
	}
	return o, false, nil
}

// markPendingAfterLoss makes an operation pending whose statement was not answered, or finds
// that the statement did: only this call has its reference.
func (s Operations) markPendingAfterLoss(ctx context.Context, call pendingCall) (central.Operation, error) {
	o, err := s.markPendingAlone(ctx, call.update)
	return s.afterLoss(ctx, call.update.ID, o, err, func(now central.Operation) bool {
		return now.State == op.Pending && now.PendingReference == call.reference
	})
}

// asStored is an operation as it is read, in a state that is not final, from what its caller
// has of it.
func asStored(before central.Operation) central.Operation {
	o := asCreated(before)
	if before.State == op.Pending {
		o.State, o.SentAt, o.BankNotAfter = before.State, truncateToMillis(before.SentAt), truncateToMillis(before.BankNotAfter)
		o.PendingReference, o.Enquiries, o.NextEnquiry, o.StuckAt = before.PendingReference, before.Enquiries, before.NextEnquiry, before.StuckAt
	}
	return o
}

// asPending is the operation as it is read after it became pending.
func asPending(call pendingCall) central.Operation {
	o := asStored(*call.update.Before)
	o.State, o.PendingReference, o.NextEnquiry = op.Pending, call.reference, truncateToMillis(call.update.NextEnquiry)
	return o
}

// keysOfPending are what two calls in one statement must not have in common.
func keysOfPending(c pendingCall) []string {
	return []string{"id " + string(c.update.ID), "reference " + c.reference}
}

// argsOfPending are the arguments of sharedPending.
func argsOfPending(node string, calls []pendingCall) []any {
	text := func(of func(*pendingCall) string) []string { return columnOf(calls, of) }
	number := func(of func(*pendingCall) int64) []int64 { return columnOf(calls, of) }
	return []any{
		text(func(c *pendingCall) string { return string(c.update.ID) }),
		number(func(c *pendingCall) int64 { return c.update.Before.CreatedAt.UnixMilli() }),
		number(func(c *pendingCall) int64 { return millis(c.update.At) }),
		text(func(c *pendingCall) string { return c.reference }),
		number(func(c *pendingCall) int64 { return millis(c.update.NextEnquiry) }),
		text(func(c *pendingCall) string { return clip(c.update.Reason) }),
		node,
	}
}

// pendingNumbers gives the numbers of pending references. Operations that become pending
// together at this node get different ones, so that their statements do not fail.
type pendingNumbers struct {
	mu   sync.Mutex
	last map[string]int64 // by prefix
}

// maxPendingLead is how far, in milliseconds, numbers may run ahead of the clock. A clock
// that was put back by more begins again.
const maxPendingLead = 60_000

// next is the number of the moment, or the next one that was not given yet.
func (p *pendingNumbers) next(prefix string, at int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := at
	if last := p.last[prefix]; last >= at && last-at < maxPendingLead {
		number = last + 1
	}
	if p.last == nil {
		p.last = map[string]int64{}
	}
	p.last[prefix] = number
	return number
}
