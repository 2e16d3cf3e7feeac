package aadhaarqr

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// New makes a reader that verifies signatures with the certificates of a file: one or more
// in PEM, or one in DER (.cer). Without content it reads codes and verifies nothing.
//
// The dates of a certificate are not looked at: a printed letter lasts longer than the
// certificate of the key that signed it. Whoever gives the file vouches for it.
func New(certificates []byte) (*Reader, error) {
	certificates = bytes.TrimSpace(certificates)
	if len(certificates) == 0 {
		return &Reader{}, nil
	}
	ders := [][]byte{}
	for rest := certificates; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("the file has a block %q; it must have certificates only", block.Type)
		}
		ders = append(ders, block.Bytes)
	}
	if len(ders) == 0 {
		if bytes.Contains(certificates, []byte("-----BEGIN")) {
			return nil, errors.New("the PEM text of the file is damaged")
		}
		ders = append(ders, certificates)
	}
	r := &Reader{}
	for _, der := range ders {
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("the file holds no X.509 certificate (PEM, or one DER): %w", err)
		}
		key, ok := certificate.PublicKey.(*rsa.PublicKey)
		if !ok || key.Size() != signatureLength {
			return nil, fmt.Errorf("the certificate of %q is not for RSA with 2048 bits, so it is not the one that signs Aadhaar QR codes", certificate.Subject.CommonName)
		}
		r.keys = append(r.keys, key)
	}
	return r, nil
}
