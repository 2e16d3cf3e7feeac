package field

import (
	"bytes"
	"encoding/hex"
	"hash"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// text collects what is written to a hash.
type text struct {
	hash.Hash
	bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) { return t.Buffer.Write(p) }
func (t *text) Reset()                      { t.Buffer.Reset() }

// FuzzFingerprint: the canonical form that is written field by field is that of the whole
// body.
func FuzzFingerprint(f *testing.F) {
	for _, body := range []string{
		``, `{}`, ` {"b": 1.50, "a": [2, {"d":1e2,"c":"\u0061"}], "é\\": "\ud83d\ude00\/\u2028\u007f\u0008\n" } `,
		`{"😀":1,"\ue000":2,"z":-0.0,"y":123456789012345678901234567890123456789,"x":1e99,"w":0,"v":"\"\\\b\f\n\r\t","u":null,"t":true,"s":false}`,
		`{"AadharNo":"999941057058","TxnAmount":500,"PidData":"<a b=\"c\"/>\n","\u0041":1}`,
		`{"PidData":"\u003ca\u0022\u005c\u002F\/\u0008\u000c\u000B\u001F\u000a\u007f\u00E9\u0020\u003e","b":"\u003cé\/"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		values, err := Decode(body)
		if err != nil {
			return
		}
		if len(values) == 0 {
			body = []byte("{}")
		}
		want, wantErr := Canonical(jsontext.Value(bytes.Clone(body)))
		var got text
		sorted := append(Values{}, values...)
		slices.SortFunc(sorted, compareNames)
		err = writeCanonical(&got, sorted)
		if (err == nil) != (wantErr == nil) || err == nil && got.String() != string(want) {
			t.Errorf("%q: %q, %v, want %q, %v", body, got.String(), err, want, wantErr)
		}
	})
}

// TestFingerprintIsAsBefore: stored fingerprints stay valid.
func TestFingerprintIsAsBefore(t *testing.T) {
	key := secret.NewMAC(secret.NewKey(bytes.Repeat([]byte{7}, 32)))
	for route, want := range map[op.RouteID]string{
		op.Withdrawal: "fb34aac3abc2e333d037fb04ac74ef2e0ded0b4e3847b4aa4d67f5015cd5f0bf",
		op.Transfer:   "b2b0d01b5873de7116224e095281da042e76abe2329e51e19afea885f135d475",
		op.Refund:     "9781380edbe812f00ae5bb6831e7113bb909864cfb2519e8800de68b80c04cf7",
	} {
		values, err := Decode([]byte(`{"refId":"r","otp":"1234","amount":5e2,"transactionId":"T","AadharNo":"999941057058"}`))
		if err != nil {
			t.Fatal(err)
		}
		print, err := Fingerprint(key, route, central.MerchantID("m"), values)
		if got := hex.EncodeToString(print[:]); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", route, got, err, want)
		}
	}
}
