package store

import (
	"bytes"
	"context"
	_ "embed"
	"regexp"
	"strings"
	"time"

	"galla/central"
	"galla/central/store/postgres"
	"galla/central/webhook"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

//go:embed sharedfinish.sql
var sharedFinishLines string

// sharedFinish is for nearly all operations: it opens no more tables than they need.
// sharedFinishPending, for those that were pending, also has the lines that begin with
// --pending.
var (
	sharedFinish        = regexp.MustCompile(`(?m)^--pending .*\n`).ReplaceAllString(sharedFinishLines, "")
	sharedFinishPending = strings.ReplaceAll(sharedFinishLines, "--pending ", "")
)

// finalCall is a call of Finish that may share its statement.
type finalCall struct {
	before  central.Operation
	outcome central.FinalOutcome
}

// finishShared finishes an operation by a statement that may serve other calls, too. done
// is false where the statement recorded nothing of it: it is not in the state that the
// caller knows, or the outcome has effects that applyOutcome writes.
func (s Operations) finishShared(ctx context.Context, x central.FinalOutcome) (o central.Operation, done bool, err error) {
	if s.shared == nil || !finishesOrdinarily(x) {
		return o, false, nil
	}
	answer, err := s.shared.finish.Do(ctx, finalCall{*x.Before, x})
	switch {
	case err != nil:
		return o, true, s.task("record operation %s as %s", x.ID, x.To).failed(err)
	case answer == postgres.Served:
		return asFinished(x), true, nil
	case answer == postgres.Unanswered:
		o, err = s.finishAfterLoss(context.WithoutCancel(ctx), x)
		return o, true, err
	}
	return o, false, nil
}

// finishAfterLoss finishes an operation whose statement was not answered, or finds that the
// statement did; see doc.go.
func (s Operations) finishAfterLoss(ctx context.Context, x central.FinalOutcome) (central.Operation, error) {
	o, err := s.finishAlone(ctx, x)
	return s.afterLoss(ctx, x.ID, o, err, func(now central.Operation) bool { return hasOutcome(now, x) })
}

// finishesOrdinarily tells whether all effects of an outcome are those of the shared
// statement.
func finishesOrdinarily(x central.FinalOutcome) bool {
	o := x.Before
	if o == nil || o.ID != x.ID || x.At.IsZero() || x.Session != nil || !central.CanTransition(o.State, x.To) {
		return false
	}
	if o.Kind == central.KindReceiptMessage && o.State == op.Pending { // it has no callback
		return false
	}
	if x.To != op.Succeeded {
		return x.To != op.Reversed || o.Kind != central.KindTransfer
	}
	return o.KYC == nil && o.Reverses == "" && o.Kind != central.KindTransfer && o.Kind != central.KindBCRegister && o.Kind != central.KindBCAgentRegister
}

// asFinished is the operation as it is read after its outcome is recorded.
func asFinished(x central.FinalOutcome) central.Operation {
	o := asStored(*x.Before)
	o.NextEnquiry = time.Time{}
	o.State, o.FinishedAt, o.Code, o.RRN = x.To, truncateToMillis(x.At), x.Answer.Code, x.Answer.RRN
	o.HTTP, o.Reply, o.Charge, o.OTPRefused = x.HTTP, x.Reply, x.Answer.Charge, x.OTPRefused()
	return o
}

// hasOutcome tells whether an operation has an outcome, in all that the caller gave.
func hasOutcome(o central.Operation, x central.FinalOutcome) bool {
	return o.State == x.To && o.FinishedAt.Equal(truncateToMillis(x.At)) && o.Code == x.Answer.Code && o.RRN == x.Answer.RRN &&
		o.HTTP == x.HTTP && bytes.Equal(o.Reply, x.Reply) && o.Charge == x.Answer.Charge && o.OTPRefused == x.OTPRefused()
}

// argsOfFinal are the arguments of sharedFinish.
func argsOfFinal(node string, calls []finalCall) []any {
	text := func(of func(*finalCall) string) []string { return columnOf(calls, of) }
	number := func(of func(*finalCall) int64) []int64 { return columnOf(calls, of) }
	args := append(append([]any{
		text(func(c *finalCall) string { return string(c.outcome.ID) }),
		number(func(c *finalCall) int64 { return c.before.CreatedAt.UnixMilli() }),
		text(func(c *finalCall) string { return string(c.before.State) }),
		text(func(c *finalCall) string { return string(c.outcome.To) }),
		number(func(c *finalCall) int64 { return millis(c.outcome.At) }),
		text(func(c *finalCall) string { return c.outcome.Answer.Code }),
		text(func(c *finalCall) string { return c.outcome.Answer.RRN }),
		number(func(c *finalCall) int64 { return int64(c.outcome.HTTP) }),
		columnOf(calls, func(c *finalCall) []byte { return c.outcome.Reply }),
		number(func(c *finalCall) int64 { return int64(c.outcome.Answer.Charge) }),
		number(func(c *finalCall) int64 {
			if c.outcome.OTPRefused() {
				return 1
			}
			return 0
		}),
		number(lastStep),
		text(func(c *finalCall) string { return clip(c.outcome.Reason) }),
		node,
	}, argsOfEarnings(calls)...), argsOfPostings(calls)...)
	if len(calls) == 0 || calls[0].before.State != op.Pending {
		return args
	}
	return append(args,
		number(func(c *finalCall) int64 { return int64(c.before.Enquiries) }),
		number(func(c *finalCall) int64 { return millis(c.before.StuckAt) }),
		text(func(c *finalCall) string { return central.TerminalTopic(c.before.Terminal) }),
		webhook.EventFinished, postgres.Channel,
	)
}

// lastStep is the number of the step to the final state: after received, and after sent. The
// statement adds how many steps there are after pending.
func lastStep(c *finalCall) int64 {
	switch c.before.State {
	case op.Received:
		return 2
	case op.Sent:
		return 3
	}
	return 1
}

// placedEarning is an earning of a call.
type placedEarning struct {
	place int64
	day   string
	*central.Earning
}

func argsOfEarnings(calls []finalCall) []any {
	list := make([]placedEarning, 0, len(calls))
	for i, c := range calls {
		if c.outcome.Earning != nil {
			list = append(list, placedEarning{int64(i + 1), string(ist.DayOf(c.outcome.At)), c.outcome.Earning})
		}
	}
	text := func(of func(*placedEarning) string) []string { return columnOf(list, of) }
	amount := func(of func(*placedEarning) money.Paise) []int64 {
		return columnOf(list, func(e *placedEarning) int64 { return int64(of(e)) })
	}
	return []any{
		columnOf(list, func(e *placedEarning) int64 { return e.place }),
		text(func(e *placedEarning) string { return string(e.Vendor) }),
		text(func(e *placedEarning) string { return string(e.Aggregator) }),
		text(func(e *placedEarning) string { return string(e.Merchant) }),
		text(func(e *placedEarning) string { return e.PaymentMethod }),
		text(func(e *placedEarning) string { return e.Provider }),
		text(func(e *placedEarning) string { return e.TxnType }),
		text(func(e *placedEarning) string { return string(e.Slab) }),
		amount(func(e *placedEarning) money.Paise { return e.Amount }),
		amount(func(e *placedEarning) money.Paise { return e.Charge }),
		amount(func(e *placedEarning) money.Paise { return e.GST }),
		amount(func(e *placedEarning) money.Paise { return e.ProviderCost }),
		amount(func(e *placedEarning) money.Paise { return e.Commission }),
		amount(func(e *placedEarning) money.Paise { return e.TDS }),
		text(func(e *placedEarning) string { return e.day }),
	}
}

func argsOfPostings(calls []finalCall) []any {
	places, amounts := []int64{}, []int64{}
	purposes, debits, credits := []string{}, []string{}, []string{}
	for i, c := range calls {
		if c.outcome.Earning == nil {
			continue
		}
		for _, p := range c.outcome.Earning.Postings {
			if p.Amount != 0 { // as addEarning leaves it out
				places, amounts = append(places, int64(i+1)), append(amounts, int64(p.Amount))
				purposes, debits, credits = append(purposes, p.Purpose), append(debits, p.Debit), append(credits, p.Credit)
			}
		}
	}
	return []any{places, purposes, debits, credits, amounts}
}
