package rdcrypto

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"galla/shared/ist"
)

// Why Open refuses PidData. Each error that Open returns wraps exactly one of
// them, and none quotes any part of the PidData. The code in brackets is the
// bank's answer.
var (
	ErrMalformed   = errors.New("PidData is malformed")
	ErrCertificate = errors.New("PidData was sealed under another authority's certificate (ci)") // VV, W4
	ErrSessionKey  = errors.New("session key cannot be opened")                                  // VU
	ErrEncryption  = errors.New("PID block cannot be decrypted")                                 // U4
	ErrHMAC        = errors.New("HMAC does not match the PID block")                             // V3
	ErrSignature   = errors.New("biometric is not signed by the device")
)

// MaxBios is the most biometrics one PID block may hold: ten fingers, two
// irises and a face.
const MaxBios = 13

// Open decrypts PidData with the authority's pair and checks all of it: ci
// against the certificate, the session key, the encryption, the HMAC, the clear
// ts against the sealed one, and each biometric's signature against the
// device's certificate. It judges neither time, nor replay, nor whose finger it
// is (see Match): those are the bank's rules.
//
// Leading and trailing white space, any order of elements, attributes and
// namespaces are accepted. Input over MaxPidData, and a DTD, are ErrMalformed.
func Open(pidData []byte, key *rsa.PrivateKey, authority *x509.Certificate) (Pid, error) {
	e, err := parseEnvelope(pidData)
	if err != nil {
		return Pid{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if want := CI(authority); e.ci != want {
		return Pid{}, fmt.Errorf("%w: the authority's ends on %s", ErrCertificate, want)
	}
	block, ts, err := decrypt(e, key)
	if err != nil {
		return Pid{}, err
	}
	device, err := e.device()
	if err != nil {
		return Pid{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	clear, err := parseBlock(block)
	if err != nil {
		return Pid{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if clear.ts != ts {
		return Pid{}, fmt.Errorf("%w: the sealed ts differs from the clear one", ErrMalformed)
	}
	at, err := time.ParseInLocation(TimeLayout, ts, ist.Zone())
	if err != nil {
		return Pid{}, fmt.Errorf("%w: ts is no time", ErrMalformed)
	}
	bios, err := clear.verify(device)
	if err != nil {
		return Pid{}, err
	}
	return Pid{
		Time: at, Version: clear.ver, Wadh: clear.wadh,
		Bios: bios, Device: device, Digest: sha256.Sum256(e.data),
	}, nil
}

// decrypt gives the PID block in clear and the ts it was sealed with.
func decrypt(e envelope, key *rsa.PrivateKey) (block []byte, ts string, err error) {
	//lint:ignore SA1019 the RD specification prescribes PKCS#1 v1.5 for Skey
	session, err := rsa.DecryptPKCS1v15(nil, key, e.skey)
	if err != nil || len(session) != sessionLen {
		return nil, "", ErrSessionKey
	}
	gcm, err := newGCM(session)
	if err != nil {
		return nil, "", ErrSessionKey
	}
	if len(e.data) < tsLen+tagLen {
		return nil, "", fmt.Errorf("%w: Data is too short", ErrEncryption)
	}
	stamp, sealed := e.data[:tsLen], e.data[tsLen:]
	iv, aad := nonces(stamp)
	if block, err = gcm.Open(nil, iv, sealed, aad); err != nil {
		return nil, "", ErrEncryption
	}
	sum, err := gcm.Open(nil, iv, e.hmac, aad)
	if err != nil {
		return nil, "", ErrHMAC
	}
	if want := sha256.Sum256(block); subtle.ConstantTimeCompare(sum, want[:]) != 1 {
		return nil, "", ErrHMAC
	}
	return block, string(stamp), nil
}

// device reads what PidData says about the device; its certificate must parse,
// because bs is checked against it.
func (e envelope) device() (Device, error) {
	der, err := decode64(e.mc)
	if err != nil {
		return Device{}, errors.New("mc is no base64")
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return Device{}, errors.New("mc is no X.509 certificate")
	}
	d := e.dev
	d.Certificate = cert
	return d, nil
}

// verify checks each biometric's signature against the device's certificate.
func (c clearBlock) verify(d Device) ([]Bio, error) {
	pub, ok := d.Certificate.PublicKey.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w: the device's certificate holds no RSA key", ErrSignature)
	}
	var bios []Bio
	for i, b := range c.bios {
		raw, err := decode64(b.text)
		if err != nil || len(raw) == 0 {
			return nil, fmt.Errorf("%w: biometric %d is no base64", ErrMalformed, i+1)
		}
		bs, err := decode64(b.bs)
		if err != nil {
			return nil, fmt.Errorf("%w: bs of biometric %d is no base64", ErrMalformed, i+1)
		}
		digest := bioDigest(raw, c.ts, d.DC)
		if rsa.VerifyPKCS1v15(pub, crypto.SHA256, digest[:], bs) != nil {
			return nil, fmt.Errorf("%w: biometric %d", ErrSignature, i+1)
		}
		bios = append(bios, Bio{Type: b.kind, Posh: b.posh, Raw: newRaw(raw)})
	}
	return bios, nil
}

// decode64 reads base64 with white space anywhere, as makers fold it.
func decode64(s []byte) ([]byte, error) {
	s = bytes.Join(bytes.Fields(s), nil)
	out := make([]byte, base64.StdEncoding.DecodedLen(len(s)))
	n, err := base64.StdEncoding.Decode(out, s)
	return out[:n], err
}
