//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A PAN that the canary looks for.
const pan = "ABCPE1234F"

// walkTransfer takes a customer from unknown to a refunded transfer, so that OTPs,
// Aadhaar numbers and captures pass every program once. It keeps the OTPs that it read.
func (h *sandbox) walkTransfer(t *testing.T) {
	t.Helper()
	const mobile, account, ifsc = "9000000005", "001234567811", "HDFC0000123"
	token := h.token(lakshmi, lakshmiSecret)
	post := func(path string, body map[string]any) map[string]any {
		t.Helper()
		status, _, raw, err := h.do("POST", h.url("CENTRAL")+path, body, "Authorization", "Bearer "+token)
		if err != nil {
			t.Fatal(err)
		}
		var reply struct {
			StatusCode string         `json:"statusCode"`
			Data       map[string]any `json:"data"`
		}
		if err := json.Unmarshal(raw, &reply); err != nil || status != 200 || reply.StatusCode != "00" {
			t.Fatalf("POST %s: HTTP %d %s", path, status, raw)
		}
		return reply.Data
	}
	const x = "/dmt/txn/v1/"
	to, beneficiary := h.registerRemitter(t, post, mobile, kapoor, account, ifsc)
	sender := to["senderId"]
	to["amount"] = 250
	post(x+"transaction/otp", to)
	sent := post(x+"transaction/instant", map[string]any{
		"senderId": sender, "BeneficiaryId": beneficiary, "amount": 250, "refId": "remit-1", "otp": h.otp(t, mobile),
		"receiver_account_no": account, "receiverIfscCode": ifsc, "account_holder_name": "Ravi Kapoor",
	})
	post(x+"transaction/refundOTP", map[string]any{"refereanceId": sent["transactionId"]})
	post(x+"refund", map[string]any{"transactionId": sent["transactionId"], "refId": "remit-1", "otp": h.otp(t, mobile)})
	// Another shop's agent, whose onboarding has a PAN; its OTP stays unused.
	ganesh := h.token("merchant-ganesh", "sandbox-merchant-2")
	for _, step := range []string{"initialize", "onboarding", "request_otp"} {
		if status, _, raw, err := h.do("POST", h.url("CENTRAL")+"/aeps/"+step, map[string]any{}, "Authorization", "Bearer "+ganesh); err != nil || status != 200 {
			t.Fatalf("%s: %v HTTP %d %s", step, err, status, raw)
		}
	}
	_, _, raw, err := h.do("POST", h.url("CENTRAL")+"/aeps/request_otp", map[string]any{}, "Authorization", "Bearer "+ganesh)
	if err != nil {
		t.Fatal(err)
	}
	var asked struct{ Data struct{ Otpreqid string } }
	if err := json.Unmarshal(raw, &asked); err != nil || asked.Data.Otpreqid == "" {
		t.Fatalf("request_otp: %s", raw)
	}
	for path, body := range map[string]map[string]any{
		"validate_otp": {"otp": h.otp(t, "9800000002"), "otpreqid": asked.Data.Otpreqid},
	} {
		if status, _, raw, err := h.do("POST", h.url("CENTRAL")+"/aeps/"+path, body, "Authorization", "Bearer "+ganesh); err != nil || status != 200 {
			t.Fatalf("%s: %v HTTP %d %s", path, err, status, raw)
		}
	}
	if status, _, raw, err := h.do("POST", h.url("CENTRAL")+"/aeps/verify_pan", map[string]any{"pan": pan, "name": "Ganesh", "dob": "1980-02-29"}, "Authorization", "Bearer "+ganesh); err != nil || status != 200 {
		t.Fatalf("verify_pan: %v HTTP %d %s", err, status, raw)
	}
}

// registerRemitter makes a customer a remitter with a beneficiary. It gives what
// identifies the account in a request, and the beneficiary.
func (h *sandbox) registerRemitter(t *testing.T, post func(string, map[string]any) map[string]any, mobile, aadhaar, account, ifsc string) (to map[string]any, beneficiary any) {
	t.Helper()
	xml, err := h.capture(h.reader, aadhaar)
	if err != nil {
		t.Fatal(err)
	}
	const c, x = "/dmt/customer/", "/dmt/txn/v1/"
	id := post(c+"onboarding", map[string]any{"name": "Anisha Jay Kapoor", "mobile_no": mobile, "city": "Pune", "state": "Maharashtra"})["referenceid"]
	otpreqid := post(c+"request_otp", map[string]any{"referenceid": id})["otpreqid"]
	post(c+"validate_otp", map[string]any{"otp": h.otp(t, mobile), "otpreqid": otpreqid, "referenceid": id})
	post(c+"verify_UID", map[string]any{"aadhaarno": aadhaar, "referenceid": id})
	post(c+"updatebiodetail", map[string]any{"PidData": xml, "aadhaarno": aadhaar, "referenceid": id})
	post(c+"submit", map[string]any{"referenceid": id})
	sender := post(x+"remitter/register", map[string]any{"sender_mobilenumber": mobile})["senderid"]
	to = map[string]any{"senderId": sender, "receivername": "Ravi Kapoor", "receiverIfscCode": ifsc, "receiver_account_no": account}
	return to, post(x+"beneficiary/add", to)["beneficiaryid"]
}

// otp reads the newest one-time password of a phone, and keeps it for the canary.
func (h *sandbox) otp(t *testing.T, mobile string) string {
	t.Helper()
	var inbox []struct{ OTP string }
	h.get(h.url("BANK")+"/inbox/"+mobile, &inbox)
	for _, m := range inbox {
		if m.OTP != "" {
			h.otps = append(h.otps, m.OTP)
			return m.OTP
		}
	}
	t.Fatal(fmt.Sprint("no one-time password for ", mobile))
	return ""
}
