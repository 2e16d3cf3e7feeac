package central

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/op"
	"galla/shared/secret"
)

const (
	wrongOTP = "111111"
	rightOTP = "222222"
)

// guarded makes a bank accept one OTP and refuse all others, after a second.
func (b *fakeBank) guarded() {
	b.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
		time.Sleep(time.Second)
		if r.OTP.Reveal() != rightOTP {
			return BankAnswer{Status: BankDeclined, Code: "55", Refusal: RefusedOTP}, nil
		}
		return b.execute(r), nil
	}
}

func with(otp string, s Submission) Submission {
	s.Request.OTP = secret.NewOTP(otp)
	return s
}

// refundRequest is a refund without an identity.
func refundRequest(otp string) Submission {
	s := transfer("", "")
	s.Route, s.Request.Kind, s.Request.Particulars = op.Refund, KindRefund, Particulars{Original: "GL1"}
	s.Quotas = []Quota{{Key: "refund:GL1", Period: "once", MaxCount: 1}}
	return with(otp, s)
}

// TestAnAttemptAfterARefusedOTP: after the bank refused an OTP, another OTP is a new
// attempt, by whatever name the request is known.
func TestAnAttemptAfterARefusedOTP(t *testing.T) {
	for name, call := range map[string]func(otp string) Submission{
		"refId alone":                    func(otp string) Submission { return with(otp, transfer("", "r1")) },
		"with an Idempotency-Key":        func(otp string) Submission { return with(otp, transfer("k1", "r1")) },
		"with another key each":          func(otp string) Submission { return with(otp, transfer("k"+otp, "r1")) },
		"a refund":                       refundRequest,
		"a refund with a key":            func(otp string) Submission { s := refundRequest(otp); s.Identity = "k1"; return s },
		"a refund with another key each": func(otp string) Submission { s := refundRequest(otp); s.Identity = "k" + otp; return s },
	} {
		t.Run(name, func(t *testing.T) {
			withEngine(t, func(t *testing.T, d *fixture) {
				d.bank.guarded()
				first, replayed, err := d.submit(call(wrongOTP))
				if err != nil || replayed || first.State != op.Failed {
					t.Fatalf("%s, %v", first.State, err)
				}
				if o := d.want(first.ID, op.Failed); !o.OTPRefused {
					t.Error("it is not marked as refused for its OTP")
				}
				again, replayed, err := d.submit(call(wrongOTP))
				if err != nil || !replayed || again.ID != first.ID {
					t.Errorf("the same OTP again: replayed %t, %v", replayed, err)
				}
				second, replayed, err := d.submit(call(rightOTP))
				if err != nil || replayed || second.State != op.Succeeded || second.ID == first.ID {
					t.Fatalf("the right OTP: %s, replayed %t, %v", second.State, replayed, err)
				}
				for _, otp := range []string{wrongOTP, rightOTP, "333333"} {
					o, replayed, err := d.submit(call(otp))
					if err != nil || !replayed || o.ID != second.ID {
						t.Errorf("after the success, with %s: %s, replayed %t, %v", otp, o.State, replayed, err)
					}
				}
				if n := len(d.bank.requests); n != 2 {
					t.Errorf("%d requests reached the bank, want 2", n)
				}
				if used := d.store.usage["refund:GL1|once"]; call("").Request.Kind == KindRefund && used.Count != 1 {
					t.Errorf("%d refunds are counted", used.Count)
				}
			})
		})
	}
}

// TestOnlyTheOTPFreesAName: after every other outcome, and while there is none, a
// repeat with another OTP sends nothing.
func TestOnlyTheOTPFreesAName(t *testing.T) {
	for name, send := range map[string]func(*fakeBank) func(context.Context, BankRequest) (BankAnswer, error){
		"declined": func(*fakeBank) func(context.Context, BankRequest) (BankAnswer, error) {
			return func(context.Context, BankRequest) (BankAnswer, error) {
				return BankAnswer{Status: BankDeclined, Code: "55"}, nil // a code without a cause
			}
		},
		"unreachable": func(*fakeBank) func(context.Context, BankRequest) (BankAnswer, error) {
			return func(context.Context, BankRequest) (BankAnswer, error) { return BankAnswer{}, MarkNotSent(errSilent) }
		},
		"in progress, with a refusal": func(*fakeBank) func(context.Context, BankRequest) (BankAnswer, error) {
			return func(context.Context, BankRequest) (BankAnswer, error) {
				return BankAnswer{Status: BankInProgress, Refusal: RefusedOTP}, nil
			}
		},
		"silent":           func(b *fakeBank) func(context.Context, BankRequest) (BankAnswer, error) { return b.silent(false) },
		"silent, executes": func(b *fakeBank) func(context.Context, BankRequest) (BankAnswer, error) { return b.silent(true) },
	} {
		t.Run(name, func(t *testing.T) {
			withEngine(t, func(t *testing.T, d *fixture) {
				d.bank.send = send(d.bank)
				first, _, err := d.submit(with(wrongOTP, transfer("", "r1")))
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					again, replayed, err := d.submit(with(rightOTP, transfer("", "r1")))
					if err != nil || !replayed || again.ID != first.ID {
						t.Errorf("%s, replayed %t, %v", again.State, replayed, err)
					}
					time.Sleep(5 * time.Minute)
				}
				if n := len(d.bank.requests); n != 1 {
					t.Errorf("%d requests reached the bank, want 1", n)
				}
			})
		})
	}
}

// TestAnotherBodyIsNoAttempt: another body under the name is a conflict.
func TestAnotherBodyIsNoAttempt(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.guarded()
		if _, _, err := d.submit(with(wrongOTP, transfer("", "r1"))); err != nil {
			t.Fatal(err)
		}
		other := with(rightOTP, transfer("", "r1"))
		other.Fingerprint = [32]byte{9}
		if _, _, err := d.submit(other); AsError(err).Fault != Conflict {
			t.Errorf("Submit = %v, want a conflict", err)
		}
	})
}

// TestRequestsAtOneTime: requests with one OTP share an attempt; a request that
// waited for a refused attempt continues with its own OTP. There is one debit, in
// any order.
func TestRequestsAtOneTime(t *testing.T) {
	for _, refund := range []bool{false, true} {
		withEngine(t, func(t *testing.T, d *fixture) {
			d.bank.guarded()
			var calls sync.WaitGroup
			for i := range 12 {
				otp := []string{wrongOTP, rightOTP, wrongOTP}[i%3]
				calls.Go(func() {
					s := with(otp, transfer("", "r1"))
					if refund {
						s = refundRequest(otp)
					}
					o, _, err := d.submit(s)
					if err != nil || otp == rightOTP && o.State != op.Succeeded {
						t.Errorf("with %s: %s, %v", otp, o.State, err)
					}
				})
			}
			calls.Wait()
			if n := len(d.bank.executed); n != 1 {
				t.Errorf("%d executions", n)
			}
			if n := len(d.bank.requests); n > 2 {
				t.Errorf("%d requests reached the bank: the tries are used up", n)
			}
		})
	}
}

// TestATerminalsIdIsOneAttempt: the id leads to its attempt for ever, and a
// frame that arrives again creates nothing.
func TestATerminalsIdIsOneAttempt(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.guarded()
		frame := func(id op.ID, otp string) Submission {
			s := with(otp, transfer(string(id), "r1"))
			s.ID, s.Terminal, s.Caller = id, "t1", "terminal:t1"
			return s
		}
		const first, waits, second = op.ID("0190b000-0000-7000-8000-0000000000c1"), op.ID("0190b000-0000-7000-8000-0000000000c2"), op.ID("0190b000-0000-7000-8000-0000000000c3")
		go func() { _, _, _ = d.submit(frame(first, wrongOTP)) }()
		synctest.Wait()
		if o, replayed, err := d.submit(frame(waits, rightOTP)); err != nil || !replayed || o.ID != first || o.State != op.Failed {
			t.Errorf("an id that waits for another: %s %s, %v", o.ID, o.State, err)
		}
		if o, _, err := d.submit(frame(second, rightOTP)); err != nil || o.ID != second || o.State != op.Succeeded {
			t.Errorf("the next attempt: %s %s, %v", o.ID, o.State, err)
		}
		for id, want := range map[op.ID]op.State{first: op.Failed, waits: op.Failed, second: op.Succeeded} {
			o, _, err := d.submit(frame(id, rightOTP))
			if err != nil || o.State != want {
				t.Errorf("%s again: %s, %v; want %s", id, o.State, err, want)
			}
			o, seen, err := d.engine.FindOrTombstone(t.Context(), "terminal:t1", string(id))
			if err != nil || !seen || o.State != want {
				t.Errorf("%s is %s, %v; want %s", id, o.State, err, want)
			}
		}
		if n := len(d.bank.requests); n != 2 {
			t.Errorf("%d requests reached the bank, want 2", n)
		}
	})
}

// TestRefundsOfTwoCounters: two ids for one transfer are two acts of agents; the
// first is executed, and the other is refused.
func TestRefundsOfTwoCounters(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		d.bank.guarded()
		states := make([]error, 2)
		var calls sync.WaitGroup
		for i, id := range []op.ID{"0190b000-0000-7000-8000-0000000000d1", "0190b000-0000-7000-8000-0000000000d2"} {
			calls.Go(func() {
				s := refundRequest(rightOTP)
				s.ID, s.Identity, s.Terminal = id, string(id), TerminalID(id)
				_, _, states[i] = d.submit(s)
			})
		}
		calls.Wait()
		if (states[0] == nil) == (states[1] == nil) || AsError(errors.Join(states...)).Fault != FailedPrecondition {
			t.Errorf("%v", states)
		}
		if n := len(d.bank.executed); n != 1 {
			t.Errorf("%d executions", n)
		}
	})
}
