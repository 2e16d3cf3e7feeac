package aadhaarqr

import (
	"crypto/rsa"
	"errors"
	"strings"

	"galla/shared/printable"
	"galla/shared/secret"
)

// Errors of Read.
var (
	// ErrFormat: the text is no Aadhaar QR, or only a part of one.
	ErrFormat = errors.New("it is not the QR code of an Aadhaar card, or a part of it is missing")
	// ErrVersion: a secure QR of a layout that this package does not read.
	ErrVersion = errors.New("it is a secure QR code of an unknown version")
	// ErrSignature: the signature is not of a given certificate. The code was changed, is
	// forged, or was signed with a key whose certificate is not in the file.
	ErrSignature = errors.New("its signature is not by a certificate of the given file")
)

// Signature says what is known of the signature of a code.
type Signature string

// The states of a signature. A wrong one is ErrSignature.
const (
	Unsigned  Signature = "unsigned"  // the older form has none
	Unchecked Signature = "unchecked" // no certificate was given
	Verified  Signature = "verified"  // UIDAI signed it
)

// Card is what a code says of its holder.
type Card struct {
	// Name is the holder's; empty where it is no valid name (printable.Name).
	Name string
	// Number is the Aadhaar number; zero where the code has the last digits only.
	Number secret.Aadhaar
	// LastDigits are the last four of the Aadhaar number.
	LastDigits string
	Signature  Signature
}

// maxText bounds the text of a code: the largest QR code holds 7089 digits.
const maxText = 7089

// Reader reads codes. It is safe for concurrent use.
type Reader struct{ keys []*rsa.PublicKey }

// Read reads the text of a code. Errors: ErrFormat, ErrVersion, ErrSignature.
func (r *Reader) Read(text string) (Card, error) {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > maxText:
		return Card{}, ErrFormat
	case strings.HasPrefix(text, "<"):
		return readXML(text)
	}
	return r.readSecure(text)
}

// lastDigits is how many digits of an Aadhaar number may be shown.
const lastDigits = 4

// cleanName returns a valid name with single blanks, or nothing.
func cleanName(text string) string {
	name, err := printable.Name(strings.Join(strings.Fields(text), " "), printable.MaxName)
	if err != nil {
		return ""
	}
	return name
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
