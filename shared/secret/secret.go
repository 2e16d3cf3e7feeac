// Package secret has types for values that must never be shown: Aadhaar numbers,
// PidData, OTPs, keys and tokens.
//
// Each type prints a mask in every way that Go prints a value (String, GoString,
// Format, MarshalText, MarshalJSON, LogValue), so that a careless log line or error
// shows the mask. The value is behind a pointer: fmt prints an unexported field of
// another package's struct without calling its methods, and then shows at most an
// address.
//
// Only Reveal gives the value. shared/archtest lists every file that may call it.
package secret

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// box is what all secrets share: a value that can't be printed.
type box struct{ p *string }

func newBox(s string) box { return box{&s} }

func (b box) reveal() string {
	if b.p == nil {
		return ""
	}
	return *b.p
}

// IsZero tells whether there is no value or an empty one.
func (b box) IsZero() bool { return b.reveal() == "" }

func (b box) equal(o box) bool {
	return subtle.ConstantTimeCompare([]byte(b.reveal()), []byte(o.reveal())) == 1
}

// mask writes the mask; Format calls it for every verb of fmt.
func mask(f fmt.State, shown string) { _, _ = io.WriteString(f, shown) }

// unmarshal reads a JSON string into the box. Its error never quotes the input.
func (b *box) unmarshal(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New("must be a JSON string")
	}
	*b = newBox(s)
	return nil
}

// PidData is the biometric capture XML of a registered device, byte for byte.
// Regulation 17(1)(c) of the Aadhaar authentication regulations forbids storing
// it: it is in memory only, and only until it is sent.
type PidData struct{ box }

// NewPidData wraps a capture.
func NewPidData(xml string) PidData { return PidData{newBox(xml)} }

// Reveal gives the XML as it was captured.
func (s PidData) Reveal() string { return s.reveal() }

// Len is the number of bytes.
func (s PidData) Len() int                     { return len(s.reveal()) }
func (s PidData) String() string               { return "[PidData]" }
func (s PidData) GoString() string             { return s.String() }
func (s PidData) Format(f fmt.State, _ rune)   { mask(f, s.String()) }
func (s PidData) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
func (s PidData) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
func (s PidData) LogValue() slog.Value         { return slog.StringValue(s.String()) }

// UnmarshalJSON reads the XML from a JSON string.
func (s *PidData) UnmarshalJSON(data []byte) error { return s.unmarshal(data) }

// OTP is a one-time password of a customer. It is never stored.
type OTP struct{ box }

// NewOTP wraps a one-time password.
func NewOTP(digits string) OTP { return OTP{newBox(digits)} }

// Reveal gives the digits.
func (s OTP) Reveal() string { return s.reveal() }

// Equal compares in constant time.
func (s OTP) Equal(o OTP) bool             { return s.equal(o.box) }
func (s OTP) String() string               { return "[OTP]" }
func (s OTP) GoString() string             { return s.String() }
func (s OTP) Format(f fmt.State, _ rune)   { mask(f, s.String()) }
func (s OTP) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
func (s OTP) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
func (s OTP) LogValue() slog.Value         { return slog.StringValue(s.String()) }

// UnmarshalJSON reads the digits from a JSON string.
func (s *OTP) UnmarshalJSON(data []byte) error { return s.unmarshal(data) }

// Key is key material, a shared secret or a password.
type Key struct{ box }

// NewKey wraps key material; the bytes are copied.
func NewKey(b []byte) Key { return Key{newBox(string(b))} }

// Reveal gives a copy of the material.
func (s Key) Reveal() []byte { return []byte(s.reveal()) }

// Equal compares in constant time.
func (s Key) Equal(o Key) bool             { return s.equal(o.box) }
func (s Key) String() string               { return "[key]" }
func (s Key) GoString() string             { return s.String() }
func (s Key) Format(f fmt.State, _ rune)   { mask(f, s.String()) }
func (s Key) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
func (s Key) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
func (s Key) LogValue() slog.Value         { return slog.StringValue(s.String()) }

// Token is a bearer token, an enrolment code, an API key, or a URL with a
// password in it.
type Token struct{ box }

// NewToken wraps a token.
func NewToken(s string) Token { return Token{newBox(s)} }

// Reveal gives the token.
func (s Token) Reveal() string { return s.reveal() }

// Equal compares in constant time.
func (s Token) Equal(o Token) bool           { return s.equal(o.box) }
func (s Token) String() string               { return "[token]" }
func (s Token) GoString() string             { return s.String() }
func (s Token) Format(f fmt.State, _ rune)   { mask(f, s.String()) }
func (s Token) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
func (s Token) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
func (s Token) LogValue() slog.Value         { return slog.StringValue(s.String()) }

// UnmarshalJSON reads the token from a JSON string.
func (s *Token) UnmarshalJSON(data []byte) error { return s.unmarshal(data) }
