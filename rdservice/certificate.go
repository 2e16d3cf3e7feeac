package rdservice

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"
)

var errCertificate = errors.New("no validity can be read from the device certificate")

// validity reads from when to when a device certificate (mc: base64 DER, some
// makers send PEM) is valid. Only the way to the validity is walked: real
// certificates have serial numbers and keys that crypto/x509 refuses, and a
// capture must not depend on them.
func validity(mc string) (begins, ends time.Time, err error) {
	der, err := certificateBytes(mc)
	if err != nil {
		return begins, ends, err
	}
	certificate, _, ok := derNext(der, tagSequence)
	if !ok {
		return begins, ends, errCertificate
	}
	tbs, _, ok := derNext(certificate, tagSequence)
	if !ok {
		return begins, ends, errCertificate
	}
	if _, rest, ok := derNext(tbs, tagVersion); ok {
		tbs = rest // the version is optional
	}
	for _, tag := range []byte{tagInteger, tagSequence, tagSequence} { // serial, algorithm, issuer
		if _, tbs, ok = derNext(tbs, tag); !ok {
			return begins, ends, errCertificate
		}
	}
	span, _, ok := derNext(tbs, tagSequence)
	if !ok {
		return begins, ends, errCertificate
	}
	if begins, span, err = derTime(span); err != nil {
		return begins, ends, err
	}
	ends, _, err = derTime(span)
	return begins, ends, err
}

// certificateBytes undoes base64 in any of its alphabets, padded or not, with
// white space anywhere, and a PEM frame inside or around it; of a chain it gives
// the first, the device's own.
func certificateBytes(mc string) ([]byte, error) {
	for range 2 { // a few makers encode a PEM file once more
		if _, after, ok := strings.Cut(mc, "-----BEGIN CERTIFICATE-----"); ok {
			mc = after
		}
		mc, _, _ = strings.Cut(mc, "-----END CERTIFICATE-----")
		mc = strings.TrimRight(strings.Join(strings.Fields(mc), ""), "=")
		mc = strings.NewReplacer("-", "+", "_", "/").Replace(mc)
		der, err := base64.RawStdEncoding.DecodeString(mc)
		if err != nil || len(der) == 0 {
			return nil, errCertificate
		}
		if der[0] == tagSequence {
			return der, nil
		}
		mc = string(der)
	}
	return nil, errCertificate
}

// Tags of the ASN.1 elements on the way.
const (
	tagInteger         = 0x02
	tagUTCTime         = 0x17
	tagGeneralizedTime = 0x18
	tagSequence        = 0x30
	tagVersion         = 0xa0
)

// maxLengthBytes bounds how many bytes may encode a length; makers pad it.
const maxLengthBytes = 8

// derNext takes one element with the given tag off b. Unlike DER, it accepts
// lengths that are longer than they must be.
func derNext(b []byte, tag byte) (content, rest []byte, ok bool) {
	if len(b) < 2 || b[0] != tag {
		return nil, nil, false
	}
	length, b := int(b[1]), b[2:]
	if length >= 0x80 {
		n := length & 0x7f
		if n == 0 || n > maxLengthBytes || n > len(b) {
			return nil, nil, false
		}
		length = 0
		for _, c := range b[:n] {
			if length = length<<8 | int(c); length > MaxReply {
				return nil, nil, false
			}
		}
		b = b[n:]
	}
	if length > len(b) {
		return nil, nil, false
	}
	return b[:length], b[length:], true
}

// derTime takes a UTCTime or GeneralizedTime off b.
func derTime(b []byte) (t time.Time, rest []byte, err error) {
	layouts := []string{"20060102150405Z0700", "200601021504Z0700", "20060102150405.999Z0700"}
	content, rest, ok := derNext(b, tagGeneralizedTime)
	text := string(content)
	if !ok {
		if content, rest, ok = derNext(b, tagUTCTime); !ok || len(content) < 2 {
			return t, nil, errCertificate
		}
		// RFC 5280: two digits from 50 on are of the twentieth century.
		text = "20" + string(content)
		if content[0] >= '5' {
			text = "19" + string(content)
		}
	}
	for _, layout := range layouts {
		if t, err = time.Parse(layout, text); err == nil {
			return t.UTC(), rest, nil
		}
	}
	return t, nil, errCertificate
}

// CertificateWarning is how long before a device's certificate ends people
// should know: a shop needs a few working days with the internet on, or
// with its supplier, to have a reader registered again.
const CertificateWarning = 7 * 24 * time.Hour

// CertificateState is how a device's certificate stands.
type CertificateState string

// The states of a certificate.
const (
	CertificateUnknown CertificateState = "unknown" // it could not be read: no fault by itself
	CertificateGood    CertificateState = "good"
	CertificateEnding  CertificateState = "ending" // ends within CertificateWarning
	CertificateEnded   CertificateState = "ended"
)

// Certificate tells how the device's certificate stands at a time. No capture
// depends on it: it is the bank that refuses.
func (d DeviceInfo) Certificate(now time.Time) CertificateState {
	switch left := d.CertificateEnds.Sub(now); {
	case d.CertificateEnds.IsZero():
		return CertificateUnknown
	case left <= 0:
		return CertificateEnded
	case left <= CertificateWarning:
		return CertificateEnding
	}
	return CertificateGood
}
