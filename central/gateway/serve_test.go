package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/keys"
	"galla/shared/envelope"
	"galla/shared/op"
	"galla/shared/secret"
)

// TestEveryRouteAtTheGateway calls each route of the table: the vendor's reach
// the handler, all others are refused for the role before the payload counts,
// and no other method or spelling of a path leads anywhere.
func TestEveryRouteAtTheGateway(t *testing.T) {
	h := startGateway(t, nil)
	mirrored, denied := 0, 0
	for _, route := range op.Table() {
		path := Prefix + strings.NewReplacer(":vendorId", string(v1), ":slabId", newID(), ":id", newID()).Replace(route.Path)
		before := h.calls.Load()
		a := h.do(t, h.seal(t, route.Method, path, `{"merchantId":"`+m1+`"}`))
		reached := h.calls.Load() > before
		credentials := slices.Contains([]op.RouteID{op.VendorKeyAdd, op.VendorKeyEnd, op.VendorSecretAdd, op.VendorSecretEnd}, route.ID)
		administration := route.Section == "4.6" || strings.HasPrefix(route.Path, "/vendor")
		if administration && (route.Entrances&op.Gateway == 0) != credentials {
			t.Errorf("%s is vendor administration: what changes credentials is not mirrored, and all else is", route.ID)
		}
		if route.Entrances&op.Gateway == 0 || !route.Allows(op.Vendor) {
			denied++
			sealedAs(t, string(route.ID), a, 403, "01")
			for what, plain := range map[string]string{"no JSON": "x", "nothing": "", "too much": strings.Repeat("x", 1<<20+1)} {
				sealedAs(t, string(route.ID)+" with "+what, h.do(t, h.seal(t, route.Method, path, plain)), 403, "01")
			}
			broken := h.seal(t, route.Method, path, "{}")
			sealedAs(t, string(route.ID)+" with a wrong tag", h.do(t, h.resign(t, broken.with("X-Tag", "AAAAAAAAAAAAAAAAAAAAAA=="))), 403, "01")
			if reached {
				t.Errorf("%s reached the handler", route.ID)
			}
			continue
		}
		mirrored++
		if !reached || a.status >= 500 || a.text("message") == "No such route" || a.status == 403 {
			t.Errorf("%s: reached the handler %t, HTTP %d %s", route.ID, reached, a.status, a.plain)
		}
		sealedAs(t, "PATCH "+path, h.do(t, h.seal(t, "PATCH", path, `{}`)), 405, "04")
		sealedAs(t, path+"/", h.do(t, h.seal(t, route.Method, path+"/", `{}`)), 404, "04")
	}
	for _, path := range []string{"/process/none", "/process/docs", "/process/oauth/token", "/process/vendor-commission//commission", "/process/aeps/process"} {
		sealedAs(t, path, h.do(t, h.seal(t, "POST", path, `{}`)), 404, "04")
	}
	for _, id := range []string{"a%2fb", "%ff", "%zz"} {
		sealedAs(t, id, h.send(t, h.seal(t, "GET", "/process/vendor-commission/"+id+"/commission", `{}`)), 404, "04")
	}
	t.Logf("%d routes are mirrored, %d are refused for the role", mirrored, denied)
}

func TestAnswers(t *testing.T) {
	h := startGateway(t, nil)
	mine := `{"merchantId":"` + m1 + `"}`
	for _, c := range []struct {
		name, method, path, plain string
		status                    int
		code                      string
	}{
		{"a withdrawal", "POST", withdrawal, money, 200, "00"},
		{"a list", "GET", "/process/aeps/banks", "{}", 200, "00"},
		{"a GET with a body", "GET", "/process/aeps/authStatus", mine, 200, "00"},
		{"a query", "GET", "/process/aeps/authStatus?x=1&y=%20z", mine, 200, "00"},
		{"a query with a name twice", "GET", "/process/aeps/authStatus?x=1&x=2", mine, 400, "02"},
		{"a query that is none", "GET", "/process/aeps/authStatus?%zz", mine, 400, "02"},
		{"a missing merchant", "POST", withdrawal, `{}`, 404, "01"},
		{"another vendor's merchant", "POST", withdrawal, strings.Replace(money, m1, m3, 1), 404, "01"},
		{"nobody's merchant", "POST", withdrawal, strings.Replace(money, m1, strings.Replace(m1, "c", "e", 1), 1), 404, "01"},
		{"wrong fields", "POST", withdrawal, mine, 400, "02"},
		{"no such route", "POST", "/process/aeps/process", mine, 404, "04"},
		{"no such method", "DELETE", withdrawal, mine, 405, "04"},
		{"a method that HTTP does not know", "FETCH", withdrawal, mine, 405, "04"},
		{"a route for aggregators", "POST", "/process/onboarding/dmt/bc/registor", mine, 403, "01"},
		{"a route for vendors alone", "GET", "/process/vendor/me", "{}", 200, "00"},
		{"its own slabs", "GET", "/process/vendor-commission/" + string(v1) + "/commission", "{}", 200, "00"},
		{"another's slabs", "GET", "/process/vendor-commission/" + string(v2) + "/commission", "{}", 404, "01"},
		{"a page of merchants", "GET", "/process/vendor/merchants", `{"page":2,"limit":1}`, 200, "00"},
		{"a page in the query", "GET", "/process/vendor/merchants?page=2&limit=1", `{}`, 200, "00"},
		{"no page", "GET", "/process/vendor/merchants", `{"page":0}`, 400, "02"},
		{"a route with parameters", "GET", "/process/operations/x", mine, 403, "01"},
		{"a QR code", "POST", "/process/upi/txn/v1/GenerateQR", mine, 403, "01"},
		{"a panic", "POST", withdrawal, `{"panic":true}`, 500, "500"},
		// What is authenticated is what is routed.
		{"dots", "GET", "/process/aeps/../aeps/banks", mine, 404, "04"},
		{"dots out of the gateway", "GET", "/process/../aeps/banks", mine, 404, "04"},
		{"an escaped slash", "GET", "/process/aeps%2fbanks", mine, 404, "04"},
		{"an escaped letter", "GET", "/process/aeps/bank%73", mine, 404, "04"},
		{"double slashes", "GET", "/process//aeps/banks", mine, 404, "04"},
		{"double slashes before", "GET", "//process/aeps/banks", mine, 404, "04"},
		{"a slash at the end", "GET", "/process/aeps/banks/", mine, 404, "04"},
		{"upper case", "GET", "/process/AEPS/banks", mine, 404, "04"},
		{"upper case before", "GET", "/PROCESS/aeps/banks", mine, 404, "04"},
		{"a fragment", "GET", "/process/aeps/banks#x", mine, 404, "04"},
		{"a semicolon", "GET", "/process/aeps/banks;x=1", mine, 404, "04"},
		{"the gateway itself", "GET", "/process", mine, 404, "04"},
		{"the gateway's root", "GET", "/process/", mine, 404, "04"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := h.seal(t, c.method, c.path, c.plain)
			a := h.send(t, m)
			sealedAs(t, c.name, a, c.status, c.code)
			if a.header.Get("X-Request-Id") != m.id {
				t.Errorf("X-Request-Id is %q", a.header.Get("X-Request-Id"))
			}
		})
	}
	if n := h.bank.sent.Load(); n != 1 {
		t.Errorf("the bank was sent %d withdrawals, want 1", n)
	}
}

// TestStepEightBeforeSix: GenerateQR is refused before the body is read.
func TestStepEightBeforeSix(t *testing.T) {
	h := startGateway(t, nil)
	const path = "/process/upi/txn/v1/GenerateQR"
	good := h.seal(t, "POST", path, `{}`)
	other := h.seal(t, "POST", path, `{"a":"something else altogether"}`)
	// Another's ciphertext under a right checksum does not decrypt, and need not.
	m := h.resign(t, good.with("X-Tag", other.header("X-Tag")))
	sealedAs(t, "a body that does not decrypt", h.send(t, m), 403, "01")
	m = h.resign(t, h.seal(t, "POST", withdrawal, money).with("X-Tag", other.header("X-Tag")))
	refusedPlain(t, "the same on another route", h.send(t, m))
	refusedPlain(t, "a wrong checksum", h.send(t, good.with("X-Checksum", strings.Repeat("0", 64))))
}

// resign makes a message's checksum right again, as only the key's holder can.
func (h *system) resign(t testing.TB, m message) message {
	t.Helper()
	head := envelope.Headers{ClientID: m.header("X-Client-Id"), Timestamp: m.header("X-Timestamp"),
		RequestID: m.header("X-Request-Id"), IV: m.header("X-IV"), Tag: m.header("X-Tag")}
	payload := strings.TrimSuffix(strings.TrimPrefix(string(m.body), `{"payload":"`), `"}`)
	return m.with("X-Checksum", checksum(counting(0), envelope.RequestText(m.method, m.path, head, []byte(payload))))
}

func TestRepeatsAreAnsweredFromTheRecord(t *testing.T) {
	h := startGateway(t, nil)
	id := newID()
	send := func(plain string) answer {
		return h.do(t, sealed(t, h.vendor, apiKey1, "POST", withdrawal, id, plain, time.Now()))
	}
	first := send(money)
	sealedAs(t, "first", first, 200, "00")
	again := send(money)
	sealedAs(t, "again", again, 200, "00")
	if string(again.plain) != string(first.plain) || again.header.Get("Idempotent-Replayed") != "true" || first.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the reply is not the stored one:\n%s\n%s\n%v", first.plain, again.plain, again.header)
	}
	if again.header.Get("X-IV") == first.header.Get("X-IV") || string(again.body) == string(first.body) {
		t.Error("the stored reply was not sealed newly")
	}
	sealedAs(t, "another body", send(strings.Replace(money, "500", "600", 1)), 409, "09")
	if n := h.bank.sent.Load(); n != 1 {
		t.Errorf("the bank was sent %d withdrawals, want 1", n)
	}

	// Concurrent ones run once.
	id = newID()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { sealedAs(t, "at once", send(money), 200, "00") })
	}
	all.Wait()
	if n := h.bank.sent.Load(); n != 2 {
		t.Errorf("the bank was sent %d withdrawals, want 2", n)
	}
}

func TestReplaysAreRefusedOnEveryNode(t *testing.T) {
	h := startGateway(t, nil)
	other := startGatewayOn(t, h.db, nil)
	m := h.seal(t, "GET", "/process/aeps/banks", "{}")
	sealedAs(t, "first", h.send(t, m), 200, "00")
	refusedPlain(t, "replay", h.send(t, m))
	refusedPlain(t, "replay on another node", other.send(t, m))
	if n := h.Counts().Refused[CauseReplay]; n != 1 {
		t.Errorf("%d replays counted", n)
	}
	m = h.seal(t, "GET", "/process/aeps/banks", "{}")
	var all sync.WaitGroup
	var mu sync.Mutex
	served := 0
	for i := range 16 {
		all.Go(func() {
			a := []*system{h, other}[i%2].do(t, m)
			mu.Lock()
			defer mu.Unlock()
			if a.status == 200 {
				served++
			} else {
				refusedPlain(t, "at once", a)
			}
		})
	}
	all.Wait()
	if served != 1 {
		t.Errorf("%d of 16 copies were served", served)
	}
}

func TestTime(t *testing.T) {
	h := startGateway(t, nil)
	for offset, served := range map[time.Duration]bool{
		-295 * time.Second: true, 295 * time.Second: true, 0: true,
		-301 * time.Second: false, 305 * time.Second: false, -30 * 24 * time.Hour: false,
	} {
		m := sealed(t, h.vendor, apiKey1, "GET", "/process/aeps/banks", newID(), "{}", time.Now().Add(offset))
		if a := h.send(t, m); served {
			sealedAs(t, offset.String(), a, 200, "00")
		} else {
			refusedPlain(t, offset.String(), a)
		}
	}
}

// TestAllRefusalsAreAlike: whatever was wrong, status, headers and body are the same.
func TestAllRefusalsAreAlike(t *testing.T) {
	h := startGateway(t, nil)
	good := func() message { return h.seal(t, "POST", withdrawal, money) }
	unknown, err := envelope.New(counting(77))
	must(t, err)
	used := good()
	h.send(t, used)
	cases := map[string]message{
		"an unknown client": sealed(t, unknown, "vk_nobody", "POST", withdrawal, newID(), money, time.Now()),
		"another's key":     sealed(t, unknown, apiKey1, "POST", withdrawal, newID(), money, time.Now()),
		"a bad checksum":    good().with("X-Checksum", strings.Repeat("a", 64)),
		"a stale timestamp": sealed(t, h.vendor, apiKey1, "POST", withdrawal, newID(), money, time.Now().Add(-time.Hour)),
		"a replay":          used,
		"a failed tag":      h.resign(t, good().with("X-Tag", good().header("X-Tag"))),
		"no such path":      good().with("X-Client-Id", "vk_nobody"),
	}
	var first *answer
	for name, m := range cases {
		a := h.send(t, m)
		refusedPlain(t, name, a)
		a.header.Del("X-Request-Id")
		a.header.Del("Date")
		if first == nil {
			first = &a
		} else if fmt.Sprint(a.header) != fmt.Sprint(first.header) {
			t.Errorf("%s: headers %v, others have %v", name, a.header, first.header)
		}
	}
	counts := h.Counts()
	for _, cause := range []Cause{CauseClient, CauseChecksum, CauseTime, CauseReplay, CauseDecryption} {
		if counts.Refused[cause] == 0 {
			t.Errorf("no refusal was counted as %s", cause)
		}
	}
	if h.bank.sent.Load() != 1 {
		t.Error("a refused message reached the bank")
	}
	quiet(t, h, used)
}

// TestBadPlaintexts: what is wrong behind the checksum is said, sealed, in the
// words of the direct route.
func TestBadPlaintexts(t *testing.T) {
	h := startGateway(t, nil)
	for name, c := range map[string]struct{ plain, rule string }{
		"an array": {`[{"merchantId":"` + m1 + `"}]`, "object"}, "a text": {`"x"`, "object"}, "nothing": {``, "object"}, "white space": {" \r\n\t", "object"},
		"two objects": {`{}{}`, "json"}, "null": {`null`, "object"}, "half an object": {`{"a":`, "json"}, "a byte order mark": {"\ufeff{}", "object"},
		"bad UTF-8":      {"{\"merchantId\":\"\xff\xfe\"}", "utf8"},
		"duplicate keys": {`{"merchantId":"` + m1 + `","merchantId":"` + m3 + `"}`, "duplicate"}, "duplicate keys inside": {`{"a":{"b":1,"b":2}}`, "duplicate"},
	} {
		a := h.send(t, h.seal(t, "POST", withdrawal, c.plain))
		sealedAs(t, name, a, 400, "02")
		if want := `"errors":[{"field":"body","rule":"` + c.rule + `"`; !strings.Contains(string(a.plain), want) {
			t.Errorf("%s: %s, want %s", name, a.plain, want)
		}
	}
	if h.bank.sent.Load() != 0 {
		t.Error("the bank was asked")
	}
}

// TestSizes: what the direct route takes passes the gateway, one byte more is
// too long, sealed; what is too long to be believed is refused unread.
func TestSizes(t *testing.T) {
	h := startGateway(t, nil)
	padded := func(size int) string { return money[:len(money)-1] + strings.Repeat(" ", size-len(money)) + "}" }
	for _, c := range []struct{ size, status int }{{1_000_000, 200}, {envelope.MaxPlain, 200}, {envelope.MaxPlain + 1, 413}, {2 << 20, 413}, {3_000_000, 413}} {
		code := map[int]string{200: "00", 413: "06"}[c.status]
		m := h.seal(t, "POST", withdrawal, padded(c.size))
		sealedAs(t, fmt.Sprintf("%d bytes", c.size), h.send(t, m), c.status, code)
		sealedAs(t, fmt.Sprintf("%d bytes to no route", c.size), h.send(t, h.seal(t, "POST", "/process/none", padded(c.size))), 404, "04")
		sealedAs(t, fmt.Sprintf("%d bytes to another role's", c.size), h.send(t, h.seal(t, "POST", "/process/upi/txn/v1/GenerateQR", padded(c.size))), 403, "01")
	}
	escaped := h.seal(t, "POST", withdrawal, padded(1<<20))
	escaped.body = []byte(strings.ReplaceAll(string(escaped.body), "/", `\/`)) // as PHP writes it
	sealedAs(t, "with escaped slashes", h.send(t, escaped), 200, "00")
	refusedPlain(t, "much too long", h.send(t, h.seal(t, "POST", withdrawal, padded(4<<20))))
}

// TestAnyContentType: a body is read as JSON whatever its media type is said to be.
func TestAnyContentType(t *testing.T) {
	h := startGateway(t, nil)
	for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "nonsense"} {
		sealedAs(t, "Content-Type "+media, h.send(t, h.seal(t, "POST", withdrawal, money).with("Content-Type", media)), 200, "00")
	}
	sealedAs(t, "two of them", h.send(t, h.seal(t, "POST", withdrawal, money).and("Content-Type", "text/plain")), 200, "00")
}

// quiet looks for what helps to decrypt in the log.
func quiet(t *testing.T, h *system, m message) {
	t.Helper()
	log := h.log.text()
	if !strings.Contains(log, `"cause":"checksum"`) {
		t.Error("the log does not tell causes")
	}
	for _, name := range []string{"X-Client-Id", "X-IV", "X-Tag", "X-Checksum"} {
		if strings.Contains(log, m.header(name)) {
			t.Errorf("the log has the value of %s", name)
		}
	}
	key := counting(0).Reveal()
	for _, text := range []string{string(m.body), fmt.Sprintf("%x", key), base64.StdEncoding.EncodeToString(key), "999941057058", "c2tleQ"} {
		if strings.Contains(log, text) {
			t.Errorf("the log has %.20s…", text)
		}
	}
}

// brokenStore fails as configured.
type brokenStore struct {
	Store
	replays error
}

func (b *brokenStore) SpendIV(ctx context.Context, k central.KeyID, iv central.IV, expires time.Time) error {
	if b.replays != nil {
		return b.replays
	}
	return b.Store.SpendIV(ctx, k, iv, expires)
}

// TestDatabaseFailures: nobody is served whose message can't be remembered, nor by a
// list of keys that may have changed.
func TestDatabaseFailures(t *testing.T) {
	h := startGateway(t, nil)
	broken := &brokenStore{Store: h.db}
	h.Gateway.store = broken
	serve := func() central.GatewayReply {
		return h.Serve(t.Context(), h.seal(t, "GET", "/process/aeps/banks", "{}").message())
	}
	if out := serve(); out.HTTP != 200 {
		t.Fatalf("HTTP %d", out.HTTP)
	}
	broken.replays = errors.New("the disk is full")
	if out := serve(); out.HTTP != 500 || !out.Authenticated {
		t.Errorf("HTTP %d, sealed %t", out.HTTP, out.Authenticated)
	}
	broken.replays = central.ErrBusy
	if out := serve(); out.HTTP != 429 || !out.Authenticated {
		t.Errorf("HTTP %d, sealed %t", out.HTTP, out.Authenticated)
	}
	broken.replays, h.watched.fails = nil, errors.New("the disk fails")
	h.watched.changed.Add(1)
	for range 2 {
		if out := serve(); out.HTTP != 500 || out.Authenticated {
			t.Errorf("HTTP %d with a list that may be wrong", out.HTTP)
		}
	}
	h.watched.fails = nil
	if out := serve(); out.HTTP != 200 {
		t.Errorf("HTTP %d when the list can be read again", out.HTTP)
	}
}

func TestConfigIsChecked(t *testing.T) {
	if err := (Config{Rate: -1}).withDefaults().validate(); err == nil || !strings.Contains(err.Error(), "randomness") || !strings.Contains(err.Error(), "above zero") {
		t.Errorf("validate = %v", err)
	}
	if _, err := keys.NewVendorKeys(nil, nil, nil); err == nil {
		t.Error("vendor keys without a master key")
	}
	if _, err := keys.NewVendorKeys(nil, []secret.Key{secret.NewKey([]byte("short"))}, nil); err == nil {
		t.Error("a short master key was taken")
	}
}
