package rdcrypto

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"galla/shared/ist"
)

// TimeLayout is the form of ts, local time without a zone: 19 characters.
const TimeLayout = "2006-01-02T15:04:05"

// Version is the PID block version that all devices of the field write.
const Version = "2.0"

// Lengths that the construction fixes, in bytes.
const (
	tsLen      = len(TimeLayout)
	ivLen      = 12
	aadLen     = 16
	tagLen     = 16
	sessionLen = 32
)

// ciLayout is the form of Skey's ci: the day on which the authority's
// certificate ends, in GMT.
const ciLayout = "20060102"

// CI is the value of Skey's ci for an authority's certificate.
func CI(authority *x509.Certificate) string {
	return authority.NotAfter.UTC().Format(ciLayout)
}

// Sample is one biometric as a device captured it, before it is signed.
type Sample struct {
	Type string // FMR (minutiae) or FIR (image) of a finger, IIR of an iris, FID of a face
	Posh string // the finger or iris where the request named it, otherwise UNKNOWN
	Raw  []byte // the biometric record; never log it
}

// Block writes the PID block in clear: each sample signed (bs) by the device
// with the code dc. wadh is empty except for e-KYC. The result is a secret: it
// is for Seal and nothing else.
func Block(ts time.Time, wadh, dc string, samples []Sample, device *rsa.PrivateKey, random io.Reader) ([]byte, error) {
	stamp := ts.In(ist.Zone()).Format(TimeLayout)
	var b strings.Builder
	b.WriteString(`<Pid`)
	attr(&b, "ts", stamp)
	attr(&b, "ver", Version)
	attr(&b, "wadh", wadh)
	b.WriteString(`><Bios>`)
	for _, s := range samples {
		digest := bioDigest(s.Raw, stamp, dc)
		bs, err := rsa.SignPKCS1v15(random, device, crypto.SHA256, digest[:])
		if err != nil {
			return nil, fmt.Errorf("signing the biometric: %w", err)
		}
		b.WriteString(`<Bio`)
		attr(&b, "type", s.Type)
		attr(&b, "posh", s.Posh)
		attr(&b, "bs", base64.StdEncoding.EncodeToString(bs))
		b.WriteString(`>`)
		b.WriteString(base64.StdEncoding.EncodeToString(s.Raw))
		b.WriteString(`</Bio>`)
	}
	b.WriteString(`</Bios></Pid>`)
	return []byte(b.String()), nil
}

func attr(b *strings.Builder, name, value string) {
	b.WriteString(` ` + name + `="`)
	_ = xml.EscapeText(b, []byte(value)) // a strings.Builder does not fail
	b.WriteString(`"`)
}

// bioDigest is what bs signs: SHA-256 over SHA-256(raw) ‖ ts ‖ dc.
func bioDigest(raw []byte, ts, dc string) [sha256.Size]byte {
	inner := sha256.Sum256(raw)
	return sha256.Sum256([]byte(string(inner[:]) + ts + dc))
}

// Sealed holds the three sealed elements of PidData, base64, and ci. It prints
// as a mask: sealed or not, a biometric is never logged.
type Sealed struct {
	Data string // ts in clear, then the sealed PID block
	Hmac string // the sealed SHA-256 of the PID block
	Skey string // the session key under the authority's certificate
	CI   string // that certificate's notAfter, YYYYMMDD
}

func (Sealed) String() string             { return mask }
func (Sealed) GoString() string           { return mask }
func (Sealed) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// Seal encrypts a PID block under a fresh session key for the authority. ts
// must be the time that stands inside the block. random feeds the session key
// and the RSA padding; it must be cryptographic outside of tests.
func Seal(pid []byte, ts time.Time, authority *x509.Certificate, random io.Reader) (Sealed, error) {
	pub, ok := authority.PublicKey.(*rsa.PublicKey)
	if !ok {
		return Sealed{}, errors.New("the authority's certificate holds no RSA key")
	}
	session := make([]byte, sessionLen)
	if _, err := io.ReadFull(random, session); err != nil {
		return Sealed{}, fmt.Errorf("drawing a session key: %w", err)
	}
	gcm, err := newGCM(session)
	if err != nil {
		return Sealed{}, err
	}
	//lint:ignore SA1019 the RD specification prescribes PKCS#1 v1.5 for Skey
	skey, err := rsa.EncryptPKCS1v15(random, pub, session)
	if err != nil {
		return Sealed{}, fmt.Errorf("sealing the session key: %w", err)
	}
	stamp := []byte(ts.In(ist.Zone()).Format(TimeLayout))
	iv, aad := nonces(stamp)
	sum := sha256.Sum256(pid)
	b64 := base64.StdEncoding
	return Sealed{
		Data: b64.EncodeToString(gcm.Seal(stamp, iv, pid, aad)),
		// The same key and IV seal two texts: that is the specification's
		// construction, and the device and the bank must follow it.
		Hmac: b64.EncodeToString(gcm.Seal(nil, iv, sum[:], aad)),
		Skey: b64.EncodeToString(skey),
		CI:   CI(authority),
	}, nil
}

func newGCM(session []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(session)
	if err != nil {
		return nil, fmt.Errorf("using the session key: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("using the session key: %w", err)
	}
	return gcm, nil
}

// nonces copies IV and AAD out of a ts, so that appending to it is harmless.
func nonces(ts []byte) (iv, aad []byte) {
	iv = append(iv, ts[len(ts)-ivLen:]...)
	aad = append(aad, ts[len(ts)-aadLen:]...)
	return iv, aad
}
