package door

import (
	"bytes"
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"galla/central"
)

// strangeBytes is how much of a message that is not authentic counts as one more:
// what its check costs grows with its length.
const strangeBytes = 64 << 10

// gatewayRoot is where the vendor gateway's paths begin.
const gatewayRoot = "/process"

// Gateway serves sealed messages (gateway.md).
type Gateway interface {
	// Serve always has a reply.
	Serve(ctx context.Context, m central.GatewayMessage) central.GatewayReply
}

// Explainer helps to find out why a sealed message is refused; sandboxes only.
type Explainer interface {
	// Explain reads a message from the body of a request, and spends nothing.
	Explain(ctx context.Context, body []byte) central.Reply
}

// toGateway tells whether a request is the gateway's to answer: its path as
// sent begins there, or does by any reading of it. So no spelling of a
// gateway's path leads around the gateway, and none of another route's leads
// from the gateway to that.
func (d *Door) toGateway(fctx *fasthttp.RequestCtx) bool {
	if d.cfg.Gateway == nil {
		return false
	}
	return underGateway(fctx.Request.Header.RequestURI()) || underGateway(fctx.Path())
}

// unreadToGateway is toGateway for a request that the HTTP layer could not
// read: it goes by the request line as far as it is known.
func (d *Door) unreadToGateway(fctx *fasthttp.RequestCtx) bool {
	if d.toGateway(fctx) {
		return true
	}
	served, ok := fctx.Conn().(*conn)
	if d.cfg.Gateway == nil || !ok {
		return false
	}
	_, target, _ := bytes.Cut(served.head, []byte(" "))
	return underGateway(target)
}

func underGateway(path []byte) bool {
	if len(path) < len(gatewayRoot) || !bytes.EqualFold(path[:len(gatewayRoot)], []byte(gatewayRoot)) {
		return false
	}
	rest := path[len(gatewayRoot):]
	return len(rest) == 0 || rest[0] == '/' || rest[0] == '?'
}

// serveGateway hands a request to the gateway as it came. malformed is what
// HTTP itself objects to, if anything.
func (d *Door) serveGateway(fctx *fasthttp.RequestCtx, malformed string) {
	peer := network(d.origin(fctx))
	if err := d.strangers.spare(peer, time.Now()); err != nil {
		d.refuse(fctx, err)
		return
	}
	body, unreadable := d.readSealed(fctx)
	if malformed == "" {
		malformed = unreadable
	}
	ctx, cancel := context.WithTimeout(d.life, d.cfg.CallTimeout)
	defer cancel()
	reply := d.cfg.Gateway.Serve(ctx, central.GatewayMessage{
		Method: string(fctx.Method()), Target: string(fctx.Request.Header.RequestURI()),
		Header: func(name string) []string { return valuesOf(fctx.Request.Header.RawHeaders(), name) },
		Body:   body, Malformed: malformed, RequestID: requestID(fctx),
	})
	if !reply.Authenticated {
		d.strangers.charge(peer, 1+len(body)/strangeBytes, time.Now()) // the next one may be refused
	}
	fctx.SetStatusCode(reply.HTTP)
	fctx.SetContentType("application/json")
	fctx.Response.SetBodyRaw(reply.Body)
	for _, h := range reply.Header {
		fctx.Response.Header.Set(h[0], h[1])
	}
}

// valuesOf gives every value of a header as it was sent. The HTTP layer's own
// reading keeps one of several for the headers that it knows itself.
func valuesOf(raw []byte, name string) (values []string) {
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, []byte("\n"))
		key, value, found := bytes.Cut(line, []byte(":"))
		if found && len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			values = append(values, string(bytes.Trim(value, " \t\r")))
		}
	}
	return values
}

// explain serves POST /gateway/explain.
func (d *Door) explain(c *fiber.Ctx) error {
	fctx := c.Context()
	err := guard(fctx)
	if err == nil {
		err = d.networks.allow(d.life, network(d.origin(fctx)), time.Now())
	}
	if err != nil {
		d.refuse(fctx, err)
		return nil
	}
	body, err := readBody(fctx, maxBody)
	if err != nil {
		d.refuse(fctx, err)
		return nil
	}
	ctx, cancel := context.WithTimeout(d.life, d.cfg.CallTimeout)
	defer cancel()
	write(fctx, d.cfg.Explainer.Explain(ctx, body))
	return nil
}
