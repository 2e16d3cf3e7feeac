package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/jobs"
)

// paymentsEvery is how soon the network is asked for a payment that a file has and the
// central has not.
const paymentsEvery = 30 * time.Second

// PaymentCaseStore stores the cases of lines of payments that the central has not recorded.
type PaymentCaseStore interface {
	// PaymentCases lists open cases of class MissingHere, of a file in force, whose line is
	// of a payment, and which nobody and nothing has answered, oldest first.
	PaymentCases(ctx context.Context, limit int) ([]Case, error)
	// AnswerPaymentCase adds the network's answer to the history of such a case, in one
	// durable transaction. If the payment is recorded now and agrees with the line, the case
	// is noted by rule; else it stays open, for people. central.ErrState: it was answered, or
	// a person took a step of it; ErrSuperseded.
	AnswerPaymentCase(ctx context.Context, id CaseID, at time.Time, answer string, agrees bool) error
	// OperationsByReference is that of OperationStore.
	OperationsByReference(ctx context.Context, references []central.Reference) ([]Operation, error)
}

// PaymentRecorder records payments of the network, each once (payments.Service).
type PaymentRecorder interface {
	// RecordByRRN asks the network for payments with an RRN, their own or that of their
	// return, and records them. It returns how many the network knows, and how many of them
	// are recorded with other values.
	RecordByRRN(ctx context.Context, rrn string) (known, conflicts int, err error)
}

// paymentFinder finds the payments of lines that have no operation.
type paymentFinder struct {
	store    PaymentCaseStore
	payments PaymentRecorder
}

// PaymentJob is the scheduled job that asks the network, once for each line, for payments
// and returns that a settlement file has and the central has not. What the network knows is
// recorded like any other report; the rest waits for people. The commands import files, too,
// so it is the running central that asks.
func PaymentJob(store PaymentCaseStore, payments PaymentRecorder) jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "upi-settlement", Every: paymentsEvery, Run: paymentFinder{store, payments}.run}
}

// run asks for a batch of lines. A line about which the network gives no answer is asked for
// again by the next run, and does not keep back the others.
func (f paymentFinder) run(ctx context.Context) (string, error) {
	list, err := f.store.PaymentCases(ctx, batchSize)
	if err != nil {
		return "", err
	}
	found, left, unanswered := 0, 0, error(nil)
	for _, c := range list {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		answer, agrees, err := f.answer(ctx, *c.Line)
		if err == nil {
			err = f.store.AnswerPaymentCase(ctx, c.CaseID, time.Now(), answer, agrees)
		}
		switch {
		case errors.Is(err, central.ErrState), errors.Is(err, ErrSuperseded): // it is somebody else's now
		case err != nil && unanswered == nil:
			unanswered = fmt.Errorf("case %s: %w", c.CaseID, err)
		case err != nil: // most likely for the same reason
		case agrees:
			found++
		default:
			left++
		}
	}
	return fmt.Sprintf("%d payments of settlement files found, %d left to people", found, left), unanswered
}

// answer says what is known of a line's payment, after the network was asked if need be;
// agrees: it is recorded as the line has it.
func (f paymentFinder) answer(ctx context.Context, l Line) (answer string, agrees bool, err error) {
	o, err := f.operation(ctx, l.Reference)
	if err != nil {
		return "", false, err
	}
	if o != nil { // a notification, or the enquiry of the day, was first
		answer, agrees = compared(*o, l, "since the comparison")
		return answer, agrees, nil
	}
	known, conflicts, err := f.payments.RecordByRRN(ctx, l.RRN)
	if err != nil {
		return "", false, err
	}
	if o, err = f.operation(ctx, l.Reference); err != nil {
		return "", false, err
	}
	switch {
	case o != nil:
		answer, agrees = compared(*o, l, "after the network was asked")
	case conflicts > 0:
		answer = "the network was asked: it tells a payment of this RRN with other values than are recorded"
	case known > 0:
		answer = "the network was asked: it knows the RRN, but under another id"
	default:
		answer = "the network was asked: it knows no payment with this RRN"
	}
	return answer, agrees, nil
}

// operation returns the operation of a reference; nil: there is none.
func (f paymentFinder) operation(ctx context.Context, ref central.Reference) (*Operation, error) {
	list, err := f.store.OperationsByReference(ctx, []central.Reference{ref})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// compared compares an operation that was recorded after its file was compared.
func compared(o Operation, l Line, when string) (answer string, agrees bool) {
	answer = fmt.Sprintf("it was recorded %s, as operation %s", when, o.ID)
	class := classifyMatched(o, l)
	if class == Agreed || class == Unreported {
		return answer, true
	}
	return fmt.Sprintf("%s, but not as the file has it: %s (%s rupees, RRN %s)", answer, class, o.Amount, o.RRN), false
}
