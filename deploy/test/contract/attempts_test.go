package contract

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"

	"galla/shared/partner"
)

// other gives six digits that are not the OTP.
func other(otp string) string {
	if otp == "000000" {
		return "111111"
	}
	return "000000"
}

// uuidOf gives a name that a program has kept for its request, as the gateway requires.
func uuidOf(refID string) string {
	sum := sha256.Sum256([]byte(refID))
	hex := fmt.Sprintf("%x", sum)
	return hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-8" + hex[17:20] + "-" + hex[20:32]
}

// TestAttempts checks that a transfer that was refused for its OTP leaves its refId
// free, at both entrances and whatever else identifies the request. The bank's books
// have one debit, and the reply is the same from then on.
func TestAttempts(t *testing.T) {
	h := running
	r := newRemitter(t, h, "9000000003", fatima, "50100200300413")
	p := newPartner(t, h)
	for name, send := range map[string]func(refID string, body fields) answer{
		"refId alone": func(_ string, body fields) answer { return h.call(t, m1, "POST", instant, body) },
		"with an Idempotency-Key": func(refID string, body fields) answer {
			return h.call(t, m1, "POST", instant, body, "Idempotency-Key", refID)
		},
		"the gateway": func(_ string, body fields) answer {
			return sealed(t, h, p, "POST", instant, with(body, fields{"merchantId": merchant1}))
		},
		"the gateway, with one X-Request-Id": func(refID string, body fields) answer {
			return sealed(t, h, p, "POST", instant, with(body, fields{"merchantId": merchant1}), partner.WithRequestID(uuidOf(refID)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			refID := h.ref("attempt")
			otp := r.transferOTP(t, h, "104")
			before := r.used(t, h)
			first := send(refID, r.transfer(refID, "104", other(otp)))
			if first.http != 200 || first.body["statusCode"] != "55" || first.data()["status"] != "FAILED" {
				t.Fatalf("a wrong OTP: HTTP %d %s", first.http, first.raw)
			}
			if again := send(refID, r.transfer(refID, "104", other(otp))); string(again.raw) != string(first.raw) {
				t.Errorf("the same call again: %s, was %s", again.raw, first.raw)
			}
			if used := r.used(t, h); used != before {
				t.Errorf("the refused attempt counts: %v, was %v", used, before)
			}
			if a := send(refID, r.transfer(refID, "105", otp)); a.http != 409 {
				t.Errorf("another body under the name: HTTP %d %s", a.http, a.raw)
			}
			second := send(refID, r.transfer(refID, "104", otp)).is(200, "00").says("Transaction successful")
			for _, otp := range []string{otp, other(otp)} {
				if again := send(refID, r.transfer(refID, "104", otp)); string(again.raw) != string(second.raw) {
					t.Errorf("a repeat of the success: %s, was %s", again.raw, second.raw)
				}
			}
			var books []struct{ Kind, Status string }
			for id, want := range map[string]string{text(t, first.data(), "transactionId"): "DECLINED", text(t, second.data(), "transactionId"): "EXECUTED"} {
				h.books(t, "/books/executions?reference="+id, &books)
				if len(books) != 1 || books[0].Status != want {
					t.Errorf("the books have %+v of %s, want one %s", books, id, want)
				}
			}
			caller := m1
			q := fields{"refId": refID}
			if strings.HasPrefix(name, "the gateway") {
				caller, q["merchantId"] = v1, merchant1
			}
			if d := h.call(t, caller, "POST", requery, q).is(200, "00").data(); d["status"] != "SUCCESS" || d["transactionId"] != second.data()["transactionId"] {
				t.Errorf("requery: %v", d)
			}
			if used := r.used(t, h); used != before+104 {
				t.Errorf("%v are used, were %v", used, before)
			}
		})
	}
	checkTrial(t, h)
}

// used gives what of a remitter's day is used.
func (r remitter) used(t *testing.T, h *system) float64 {
	t.Helper()
	d := h.call(t, m1, "POST", "/dmt/txn/v1/remitter/details", fields{"sender_mobilenumber": r.mobile}).is(200, "00").data()
	return number(t, d, "AviabledayLimit") - number(t, d, "AviableLimit")
}

// TestRefundsTogether checks that a refund is known by its transfer alone. Three at
// once, and others later with any OTP, have one reply, and the books one refund.
func TestRefundsTogether(t *testing.T) {
	h := running
	r := newRemitter(t, h, "9000000004", pandey, "50100200300414")
	refID := h.ref("refund")
	sent := h.call(t, m1, "POST", instant, r.transfer(refID, "106", r.transferOTP(t, h, "106"))).is(200, "00").data()
	transaction := text(t, sent, "transactionId")
	h.call(t, m1, "POST", "/dmt/txn/v1/transaction/refundOTP", fields{"refereanceId": transaction}).is(200, "00")
	otp := h.otp(t, r.mobile)
	refund := func(otp string) answer {
		return h.call(t, m1, "POST", "/dmt/txn/v1/refund", fields{"transactionId": transaction, "refId": refID, "otp": otp})
	}
	if wrong := refund(other(otp)); wrong.http != 200 || wrong.body["statusCode"] != "55" {
		t.Fatalf("a wrong OTP: HTTP %d %s", wrong.http, wrong.raw)
	}
	answers := make([]answer, 3)
	var calls sync.WaitGroup
	for i := range answers {
		calls.Go(func() { answers[i] = refund(otp) })
	}
	calls.Wait()
	answers = append(answers, refund(otp), refund(other(otp)))
	for i, a := range answers {
		if a.http != 200 || a.body["statusCode"] != "00" || string(a.raw) != string(answers[0].raw) {
			t.Errorf("reply %d: HTTP %d %s, the first was %s", i+1, a.http, a.raw, answers[0].raw)
		}
	}
	var books []struct{ Kind, Status string }
	h.books(t, "/books/executions?reference="+text(t, answers[0].data(), "refundId"), &books)
	if len(books) != 1 || books[0].Status != "EXECUTED" {
		t.Errorf("the books have %+v", books)
	}
	if q := h.call(t, m1, "POST", requery, fields{"refId": refID}).is(200, "00").data(); q["status"] != "REFUNDED" {
		t.Errorf("requery: %v", q)
	}
	checkTrial(t, h)
}
