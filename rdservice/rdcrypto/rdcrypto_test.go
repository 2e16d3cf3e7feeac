package rdcrypto

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"galla/shared/ist"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// testKeyPairs holds the keys that all tests of the package share: making an RSA key
// is the slow part.
type testKeyPairs struct {
	authority, otherAuthority *x509.Certificate
	key, otherKey             *rsa.PrivateKey
	device                    *rsa.PrivateKey
	mc                        string
}

var keys = sync.OnceValues(func() (testKeyPairs, error) {
	var h testKeyPairs
	made := make([]*rsa.PrivateKey, 3)
	for i := range made {
		k, err := rsa.GenerateKey(rand.Reader, keyBits)
		if err != nil {
			return h, err
		}
		made[i] = k
	}
	h.key, h.otherKey, h.device = made[0], made[1], made[2]
	var err error
	if h.authority, err = DeviceCertificate(h.key, "authority", 1000*24*time.Hour, rand.Reader); err != nil {
		return h, err
	}
	if h.otherAuthority, err = DeviceCertificate(h.otherKey, "other", 500*24*time.Hour, rand.Reader); err != nil {
		return h, err
	}
	cert, err := DeviceCertificate(h.device, "device", 30*24*time.Hour, rand.Reader)
	if err != nil {
		return h, err
	}
	h.mc = base64.StdEncoding.EncodeToString(cert.Raw)
	return h, nil
})

func testKeys(t testing.TB) testKeyPairs {
	t.Helper()
	h, err := keys()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const dc = "5e1d0000-0000-4000-8000-000000000001"

// doc is PidData in parts, so that a test can spoil one of them.
type doc struct {
	Sealed
	dc, mc string
}

func (d doc) xml() []byte {
	return fmt.Appendf(nil, `<PidData><Resp errCode="0"/><DeviceInfo dpId="SIM.GALLA" rdsId="SIM.001" rdsVer="1.0" dc="%s" mi="SIM100" mc="%s"/>`+
		`<Skey ci="%s">%s</Skey><Hmac>%s</Hmac><Data type="X">%s</Data></PidData>`,
		d.dc, d.mc, d.CI, d.Skey, d.Hmac, d.Data)
}

var captured = time.Date(2026, 11, 21, 10, 15, 30, 0, ist.Zone())

func seal(t testing.TB, h testKeyPairs, wadh string, samples ...Sample) doc {
	t.Helper()
	pid, err := Block(captured, wadh, dc, samples, h.device, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Seal(pid, captured, h.authority, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return doc{Sealed: s, dc: dc, mc: h.mc}
}

func TestSealOpen(t *testing.T) {
	h := testKeys(t)
	wadh := "E0jzJ/P8UopUHAieZn8CKqS4WPMi5ZSYXgfnlfkWjrc="
	d := seal(t, h, wadh,
		Sample{"FMR", "UNKNOWN", Template("999941057058", RightIndex)},
		Sample{"FMR", "LEFT_THUMB", Template("999941057058", LeftThumb)})
	pid, err := Open(d.xml(), h.key, h.authority)
	if err != nil {
		t.Fatal(err)
	}
	if !pid.Time.Equal(captured) || pid.Version != "2.0" || pid.Wadh != wadh || len(pid.Bios) != 2 {
		t.Errorf("opened %+v", pid)
	}
	if pid.Device.DPID != "SIM.GALLA" || pid.Device.DC != dc || pid.Device.Certificate == nil {
		t.Errorf("device %+v", pid.Device)
	}
	if finger, ok := Match("999941057058", pid.Bios[0].Raw.Reveal()); !ok || finger != RightIndex {
		t.Errorf("first finger matched as %q", finger)
	}
	if pid.Bios[1].Posh != LeftThumb {
		t.Errorf("posh %q", pid.Bios[1].Posh)
	}
	if _, ok := Match("999971658847", pid.Bios[0].Raw.Reveal()); ok {
		t.Error("matched another resident")
	}
}

// A capture opens whatever stands around it: the bank gets what the service sent.
func TestOpenAround(t *testing.T) {
	h := testKeys(t)
	good := string(seal(t, h, "", Sample{"FMR", "UNKNOWN", Template("999941057058", RightIndex)}).xml())
	for _, text := range []string{
		"\ufeff<?xml version=\"1.0\"?>\r\n" + good, "<?xml version='1.1' encoding='utf-16'?>\ufeff" + good,
		"\r\n" + good + "\r\n\x00",
	} {
		if _, err := Open([]byte(text), h.key, h.authority); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// The construction's offsets are those of the specification's text, checked
// here against literals instead of against Seal's own constants.
func TestConstruction(t *testing.T) {
	h := testKeys(t)
	d := seal(t, h, "", Sample{"FMR", "UNKNOWN", Template("999941057058", RightIndex)})
	data, _ := base64.StdEncoding.DecodeString(d.Data)
	hmac, _ := base64.StdEncoding.DecodeString(d.Hmac)
	skey, _ := base64.StdEncoding.DecodeString(d.Skey)
	if string(data[:19]) != "2026-11-21T10:15:30" {
		t.Errorf("Data starts with %q", data[:19])
	}
	if len(hmac) != 48 || len(skey) != 256 {
		t.Errorf("Hmac has %d bytes, Skey %d", len(hmac), len(skey))
	}
	if want := h.authority.NotAfter.UTC().Format("20060102"); d.CI != want {
		t.Errorf("ci %s, want %s", d.CI, want)
	}
	iv, aad := nonces([]byte("2026-11-21T10:15:30"))
	if string(iv) != "-21T10:15:30" || string(aad) != "6-11-21T10:15:30" {
		t.Errorf("IV %q, AAD %q", iv, aad)
	}
}

func TestOpenRefuses(t *testing.T) {
	h := testKeys(t)
	sample := Sample{"FMR", "UNKNOWN", Template("999941057058", RightIndex)}
	flip := func(b64 string, at int) string {
		b, _ := base64.StdEncoding.DecodeString(b64)
		b[at] ^= 1
		return base64.StdEncoding.EncodeToString(b)
	}
	good, other := seal(t, h, "", sample), seal(t, h, "", sample)
	tests := []struct {
		name  string
		spoil func(*doc)
		want  error
	}{
		{"data flipped", func(d *doc) { d.Data = flip(d.Data, 100) }, ErrEncryption},
		{"time flipped", func(d *doc) { d.Data = flip(d.Data, 18) }, ErrEncryption},
		{"data short", func(d *doc) { d.Data = "MjAyNg==" }, ErrEncryption},
		{"data of another capture", func(d *doc) { d.Data = other.Data }, ErrEncryption},
		{"hmac flipped", func(d *doc) { d.Hmac = flip(d.Hmac, 3) }, ErrHMAC},
		{"hmac empty", func(d *doc) { d.Hmac = "" }, ErrHMAC},
		{"key flipped", func(d *doc) { d.Skey = flip(d.Skey, 200) }, ErrSessionKey},
		{"key empty", func(d *doc) { d.Skey = "" }, ErrSessionKey},
		{"ci of another", func(d *doc) { d.CI = CI(h.otherAuthority) }, ErrCertificate},
		{"ci missing", func(d *doc) { d.CI = "" }, ErrCertificate},
		{"device code changed", func(d *doc) { d.dc = "another" }, ErrSignature},
		{"another device's certificate", func(d *doc) { d.mc = base64.StdEncoding.EncodeToString(h.otherAuthority.Raw) }, ErrSignature},
		{"certificate garbage", func(d *doc) { d.mc = "AAAA" }, ErrMalformed},
		{"data no base64", func(d *doc) { d.Data = "!!" }, ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := good
			tt.spoil(&d)
			_, err := Open(d.xml(), h.key, h.authority)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := Open(good.xml(), h.otherKey, h.authority); !errors.Is(err, ErrSessionKey) {
		t.Errorf("another private key: %v", err)
	}
}

func TestOpenForms(t *testing.T) {
	h := testKeys(t)
	d := seal(t, h, "", Sample{"FMR", "UNKNOWN", Template("999941057058", RightIndex)})
	good := string(d.xml())
	accepted := map[string]string{
		"declaration, BOM, CRLF": "\ufeff<?xml version=\"1.0\"?>\r\n" + strings.ReplaceAll(good, "><", ">\r\n  <"),
		"folded base64":          strings.Replace(good, d.Skey, "\n"+d.Skey[:64]+"\r\n "+d.Skey[64:]+"\n", 1),
		"namespace":              strings.Replace(good, "<PidData>", `<PidData xmlns="http://example.invalid/rd" xmlns:x="y" x:z="1">`, 1),
	}
	for name, text := range accepted {
		if _, err := Open([]byte(text), h.key, h.authority); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused := map[string]string{
		"empty":             "",
		"no XML":            "hello",
		"other root":        "<html></html>",
		"cut off":           good[:len(good)/2],
		"DTD":               `<!DOCTYPE PidData [<!ENTITY a "b">]>` + good,
		"missing Hmac":      strings.Replace(good, "Hmac>", "Other>", 2),
		"two Data":          strings.Replace(good, "</PidData>", "<Data></Data></PidData>", 1),
		"twice the same":    good + good,
		"too deep":          "<PidData>" + strings.Repeat("<a>", 20),
		"too many elements": "<PidData>" + strings.Repeat("<a/>", 200) + "</PidData>",
		"too large":         good + strings.Repeat(" ", MaxPidData),
		"attribute twice":   strings.Replace(good, `errCode="0"`, `errCode="0" errCode="1"`, 1),
	}
	for name, text := range refused {
		_, err := Open([]byte(text), h.key, h.authority)
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A PID block sealed with a clear ts of its own is a construction that no
// honest device makes.
func TestOpenSealedTime(t *testing.T) {
	h := testKeys(t)
	pid, err := Block(captured, "", dc, []Sample{{"FMR", "UNKNOWN", []byte("x")}}, h.device, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Seal(pid, captured.Add(time.Hour), h.authority, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(doc{s, dc, h.mc}.xml(), h.key, h.authority); !errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
	s, err = Seal([]byte(`<Pid ts="2026-11-21T10:15:30"><Bios/></Pid>`), captured, h.authority, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(doc{s, dc, h.mc}.xml(), h.key, h.authority); !errors.Is(err, ErrMalformed) {
		t.Errorf("no biometric: got %v", err)
	}
}

func TestTemplate(t *testing.T) {
	seen := map[string]string{}
	for _, aadhaar := range []string{"999941057058", "999971658847"} {
		for _, finger := range Fingers() {
			b := Template(aadhaar, finger)
			if !bytes.Equal(b, Template(aadhaar, finger)) {
				t.Fatalf("%s is not deterministic", finger)
			}
			if string(b[:8]) != "FMR\x00 20\x00" || int(binary.BigEndian.Uint32(b[8:])) != len(b) {
				t.Errorf("%s is no finger minutiae record of its own length", finger)
			}
			if who, twice := seen[string(b)]; twice {
				t.Errorf("%s of %s equals %s", finger, aadhaar[8:], who)
			}
			seen[string(b)] = finger
			if got, ok := Match(aadhaar, b); !ok || got != finger {
				t.Errorf("%s matches %q", finger, got)
			}
		}
	}
	if len(Fingers()) != 10 || Template("999941057058", "NOSE") != nil {
		t.Error("there are ten fingers and no others")
	}
	if _, ok := Match("999941057058", nil); ok {
		t.Error("nothing matches a finger")
	}
}

func TestMask(t *testing.T) {
	raw := newRaw([]byte("CANARYCANARY"))
	type outer struct {
		Shown  Bio
		hidden Bio
	}
	o := outer{Bio{Raw: raw}, Bio{Raw: raw}}
	js, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "raw", raw, "bio", o.Shown)
	text := string(js) + log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q", "%d"} {
		text += fmt.Sprintf(verb, raw) + fmt.Sprintf(verb, o) + fmt.Sprintf(verb, &o.hidden) + fmt.Sprintf(verb, Sealed{Data: "CANARY"})
	}
	for _, form := range []string{"CANARY", fmt.Sprintf("%x", "CANARY"), fmt.Sprint([]byte("CANARY"))[1:15], "Q0FOQVJZ"} {
		if strings.Contains(text, form) {
			t.Errorf("a biometric was printed as %s", form)
		}
	}
}

func FuzzOpen(f *testing.F) {
	h := testKeys(f)
	good := seal(f, h, "", Sample{"FMR", "UNKNOWN", []byte("template")}).xml()
	f.Add(good)
	f.Add([]byte("<PidData/>"))
	f.Add([]byte("\ufeff<PidData><Data>!</Data></PidData>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		pid, err := Open(b, h.key, h.authority)
		if err == nil && len(pid.Bios) == 0 {
			t.Error("opened without a biometric")
		}
	})
}
