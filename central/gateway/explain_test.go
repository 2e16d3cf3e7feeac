package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"galla/shared/envelope"
)

// ask asks what becomes of a message.
func (h *system) ask(t *testing.T, m message) (explanation, answer) {
	t.Helper()
	headers := map[string]any{}
	for _, x := range m.headers {
		if earlier, twice := headers[x[0]]; twice {
			headers[x[0]] = []any{earlier, x[1]}
		} else {
			headers[x[0]] = x[1]
		}
	}
	text, err := json.Marshal(map[string]any{"method": m.method, "path": m.path, "headers": headers, "body": string(m.body)})
	must(t, err)
	a := h.do(t, message{method: "POST", path: "/gateway/explain", body: text, headers: [][2]string{{"Content-Type", "application/json"}}})
	var out struct {
		Message string
		Data    explanation
	}
	must(t, json.Unmarshal(a.body, &out))
	for _, secret := range []string{fmt.Sprintf("%x", counting(0).Reveal()), base64.StdEncoding.EncodeToString(counting(0).Reveal()), "999941057058"} {
		if strings.Contains(string(a.body), secret) {
			t.Fatalf("the explanation shows what it must not: %s", a.body)
		}
	}
	return out.Data, a
}

func TestExplain(t *testing.T) {
	h := startGateway(t, nil)
	good := func() message { return h.seal(t, "POST", withdrawal, money) }
	spent := good()
	h.send(t, spent)
	sign := func(m message, method, path, payload string) message {
		head := envelope.Headers{ClientID: m.header("X-Client-Id"), Timestamp: m.header("X-Timestamp"),
			RequestID: m.header("X-Request-Id"), IV: m.header("X-IV"), Tag: m.header("X-Tag")}
		return m.with("X-Checksum", checksum(counting(0), envelope.RequestText(method, path, head, []byte(payload))))
	}
	payload := func(m message) string {
		return strings.TrimSuffix(strings.TrimPrefix(string(m.body), `{"payload":"`), `"}`)
	}
	appended := good()
	raw, err := base64.StdEncoding.DecodeString(payload(appended))
	must(t, err)
	tag, err := base64.StdEncoding.DecodeString(appended.header("X-Tag"))
	must(t, err)
	appended.body = []byte(`{"payload":"` + base64.StdEncoding.EncodeToString(append(raw, tag...)) + `"}`)
	seconds := good()
	seconds = h.resign(t, seconds.with("X-Timestamp", seconds.header("X-Timestamp")[:10]))
	line, query := good(), h.seal(t, "GET", "/process/aeps/banks?x=1", "{}")
	for _, c := range []struct {
		name  string
		m     message
		check int
		hint  string
	}{
		{"a good one", good(), 0, ""},
		{"a good one for no route", h.seal(t, "POST", "/process/none", "{}"), 0, "404"},
		{"a header twice", good().and("X-IV", "x"), 1, ""},
		{"a header missing", good().with("X-Tag", ""), 1, ""},
		{"an unknown client", good().with("X-Client-Id", "vk_nobody"), 2, ""},
		{"a line break at the end", sign(line, line.method, line.path, payload(line)+"\n"), 3, "line break"},
		{"the whole body signed", sign(line, line.method, line.path, string(line.body)), 3, "whole body"},
		{"the direct path signed", sign(line, line.method, "/aeps/withdrawal", payload(line)), 3, "direct route"},
		{"the query left out", sign(query, "GET", "/process/aeps/banks", payload(query)), 3, "query"},
		{"the method in lower case", sign(line, "post", line.path, payload(line)), 3, "lower case"},
		{"another checksum", good().with("X-Checksum", strings.Repeat("a", 64)), 3, "galla/gateway/checksum/v1"},
		{"seconds", seconds, 4, "seconds"},
		{"a stale one", sealed(t, h.vendor, apiKey1, "POST", withdrawal, newID(), money, time.Now().Add(-time.Hour)), 4, "set the clock"},
		{"a spent one", spent, 5, "new IV"},
		{"the tag appended", h.resign(t, appended), 6, "end of the payload"},
		{"an array", h.seal(t, "POST", withdrawal, "[]"), 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 { // asking spends nothing
				out, a := h.ask(t, c.m)
				if a.status != 200 || a.code() != "00" || out.Check != c.check || out.Passes != (c.check == 0) || !strings.Contains(strings.Join(out.Hints, " "), c.hint) {
					t.Errorf("HTTP %d %s, want check %d and a hint of %q", a.status, a.body, c.check, c.hint)
				}
				if c.check != 1 && !strings.HasPrefix(out.Text, "galla-v1\n"+c.m.method+"\n") {
					t.Errorf("text %q", out.Text)
				}
			}
		})
	}
	if h.calls.Load() != 1 {
		t.Error("an explanation reached the handler")
	}
	other, err := envelope.New(counting(0x40))
	must(t, err)
	for name, m := range map[string]message{
		"another key":                           sealed(t, other, apiKey2, "POST", withdrawal, newID(), money, time.Now()),
		"another key and a checksum of guesses": good().with("X-Client-Id", apiKey2),
	} {
		if _, a := h.ask(t, m); a.status != 403 {
			t.Errorf("%s is explained: %s", name, a.body)
		}
	}
	for _, body := range []string{``, `[]`, `{"method":1}`, `{"headers":{"X-IV":1}}`, `{"headers":{"a":"b","a":"c"}}`, `{}`} {
		a := h.do(t, message{method: "POST", path: "/gateway/explain", body: []byte(body)})
		if a.status != 400 && body != `{}` || a.status >= 500 {
			t.Errorf("%s: HTTP %d %s", body, a.status, a.body)
		}
	}
}
