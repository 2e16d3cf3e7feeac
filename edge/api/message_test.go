package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

const number = "999941057058"

func aadhaarNumber(t testing.TB) secret.Aadhaar {
	a, err := secret.ParseAadhaar(number)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestBodies(t *testing.T) {
	body, err := AEPSRequest{Aadhaar: aadhaarNumber(t), Amount: 50050, Latitude: "18.5", Longitude: "73.8", Customer: "Asha", IIN: "990326"}.Body()
	want := `{"AadharNo":"` + number + `","BankName":"990326","CustomerName":"Asha","Latitude":"18.5","Longitude":"73.8","TxnAmount":500.5}`
	if err != nil || string(body) != want {
		t.Errorf("Body() = %s, %v\nwant %s", body, err, want)
	}
	full, err := WithSecrets(body, secret.NewPidData("<PidData/>"), secret.OTP{})
	if err != nil || !strings.Contains(string(full), `"PidData":"<PidData/>"`) || strings.Contains(string(full), `"otp"`) {
		t.Errorf("WithSecrets() = %s, %v", full, err)
	}

	f, err := ParseFields([]byte(` { "referenceid" : "r-1", "amount": 1.50, "ok": true, "none": null } `))
	if err != nil || f.Text("referenceid") != "r-1" || f.Text("amount") != "1.50" || f.Text("ok") != "true" || f.Text("none") != "" || f.Text("missing") != "" {
		t.Errorf("Read() = %v, %v", f, err)
	}
	if p, ok := f.AmountValue(); !ok || p != 150 {
		t.Errorf("Rupees() = %v, %v", p, ok)
	}
	body, err = f.Body(aadhaarNumber(t))
	if err != nil || BodyField(body, "aadhaarno") != number || BodyField(body, "amount") != "1.50" {
		t.Errorf("Body() = %s, %v", body, err)
	}
	full, err = WithSecrets(body, secret.PidData{}, secret.NewOTP("123456"))
	if err != nil || BodyField(full, "otp") != "123456" || BodyField(full, "amount") != "1.50" {
		t.Errorf("WithSecrets() = %s, %v", full, err)
	}
	for _, broken := range []string{"", "x", "[]", "null"} {
		if _, err := WithSecrets([]byte(broken), secret.PidData{}, secret.OTP{}); err == nil {
			t.Errorf("a body %q was completed", broken)
		}
	}
	if BodyField(nil, "otp") != "" {
		t.Error("an erased body has a field")
	}
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]money.Paise{
		`1`: 100, `0.01`: 1, `5000.50`: 500050, `0`: -1, `-1`: -1, `1.234`: -1, `"5"`: -1, `1e3`: -1, `null`: -1, `true`: -1, `99999999999999`: -1,
	} {
		f, err := ParseFields([]byte(`{"amount":` + text + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := f.AmountValue(); ok != (want > 0) || (ok && p != want) {
			t.Errorf("amount %s = %v, %v", text, p, ok)
		}
	}
}

func TestShapesNameOnlyRoutesOfTheLine(t *testing.T) {
	for _, r := range op.Table() {
		s := SpecOf(r.ID)
		if r.Class == op.Record && s.HasSecret() {
			t.Errorf("%s waits for a day and needs what no disk may hold", r.ID)
		}
		if r.Class == op.Money && !s.HasSecret() {
			t.Errorf("%s moves money without a finger or an OTP", r.ID)
		}
		if s.Amount && limitKind(r.ID) == "" {
			t.Errorf("%s has an amount that no limit knows", r.ID)
		}
	}
}

func TestResults(t *testing.T) {
	balance := money.Paise(1245075)
	tests := []struct {
		name  string
		http  int
		reply string
		want  Result
	}{
		{"withdrawal", 200, `{"statusCode":"00","message":"Transaction successful","data":{"ResponseCode":"00","ResponseStatus":"SUCCESS","STAN":"000001","Balance":"12450.75","RetailerReferenceNumber":"GL1","ReferenceNo":"RR1","AuthCode":"A1"}}`,
			Result{StatusCode: "00", Message: "Transaction successful", Code: "00", Status: "SUCCESS", STAN: "000001", Reference: "GL1", RRN: "RR1", AuthCode: "A1", Balance: &balance}},
		{"statement", 200, `{"statusCode":"00","data":{"ResponseCode":"00","Ministatement":"a\n\n b \n"}}`,
			Result{StatusCode: "00", Code: "00", MiniStatement: []string{"a", "b"}}},
		{"pending", 200, `{"statusCode":"00","message":"Transaction pending","reference":"AEPS-NR-1"}`,
			Result{StatusCode: "00", Message: "Transaction pending", Reference: "AEPS-NR-1"}},
		{"transfer", 200, `{"statusCode":"00","data":{"rrn":"RR2","transactionId":"T1","amount":5,"status":"SUCCESS"}}`,
			Result{StatusCode: "00", Status: "SUCCESS", Reference: "T1", RRN: "RR2"}},
		{"refund", 200, `{"statusCode":"00","data":{"refundId":"R1","amount":5}}`, Result{StatusCode: "00", Reference: "R1"}},
		{"verification", 200, `{"statusCode":"00","data":{"status":91}}`, Result{StatusCode: "00"}},
		{"refused by the bank", 200, `{"statusCode":"55","message":"INVALID OTP"}`, Result{StatusCode: "55", Message: "INVALID OTP", Code: "55"}},
		{"refused here", 422, `{"statusCode":"05","message":"limit"}`, Result{StatusCode: "05", Message: "limit"}},
		{"a list", 200, `{"statusCode":"00","data":[{"iin":"1"}]}`, Result{StatusCode: "00"}},
		{"no JSON", 200, `nonsense`, Result{}},
		{"a key twice", 200, `{"statusCode":"00","statusCode":"01"}`, Result{}},
	}
	for _, tt := range tests {
		got := ParseResult(tt.http, []byte(tt.reply))
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(tt.want)
		if string(a) != string(b) {
			t.Errorf("%s: %s\nwant %s", tt.name, a, b)
		}
	}
}

func TestValues(t *testing.T) {
	reply := []byte(`{"statusCode":"00","otp_reqid":"o-1","data":{"beneficiaryid":7,"senderid":"s","list":[1],"none":null}}`)
	for name, want := range map[string]string{"beneficiaryid": "7", "senderid": "s", "list": "[1]", "none": "", "otp_reqid": "o-1", "missing": ""} {
		if got := ReplyValue(reply, name); got != want {
			t.Errorf("Value(%s) = %q, want %q", name, got, want)
		}
	}
	if ReplyValue([]byte(`[`), "a") != "" || ReplyValue([]byte(`{"data":[]}`), "a") != "" {
		t.Error("a value was read out of nothing")
	}
}

func TestClean(t *testing.T) {
	body := []byte(`{"aadhaarno":"` + number + `"}`)
	tests := []struct{ name, reply, want string }{
		{"nothing to hide stays byte for byte", `{ "b": 1.50, "a": "x" }`, `{ "b": 1.50, "a": "x" }`},
		{"masked already", `{"aadhaar_masked":"XXXXXXXX7058","AadharNo":"XXXXXXXX7058"}`, `{"aadhaar_masked":"XXXXXXXX7058","AadharNo":"XXXXXXXX7058"}`},
		{"by its name", `{"b":1.50,"AadharNo":"999933119405","otp":"9911"}`, `{"b":1.50,"AadharNo":"XXXXXXXX9405","otp":"XXXXXXXXXXXX"}`},
		{"a number by its name", `{"aadhaarno":999933119405,"otp":9911}`, `{"aadhaarno":"XXXXXXXX9405","otp":"XXXXXXXXXXXX"}`},
		{"in a list by its name", `{"otp":["9911",{"x":"9911"}]}`, `{"otp":["XXXXXXXXXXXX",{"x":"9911"}]}`},
		{"a word of the request", `{"message":"OTP 731905, no. ` + number + `.","n":` + number + `}`, `{"message":"OTP XXXXXXXXXXXX, no. XXXXXXXX7058.","n":"XXXXXXXX7058"}`},
		{"an amount like the OTP", `{"amount":731905,"rrn":"7319051234"}`, `{"amount":731905,"rrn":"7319051234"}`},
		{"PID by content", `{"x":"<?xml?><PidData a='b'/>"}`, `{"x":"[PidData]"}`},
		{"PID by name", `{"PidData":"abc"}`, `{"PidData":"[PidData]"}`},
		{"names of requests for an OTP", `{"otpreqid":"123456","otp_status":true,"otp_reqid":"7"}`, `{"otpreqid":"123456","otp_status":true,"otp_reqid":"7"}`},
		{"words that say what became of the OTP", `{"otp":"VERIFIED"}`, `{"otp":"VERIFIED"}`},
		{"no JSON", `<PidData>`, ``},
		{"two values", `{"otp":"9911"}{}`, `{"otp":"XXXXXXXXXXXX"}` + "\n" + `{}`},
	}
	for _, tt := range tests {
		if got := RemoveSecrets(body, []byte(tt.reply), secret.NewOTP("731905")); string(got) != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestReferences(t *testing.T) {
	banks, err := ParseBanks([]byte(`{"statusCode":"00","data":[{"iin":"607094","bankName":"State Bank of India"}]}`))
	if err != nil || !slices.Equal(banks, []Bank{{IIN: "607094", Name: "State Bank of India"}}) {
		t.Errorf("ReadBanks = %v, %v", banks, err)
	}
	active, expires, err := ParseSession([]byte(`{"statusCode":"00","data":{"authenticated":true,"expiresAt":"2026-11-22T10:00:00Z"}}`))
	if err != nil || !active || expires.Year() != 2026 {
		t.Errorf("ReadSession = %v, %v, %v", active, expires, err)
	}
	limits, err := ParseLimits([]byte(`{"statusCode":"00","data":[{"kinds":["TRANSFER"],"scope":"transaction","min":1,"max":5000.50,"step":null,"from":"2026-01-01","until":"2027-01-01"}]}`))
	if err != nil || len(limits) != 1 || limits[0].Max != 500050 || limits[0].Min != 100 || limits[0].Step != 0 || limits[0].Until != "2027-01-01" {
		t.Errorf("ReadLimits = %+v, %v", limits, err)
	}
	for _, bad := range []string{`{"statusCode":"04"}`, `x`, `{"statusCode":"00","data":[{"max":"5"}]}`, `{"statusCode":"00","data":[{"max":-5}]}`, `{"statusCode":"00","data":[{"max":1.001}]}`, `{"statusCode":"00"}`} {
		if _, err := ParseLimits([]byte(bad)); err == nil {
			t.Errorf("limits %s were read", bad)
		}
	}
}

func TestBounds(t *testing.T) {
	tests := []struct {
		b      Bounds
		amount money.Paise
		want   bool
	}{
		{Bounds{}, 1, true},
		{Bounds{}, 0, false},
		{Bounds{Min: 10000}, 9999, false},
		{Bounds{Max: 1000000}, 1000001, false},
		{Bounds{Min: 10000, Max: 1000000}, 9950, false},
		{Bounds{Min: 10000, Max: 1000000, Step: 5000}, 12000, false},
		{Bounds{Min: 10000, Max: 1000000, Step: 5000}, 15000, true},
		{Bounds{Min: 10000, Max: 1000000}.ForCash(op.Withdrawal), 15097, false},
		{Bounds{Min: 10000, Step: 5000}.ForCash(op.Withdrawal), 15097, false},
		{Bounds{}.ForCash(op.Transfer), 15000, true},
		{Bounds{}.ForCash(op.Purchase), 15097, true},
	}
	for _, tt := range tests {
		if got := tt.b.Allow(tt.amount); got != tt.want {
			t.Errorf("%+v.Allow(%s) = %v, want %v", tt.b, tt.amount, got, tt.want)
		}
	}
	if got := DefaultBounds(op.Withdrawal); got.Max == 0 || DefaultBounds(op.Transfer).Max != 0 {
		t.Errorf("first bounds of a withdrawal %+v", got)
	}
}

func FuzzReplies(f *testing.F) {
	f.Add([]byte(`{"statusCode":"00","message":"OTP 731905","data":{"rrn":"1","ResponseCode":"00","Balance":"1.00","otp":[1,"2",{"a":null}]}}`))
	f.Add([]byte(`{"statusCode":"00","data":[{"kinds":["A"],"min":1,"max":1e9}]}`))
	f.Fuzz(func(t *testing.T, reply []byte) {
		ParseResult(200, reply)
		ReplyValue(reply, "otp")
		_, _ = ParseBanks(reply)
		_, _, _ = ParseSession(reply)
		if limits, err := ParseLimits(reply); err == nil {
			for _, l := range limits {
				if l.Min < 0 || l.Max < 0 || l.Step < 0 || l.Sum < 0 {
					t.Errorf("limit %+v", l)
				}
			}
			_ = BoundsOn(limits, op.Transfer, "2026-11-21").Allow(100)
		}
		body := []byte(`{"AadharNo":"` + number + `"}`)
		clean := RemoveSecrets(body, reply, secret.NewOTP("731905"))
		var v any
		if json.Unmarshal(clean, &v) == nil {
			walk(t, v)
		}
		if again := RemoveSecrets(body, clean, secret.NewOTP("731905")); string(again) != string(clean) {
			t.Errorf("cleaned twice: %s, then %s", clean, again)
		}
	})
}

// walk looks for the number in every text of a reply.
func walk(t *testing.T, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			walk(t, inner)
		}
	case []any:
		for _, inner := range v {
			walk(t, inner)
		}
	case string:
		i := strings.Index(v, number)
		if i >= 0 && !digitAt(v, i-1) && !digitAt(v, i+len(number)) {
			t.Errorf("the number stands in %q", v)
		}
	}
}

func FuzzFields(f *testing.F) {
	f.Add([]byte(`{"amount":1.5,"name":"Asha","x":null}`))
	f.Add([]byte(`{"a":{"b":1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fields, err := ParseFields(data)
		if err != nil {
			return
		}
		body, err := fields.Body(aadhaarNumber(t))
		if err != nil {
			t.Fatalf("fields that were read have no body: %v", err)
		}
		full, err := WithSecrets(body, secret.NewPidData("<PidData/>"), secret.NewOTP("731905"))
		if err != nil || BodyField(full, "otp") != "731905" || BodyField(full, "aadhaarno") != number {
			t.Errorf("completed to %s, %v", full, err)
		}
	})
}
