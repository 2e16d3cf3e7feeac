package gateway

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/httpapi"
	"galla/shared/envelope"
)

// FuzzServe sends foreign bytes down the whole opening path, as they are and
// under a right checksum, and holds every reply to what all promise: it is the
// one refusal to the byte, or sealed; never a 500; and what is no text of the
// key's holder never reaches the handler.
func FuzzServe(f *testing.F) {
	h := startGateway(f, func(cfg *Config, _ *httpapi.Config) { cfg.Rate, cfg.Burst = 1e9, 1<<30 })
	h.quick.Store(true)
	h.Gateway.store = &mapReplays{Store: h.db, seen: map[central.IV]bool{}}
	good := h.seal(f, "POST", withdrawal, money)
	f.Add(good.method, good.path, good.header("X-Client-Id"), good.header("X-Timestamp"), good.id, good.header("X-IV"),
		good.header("X-Tag"), strings.Repeat("0", 64), "application/json", good.body, []byte(money))
	for _, odd := range [][2]string{
		{"/process/../oauth/token", "[]"}, {"/process/aeps/banks?a=1&a=2", "{}"}, {"/process/aeps%2fbanks", "{\"a\":1,\"a\":2}"},
		{"//process/aeps/banks", "{\"a\":\"\xff\"}"}, {"/PROCESS/upi/txn/v1/GenerateQR", "null"}, {"/process/upi/txn/v1/GenerateQR", ""},
	} {
		f.Add("GET", odd[0], apiKey1, "1767225600000", newID(), "AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAA==", strings.Repeat("0", 64), "application/json",
			[]byte(`{"payload":""}`), []byte(odd[1]))
	}
	f.Fuzz(func(t *testing.T, method, path, client, timestamp, id, iv, tag, sum, media string, body, plain []byte) {
		m := message{method: method, path: path, id: "fuzz", body: body, headers: [][2]string{
			{"X-Client-Id", client}, {"X-Timestamp", timestamp}, {"X-Request-Id", id}, {"X-IV", iv}, {"X-Tag", tag}, {"X-Checksum", sum}, {"Content-Type", media},
		}}
		before := h.calls.Load()
		forged := h.Serve(t.Context(), m.message())
		hold(t, "as it is", forged)
		if forged.Authenticated || h.calls.Load() != before {
			t.Fatalf("a forged message was taken for authentic: %+v", m)
		}
		// The key's holder sends nonsense: an odd path, odd bodies, odd plaintexts.
		if len(path) == 0 || path[0] != '/' {
			path = "/" + path
		}
		head, sealedBody, err := h.vendor.SealRequest(method, path, apiKey1, newID(), time.Now(), plain, h.cfg.Rand)
		if err != nil {
			return // no method or path that can be sent
		}
		own := message{method: method, path: path, id: head.RequestID, headers: wire(head), body: sealedBody}
		hold(t, "sealed", h.Serve(t.Context(), own.message()))
		hold(t, "again", h.Serve(t.Context(), own.message()))
		if payload, err := envelope.Payload(body); err == nil {
			own.body = body
			head.IV, head.Checksum = iv, ""
			own = own.with("X-IV", iv).with("X-Checksum", checksum(counting(0), envelope.RequestText(method, path, head, payload)))
			hold(t, "with another payload", h.Serve(t.Context(), own.message()))
		}
		reply := h.Explain(t.Context(), body)
		if reply.HTTP >= 500 {
			t.Fatalf("explained with HTTP %d", reply.HTTP)
		}
	})
}

// mapReplays remembers messages in memory: a disk is slow to fuzz.
type mapReplays struct {
	Store
	mu   sync.Mutex
	seen map[central.IV]bool
}

func (f *mapReplays) SpendIV(_ context.Context, _ central.KeyID, iv central.IV, _ time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen[iv] {
		return central.ErrTaken
	}
	if len(f.seen) > 10_000 {
		clear(f.seen)
	}
	f.seen[iv] = true
	return nil
}

// hold holds a reply to what all replies promise.
func hold(t *testing.T, what string, out central.GatewayReply) {
	t.Helper()
	if !out.Authenticated {
		if out.HTTP != 401 || string(out.Body) != plainRefusal || len(out.Header) != 1 {
			t.Fatalf("%s: HTTP %d %s %v, want the one refusal", what, out.HTTP, out.Body, out.Header)
		}
		return
	}
	if out.HTTP >= 500 || !bytes.HasPrefix(out.Body, []byte(`{"payload":"`)) || !strings.HasPrefix(out.Header[0][0], "X-") {
		t.Fatalf("%s: HTTP %d %s, want a sealed reply", what, out.HTTP, out.Body)
	}
}

// FuzzQuery reads foreign queries.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"", "a=1", "a=1&a=2", "%zz", "a=%ff", "a;b", "=&=", "a=1#b"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		fields, err := parseQuery(query)
		if err != nil && fields != nil {
			t.Fatalf("%v and %v", fields, err)
		}
		if err != nil && central.AsError(err).Fault != central.Invalid {
			t.Fatal(err)
		}
	})
}
