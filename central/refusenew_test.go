package central

import (
	"testing"
	"testing/synctest"
	"time"

	"galla/shared/money"
	"galla/shared/op"
)

// TestNothingNewUnderRefuseNew: with RefuseNew a repeat is answered from the record,
// by whatever name, and a request that would be a new attempt is refused, also if it
// had to wait for an attempt under way.
func TestNothingNewUnderRefuseNew(t *testing.T) {
	for name, call := range map[string]func(otp string) Submission{
		"transfer":        func(otp string) Submission { return with(otp, transfer("", "r1")) },
		"transfer, a key": func(otp string) Submission { return with(otp, transfer("k1", "r1")) },
		"refund":          refundRequest,
	} {
		t.Run(name, func(t *testing.T) {
			withEngine(t, func(t *testing.T, d *fixture) {
				d.bank.guarded()
				limited := func(otp string) Submission {
					s := call(otp)
					s.Quotas = append(s.Quotas, Quota{Key: "day", Period: "2026-11-22", Amount: money.Rupee, MaxSum: 10 * money.Rupee})
					return s
				}
				refusing := func(otp string) Submission {
					s := limited(otp)
					s.RefuseNew = NewError(FailedPrecondition, "over the limit")
					return s
				}
				refused := func(when string, o Operation, err error) {
					t.Helper()
					if err == nil || AsError(err).Message != "over the limit" {
						t.Errorf("%s: %s, %v", when, o.State, err)
					}
				}
				o, _, err := d.submit(refusing(rightOTP))
				refused("a new name", o, err)
				go func() { _, _, _ = d.submit(limited(wrongOTP)) }()
				synctest.Wait()
				o, _, err = d.submit(refusing(rightOTP)) // waits for the attempt under way
				refused("a name that was not free", o, err)
				o, _, err = d.submit(refusing(rightOTP))
				refused("a name that is free", o, err)
				if o, replayed, err := d.submit(refusing(wrongOTP)); err != nil || !replayed || !o.OTPRefused {
					t.Errorf("a repeat: %s, replayed %t, %v", o.State, replayed, err)
				}
				if n := len(d.bank.requests); n != 1 {
					t.Errorf("%d requests reached the bank, want 1", n)
				}
				if used := d.store.usage["day|2026-11-22"]; used != (Used{}) {
					t.Errorf("%+v is counted", used)
				}
				time.Sleep(time.Minute)
				done, _, err := d.submit(limited(rightOTP))
				if err != nil || done.State != op.Succeeded {
					t.Fatalf("%s, %v", done.State, err)
				}
				if o, replayed, err := d.submit(refusing("333333")); err != nil || !replayed || o.ID != done.ID {
					t.Errorf("a repeat of the success: %s, replayed %t, %v", o.State, replayed, err)
				}
				if used := d.store.usage["day|2026-11-22"]; used != (Used{Count: 1, Sum: money.Rupee}) {
					t.Errorf("%+v is counted", used)
				}
			})
		})
	}
}
