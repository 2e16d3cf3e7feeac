package field

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central/iin"
	"galla/shared/ist"
	"galla/shared/printable"
	"galla/shared/secret"
)

// MaxBody is the largest body in bytes: a face capture is 180 KB, the rest of a
// request under 1 KB.
const MaxBody = 1 << 20

// Limits of single fields, in characters (interface.md, section 2.12).
const (
	MaxName      = printable.MaxName
	MaxAddress   = printable.MaxAddress
	MaxRef       = 64  // clientRefId, refId
	MaxText      = 64  // order_id, provider, txnType
	MaxIdentity  = 128 // Idempotency-Key
	MaxTerminal  = 64  // a terminal's name
	maxCode      = 64  // an enrolment code
	maxDegrees   = 24  // more than any receiver's precision
	maxEmail     = 254 // RFC 5321
	keySize      = 32  // an Ed25519 public key, in bytes
	MaxLatitude  = 90
	MaxLongitude = 180
)

// Aadhaar reads a 12-digit number that passes the Verhoeff check.
func (r *Reader) Aadhaar(field string, need Need) secret.Aadhaar {
	r.describe(field, need, Schema{Type: "string", Pattern: `^[0-9]{12}$`, Note: "Aadhaar number; must pass the Verhoeff check"})
	s, ok := r.stringValue(field, need)
	if !ok {
		return secret.Aadhaar{}
	}
	number, err := secret.ParseAadhaar(s)
	if err != nil {
		r.Fail(field, "aadhaar", err.Error()) // it never quotes the number
	}
	return number
}

// Bool reads true or false; nil if it is absent or wrong.
func (r *Reader) Bool(field string) *bool {
	r.describe(field, May, Schema{Type: "boolean"})
	v, present := r.Values.Get(field)
	if !present {
		return nil
	}
	var b bool
	if (v.Kind() != jsontext.KindTrue && v.Kind() != jsontext.KindFalse) || json.Unmarshal(v, &b) != nil {
		r.Fail(field, "type", "must be true or false")
		return nil
	}
	return &b
}

// Degrees reads decimal degrees within ±limit.
func (r *Reader) Degrees(field string, limit float64) string {
	if r.Describing {
		r.describe(field, Must, Schema{Type: "string", Pattern: `^-?[0-9]+(\.[0-9]+)?$`, MaxLength: maxDegrees, Note: fmt.Sprintf("decimal degrees from -%g to %g", limit, limit)})
	}
	s, ok := r.stringValue(field, Must)
	if !ok {
		return ""
	}
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	n, err := strconv.ParseFloat(s, 64)
	if len(s) > maxDegrees || !allDigits(whole) || (point && !allDigits(fraction)) || err != nil {
		r.Fail(field, "degrees", "must be decimal degrees, such as 17.385044")
		return ""
	}
	if n < -limit || n > limit {
		r.Fail(field, "range", fmt.Sprintf("must be from -%g to %g", limit, limit))
		return ""
	}
	return s
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// Name reads text for people: trimmed, 1 to max characters, checked by
// shared/printable, as at the edge. An optional one that is empty is absent.
func (r *Reader) Name(field string, need Need, max int) string {
	schema := Schema{Type: "string", MinLength: 1, MaxLength: max}
	if need == May {
		schema.MinLength = 0
	}
	r.describe(field, need, schema)
	s, ok := r.stringValue(field, need)
	if !ok || (s == "" && need == May) {
		return ""
	}
	s, err := printable.Name(s, max)
	switch {
	case errors.Is(err, printable.ErrLength):
		r.Fail(field, "length", fmt.Sprintf("must have 1 to %d characters", max))
	case err != nil:
		r.Fail(field, "printable", err.Error())
	}
	return s
}

// PidData reads a capture's XML; see checkPidData.
func (r *Reader) PidData(field string) secret.PidData {
	r.describe(field, Must, Schema{Type: "string", Note: "PidData XML of a registered device, with errCode 0"})
	s, ok := r.stringValue(field, Must)
	if !ok {
		return secret.PidData{}
	}
	if rule, message := checkPidData(s); rule != "" {
		r.Fail(field, rule, message)
		return secret.PidData{}
	}
	return secret.NewPidData(s)
}

// Bank reads the IIN of a bank on the list; absent or empty means the sandbox bank
// (interface.md, section 2.2).
func (r *Reader) Bank(field string, banks *iin.List) string {
	r.describe(field, May, Schema{Type: "string", Pattern: `^([0-9]{6})?$`, Note: "an iin of aeps/banks; default " + iin.Sandbox})
	s, ok := r.stringValue(field, May)
	if !ok || s == "" {
		return iin.Sandbox
	}
	if !banks.Known(s) {
		r.Fail(field, "iin", "must be the iin of a bank on the list of aeps/banks")
		return ""
	}
	return s
}

// Ref reads a reference that the caller chose: 1 to MaxRef printable
// characters.
func (r *Reader) Ref(field string, need Need) string {
	return r.printable(field, need, "reference", MaxRef, "the caller's own reference")
}

// Text reads a text of the caller's and keeps it unchanged, with blanks at its
// ends: 1 to MaxText printable characters.
func (r *Reader) Text(field string, need Need) string {
	return r.printable(field, need, "text", MaxText, "any text of 1 to 64 printable characters, kept unchanged")
}

func (r *Reader) printable(field string, need Need, rule string, max int, note string) string {
	r.describe(field, need, Schema{Type: "string", MinLength: 1, MaxLength: max, Note: note})
	s, ok := r.stringValue(field, need)
	if !ok {
		return ""
	}
	if !Within(s, max, unicode.IsPrint) {
		r.Fail(field, rule, fmt.Sprintf("must have 1 to %d printable characters", max))
		return ""
	}
	return s
}

// Identity checks the operation's identity, which an entrance took from a header.
func (r *Reader) Identity(offered string) string {
	if offered != "" && !Within(offered, MaxIdentity, Visible) {
		r.Fail("Idempotency-Key", "reference", fmt.Sprintf("must have 1 to %d visible ASCII characters", MaxIdentity))
		return ""
	}
	return offered
}

// Visible reports whether a character is visible ASCII.
func Visible(c rune) bool { return c > ' ' && c <= '~' }

// Within reports whether s has 1 to max characters, all of them allowed.
func Within(s string, max int, allowed func(rune) bool) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= max && !strings.ContainsFunc(s, func(c rune) bool { return !allowed(c) })
}

// textForm is a text of a fixed form.
type textForm struct {
	rule, message string
	schema        Schema
	valid         func(string) bool
}

// pattern is a form that a regular expression describes.
func pattern(rule, expression, message string) textForm {
	return textForm{rule, message, Schema{Type: "string", Pattern: expression, Note: message}, regexp.MustCompile(expression).MatchString}
}

// Forms of numbers and codes.
var (
	mobile  = pattern("mobile", `^[6-9][0-9]{9}$`, "must be a ten-digit mobile number that begins with 6, 7, 8 or 9")
	pan     = pattern("pan", `^[A-Z]{5}[0-9]{4}[A-Z]$`, "must be a PAN: five capital letters, four digits, one capital letter")
	pincode = pattern("pincode", `^[1-9][0-9]{5}$`, "must be a six-digit PIN code")
	ifsc    = pattern("ifsc", `^[A-Z]{4}0[A-Z0-9]{6}$`, "must be an IFSC: four capital letters, a zero, six capital letters or digits")
	account = pattern("account", `^[0-9]{6,18}$`, "must be an account number of 6 to 18 digits")
	otp     = pattern("otp", `^[0-9]{4,8}$`, "must be the digits of a one-time password")
	handle  = pattern("code", `^[A-Z0-9][A-Z0-9_-]{0,31}$`, "must have 1 to 32 capital letters, digits, hyphens and underscores")
	token   = pattern("id", `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`, "must have 1 to 64 letters, digits, dots, hyphens and underscores")
	email   = pattern("email", `^[^\s@<>"]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`, "must be an e-mail address")
	id      = textForm{"uuid", "must be a UUID in lower-case canonical form", Schema{Type: "string", Format: "uuid"}, IsUUID}
	moment  = textForm{"time", "must be a time with its zone, such as 2026-11-21T09:30:00Z", Schema{Type: "string", Format: "date-time"}, isTime}
	date    = textForm{"date", "must be a date, YYYY-MM-DD", Schema{Type: "string", Format: "date"}, isDate}
)

// describe is the schema of a field of that form.
func (x textForm) describe(need Need) Schema {
	if need == May && x.schema.Pattern != "" {
		x.schema.Pattern = "^$|" + x.schema.Pattern
	}
	return x.schema
}

// matching reads a text of a fixed form. An optional one that is empty is absent.
func (r *Reader) matching(field string, need Need, x textForm) string {
	r.describe(field, need, x.describe(need))
	s, ok := r.stringValue(field, need)
	if !ok || (s == "" && need == May) {
		return ""
	}
	if len(s) > maxEmail || !x.valid(s) {
		r.Fail(field, x.rule, x.message)
		return ""
	}
	return s
}

// Mobile reads a ten-digit Indian mobile number, sent as a string or as a JSON
// number. MobileText is for fields that the interface defines as strings.
func (r *Reader) Mobile(field string, need Need) string {
	return r.digitsOrNumber(field, need, mobile, "6000000000", "9999999999")
}

// MobileText reads a mobile number that must be a string.
func (r *Reader) MobileText(field string, need Need) string { return r.matching(field, need, mobile) }

// PAN reads a permanent account number.
func (r *Reader) PAN(field string, need Need) string { return r.matching(field, need, pan) }

// Pincode reads a postal code.
func (r *Reader) Pincode(field string, need Need) string { return r.matching(field, need, pincode) }

// IFSC reads a bank branch's code.
func (r *Reader) IFSC(field string, need Need) string { return r.matching(field, need, ifsc) }

// Account reads a bank account number: a string, in which leading zeros count, or
// a JSON number, which can't have any. AccountText is for fields that the
// interface defines as strings.
func (r *Reader) Account(field string, need Need) string {
	return r.digitsOrNumber(field, need, account, "100000", "999999999999999999")
}

// AccountText reads an account number that must be a string.
func (r *Reader) AccountText(field string, need Need) string { return r.matching(field, need, account) }

// Email reads an e-mail address.
func (r *Reader) Email(field string, need Need) string { return r.matching(field, need, email) }

// Code reads a code of capital letters, such as a provider.
func (r *Reader) Code(field string, need Need) string { return r.matching(field, need, handle) }

// ID reads an id that the bank network issued, such as otpreqid.
func (r *Reader) ID(field string, need Need) string { return r.matching(field, need, token) }

// OTP reads a one-time password.
func (r *Reader) OTP(field string) secret.OTP {
	s := r.matching(field, Must, otp)
	if s == "" {
		return secret.OTP{}
	}
	return secret.NewOTP(s)
}

// UUID reads a UUID in canonical form.
func (r *Reader) UUID(field string, need Need) string { return r.matching(field, need, id) }

// IsUUID reports whether s is a UUID in canonical form. Other texts need no query
// of the database.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch isHyphen := i == 8 || i == 13 || i == 18 || i == 23; {
		case isHyphen && c == '-', !isHyphen && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f'):
		default:
			return false
		}
	}
	return true
}

// Date reads a calendar date, YYYY-MM-DD.
func (r *Reader) Date(field string, need Need) string { return r.matching(field, need, date) }

// maxURL is the most characters of an address.
const maxURL = 2000

// URL reads an address. Whether it can be called is the caller's to check.
func (r *Reader) URL(field string, need Need) string {
	return r.printable(field, need, "url", maxURL, "an HTTPS address")
}

// Time reads a time with its zone (RFC 3339), such as 2026-11-21T09:30:00Z; zero if it is
// absent or wrong.
func (r *Reader) Time(field string, need Need) time.Time {
	s := r.matching(field, need, moment)
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return at
}

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// BirthDate reads a date of birth: today in India at the latest.
func (r *Reader) BirthDate(field string, need Need) string {
	s := r.Date(field, need)
	if s != "" && ist.Day(s) > ist.DayOf(time.Now()) {
		r.Fail(field, "date", "must not lie in the future")
		return ""
	}
	return s
}

// Enum reads one of the given words.
func (r *Reader) Enum(field string, need Need, words ...string) string {
	r.describe(field, need, Schema{Type: "string", Enum: words})
	s, ok := r.stringValue(field, need)
	if !ok {
		return ""
	}
	if !slices.Contains(words, s) {
		r.Fail(field, "enum", "must be one of "+strings.Join(words, ", "))
		return ""
	}
	return s
}

// PublicKey reads the bytes of an Ed25519 public key in standard base64. Only the
// canonical encoding is accepted.
func (r *Reader) PublicKey(field string) []byte {
	r.describe(field, Must, Schema{Type: "string", Format: "byte", Note: "an Ed25519 public key, 32 bytes in base64"})
	s, ok := r.stringValue(field, Must)
	if !ok {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(key) != keySize || base64.StdEncoding.EncodeToString(key) != s {
		r.Fail(field, "ed25519", "must be the 32 bytes of an Ed25519 public key, in base64")
		return nil
	}
	return key
}

// EnrolmentCode reads an enrolment code as a person may have typed it.
func (r *Reader) EnrolmentCode(field string) secret.Token {
	r.describe(field, Must, Schema{Type: "string", MaxLength: maxCode})
	s, ok := r.stringValue(field, Must)
	if !ok {
		return secret.Token{}
	}
	s = strings.ToUpper(strings.TrimSpace(s))
	if !Within(s, maxCode, Visible) {
		r.Fail(field, "code", "must be an enrolment code")
		return secret.Token{}
	}
	return secret.NewToken(s)
}
