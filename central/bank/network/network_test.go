package network

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/shared/money"
	"galla/shared/secret"
)

const resident = "999941057058"

func aTransaction(t testing.TB) Transaction {
	t.Helper()
	a, err := secret.ParseAadhaar(resident)
	if err != nil {
		t.Fatal(err)
	}
	return Transaction{
		Reference: "GL261121ABCDEFGHJK", STAN: "000042", Kind: Withdrawal, NotAfter: time.UnixMilli(1795000000123),
		MID: "GAL0000001", TID: "GAL00001", IIN: "990326", Amount: 500 * money.Rupee, Aadhaar: a,
		PidData: secret.NewPidData("<PidData>\"&é</PidData>"), Customer: "Shivshankar", Latitude: "18.5204", Longitude: "73.8567",
	}
}

// same compares what two transactions carry, secrets included.
func same(a, b Transaction) bool {
	equal := a.Aadhaar.Equal(b.Aadhaar) && a.PidData.Reveal() == b.PidData.Reveal() && a.OTP.Reveal() == b.OTP.Reveal() && a.NotAfter.Equal(b.NotAfter)
	for _, t := range []*Transaction{&a, &b} {
		t.Aadhaar, t.PidData, t.OTP, t.NotAfter = secret.Aadhaar{}, secret.PidData{}, secret.OTP{}, time.Time{}
	}
	return equal && reflect.DeepEqual(a, b)
}

func TestATransactionComesBackAsItWas(t *testing.T) {
	base := aTransaction(t)
	rapid.Check(t, func(t *rapid.T) {
		tx := base
		tx.Reference = rapid.String().Draw(t, "reference")
		tx.Kind = Kind(rapid.String().Draw(t, "kind"))
		tx.Amount = money.Paise(rapid.Int64().Draw(t, "amount"))
		tx.NotAfter = time.UnixMilli(rapid.Int64Range(0, 1<<50).Draw(t, "notAfter"))
		tx.PidData = secret.NewPidData(rapid.String().Draw(t, "pid"))
		tx.InlineFor = rapid.String().Draw(t, "inlineFor")
		tx.OTP = secret.NewOTP(rapid.String().Draw(t, "otp"))
		tx.Particulars = drawParticulars(t)
		b, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeTransaction(b)
		if err != nil {
			t.Fatal(err)
		}
		if !same(tx, back) {
			t.Fatalf("%+v came back as %+v", tx, back)
		}
	})
}

func TestTextThatIsNotUTF8IsNotSent(t *testing.T) {
	tx := aTransaction(t)
	tx.Customer = "\xff"
	if _, err := tx.Encode(); err == nil {
		t.Error("a name that is not UTF-8 was encoded")
	}
}

func TestDecodersAreStrict(t *testing.T) {
	good, err := aTransaction(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	swap := func(old, new string) string {
		out := strings.Replace(string(good), old, new, 1)
		if out == string(good) {
			t.Fatalf("%s is not in the message", old)
		}
		return out
	}
	for name, text := range map[string]string{
		"empty":              "",
		"null":               "null",
		"an array":           "[" + string(good) + "]",
		"two values":         string(good) + string(good),
		"cut off":            string(good[:len(good)-1]),
		"unknown member":     swap("{", `{"amount":1,`),
		"case variant":       swap(`"amountPaise"`, `"AMOUNTPAISE"`),
		"duplicate":          swap("{", `{"amountPaise":1,`),
		"string for number":  swap("50000", `"50000"`),
		"fraction":           swap("50000", "50000.5"),
		"exponent fraction":  swap("50000", "1e-3"),
		"number too large":   swap("50000", "9223372036854775808"),
		"number for string":  swap(`"000042"`, "42"),
		"invalid UTF-8":      swap("Shiv", "\xff"),
		"lone surrogate":     swap("Shiv", `\ud800`),
		"HTML":               "<html>502</html>",
		"a trailing comment": string(good) + "// ok",
	} {
		if _, err := DecodeTransaction([]byte(text)); err == nil {
			t.Errorf("%s was decoded", name)
		} else if strings.Contains(err.Error(), resident) || strings.Contains(err.Error(), "Shiv") || strings.Contains(err.Error(), "502") {
			t.Errorf("%s: the error quotes the message: %v", name, err)
		}
	}
	if _, err := DecodeEnquiry([]byte(`{"reference":"A","x":1}`)); err == nil {
		t.Error("an enquiry with an unknown member was decoded")
	}
	if _, err := DecodeAnswer([]byte(`{"reference":"A","status":"SUCCESS","status":"FAILED"}`)); err == nil {
		t.Error("an answer with two statuses was decoded")
	}
}

func TestNoAadhaarNumberDecodesToNone(t *testing.T) {
	b, err := aTransaction(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := DecodeTransaction(bytes.Replace(b, []byte(resident), []byte("999941057059"), 1))
	if err != nil || !tx.Aadhaar.IsZero() {
		t.Errorf("a wrong check digit decoded to %v, %v; want the zero value", tx.Aadhaar, err)
	}
}

func TestInvalidMembersNamesAllOfThem(t *testing.T) {
	if f := invalidMembersOf(aTransaction(t)); f != nil {
		t.Errorf("a right transaction has faults %v", f)
	}
	long := strings.Repeat("A", 1000)
	bad := Transaction{
		Reference: "gl1", STAN: "42", Kind: "CASH WITHDRAWAL", MID: "", TID: "a b", IIN: long, Amount: -1,
		Customer: long, Latitude: long, Longitude: long, InlineFor: "X",
	}
	want := "reference stan kind notAfter mid tid iin amountPaise aadhaar pidData customer latitude longitude inlineFor"
	if got := strings.Join(bad.InvalidMembers(), " "); got != want {
		t.Errorf("faults are %s\nwant %s", got, want)
	}
	inline := aTransaction(t)
	inline.Kind, inline.InlineFor = AgentAuth, inline.Reference
	if len(inline.InvalidMembers()) != 1 {
		t.Error("an authentication may be inline for itself")
	}
	inline.InlineFor = "GL1"
	if f := inline.InvalidMembers(); f != nil {
		t.Errorf("an inline authentication has faults %v", f)
	}
	for s, want := range map[string]bool{"A": true, "A-9": true, "": false, "a": false, "A B": false, "É": false, long[:40]: true, long[:41]: false} {
		if ValidReference(s) != want {
			t.Errorf("ValidReference(%q) = %v", s, !want)
		}
	}
	for s, want := range map[string]bool{"990326": true, "99032": false, "9903266": false, "99032x": false, "": false} {
		if ValidIIN(s) != want {
			t.Errorf("ValidIIN(%q) = %v", s, !want)
		}
	}
}

// The expected sums were computed with openssl dgst -sha256 -hmac.
func TestChecksums(t *testing.T) {
	key := secret.NewKey([]byte("key of the test"))
	body := []byte(`{"reference":"A"}`)
	if got, want := RequestChecksum(key, "POST", PathEnquiries, body), "f2615ef71a7dedb36eb8096c5f8f9019b364a2ad64b92d8a3222bc6b65f09a43"; got != want {
		t.Errorf("request checksum %s, want %s", got, want)
	}
	if got, want := ReplyChecksum(key, 200, "A", body), "1aad4be0af98784036a736cdd3ca0cd19e1a934896df1be57a579005940390fe"; got != want {
		t.Errorf("reply checksum %s, want %s", got, want)
	}
	seen := map[string]string{}
	for name, sum := range map[string]string{
		"request":          RequestChecksum(key, "POST", "/a", []byte("body")),
		"other method":     RequestChecksum(key, "GET", "/a", []byte("body")),
		"other path":       RequestChecksum(key, "POST", "/b", []byte("body")),
		"other body":       RequestChecksum(key, "POST", "/a", []byte("bodY")),
		"other key":        RequestChecksum(secret.NewKey([]byte("another")), "POST", "/a", []byte("body")),
		"reply":            ReplyChecksum(key, 200, "A", []byte("body")),
		"other status":     ReplyChecksum(key, 500, "A", []byte("body")),
		"other reference":  ReplyChecksum(key, 200, "B", []byte("body")),
		"other reply body": ReplyChecksum(key, 200, "A", []byte("bodY")),
	} {
		if other, taken := seen[sum]; taken {
			t.Errorf("%s and %s have the same checksum", name, other)
		}
		seen[sum] = name
	}
}

func TestReadBodyIsBounded(t *testing.T) {
	if b, err := ReadBody(strings.NewReader("12345"), 5); err != nil || string(b) != "12345" {
		t.Errorf("a body at the limit: %q, %v", b, err)
	}
	if _, err := ReadBody(strings.NewReader("123456"), 5); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a body over the limit: %v", err)
	}
	if _, err := ReadBody(io.MultiReader(strings.NewReader("1"), failing{}), 5); err == nil || errors.Is(err, ErrTooLarge) {
		t.Errorf("a body that breaks off: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestNetworkAddr(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:7300": "127.0.0.1:7301", "[::1]:1": "[::1]:2", ":7300": ":7301",
		"127.0.0.1": "", "127.0.0.1:65535": "", "127.0.0.1:0": "", "h:x": "",
	} {
		got, err := NetworkAddr(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("BesideDesk(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func FuzzDecodeTransaction(f *testing.F) {
	b, err := aTransaction(f).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for _, k := range []Kind{Transfer, CustomerOTPCheck, BCAgentRegister} {
		tx := aTransaction(f)
		tx.Kind, tx.OTP, tx.Particulars = k, secret.NewOTP(secretOTP), fullParticulars(f, "9")
		if b, err = tx.Encode(); err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"reference":"A"}`))
	f.Add([]byte(`{"particulars":{},"otp":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tx, err := DecodeTransaction(data)
		if err != nil {
			return
		}
		_ = tx.InvalidMembers()
		again, err := tx.Encode()
		if err != nil {
			t.Fatalf("what was decoded can't be encoded: %v", err)
		}
		back, err := DecodeTransaction(again)
		if err != nil || !same(tx, back) {
			t.Fatalf("%q decodes to another transaction after a round: %v", data, err)
		}
		if !json.Valid(data) {
			t.Fatalf("%q was decoded and is no JSON", data)
		}
	})
}

func FuzzDecodeAnswer(f *testing.F) {
	balance := 24500 * money.Rupee
	b, err := EncodeAnswer(Answer{Reference: "A", Status: Success, Code: "00", STAN: "000001", RRN: "632512345678", Balance: &balance, MiniStatement: "a\nb"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"balancePaise":null}`))
	f.Add([]byte(`{"data":{"a":[1.50,"\u00e9"],"b":{}},"refusal":"LIMIT","chargePaise":1000}`))
	f.Add([]byte(`{"data":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := DecodeAnswer(data)
		if err != nil || len(data) > MaxReply { // longer ones are never read
			return
		}
		again, err := EncodeAnswer(a)
		if err != nil {
			t.Fatalf("what was decoded can't be encoded: %v", err)
		}
		back, err := DecodeAnswer(again)
		if err != nil || !sameJSON(t, a.Data, back.Data) {
			t.Fatalf("%q decodes to other data after a round: %v", data, err)
		}
		a.Data, back.Data = nil, nil
		if !reflect.DeepEqual(a, back) {
			t.Fatalf("%q decodes to another answer after a round: %v", data, err)
		}
	})
}

func FuzzDecodeEnquiry(f *testing.F) {
	f.Add([]byte(`{"reference":"A"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := DecodeEnquiry(data)
		if err != nil {
			return
		}
		again, err := EncodeEnquiry(e)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeEnquiry(again); err != nil || back != e {
			t.Fatalf("%q decodes to another enquiry after a round: %v", data, err)
		}
	})
}
