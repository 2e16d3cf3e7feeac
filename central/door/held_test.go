package door

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// countedCalls counts what reaches a dispatcher.
type countedCalls struct {
	central.Dispatcher
	calls atomic.Int64
}

func (c *countedCalls) Dispatch(ctx context.Context, call central.Call) central.Reply {
	c.calls.Add(1)
	return c.Dispatcher.Dispatch(ctx, call)
}

// TestASuspensionCountsUnderAHeldBody: a client that is suspended while the body of
// its call is still on its way has that call refused, at every route that takes one,
// and nothing is dispatched; nor does a new secret let the old token's call through.
func TestASuspensionCountsUnderAHeldBody(t *testing.T) {
	clientOf := map[op.Role]string{op.Merchant: "merchant-lakshmi", op.Vendor: "vendor-sahyadri", op.Aggregator: "agg-galla"}
	secretOf := map[op.Role]string{op.Merchant: password, op.Vendor: "p:ä +%", op.Aggregator: password}
	var seen *countedCalls
	var later atomic.Int64 // what is added to the clock of the clients
	h := open(t, func(_ *Config, d *central.Dispatcher) {
		seen = &countedCalls{Dispatcher: *d}
		*d = seen
	})
	h.clients.now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	held := 0
	for _, route := range op.Table() {
		if route.Doors&op.Direct == 0 || len(route.Roles) == 0 || route.Method == http.MethodGet {
			continue
		}
		for role, client := range clientOf {
			if !route.Allows(role) {
				continue
			}
			held++
			token := h.token(t, client, secretOf[role])
			dispatched := seen.calls.Load()
			path := strings.NewReplacer(":vendorId", string(v1), ":slabId", "x", ":id", "x").Replace(route.Path)
			a := h.held(t, route.Method, path, token, func() {
				h.parties.change(client, func(x *central.Client) {
					x.Generation++
					x.Active = held%2 == 0 // else it only has a new secret
				})
				later.Add(int64(clientLife))
			})
			if a.status != 401 || a.text("statusCode") != "03" || a.header.Get("WWW-Authenticate") != challengeBadToken {
				t.Errorf("%s, %s: HTTP %d %s", route.ID, role, a.status, a.body)
			}
			if n := seen.calls.Load() - dispatched; n != 0 {
				t.Errorf("%s, %s: %d calls were dispatched", route.ID, role, n)
			}
			h.parties.change(client, func(x *central.Client) { x.Active = true })
			later.Add(int64(clientLife))
		}
	}
	if held == 0 {
		t.Fatal("no route takes a body")
	}
	t.Logf("%d bodies held", held)
}

// held sends a call whose last byte comes after meanwhile, which runs when the caller
// was judged by the headers.
func (h *house) held(t *testing.T, method, path, token string, meanwhile func()) answer {
	t.Helper()
	body := "{" + strings.Repeat(" ", 3*spareBody) + "}" // more than the HTTP layer reads ahead
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	judged := h.parties.nextLook()
	if _, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: galla\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s", method, path, token, len(body), body[:len(body)-1]); err != nil {
		t.Fatal(err)
	}
	select {
	case <-judged:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s %s: nobody looked at the caller", method, path)
	}
	meanwhile()
	if _, err := io.WriteString(c, body[len(body)-1:]); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, res, text)
}
