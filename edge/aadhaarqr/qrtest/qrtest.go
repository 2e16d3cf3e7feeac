// Package qrtest makes the text of Aadhaar QR codes for tests, signed with keys of the
// tests: no data of a real person is needed.
//
// It promises codes of the layout that package aadhaarqr describes; every field that the
// counter skips holds invented data.
package qrtest

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"html"
	"io"
	"math/big"
	"strings"
	"time"
)

// Signer is an authority with a key of its own.
type Signer struct {
	key *rsa.PrivateKey
	// Certificate is the authority's, in PEM.
	Certificate []byte
}

// NewSigner makes an authority.
func NewSigner(rand io.Reader) (*Signer, error) {
	key, err := rsa.GenerateKey(rand, 2048)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Aadhaar QR of the tests"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &Signer{key: key, Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, nil
}

// Holder is the person of a code.
type Holder struct {
	Version string // empty, V2 or V3
	Name    string // ISO-8859-1
	Last    string // four digits of the Aadhaar number
	Photo   []byte
}

// Data returns the signed part of a secure QR.
func Data(h Holder) []byte {
	fields := []string{
		"2", h.Last + "20240131101502123", h.Name, "01-01-1980", "F", "C/O: nobody", "Pune", "", "4-83", "Ward 3", "411001", "Shivaji Nagar",
		"Maharashtra", "Main Road", "Haveli", "Pune",
	}
	if h.Version != "" {
		fields = append([]string{h.Version}, fields...)
		fields = append(fields, "7788")
	}
	return append([]byte(strings.Join(fields, "\xff")+"\xff"), h.Photo...)
}

// Secure returns the digits of a secure QR.
func (s *Signer) Secure(h Holder) (string, error) {
	data := Data(h)
	digest := sha256.Sum256(data)
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return Digits(append(data, signature...))
}

// Digits packs decompressed data as a secure QR does.
func Digits(data []byte) (string, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(data); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return new(big.Int).SetBytes(packed.Bytes()).String(), nil
}

// XML returns the older form of a code.
func XML(uid, name string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><PrintLetterBarcodeData uid="%s" name="%s" gender="F" yob="1980" vtc="Pune" state="Maharashtra" pc="411001"/>`,
		html.EscapeString(uid), html.EscapeString(name))
}
