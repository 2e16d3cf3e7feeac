package contract

import (
	"encoding/json"
	"sync"
	"testing"
)

// shared is a remitter that many rows use; it is made once.
var shared struct {
	once sync.Once
	r    remitter
}

func someone(t *testing.T, h *system) remitter {
	t.Helper()
	shared.once.Do(func() { shared.r = newRemitter(t, h, "9000000001", choudhury, "001234509876") })
	if shared.r.sender == "" {
		t.Fatal("the shared remitter could not be made")
	}
	return shared.r
}

func customers() []row {
	p := "/dmt/customer/"
	return []row{
		{"4.3", "GetDetail takes mobile_number", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"GetDetail", fields{"mobile": "9000000001"}).wrong("mobile_number")
		}},
		{"4.3", "GetDetail of a KYC'd remitter has referenceid and the customer record", func(t *testing.T, h *system) {
			r := someone(t, h)
			d := h.call(t, m1, "POST", p+"GetDetail", fields{"mobile_number": r.mobile}).is(200, "00").data()
			for _, n := range []string{"referenceid", "name", "mobile_no", "city", "state", "aadhaar_masked"} {
				text(t, d, n)
			}
			if !boolField(t, d, "kyc_verified") {
				t.Errorf("%v", d)
			}
			if _, ok := d["email_id"].(string); !ok {
				t.Errorf("email_id is %v", d["email_id"])
			}
		}},
		{"4.3", "a not-found reply means onboarding must be run", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"GetDetail", fields{"mobile_number": "9123456780"}).is(200, "01").bare()
		}},
		{"4.3", "onboarding requires name, mobile_no, city and state; email_id is optional", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"onboarding", fields{"email_id": "no mail"}).wrong("name", "mobile_no", "city", "state", "email_id")
			text(t, h.call(t, m1, "POST", p+"onboarding", fields{"name": "Asha", "mobile_no": "9111111111", "city": "Pune", "state": "Maharashtra"}).is(200, "00").data(), "referenceid")
		}},
		{"4.3", "onboarding of a known mobile gives the same referenceid", func(t *testing.T, h *system) {
			f := fields{"name": "Asha", "mobile_no": "9111111112", "city": "Pune", "state": "Maharashtra", "email_id": "asha@example.in"}
			first := h.call(t, m1, "POST", p+"onboarding", f).is(200, "00").data()
			second := h.call(t, m1, "POST", p+"onboarding", f).is(200, "00").data()
			if first["referenceid"] != second["referenceid"] {
				t.Errorf("%v, then %v", first, second)
			}
		}},
		{"4.3", "request_otp gives otpreqid", func(t *testing.T, h *system) {
			id := h.call(t, m1, "POST", p+"onboarding", fields{"name": "Asha", "mobile_no": "9111111113", "city": "Pune", "state": "Maharashtra"}).data()["referenceid"]
			text(t, h.call(t, m1, "POST", p+"request_otp", fields{"referenceid": id}).is(200, "00").data(), "otpreqid")
			h.call(t, m1, "POST", p+"request_otp", fields{}).wrong("referenceid")
		}},
		{"4.3", "validate_otp takes otp, otpreqid and referenceid", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"validate_otp", fields{}).wrong("otp", "otpreqid", "referenceid")
		}},
		{"4.3", "verify_UID takes aadhaarno and referenceid", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"verify_UID", fields{"aadhaarno": "999941057059"}).wrong("aadhaarno", "referenceid")
		}},
		{"4.3", "updatebiodetail takes PidData, aadhaarno and referenceid", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"updatebiodetail", fields{}).wrong("PidData", "aadhaarno", "referenceid")
		}},
		{"4.3", "submit takes referenceid", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"submit", fields{}).wrong("referenceid")
		}},
		{"4.3", "statusCheck takes referenceid in the query", func(t *testing.T, h *system) {
			id := h.call(t, m1, "POST", p+"onboarding", fields{"name": "Asha", "mobile_no": "9111111114", "city": "Pune", "state": "Maharashtra"}).data()["referenceid"].(string)
			h.call(t, m1, "GET", p+"statusCheck?referenceid="+id, nil).is(200, "00").data()
			h.call(t, m1, "GET", p+"statusCheck", nil).wrong("referenceid")
		}},
		{"3.4", "a step whose predecessor is missing is 05 and names it", func(t *testing.T, h *system) {
			id := h.call(t, m1, "POST", p+"onboarding", fields{"name": "Asha", "mobile_no": "9111111115", "city": "Pune", "state": "Maharashtra"}).data()["referenceid"]
			a := h.call(t, m1, "POST", p+"submit", fields{"referenceid": id}).is(422, "05")
			text(t, a.body, "message")
			h.call(t, m1, "POST", p+"verify_UID", fields{"referenceid": id, "aadhaarno": choudhury}).is(422, "05")
		}},
		{"3.4", "the customer is a usable remitter only after submit", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"onboarding", fields{"name": "Asha", "mobile_no": "9111111116", "city": "Pune", "state": "Maharashtra"}).is(200, "00")
			h.call(t, m1, "POST", p+"GetDetail", fields{"mobile_number": "9111111116"}).is(200, "01")
			if a := h.call(t, m1, "POST", "/dmt/txn/v1/remitter/register", fields{"sender_mobilenumber": "9111111116"}); a.body["statusCode"] == "00" {
				t.Errorf("registered before submit: %s", a.raw)
			}
		}},
		{"3.4", "vendors run it with merchantId, and the referenceid in the body of the GET", func(t *testing.T, h *system) {
			m := fields{"merchantId": merchant1}
			id := h.call(t, v1, "POST", p+"onboarding", with(m, fields{"name": "Asha", "mobile_no": "9111111117", "city": "Pune", "state": "Maharashtra"})).is(200, "00").data()["referenceid"]
			h.call(t, v1, "GET", p+"statusCheck", with(m, fields{"referenceid": id})).is(200, "00")
		}},
	}
}

func remitters() []row {
	p := "/dmt/txn/v1/"
	return []row{
		{"4.4", "register takes sender_mobilenumber or senderId; mobilenumber is not read", func(t *testing.T, h *system) {
			r := someone(t, h)
			h.call(t, m1, "POST", p+"remitter/register", fields{"mobilenumber": r.mobile}).is(400, "02")
			d := h.call(t, m1, "POST", p+"remitter/register", fields{"sender_mobilenumber": r.mobile}).is(200, "00").data()
			if d["senderid"] != r.sender {
				t.Errorf("%v", d)
			}
			number(t, d, "registrationFeeCharged")
			if d := h.call(t, m1, "POST", p+"remitter/register", fields{"senderId": r.sender}).is(200, "00").data(); d["senderid"] != r.sender {
				t.Errorf("by senderId: %v", d)
			}
		}},
		{"2.6", "details has the types of the document; numbers stay numbers", func(t *testing.T, h *system) {
			r := someone(t, h)
			d := h.call(t, m1, "POST", p+"remitter/details", fields{"sender_mobilenumber": r.mobile}).is(200, "00").says("sender found").data()
			if d["senderId"] != r.sender || !boolField(t, d, "status") || !boolField(t, d, "remitter") {
				t.Errorf("%v", d)
			}
			number(t, d, "TransactionDone")
			if left, day := number(t, d, "AviableLimit"), number(t, d, "AviabledayLimit"); left < 0 || left > day || day != 25_000 {
				t.Errorf("%v of %v", left, day)
			}
			list, _ := d["beneficiarydetail"].([]any)
			if len(list) == 0 {
				t.Fatalf("%v", d)
			}
			checkBeneficiary(t, list[0].(map[string]any), r)
		}},
		{"4.4", "details of nobody is a not-found reply", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"remitter/details", fields{"sender_mobilenumber": "9123456781"}).is(200, "01").bare()
			h.call(t, m1, "POST", p+"remitter/details", fields{}).wrong("sender_mobilenumber")
		}},
		{"4.4", "accountVerification requires account and IFSC, the rest is optional", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"beneficiary/accountVerification", fields{"receiverIfscCode": "sbin1"}).wrong("receiver_account_no", "receiverIfscCode")
		}},
		{"3.3", "accountVerification says 1, 0, -1 and 91", func(t *testing.T, h *system) {
			for account, status := range map[string]float64{"1234567890": 1, "600100200391": 1, "600100000000": 0, "600100000090": -1, "600100000091": 91} {
				d := h.call(t, m1, "POST", p+"beneficiary/accountVerification", fields{"receiver_account_no": account, "receiverIfscCode": "SBIN0001234"}).is(200, "00").data()
				if got := number(t, d, "status"); got != status {
					t.Errorf("%s: status %v, want %v", account, got, status)
				}
			}
		}},
		{"8", "an ambiguous verification is answered after 30 seconds", func(t *testing.T, h *system) {
			f := fields{"receiver_account_no": "600101000091", "receiverIfscCode": "SBIN0001234"}
			if d := h.call(t, m1, "POST", p+"beneficiary/accountVerification", f).is(200, "00").data(); number(t, d, "status") != 91 {
				t.Fatalf("%v", d)
			}
			eventually(t, "the verification is clear", func() bool {
				return number(t, h.call(t, m1, "POST", p+"beneficiary/accountVerification", f).is(200, "00").data(), "status") == 1
			})
		}},
		{"2.12", "numbers in any of JSON's spellings; mobile and account numbers as strings or numbers", func(t *testing.T, h *system) {
			r := someone(t, h)
			h.call(t, m1, "POST", p+"remitter/details", fields{"sender_mobilenumber": json.Number(r.mobile)}).is(200, "00")
			account := fields{"senderId": r.sender, "receiverIfscCode": "PUNB0123400", "receiver_account_no": json.Number("987654321098765432")}
			h.call(t, m1, "POST", p+"beneficiary/add", with(account, fields{"receivername": "Mohan", "receivermobilenumber": json.Number("9.8e9")})).is(200, "00")
			d := h.call(t, m1, "POST", p+"beneficiary/get", with(account, fields{"receiver_account_no": "987654321098765432"})).is(200, "00").data()
			if d["accountnumberText"] != "987654321098765432" || d["beneficiarymobilenumber"] != json.Number("9800000000") {
				t.Errorf("%v", d)
			}
			for _, amount := range []string{"1e2", "1E2", "100.00", "10000e-2"} {
				if d := h.call(t, m1, "POST", p+"transaction/charges", fields{"senderId": r.sender, "amount": json.Number(amount)}).is(200, "00").data(); number(t, d, "totalAmount") != 110 {
					t.Errorf("%s: %v", amount, d)
				}
			}
			h.call(t, m1, "POST", p+"beneficiary/get", with(account, fields{"receiver_account_no": json.Number("12345")})).wrong("receiver_account_no")
			h.call(t, m1, "POST", p+"beneficiary/accountVerification", with(account, nil)).wrong("receiver_account_no")
		}},
		{"4.4", "beneficiary/add requires four fields and gives a numeric beneficiaryid", func(t *testing.T, h *system) {
			r := someone(t, h)
			h.call(t, m1, "POST", p+"beneficiary/add", fields{}).wrong("senderId", "receivername", "receiverIfscCode", "receiver_account_no")
			f := fields{"senderId": r.sender, "receivername": "Mohan", "receiverIfscCode": "PUNB0123400", "receiver_account_no": "700100200311"}
			first := h.call(t, m1, "POST", p+"beneficiary/add", f).is(200, "00").data()
			number(t, first, "beneficiaryid")
			if again := h.call(t, m1, "POST", p+"beneficiary/add", f).is(200, "00").data(); again["beneficiaryid"] != first["beneficiaryid"] {
				t.Errorf("the same account twice: %v, %v", first, again)
			}
		}},
		{"2.7", "beneficiary/get gives the record of the list", func(t *testing.T, h *system) {
			r := someone(t, h)
			d := h.call(t, m1, "POST", p+"beneficiary/get", fields{"senderId": r.sender, "receiverIfscCode": r.ifsc, "receiver_account_no": r.account}).is(200, "00").data()
			checkBeneficiary(t, d, r)
		}},
		{"4.4", "beneficiary/delete answers with the envelope alone", func(t *testing.T, h *system) {
			r := someone(t, h)
			f := fields{"senderId": r.sender, "receivername": "Gone", "receiverIfscCode": "PUNB0123400", "receiver_account_no": "700100200312"}
			h.call(t, m1, "POST", p+"beneficiary/add", f).is(200, "00")
			d := fields{"senderId": r.sender, "receiver_account_no": "700100200312", "receiverIfscCode": "PUNB0123400"}
			h.call(t, m1, "POST", p+"beneficiary/delete", d).is(200, "00").says("Beneficiary deleted successfully").bare()
			if a := h.call(t, m1, "POST", p+"beneficiary/get", d); a.body["statusCode"] == "00" {
				t.Errorf("still there: %s", a.raw)
			}
		}},
		{"4.4", "beneficiary/delete requires all three fields", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"beneficiary/delete", fields{}).wrong("senderId", "receiver_account_no", "receiverIfscCode")
		}},
	}
}

func transfers() []row {
	p := "/dmt/txn/v1/"
	return []row{
		{"4.4", "transaction/otp sends the OTP and does not return it", func(t *testing.T, h *system) {
			someone(t, h).transferOTP(t, h, "11")
		}},
		{"4.4", "transaction/otp requires its four fields", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"transaction/otp", fields{"amount": "11"}).wrong("senderId", "amount", "receiver_account_no", "receiverIfscCode")
		}},
		{"4.4", "instant checks the OTP and debits in one call", func(t *testing.T, h *system) {
			r := someone(t, h)
			otp := r.transferOTP(t, h, "21")
			d := h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "21", otp)).is(200, "00").says("Transaction successful").data()
			text(t, d, "rrn")
			text(t, d, "transactionId")
			if d["status"] != "SUCCESS" || number(t, d, "amount") != 21 {
				t.Errorf("%v", d)
			}
			if a := h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "21", otp)); a.http != 200 || a.body["statusCode"] == "00" {
				t.Errorf("the OTP served twice: %s", a.raw)
			}
		}},
		{"4.7", "a wrong OTP and a bank decline both return a non-00 statusCode", func(t *testing.T, h *system) {
			r := someone(t, h)
			otp := r.transferOTP(t, h, "22.51")
			wrong := "000000"
			if otp == wrong {
				wrong = "111111"
			}
			for _, o := range []string{wrong, otp} {
				a := h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "22.51", o))
				if a.http != 200 || a.body["statusCode"] == "00" {
					t.Errorf("HTTP %d %s", a.http, a.raw)
				}
			}
		}},
		{"4.7", "a third wrong OTP spends the right one", func(t *testing.T, h *system) {
			r := someone(t, h)
			otp := r.transferOTP(t, h, "27")
			wrong := "000000"
			if otp == wrong {
				wrong = "111111"
			}
			first := h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "27", wrong))
			for range 2 {
				h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "27", wrong))
			}
			spent := h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "27", otp))
			if spent.http != 200 || spent.body["statusCode"] != first.body["statusCode"] || spent.body["message"] != first.body["message"] || spent.body["statusCode"] == "00" {
				t.Errorf("after three wrong ones: %s; after one: %s", spent.raw, first.raw)
			}
		}},
		{"4.7", "an OTP is for its own transfer", func(t *testing.T, h *system) {
			r := someone(t, h)
			otp := r.transferOTP(t, h, "23")
			if a := h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "24", otp)); a.body["statusCode"] == "00" {
				t.Errorf("an OTP for 23 served 24: %s", a.raw)
			}
		}},
		{"4.4", "instant requires what a transfer needs", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", instant, fields{}).wrong("senderId", "BeneficiaryId", "amount", "refId", "otp", "receiver_account_no", "receiverIfscCode")
			r := someone(t, h)
			h.call(t, m1, "POST", instant, with(r.transfer(h.ref("t"), "5", "123456"), fields{"BeneficiaryId": "7", "amount": "5"})).wrong("BeneficiaryId", "amount")
		}},
		{"4.4", "charges gives charge and totalAmount", func(t *testing.T, h *system) {
			r := someone(t, h)
			d := h.call(t, m1, "POST", p+"transaction/charges", fields{"senderId": r.sender, "amount": json.Number("3000")}).is(200, "00").data()
			if number(t, d, "totalAmount") != 3000+number(t, d, "charge") {
				t.Errorf("%v", d)
			}
			number(t, d, "gst")
			number(t, d, "commission")
		}},
		{"4.4", "requery takes refId and gives status and rrn", func(t *testing.T, h *system) {
			r := someone(t, h)
			ref := h.ref("t")
			sent := h.call(t, m1, "POST", instant, r.transfer(ref, "25", r.transferOTP(t, h, "25"))).is(200, "00").data()
			d := h.call(t, m1, "POST", requery, fields{"refId": ref}).is(200, "00").data()
			if d["status"] != "SUCCESS" || d["rrn"] != sent["rrn"] {
				t.Errorf("%v", d)
			}
			h.call(t, m1, "POST", requery, fields{}).wrong("refId")
		}},
		{"4.4", "refundOTP reads refereanceId and nothing else", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"transaction/refundOTP", fields{"referenceId": "x", "transactionId": "y"}).wrong("refereanceId")
		}},
		{"4.4", "refund takes transactionId, refId and otp", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", p+"refund", fields{}).wrong("transactionId", "refId", "otp")
		}},
		{"4.4", "a refund is once", func(t *testing.T, h *system) {
			r := someone(t, h)
			ref := h.ref("t")
			id := text(t, h.call(t, m1, "POST", instant, r.transfer(ref, "26", r.transferOTP(t, h, "26"))).is(200, "00").data(), "transactionId")
			for i := range 2 {
				a := h.call(t, m1, "POST", p+"transaction/refundOTP", fields{"refereanceId": id})
				if i == 1 {
					if a.body["statusCode"] == "00" {
						t.Errorf("offered again: %s", a.raw)
					}
					break
				}
				d := h.call(t, m1, "POST", p+"refund", fields{"transactionId": id, "refId": ref, "otp": h.otp(t, r.mobile)}).is(200, "00").data()
				text(t, d, "refundId")
				if number(t, d, "amount") != 26 {
					t.Errorf("%v", d)
				}
			}
		}},
		{"4.4", "transaction/balance is the aggregator's alone", func(t *testing.T, h *system) {
			d := h.call(t, agg, "POST", p+"transaction/balance", fields{}).is(200, "00").data()
			if d["balance"] == nil {
				t.Errorf("%v", d)
			}
			h.call(t, m1, "POST", p+"transaction/balance", fields{}).is(403, "01").says("Access denied")
			h.call(t, v1, "POST", p+"transaction/balance", fields{}).is(403, "01")
		}},
		{"4.4", "login is for merchant and vendor", func(t *testing.T, h *system) {
			d := h.call(t, m1, "POST", p+"login", fields{}).is(200, "00").data()
			text(t, d, "sessionId")
			if !iso.MatchString(text(t, d, "expiresAt")) {
				t.Errorf("%v", d)
			}
			h.call(t, v1, "POST", p+"login", fields{"merchantId": merchant1}).is(200, "00")
			h.call(t, agg, "POST", p+"login", fields{}).is(403, "01")
		}},
		{"4.4", "BC onboarding: register, agent, initialize, status, with the caller's own token", func(t *testing.T, h *system) {
			who := fields{"name": "Sahyadri BC", "mobile_no": "9222222221", "email_id": "bc@example.in", "pan": "ABCPE1234F", "address": "1 MG Road", "city": "Pune", "state": "Maharashtra", "pincode": "411001"}
			b := "/onboarding/dmt/bc/"
			bc := h.call(t, agg, "POST", b+"registor", who).is(200, "00").data()
			id := text(t, bc, "bcId")
			text(t, bc, "status")
			agent := h.call(t, agg, "POST", b+"agent/registor", with(who, fields{"bcId": id, "mobile_no": "9222222222", "aadhaarno": pandey, "shopName": "Pandey Stores"})).is(200, "00").data()
			h.call(t, agg, "POST", b+"agent/initialize", fields{"agentId": text(t, agent, "agentId")}).is(200, "00").data()
			text(t, h.call(t, agg, "POST", b+"status", fields{"bcId": id}).is(200, "00").data(), "status")
			text(t, h.call(t, agg, "POST", b+"status", fields{"agentId": agent["agentId"]}).is(200, "00").data(), "status")
		}},
		{"4.4", "BC routes keep their roles", func(t *testing.T, h *system) {
			b := "/onboarding/dmt/bc/"
			for path, clients := range map[string][]string{"registor": {m1, v1}, "agent/registor": {m1}, "agent/initialize": {m1}, "status": {m1, v1}} {
				for _, c := range clients {
					h.call(t, c, "POST", b+path, fields{}).is(403, "01").says("Access denied")
				}
			}
			h.call(t, v1, "POST", b+"agent/registor", fields{}).wrong("bcId", "name", "mobile_no", "pan", "aadhaarno", "shopName")
			h.call(t, v1, "POST", b+"agent/initialize", fields{}).wrong("agentId")
		}},
		{"8", "the day's ceiling refuses with 05 and says what is left", func(t *testing.T, h *system) {
			r := newRemitter(t, h, "9333333331", choudhury, "800100200311")
			for range 5 {
				h.call(t, m1, "POST", instant, r.transfer(h.ref("l"), "4900", r.transferOTP(t, h, "4900"))).is(200, "00")
			}
			f := fields{"senderId": r.sender, "amount": json.Number("501"), "receiver_account_no": r.account, "receiverIfscCode": r.ifsc}
			a := h.call(t, m1, "POST", p+"transaction/otp", f)
			if a.body["statusCode"] == "00" {
				a = h.call(t, m1, "POST", instant, r.transfer(h.ref("l"), "501", h.otp(t, r.mobile)))
			}
			a.is(422, "05")
			if m := text(t, a.body, "message"); !containsAll(m, "500.00") {
				t.Errorf("what is left is not said: %q", m)
			}
			h.call(t, m1, "POST", instant, r.transfer(h.ref("l"), "500", r.transferOTP(t, h, "500"))).is(200, "00")
			d := h.call(t, m1, "POST", p+"remitter/details", fields{"sender_mobilenumber": r.mobile}).data()
			if number(t, d, "AviableLimit") != 0 {
				t.Errorf("left: %v", d["AviableLimit"])
			}
		}},
		{"8", "a transfer has at most 5,000", func(t *testing.T, h *system) {
			r := someone(t, h)
			h.call(t, m1, "POST", instant, r.transfer(h.ref("t"), "5000.01", "123456")).is(422, "05")
		}},
	}
}
