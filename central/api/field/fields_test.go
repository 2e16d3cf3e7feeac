package field

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/iin"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/printable"
)

// read is one reader with everything but the field's name given.
type read struct {
	name string
	read func(r *Reader, field string) any
	need Need
}

// shown gives what a pointer points to, and nil as nil.
func shown[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// readers lists every reader of the package that takes a field of a body.
func readers(t testing.TB) []read {
	t.Helper()
	banks, err := iin.Load()
	if err != nil {
		t.Fatal(err)
	}
	text := func(f func(*Reader, string, Need) string, need Need) func(*Reader, string) any {
		return func(r *Reader, field string) any { return f(r, field, need) }
	}
	list := []read{
		{"Aadhaar", func(r *Reader, f string) any { return r.Aadhaar(f, Must).Reveal() }, Must},
		{"Aadhaar?", func(r *Reader, f string) any { return r.Aadhaar(f, May).Reveal() }, May},
		{"Amount", func(r *Reader, f string) any { return r.Amount(f, true) }, Must},
		{"Amount of nothing", func(r *Reader, f string) any { return r.Amount(f, false) }, Must},
		{"Bound?", func(r *Reader, f string) any { return shown(r.Bound(f)) }, May},
		{"Integer", func(r *Reader, f string) any { return r.Integer(f, Must, -1, 100) }, Must},
		{"Integer?", func(r *Reader, f string) any { return r.Integer(f, May, 1, 1<<62) }, May},
		{"Count?", func(r *Reader, f string) any { return r.Count(f, 100, 10) }, May},
		{"Limit?", func(r *Reader, f string) any { return r.Limit(f, 100, 10) }, May},
		{"Bool?", func(r *Reader, f string) any { return shown(r.Bool(f)) }, May},
		{"Degrees", func(r *Reader, f string) any { return r.Degrees(f, MaxLatitude) }, Must},
		{"Name", func(r *Reader, f string) any { return r.Name(f, Must, 5) }, Must},
		{"Name?", func(r *Reader, f string) any { return r.Name(f, May, 5) }, May},
		{"PidData", func(r *Reader, f string) any { return r.PidData(f).Reveal() }, Must},
		{"Bank?", func(r *Reader, f string) any { return r.Bank(f, banks) }, May},
		{"OTP", func(r *Reader, f string) any { return r.OTP(f).Reveal() }, Must},
		{"Enum", func(r *Reader, f string) any { return r.Enum(f, Must, "FIXED", "PERCENTAGE") }, Must},
		{"Enum?", func(r *Reader, f string) any { return r.Enum(f, May, "FIXED", "PERCENTAGE") }, May},
		{"Rate?", func(r *Reader, f string) any { return shown(r.Rate(f)) }, May},
		{"PublicKey", func(r *Reader, f string) any { return len(r.PublicKey(f)) }, Must},
		{"EnrolmentCode", func(r *Reader, f string) any { return r.EnrolmentCode(f).Reveal() }, Must},
	}
	for _, need := range []Need{Must, May} {
		mark := map[Need]string{Must: "", May: "?"}[need]
		for name, f := range map[string]func(*Reader, string, Need) string{
			"Ref": (*Reader).Ref, "Mobile": (*Reader).Mobile, "PAN": (*Reader).PAN, "Pincode": (*Reader).Pincode, "IFSC": (*Reader).IFSC,
			"Account": (*Reader).Account, "MobileText": (*Reader).MobileText, "AccountText": (*Reader).AccountText, "Text": (*Reader).Text, "Email": (*Reader).Email, "Code": (*Reader).Code, "ID": (*Reader).ID, "UUID": (*Reader).UUID,
			"Date": (*Reader).Date, "BirthDate": (*Reader).BirthDate,
		} {
			list = append(list, read{name + mark, text(f, need), need})
		}
	}
	return list
}

const absent = ""

// wrong is the rule that a value breaks.
type wrong string

// fieldCases are, for each reader, values as they stand in a body, and what
// the reader gives for them or which rule they break.
func fieldCases() map[string]map[string]any {
	const uuid = "c0000000-0000-4000-8000-000000000001"
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	future := ist.DayOf(time.Now().AddDate(0, 0, 2))
	quoted := func(s string) string { return string(quote(s)) }
	cases := map[string]map[string]any{
		"Aadhaar": {quoted(aadhaar): aadhaar, `"999941057059"`: wrong("aadhaar"), `"99994105705"`: wrong("aadhaar"), `"9999410570588"`: wrong("aadhaar"), aadhaar: wrong("type")},
		"Amount": {"500": money.Paise(50000), "0.01": money.Paise(1), "500.5": money.Paise(50050), "1000000000": money.Paise(100000000000), "1000000000.01": wrong("range"),
			"0": wrong("positive"), "-1": wrong("positive"), "-0": wrong("positive"), "0.001": wrong("decimals"), "1.000": money.Paise(100), "1e2": money.Paise(10000), "5E2": money.Paise(50000), "100.10": money.Paise(10010), "1.5e+1": money.Paise(1500), "12345e-2": money.Paise(12345),
			"12345e-3": wrong("decimals"), "1e-400": wrong("decimals"), "1E400": wrong("range"), "1e999999999999999999999": wrong("range"), "1e-999999999999999999999": wrong("decimals"),
			"0e999999999999999999999": wrong("positive"), `"500"`: wrong("type"), "true": wrong("type")},
		"Amount of nothing": {"0": money.Paise(0), "0.00": money.Paise(0), "-0": money.Paise(0), "1": wrong("zero"), "0.01": wrong("zero"), "-1": wrong("zero"), "0.000": money.Paise(0), "0e5": money.Paise(0), `"0"`: wrong("type")},
		"Bound?":            {absent: nil, "0": money.Paise(0), "0.5": money.Paise(50), "1000000000": money.Paise(100000000000), "-0.01": wrong("negative"), "1000000000.01": wrong("range"), "1e1": money.Paise(1000), "-0.0": money.Paise(0), "1e9": money.Paise(100000000000), "1e10": wrong("range"), "0.001": wrong("decimals"), `"1"`: wrong("type")},
		"Integer": {"0": int64(0), "-1": int64(-1), "100": int64(100), "101": wrong("integer"), "-2": wrong("integer"), "1.0": int64(1), "1e1": int64(10), "-1e0": int64(-1), "1.5": wrong("integer"), "15e-1": wrong("integer"), "1e40": wrong("range"),
			"9223372036854775808": wrong("integer"), `"1"`: wrong("type")},
		"Integer?": {absent: int64(0), "4611686018427387904": int64(1 << 62), "0": wrong("integer"), "[]": wrong("type")},
		"Count?": {absent: 10, `"1"`: 1, `"100"`: 100, `"007"`: 7, `"0"`: wrong("range"), `"101"`: wrong("range"), `"-1"`: wrong("range"), `"+1"`: wrong("range"), `"1.0"`: wrong("range"),
			`""`: wrong("range"), `"99999999999999999999"`: wrong("range"), "1": 1, "1e2": 100, "101": wrong("range"), "0": wrong("range"), "-1": wrong("range"), "1.5": wrong("range"), "true": wrong("type")},
		"Limit?": {absent: 10, `"1"`: 1, `"100"`: 100, `"101"`: 100, `"99999999999999999999"`: 100, `"0"`: wrong("range"), `"-5"`: wrong("range"), `"ten"`: wrong("range"), `""`: wrong("range"),
			"7": 7, "100": 100, "101": 100, "1e9": 100, "0": wrong("range"), "0.5": wrong("range"), "1e99": wrong("range"), "[]": wrong("type")},
		"Bool?":         {absent: nil, "true": true, "false": false, `"true"`: wrong("type"), "1": wrong("type"), "null": wrong("type")},
		"Degrees":       {`"17.385044"`: "17.385044", `"-90"`: "-90", `"0"`: "0", `"90.0"`: "90.0", `"90.1"`: wrong("range"), `"1e1"`: wrong("degrees"), `"17."`: wrong("degrees"), `".5"`: wrong("degrees"), `"--1"`: wrong("degrees"), quoted("1." + strings.Repeat("1", 23)): wrong("degrees"), "17": wrong("type")},
		"Name":          {`"अनिशा"`: "अनिशा", `" ab "`: "ab", `"abcdef"`: wrong("length"), `"  "`: wrong("length"), `"a\nb"`: wrong("printable"), `"a\u2029b"`: wrong("printable"), `"a\u007fb"`: wrong("printable"), `"a\u202eb"`: wrong("printable"), `"a\u200bb"`: wrong("printable"), `"=1+1"`: wrong("printable"), "7": wrong("type")},
		"PidData":       {quoted(pid): pid, `"<x/>"`: wrong("piddata"), `"<PidData><Resp errCode='720'/></PidData>"`: wrong("capture"), "{}": wrong("type")},
		"Bank?":         {absent: iin.Sandbox, `""`: iin.Sandbox, `"607094"`: "607094", `"607 094"`: wrong("iin"), `"999999"`: wrong("iin"), "607094": wrong("type"), "null": wrong("type")},
		"OTP":           {`"482913"`: "482913", `"0000"`: "0000", `"12345678"`: "12345678", `"123"`: wrong("otp"), `"123456789"`: wrong("otp"), `"48291３"`: wrong("otp"), `" 482913"`: wrong("otp"), "482913": wrong("type")},
		"Text":          {`"INV 2026/11 ₹ अ"`: "INV 2026/11 ₹ अ", `"nsdl"`: "nsdl", `" x "`: " x ", `"a&am=1"`: "a&am=1", quoted(strings.Repeat("₹", 64)): strings.Repeat("₹", 64), quoted(strings.Repeat("x", 65)): wrong("text"), `"a\n"`: wrong("text"), `"a\u202eb"`: wrong("text"), "17": wrong("type")},
		"Enum":          {`"FIXED"`: "FIXED", `"PERCENTAGE"`: "PERCENTAGE", `"fixed"`: wrong("enum"), `"FIXED "`: wrong("enum"), "1": wrong("type")},
		"Enum?":         {absent: "", `""`: wrong("enum"), "null": wrong("type")},
		"Rate?":         {absent: nil, "0": central.Rate(0), "12.95": central.Rate(12950000), "0.000001": central.Rate(1), "10000": central.Rate(10000000000), "10000.000001": wrong("range"), "0.0000001": wrong("decimals"), "-1": wrong("negative"), "-0": central.Rate(0), "1e2": central.Rate(100000000), "45E-2": central.Rate(450000), "1e-7": wrong("decimals"), "99999999999999999999": wrong("range"), `"1"`: wrong("type")},
		"PublicKey":     {quoted(key): 32, `"AAAA"`: wrong("ed25519"), quoted(key + "\n"): wrong("ed25519"), quoted(strings.TrimRight(key, "=")): wrong("ed25519"), quoted(key[:42] + "B="): wrong("ed25519"), "1": wrong("type")},
		"EnrolmentCode": {`" abcd-efgh "`: "ABCD-EFGH", `"a b"`: wrong("code"), `" "`: wrong("code"), quoted(strings.Repeat("A", 65)): wrong("code"), "1": wrong("type")},
		"Ref":           {`"order 17 / ₹"`: "order 17 / ₹", quoted(strings.Repeat("₹", 64)): strings.Repeat("₹", 64), quoted(strings.Repeat("x", 65)): wrong("reference"), `"a\u00a0b"`: wrong("reference"), `"a\tb"`: wrong("reference"), "17": wrong("type")},
		"Mobile": {`"9000000001"`: "9000000001", `"6000000000"`: "6000000000", `"5999999999"`: wrong("mobile"), `"900000000"`: wrong("mobile"), `"90000000011"`: wrong("mobile"), `"+919000000001"`: wrong("mobile"), `"9000000001\n"`: wrong("mobile"),
			"9000000001": "9000000001", "9.000000001e9": "9000000001", "9000000001.0": "9000000001", "5999999999": wrong("mobile"), "90000000010": wrong("mobile"), "9000000001.5": wrong("mobile"), "-9000000001": wrong("mobile"), "1e999": wrong("mobile"), "{}": wrong("type")},
		"MobileText": {`"9000000001"`: "9000000001", `"900000000"`: wrong("mobile"), "9000000001": wrong("type")},
		"PAN":        {`"ABCPE1234F"`: "ABCPE1234F", `"abcpe1234f"`: wrong("pan"), `"ABCPE12345"`: wrong("pan"), `"ABCPE1234FX"`: wrong("pan"), "1": wrong("type")},
		"Pincode":    {`"411001"`: "411001", `"011001"`: wrong("pincode"), `"41100"`: wrong("pincode"), `"4110010"`: wrong("pincode"), "411001": wrong("type")},
		"IFSC":       {`"SBIN0000300"`: "SBIN0000300", `"HDFC0CAGSBK"`: "HDFC0CAGSBK", `"SBIN1000300"`: wrong("ifsc"), `"sbin0000300"`: wrong("ifsc"), `"SBIN000030"`: wrong("ifsc"), `"SBIN00003000"`: wrong("ifsc"), "0": wrong("type")},
		"Account": {`"000123"`: "000123", `"012345678901234567"`: "012345678901234567", `"12345"`: wrong("account"), `"1234567890123456789"`: wrong("account"), `"12345a"`: wrong("account"),
			"123456": "123456", "123456789012345678": "123456789012345678", "999999999999999999": "999999999999999999", "1e17": "100000000000000000", "123456.0": "123456",
			"12345": wrong("account"), "1000000000000000000": wrong("account"), "-123456": wrong("account"), "123456.7": wrong("account"), "false": wrong("type")},
		"AccountText": {`"000123"`: "000123", `"12345"`: wrong("account"), "123456": wrong("type")},
		"Email":       {`"anisha@example.in"`: "anisha@example.in", `"a@b"`: wrong("email"), `"a b@example.in"`: wrong("email"), `"@example.in"`: wrong("email"), `"a@@example.in"`: wrong("email"), quoted("a@" + strings.Repeat("x", 254) + ".in"): wrong("email"), "1": wrong("type")},
		"Code":        {`"NSDL-1_A"`: "NSDL-1_A", `"nsdl"`: wrong("code"), `"-A"`: wrong("code"), quoted(strings.Repeat("A", 33)): wrong("code"), "1": wrong("type")},
		"ID":          {`"GAL0000001"`: "GAL0000001", `"a.b_c-D"`: "a.b_c-D", quoted(uuid): uuid, `".a"`: wrong("id"), `"a/b"`: wrong("id"), quoted(strings.Repeat("a", 65)): wrong("id"), "1": wrong("type")},
		"UUID":        {quoted(uuid): uuid, quoted(strings.ToUpper(uuid)): wrong("uuid"), quoted("{" + uuid + "}"): wrong("uuid"), quoted(strings.ReplaceAll(uuid, "-", "")): wrong("uuid"), `"x"`: wrong("uuid"), "1": wrong("type")},
		"Date":        {`"2024-02-29"`: "2024-02-29", quoted(string(future)): string(future), `"2026-02-29"`: wrong("date"), `"2026-2-1"`: wrong("date"), `"21-11-2026"`: wrong("date"), `"2026-11-21T00:00:00Z"`: wrong("date"), "20261121": wrong("type")},
		"BirthDate":   {`"1980-02-29"`: "1980-02-29", quoted(string(future)): wrong("date"), `"1981-02-29"`: wrong("date"), "1980": wrong("type")},
	}
	for name, values := range cases {
		if strings.HasSuffix(name, "?") {
			continue
		}
		values[absent], values["null"] = wrong("required"), wrong("type")
		if _, isText := values[`""`]; !isText && !strings.HasPrefix(name, "Amount") && name != "Integer" {
			values[`""`] = wrong("required")
		}
		optional := map[string]any{}
		for value, want := range values {
			optional[value] = want
		}
		optional[absent] = ""
		if rule := map[string]string{"Ref": "reference", "Text": "text", "Aadhaar": "aadhaar"}[name]; rule != "" {
			optional[`""`] = wrong(rule)
		} else {
			optional[`""`] = ""
		}
		if _, own := cases[name+"?"]; !own {
			cases[name+"?"] = optional
		}
	}
	return cases
}

// TestEveryReader: each value is taken or breaks exactly one rule; what is
// wrong gives the reader's zero value; no message quotes what was sent; and
// what a reader takes, the document allows.
func TestEveryReader(t *testing.T) {
	cases, met := fieldCases(), map[string]bool{}
	for _, x := range readers(t) {
		values, ok := cases[x.name]
		if !ok {
			t.Errorf("%s has no case", x.name)
		}
		met[x.name] = true
		schema := describe(t, x)
		for value, want := range values {
			var r Reader
			if value != absent {
				r.Values = Values{{[]byte("field"), jsontext.Value(value)}}
			}
			got := x.read(&r, "field")
			rule, isWrong := want.(wrong)
			if !isWrong {
				if err := r.Err(); err != nil || got != want {
					t.Errorf("%s of %s: %#v, want %#v; %v", x.name, value, got, want, err)
				}
				if err := allows(x, schema, value); value != absent && err != nil {
					t.Errorf("%s takes %s, and the document does not allow it: %v", x.name, value, err)
				}
				continue
			}
			var e *central.Error
			if !errors.As(r.Err(), &e) || e.Fault != central.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != "field" || e.Fields[0].Rule != string(rule) {
				t.Errorf("%s of %s: %#v, %+v; want the rule %s", x.name, value, got, e, rule)
				continue
			}
			if m := e.Fields[0].Message; m == "" || (len(value) > 9 && strings.Contains(m, strings.Trim(value, `"`))) {
				t.Errorf("%s of %s: message %q", x.name, value, m)
			}
			var empty Reader
			if zero := x.read(&empty, "field"); got != zero && x.name != "Bank?" {
				t.Errorf("%s of %s gives %#v, and of nothing %#v", x.name, value, got, zero)
			}
		}
	}
	for name := range cases {
		if base := strings.TrimSuffix(name, "?"); !met[name] && !met[base] {
			t.Errorf("there is no reader %s", name)
		}
	}
}

// describe gives the schema that a reader notes, and sees that it notes it
// once, with its need, and only while Describing.
func describe(t testing.TB, x read) Schema {
	t.Helper()
	r := Reader{Describing: true}
	x.read(&r, "field")
	x.read(&r, "field")
	if f := r.Described(); len(f) != 1 || f[0].Name != "field" || f[0].Required != bool(x.need) || f[0].Schema.Type == "" {
		t.Fatalf("%s describes %+v", x.name, f)
	}
	var silent Reader
	if x.read(&silent, "field"); silent.Described() != nil {
		t.Errorf("%s describes without being asked", x.name)
	}
	return r.Described()[0].Schema
}

// allows holds a value against a schema, as a reader of the document would.
// A whole number in a query is text (AddQuery) and is held as the number.
func allows(x read, s Schema, value string) error {
	var v any
	in := json.NewDecoder(strings.NewReader(value))
	in.UseNumber()
	if err := in.Decode(&v); err != nil {
		return err
	}
	if text, isText := v.(string); isText && s.Type == "integer" {
		v = json.Number(text)
	}
	if number, isNumber := v.(json.Number); isNumber && s.Or != nil {
		s, v = *s.Or, number
	}
	switch v := v.(type) {
	case string:
		text := v
		if strings.HasPrefix(x.name, "Name") || x.name == "EnrolmentCode" { // as people type them
			text = strings.TrimSpace(v)
		}
		n := utf8.RuneCountInString(text)
		switch {
		case s.Type != "string":
			return errors.New("its type is string")
		case s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(text):
			return fmt.Errorf("its pattern is not %s", s.Pattern)
		case n < s.MinLength || (s.MaxLength > 0 && n > s.MaxLength):
			return fmt.Errorf("it has %d characters", n)
		case s.Enum != nil && !slices.Contains(s.Enum, text):
			return fmt.Errorf("it is none of %v", s.Enum)
		}
	case json.Number:
		plain, err := PlainNumber(v.String()) // 0e999999999 is a zero that no big number reads
		if err != nil {
			return err
		}
		n, ok := new(big.Rat).SetString(plain)
		below := func(bound string, sign int) bool {
			b, isNumber := new(big.Rat).SetString(bound)
			return bound != "" && isNumber && n.Cmp(b) == sign
		}
		switch {
		case !ok || (s.Type != "number" && s.Type != "integer") || (s.Type == "integer" && !n.IsInt()):
			return errors.New("its type is number")
		case below(s.Minimum, -1) || below(s.Maximum, 1):
			return errors.New("it is out of bounds")
		case s.Enum != nil && n.Sign() != 0:
			return fmt.Errorf("it is none of %v", s.Enum)
		}
	case bool:
		if s.Type != "boolean" {
			return errors.New("its type is boolean")
		}
	default:
		return errors.New("it has no type of ours")
	}
	return nil
}

// TestSchemas: the exact words of some fields, as the document shows them.
func TestSchemas(t *testing.T) {
	want := map[string]Schema{
		"Amount":   {Type: "number", Minimum: "0.01", Maximum: "1000000000", Note: "rupees, at most two decimals"},
		"Bound?":   {Type: "number", Minimum: "0", Maximum: "1000000000", Note: "rupees, at most two decimals"},
		"Integer":  {Type: "integer", Minimum: "-1", Maximum: "100"},
		"Count?":   {Type: "integer", Minimum: "1", Maximum: "100", Note: "default 10"},
		"Limit?":   {Type: "integer", Minimum: "1", Note: "default 10; over 100 is served as 100, and pagination says so"},
		"Text":     {Type: "string", MinLength: 1, MaxLength: 64, Note: "any text of 1 to 64 printable characters, kept unchanged"},
		"Bool?":    {Type: "boolean"},
		"Rate?":    {Type: "number", Minimum: "0", Maximum: "10000", Note: "at most six decimals"},
		"Name":     {Type: "string", MinLength: 1, MaxLength: 5},
		"Name?":    {Type: "string", MaxLength: 5},
		"Pincode":  {Type: "string", Pattern: `^[1-9][0-9]{5}$`, Note: "must be a six-digit PIN code"},
		"Pincode?": {Type: "string", Pattern: `^$|^[1-9][0-9]{5}$`, Note: "must be a six-digit PIN code"},
		"UUID":     {Type: "string", Format: "uuid"},
		"Date":     {Type: "string", Format: "date"},
		"Enum":     {Type: "string", Enum: []string{"FIXED", "PERCENTAGE"}},
	}
	for _, x := range readers(t) {
		if w, ok := want[x.name]; ok && fmt.Sprint(describe(t, x)) != fmt.Sprint(w) {
			t.Errorf("%s describes %+v, want %+v", x.name, describe(t, x), w)
		}
	}
}

// TestEveryNameField walks the fields of the interface that hold a name, and what the
// rule of both halves refuses; edge's TestNoNameIsTakenThatTheCentralRefuses is the
// counter's half.
func TestEveryNameField(t *testing.T) {
	for field, most := range printable.Fields() {
		for _, bad := range []string{
			"Asha\nPaid", "Asha\tB", "Asha\x00", "Asha\x1b[2J", "Asha\u202eahsA", "Asha\u2066", "Asha\u200b", "Asha\u200d", "\ufeffAsha", "Asha\u2028B",
			"Asha\u00ad", "=HYPERLINK(1)", "@SUM(A1)", "+1+cmd|A0", "-2+3", " =1", strings.Repeat("a", most+1),
		} {
			text, err := jsontext.AppendQuote(nil, bad)
			if err != nil {
				t.Fatal(err)
			}
			r := Reader{Values: Values{{[]byte(field), text}}}
			if got := r.Name(field, Must, most); got != "" || r.Err() == nil {
				t.Errorf("%s took %+q", field, bad)
			}
		}
	}
}
