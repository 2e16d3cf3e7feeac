package field

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
)

// noted gives "field rule" of everything that a reader found wrong.
func noted(t testing.TB, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var e *central.Error
	if !errors.As(err, &e) || e.Fault != central.Invalid || e.Message == "" || e.Err != nil {
		t.Fatalf("%#v is no Invalid error for the caller", err)
	}
	var list []string
	for _, f := range e.Fields {
		if f.Message == "" {
			t.Errorf("%s %s has no message", f.Field, f.Rule)
		}
		list = append(list, f.Field+" "+f.Rule)
	}
	return list
}

func TestDecode(t *testing.T) {
	for body, want := range map[string]string{
		"": "", " \r\n\t": "", "{}": "", ` {"a": 1, "A": [2], "b": {"c": null}} `: "", `{"a":"\u0000 \ud83d\ude00"}`: "",
		"[]": "object", "null": "object", `"{}"`: "object", "5": "object", "\xef\xbb\xbf{}": "object", "\u00a0{}": "object",
		"{": "json", "{} {}": "json", "{}x": "json", `{"a":1,}`: "json", `{a:1}`: "json", `{"a":01}`: "json", `{"a":NaN}`: "json", `{"a":"\ud800"}`: "json", "{\"a\":\"\n\"}": "json",
		strings.Repeat(`{"a":`, 1<<15): "json",
		"{\"a\":\"\xff\"}":             "utf8", "\xff": "utf8", "{}\xc0\x80": "utf8",
		`{"a":1,"a":1}`: "duplicate", `{"a":1,"\u0061":2}`: "duplicate", `{"x":[{"a":1,"a":2}]}`: "duplicate",
	} {
		values, err := Decode([]byte(body))
		got := noted(t, err)
		if want == "" && err != nil || want != "" && (values != nil || !slices.Equal(got, []string{"body " + want})) {
			t.Errorf("%.40q: %v, %v, want %q", body, values, got, want)
		}
	}
	values, err := Decode([]byte(` {"a": 1.50, "A": [2] } `))
	if err != nil || len(values) != 2 || raw(values, "a") != "1.50" || raw(values, "A") != "[2]" || values[0].Name[0] != 'a' {
		t.Errorf("%v, %v", values, err)
	}
}

// TestDecodeNeverQuotes: what was sent is in no message.
func TestDecodeNeverQuotes(t *testing.T) {
	for _, body := range []string{`{"AadharNo":"` + aadhaar, `{"` + aadhaar + `":1,"` + aadhaar + `":2}`, aadhaar, `{"a":` + aadhaar + `x}`, `{"a":"` + aadhaar + "\xff\"}"} {
		_, err := Decode([]byte(body))
		if err == nil {
			t.Errorf("%q was taken", body)
			continue
		}
		if text := fmt.Sprintf("%v %+v", err, err.(*central.Error).Fields); strings.Contains(text, aadhaar) {
			t.Errorf("%q is quoted: %s", body, text)
		}
	}
}

// TestReadersKeepNothingOfTheBody: an entrance may reuse its buffer after a request.
func TestReadersKeepNothingOfTheBody(t *testing.T) {
	body := []byte(`{"a":"first","b\u0062":"5\n"}`)
	values, err := Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	r := Reader{Values: values}
	a, b := r.RawText("a"), r.RawText("bb")
	copy(body, bytes.Repeat([]byte("x"), len(body)))
	if a != "first" || b != "5\n" {
		t.Errorf("the values became %q and %q", a, b)
	}
}

// raw is the raw value of a field as text.
func raw(values Values, name string) string {
	v, _ := values.Get(name)
	return string(v)
}

// FuzzDecode compares Decode with the JSON library's reading of an object.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{``, `{}`, ` {"a": 1, "\u0061b": [2, {"c": null}], "é\\": "\ud83d\ude00"} `, `{"a":1,"\u0061":2}`, `{"x":[{"a":1,"a":2}]}`, `{"a":1}x`, "{\"a\":\"\xff\"}", `{"a":tru}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sent := bytes.Clone(body)
		values, err := Decode(body)
		if !bytes.Equal(sent, body) {
			t.Fatalf("%q became %q", sent, body)
		}
		want := map[string]jsontext.Value{}
		if len(bytes.TrimLeft(body, " \t\r\n")) > 0 {
			wantErr := json.Unmarshal(body, &want)
			if (err == nil) != (wantErr == nil && want != nil) {
				t.Fatalf("%q: %v, and the library says %v", body, err, wantErr)
			}
		}
		if err != nil {
			return
		}
		if len(values) != len(want) {
			t.Fatalf("%q has %d fields, want %d", body, len(values), len(want))
		}
		for name, value := range want {
			if raw(values, name) != string(value) {
				t.Errorf("%q: field %q is %q, want %q", body, name, raw(values, name), value)
			}
			var text string
			isText := value.Kind() == jsontext.KindString && json.Unmarshal(value, &text) == nil
			if got, ok := unquote(value); ok != isText || got != text {
				t.Errorf("%q is the text %q, %v; want %q, %v", value, got, ok, text, isText)
			}
		}
	})
}

func TestAllThatIsWrongAtOnce(t *testing.T) {
	values, err := Decode([]byte(`{"pan":"x","otp":7,"name":" ","amount":-1}`))
	if err != nil {
		t.Fatal(err)
	}
	r := Reader{Values: values}
	r.OTP("otp")
	r.PAN("pan", Must)
	r.Mobile("mobile", Must)
	r.Bound("amount")
	r.Name("name", May, MaxName)
	r.IFSC("ifsc", May)
	want := []string{"otp type", "pan pan", "mobile required", "amount negative", "name length"}
	if got := noted(t, r.Err()); !slices.Equal(got, want) || r.Failures() != len(want) {
		t.Errorf("%d failures: %v, want %v", r.Failures(), got, want)
	}
	if r := (Reader{}); r.Err() != nil || r.Failures() != 0 {
		t.Error("a reader without fields found something wrong")
	}
}

func TestWhichFieldsAreThere(t *testing.T) {
	for body, want := range map[string]struct{ oneOf, exactly []string }{
		`{}`:                          {[]string{"a required", "b required", "c required"}, []string{"a required", "b required", "c required"}},
		`{"d":1}`:                     {[]string{"a required", "b required", "c required"}, []string{"a required", "b required", "c required"}},
		`{"b":1}`:                     {nil, nil},
		`{"c":null}`:                  {nil, nil},
		`{"a":1,"c":2}`:               {nil, []string{"a alone", "c alone"}},
		`{"a":1,"b":1,"c":2,"d":"x"}`: {nil, []string{"a alone", "b alone", "c alone"}},
	} {
		values, err := Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		one, exact := Reader{Values: values}, Reader{Values: values}
		one.OneOf("a", "b", "c")
		exact.ExactlyOne("a", "b", "c")
		if got := noted(t, one.Err()); !slices.Equal(got, want.oneOf) {
			t.Errorf("one of, %s: %v, want %v", body, got, want.oneOf)
		}
		if got := noted(t, exact.Err()); !slices.Equal(got, want.exactly) {
			t.Errorf("exactly one of, %s: %v, want %v", body, got, want.exactly)
		}
		if one.Has("a") != strings.Contains(body, `"a"`) {
			t.Errorf("%s: Has is %v", body, one.Has("a"))
		}
	}
}

func TestAny(t *testing.T) {
	r := Reader{Values: Values{{[]byte("a"), jsontext.Value(`"x\ny"`)}, {[]byte("n"), jsontext.Value("5")}, {[]byte("e"), jsontext.Value(`""`)}}, Describing: true}
	if r.RawText("a") != "x\ny" || r.RawText("e") != "" || r.RawText("absent") != "" || r.Failures() != 0 {
		t.Error("a text was judged")
	}
	if r.RawText("n") != "" || r.Failures() != 1 || r.Described() != nil {
		t.Errorf("a number: %v, described %v", noted(t, r.Err()), r.Described())
	}
}

func TestAddQuery(t *testing.T) {
	r := Reader{}
	r.AddQuery(nil)
	r.AddQuery(map[string]string{"page": "2", "name": "a\"b\\\n₹", "bad": "\xff"})
	if r.Err() != nil || r.Count("page", 10, 1) != 2 || r.RawText("name") != "a\"b\\\n₹" || r.RawText("bad") != "\ufffd" {
		t.Errorf("%v, %v", r.Values, r.Err())
	}
	for body, same := range map[string]bool{`{"merchantId":"x"}`: true, `{"other":"y"}`: true, `{"merchantId":"y"}`: false, `{"merchantId":5}`: false, `{"merchantId":null}`: false} {
		values, err := Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		r := Reader{Values: values}
		r.AddQuery(map[string]string{"merchantId": "x"})
		if got := noted(t, r.Err()); (got == nil) != same || (!same && !slices.Equal(got, []string{"merchantId same"})) {
			t.Errorf("%s beside a query: %v", body, got)
		}
	}
}

func TestIdentity(t *testing.T) {
	for offered, taken := range map[string]bool{
		"": true, "key-1": true, strings.Repeat("k", MaxIdentity): true, "!~": true,
		strings.Repeat("k", MaxIdentity+1): false, "a b": false, "a\tb": false, "é": false, "\x7f": false, "a\xff": false,
	} {
		r := Reader{}
		got := r.Identity(offered)
		if taken && (got != offered || r.Err() != nil) || !taken && (got != "" || !slices.Equal(noted(t, r.Err()), []string{"Idempotency-Key reference"})) {
			t.Errorf("%q became %q: %v", offered, got, r.Err())
		}
	}
}

func TestWithinAndUUID(t *testing.T) {
	for s, want := range map[string]bool{"": false, "₹₹": true, "₹₹₹": false, "a\n": false} {
		if Within(s, 2, unicode.IsPrint) != want {
			t.Errorf("%q within 2: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{
		"c0000000-0000-4000-8000-000000000001": true, "00000000-0000-0000-0000-000000000000": true, "": false, "x": false,
		"C0000000-0000-4000-8000-000000000001": false, "c0000000000040008000000000000001": false, "urn:uuid:c0000000-0000-4000-8000-000000000001": false,
	} {
		if IsUUID(s) != want {
			t.Errorf("%q is a UUID: %v", s, !want)
		}
	}
}

// TestDescribedInOrder: each field once, in the order of reading, and the first
// reader's word stands.
func TestDescribedInOrder(t *testing.T) {
	r := Reader{Describing: true}
	r.PAN("pan", Must)
	r.Name("name", May, 5)
	r.PAN("pan", May)
	r.Mobile("mobile", Must)
	var got []string
	for _, f := range r.Described() {
		got = append(got, fmt.Sprint(f.Name, f.Required))
	}
	if want := []string{"pantrue", "namefalse", "mobiletrue"}; !slices.Equal(got, want) {
		t.Errorf("described %v, want %v", got, want)
	}
}

// FuzzReaders sends any bytes through Decode and every reader: nothing panics,
// a message is valid UTF-8 and quotes no long text, a wrong field gives the zero
// value, and what a reader takes, the document allows.
func FuzzReaders(f *testing.F) {
	for _, values := range fieldCases() {
		for value := range values {
			f.Add([]byte(`{"field":` + value + `}`))
		}
	}
	f.Add([]byte(`{"field":1,"field":2}`))
	f.Add([]byte("\xff"))
	f.Add([]byte(`[`))
	list := readers(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		values, err := Decode(body)
		if err != nil {
			noted(t, err)
			return
		}
		if values != nil && !jsontext.Value(body).IsValid() {
			t.Fatalf("%q was taken for JSON", body)
		}
		raw, present := values.Get("field")
		for _, x := range list {
			r := Reader{Values: values, Describing: true}
			got := x.read(&r, "field")
			if failures := noted(t, r.Err()); len(failures) > 1 || (!present && len(failures) != map[Need]int{Must: 1, May: 0}[x.need]) {
				t.Fatalf("%s of %s: %v", x.name, raw, failures)
			}
			if r.Err() != nil {
				message := r.Err().(*central.Error).Fields[0].Message
				if !utf8.ValidString(message) || (len(raw) > 60 && strings.Contains(message, string(raw[1:len(raw)-1]))) {
					t.Fatalf("%s of %s: message %q", x.name, raw, message)
				}
				empty := Reader{}
				if zero := x.read(&empty, "field"); got != zero && x.name != "Bank?" {
					t.Fatalf("%s of %s gives %v", x.name, raw, got)
				}
				continue
			}
			if err := allows(x, r.Described()[0].Schema, string(raw)); present && err != nil {
				t.Fatalf("%s takes %s, and the document does not allow it: %v", x.name, raw, err)
			}
		}
	})
}
