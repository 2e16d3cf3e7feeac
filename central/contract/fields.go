package contract

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/iin"
	"galla/shared/money"
	"galla/shared/secret"
)

// MaxBody bounds a body, in bytes: a face capture is 180 KB, the rest of a
// request under 1 KB.
const MaxBody = 1 << 20

// Bounds of single fields, in characters.
const (
	maxName      = 100
	maxRef       = 64  // clientRefId (interface-decisions.md)
	maxIdentity  = 128 // Idempotency-Key
	maxTerminal  = 64  // a terminal's name
	maxCode      = 64  // an enrolment code
	maxDegrees   = 24  // more than any receiver's precision
	keySize      = 32  // an Ed25519 public key, in bytes
	maxLatitude  = 90
	maxLongitude = 180
)

// decode reads a body as one JSON object and gives its fields' raw values. An
// empty body has no fields. Errors are Invalid and never quote the body.
func decode(body []byte) (map[string]jsontext.Value, error) {
	text := bytes.TrimLeft(body, " \t\r\n")
	if len(text) == 0 {
		return nil, nil
	}
	malformed := func(rule, message string) error {
		return &central.Error{Fault: central.Invalid, Message: "Invalid request",
			Fields: []central.FieldError{{Field: "body", Rule: rule, Message: message}}}
	}
	if !utf8.Valid(body) {
		return nil, malformed("utf8", "must be valid UTF-8")
	}
	if text[0] != '{' {
		return nil, malformed("object", "must be one JSON object")
	}
	var values map[string]jsontext.Value
	err := json.Unmarshal(body, &values)
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return values, nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return nil, malformed("duplicate", "must not contain the same field twice")
	case errors.As(err, &syntax):
		return nil, malformed("json", fmt.Sprintf("must be well-formed JSON; it is not at byte %d", syntax.ByteOffset))
	default:
		return nil, malformed("json", "must be well-formed JSON")
	}
}

// fields reads a body's fields and collects everything that is wrong with
// them, in the order in which they are read. A reader that returns a zero value
// for a wrong field has noted the error; err tells whether there was any.
type fields struct {
	values map[string]jsontext.Value
	wrong  []central.FieldError
}

func (f *fields) fail(field, rule, message string) {
	f.wrong = append(f.wrong, central.FieldError{Field: field, Rule: rule, Message: message})
}

func (f *fields) err() error {
	if len(f.wrong) == 0 {
		return nil
	}
	return &central.Error{Fault: central.Invalid, Message: "Invalid request", Fields: f.wrong}
}

// optional gives a string field; ok is false where it is absent or no string.
func (f *fields) optional(field string) (s string, ok bool) {
	v, present := f.values[field]
	if !present {
		return "", false
	}
	if v.Kind() != jsontext.KindString || json.Unmarshal(v, &s) != nil {
		f.fail(field, "type", "must be a string")
		return "", false
	}
	return s, true
}

// required gives a string field that must be there and must not be empty.
func (f *fields) required(field string) (string, bool) {
	if _, present := f.values[field]; !present {
		f.fail(field, "required", "is required")
		return "", false
	}
	s, ok := f.optional(field)
	if ok && s == "" {
		f.fail(field, "required", "must not be empty")
		return "", false
	}
	return s, ok
}

func (f *fields) aadhaar(field string) secret.Aadhaar {
	s, ok := f.required(field)
	if !ok {
		return secret.Aadhaar{}
	}
	number, err := secret.ParseAadhaar(s)
	if err != nil {
		f.fail(field, "aadhaar", err.Error()) // it never quotes the number
	}
	return number
}

// amount reads a JSON number of rupees: above zero where money moves, and
// exactly zero where none does (section 2.2).
func (f *fields) amount(field string, moves bool) money.Paise {
	v, present := f.values[field]
	if !present {
		f.fail(field, "required", "is required")
		return 0
	}
	if v.Kind() != jsontext.KindNumber {
		f.fail(field, "type", "must be a number")
		return 0
	}
	p, err := money.Parse(string(v))
	switch {
	case errors.Is(err, money.ErrDecimals):
		f.fail(field, "decimals", "must have at most two decimals")
	case errors.Is(err, money.ErrRange):
		f.fail(field, "range", "is out of range")
	case err != nil:
		f.fail(field, "decimal", "must be a plain decimal number, without an exponent")
	case moves && p <= 0:
		f.fail(field, "positive", "must be more than 0")
	case !moves && p != 0:
		f.fail(field, "zero", "must be 0 on this route")
	default:
		return p
	}
	return 0
}

// degrees reads decimal degrees within ±limit.
func (f *fields) degrees(field string, limit float64) string {
	s, ok := f.required(field)
	if !ok {
		return ""
	}
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	n, err := strconv.ParseFloat(s, 64)
	if len(s) > maxDegrees || !digits(whole) || (point && !digits(fraction)) || err != nil {
		f.fail(field, "degrees", "must be decimal degrees, such as 17.385044")
		return ""
	}
	if n < -limit || n > limit {
		f.fail(field, "range", fmt.Sprintf("must be from -%g to %g", limit, limit))
		return ""
	}
	return s
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// name reads text for people: trimmed, 1 to max characters, without control
// characters or line breaks.
func (f *fields) name(field string, max int) string {
	s, ok := f.required(field)
	if !ok {
		return ""
	}
	return f.checkName(field, s, max)
}

func (f *fields) checkName(field, s string, max int) string {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n < 1 || n > max {
		f.fail(field, "length", fmt.Sprintf("must have 1 to %d characters", max))
		return ""
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) }) {
		f.fail(field, "printable", "must not contain control characters")
		return ""
	}
	return s
}

func (f *fields) pidData(field string) secret.PidData {
	s, ok := f.required(field)
	if !ok {
		return secret.PidData{}
	}
	if rule, message := checkPidData(s); rule != "" {
		f.fail(field, rule, message)
		return secret.PidData{}
	}
	return secret.NewPidData(s)
}

// bank reads the IIN of a bank on the list; omitted or empty means the sandbox
// bank (section 2.2).
func (f *fields) bank(field string, banks *iin.List) string {
	s, ok := f.optional(field)
	if !ok || s == "" {
		return iin.Sandbox
	}
	if !banks.Known(s) {
		f.fail(field, "iin", "must be the iin of a bank on the list of aeps/banks")
		return ""
	}
	return s
}

// identity gives the operation's identity: the caller's reference in the body,
// or what the door offers. Both are accepted only if they agree, because a
// repeat that brings only one of them must find the operation.
func (f *fields) identity(field, offered string) string {
	own, ok := f.optional(field)
	if ok && !within(own, maxRef, unicode.IsPrint) {
		f.fail(field, "reference", fmt.Sprintf("must have 1 to %d printable characters", maxRef))
	}
	if offered != "" && !within(offered, maxIdentity, func(r rune) bool { return r > ' ' && r <= '~' }) {
		f.fail("Idempotency-Key", "reference", fmt.Sprintf("must have 1 to %d visible ASCII characters", maxIdentity))
		return ""
	}
	if !ok {
		return offered
	}
	if offered != "" && offered != own {
		f.fail(field, "identity", "must be the same as the Idempotency-Key where both are sent")
	}
	return own
}

// within tells whether s has 1 to max characters, all of them allowed.
func within(s string, max int, allowed func(rune) bool) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= max && !strings.ContainsFunc(s, func(r rune) bool { return !allowed(r) })
}

// publicKey reads the bytes of an Ed25519 public key in standard base64. Only
// the canonical spelling is taken.
func (f *fields) publicKey(field string) []byte {
	s, ok := f.required(field)
	if !ok {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(key) != keySize || base64.StdEncoding.EncodeToString(key) != s {
		f.fail(field, "ed25519", "must be the 32 bytes of an Ed25519 public key, in base64")
		return nil
	}
	return key
}

// code reads an enrolment code as a person may have typed it.
func (f *fields) code(field string) secret.Token {
	s, ok := f.required(field)
	if !ok {
		return secret.Token{}
	}
	s = strings.ToUpper(strings.TrimSpace(s))
	if !within(s, maxCode, func(r rune) bool { return r > ' ' && r <= '~' }) {
		f.fail(field, "code", "must be an enrolment code")
		return secret.Token{}
	}
	return secret.NewToken(s)
}
