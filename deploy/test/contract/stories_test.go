package contract

import (
	"encoding/json"
	"testing"
	"time"
)

// remitter is a customer who was onboarded and registered, with a beneficiary.
type remitter struct {
	mobile, aadhaar, sender string
	account, ifsc           string
	beneficiary             json.Number
}

// onboard runs the DMT customer's onboarding (interface.md, section 3.4), and gives the
// referenceid.
func onboard(t *testing.T, h *system, client, name, mobile, aadhaar string, more fields) string {
	t.Helper()
	post := func(path string, f fields) answer { t.Helper(); return h.call(t, client, "POST", path, with(f, more)) }
	id := text(t, post("/dmt/customer/onboarding", fields{"name": name, "mobile_no": mobile, "city": "Pune", "state": "Maharashtra"}).is(200, "00").data(), "referenceid")
	req := text(t, post("/dmt/customer/request_otp", fields{"referenceid": id}).is(200, "00").data(), "otpreqid")
	post("/dmt/customer/validate_otp", fields{"otp": h.otp(t, mobile), "otpreqid": req, "referenceid": id}).is(200, "00").bare()
	post("/dmt/customer/verify_UID", fields{"aadhaarno": aadhaar, "referenceid": id}).is(200, "00").bare()
	post("/dmt/customer/updatebiodetail", fields{"PidData": h.finger(t, aadhaar), "aadhaarno": aadhaar, "referenceid": id}).is(200, "00").bare()
	post("/dmt/customer/submit", fields{"referenceid": id}).is(200, "00").data()
	return id
}

// newRemitter onboards and registers somebody with one usable beneficiary.
func newRemitter(t *testing.T, h *system, mobile, aadhaar, account string) remitter {
	t.Helper()
	onboard(t, h, m1, "Shivshankar Choudhury", mobile, aadhaar, nil)
	r := remitter{mobile: mobile, aadhaar: aadhaar, account: account, ifsc: "SBIN0001234"}
	r.sender = text(t, h.call(t, m1, "POST", "/dmt/txn/v1/remitter/register", fields{"sender_mobilenumber": mobile}).is(200, "00").data(), "senderid")
	added := h.call(t, m1, "POST", "/dmt/txn/v1/beneficiary/add", fields{
		"senderId": r.sender, "receivername": "Sunita Choudhury", "receiverIfscCode": r.ifsc, "receiver_account_no": account,
	}).is(200, "00").data()
	number(t, added, "beneficiaryid")
	r.beneficiary = added["beneficiaryid"].(json.Number)
	return r
}

// transferOTP asks for the OTP of a transfer and reads it.
func (r remitter) transferOTP(t *testing.T, h *system, amount string) string {
	t.Helper()
	h.call(t, m1, "POST", "/dmt/txn/v1/transaction/otp", fields{
		"senderId": r.sender, "amount": json.Number(amount), "receiver_account_no": r.account, "receiverIfscCode": r.ifsc,
	}).is(200, "00").says("OTP sent successfully").bare()
	return h.otp(t, r.mobile)
}

// transfer is the body of transaction/instant.
func (r remitter) transfer(refID, amount, otp string) fields {
	return fields{
		"senderId": r.sender, "BeneficiaryId": r.beneficiary, "amount": json.Number(amount), "refId": refID, "otp": otp,
		"receiver_account_no": r.account, "receiverIfscCode": r.ifsc, "account_holder_name": "Sunita Choudhury",
		"receiverMobilenumber": "9812345678", "remarks": "for school fees",
	}
}

const (
	instant = "/dmt/txn/v1/transaction/instant"
	requery = "/dmt/txn/v1/transaction/requery"
)

// TestDMTStory takes an unknown customer to a refunded transfer.
func TestDMTStory(t *testing.T) {
	h := running
	const mobile, account = "9000000005", "001234567811" // leading zeros
	post := func(path string, f fields) answer { t.Helper(); return h.call(t, m1, "POST", path, f) }

	// She is unknown.
	post("/dmt/customer/GetDetail", fields{"mobile_number": mobile}).is(200, "01").bare()
	post("/dmt/txn/v1/remitter/details", fields{"sender_mobilenumber": mobile}).is(200, "01").bare()

	id := onboard(t, h, m1, "Anisha Jay Kapoor", mobile, kapoor, nil)
	known := post("/dmt/customer/GetDetail", fields{"mobile_number": mobile}).is(200, "00").data()
	if known["referenceid"] != id || known["name"] != "Anisha Jay Kapoor" || known["mobile_no"] != mobile || known["aadhaar_masked"] != "XXXXXXXX1894" || !boolField(t, known, "kyc_verified") {
		t.Errorf("the customer record is %v", known)
	}
	if s := h.call(t, m1, "GET", "/dmt/customer/statusCheck?referenceid="+id, nil).is(200, "00").data(); s["status"] == nil {
		t.Errorf("status of the customer: %v", s)
	}

	// Not a remitter yet; then one.
	post("/dmt/txn/v1/remitter/details", fields{"sender_mobilenumber": mobile}).is(200, "01").bare()
	registered := post("/dmt/txn/v1/remitter/register", fields{"senderId": id}).is(200, "00").data()
	r := remitter{mobile: mobile, aadhaar: kapoor, sender: text(t, registered, "senderid"), account: account, ifsc: "HDFC0000123"}
	number(t, registered, "registrationFeeCharged")

	verified := post("/dmt/txn/v1/beneficiary/accountVerification", fields{"receiver_account_no": account, "receiverIfscCode": r.ifsc, "senderId": r.sender}).is(200, "00").data()
	if number(t, verified, "status") != 1 {
		t.Errorf("verification says %v", verified)
	}
	added := post("/dmt/txn/v1/beneficiary/add", fields{"senderId": r.sender, "receivername": "Ravi Kapoor", "receiverIfscCode": r.ifsc, "receiver_account_no": account, "receivermobilenumber": "9812345678", "city": "Pune"}).is(200, "00").data()
	number(t, added, "beneficiaryid")
	r.beneficiary = added["beneficiaryid"].(json.Number)

	details := post("/dmt/txn/v1/remitter/details", fields{"sender_mobilenumber": mobile}).is(200, "00").says("sender found").data()
	if number(t, details, "AviableLimit") != 25_000 || number(t, details, "AviabledayLimit") != 25_000 || details["senderId"] != r.sender {
		t.Errorf("details before the transfer: %v", details)
	}
	checkBeneficiary(t, details["beneficiarydetail"].([]any)[0].(map[string]any), r)

	charges := post("/dmt/txn/v1/transaction/charges", fields{"senderId": r.sender, "amount": json.Number("1200")}).is(200, "00").data()
	if number(t, charges, "totalAmount") != 1200+number(t, charges, "charge") || number(t, charges, "charge") <= 0 {
		t.Errorf("charges: %v", charges)
	}

	refID := h.ref("story")
	body := r.transfer(refID, "1200", r.transferOTP(t, h, "1200"))
	sent := post(instant, body).is(200, "00").says("Transaction successful")
	d := sent.data()
	if d["status"] != "SUCCESS" || number(t, d, "amount") != 1200 {
		t.Errorf("the transfer: %v", d)
	}
	rrn, transaction := text(t, d, "rrn"), text(t, d, "transactionId")
	if again := post(instant, body).is(200, "00"); string(again.raw) != string(sent.raw) || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the repeat is another reply: %s", again.raw)
	}
	if q := post(requery, fields{"refId": refID}).is(200, "00").data(); q["status"] != "SUCCESS" || q["rrn"] != rrn {
		t.Errorf("requery: %v", q)
	}
	details = post("/dmt/txn/v1/remitter/details", fields{"sender_mobilenumber": mobile}).is(200, "00").data()
	if used := number(t, details, "AviabledayLimit") - number(t, details, "AviableLimit"); used != 1200 || number(t, details, "TransactionDone") != 1 {
		t.Errorf("used after the transfer: %v", details)
	}

	// Refund: the cash is returned, and the OTP proves it.
	post("/dmt/txn/v1/transaction/refundOTP", fields{"refereanceId": transaction}).is(200, "00").says("OTP sent for refund").bare()
	otp := h.otp(t, mobile)
	wrong := "000000"
	if otp == wrong {
		wrong = "111111"
	}
	if refused := post("/dmt/txn/v1/refund", fields{"transactionId": transaction, "refId": refID, "otp": wrong}); refused.http != 200 || refused.body["statusCode"] == "00" {
		t.Errorf("a refund with a wrong OTP: %s", refused.raw)
	}
	refund := post("/dmt/txn/v1/refund", fields{"transactionId": transaction, "refId": refID, "otp": otp}).is(200, "00").says("Refund processed successfully").data()
	text(t, refund, "refundId")
	if number(t, refund, "amount") != 1200 {
		t.Errorf("refunded: %v", refund)
	}
	if q := post(requery, fields{"refId": refID}).is(200, "00").data(); q["status"] != "REFUNDED" {
		t.Errorf("requery after the refund: %v", q)
	}
	if twice := post("/dmt/txn/v1/transaction/refundOTP", fields{"refereanceId": transaction}); twice.body["statusCode"] == "00" {
		t.Errorf("a second refund is offered: %s", twice.raw)
	}

	post("/dmt/txn/v1/beneficiary/delete", fields{"senderId": r.sender, "receiver_account_no": account, "receiverIfscCode": r.ifsc}).is(200, "00").says("Beneficiary deleted successfully").bare()
	details = post("/dmt/txn/v1/remitter/details", fields{"sender_mobilenumber": mobile}).is(200, "00").data()
	if left, _ := details["beneficiarydetail"].([]any); len(left) != 0 {
		t.Errorf("beneficiaries after the deletion: %v", left)
	}
	checkTrial(t, h)
}

// checkBeneficiary checks a record (interface.md, section 2.7).
func checkBeneficiary(t *testing.T, b fields, r remitter) {
	t.Helper()
	for _, name := range []string{"beneficiaryid", "beneficiarymobilenumber", "accountnumber", "beneficiarystatus", "impsstatus"} {
		number(t, b, name)
	}
	for _, name := range []string{"beneficiaryname", "beneficiaryemailid", "bank", "state", "city", "branch", "address", "ifscode"} {
		if _, ok := b[name].(string); !ok {
			t.Errorf("%s is %v (%T); want text", name, b[name], b[name])
		}
	}
	if b["ifscode"] != r.ifsc || b["accountnumberText"] != r.account || b["beneficiaryid"] != r.beneficiary || number(t, b, "beneficiarystatus") != 1 {
		t.Errorf("the beneficiary is %v", b)
	}
}

func checkTrial(t *testing.T, h *system) {
	t.Helper()
	var trial struct{ DebitsPaise, CreditsPaise int64 }
	h.books(t, "/books/trial", &trial)
	if trial.DebitsPaise == 0 || trial.DebitsPaise != trial.CreditsPaise {
		t.Errorf("the bank's books do not balance: %+v", trial)
	}
}

// TestAEPSOnboardingStory takes merchant 2 from nothing to its first withdrawal, with
// every step refused before its predecessor.
func TestAEPSOnboardingStory(t *testing.T) {
	h := running
	const mobile = "9800000002" // the merchant's own
	post := func(path string, f fields) answer { t.Helper(); return h.call(t, m2, "POST", path, f) }
	withdraw := func() answer { t.Helper(); return post("/aeps/withdrawal", h.aeps(t, choudhury, "100")) }

	withdraw().is(422, "05")
	post("/aeps/onboarding", fields{}).is(422, "05") // initialize comes first
	for range 2 {                                    // steps may be repeated
		a := post("/aeps/initialize", fields{})
		if a.http != 200 || a.body["merchantId"] != merchant2 || a.body["service"] == nil || a.body["statusCode"] != nil {
			t.Fatalf("initialize: HTTP %d %s", a.http, a.raw)
		}
	}
	post("/aeps/validate_otp", fields{"otp": "123456", "otpreqid": "none"}).is(422, "05")

	begun := post("/aeps/onboarding", fields{}).is(200, "00")
	if !boolField(t, begun.body, "otp_status") {
		t.Errorf("onboarding: %s", begun.raw)
	}
	text(t, begun.body, "otp_reqid")
	post("/aeps/verify_pan", fields{"pan": "ABCPE1234F", "name": "Ganesh", "dob": "1980-02-29"}).is(422, "05")
	req := text(t, post("/aeps/request_otp", fields{}).is(200, "00").data(), "otpreqid")
	post("/aeps/validate_otp", fields{"otp": h.otp(t, mobile), "otpreqid": req}).is(200, "00")
	post("/aeps/update_UID", fields{"aadhaarno": pandey}).is(422, "05")
	post("/aeps/verify_pan", fields{"pan": "ABCPE1234F", "name": "Ganesh", "dob": "1980-02-29"}).is(200, "00")
	post("/aeps/updatebiodetail", fields{"PidData": h.finger(t, pandey), "aadhaarno": pandey}).is(422, "05")
	post("/aeps/update_UID", fields{"aadhaarno": pandey}).is(200, "00")
	post("/aeps/submit", fields{}).is(422, "05")
	post("/aeps/updatebiodetail", fields{"PidData": h.finger(t, pandey), "aadhaarno": pandey}).is(200, "00")
	withdraw().is(422, "05")
	post("/aeps/submit", fields{}).is(200, "00").data()
	if s := h.call(t, m2, "GET", "/aeps/statusCheck", nil).is(200, "00").data(); s["status"] != "APPROVED" {
		t.Errorf("status: %v", s)
	}
	d := withdraw().is(200, "00").says("Transaction successful").data()
	if d["ResponseCode"] != "00" {
		t.Errorf("the first withdrawal: %v", d)
	}
	own := post("/aeps/GetAgentDetail", fields{}).is(200, "00").data()
	named := post("/aeps/GetAgentDetail", fields{"agentId": "GAL0000002"}).is(200, "00").data()
	if own["agentId"] != named["agentId"] {
		t.Errorf("agent detail defaults to %v, want %v", own, named)
	}
	checkTrial(t, h)
}

// TestTransferThatIsSilent: pending in the interface's words, then final, and the
// repeat returns each.
func TestTransferThatIsSilent(t *testing.T) {
	h := running
	r := newRemitter(t, h, "9000000002", agarwal, "50100200300411")
	for _, c := range []struct {
		amount, end string
	}{{"101.97", "SUCCESS"}, {"102.94", "SUCCESS"}, {"103.93", "REVERSED"}} {
		t.Run(c.amount, func(t *testing.T) {
			refID := h.ref("silent")
			body := r.transfer(refID, c.amount, r.transferOTP(t, h, c.amount))
			began := time.Now()
			a := h.call(t, m1, "POST", instant, body).is(200, "00").says("Transaction pending")
			if d := a.data(); d["status"] != "PENDING" || d["rrn"] != nil || text(t, d, "transactionId") == "" || d["amount"] != json.Number(c.amount) {
				t.Errorf("pending after %s: %s", time.Since(began), a.raw)
			}
			if ref := text(t, a.body, "reference"); ref[:7] != "DMT-NR-" {
				t.Errorf("reference %q", ref)
			}
			if q := h.call(t, m1, "POST", requery, fields{"refId": refID}).is(200, "00").data(); q["status"] != "PENDING" && q["status"] != c.end {
				t.Errorf("requery while pending: %v", q)
			}
			eventually(t, c.end, func() bool {
				return h.call(t, m1, "POST", requery, fields{"refId": refID}).data()["status"] == c.end
			})
			first := h.call(t, m1, "POST", instant, body)
			second := h.call(t, m1, "POST", instant, body)
			if string(first.raw) != string(second.raw) || first.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("the final reply changes: %s\n%s", first.raw, second.raw)
			}
			if (first.body["statusCode"] == "00") != (c.end == "SUCCESS") {
				t.Errorf("the final reply of %s: %s", c.end, first.raw)
			}
			var books []struct{ Kind, Status string }
			h.books(t, "/books/executions?reference="+text(t, a.data(), "transactionId"), &books)
			want := map[string]string{"SUCCESS": "EXECUTED", "REVERSED": "REVERSED"}[c.end]
			if len(books) != 1 || books[0].Status != want {
				t.Errorf("the books have %+v, want one %s", books, want)
			}
		})
	}
	checkTrial(t, h)
}
