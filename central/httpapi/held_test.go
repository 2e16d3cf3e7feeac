package httpapi

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

// countingHandler counts what reaches a handler.
type countingHandler struct {
	central.Handler
	calls atomic.Int64
}

func (c *countingHandler) Handle(ctx context.Context, call central.Request) central.Reply {
	c.calls.Add(1)
	return c.Handler.Handle(ctx, call)
}

// TestASuspensionCountsUnderAHeldBody: a client that is suspended while the body of
// its call is still on its way has that call refused, at every route that takes one,
// and nothing reaches the handler; nor does a new secret let the old token's call through.
func TestASuspensionCountsUnderAHeldBody(t *testing.T) {
	clientOf := map[op.Role]string{op.Merchant: "merchant-lakshmi", op.Vendor: "vendor-sahyadri", op.Aggregator: "agg-galla"}
	secretOf := map[op.Role]string{op.Merchant: clientSecret, op.Vendor: "p:ä +%", op.Aggregator: clientSecret}
	var seen *countingHandler
	h := startServer(t, func(_ *Config, d *central.Handler) {
		seen = &countingHandler{Handler: *d}
		*d = seen
	})
	held := 0
	for _, route := range op.Table() {
		if route.Entrances&op.Direct == 0 || len(route.Roles) == 0 || route.Method == http.MethodGet {
			continue
		}
		for role, client := range clientOf {
			if !route.Allows(role) {
				continue
			}
			held++
			token := h.token(t, client, secretOf[role])
			before := seen.calls.Load()
			path := strings.NewReplacer(":vendorId", string(v1), ":slabId", "x", ":id", "x").Replace(route.Path)
			a := h.heldRequest(t, route.Method, path, token, func() {
				h.directory.change(client, func(x *central.Client) {
					x.Generation++
					x.Active = held%2 == 0 // else it only has a new secret
				})
			})
			if a.status != 401 || a.text("statusCode") != "03" || a.header.Get("WWW-Authenticate") != challengeBadToken {
				t.Errorf("%s, %s: HTTP %d %s", route.ID, role, a.status, a.body)
			}
			if n := seen.calls.Load() - before; n != 0 {
				t.Errorf("%s, %s: %d calls reached the handler", route.ID, role, n)
			}
			h.directory.change(client, func(x *central.Client) { x.Active = true })
		}
	}
	if held == 0 {
		t.Fatal("no route takes a body")
	}
	t.Logf("%d bodies held", held)
}

// heldRequest sends a call whose last byte comes after meanwhile, which runs when the caller
// was judged by the headers.
func (h *system) heldRequest(t *testing.T, method, path, token string, meanwhile func()) answer {
	t.Helper()
	body := "{" + strings.Repeat(" ", 3*maxDiscarded) + "}" // more than the HTTP layer reads ahead
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	judged := h.directory.nextLook()
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
