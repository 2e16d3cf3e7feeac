package contract

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

var iso = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

func modes() []row {
	return []row{
		{"1", "direct calls take a Bearer token and plain JSON", func(t *testing.T, h *system) {
			h.call(t, m1, "GET", "/aeps/banks", nil).is(200, "00")
		}},
		{"1", "POST /aeps/process is not reachable", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/process", fields{"operation": "withdrawal"}).is(404, "04")
		}},
		{"1", "POST /dmt/process is not reachable", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/dmt/process", fields{"operation": "remitterRegister"}).is(404, "04")
		}},
		{"1", "cash deposit has no route", func(t *testing.T, h *system) {
			for _, path := range []string{"/aeps/deposit", "/aeps/cashdeposit", "/aeps/cashDeposit"} {
				h.call(t, m1, "POST", path, fields{}).is(404, "04")
			}
		}},
		{"5.1", "the token is a JWT that carries the merchantId", func(t *testing.T, h *system) {
			parts := strings.Split(h.token(t, m1), ".")
			if len(parts) != 3 {
				t.Fatal("no JWT")
			}
			raw, err := base64.RawURLEncoding.DecodeString(parts[1])
			if err != nil {
				t.Fatal(err)
			}
			var claims map[string]any
			if json.Unmarshal(raw, &claims) != nil || claims["merchantId"] != merchant1 || claims["role"] != "merchant" {
				t.Errorf("claims are %v", claims)
			}
		}},
	}
}

func envelopes() []row {
	return []row{
		{"2.1", "statusCode is a string, 00 for success; message is text", func(t *testing.T, h *system) {
			a := h.call(t, m1, "GET", "/aeps/banks", nil).is(200, "00")
			text(t, a.body, "message")
		}},
		{"2.1", "data is an object or an array", func(t *testing.T, h *system) {
			h.call(t, m1, "GET", "/aeps/banks", nil).list()
			h.call(t, m1, "GET", "/aeps/authStatus", nil).data()
		}},
		{"2.1", "aeps/initialize returns merchantId and service at the top level on success", func(t *testing.T, h *system) {
			a := h.call(t, m1, "POST", "/aeps/initialize", fields{})
			if a.http != 200 || a.body["merchantId"] != merchant1 || a.body["service"] == nil || a.body["statusCode"] != nil || a.body["message"] != nil || a.body["data"] != nil {
				t.Errorf("HTTP %d %s", a.http, a.raw)
			}
		}},
		{"2.1", "aeps/initialize uses the envelope on failure", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/initialize", "[]").is(400, "02")
		}},
		{"2.4", "authStatus has authenticated, tid, and ISO 8601 times", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/reqAuth", h.aeps(t, fatima, "0")).is(200, "00")
			d := h.call(t, m1, "GET", "/aeps/authStatus", nil).is(200, "00").data()
			if !boolField(t, d, "authenticated") || text(t, d, "tid") != "GAL00001" || !iso.MatchString(text(t, d, "authenticatedAt")) || !iso.MatchString(text(t, d, "expiresAt")) {
				t.Errorf("session is %v", d)
			}
		}},
		{"2.5", "banks lists iin and bankName, at least a hundred", func(t *testing.T, h *system) {
			list := h.call(t, m1, "GET", "/aeps/banks", nil).is(200, "00").list()
			if len(list) < 100 {
				t.Errorf("%d banks", len(list))
			}
			for _, b := range list {
				text(t, b, "iin")
				text(t, b, "bankName")
			}
		}},
	}
}

// aepsRoutes are the five, with the amount that each takes.
var aepsRoutes = map[string]string{"withdrawal": "150", "purchase": "151", "balance": "0", "minstatement": "0", "reqAuth": "0"}

func requestRows() []row {
	var rows []row
	for _, field := range []string{"AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData"} {
		rows = append(rows, row{"2.2", field + " is required on all five routes", func(t *testing.T, h *system) {
			for route, amount := range aepsRoutes {
				h.call(t, m1, "POST", "/aeps/"+route, with(h.aeps(t, choudhury, amount), fields{field: nil})).wrong(field)
			}
		}})
		rows = append(rows, row{"2.2", field + " has a type", func(t *testing.T, h *system) {
			wrong := any(5)
			if field == "TxnAmount" {
				wrong = "150"
			}
			h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, choudhury, "150"), fields{field: wrong})).wrong(field)
		}})
	}
	return rows
}

// once protects what holds only for fresh books.
var once sync.Once

func transactions() []row {
	done := func(t *testing.T, h *system, route string) fields {
		t.Helper()
		return h.call(t, m1, "POST", "/aeps/"+route, h.aeps(t, choudhury, aepsRoutes[route])).is(200, "00").says("Transaction successful").data()
	}
	only := func(t *testing.T, d fields, names ...string) {
		t.Helper()
		for _, n := range names {
			text(t, d, n)
		}
		if len(d) != len(names) {
			t.Errorf("data has %v, want exactly %v", d, names)
		}
	}
	rows := append(requestRows(), []row{
		{"2.2", "BankName must be an iin of aeps/banks", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, choudhury, "150"), fields{"BankName": "123456"})).wrong("BankName")
		}},
		{"2.2", "without BankName the sandbox code 990326 is the bank", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/balance", with(h.aeps(t, choudhury, "0"), fields{"BankName": nil})).is(200, "00")
			d := h.call(t, m1, "POST", "/aeps/balance", with(h.aeps(t, agarwal, "0"), fields{"BankName": nil})).is(200, "00").data()
			if d["ResponseCode"] == "00" {
				t.Errorf("a customer of another bank was found there: %v", d)
			}
		}},
		{"2.3", "withdrawal: Balance after it, references, AuthCode, masked AadharNo", func(t *testing.T, h *system) {
			var before, after struct{ Balance string }
			h.books(t, "/books/balance/"+choudhury, &before)
			d := done(t, h, "withdrawal")
			h.books(t, "/books/balance/"+choudhury, &after)
			only(t, d, "ResponseCode", "ResponseStatus", "STAN", "Balance", "RetailerReferenceNumber", "ReferenceNo", "AuthCode", "AadharNo", "txnStatus")
			if d["Balance"] != after.Balance || before.Balance == after.Balance || d["AadharNo"] != "XXXXXXXX7058" || d["ResponseStatus"] != "SUCCESS" {
				t.Errorf("data %v; the books had %s and have %s", d, before.Balance, after.Balance)
			}
		}},
		{"2.3", "purchase: as withdrawal, without Balance", func(t *testing.T, h *system) {
			only(t, done(t, h, "purchase"), "ResponseCode", "ResponseStatus", "STAN", "RetailerReferenceNumber", "ReferenceNo", "AuthCode", "AadharNo", "txnStatus")
		}},
		{"2.3", "balance: Balance as a decimal string, RetailerReferenceNumber, masked AadharNo", func(t *testing.T, h *system) {
			d := done(t, h, "balance")
			only(t, d, "ResponseCode", "ResponseStatus", "STAN", "Balance", "RetailerReferenceNumber", "AadharNo", "txnStatus")
			if !regexp.MustCompile(`^\d+\.\d\d$`).MatchString(text(t, d, "Balance")) {
				t.Errorf("Balance is %q", d["Balance"])
			}
		}},
		{"2.3", "minstatement: one string, a line a transaction, and no other line", func(t *testing.T, h *system) {
			d := done(t, h, "minstatement")
			only(t, d, "ResponseCode", "ResponseStatus", "STAN", "Ministatement", "AadharNo", "txnStatus")
			for _, line := range strings.Split(text(t, d, "Ministatement"), "\n") {
				if !regexp.MustCompile(`^\d\d/\d\d .* [CD] \d+\.\d\d$`).MatchString(line) {
					t.Errorf("%q is no transaction", line)
				}
			}
		}},
		{"2.3", "reqAuth returns only ResponseCode, ResponseStatus and STAN", func(t *testing.T, h *system) {
			only(t, done(t, h, "reqAuth"), "ResponseCode", "ResponseStatus", "STAN")
		}},
		{"3.1", "another ResponseCode is a failure, in a 200-style envelope with outer 00", func(t *testing.T, h *system) {
			d := h.call(t, m1, "POST", "/aeps/withdrawal", h.aeps(t, choudhury, "100.51")).is(200, "00").says("Transaction failed").data()
			if d["ResponseCode"] != "51" || d["txnStatus"] != "FAILED" {
				t.Errorf("data is %v", d)
			}
		}},
		{"3.1", "no answer from upstream is pending, recorded as AEPS-NR-<timestamp>, without data", func(t *testing.T, h *system) {
			ref := h.ref("nr")
			a := h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, choudhury, "100.97"), fields{"clientRefId": ref})).is(200, "00").says("Transaction pending").bare()
			if !regexp.MustCompile(`^AEPS-NR-\d{13}$`).MatchString(text(t, a.body, "reference")) {
				t.Errorf("reference %v", a.body["reference"])
			}
			eventually(t, "the reconciler learns of the success", func() bool {
				q := h.call(t, m1, "POST", "/aeps/requery", fields{"reference": a.body["reference"]})
				d, _ := q.body["data"].(map[string]any)
				return d["txnStatus"] == "SUCCESS"
			})
		}},
		{"3.2", "reqAuth with 00 opens the session for 24 hours", func(t *testing.T, h *system) {
			done(t, h, "reqAuth")
			d := h.call(t, m1, "GET", "/aeps/authStatus", nil).data()
			from, err1 := time.Parse(time.RFC3339, text(t, d, "authenticatedAt"))
			to, err2 := time.Parse(time.RFC3339, text(t, d, "expiresAt"))
			if err1 != nil || err2 != nil || to.Sub(from) != 24*time.Hour {
				t.Errorf("session is %v", d)
			}
		}},
		{"3.2", "without a session a transaction runs reqAuth inline", func(t *testing.T, h *system) {
			once.Do(func() {
				if d := h.call(t, m3, "GET", "/aeps/authStatus", nil).is(200, "00").data(); boolField(t, d, "authenticated") {
					t.Errorf("merchant 3 has a session before its first transaction: %v", d)
				}
			})
			d := h.call(t, m3, "POST", "/aeps/balance", h.aeps(t, kapoor, "0")).is(200, "00").data()
			if d["ResponseCode"] != "00" {
				t.Errorf("data is %v", d)
			}
			if d := h.call(t, m3, "GET", "/aeps/authStatus", nil).data(); !boolField(t, d, "authenticated") {
				t.Errorf("no session afterwards: %v", d)
			}
		}},
		{"3.4", "balance before withdrawal is not enforced", func(t *testing.T, h *system) { done(t, h, "withdrawal") }},
		{"4.2", "TxnAmount is 0 for balance, minstatement and reqAuth", func(t *testing.T, h *system) {
			for _, route := range []string{"balance", "minstatement", "reqAuth"} {
				h.call(t, m1, "POST", "/aeps/"+route, h.aeps(t, choudhury, "1")).wrong("TxnAmount")
			}
		}},
		{"4.2", "authStatus is read-only and names the terminal", func(t *testing.T, h *system) {
			text(t, h.call(t, m1, "GET", "/aeps/authStatus", nil).is(200, "00").data(), "tid")
		}},
		{"7", "AEPS transactions: check data.ResponseCode; non-00 means failed", func(t *testing.T, h *system) {
			for amount, code := range map[string]string{"100.05": "05", "100.91": "91", "100.63": "U3"} {
				d := h.call(t, m1, "POST", "/aeps/purchase", h.aeps(t, choudhury, amount)).is(200, "00").data()
				if d["ResponseCode"] != code {
					t.Errorf("%s: %v", amount, d)
				}
			}
		}},
	}...)
	return rows
}

func agents() []row {
	return []row{
		{"4.1", "onboarding requires the merchant's merchantinfo", func(t *testing.T, h *system) {
			h.call(t, m5, "POST", "/aeps/onboarding", fields{}).is(422, "01").says("Merchant info not created")
		}},
		{"4.1", "onboarding returns otp_status, otp_reqid and upstream fields", func(t *testing.T, h *system) {
			h.call(t, m3, "POST", "/aeps/initialize", fields{})
			a := h.call(t, m3, "POST", "/aeps/onboarding", fields{}).is(200, "00")
			boolField(t, a.body, "otp_status")
			text(t, a.body, "otp_reqid")
			text(t, a.data(), "otpreqid")
		}},
		{"4.1", "request_otp resends; data holds otpreqid", func(t *testing.T, h *system) {
			h.call(t, m3, "POST", "/aeps/onboarding", fields{}).is(200, "00")
			text(t, h.call(t, m3, "POST", "/aeps/request_otp", fields{}).is(200, "00").data(), "otpreqid")
		}},
		{"4.1", "validate_otp requires otp and otpreqid", func(t *testing.T, h *system) {
			h.call(t, m3, "POST", "/aeps/validate_otp", fields{}).wrong("otp", "otpreqid")
		}},
		{"4.1", "a wrong otp is refused by the bank", func(t *testing.T, h *system) {
			h.call(t, m3, "POST", "/aeps/onboarding", fields{}).is(200, "00")
			req := text(t, h.call(t, m3, "POST", "/aeps/request_otp", fields{}).is(200, "00").data(), "otpreqid")
			wrong := "000000"
			if h.otp(t, "9800000003") == wrong {
				wrong = "111111"
			}
			if a := h.call(t, m3, "POST", "/aeps/validate_otp", fields{"otp": wrong, "otpreqid": req}); a.http != 200 || a.body["statusCode"] == "00" {
				t.Errorf("HTTP %d %s", a.http, a.raw)
			}
			h.call(t, m3, "POST", "/aeps/validate_otp", fields{"otp": h.otp(t, "9800000003"), "otpreqid": req}).is(200, "00")
		}},
		{"4.1", "verify_pan takes pan, name and dob", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/verify_pan", fields{"pan": "abc", "dob": "29-02-1980"}).wrong("pan", "name", "dob")
		}},
		{"4.1", "update_UID takes a 12-digit aadhaarno", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/update_UID", fields{"aadhaarno": "12345"}).wrong("aadhaarno")
		}},
		{"4.1", "updatebiodetail takes PidData and aadhaarno", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/updatebiodetail", fields{"PidData": "<x/>"}).wrong("PidData", "aadhaarno")
		}},
		{"4.1", "statusCheck may be called at any time", func(t *testing.T, h *system) {
			text(t, h.call(t, m5, "GET", "/aeps/statusCheck", nil).is(200, "00").data(), "status")
			if d := h.call(t, m1, "GET", "/aeps/statusCheck", nil).is(200, "00").data(); d["status"] != "APPROVED" {
				t.Errorf("an onboarded merchant is %v", d)
			}
		}},
		{"4.1", "GetAgentDetail defaults to the caller's own terminal mid", func(t *testing.T, h *system) {
			for _, body := range []fields{{}, {"agentId": ""}} {
				if d := h.call(t, m1, "POST", "/aeps/GetAgentDetail", body).is(200, "00").data(); d["agentId"] != "GAL0000001" {
					t.Errorf("%v: %v", body, d)
				}
			}
		}},
		{"4.1", "GetAgentDetail takes an agentId", func(t *testing.T, h *system) {
			if d := h.call(t, m1, "POST", "/aeps/GetAgentDetail", fields{"agentId": "GAL0000001"}).is(200, "00").data(); d["agentId"] != "GAL0000001" {
				t.Errorf("%v", d)
			}
			foreign := h.call(t, m1, "POST", "/aeps/GetAgentDetail", fields{"agentId": "GAL0000003"}).is(404, "04").bare()
			absent := h.call(t, m1, "POST", "/aeps/GetAgentDetail", fields{"agentId": "GAL0009999"}).is(404, "04").bare()
			if string(foreign.raw) != string(absent.raw) {
				t.Errorf("%s and %s", foreign.raw, absent.raw)
			}
		}},
		{"4.1", "vendors name the merchant", func(t *testing.T, h *system) {
			a := h.call(t, v1, "POST", "/aeps/initialize", fields{"merchantId": merchant1})
			if a.http != 200 || a.body["merchantId"] != merchant1 {
				t.Errorf("HTTP %d %s", a.http, a.raw)
			}
			h.call(t, v1, "GET", "/aeps/statusCheck?merchantId="+merchant1, nil).is(200, "00")
		}},
	}
}

// tokenOf asks for a token with a wrong secret.
func badToken(t *testing.T, h *system) answer {
	return h.form(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {"nobody-" + h.ref("c")}, "client_secret": {"wrong"}})
}
