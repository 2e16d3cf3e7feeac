package aadhaarqr_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"galla/edge/aadhaarqr"
	"galla/edge/aadhaarqr/qrtest"
)

// demo is one of UIDAI's public demo numbers.
const demo = "999941057058"

func newSigner(t testing.TB) *qrtest.Signer {
	t.Helper()
	s, err := qrtest.NewSigner(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newReader(t testing.TB, certificates []byte) *aadhaarqr.Reader {
	t.Helper()
	r, err := aadhaarqr.New(certificates)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func secure(t testing.TB, s *qrtest.Signer, h qrtest.Holder) string {
	t.Helper()
	text, err := s.Secure(h)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func digits(t testing.TB, data []byte) string {
	t.Helper()
	text, err := qrtest.Digits(data)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// noise is a photo with separators in it, which does not compress.
func noise(t testing.TB, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	copy(b, "\xff\x4f\xff\x51")
	return b
}

func TestSecure(t *testing.T) {
	uidai, other := newSigner(t), newSigner(t)
	none, one := newReader(t, nil), newReader(t, uidai.Certificate)
	both := newReader(t, append(append([]byte("UIDAI, 2021\n"), other.Certificate...), uidai.Certificate...))
	block, _ := pem.Decode(uidai.Certificate)
	der := newReader(t, block.Bytes)
	for _, version := range []string{"", "V2", "V3"} {
		text := secure(t, uidai, qrtest.Holder{Version: version, Name: "Asha  Kulkarni ", Last: "7058", Photo: noise(t, 1200)})
		for name, c := range map[string]struct {
			reader *aadhaarqr.Reader
			want   aadhaarqr.Signature
		}{"no certificate": {none, aadhaarqr.Unchecked}, "one": {one, aadhaarqr.Verified}, "two": {both, aadhaarqr.Verified}, "der": {der, aadhaarqr.Verified}} {
			card, err := c.reader.Read(" " + text + "\r\n")
			if err != nil || card.Name != "Asha Kulkarni" || card.LastDigits != "7058" || !card.Number.IsZero() || card.Signature != c.want {
				t.Errorf("%q, %s: %+v, %v", version, name, card, err)
			}
		}
		if card, err := newReader(t, other.Certificate).Read(text); !errors.Is(err, aadhaarqr.ErrSignature) || card != (aadhaarqr.Card{}) {
			t.Errorf("%q with another's certificate: %+v, %v", version, card, err)
		}
	}
}

func TestXML(t *testing.T) {
	r := newReader(t, nil)
	element := `<PrintLetterBarcodeData uid="` + demo + `" name="Asha"/>`
	for name, c := range map[string]struct {
		text       string
		full       bool
		last, says string
	}{
		"as printed":           {qrtest.XML(demo, "Asha & Sons"), true, "7058", "Asha & Sons"},
		"masked":               {qrtest.XML("xxxxxxxx7058", "Asha"), false, "7058", "Asha"},
		"grouped":              {qrtest.XML("9999 4105 7058", "Asha"), true, "7058", "Asha"},
		"a broken declaration": {`</?xml version="1.0" encoding="UTF-8"?>` + element, true, "7058", "Asha"},
		"without end":          {strings.TrimSuffix(element, "/>") + ">", true, "7058", "Asha"},
		"a formula as a name":  {qrtest.XML(demo, "=1+1"), true, "7058", ""},
		"no name":              {qrtest.XML(demo, ""), true, "7058", ""},
	} {
		card, err := r.Read(c.text)
		if err != nil || card.Name != c.says || card.LastDigits != c.last || card.Number.IsZero() == c.full || card.Signature != aadhaarqr.Unsigned {
			t.Errorf("%s: %+v, %v", name, card, err)
		}
		if c.full && card.Number.Reveal() != demo {
			t.Errorf("%s: another number", name)
		}
	}
}

func TestRefused(t *testing.T) {
	uidai := newSigner(t)
	r := newReader(t, uidai.Certificate)
	good := qrtest.Holder{Version: "V2", Name: "Asha", Last: "7058", Photo: noise(t, 900)}
	text := secure(t, uidai, good)
	fields := func(change func(string) string) string {
		return digits(t, append([]byte(change(string(qrtest.Data(good)))), make([]byte, 256)...))
	}
	replace := func(from, to string) func(string) string {
		return func(s string) string { return strings.Replace(s, from, to, 1) }
	}
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":               {"", aadhaarqr.ErrFormat},
		"an Aadhaar number":     {demo, aadhaarqr.ErrFormat},
		"a UPI code":            {"upi://pay?pa=shop@bank", aadhaarqr.ErrFormat},
		"its first half":        {text[:len(text)/2], aadhaarqr.ErrFormat},
		"its last half":         {text[len(text)/2:], aadhaarqr.ErrFormat},
		"a digit lost":          {text[:1000] + text[1001:], aadhaarqr.ErrFormat},
		"a letter in it":        {text[:1000] + "O" + text[1001:], aadhaarqr.ErrFormat},
		"too long":              {strings.Repeat("7", 7090), aadhaarqr.ErrFormat},
		"digits of no gzip":     {strings.Repeat("7", 2000), aadhaarqr.ErrFormat},
		"a version to come":     {secure(t, uidai, qrtest.Holder{Version: "V9", Name: "Asha", Last: "7058", Photo: noise(t, 400)}), aadhaarqr.ErrVersion},
		"a changed name":        {fields(replace("Asha", "Usha")), aadhaarqr.ErrSignature},
		"an empty indicator":    {fields(replace("V2\xff2", "V2\xff")), aadhaarqr.ErrFormat},
		"a wrong indicator":     {fields(replace("V2\xff2", "V2\xff4")), aadhaarqr.ErrFormat},
		"no reference":          {fields(replace("705820240131101502123", "")), aadhaarqr.ErrFormat},
		"a reference of 4":      {fields(replace("705820240131101502123", "7058")), aadhaarqr.ErrFormat},
		"letters as reference":  {fields(replace("7058", "7O58")), aadhaarqr.ErrFormat},
		"a field missing":       {digits(t, append([]byte("2\xff70582024\xffAsha\xff01-01-1980"), make([]byte, 900)...)), aadhaarqr.ErrFormat},
		"a version only":        {digits(t, append([]byte("V2"), noise(t, 256)...)), aadhaarqr.ErrFormat},
		"a signature only":      {digits(t, noise(t, 256)), aadhaarqr.ErrFormat},
		"XML of something else": {`<?xml version="1.0"?><Other uid="` + demo + `"/>`, aadhaarqr.ErrFormat},
		"a longer element":      {`<PrintLetterBarcodeDataX uid="` + demo + `"/>`, aadhaarqr.ErrFormat},
		"XML cut":               {`<PrintLetterBarcodeData uid="` + demo, aadhaarqr.ErrFormat},
		"a wrong check digit":   {qrtest.XML("999941057059", "Asha"), aadhaarqr.ErrFormat},
		"no number":             {qrtest.XML("", "Asha"), aadhaarqr.ErrFormat},
		"two numbers":           {`<PrintLetterBarcodeData uid="` + demo + `" uid="xxxxxxxx1234"/>`, aadhaarqr.ErrFormat},
	} {
		card, err := r.Read(c.text)
		if !errors.Is(err, c.want) || card != (aadhaarqr.Card{}) {
			t.Errorf("%s: %+v, %v", name, card, err)
		}
		if err != nil && len(c.text) > 3 && strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: the error quotes the text", name)
		}
	}
}

// TestBomb: a code that decompresses to more than a card's data is refused, and no more of
// it is read.
func TestBomb(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text := new(big.Int).SetBytes(packed.Bytes()).String()
	if len(text) > 7089 {
		t.Fatalf("%d digits: the code is too long to try", len(text))
	}
	r := newReader(t, nil)
	if _, err := r.Read(text); !errors.Is(err, aadhaarqr.ErrFormat) {
		t.Errorf("a megabyte: %v", err)
	}
	const tries, most = 20, 400 << 10 // bytes: the limit, while its buffer grows
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range tries {
		_, _ = r.Read(text)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / tries; each > most {
		t.Errorf("%d bytes for a refused code", each)
	}
}

func TestCertificates(t *testing.T) {
	good := newSigner(t).Certificate
	encode := func(kind string, der []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	weak, err := rsa.GenerateKey(rand.Reader, 3072)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	long, longErr := x509.CreateCertificate(rand.Reader, template, template, &weak.PublicKey, weak)
	elliptical, curveErr := x509.CreateCertificate(rand.Reader, template, template, &curve.PublicKey, curve)
	private, privateErr := x509.MarshalPKCS8PrivateKey(curve)
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"text":           {[]byte("not a certificate"), "X.509"},
		"damaged PEM":    {good[:len(good)/2], "damaged"},
		"a private key":  {append(bytes.Clone(good), encode("PRIVATE KEY", private, privateErr)...), "certificates only"},
		"RSA of 3072":    {encode("CERTIFICATE", long, longErr), "2048"},
		"elliptic curve": {encode("CERTIFICATE", elliptical, curveErr), "2048"},
		"damaged DER":    {encode("CERTIFICATE", []byte{1, 2, 3}, nil), "X.509"},
	} {
		if _, err := aadhaarqr.New(c.file); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEveryCardIsRead: what UIDAI could print is read as it was signed, and no changed byte
// of it passes.
func TestEveryCardIsRead(t *testing.T) {
	uidai := newSigner(t)
	r, unchecked := newReader(t, uidai.Certificate), newReader(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		h := qrtest.Holder{
			Version: rapid.SampledFrom([]string{"", "V2", "V3"}).Draw(t, "version"), Name: rapid.StringMatching(`[A-Z][a-z]{0,20}( [A-Z][a-z']{0,20}){0,3}`).Draw(t, "name"),
			Last: rapid.StringMatching(`[0-9]{4}`).Draw(t, "last"), Photo: rapid.SliceOfN(rapid.Byte(), 300, 1500).Draw(t, "photo"),
		}
		text, err := uidai.Secure(h)
		if err != nil {
			t.Fatal(err)
		}
		card, err := r.Read(text)
		if len(text) > 7089 { // more than a QR code holds
			return
		}
		if err != nil || card.Name != h.Name || card.LastDigits != h.Last || card.Signature != aadhaarqr.Verified {
			t.Fatalf("%+v, %v", card, err)
		}
		data := append(qrtest.Data(h), make([]byte, 256)...)
		data[rapid.IntRange(0, len(data)-257).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		changed, err := qrtest.Digits(data)
		if err != nil {
			t.Fatal(err)
		}
		if card, err := r.Read(changed); err == nil {
			t.Fatalf("a changed code passed: %+v", card)
		}
		if card, err := unchecked.Read(changed); err == nil && card.Signature != aadhaarqr.Unchecked {
			t.Fatalf("%+v", card)
		}
	})
}

func FuzzRead(f *testing.F) {
	uidai := newSigner(f)
	for _, version := range []string{"", "V2", "V3", "V4"} {
		f.Add(secure(f, uidai, qrtest.Holder{Version: version, Name: "Asha", Last: "7058", Photo: noise(f, 300)}))
	}
	f.Add(qrtest.XML(demo, "Asha"))
	f.Add(qrtest.XML("xxxxxxxx7058", "Asha"))
	f.Add("</?xml><PrintLetterBarcodeData uid='1'>")
	r, checking := newReader(f, nil), newReader(f, newSigner(f).Certificate)
	f.Fuzz(func(t *testing.T, text string) {
		card, err := r.Read(text)
		if err != nil {
			if card != (aadhaarqr.Card{}) {
				t.Errorf("an error and %+v", card)
			}
			return
		}
		if len(card.LastDigits) != 4 || strings.Trim(card.LastDigits, "0123456789") != "" || !utf8.ValidString(card.Name) || strings.ContainsFunc(card.Name, unicode.IsControl) {
			t.Errorf("%+v", card)
		}
		if card, err := checking.Read(text); err == nil && card.Signature != aadhaarqr.Unsigned {
			t.Errorf("nobody signed it: %+v", card)
		}
	})
}

// FuzzFields tries the fields without the packing, which random digits hardly ever pass.
func FuzzFields(f *testing.F) {
	f.Add(qrtest.Data(qrtest.Holder{Version: "V2", Name: "Asha", Last: "7058"}))
	f.Add(qrtest.Data(qrtest.Holder{Name: "Asha", Last: "7058"}))
	r := newReader(f, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := qrtest.Digits(append(data, noise(t, 256)...))
		if err != nil {
			t.Fatal(err)
		}
		if card, err := r.Read(text); err == nil && (len(card.LastDigits) != 4 || card.Signature != aadhaarqr.Unchecked || !card.Number.IsZero()) {
			t.Errorf("%+v", card)
		}
	})
}
