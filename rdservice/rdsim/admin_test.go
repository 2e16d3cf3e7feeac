package rdsim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAdmin(t *testing.T) {
	d, address, _ := start(t, Config{})
	if got := post(t, address+"/sim/finger", `{"aadhaar":"999955183433","finger":"LEFT_THUMB","quality":33}`, 200); got != `{"aadhaar":"XXXXXXXX3433","finger":"LEFT_THUMB","quality":33}`+"\n" {
		t.Error(got)
	}
	post(t, address+"/sim/finger", `{"quality":0}`, 200)
	if g := d.glass; g.quality != 0 || g.finger != "LEFT_THUMB" || !g.resident.equal(newResident("999955183433")) {
		t.Errorf("%+v", g)
	}
	if got := post(t, address+"/sim/device", `{"profile":"morpho","status":"NOTREADY","warmup":3}`, 200); got != `{"profile":"morpho","status":"NOTREADY","warmup":3,"capturing":false}`+"\n" {
		t.Error(got)
	}
	if got := post(t, address+"/sim/script", `[{"errCode":-1509},{"hang":true,"truncate":false}]`, 200); got != `[{"errCode":"-1509"},{"hang":true}]`+"\n" {
		t.Error(got)
	}
	for path, want := range map[string]string{
		"/sim/finger": `{"aadhaar":"XXXXXXXX3433","finger":"LEFT_THUMB","quality":0}`, "/sim/device": `"warmup":3`,
		"/sim/script": `"hang":true`, "/sim/journal": `[]`,
	} {
		if _, body := raw(t, "GET", address+path, ""); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
	if got := post(t, address+"/sim/script", `[]`, 200); got != "[]\n" {
		t.Error(got)
	}
}

func TestAdminBadInput(t *testing.T) {
	d, address, _ := start(t, Config{})
	before, beforeGlass := d.view(), d.glass.view()
	for _, tt := range []struct{ path, body, fields string }{
		{"finger", `{"aadhaar":"999941057059","finger":"NOSE","quality":101,"x":1}`, "aadhaar finger quality x"},
		{"finger", `{"aadhaar":999941057058,"finger":1,"quality":"high"}`, "aadhaar finger quality"},
		{"finger", `{"aadhaar":"","quality":1.5}`, "aadhaar quality"},
		{"finger", `{"aadhaar":"12345678901x"}`, "aadhaar"},
		{"finger", `[]`, "body"},
		{"finger", ``, "body"},
		{"finger", `null`, "body"},
		{"finger", strings.Repeat(" ", maxBody+1), "body"},
		{"device", `{"profile":"x","status":"ready","warmup":-1}`, "profile status warmup"},
		{"device", `{"warmup":1001,"y":null}`, "warmup y"},
		{"device", `"x"`, "body"},
		{"script", `{}`, "body"},
		{"script", `null`, "body"},
		{"script", "[" + strings.Repeat("{},", maxScript) + "{}]", "body"},
		{"script", `[{},{"errCode":true,"errInfo":1,"qScore":[],"delayMs":-1,"hang":"yes","reset":1,"truncate":"x","httpStatus":99,"z":0}]`,
			"[1].delayMs [1].errCode [1].errInfo [1].hang [1].httpStatus [1].qScore [1].reset [1].truncate [1].z"},
		{"script", `[1]`, "[0].body"},
		{"script", `[{"errInfo":"` + strings.Repeat("x", 300) + `","nmPoints":"` + strings.Repeat("1", 300) + `"}]`, "[0].errInfo [0].nmPoints"},
	} {
		var got struct{ Errors []fault }
		if err := json.Unmarshal([]byte(post(t, address+"/sim/"+tt.path, tt.body, 400)), &got); err != nil {
			t.Fatal(err)
		}
		var fields []string
		for _, f := range got.Errors {
			fields = append(fields, f.Field)
		}
		if !slices.Equal(fields, strings.Fields(tt.fields)) {
			t.Errorf("%s: wrong are %q, want %q", clip(tt.body), fields, tt.fields)
		}
	}
	if d.view() != before || d.glass.view() != beforeGlass {
		t.Error("a refused request changed something")
	}
}

func TestForeign(t *testing.T) {
	_, address, _ := start(t, Config{})
	host := strings.TrimPrefix(address, "http://")
	for _, tt := range []struct {
		name, method, path string
		header             map[string]string
		want               int
	}{
		{"own page", "POST", "/sim/finger", map[string]string{"Origin": address, "Sec-Fetch-Site": "same-origin"}, 200},
		{"a program", "POST", "/sim/finger", nil, 200},
		{"localhost", "POST", "/sim/finger", map[string]string{"Host": "localhost:1"}, 200},
		{"foreign origin", "POST", "/sim/finger", map[string]string{"Origin": "https://evil.example"}, 403},
		{"origin of another port", "POST", "/sim/device", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"null origin", "POST", "/sim/script", map[string]string{"Origin": "null"}, 403},
		{"foreign name", "POST", "/sim/finger", map[string]string{"Host": "evil.example"}, 403},
		{"foreign name reads", "GET", "/sim/journal", map[string]string{"Host": "evil.example:80"}, 403},
		{"another site", "POST", "/page/device", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another site reads", "GET", "/sim/finger", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"a link", "GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
		{"typed", "GET", "/", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{"method", "DELETE", "/sim/journal", nil, 405},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, address+tt.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range tt.header {
			req.Header.Set(name, value)
		}
		req.Host = orElse(tt.header["Host"], host)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s: HTTP %d", tt.name, resp.StatusCode)
		}
	}
}

func TestPage(t *testing.T) {
	var log bytes.Buffer
	d := newDevice(t, Config{}, &log)
	server := httptest.NewServer(d)
	defer server.Close()
	client := server.Client()
	send := func(path string, form url.Values) (int, string) {
		t.Helper()
		resp, err := client.PostForm(server.URL+path, form)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	h, page := raw(t, "GET", server.URL+"/", "")
	for _, c := range customers() {
		if !strings.Contains(page, c.Name) || !strings.Contains(page, c.Aadhaar.String()) {
			t.Errorf("%s is not on the page", c.Name)
		}
	}
	if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(page, "//cdn") {
		t.Errorf("policy %q", csp)
	}
	if _, css := raw(t, "GET", server.URL+"/style.css", ""); !strings.Contains(css, "main") {
		t.Error("no style")
	}
	status, body := send("/page/finger", url.Values{"customer": {"3"}, "aadhaar": {""}, "finger": {"LEFT_LITTLE"}, "quality": {"41"}})
	if status != 200 || !strings.Contains(body, "Fatima Bedi, XXXXXXXX9405") || d.glass.quality != 41 {
		t.Errorf("HTTP %d %s", status, body)
	}
	send("/page/finger", url.Values{"customer": {"other"}, "aadhaar": {"999990501894"}, "finger": {"LEFT_LITTLE"}, "quality": {"41"}})
	if !d.glass.resident.equal(newResident("999990501894")) {
		t.Error("another number was not taken")
	}
	for path, form := range map[string]url.Values{
		"/page/finger": {"customer": {"other"}, "quality": {"900"}},
		"/page/device": {"status": {"BROKEN"}, "warmup": {"many"}},
		"/page/next":   {"outcome": {"99"}},
	} {
		if status, body := send(path, form); status != 400 || !strings.Contains(body, "Nothing was changed") {
			t.Errorf("%s: HTTP %d", path, status)
		}
	}
	if status, _ := send("/page/else", nil); status != 404 {
		t.Errorf("HTTP %d", status)
	}
	send("/page/device", url.Values{"status": {"READY"}, "profile": {"startek"}, "warmup": {"1"}})
	send("/page/next", url.Values{"outcome": {"1"}})
	if v := d.view(); v.Profile != "startek" || v.Warmup != 1 || len(d.script) != 1 || d.script[0].ErrCode != "730" {
		t.Errorf("%+v, %+v", v, d.script)
	}
	for range 3 {
		raw(t, "CAPTURE", server.URL+"/rd/capture", safeOptions)
	}
	_, page = raw(t, "GET", server.URL+"/", "")
	_, journal := raw(t, "GET", server.URL+"/sim/journal", "")
	if !strings.Contains(page, "730 Capture failed") || !strings.Contains(page, "-1509") {
		t.Errorf("the captures are not on the page: %s", page)
	}
	// Neither Aadhaar numbers nor payloads leave by page, journal or log.
	everything := page + journal + log.String()
	for _, c := range customers() {
		if strings.Contains(everything, c.Aadhaar.reveal()) {
			t.Errorf("the Aadhaar number of %s was shown", c.Name)
		}
	}
	if strings.Contains(everything, "<Data") || strings.Contains(everything, "Skey") {
		t.Error("a payload was shown")
	}
}

func TestJournalIsBounded(t *testing.T) {
	d := newDevice(t, Config{}, io.Discard)
	for i := range maxJournal + 5 {
		d.record(Entry{ErrCode: fmt.Sprint(i)})
	}
	if j := d.Journal(); len(j) != maxJournal || j[0].ErrCode != "5" {
		t.Errorf("%d entries from %s", len(j), j[0].ErrCode)
	}
	if got := excerpt([]byte("\x00\x01")); got != "AAE=" {
		t.Error(got)
	}
	if got := excerpt(make([]byte, excerptLen+1)); got != "2049 bytes" {
		t.Error(got)
	}
}

// Exactly one check digit fits each eleven digits.
func TestVerhoeff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.StringMatching("[0-9]{11}").Draw(t, "head")
		right := 0
		for c := range 10 {
			if _, ok := parseResident(head + fmt.Sprint(c)); ok {
				right++
			}
		}
		if right != 1 {
			t.Errorf("%d check digits fit", right)
		}
	})
	for _, c := range customers() {
		if _, ok := parseResident(c.Aadhaar.reveal()); !ok {
			t.Errorf("%s has no valid number", c.Name)
		}
	}
}

func FuzzReadScript(f *testing.F) {
	f.Add([]byte(`[{"errCode":"700","delayMs":5},{"truncate":true}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		script, faults := readScript(b)
		for _, o := range script {
			if len(faults) == 0 && (o.DelayMs < 0 || len(o.ErrInfo) > maxText) {
				t.Errorf("accepted %+v", o)
			}
		}
	})
}

// TestTrustedPage: a page of a named origin may capture and place a finger, and read the
// answers; it may nothing else, and other pages may neither.
func TestTrustedPage(t *testing.T) {
	const page = "http://127.0.0.1:7100"
	_, address, _ := start(t, Config{Origins: []string{page}})
	capture := `<PidOptions ver="1.0"><Opts fCount="1" fType="2" format="0" pidVer="2.0" timeout="10000" env="P"/></PidOptions>`
	for _, tt := range []struct {
		name, method, path, body, origin, asks string
		want                                   int
		readable                               bool
	}{
		{"capture", "CAPTURE", "/rd/capture", capture, page, "", 200, true},
		{"finger", "POST", "/sim/finger", `{"finger":"LEFT_THUMB"}`, page, "", 200, true},
		{"asks to capture", "OPTIONS", "/rd/capture", "", page, "CAPTURE", 204, true},
		{"asks to place a finger", "OPTIONS", "/sim/finger", "", page, "POST", 204, true},
		{"another page captures", "CAPTURE", "/rd/capture", capture, "http://127.0.0.1:7200", "", 200, false},
		{"another page asks", "OPTIONS", "/rd/capture", "", "https://evil.example", "CAPTURE", 403, false},
		{"another page's finger", "POST", "/sim/finger", `{}`, "https://evil.example", "", 403, false},
		{"script", "POST", "/sim/script", `[]`, page, "", 403, false},
		{"asks for the script", "OPTIONS", "/sim/script", "", page, "POST", 403, false},
		{"journal", "GET", "/sim/journal", "", page, "", 403, false},
		{"a program", "POST", "/sim/finger", `{}`, "", "", 200, false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, address+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Origin": tt.origin, "Access-Control-Request-Method": tt.asks} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		if tt.origin != "" {
			req.Header.Set("Sec-Fetch-Site", "same-site")
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		allowed := resp.Header.Get("Access-Control-Allow-Origin")
		if resp.StatusCode != tt.want || (allowed == page) != tt.readable || !tt.readable && allowed != "" {
			t.Errorf("%s: HTTP %d, readable by %q", tt.name, resp.StatusCode, allowed)
		}
	}
}
