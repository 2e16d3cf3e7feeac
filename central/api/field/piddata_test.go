package field

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/rdservice"
)

const (
	aadhaar = "999941057058"
	pid     = `<PidData><Resp errCode="0"/><Skey ci="20221021">c2tleQ==</Skey><Hmac>aG1hYw==</Hmac><Data type="X">ZGF0YWNhbmFyeQ==</Data></PidData>`
)

func TestPidData(t *testing.T) {
	parts := `<Skey ci="2022">a</Skey><Hmac>b</Hmac><Data>c</Data>`
	good := `<Resp errCode="0"/>`
	for text, want := range map[string]string{
		pid: "", "\ufeff<?xml version=\"1.0\"?>\n" + pid + "\n<!-- x -->": "",
		`<PidData><Data type="X"><![CDATA[c]]></Data><Resp errInfo="" errCode=" 0 "/><Hmac>b</Hmac><Skey>a</Skey></PidData>`: "",
		"<PidData>" + parts + "</PidData>":                                                "piddata",
		"<PidData>" + good + good + parts + "</PidData>":                                  "piddata",
		"<PidData><Resp errCode='0' errCode='700'/>" + parts + "</PidData>":               "piddata",
		"<PidData><Resp/>" + parts + "</PidData>":                                         "capture",
		"<PidData><Resp errCode='00'/>" + parts + "</PidData>":                            "capture",
		"<PidData><Resp errCode='-1509'/></PidData>":                                      "capture",
		"<PidData>" + good + "<Skey> </Skey><Hmac>b</Hmac><Data>c</Data></PidData>":       "piddata",
		"<PidData>" + good + "<Skey>a</Skey><Hmac/><Data>c</Data></PidData>":              "piddata",
		"<PidData>" + good + "<Skey>a</Skey><Hmac>b</Hmac></PidData>":                     "piddata",
		"<PidData>" + good + "<x>" + parts + "</x></PidData>":                             "piddata",
		"<PidData>" + good + parts:                                                        "piddata",
		pid + pid:                                                                         "piddata",
		pid + "x":                                                                         "piddata",
		"<Pid>" + good + parts + "</Pid>":                                                 "piddata",
		"":                                                                                "piddata",
		`<!DOCTYPE PidData [<!ENTITY a "aaaa">]>` + pid:                                   "piddata",
		"<PidData>" + good + "<Skey>&a;</Skey><Hmac>b</Hmac><Data>c</Data></PidData>":     "piddata",
		"<PidData>" + strings.Repeat("<a/>", 200) + "</PidData>":                          "piddata",
		"<PidData>" + strings.Repeat("<a>", 9) + strings.Repeat("</a>", 9) + "</PidData>": "piddata",
		`<?xml version="1.0" encoding="UTF-16"?>` + pid:                                   "",
		"\ufeff<?xml version=\"1.1\"?>\ufeff\r\n" + pid + "\r\n\x00":                      "",
		strings.ToLower(pid):                                                              "",
		strings.Replace(pid, "<Resp ", `<Resp x:errCode="720" `, 1):                       "",
	} {
		rule, message := checkPidData(text)
		if rule != want || (rule == "") != (message == "") {
			t.Errorf("%.120s: %q %q, want %q", text, rule, message, want)
		}
	}
	if _, message := checkPidData("<PidData><Resp errCode='700'/></PidData>"); !strings.HasSuffix(message, "700") {
		t.Errorf("the device's code is not named: %q", message)
	}
	if _, message := checkPidData("<PidData><Resp errCode='" + aadhaar + "'/></PidData>"); strings.Contains(message, aadhaar) {
		t.Errorf("foreign text is quoted: %q", message)
	}
}

// TestPidDataOfRealDevices reads the replies of real registered-device services
// beside the repository.
func TestPidDataOfRealDevices(t *testing.T) {
	folder := "../../../../shared/rd-fixtures"
	files, err := filepath.Glob(filepath.Join(folder, "*.xml"))
	if err != nil || len(files) == 0 {
		t.Skipf("no replies of real devices are at %s: they lie in the folder shared beside the repository", folder)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		rule, message := checkPidData(string(text))
		want := "piddata"
		switch {
		case strings.HasSuffix(name, "success.xml"):
			want = ""
		case strings.Contains(name, "piddata"):
			want = "capture"
		}
		if rule != want {
			t.Errorf("%s: %q %q, want %q", name, rule, message, want)
		}
		if _, plain := scanPlainPidData(string(text)); !plain && want == "" {
			t.Errorf("%s: a real capture is left to encoding/xml", name)
		}
	}
}

// TestPlainPidData: what the plain scanner takes, and what it leaves to encoding/xml.
func TestPlainPidData(t *testing.T) {
	for text, want := range map[string]bool{
		pid: true, strings.ToLower(pid): true, "\ufeff<?xml version='1.0'?>\r\n" + pid + "\r\n\x00": true,
		strings.ReplaceAll(pid, `"`, "'"): true, strings.Replace(pid, "<Hmac>", "<Hmac >\t", 1): true,
		"<PidData></PidData>": true, "<PidData/>": true,
		"": false, "x": false, "<": false, "<PidData": false, "<PidData>": false, "<PidData/": false, "<PidData a=": false, "<PidData a='": false,
		pid + pid: false, pid + "x": false, "x" + pid: false, "<Pid></Pid>": false, "<PidData></piddata>": false, "<PidData></PidData": false,
		strings.Replace(pid, "c2tleQ==", "&amp;", 1): false, strings.Replace(pid, "c2tleQ==", "]]>", 1): false, strings.Replace(pid, "20221021", "a<b", 1): false,
		strings.Replace(pid, "c2tleQ==", "<![CDATA[x]]>", 1): false, strings.Replace(pid, "c2tleQ==", "é", 1): false, strings.Replace(pid, "c2tleQ==", "\x01", 1): false,
		strings.Replace(pid, "<Skey", "<!-- --><Skey", 1): false, strings.Replace(pid, "<Skey ", "<Skey x:y='' ", 1): false,
		strings.Replace(pid, "<Skey", "<Resp errCode='0'/><Skey", 1): false, strings.Replace(pid, "/>", " ErrCode='0'/>", 1): false,
		"<PidData>" + strings.Repeat("<a/>", 200) + "</PidData>":                          false,
		"<PidData>" + strings.Repeat("<a>", 9) + strings.Repeat("</a>", 9) + "</PidData>": false,
	} {
		if _, plain := scanPlainPidData(text); plain != want {
			t.Errorf("%.120s: plain is %v, want %v", text, plain, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { scanPlainPidData(pid) }); n != 0 {
		t.Errorf("the plain scanner allocates %v times", n)
	}
}

// FuzzScanPlainPidData: what the plain scanner takes, encoding/xml takes and reads in the
// same way.
func FuzzScanPlainPidData(f *testing.F) {
	for _, text := range []string{
		pid, strings.ReplaceAll(pid, `"`, "'"), "\ufeff<?xml version='1.1'?>\r\n" + pid + "\r\n\x00",
		strings.Replace(pid, "c2tleQ==", "<![CDATA[x]]>&lt;&#65;]]<!-- - --><?x y?>", 1),
		strings.Replace(pid, "<PidData>", `<rd:PidData xmlns:rd="" rd:a='b' xml:c="d">`, 1),
		strings.Replace(pid, "<Resp ", `<Resp errInfo = "]]>"  a='"'`+"\n\t", 1),
		"<PidData>" + strings.Repeat("<a_-.9>", 7) + strings.Repeat("</a_-.9 >", 7) + "</PidData>",
	} {
		f.Add(text)
	}
	files, _ := filepath.Glob("../../../../shared/rd-fixtures/*.xml") // they lie beside the repository, or not
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, plain := scanPlainPidData(text)
		if !plain {
			return
		}
		same, err := scanPidData(text)
		if err != nil || same != c {
			t.Errorf("%q is read as %+v, and by encoding/xml as %+v, %v", text, c, same, err)
		}
	})
}

func BenchmarkPidData(b *testing.B) {
	text := strings.Replace(pid, "ZGF0", strings.Repeat("ZGF0", 1000), 1)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if rule, _ := checkPidData(text); rule != "" {
			b.Fatal(rule)
		}
	}
}

func FuzzPidData(f *testing.F) {
	f.Add(pid)
	f.Add(`<!DOCTYPE x><PidData><Resp errCode="700"/></PidData>`)
	f.Add(`<PidData><Resp errCode="0"/><Skey><![CDATA[x]]></Skey></PidData>`)
	f.Fuzz(func(t *testing.T, text string) {
		rule, message := checkPidData(text)
		if (rule == "") != (message == "") {
			t.Fatalf("rule %q, message %q", rule, message)
		}
		if rule == "" && (!strings.Contains(text, "errCode") || !strings.Contains(text, "PidData")) {
			t.Fatal("accepted what is no capture")
		}
	})
}

// What the counter takes for a capture, the central takes: otherwise a finger
// is asked for in vain. (The central may take more: programs of merchants have
// readers of their own.)
func FuzzPidDataOfTheCounter(f *testing.F) {
	for _, text := range []string{
		pid, "\ufeff<?xml version='1.1' encoding='utf-16'?>\ufeff\r\n" + pid + " \x00", strings.ToLower(pid),
		strings.Replace(pid, "<Resp ", `<Trace><Resp errCode="720"/></Trace><Resp x:errCode="7" `, 1),
		strings.Replace(pid, "<PidData>", `<rd:PidData xmlns:rd="x">`+strings.Repeat("<a/>", 80), 1),
		strings.Replace(pid, `"0"`, `" 0 "`, 1), strings.Replace(pid, `"0"`, `"000"`, 1),
		strings.Replace(pid, "c2tleQ==", "<![CDATA[c2tleQ==]]><?x?><!-- -->", 1),
		strings.Repeat("<a>", 7) + strings.Repeat("</a>", 7), `<PidData><Resp errCode="0"/>`,
	} {
		f.Add([]byte(text))
		f.Add([]byte(strings.Replace(pid, "<Skey", text+"<Skey", 1)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := rdservice.ParsePidData(b)
		if err != nil || !r.OK() {
			return
		}
		if rule, message := checkPidData(string(b)); rule != "" {
			t.Errorf("the counter takes %q, and the central says: %s", b, message)
		}
	})
}
