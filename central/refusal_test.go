package central

import (
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// TestNothingBeginsUnderARefusal: a call that may begin nothing is answered from the
// record, whatever it is known by, and is refused where it would be an attempt;
// also where its name was not free when it arrived.
func TestNothingBeginsUnderARefusal(t *testing.T) {
	for name, call := range map[string]func(otp string) Submission{
		"transfer":        func(otp string) Submission { return with(otp, transfer("", "r1")) },
		"transfer, a key": func(otp string) Submission { return with(otp, transfer("k1", "r1")) },
		"refund":          refundCall,
	} {
		t.Run(name, func(t *testing.T) {
			inDesk(t, func(t *testing.T, d *desk) {
				d.bank.guarded()
				judged := func(otp string) Submission {
					s := call(otp)
					s.Quotas = append(s.Quotas, Quota{Key: "day", Period: "2026-11-22", Amount: money.Rupee, MaxSum: 10 * money.Rupee})
					return s
				}
				barred := func(otp string) Submission {
					s := judged(otp)
					s.Refusal = Refuse(Precluded, "over the limit")
					return s
				}
				refused := func(when string, o Operation, err error) {
					t.Helper()
					if err == nil || AsError(err).Message != "over the limit" {
						t.Errorf("%s: %s, %v", when, o.State, err)
					}
				}
				o, _, err := d.submit(barred(rightOTP))
				refused("a new name", o, err)
				go func() { _, _, _ = d.submit(judged(wrongOTP)) }()
				synctest.Wait()
				o, _, err = d.submit(barred(rightOTP)) // waits for the attempt under way
				refused("a name that was not free", o, err)
				o, _, err = d.submit(barred(rightOTP))
				refused("a name that is free", o, err)
				if o, replayed, err := d.submit(barred(wrongOTP)); err != nil || !replayed || !o.OTPRefused {
					t.Errorf("a repeat: %s, replayed %t, %v", o.State, replayed, err)
				}
				if n := len(d.bank.requests); n != 1 {
					t.Errorf("%d requests reached the bank, want 1", n)
				}
				if used := d.store.usage["day|2026-11-22"]; used != (Used{}) {
					t.Errorf("%+v is counted", used)
				}
				time.Sleep(time.Minute)
				done, _, err := d.submit(judged(rightOTP))
				if err != nil || done.State != op.Succeeded {
					t.Fatalf("%s, %v", done.State, err)
				}
				if o, replayed, err := d.submit(barred("333333")); err != nil || !replayed || o.ID != done.ID {
					t.Errorf("a repeat of the success: %s, replayed %t, %v", o.State, replayed, err)
				}
				if used := d.store.usage["day|2026-11-22"]; used != (Used{Count: 1, Sum: money.Rupee}) {
					t.Errorf("%+v is counted", used)
				}
			})
		})
	}
}
