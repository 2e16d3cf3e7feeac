package docs

import (
	"bytes"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"galla/shared/envelope"
)

func page(t *testing.T) string {
	t.Helper()
	p, err := GatewayGuide()
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

// shown is the page's text, as a person reads it.
func shown(t *testing.T) string {
	t.Helper()
	return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page(t), ""))
}

func TestSameBytes(t *testing.T) {
	if a, b := page(t), page(t); a != b {
		t.Error("two pages differ")
	}
}

// TestMessageOfThePage takes the request as it is printed, and opens it as the
// gateway does.
func TestMessageOfThePage(t *testing.T) {
	text := shown(t)
	key, err := envelope.ParseKey(keyHex)
	if err != nil {
		t.Fatal(err)
	}
	k, err := envelope.New(key)
	if err != nil {
		t.Fatal(err)
	}
	read := func(from string) (h envelope.Headers, payload []byte) {
		_, rest, ok := strings.Cut(text, from)
		if !ok {
			t.Fatalf("the page has no %q", from)
		}
		head, rest, _ := strings.Cut(rest, "\n\n")
		body, _, _ := strings.Cut(rest, "\n")
		for _, line := range strings.Split(head, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			for n, to := range map[string]*string{
				envelope.HeaderClientID: &h.ClientID, envelope.HeaderTimestamp: &h.Timestamp, envelope.HeaderRequestID: &h.RequestID,
				envelope.HeaderIV: &h.IV, envelope.HeaderTag: &h.Tag, envelope.HeaderChecksum: &h.Checksum,
			} {
				if n == name {
					*to = value
				}
			}
		}
		payload, err := envelope.Payload([]byte(body))
		if err != nil {
			t.Fatalf("%v: %q", err, body)
		}
		return h, payload
	}
	h, payload := read("POST " + requestPath + " HTTP/1.1\n")
	if err := h.Request(); err != nil || !k.SignsRequest("POST", requestPath, h, payload) {
		t.Errorf("the request does not pass: %v", err)
	}
	if plain, err := k.Decrypt(h, payload); err != nil || string(plain) != plainText || !strings.Contains(text, string(plain)) {
		t.Errorf("the request opens to %q, %v", plain, err)
	}
	if !strings.Contains(text, envelope.RequestText("POST", requestPath, h, payload)) {
		t.Error("the page has not the text that the checksum covers")
	}
	r, payload := read("HTTP/1.1 200 OK\n")
	if err := r.Reply(); err != nil || !k.SignsReply(200, r, payload) || r.IV == h.IV {
		t.Errorf("the reply does not pass: %v", err)
	}
	if plain, err := k.Decrypt(r, payload); err != nil || !strings.Contains(text, string(plain)) {
		t.Errorf("the reply opens to %q, %v", plain, err)
	}
	if !strings.Contains(text, envelope.ReplyText(200, r, payload)) {
		t.Error("the page has not the text of the reply")
	}
}

// TestSlipsAreRefused: each value of the table, put into the message, is
// refused; and no two are the same.
func TestSlipsAreRefused(t *testing.T) {
	var s guidePage
	if err := s.compute(); err != nil {
		t.Fatal(err)
	}
	parsed, err := envelope.ParseKey(keyHex)
	if err != nil {
		t.Fatal(err)
	}
	key, err := envelope.New(parsed)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, slip := range s.Slips {
		if seen[slip.Value] != "" {
			t.Errorf("%q and %q give one value", slip.What, seen[slip.Value])
		}
		seen[slip.Value] = slip.What
		h, payload := s.Request.Headers, s.Request.Payload
		to := map[string]*string{
			envelope.HeaderChecksum: &h.Checksum, envelope.HeaderTag: &h.Tag, envelope.HeaderTimestamp: &h.Timestamp,
			envelope.HeaderRequestID: &h.RequestID, "payload": &payload,
		}[slip.Where]
		if to == nil {
			t.Fatalf("%q is no place", slip.Where)
		}
		*to = slip.Value
		if h.Request() == nil && key.SignsRequest(requestMethod, requestPath, h, []byte(payload)) {
			t.Errorf("%q passes", slip.What)
		}
	}
}

// TestStandsAlone: nothing from elsewhere, one style element that
// Style gives, the documentation's own script and search, and links that lead somewhere.
func TestStandsAlone(t *testing.T) {
	p := strings.Replace(page(t), "<script>"+Script()+"</script>", "", 1)
	p = strings.Replace(p, `<form class="search" role="search" action="/docs/search">`, "", 1)
	if strings.Count(p, "<style") != 1 || !strings.Contains(p, "<style>"+Style()+"</style>") {
		t.Error("the style element is not Style")
	}
	for _, never := range []string{"<script", "<img", "<link", "style=", " on", "url(", "@import", "https://", "<form", "<iframe"} {
		if never == " on" {
			if m := regexp.MustCompile(`<[^>]* on[a-z]+=`).FindString(p); m != "" {
				t.Errorf("the page has a handler: %s", m)
			}
			continue
		}
		if strings.Contains(p, never) {
			t.Errorf("the page has %q", never)
		}
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(p, -1) {
		if to, local := strings.CutPrefix(m[1], "#"); local && !strings.Contains(p, `id="`+to+`"`) || !local && m[1] != "/docs" && m[1] != "/docs/try" {
			t.Errorf("the link %s leads nowhere", m[1])
		}
	}
	for _, left := range []string{"{{", "<no value>", "ZgotmplZ", "%!"} {
		if strings.Contains(p, left) {
			t.Errorf("the page has %q", left)
		}
	}
	if n := len(p); n > 100<<10 {
		t.Errorf("the page has %d bytes", n)
	}
}

// TestExcerpts holds the excerpts against the files that they are from.
func TestExcerpts(t *testing.T) {
	for name, file := range map[string]string{"node": "node/src/envelope.js", "go": "go/envelope.go", "php": "php/src/Envelope.php", "python": "python/src/galla/envelope.py", "java": "java/src/main/java/example/galla/Envelope.java"} {
		excerpt, err := excerpts.ReadFile("excerpts/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(filepath.Join("..", "..", "deploy", "sdk", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(whole, bytes.TrimSpace(excerpt)) {
			t.Errorf("excerpts/%s.txt is no part of deploy/sdk/%s: copy what changed", name, file)
		}
	}
}
