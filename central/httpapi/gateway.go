package httpapi

import (
	"bytes"
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"galla/central"
)

// bytesPerCharge is how many bytes of an unauthentic message count as one more
// message: its check costs more with its length.
const bytesPerCharge = 64 << 10

// gatewayPrefix begins the paths of the vendor gateway.
const gatewayPrefix = "/process"

// Gateway serves sealed messages (gateway.md).
type Gateway interface {
	// Serve always returns a reply.
	Serve(ctx context.Context, m central.GatewayMessage) central.GatewayReply
}

// Explainer explains why a sealed message is refused; in sandboxes only.
type Explainer interface {
	// Explain reads a message from the body of a request and changes nothing.
	Explain(ctx context.Context, body []byte) central.Reply
}

// isGatewayRequest reports whether the gateway has to answer a request: its path
// begins with gatewayPrefix as sent, or by any reading of it. So no spelling of a
// gateway path bypasses the gateway, and no spelling of another path reaches it.
func (s *Server) isGatewayRequest(fctx *fasthttp.RequestCtx) bool {
	if s.cfg.Gateway == nil {
		return false
	}
	return hasGatewayPrefix(fctx.Request.Header.RequestURI()) || hasGatewayPrefix(fctx.Path())
}

// isUnreadableGatewayRequest is isGatewayRequest for a request that fasthttp could
// not read: it uses the request line as far as it came.
func (s *Server) isUnreadableGatewayRequest(fctx *fasthttp.RequestCtx) bool {
	if s.isGatewayRequest(fctx) {
		return true
	}
	served, ok := fctx.Conn().(*conn)
	if s.cfg.Gateway == nil || !ok {
		return false
	}
	_, target, _ := bytes.Cut(served.head, []byte(" "))
	return hasGatewayPrefix(target)
}

func hasGatewayPrefix(path []byte) bool {
	if len(path) < len(gatewayPrefix) || !bytes.EqualFold(path[:len(gatewayPrefix)], []byte(gatewayPrefix)) {
		return false
	}
	rest := path[len(gatewayPrefix):]
	return len(rest) == 0 || rest[0] == '/' || rest[0] == '?'
}

// serveGateway passes a request to the gateway unchanged. malformed is what is
// wrong with it as HTTP, if anything.
func (s *Server) serveGateway(fctx *fasthttp.RequestCtx, malformed string) {
	peer := s.networkOf(fctx)
	if s.unknownLimits.Wait(peer) > 0 {
		s.writeError(fctx, central.NewTooMany(time.Second))
		return
	}
	body, unreadable := s.readSealedBody(fctx)
	if malformed == "" {
		malformed = unreadable
	}
	ctx, cancel := context.WithTimeout(s.baseCtx, s.cfg.CallTimeout)
	defer cancel()
	header := readHeaders(fctx.Request.Header.RawHeaders())
	reply := s.cfg.Gateway.Serve(ctx, central.GatewayMessage{
		Method: string(fctx.Method()), Target: string(fctx.Request.Header.RequestURI()),
		Header: header.values, Body: body, Malformed: malformed, RequestID: requestID(fctx),
	})
	if !reply.Authenticated {
		s.unknownLimits.Charge(peer, 1+len(body)/bytesPerCharge) // the next one may be refused
	}
	fctx.SetStatusCode(reply.HTTP)
	fctx.SetContentType("application/json")
	fctx.Response.SetBodyRaw(reply.Body)
	for _, h := range reply.Header {
		fctx.Response.Header.Set(h[0], h[1])
	}
}

// rawHeaders are a request's headers as they were sent. fasthttp keeps only one of several
// values for the headers that it knows.
type rawHeaders []struct{ name, value []byte }

// usualHeaders is how many headers a message has with those of usual programs.
const usualHeaders = 16

func readHeaders(raw []byte) rawHeaders {
	list := make(rawHeaders, 0, usualHeaders)
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, []byte("\n"))
		if name, value, found := bytes.Cut(line, []byte(":")); found {
			list = append(list, struct{ name, value []byte }{name, bytes.Trim(value, " \t\r")})
		}
	}
	return list
}

// values returns every value of a header.
func (list rawHeaders) values(name string) (values []string) {
	for _, h := range list {
		if len(h.name) == len(name) && bytes.EqualFold(h.name, []byte(name)) {
			values = append(values, string(h.value))
		}
	}
	return values
}

// explain serves POST /gateway/explain.
func (s *Server) explain(c *fiber.Ctx) error {
	fctx := c.Context()
	if err := checkHeaders(fctx); err != nil {
		return err
	}
	if err := s.allowNetwork(s.baseCtx, fctx); err != nil {
		return err
	}
	body, err := readBody(fctx, maxBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.baseCtx, s.cfg.CallTimeout)
	defer cancel()
	writeReply(fctx, s.cfg.Explainer.Explain(ctx, body))
	return nil
}
