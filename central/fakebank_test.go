package central

import (
	"context"
	"errors"
	"sync"

	"galla/shared/money"
)

// fakeBank is a bank whose behaviour is scripted and that counts executions.
type fakeBank struct {
	mu       sync.Mutex
	requests []BankRequest
	executed map[Reference]int
	send     func(context.Context, BankRequest) (BankAnswer, error) // default: approve
	enquire  func(context.Context, Reference) (BankAnswer, error)   // default: from executed
	asked    int
	consult  func(context.Context, BankRequest) (BankAnswer, error) // default: approve
}

func (b *fakeBank) Send(ctx context.Context, r BankRequest) (BankAnswer, error) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	send := b.send
	b.mu.Unlock()
	if send != nil && r.Kind != KindAgentAuth {
		return send(ctx, r)
	}
	return b.execute(r), nil
}

func (b *fakeBank) record(r BankRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r)
}

func (b *fakeBank) execute(r BankRequest) BankAnswer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.executed[r.Reference]++
	a := BankAnswer{Status: BankApproved, Code: "00", Message: "SUCCESS", STAN: r.STAN, RRN: "123456789012", AuthCode: "A1B2C3"}
	if r.Kind == KindTransfer {
		a.Charge = fee
	}
	return a
}

func (b *fakeBank) Enquire(ctx context.Context, ref Reference) (BankAnswer, error) {
	b.mu.Lock()
	b.asked++
	enquire, n := b.enquire, b.executed[ref]
	b.mu.Unlock()
	switch {
	case enquire != nil:
		return enquire(ctx, ref)
	case n > 0:
		return BankAnswer{Status: BankApproved, Code: "00", Message: "SUCCESS"}, nil
	}
	return BankAnswer{Status: BankNotFound}, nil
}

func (b *fakeBank) Consult(ctx context.Context, r BankRequest) (BankAnswer, error) {
	b.mu.Lock()
	b.requests = append(b.requests, r)
	consult := b.consult
	b.mu.Unlock()
	if consult != nil {
		return consult(ctx, r)
	}
	return BankAnswer{Status: BankApproved, Code: "00"}, nil
}

// fee is what the customer pays for a transfer at this bank.
const fee = 20 * money.Rupee

func (b *fakeBank) enquiries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

var errSilent = errors.New("no answer")

// silent never answers; executes: it still executes the request.
func (b *fakeBank) silent(executes bool) func(context.Context, BankRequest) (BankAnswer, error) {
	return func(ctx context.Context, r BankRequest) (BankAnswer, error) {
		if executes {
			b.execute(r)
		}
		<-ctx.Done()
		return BankAnswer{}, errSilent
	}
}
