package field

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// Fingerprint tells two bodies apart without storing them: HMAC-SHA-256 over the
// route, the acting merchant and the body's canonical form (RFC 8785, but for its
// floats, see Canonical). Order, white space and the spelling of a number make no
// difference, any digit does. The key keeps a reader of the database from trying
// Aadhaar numbers.
//
// The OTP of a transfer or refund is left out, so that a request with another OTP
// is the same request. Of a refund only transactionId and refId count
// (interface.md, section 3.5).
func Fingerprint(key *secret.MAC, route op.RouteID, merchant central.MerchantID, body Values) ([sha256.Size]byte, error) {
	var room [usualFields]Field
	kept, rest := append(room[:0], body...), ""
	if route == op.Transfer || route == op.Refund {
		rest = " without OTP"
		kept = slices.DeleteFunc(kept, func(f Field) bool {
			name := string(f.Name)
			return (route != op.Transfer || name == "otp") && name != "transactionId" && name != "refId"
		})
	}
	slices.SortFunc(kept, compareNames)
	var err error
	sum := key.Sum(func(mac hash.Hash) {
		for _, text := range [...]string{"galla/fingerprint/v1\n", string(route), rest, "\n", string(merchant), "\n"} {
			_, _ = io.WriteString(mac, text)
		}
		err = writeCanonical(mac, kept)
	})
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("canonical form of the body of %s: %w", route, errCanonical)
	}
	return sum, nil
}

// errCanonical stands for the JSON library's error, which could quote a body.
var errCanonical = errors.New("it is not one JSON value")

// compareNames orders fields as RFC 8785 does: by the UTF-16 codes of their names. In
// ASCII that is the order of the bytes.
func compareNames(a, b Field) int {
	ascii := func(name []byte) bool {
		return !slices.ContainsFunc(name, func(c byte) bool { return c >= utf8.RuneSelf })
	}
	if ascii(a.Name) && ascii(b.Name) {
		return bytes.Compare(a.Name, b.Name)
	}
	return slices.Compare(utf16.Encode([]rune(string(a.Name))), utf16.Encode([]rune(string(b.Name))))
}

// writeCanonical writes an object of sorted fields in its canonical form.
func writeCanonical(to hash.Hash, fields Values) error {
	before := `{"`
	for _, f := range fields {
		name := f.Name
		if bytes.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
			quoted, err := jsontext.AppendQuote(nil, name)
			if err != nil {
				return err
			}
			name = quoted[1 : len(quoted)-1]
		}
		_, _ = io.WriteString(to, before)
		_, _ = to.Write(name)
		_, _ = io.WriteString(to, `":`)
		if err := writeValue(to, f.Value); err != nil {
			return err
		}
		before = `,"`
	}
	end := "}"
	if len(fields) == 0 {
		end = "{}"
	}
	_, _ = io.WriteString(to, end)
	return nil
}

// writeValue writes a value in its canonical form. Most are in it already.
func writeValue(to hash.Hash, v jsontext.Value) error {
	switch kind := v.Kind(); {
	case kind == jsontext.KindString && hasASCIIEscapesOnly(v):
		writeString(to, v)
		return nil
	case kind == jsontext.KindTrue, kind == jsontext.KindFalse, kind == jsontext.KindNull,
		kind == jsontext.KindNumber && isPlainInteger(v):
		_, _ = to.Write(v)
		return nil
	}
	value, err := Canonical(v)
	_, _ = to.Write(value)
	return err
}

// hasASCIIEscapesOnly reports whether each \u of a JSON string stands for one byte.
func hasASCIIEscapesOnly(v jsontext.Value) bool {
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			return true
		}
		if v[i+1] == 'u' && (v[i+2] != '0' || v[i+3] != '0' || v[i+4] >= '8') {
			return false
		}
		v = v[i+2:]
	}
}

// visible are the characters from ' ' on that may stand for themselves.
const visible = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

// writeString writes a string whose escapes stand for ASCII, each in its shortest form.
// Captures are full of them: some libraries write < as \u003c, others / as \/.
func writeString(to hash.Hash, v jsontext.Value) {
	for {
		i := bytes.IndexByte(v, '\\')
		if i < 0 {
			_, _ = to.Write(v)
			return
		}
		c, length := v[i+1], 2
		if c == 'u' {
			c, length = hexDigit(v[i+4])<<4|hexDigit(v[i+5]), 6
		}
		switch short := "btn_fr"; {
		case length == 2 && c != '/': // in its canonical form
			_, _ = to.Write(v[:i+2])
		case c >= '\b' && c <= '\r' && short[c-'\b'] != '_':
			_, _ = to.Write(v[:i+1])
			_, _ = io.WriteString(to, short[c-'\b':][:1])
		case c == '"' || c == '\\':
			_, _ = to.Write(v[:i+1])
			_, _ = io.WriteString(to, visible[c-' ':][:1])
		case c >= ' ':
			_, _ = to.Write(v[:i])
			_, _ = io.WriteString(to, visible[c-' ':][:1])
		default:
			const digits = "0123456789abcdef"
			_, _ = to.Write(v[:i+5]) // \u00 and 0 or 1
			_, _ = io.WriteString(to, digits[c&0xf:][:1])
		}
		v = v[i+length:]
	}
}

// hexDigit is the value of a hexadecimal digit.
func hexDigit(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}

// isPlainInteger reports whether a JSON number is one that PlainNumber leaves as it is:
// a few digits.
func isPlainInteger(v jsontext.Value) bool {
	return len(v) <= maxDigits && !slices.ContainsFunc(v, func(c byte) bool { return c < '0' || c > '9' })
}
