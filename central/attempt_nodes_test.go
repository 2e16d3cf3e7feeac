package central

import (
	"context"
	"testing"

	"galla/shared/op"
)

// TestTheSameOTPAtTwoNodes: a client that repeats a request with a refused OTP
// uses up one try at each node, however often it repeats.
func TestTheSameOTPAtTwoNodes(t *testing.T) {
	for name, call := range map[string]func(otp string) Submission{
		"transfer":         func(otp string) Submission { return with(otp, transfer("", "r1")) },
		"transfer, a key":  func(otp string) Submission { return with(otp, transfer("k1", "r1")) },
		"refund":           refundRequest,
		"refund, with key": func(otp string) Submission { s := refundRequest(otp); s.Identity = "k1"; return s },
	} {
		t.Run(name, func(t *testing.T) {
			withEngine(t, func(t *testing.T, a *fixture) {
				a.bank.guarded()
				b := start(t, a.store, a.bank, EngineConfig{Node: "node-2"})
				defer b.stop()
				for round := range 3 {
					for _, d := range []*fixture{a, b} {
						o, replayed, err := d.submit(call(wrongOTP))
						if err != nil || !o.OTPRefused || replayed != (round > 0) {
							t.Errorf("round %d: %s, replayed %t, %v", round, o.State, replayed, err)
						}
					}
				}
				if n := len(a.bank.requests); n != 2 {
					t.Errorf("%d requests reached the bank, want one a node", n)
				}
				for _, d := range []*fixture{a, b} {
					if o, _, err := d.submit(call(rightOTP)); err != nil || o.State != op.Succeeded {
						t.Errorf("the right OTP: %s, %v", o.State, err)
					}
				}
				if n := len(a.bank.executed); n != 1 {
					t.Errorf("%d executions", n)
				}
			})
		})
	}
}

// TestAKeyGetsTheReplyOfItsLastRefund: a refund that was declined after an attempt
// with a refused OTP is answered from the record, with any OTP.
func TestAKeyGetsTheReplyOfItsLastRefund(t *testing.T) {
	withEngine(t, func(t *testing.T, d *fixture) {
		code := map[string]string{wrongOTP: "55", rightOTP: "05"}
		d.bank.send = func(_ context.Context, r BankRequest) (BankAnswer, error) {
			a := BankAnswer{Status: BankDeclined, Code: code[r.OTP.Reveal()]}
			if a.Code == "55" {
				a.Refusal = RefusedOTP
			}
			return a, nil
		}
		keyed := func(otp string) Submission { s := refundRequest(otp); s.Identity = "k1"; return s }
		first, _, _ := d.submit(keyed(wrongOTP))
		declined, replayed, err := d.submit(keyed(rightOTP))
		if err != nil || replayed || declined.ID == first.ID || declined.Code != "05" {
			t.Fatalf("%s, replayed %t, %v", declined.State, replayed, err)
		}
		for _, otp := range []string{rightOTP, wrongOTP, "333333"} {
			if o, replayed, err := d.submit(keyed(otp)); err != nil || !replayed || o.ID != declined.ID {
				t.Errorf("again with %s: code %s, replayed %t, %v", otp, o.Code, replayed, err)
			}
		}
		if n := len(d.bank.requests); n != 2 {
			t.Errorf("%d requests reached the bank, want 2", n)
		}
	})
}
