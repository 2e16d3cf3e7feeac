package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"galla/central"
	"galla/shared/op"
)

// wrongValues are, for each field of interface.md, section 2.2, values that are wrong alone,
// and the rule that each breaks. absent is a missing field.
const absent = "\x00absent"

var wrongValues = map[string]map[string]string{
	"AadharNo": {
		absent: "required", `""`: "required", "999941057058": "type", "null": "type",
		`"99994105705"`: "aadhaar", `"999941057059"`: "aadhaar", `"999941057058 "`: "aadhaar", `"９９９９４１０５７０５８"`: "aadhaar",
	},
	"TxnAmount": {
		absent: "required", `"500"`: "type", "null": "type", "[500]": "type", "500.001": "decimals", "50001e-3": "decimals",
		"5e-3": "decimals", "1E400": "range", "1e-400": "decimals", "-1": "positive", "0": "positive", "1000000000.01": "range", "99999999999999999999999": "range",
	},
	"Latitude": {
		absent: "required", `""`: "required", "17.38": "type", `"90.0001"`: "range", `"-91"`: "range",
		`"north"`: "degrees", `"1e1"`: "degrees", `"17."`: "degrees", `" 17"`: "degrees", `"0x11"`: "degrees", `"NaN"`: "degrees", `"1.1111111111111111111111111"`: "degrees",
	},
	"Longitude":    {absent: "required", `"180.1"`: "range", `"-181"`: "range", `"78,48"`: "degrees", `"+78"`: "degrees", "78": "type"},
	"CustomerName": {absent: "required", `""`: "required", `"   "`: "length", `"a\nb"`: "printable", `"a\u0000b"`: "printable", `"a\u2028b"`: "printable", "{}": "type"},
	"PidData": {
		absent: "required", `""`: "required", "1": "type", `"x"`: "piddata", `"<PidData/>"`: "piddata", `"<PidData><Resp errCode='700'/></PidData>"`: "capture",
	},
	"BankName":    {`"000000"`: "iin", `"sbi"`: "iin", "607094": "type", `" 607094"`: "iin"},
	"clientRefId": {`""`: "reference", `"a\tb"`: "reference", "5": "type"},
}

// fieldOrder is the order in which errors are reported: the document's.
var fieldOrder = []string{"AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData", "BankName", "clientRefId"}

func TestEveryWrongValue(t *testing.T) {
	b := newFixture(t)
	for field, values := range wrongValues {
		for value, rule := range values {
			change := map[string]any{field: raw(value)}
			if value == absent {
				change[field] = nil
			}
			r := b.call(merchant1, op.Withdrawal, body(change))
			if r.HTTP != 400 {
				t.Errorf("%s %s: HTTP %d", field, value, r.HTTP)
				continue
			}
			if got := wrongFields(t, r); !slices.Equal(got, []string{field + " " + rule}) {
				t.Errorf("%s %s: %v, want %s", field, value, got, rule)
			}
		}
	}
	if b.executor.count != 0 {
		t.Error("the executor was called")
	}
}

// TestAllWrongFieldsAtOnce: whichever fields are wrong, and however, the reply
// names exactly those, each once, in the document's order.
func TestAllWrongFieldsAtOnce(t *testing.T) {
	b := newFixture(t)
	rapid.Check(t, func(t *rapid.T) {
		change := map[string]any{}
		var want []string
		for _, field := range fieldOrder {
			if !rapid.Bool().Draw(t, field+" is wrong") {
				continue
			}
			values := make([]string, 0, len(wrongValues[field]))
			for v := range wrongValues[field] {
				values = append(values, v)
			}
			slices.Sort(values)
			value := rapid.SampledFrom(values).Draw(t, field)
			change[field] = raw(value)
			if value == absent {
				change[field] = nil
			}
			want = append(want, field+" "+wrongValues[field][value])
		}
		r := b.call(merchant1, op.Withdrawal, body(change))
		if want == nil {
			if r.HTTP != 200 {
				t.Fatalf("a valid request: HTTP %d %s", r.HTTP, r.Body)
			}
			return
		}
		var out struct {
			Data struct{ Errors []central.FieldError }
		}
		if err := json.Unmarshal(r.Body, &out); err != nil || r.HTTP != 400 {
			t.Fatalf("HTTP %d, %v: %s", r.HTTP, err, r.Body)
		}
		var got []string
		for _, e := range out.Data.Errors {
			if e.Message == "" {
				t.Fatalf("%s has no message", e.Field)
			}
			got = append(got, e.Field+" "+e.Rule)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("errors are %v, want %v", got, want)
		}
	})
}

func TestAmountsOfRoutesThatMoveNothing(t *testing.T) {
	b := newFixture(t)
	for _, route := range []op.RouteID{op.Balance, op.MiniStatement, op.ReqAuth} {
		for amount, rule := range map[string]string{"1": "zero", "0.01": "zero", "-1": "zero", `"0"`: "type", "1e-2": "zero", absent: "required"} {
			change := map[string]any{"TxnAmount": raw(amount)}
			if amount == absent {
				change["TxnAmount"] = nil
			}
			r := b.call(merchant1, route, body(change))
			if got := wrongFields(t, r); !slices.Equal(got, []string{"TxnAmount " + rule}) {
				t.Errorf("%s of %s: %v", route, amount, got)
			}
		}
		expect(t, b.call(merchant1, route, body(map[string]any{"TxnAmount": raw("0.0")})), 200, "00")
	}
}

func TestMalformedBodies(t *testing.T) {
	b := newFixture(t)
	valid := body(nil)
	for text, rule := range map[string]string{
		`[]`: "object", `"x"`: "object", `null`: "object", `5`: "object", `<x/>`: "object",
		`{`: "json", `{"a":1,}`: "json", `{"a":01}`: "json", `{'a':1}`: "json", `{"a":1} {}`: "json", valid + "x": "json", `{"a":NaN}`: "json",
		`{"a":"\ud800"}`: "json", strings.Repeat(`{"a":`, 20000): "json",
		"{\"a\":\"\xff\"}": "utf8", "\xef\xbb\xbf{}": "object",
		`{"TxnAmount":1,"TxnAmount":900}`: "duplicate", `{"x":{"y":1,"y":2}}`: "duplicate", `{"a":1,"\u0061":2}`: "duplicate",
	} {
		r := b.call(merchant1, op.Withdrawal, text)
		if r.HTTP != 400 {
			t.Errorf("%.40q: HTTP %d", text, r.HTTP)
			continue
		}
		if got := wrongFields(t, r); !slices.Equal(got, []string{"body " + rule}) {
			t.Errorf("%.40q: %v, want %s", text, got, rule)
		}
	}
	if b.executor.count != 0 {
		t.Error("the executor was called")
	}
}

// TestNamesInAnotherCaseAreUnknown: they neither fill nor overwrite a field.
func TestNamesInAnotherCaseAreUnknown(t *testing.T) {
	b := newFixture(t)
	expect(t, b.call(merchant1, op.Withdrawal, body(map[string]any{"txnamount": raw("900"), "TXNAMOUNT": raw("900"), "unknown": raw("{}")})), 200, "00")
	if b.executor.last.Request.Amount != 50000 {
		t.Errorf("amount is %s", b.executor.last.Request.Amount)
	}
	r := b.call(merchant1, op.Withdrawal, strings.Replace(body(nil), "AadharNo", "aadharNo", 1))
	if got := wrongFields(t, r); !slices.Equal(got, []string{"AadharNo required"}) {
		t.Errorf("errors are %v", got)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"x", "फ़ातिमा बेदी", "Ḥāfiẓ", "ക്ഷ\u200d", strings.Repeat("अ", 100), "D'Souza-Nair, Jr."} {
		b := newFixture(t)
		expect(t, b.call(merchant1, op.Withdrawal, body(map[string]any{"CustomerName": name})), 200, "00")
		if b.executor.last.Request.Customer != name {
			t.Errorf("%q became %q", name, b.executor.last.Request.Customer)
		}
	}
	b := newFixture(t)
	expect(t, b.call(merchant1, op.Withdrawal, body(map[string]any{"CustomerName": strings.Repeat("अ", 101)})), 400, "02")
}

// FuzzTransaction sends any bytes as the body of a withdrawal: there is always
// a reply, it is JSON with a status of the table, and what reaches the executor is
// valid in itself.
func FuzzTransaction(f *testing.F) {
	f.Add([]byte(body(nil)))
	f.Add([]byte(body(map[string]any{"BankName": "607094", "clientRefId": "x", "merchantId": string(m1)})))
	f.Add([]byte(`{"AadharNo":"` + aadhaar + `","AadharNo":1}`))
	f.Add([]byte(`{"TxnAmount":1e3}`))
	f.Add([]byte("\xff{}"))
	route, _ := op.Find(op.Withdrawal)
	b := newFixture(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		b.log.Reset()
		b.executor.last, b.executor.known = central.Submission{}, map[string]central.Operation{}
		for _, p := range []central.Principal{merchant1, vendor1} {
			r := b.Handle(context.Background(), central.Request{Principal: p, Route: route, Body: text})
			out := parse(t, r)
			if out.StatusCode == "500" || r.HTTP < 200 || r.HTTP >= 500 {
				t.Fatalf("HTTP %d %s", r.HTTP, r.Body)
			}
			if s := b.executor.last; r.HTTP == 200 && (s.Request.Amount < 100 || s.Request.Aadhaar.IsZero() || s.Request.PidData.IsZero() || s.Merchant != m1 || s.Fingerprint == [32]byte{}) {
				t.Fatalf("submission is %+v", s)
			}
		}
	})
}
