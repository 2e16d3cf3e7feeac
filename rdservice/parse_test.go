package rdservice

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"galla/shared/ist"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// fixture reads a reply of a real service in its real shape.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "shared", "rd-fixtures", name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the fixture folder ../shared/rd-fixtures is not beside the repository: %s cannot be checked", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFixturesRDService(t *testing.T) {
	for name, want := range map[string]Announcement{
		"mantra-windows-ready.xml": {Ready, "Mantra Authentication Vendor Device Manager", "/rd/info", "/rd/capture"},
		"morpho-windows-notready.xml": {NotReady, "Morpho_RD_Service",
			"/127.0.0.1:11102/getDeviceInfo", "/127.0.0.1:11102/capture"},
	} {
		got, err := ParseRDService(fixture(t, name))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestFixturesPidData(t *testing.T) {
	ist := func(y int, m time.Month, d, h, min, s int) time.Time {
		return time.Date(y, m, d, h, min, s, 0, ist.Zone())
	}
	ends := time.Date(2026, 12, 21, 6, 53, 32, 0, time.UTC)
	tests := []struct {
		file      string
		code      string
		q, nm     Scores
		at        time.Time
		serial    string
		level     Level
		ends      time.Time
		ci        string
		judgement Action // when fresh
	}{
		{"mantra-android-mfs100-success.xml", "0", Scores{100}, Scores{34}, ist(2021, 9, 1, 11, 25, 26), "SIM0000001", L0, ends, "20200916", Accept},
		{"mantra-windows-mfs100-success.xml", "0", Scores{71}, Scores{46}, ist(2022, 1, 13, 18, 54, 3), "SIM0000001", L0, ends, "20221021", Accept},
		{"mantra-piddata-minus1509-starting.xml", "-1509", nil, nil, time.Time{}, "", "", time.Time{}, "", RetryDevice},
		{"piddata-700-timed-out.xml", "700", Scores{0}, Scores{0}, time.Time{}, "", "", time.Time{}, "", RetryCustomer},
		{"piddata-720-not-ready.xml", "720", Scores{88}, Scores{77}, time.Time{}, "aaa", "", time.Time{}, "", RetryDevice},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			r, err := ParsePidData(fixture(t, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if r.ErrCode != tt.code || !reflect.DeepEqual(r.QScore, tt.q) || !reflect.DeepEqual(r.NmPoints, tt.nm) ||
				!r.CapturedAt.Equal(tt.at) || r.CI != tt.ci {
				t.Errorf("read %+v", r)
			}
			d := r.Device
			if d.Serial != tt.serial || d.Level != tt.level || d.CertificateEnds.Round(time.Minute) != tt.ends.Round(time.Minute) {
				t.Errorf("device %+v", d)
			}
			if j := Judge(Finger, r, tt.at.Add(time.Second)); j.Action != tt.judgement {
				t.Errorf("judged %+v", j)
			}
		})
	}
}

// pidData is a successful reply with a hole for each part.
func pidData(resp, data string) string {
	return `<PidData><Resp ` + resp + `/><DeviceInfo dpId="SIM.T" mc=""/><Skey ci="20300101">QUJD</Skey><Hmac>QUJD</Hmac><Data type="X">` + data + `</Data></PidData>`
}

// someData is base64 of a Data that was captured on 21 November 2026, 10:15:30.
var someData = base64.StdEncoding.EncodeToString([]byte("2026-11-21T10:15:30 and sealed bytes"))

func TestParsePidData(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 15, 30, 0, ist.Zone())
	good := pidData(`errCode="0" qScore="71" nmPoints="46"`, someData)
	tests := map[string]struct {
		text string
		code string
		q    Scores
	}{
		"plain":                {good, "0", Scores{71}},
		"BOM and CRLF":         {"\ufeff\r\n" + strings.ReplaceAll(good, "><", ">\r\n\t<"), "0", Scores{71}},
		"declared as UTF-16":   {`<?xml version="1.0" encoding="utf-16"?>` + good, "0", Scores{71}},
		"XML 1.1":              {`<?xml version="1.1" standalone="yes"?>` + good, "0", Scores{71}},
		"trailing zero bytes":  {good + "\r\n\x00\x00", "0", Scores{71}},
		"namespaces":           {strings.Replace(strings.Replace(good, "<PidData>", `<rd:PidData xmlns:rd="x" xmlns:xsi="y" xsi:z="1">`, 1), "</PidData>", "</rd:PidData>", 1), "0", Scores{71}},
		"other letter case":    {strings.NewReplacer("errCode", "ERRCODE", "qScore", "QSCORE").Replace(good), "0", Scores{71}},
		"spaces in attributes": {pidData(`errCode=" 0 " qScore=" 71 "`, someData), "0", Scores{71}},
		"lists":                {pidData(`errCode="0" qScore="71, 64" nmPoints="46,,31"`, someData), "0", Scores{71, 64}},
		"decimals and rubbish": {pidData(`errCode="0" qScore="71.9,x,1e99"`, someData), "0", Scores{71}},
		"blank scores":         {pidData(`errCode="0" qScore=" " nmPoints=""`, someData), "0", nil},
		"folded data":          {pidData(`errCode="0" qScore="5"`, "\n MjAyNi0xMS0\r\n"+strings.TrimPrefix(someData, "MjAyNi0xMS0")+"\n"), "0", Scores{5}},
		"comment":              {"<!-- x -->" + good + "<!-- y -->", "0", Scores{71}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParsePidData([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if r.ErrCode != tt.code || !reflect.DeepEqual(r.QScore, tt.q) || !r.OK() || !r.CapturedAt.Equal(at) {
				t.Errorf("read %+v", r)
			}
		})
	}
	t.Run("unescaped ampersand in an error", func(t *testing.T) {
		r, err := ParsePidData([]byte(`<PidData><Resp errCode="720" errInfo="unplugged & gone"/></PidData>`))
		if err != nil || r.ErrInfo != "unplugged & gone" {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("face of 180 KB", func(t *testing.T) {
		r, err := ParsePidData([]byte(pidData(`errCode="0"`, someData+strings.Repeat("A", 180<<10))))
		if err != nil || !r.CapturedAt.Equal(at) {
			t.Errorf("%v, %v", r.CapturedAt, err)
		}
	})
	t.Run("no time in Data", func(t *testing.T) {
		r, err := ParsePidData([]byte(pidData(`errCode="0"`, "QUJD")))
		if err != nil || !r.CapturedAt.IsZero() {
			t.Errorf("%v, %v", r.CapturedAt, err)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	good := pidData(`errCode="0"`, someData)
	utf16le := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(good)) {
		utf16le = append(utf16le, byte(u), byte(u>>8))
	}
	tests := map[string]string{
		"empty":                   "",
		"blank":                   " \r\n",
		"no XML":                  "ERROR",
		"HTML":                    "<html><body>Not found</body></html>",
		"only a declaration":      `<?xml version="1.0"?>`,
		"DTD":                     `<!DOCTYPE PidData SYSTEM "file:///etc/passwd">` + good,
		"entity bomb":             `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + good,
		"unknown entity":          strings.Replace(good, "SIM.T", "&boom;", 1),
		"UTF-16 with mark":        string(utf16le),
		"UTF-16 without mark":     string(utf16le[2:]),
		"cut off":                 good[:len(good)-12],
		"cut off inside a tag":    good[:20],
		"text behind":             good + "x",
		"two roots":               good + good,
		"tags crossed":            strings.Replace(good, "</Skey><Hmac>", "</Hmac><Skey>", 1),
		"attribute twice":         pidData(`errCode="0" errCode="1"`, someData),
		"no Resp":                 "<PidData></PidData>",
		"no errCode":              `<PidData><Resp errInfo="x"/></PidData>`,
		"blank errCode":           `<PidData><Resp errCode=" "/></PidData>`,
		"captured without Data":   strings.Replace(good, someData, " ", 1),
		"captured without Hmac":   strings.Replace(good, "<Hmac>QUJD</Hmac>", "", 1),
		"captured, slips in XML":  pidData(`errCode="0" errInfo="a & b"`, someData),
		"deep":                    "<PidData>" + strings.Repeat("<a>", 30) + strings.Repeat("</a>", 30) + "</PidData>",
		"many elements":           "<PidData>" + strings.Repeat("<a/>", 1000) + "</PidData>",
		"too large":               good + strings.Repeat(" ", MaxReply),
		"zero byte in the middle": strings.Replace(good, "SIM.T", "SIM\x00T", 1),
	}
	var attrs strings.Builder
	for i := range 100 {
		attrs.WriteString(" a" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `="1"`)
	}
	tests["many attributes"] = "<PidData" + attrs.String() + "><Resp errCode=\"0\"/></PidData>"
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := ParsePidData([]byte(text))
			if !errors.Is(err, ErrReply) {
				t.Fatalf("got %+v, %v", r, err)
			}
			if strings.Contains(err.Error(), "QUJD") || strings.Contains(err.Error(), someData[:10]) {
				t.Errorf("the error quotes the reply: %v", err)
			}
		})
	}
}

func TestParseRDService(t *testing.T) {
	tests := map[string]struct {
		text string
		want Announcement
	}{
		"order, spaces, case": {"<RDService info=' Some\n Maker '  status=' ready '><Interface path=' /c ' id=' capture '/><Interface path='/i' id='DEVICEINFO'/></RDService>",
			Announcement{Ready, "Some Maker", "/i", "/c"}},
		"NOTREADY contains READY": {`<RDService status="NOTREADY"/>`, Announcement{Status: NotReady}},
		"two words":               {`<RDService status="Not Ready"/>`, Announcement{Status: NotReady}},
		"used":                    {`<RDService status="Used"/>`, Announcement{Status: Used}},
		"a word of its own":       {`<RDService status="updating"/>`, Announcement{Status: "UPDATING"}},
		"first of each counts":    {`<RDService status="READY"><Interface id="CAPTURE" path=""/><Interface id="CAPTURE" path="/a"/><Interface id="CAPTURE" path="/b"/><Interface id="OTHER" path="/c"/></RDService>`, Announcement{Status: Ready, CapturePath: "/a"}},
		"unescaped ampersand":     {`<RDService status="READY" info="A & B"></RDService>`, Announcement{Status: Ready, Info: "A & B"}},
		"not UTF-8":               {"<RDService status=\"READY\" info=\"Ger\xe4t\"/>", Announcement{Status: Ready, Info: "Gerät"}},
		"control characters":      {"<RDService status=\"READY\" info=\"a&#xA;&#x2028;b\"/>", Announcement{Status: Ready, Info: "a b"}},
		"nested":                  {`<RDService status="READY"><Interfaces><Interface id="CAPTURE" path="/c"/></Interfaces></RDService>`, Announcement{Status: Ready, CapturePath: "/c"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseRDService([]byte(tt.text))
			if err != nil || got != tt.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for _, text := range []string{`<RDService/>`, `<RDService status=" "/>`, `<PidData/>`} {
		if _, err := ParseRDService([]byte(text)); !errors.Is(err, ErrReply) {
			t.Errorf("%s: %v", text, err)
		}
	}
	long, err := ParseRDService([]byte(`<RDService status="READY" info="` + strings.Repeat("ä", 1000) + `"/>`))
	if err != nil || len(long.Info) > maxText || !strings.HasSuffix(long.Info, "ä") {
		t.Errorf("%d bytes of info, %v", len(long.Info), err)
	}
}

func TestNormalPath(t *testing.T) {
	probed := &url.URL{Scheme: "http", Host: "127.0.0.1:11101"}
	for raw, want := range map[string]string{
		"/rd/capture":                          "/rd/capture",
		" /rd/capture ":                        "/rd/capture",
		"/rd/ capture\n":                       "/rd/capture",
		"rd/capture":                           "/rd/capture",
		"//rd//capture":                        "/rd/capture",
		"/rd/capture/":                         "/rd/capture",
		`\rd\capture`:                          "/rd/capture",
		"/rd/./x/../capture":                   "/rd/capture",
		"/127.0.0.1:11102/capture":             "/capture",
		"127.0.0.1:11101/capture":              "/capture",
		"localhost:11101/rd/capture":           "/rd/capture",
		"//127.0.0.1/capture":                  "/capture",
		"http://127.0.0.1:11100/rd/capture":    "/rd/capture",
		"HTTPS://LOCALHOST:11100/rd/capture":   "/rd/capture",
		"http:/127.0.0.1:11100//rd//capture":   "/rd/capture",
		"/http://127.0.0.1:11100/rd/capture":   "/rd/capture",
		"http://[::1]:11100/rd/capture":        "/rd/capture",
		"http://127.0.0.1:11100":               "/",
		"/rd/capture?a=1":                      "/rd/capture?a=1",
		"/rd/capture?back=http://evil.example": "/rd/capture?back=http://evil.example",
		"/rd/capture#x":                        "/rd/capture",
		"/v1.0/capture":                        "/v1.0/capture",
		"/a:b/capture":                         "/a:b/capture",
		"/x/../127.0.0.1:11100/capture":        "/capture",
		"":                                     "",
		"  ":                                   "",
	} {
		if got, err := normalPath(raw, probed); err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{
		"http://evil.example/rd/capture", "https://10.0.0.1:11100/rd/capture", "//evil.example/capture",
		"/evil.example:80/capture", "evil:443/x", "http://127.0.0.1@evil.example/x", "http://evil.example:11100",
		"/192.168.1.5/capture", "//[2001:db8::1]/x", "ftp://127.0.0.1/x", "/x/../evil.example:80/y",
		"http:///rd/capture/../../evil.example:1/x",
	} {
		if got, err := normalPath(raw, probed); !errors.Is(err, ErrForeignHost) {
			t.Errorf("%q became %q, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"/%zz", "/a\x01b", "/" + strings.Repeat("a", 1000)} {
		if got, err := normalPath(raw, probed); !errors.Is(err, ErrReply) {
			t.Errorf("%q became %q, %v", raw, got, err)
		}
	}
	far := &url.URL{Scheme: "http", Host: "10.1.1.1:11100"}
	if got, err := normalPath("http://10.1.1.1:9/x", far); err != nil || got != "/x" {
		t.Errorf("the probed host itself: %q, %v", got, err)
	}
	if _, err := normalPath("http://127.0.0.1/x", far); !errors.Is(err, ErrForeignHost) {
		t.Errorf("loopback is another host for a service elsewhere: %v", err)
	}
}

func TestParseDeviceInfo(t *testing.T) {
	tests := map[string]struct {
		text string
		want DeviceInfo
	}{
		"serial by name": {`<DeviceInfo dpId="MORPHO.SMARTCHIP" rdsId="R" rdsVer="1.2" mi="MSO1300E3RDL1" dc="D"><additional_info><Param value="x" name="ts"/><Param value=" S1 " name=" SrNo "/></additional_info></DeviceInfo>`,
			DeviceInfo{DPID: "MORPHO.SMARTCHIP", RDSID: "R", RDSVer: "1.2", MI: "MSO1300E3RDL1", DC: "D", Serial: "S1", Level: L1}},
		"level said":   {`<DeviceInfo mi="FM220"><additional_info><Param name="device_type" value="L1"/></additional_info></DeviceInfo>`, DeviceInfo{MI: "FM220", Level: L1}},
		"known model":  {`<DeviceInfo mi="MFS110" mc="garbage"/>`, DeviceInfo{MI: "MFS110", Level: L1}},
		"not ready":    {`<DeviceInfo dpId="" rdsId="" rdsVer="" dc="" mi="" mc=""/>`, DeviceInfo{}},
		"first serial": {`<DeviceInfo><Param name="srno" value="1"/><Param name="srno" value="2"/></DeviceInfo>`, DeviceInfo{Serial: "1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDeviceInfo([]byte(tt.text))
			if err != nil || got != tt.want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if _, err := ParseDeviceInfo([]byte("<PidData/>")); !errors.Is(err, ErrReply) {
		t.Error(err)
	}
	for words, want := range map[string]string{
		"SIM.GALLA SIM.001": "Simulator", "MANTRA.MSIPL MANTRA.WIN.001": "Mantra", "x.IDEMIA": "Morpho",
		"STARTEK.ACPL": "Startek", "SECUGEN.SGIPL": "SecuGen", "unheard of": "",
	} {
		if got := vendorOf(words); got != want {
			t.Errorf("%s is of %q", words, got)
		}
	}
}

// der makes one ASN.1 element with a length in the long form.
func der(tag byte, parts ...[]byte) []byte {
	var content []byte
	for _, p := range parts {
		content = append(content, p...)
	}
	return append([]byte{tag, 0x84, 0, 0, byte(len(content) >> 8), byte(len(content))}, content...)
}

func TestValidity(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "device"},
		NotBefore: time.Date(2026, 11, 1, 2, 3, 4, 0, time.UTC), NotAfter: time.Date(2027, 1, 30, 2, 3, 4, 0, time.UTC),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.StdEncoding.EncodeToString(raw)
	for name, mc := range map[string]string{
		"base64":           b64,
		"folded":           b64[:100] + "\n  " + b64[100:],
		"without padding":  strings.TrimRight(b64, "="),
		"URL alphabet":     base64.RawURLEncoding.EncodeToString(raw),
		"PEM":              string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})),
		"PEM on one line":  strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})), "\n", " "),
		"PEM encoded once": base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})),
	} {
		begins, ends, err := validity(mc)
		if err != nil || !begins.Equal(template.NotBefore) || !ends.Equal(template.NotAfter) {
			t.Errorf("%s: %v to %v, %v", name, begins, ends, err)
		}
	}
	// Certificates of the field that crypto/x509 refuses: a serial number with
	// needless zeros, padded lengths, a negative key.
	span := der(tagSequence, der(tagUTCTime, []byte("261101020304Z")), der(tagGeneralizedTime, []byte("20270130020304Z")))
	body := [][]byte{der(tagInteger, []byte{0, 0, 0, 7}), der(tagSequence), der(tagSequence), span, der(tagSequence, der(tagInteger, []byte{0xff}))}
	for name, tbs := range map[string][]byte{
		"version 3": der(tagSequence, append([][]byte{der(tagVersion, der(tagInteger, []byte{2}))}, body...)...),
		"version 1": der(tagSequence, body...),
	} {
		odd := der(tagSequence, tbs, der(tagSequence))
		if _, err := x509.ParseCertificate(odd); err == nil {
			t.Fatal("crypto/x509 accepts the test's odd certificate")
		}
		begins, ends, err := validity(base64.StdEncoding.EncodeToString(odd))
		if err != nil || !begins.Equal(template.NotBefore) || !ends.Equal(template.NotAfter) {
			t.Errorf("%s: %v to %v, %v", name, begins, ends, err)
		}
	}
	d, err := ParseDeviceInfo([]byte(`<DeviceInfo mi="X" mc="` + b64 + `"/>`))
	if err != nil || d.Level != L1 {
		t.Errorf("a life of 90 days is level %q, %v", d.Level, err)
	}
	for i := range raw[:200] {
		if _, _, err := validity(base64.StdEncoding.EncodeToString(raw[:i])); err == nil && i < 100 {
			t.Errorf("%d bytes of a certificate have a validity", i)
		}
	}
	for _, mc := range []string{"", "%%%", "MA==", "MIAA", "MIT/////////", "LS0tLS1CRUdJTi0="} {
		if _, _, err := validity(mc); err == nil {
			t.Errorf("%q has a validity", mc)
		}
	}
}

func FuzzParseRDService(f *testing.F) {
	f.Add([]byte(`<RDService status="READY" info="x"><Interface id="CAPTURE" path="/127.0.0.1:11102/capture"/></RDService>`))
	f.Add([]byte("\ufeff<?xml version='1.0'?>\r\n<RDService status=NOTREADY>"))
	probed := &url.URL{Scheme: "http", Host: "127.0.0.1:11100"}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseRDService(b)
		if err != nil {
			if !errors.Is(err, ErrReply) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		p, err := normalPath(a.CapturePath, probed)
		if err != nil || p == "" {
			return
		}
		u, err := url.Parse(probed.String() + p)
		if err != nil || u.Host != probed.Host || u.User != nil {
			t.Errorf("path %q leads to %v, %v", p, u, err)
		}
		if again, err := normalPath(p, probed); err != nil || again != p {
			t.Errorf("%q is not its own normal form: %q, %v", p, again, err)
		}
	})
}

func FuzzParseDeviceInfo(f *testing.F) {
	f.Add([]byte(`<DeviceInfo dpId="x" mc="MIIB"><additional_info><Param name="srno" value="1"/></additional_info></DeviceInfo>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseDeviceInfo(b)
		if err != nil && !errors.Is(err, ErrReply) {
			t.Errorf("an error of another kind: %v", err)
		}
		if len(d.Serial) > maxText || strings.ContainsAny(d.DPID+d.Serial, "\n\r\x00") {
			t.Errorf("words that are not fit to print: %q", d)
		}
	})
}

func FuzzParsePidData(f *testing.F) {
	f.Add([]byte(pidData(`errCode="0" qScore="71,64"`, someData)))
	f.Add([]byte(`<PidData><Resp errCode="-1509" errInfo="a & b"/></PidData>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParsePidData(b)
		if err != nil && !errors.Is(err, ErrReply) {
			t.Errorf("an error of another kind: %v", err)
		}
		if err == nil && r.ErrCode == "" {
			t.Error("a reply without a code")
		}
		Judge(Finger, r, time.Now())
	})
}

func FuzzValidity(f *testing.F) {
	f.Add("MIIDUzCCAjugAwIBAgIUaFuyUQ")
	f.Fuzz(func(t *testing.T, mc string) {
		if begins, ends, err := validity(mc); err == nil && (begins.IsZero() && ends.IsZero()) {
			t.Error("a validity without times")
		}
	})
}

// A reply is read while a customer waits: one of a finger, and one of a face.
func BenchmarkParsePidData(b *testing.B) {
	for name, size := range map[string]int{"finger": 1200, "face": 180 << 10} {
		text := []byte(pidData(`errCode="0" qScore="71" nmPoints="46"`, someData+strings.Repeat("QUJD", size/4)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParsePidData(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
