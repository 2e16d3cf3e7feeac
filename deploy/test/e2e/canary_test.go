//go:build linux

package e2e

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
)

// canary is one value that must not appear anywhere, in one of its spellings.
type canary struct {
	name  string
	bytes []byte
}

// secretScan is all canaries of a run.
type secretScan struct {
	canaries      []canary
	shortCanaries []shortCanary
}

// shortCanary is so short that longer values contain it by chance: it counts only if it
// stands by itself in a text.
type shortCanary struct {
	name    string
	pattern *regexp.Regexp
}

// add adds a value in clear text, in hex, and in base64 as it looks inside of a longer
// text.
func (c *secretScan) add(name, value string) {
	v := []byte(value)
	c.canaries = append(c.canaries, canary{name, v},
		canary{name + " in hex", []byte(hex.EncodeToString(v))},
		canary{name + " in hex", []byte(strings.ToUpper(hex.EncodeToString(v)))})
	for shift := range 3 {
		// The characters that the value alone decides, whatever stands before and after
		// it.
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), v...))
		from, to := (shift*8+5)/6, (shift+len(v))*8/6
		inner := text[from:to]
		c.canaries = append(c.canaries, canary{name + " in base64", []byte(inner)})
		if url := strings.NewReplacer("+", "-", "/", "_").Replace(inner); url != inner {
			c.canaries = append(c.canaries, canary{name + " in base64url", []byte(url)})
		}
	}
}

var element = regexp.MustCompile(`<(Data|Skey|Hmac)\b[^>]*>([^<]+)<`)

// addCapture adds the parts of a PidData: a piece from the middle of each, as text and
// as the bytes that it encodes.
func (c *secretScan) addCapture(n int, xml string) int {
	parts := element.FindAllStringSubmatch(xml, -1)
	for _, m := range parts {
		name := fmt.Sprintf("%s of capture %d", m[1], n)
		text := strings.Join(strings.Fields(m[2]), "")
		middle := len(text) / 8 * 4
		c.add(name, text[middle:min(len(text), middle+32)])
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			c.add(name+", decoded,", string(raw[len(raw)/2:min(len(raw), len(raw)/2+24)]))
		}
	}
	return len(parts)
}

// search finds the canaries in a text; where says what the text is.
func (c *secretScan) search(where string, text []byte, loose bool) []string {
	var found []string
	for _, one := range c.canaries {
		if i := bytes.Index(text, one.bytes); i >= 0 {
			found = append(found, fmt.Sprintf("%s holds %s at byte %d", where, one.name, i))
		}
	}
	if loose {
		for _, one := range c.shortCanaries {
			if m := one.pattern.FindIndex(text); m != nil {
				found = append(found, fmt.Sprintf("%s holds %s: …%s…", where, one.name, text[max(0, m[0]-40):min(len(text), m[1]+20)]))
			}
		}
	}
	return found
}

// TestCanary runs the system with known values, through successes, refusals, faults and
// a kill, and then looks for them everywhere.
func TestCanary(t *testing.T) {
	t.Parallel()
	traces := &traceCollector{spans: map[string][]*spans.Span{}}
	listener := httptest.NewServer(traces)
	t.Cleanup(listener.Close)
	h := startSandbox(t, "GALLA_BANK_TIMEOUT=3s", "OTEL_EXPORTER_OTLP_ENDPOINT="+listener.URL)
	h.leaveTraces(t)

	var c secretScan
	for _, a := range []string{choudhury, agarwal, fatima, pandey, kapoor} {
		c.add("Aadhaar number "+a[8:], a)
		c.add("Aadhaar number "+a[8:]+", in groups,", a[:4]+" "+a[4:8]+" "+a[8:])
	}
	for n, xml := range h.captures.all {
		if parts := c.addCapture(n, xml); parts != 3 {
			t.Fatalf("a capture has %d parts that the canary knows, not 3: it is blind", parts)
		}
	}
	// The edge's own captures are not known here. But whatever contains one contains
	// these, with JSON's escapes or without.
	for _, s := range []string{"<PidData", `\u003cPidData`, "/PidData>", `/PidData\u003e`, "Skey ci="} {
		c.add("the mark of a capture "+s, s)
	}
	for client, secret := range map[string]string{
		"agg-galla": "sandbox-aggregator-1", "vendor-sahyadri": "sandbox-vendor-1", "vendor-deccan": "sandbox-vendor-2",
		lakshmi: lakshmiSecret, "merchant-ganesh": "sandbox-merchant-2", "merchant-charminar": "sandbox-merchant-3",
		"merchant-nila": "sandbox-merchant-4", "merchant-saraswati": "sandbox-merchant-5",
	} {
		c.add("the secret of "+client, secret)
	}
	c.add("the API key of V1", "vk_sandbox_sahyadri")
	c.add("the API key of V2", "vk_sandbox_deccan")
	for name, vendor := range map[string]byte{"V1": 0, "V2": 0x40} {
		key := make([]byte, 32)
		for i := range key {
			key[i] = vendor + byte(i)
		}
		c.add("the gateway key of "+name, string(key))
		c.add("the gateway key of "+name+" as hex text", hex.EncodeToString(key))
	}
	h.tokens.Range(func(token, client any) bool {
		_, signature, _ := strings.Cut(token.(string), ".")
		c.add(fmt.Sprintf("a token of %s", client), signature)
		return true
	})
	for _, cookie := range h.cookies {
		c.add("a session of the counter", cookie)
	}
	c.shortCanaries = []shortCanary{
		{"the agent's PIN", regexp.MustCompile(`(^|[^0-9A-Za-z.:+/=_-])2580([^0-9A-Za-z.:+/=_-]|$)`)},
		{"a JWT", regexp.MustCompile(`eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{20,}`)},
		{"an enrolment code", regexp.MustCompile(`(^|[^0-9A-Za-z-])[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}([^0-9A-Za-z-]|$)`)},
	}
	for _, otp := range h.otps {
		c.shortCanaries = append(c.shortCanaries, shortCanary{"an OTP", regexp.MustCompile(`(^|[^0-9A-Za-z.:+/=_-])` + otp + `([^0-9A-Za-z.:+/=_-]|$)`)})
	}
	c.add("a PAN", pan)
	found := h.useConsole(t, &c)
	found = append(found, h.searchWhilePending(t, &c)...)

	// What is open to a look from outside while it runs.
	h.awaitCentral(t)
	for _, path := range []string{"/metrics", "/readyz", "/healthz"} {
		_, _, body, err := h.do("GET", h.url("ADMIN")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, c.search("the central's "+path, body, true)...)
	}
	found = append(found, h.runCommands(t, &c)...)
	found = append(found, h.searchFiles(t, &c)...)
	h.stop()
	traces.mu.Lock()
	if len(traces.raw) < 10_000 {
		t.Errorf("the collector got %d bytes: the canary finds nothing", len(traces.raw))
	}
	found = append(found, c.search("what the collector of traces got", traces.raw, true)...)
	traces.mu.Unlock()
	found = append(found, h.searchFiles(t, &c)...)
	seen := map[string]bool{}
	for _, f := range found {
		if !seen[f] {
			seen[f] = true
			t.Error(f)
		}
	}
	h.checkKeyFiles(t, &c)
}

// leaveTraces makes requests that leave traces.
func (h *sandbox) leaveTraces(t *testing.T) {
	token := h.token(lakshmi, lakshmiSecret)
	if _, err := h.newToken(lakshmi, "sandbox-merchant-1-wrong"); err == nil {
		t.Error("a wrong secret was accepted")
	}
	call := func(route, key, aadhaar string, paise int64, change func([]byte) []byte) {
		body, err := h.transaction(h.reader, aadhaar, paise)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			body = change(body)
		}
		if _, err := h.postTransaction(route, token, key, body); err != nil {
			t.Logf("%s %s: %v", route, key, err)
		}
	}
	for i, paise := range []int64{0, 5, 51, 63, 91, 93, 95, 96, 98} {
		call("/aeps/withdrawal", fmt.Sprint("noise-", i), choudhury, 100+paise, nil)
	}
	for i, route := range []string{"/aeps/balance", "/aeps/minstatement", "/aeps/reqAuth"} {
		call(route, fmt.Sprint("ask-", i), fatima, 0, nil)
	}
	call("/aeps/purchase", "buy", agarwal, 100, nil)
	call("/aeps/withdrawal", "noise-0", kapoor, 300, nil)                                         // 409
	call("/aeps/withdrawal", "bad-1", pandey, 100, func(b []byte) []byte { return b[:len(b)-1] }) // no JSON
	call("/aeps/withdrawal", "bad-2", pandey, 100, func(b []byte) []byte { return bytes.Replace(b, []byte(`errCode=\"0\"`), []byte(`errCode=\"7\"`), 1) })
	call("/aeps/withdrawal", "bad-3", pandey, 100, func(b []byte) []byte { return bytes.Replace(b, []byte(pandey), []byte(pandey[:11]+"0"), 1) })
	call("/aeps/"+pandey, "bad-4", pandey, 100, nil) // no such route
	a := h.serveOne(t, 105_00)
	if err := a.unlock("0852"); err == nil {
		t.Error("a wrong PIN was accepted")
	}

	h.walkTransfer(t)
	h.useGateway(t)

	// One that is in progress when the central dies.
	body, err := h.transaction(h.reader, choudhury, 197)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = h.postTransaction("/aeps/withdrawal", token, "killed", body)
	}()
	h.waitForExecution(t, 197)
	h.killAndWait("central")
	<-done
	h.killAndWait("edge")
	h.killAndWait("bank")
}

// serveOne serves a customer at the counter and waits for the cash.
func (h *sandbox) serveOne(t *testing.T, paise int64) *agent {
	t.Helper()
	a, err := newAgent(h.url("COUNTER"))
	if err != nil {
		t.Fatal(err)
	}
	if err := h.placeFinger(fatima); err != nil {
		t.Fatal(err)
	}
	a.signIn(t)
	if err := h.placeFinger(choudhury); err != nil {
		t.Fatal(err)
	}
	id, page, err := a.begin(choudhury, paise)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.capture(id, page); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the counter says give cash", time.Minute, func() bool {
		state, _, err := a.look(id)
		return err == nil && state == "succeeded"
	})
	h.cookies = append(h.cookies, a.cookie(t))
	return a
}

// searchWhilePending looks for the canaries while the counter holds an operation that
// it could not send: its disk has everything but the capture, sealed.
func (h *sandbox) searchWhilePending(t *testing.T, c *secretScan) []string {
	t.Helper()
	a := h.serveOne(t, 106_00)
	giveBack := h.keepDown("central")
	var id string
	waitUntil(t, "an operation waits for the connection", time.Minute, func() bool {
		if id == "" {
			var page string
			var err error
			if id, page, err = a.begin(choudhury, 107_00); err != nil {
				return false
			}
			if err := a.capture(id, page); err != nil {
				t.Fatal(err)
			}
		}
		state, _, err := a.look(id)
		return err == nil && state == "waiting"
	})
	found := h.searchFiles(t, c)
	h.killAndWait("edge") // the capture is lost with it: it must end as not sent
	giveBack()
	waitUntil(t, "the operation without its capture ends", time.Minute, func() bool {
		state, _, err := a.look(id)
		return err == nil && state == "expired"
	})
	return found
}

// searchFiles looks through every file below the data folder's parent, which has the
// supervisor's own log, and through every column of every database.
func (h *sandbox) searchFiles(t *testing.T, c *secretScan) []string {
	t.Helper()
	files, err := filesUnder(filepath.Dir(h.data))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 8 {
		t.Fatalf("only %d files to look through: %v", len(files), files)
	}
	var found []string
	databases := 0
	for _, path := range files {
		b, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue // a journal that was just removed
		}
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(filepath.Dir(h.data), path)
		found = append(found, c.search(name, b, strings.HasSuffix(name, ".log"))...)
		if bytes.HasPrefix(b, []byte("SQLite format 3\x00")) {
			databases++
			found = append(found, searchColumns(t, c, name, path)...)
		}
	}
	if databases < 2 {
		t.Errorf("only %d databases were found; the central and the bank have one each", databases)
	}
	return found
}

// searchColumns looks into every value: in the file, a long one is spread over pages.
func searchColumns(t *testing.T, c *secretScan, name, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var tables []string
	rows, err := db.Query(`SELECT name FROM sqlite_master WHERE type = 'table'`)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, table := range tables {
		found = append(found, searchTable(t, db, c, name, table)...)
	}
	return found
}

func searchTable(t *testing.T, db *sql.DB, c *secretScan, name, table string) []string {
	t.Helper()
	rows, err := db.Query(`SELECT * FROM "` + table + `"`)
	if err != nil {
		t.Fatalf("%s, table %s: %v", name, table, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values := make([]sql.RawBytes, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var found []string
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			found = append(found, c.search(fmt.Sprintf("%s, column %s.%s,", name, table, columns[i]), v, true)...)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// checkKeyFiles looks at the files that hold keys: only their owner can read them, and
// their content appears nowhere else.
func (h *sandbox) checkKeyFiles(t *testing.T, _ *secretScan) {
	t.Helper()
	files, err := filesUnder(h.data)
	if err != nil {
		t.Fatal(err)
	}
	var keys secretScan
	isKey := map[string]bool{}
	for _, path := range files {
		if filepath.Base(filepath.Dir(path)) != "keys" && filepath.Ext(path) != ".key" {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("BEGIN CERTIFICATE")) || bytes.Contains(b, []byte("BEGIN PUBLIC KEY")) {
			continue
		}
		isKey[path] = true
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s holds a key and has mode %v, not 0600 (%v)", path, info.Mode(), err)
		}
		if text := bytes.TrimSpace(b); len(text) >= 16 && !bytes.HasPrefix(text, []byte("-----")) {
			keys.add("the key of "+filepath.Base(path), string(text))
			if raw, err := hex.DecodeString(string(text)); err == nil {
				keys.add("the key of "+filepath.Base(path), string(raw))
			}
			if raw, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
				keys.add("the key of "+filepath.Base(path), string(raw))
			}
		}
	}
	if len(isKey) < 2 {
		t.Errorf("only %d key files were found: the canary is blind", len(isKey))
	}
	for _, path := range append(files, h.logPath()) {
		if b, err := os.ReadFile(path); err == nil && !isKey[path] {
			for _, f := range keys.search(path, b, false) {
				t.Error(f)
			}
		}
	}
}

// TestCanaryIsFound shows the scan each spelling: a scan that finds nothing proves
// nothing.
func TestCanaryIsFound(t *testing.T) {
	var c secretScan
	c.add("number", choudhury)
	for _, text := range []string{
		"x" + choudhury, hex.EncodeToString([]byte("ab" + choudhury + "c")),
		base64.StdEncoding.EncodeToString([]byte(choudhury)), base64.StdEncoding.EncodeToString([]byte("a" + choudhury + "bc")),
		base64.URLEncoding.EncodeToString([]byte("ab" + choudhury + "b")), base64.StdEncoding.EncodeToString([]byte(`{"AadharNo":"` + choudhury + `"}`)),
	} {
		if len(c.search("text", []byte(text), false)) == 0 {
			t.Errorf("not found in %q", text)
		}
	}
	if found := c.search("text", []byte("XXXXXXXX7058"), false); len(found) > 0 {
		t.Errorf("found in a mask: %v", found)
	}
}
