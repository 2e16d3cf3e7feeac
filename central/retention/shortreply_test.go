package retention_test

import (
	"galla/central/retention"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/shared/op"
)

var ended = time.Date(2026, 5, 3, 9, 0, 0, 0, time.UTC)

// TestShortReply: codes, references and amounts stay in their places; all other fields are
// removed, and the envelope is valid.
func TestShortReply(t *testing.T) {
	for name, tt := range map[string]struct {
		state       op.State
		reply, want string
	}{
		"withdrawal": {op.Succeeded,
			`{"statusCode":"00","message":"Transaction successful","data":{"ResponseCode":"00","ResponseStatus":"APPROVED FOR RAM KUMAR","STAN":"000123","Balance":"9500.00","RetailerReferenceNumber":"GL260503ABCDEFGHIJ","ReferenceNo":"612309000042","AuthCode":"A1B2C3","Ministatement":"03/05 CASH 500.00","AadharNo":"XXXXXXXX7058","txnStatus":"SUCCESS"}}`,
			`{"data":{"AuthCode":"A1B2C3","ReferenceNo":"612309000042","ResponseCode":"00","ResponseStatus":"SUCCESS","RetailerReferenceNumber":"GL260503ABCDEFGHIJ","STAN":"000123","txnStatus":"SUCCESS"},"message":"Successful on 2026-05-03; the details of this reply were archived","statusCode":"00"}`},
		"transfer": {op.Succeeded,
			`{"statusCode":"00","message":"Transaction successful","data":{"rrn":"612309000042","transactionId":"GL260503ABCDEFGHIJ","amount":1500.50,"status":"SUCCESS","beneficiary":"Meera"}}`,
			`{"data":{"amount":1500.50,"rrn":"612309000042","status":"SUCCESS","transactionId":"GL260503ABCDEFGHIJ"},"message":"Successful on 2026-05-03; the details of this reply were archived","statusCode":"00"}`},
		"declined": {op.Failed, `{"statusCode":"55","message":"INVALID OTP OF 9800000001"}`,
			`{"message":"Failed on 2026-05-03; the details of this reply were archived","statusCode":"55"}`},
		"refused": {op.Refused, `{"statusCode":"05","message":"The deadline passed"}`,
			`{"message":"Refused, nothing was sent on 2026-05-03; the details of this reply were archived","statusCode":"05"}`},
		"personal data in a list": {op.Succeeded, `{"statusCode":"00","message":"ok","data":[{"name":"Meera","rrn":"1"}]}`,
			`{"message":"Successful on 2026-05-03; the details of this reply were archived","statusCode":"00"}`},
		"a name where a code should be": {op.Succeeded, `{"statusCode":"00","message":"ok","data":{"status":"Meera Nair","rrn":["612309000042"],"reference":{"a":"b"},"AuthCode":null,"STAN":"../../etc"}}`,
			`{"message":"Successful on 2026-05-03; the details of this reply were archived","statusCode":"00"}`},
		"reversed": {op.Reversed, `{"statusCode":"22","message":"Transaction reversed","txnStatus":"REVERSED","reference":"DMT-NR-1"}`,
			`{"message":"Reversed on 2026-05-03; the details of this reply were archived","reference":"DMT-NR-1","statusCode":"22","txnStatus":"REVERSED"}`},
		"no JSON":    {op.Failed, `<html>Meera</html>`, `{"message":"Failed on 2026-05-03; the details of this reply were archived","statusCode":"500"}`},
		"no object":  {op.Failed, `"Meera"`, `{"message":"Failed on 2026-05-03; the details of this reply were archived","statusCode":"500"}`},
		"a repeated": {op.Failed, `{"statusCode":"00","statusCode":"01"}`, `{"message":"Failed on 2026-05-03; the details of this reply were archived","statusCode":"500"}`},
	} {
		got := string(retention.ShortReply(central.Operation{State: tt.state, FinishedAt: ended, Reply: []byte(tt.reply)}))
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tt.want)
		}
		if again := string(retention.ShortReply(central.Operation{State: tt.state, FinishedAt: ended, Reply: []byte(got)})); again != got {
			t.Errorf("%s: shortened again it is %s", name, again)
		}
	}
}

// FuzzShortReply: the short reply of any reply is an object with a statusCode and a message,
// fits the schema, and has only plain values.
func FuzzShortReply(f *testing.F) {
	for _, seed := range []string{`{}`, `{"statusCode":"00","data":{"amount":1e99,"rrn":"1"}}`, `null`, `[`, `{"data":{"data":{"rrn":"x"}}}`, `{"statusCode":7}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, reply []byte) {
		short := retention.ShortReply(central.Operation{State: op.Succeeded, FinishedAt: ended, Reply: reply})
		var out struct {
			StatusCode any            `json:"statusCode"`
			Message    string         `json:"message"`
			TxnStatus  any            `json:"txnStatus"`
			Data       map[string]any `json:"data"`
		}
		if err := json.Unmarshal(short, &out); err != nil || out.StatusCode == nil || out.Message == "" || len(short) > 2048 {
			t.Fatalf("%d bytes, %v: %s", len(short), err, short)
		}
		for name, value := range out.Data {
			if s, ok := value.(string); ok && strings.ContainsAny(s, " \n<>@/") {
				t.Errorf("%s is %q", name, s)
			}
		}
	})
}
