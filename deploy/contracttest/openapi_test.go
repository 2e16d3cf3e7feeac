package contracttest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"galla/central/contract"
	"galla/central/limits"
	"galla/central/openapi"
	"galla/shared/op"
	"galla/shared/secret"
)

// walk holds every reply that the tests get against the OpenAPI document, and
// counts the routes that it came by.
type walk struct {
	doc *openapi.Document

	mu   sync.Mutex
	seen map[op.RouteID]map[int]int // replies by HTTP status
}

// newWalk makes the document as the central does: of the route table and of the
// fields that the code reads.
func newWalk() (*walk, error) {
	rules, err := limits.Sandbox()
	if err != nil {
		return nil, err
	}
	d, err := contract.New(nil, nil, nil, nil, contract.Config{
		FingerprintKey: secret.NewKey(make([]byte, 32)), UplinkURL: "ws://127.0.0.1/uplink", Audience: "galla",
		Limits: rules, Handle: "galla", Rand: bytes.NewReader(nil), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, err
	}
	doc, err := openapi.New(d, op.Table())
	if err != nil {
		return nil, err
	}
	return &walk{doc: doc, seen: map[op.RouteID]map[int]int{}}, nil
}

// note holds one reply against the document. A request that is for no route has
// no reply there.
func (w *walk) note(t *testing.T, method, path string, http int, body []byte) {
	t.Helper()
	path, _, _ = strings.Cut(path, "?")
	id, ok := w.doc.Find(method, path)
	if !ok {
		return
	}
	w.mu.Lock()
	if w.seen[id] == nil {
		w.seen[id] = map[int]int{}
	}
	w.seen[id][http]++
	w.mu.Unlock()
	if err := w.doc.Check(id, http, body); err != nil {
		t.Errorf("server and document differ: %v", err)
	}
}

// missing lists the routes of which no success was held against the document.
func (w *walk) missing() []op.RouteID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []op.RouteID
	for _, id := range w.doc.Routes() {
		if w.seen[id][200]+w.seen[id][201] == 0 {
			list = append(list, id)
		}
	}
	return list
}

// judge ends a run: where all tests ran, every route must have been walked.
func (w *walk) judge(code int) int {
	fmt.Println(w)
	if f := flag.Lookup("test.run"); code != 0 || f != nil && f.Value.String() != "" {
		return code
	}
	if list := w.missing(); len(list) > 0 {
		fmt.Fprintf(os.Stderr, "contracttest: no success of these routes was held against the OpenAPI document: %v\n", list)
		return 1
	}
	return code
}

// String tells what was walked.
func (w *walk) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	replies := 0
	for _, statuses := range w.seen {
		for _, n := range statuses {
			replies += n
		}
	}
	return fmt.Sprintf("%d replies of %d routes agree with the OpenAPI document", replies, len(w.seen))
}

// TestDescriptionIsServed: the central serves the document that the replies are
// held against, and its page.
func TestDescriptionIsServed(t *testing.T) {
	for path, want := range map[string][]byte{"/openapi.json": running.walk.doc.JSON(), "/docs": running.walk.doc.Page()} {
		a := running.send(t, "GET", path, nil)
		if a.http != 200 || !bytes.Equal(a.raw, want) {
			t.Errorf("GET %s: HTTP %d, %d bytes; want %d", path, a.http, len(a.raw), len(want))
		}
		if again := running.send(t, "GET", path, nil, "If-None-Match", a.header.Get("Etag")); again.http != 304 {
			t.Errorf("GET %s with its ETag: HTTP %d", path, again.http)
		}
	}
}

// TestRoutesOfOurOwn walks the routes that the interface document does not
// have: terminals, the state of an operation, the keys of tokens.
func TestRoutesOfOurOwn(t *testing.T) {
	h := running
	code := text(t, h.call(t, m1, "POST", "/terminals", fields{"name": "Counter 9"}).is(201, "00").data(), "code")
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	enrol := func() answer {
		body := fmt.Sprintf(`{"code":%q,"publicKey":%q,"name":"Counter 9"}`, code, base64.StdEncoding.EncodeToString(public))
		return h.send(t, "POST", "/terminals/enrol", []byte(body))
	}
	terminal := text(t, enrol().is(201, "00").data(), "terminalId")
	enrol().is(401, "03") // a code serves once
	revoked := func() any {
		for _, x := range h.call(t, m1, "GET", "/terminals", nil).is(200, "00").list() {
			if x["id"] == terminal {
				return x["revoked"]
			}
		}
		return nil
	}
	if revoked() != false {
		t.Errorf("the new terminal: revoked %v", revoked())
	}
	h.call(t, m3, "DELETE", "/terminals/"+terminal, nil).is(404, "04") // another merchant's
	h.call(t, m1, "DELETE", "/terminals/"+terminal, nil).is(200, "00").bare()
	if revoked() != true {
		t.Errorf("the terminal after it was revoked: %v", revoked())
	}

	key := h.ref("key")
	h.call(t, m1, "POST", "/aeps/balance", h.aeps(t, choudhury, "0"), "Idempotency-Key", key).is(200, "00")
	if o := h.call(t, m1, "GET", "/operations/"+key, nil).is(200, "00").data(); o["status"] != "succeeded" || o["route"] != "POST /aeps/balance" {
		t.Errorf("the operation is %v", o)
	}
	h.call(t, m3, "GET", "/operations/"+key, nil).is(404, "04")

	if a := h.send(t, "GET", "/.well-known/jwks.json", nil); a.http != 200 || a.body["keys"] == nil {
		t.Errorf("HTTP %d %s", a.http, a.raw)
	}
}
