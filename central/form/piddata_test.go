package form

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		`<?xml version="1.0" encoding="UTF-16"?>` + pid:                                   "piddata",
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
	folder := "../../../shared/rd-fixtures"
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
