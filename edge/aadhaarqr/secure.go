package aadhaarqr

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"io"
	"math/big"
)

const (
	signatureLength = 256 // bytes: RSA-2048
	// maxUnpacked bounds the decompressed data, in bytes. Fields and photo are about 3 kB;
	// gzip could make millions of bytes of the largest code.
	maxUnpacked = 64 << 10
	// minDigits is less than the digits of a signature alone.
	minDigits = 600

	separator = 0xFF
	// addressEnd is the last field that every layout has (VTC), counted from the indicator of
	// email and mobile, which is 0.
	addressEnd = 15
)

// Places of the fields, counted as addressEnd.
const (
	indicatorField = iota // 0 to 3: whether an email address and a mobile number are known
	referenceField        // last four digits of the Aadhaar number, then a time
	nameField
)

// readSecure reads a secure QR.
func (r *Reader) readSecure(text string) (Card, error) {
	if len(text) < minDigits || !isDigits(text) {
		return Card{}, ErrFormat
	}
	number, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return Card{}, ErrFormat
	}
	data, err := unpack(number.Bytes())
	if err != nil {
		return Card{}, err
	}
	signed, signature := data[:len(data)-signatureLength], data[len(data)-signatureLength:]
	card, err := readFields(signed)
	if err != nil {
		return Card{}, err
	}
	card.Signature = Unchecked
	if len(r.keys) > 0 {
		if !r.verify(signed, signature) {
			return Card{}, ErrSignature
		}
		card.Signature = Verified
	}
	return card, nil
}

// unpack decompresses, and returns more than a signature or ErrFormat.
func unpack(packed []byte) ([]byte, error) {
	stream, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, ErrFormat
	}
	data, err := io.ReadAll(io.LimitReader(stream, maxUnpacked+1))
	if err != nil || len(data) > maxUnpacked || len(data) <= signatureLength {
		return nil, ErrFormat
	}
	return data, nil
}

// readFields reads the fields before the photo.
func readFields(signed []byte) (Card, error) {
	first, rest, _ := bytes.Cut(signed, []byte{separator})
	want := addressEnd + 1
	switch version := string(first); {
	case version == "V2", version == "V3":
		signed = rest
		want++ // the last digits of the mobile number
	case len(first) > 0 && first[0] == 'V':
		return Card{}, ErrVersion
	}
	fields := bytes.SplitN(signed, []byte{separator}, want+1)
	if len(fields) <= want {
		return Card{}, ErrFormat
	}
	indicator, reference := string(fields[indicatorField]), string(fields[referenceField])
	if len(indicator) != 1 || indicator < "0" || indicator > "3" || len(reference) <= lastDigits || !isDigits(reference) {
		return Card{}, ErrFormat
	}
	return Card{Name: cleanName(latin1(fields[nameField])), LastDigits: reference[:lastDigits]}, nil
}

// latin1 decodes ISO-8859-1.
func latin1(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

func (r *Reader) verify(signed, signature []byte) bool {
	digest := sha256.Sum256(signed)
	for _, key := range r.keys {
		if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil {
			return true
		}
	}
	return false
}
