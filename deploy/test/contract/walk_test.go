package contract

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"flag"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"galla/central/api"
	"galla/central/api/openapi/openapitest"
	"galla/central/limits"
	"galla/shared/op"
	"galla/shared/secret"
)

// walk checks every reply that any test of this package gets against the OpenAPI
// document, and remembers which routes it saw succeed and refuse.
type walk struct {
	doc *openapitest.Document

	mu       sync.Mutex
	success  map[op.RouteID]int
	refusals map[op.RouteID]int
}

func newWalk() (*walk, error) {
	rules, err := limits.Sandbox()
	if err != nil {
		return nil, err
	}
	// A handler that only describes needs nothing behind it.
	describer, err := api.New(nil, nil, nil, nil, nil, api.Config{
		FingerprintKey: secret.NewKey(make([]byte, 32)), UplinkURL: "ws://127.0.0.1/uplink", Audience: "walk",
		Limits: rules, UPIHandle: "galla", Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	doc, err := openapitest.New(describer, op.Table())
	if err != nil {
		return nil, err
	}
	return &walk{doc: doc, success: map[op.RouteID]int{}, refusals: map[op.RouteID]int{}}, nil
}

// recordReply checks one reply.
func (w *walk) recordReply(t *testing.T, method, path string, a answer) {
	t.Helper()
	u, err := url.Parse(path)
	if err != nil {
		return
	}
	id, ok := w.doc.FindRoute(method, u.Path)
	if !ok {
		if a.http != 404 && a.http != 405 && strings.HasPrefix(path, "/oauth") {
			t.Errorf("%s %s is not in the document, and answered HTTP %d", method, path, a.http)
		}
		return
	}
	if err := w.doc.CheckReply(id, a.http, a.raw); err != nil {
		t.Errorf("the server does not do what the document says: %v", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.http < 300 {
		w.success[id]++
	} else {
		w.refusals[id]++
	}
}

// TestTheServedDocumentIsTheOne checks that /openapi.json is the document of the walk.
func TestTheServedDocumentIsTheOne(t *testing.T) {
	h := running
	if a := h.send(t, "GET", "/openapi.json", nil); a.http != 200 || string(a.raw) != string(h.documentWalk.doc.JSON()) || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Errorf("HTTP %d, %s, %d bytes", a.http, a.header.Get("Content-Type"), len(a.raw))
	}
	for _, path := range []string{"/openapi.json", "/docs"} {
		tag := h.send(t, "GET", path, nil).header.Get("Etag")
		if again := h.send(t, "GET", path, nil, "If-None-Match", tag); tag == "" || again.http != 304 {
			t.Errorf("%s with its ETag %q: HTTP %d", path, tag, again.http)
		}
	}
	a := h.send(t, "GET", "/docs", nil)
	if a.http != 200 || !strings.Contains(string(a.raw), "/aeps/withdrawal") || !strings.Contains(a.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("HTTP %d %v", a.http, a.header)
	}
	if strings.Contains(string(a.raw), "<script src") || strings.Contains(string(a.raw), "src=\"http") {
		t.Error("the page needs something from elsewhere")
	}
}

// TestTerminals walks the terminals' own routes.
func TestTerminals(t *testing.T) {
	h := running
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	code := h.call(t, m1, "POST", "/terminals", fields{"name": "Counter 9"}).is(201, "00").data()
	enrol := fields{"code": code["code"], "publicKey": base64.StdEncoding.EncodeToString(public), "name": "Counter 9"}
	made := h.send(t, "POST", "/terminals/enrol", jsonOf(t, enrol)).is(201, "00").data()
	if made["merchantId"] != merchant1 {
		t.Errorf("%v", made)
	}
	h.send(t, "POST", "/terminals/enrol", jsonOf(t, enrol)).is(401, "03")
	h.call(t, m1, "GET", "/terminals", nil).is(200, "00").list()
	h.call(t, m3, "DELETE", "/terminals/"+text(t, made, "terminalId"), nil).is(404, "04")
	h.call(t, m1, "DELETE", "/terminals/"+text(t, made, "terminalId"), nil).is(200, "00")

	ref := h.ref("op")
	h.call(t, m1, "POST", "/aeps/balance", h.aeps(t, choudhury, "0"), "Idempotency-Key", ref).is(200, "00")
	h.call(t, m1, "GET", "/operations/"+ref, nil).is(200, "00").data()
	h.call(t, m3, "GET", "/operations/"+ref, nil).is(404, "04")
	h.send(t, "GET", "/.well-known/jwks.json", nil)
}

// compare ends a run and prints the count. If all tests ran, every route of the
// document must have been seen to succeed and to refuse.
func (w *walk) compare(code int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	replies := 0
	var missing []string
	for _, id := range w.doc.Routes() {
		replies += w.success[id] + w.refusals[id]
		if w.success[id] == 0 {
			missing = append(missing, string(id)+" was never seen to succeed")
		}
		if w.refusals[id] == 0 && id != "GET /.well-known/jwks.json" {
			missing = append(missing, string(id)+" was never seen to refuse")
		}
	}
	fmt.Printf("the walk: %d replies of %d routes are held against the OpenAPI document\n", replies, len(w.doc.Routes()))
	if f := flag.Lookup("test.run"); code != 0 || f != nil && f.Value.String() != "" {
		return code
	}
	for _, m := range missing {
		fmt.Fprintln(os.Stderr, "contracttest:", m)
		code = 1
	}
	return code
}
