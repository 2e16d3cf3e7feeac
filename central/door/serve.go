package door

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/shared/op"
)

// Headers with a meaning here.
const (
	headerRequestID   = "X-Request-Id"
	headerIdentity    = "Idempotency-Key"
	headerReplayed    = "Idempotent-Replayed"
	headerCredential  = "Authorization"
	headerChallenge   = "WWW-Authenticate"
	headerRetryAfter  = "Retry-After"
	headerEncoding    = "Content-Encoding"
	headerCache       = "Cache-Control"
	maxRequestID      = 128
	requestIDValue    = "galla.request-id"
	challengeNoToken  = `Bearer realm="galla"`
	challengeBadToken = `Bearer realm="galla", error="invalid_token"`
)

// serve is where every request arrives. It answers panics, names the request,
// and hands it to the router.
func (d *Door) serve(fctx *fasthttp.RequestCtx) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("panic while a request was served", "request", requestID(fctx), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			d.refuse(fctx, central.Refuse(central.Internal, ""))
		}
	}()
	d.begin(fctx)
	if fctx.Request.IsBodyStream() {
		defer drop(fctx)
	} else {
		whole(fctx)
	}
	shape, last := ambiguous(&fctx.Request.Header)
	if last || d.leaving.Load() {
		fctx.SetConnectionClose()
	}
	if d.toGateway(fctx) {
		d.serveGateway(fctx, shape)
		return
	}
	if shape != "" {
		d.refuse(fctx, invalid("headers", "http", shape))
		return
	}
	if !slices.Contains(fiber.DefaultMethods, string(fctx.Method())) {
		// The router answers methods it does not know in plain text. No route
		// has TRACE, so the answer is the same 404 or 405 as for any other.
		fctx.Request.Header.SetMethod(fiber.MethodTrace)
	}
	d.routed(fctx)
}

// begin gives the request its id and the reply its fixed headers.
func (d *Door) begin(fctx *fasthttp.RequestCtx) {
	id := ""
	if sent := fctx.Request.Header.PeekAll(headerRequestID); len(sent) == 1 && saneID(sent[0]) {
		id = string(sent[0])
	} else if minted, err := uuid.NewV7FromReader(d.cfg.Rand); err == nil {
		id = minted.String()
	} else {
		d.log.Error("no randomness for a request id", "error", err)
	}
	fctx.SetUserValue(requestIDValue, id)
	h := &fctx.Response.Header
	h.Set(headerRequestID, id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set(headerCache, "no-store")
}

// saneID tells whether a caller's request id may stand in a log: visible ASCII
// of a reasonable length.
func saneID(id []byte) bool {
	for _, c := range id {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(id) > 0 && len(id) <= maxRequestID
}

func requestID(fctx *fasthttp.RequestCtx) string {
	id, _ := fctx.UserValue(requestIDValue).(string)
	return id
}

// refuseRequest answers what never reached a route: unknown paths and methods,
// and requests that the HTTP layer could not read.
func (d *Door) refuseRequest(c *fiber.Ctx, err error) error {
	fctx := c.Context()
	if fctx.UserValue(requestIDValue) == nil {
		// The HTTP layer gave up on the connection: let the peer read why.
		d.begin(fctx)
		part(fctx)
	}
	var status *fiber.Error
	known := errors.As(err, &status)
	if known && d.unreadToGateway(fctx) {
		d.serveGateway(fctx, "the request could not be read: "+status.Message)
		return nil
	}
	if !known {
		d.refuse(fctx, err)
		return nil
	}
	switch status.Code {
	case fiber.StatusNotFound:
		err = central.Refuse(central.NoRoute, "")
	case fiber.StatusMethodNotAllowed:
		err = central.Refuse(central.NoMethod, "")
	case fiber.StatusRequestEntityTooLarge:
		err = central.Refuse(central.TooLarge, "")
	case fiber.StatusRequestHeaderFieldsTooLarge:
		err = invalid("headers", "length", fmt.Sprintf("must have at most %d bytes together with the request line", readBuffer))
	case fiber.StatusRequestTimeout:
		err = invalid("request", "time", fmt.Sprintf("must arrive within %g seconds", readTimeout.Seconds()))
	default:
		err = invalid("request", "http", "must be well-formed HTTP/1.1")
	}
	d.refuse(fctx, err)
	return nil
}

func invalid(field, rule, message string) error {
	return &central.Error{Fault: central.Invalid, Message: "Invalid request",
		Fields: []central.FieldError{{Field: field, Rule: rule, Message: message}}}
}

// refuse writes the error table's reply for an error.
func (d *Door) refuse(fctx *fasthttp.RequestCtx, err error) {
	write(fctx, d.dispatcher.Refusal(err, requestID(fctx)))
}

// write sends a reply.
func write(fctx *fasthttp.RequestCtx, r central.Reply) {
	fctx.SetStatusCode(r.HTTP)
	fctx.SetContentType("application/json")
	fctx.Response.SetBodyRaw(r.Body)
	if r.Replayed {
		fctx.Response.Header.Set(headerReplayed, "true")
	}
	if r.RetryAfter > 0 {
		fctx.Response.Header.Set(headerRetryAfter, strconv.Itoa(int(math.Ceil(r.RetryAfter.Seconds()))))
	}
	if r.HTTP == fiber.StatusUnauthorized && len(fctx.Response.Header.Peek(headerChallenge)) == 0 {
		fctx.Response.Header.Set(headerChallenge, challengeNoToken)
	}
}

// guard refuses what different readers of a request could understand
// differently: headers that count sent twice, and encoded bodies.
func guard(fctx *fasthttp.RequestCtx) error {
	var wrong []central.FieldError
	for _, name := range []string{headerCredential, headerIdentity, headerRequestID} {
		if len(fctx.Request.Header.PeekAll(name)) > 1 {
			wrong = append(wrong, central.FieldError{Field: name, Rule: "once", Message: "must be sent once"})
		}
	}
	if keys := fctx.Request.Header.PeekAll(headerIdentity); len(keys) == 1 && len(keys[0]) == 0 {
		wrong = append(wrong, central.FieldError{Field: headerIdentity, Rule: "reference", Message: "must not be empty"})
	}
	if len(fctx.Request.Header.PeekAll(headerEncoding)) > 0 {
		wrong = append(wrong, central.FieldError{Field: headerEncoding, Rule: "absent", Message: "must not be sent: bodies are plain"})
	}
	if wrong != nil {
		return &central.Error{Fault: central.Invalid, Message: "Invalid request", Fields: wrong}
	}
	return nil
}

// direct serves a route of the table.
func (d *Door) direct(route op.Route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		reply, err := d.call(c, route)
		if err != nil {
			d.refuse(c.Context(), err)
			return nil
		}
		write(c.Context(), reply)
		return nil
	}
}

// call authenticates a request, unwraps it, and dispatches it. Who calls, and
// whether the role may, is settled before anything else of the request counts; that
// the client still may call, once more when the body is there.
func (d *Door) call(c *fiber.Ctx, route op.Route) (central.Reply, error) {
	fctx := c.Context()
	by, err := d.admit(fctx, route)
	if err != nil {
		return central.Reply{}, err
	}
	if err := guard(fctx); err != nil {
		return central.Reply{}, err
	}
	query, err := queryOf(fctx)
	if err != nil {
		return central.Reply{}, err
	}
	params := map[string]string{}
	for _, name := range c.Route().Params {
		// What is no escaping, or hides a separator, names nothing.
		value, err := url.PathUnescape(c.Params(name))
		if err != nil || strings.Contains(value, "/") || !utf8.ValidString(value) {
			return central.Reply{}, central.Refuse(central.NotFound, "")
		}
		params[name] = value
	}
	body, err := readBody(fctx, maxBody)
	if err != nil {
		return central.Reply{}, err
	}
	select {
	case d.underWay <- struct{}{}:
		defer func() { <-d.underWay }()
	default:
		return central.Reply{}, tooMany(time.Second)
	}
	ctx, cancel := context.WithTimeout(d.life, d.cfg.CallTimeout)
	defer cancel()
	// The body's sender had readTimeout, in which its client may have been suspended.
	if len(route.Roles) > 0 {
		if err := d.refuseToken(fctx, d.clients.judge(ctx, by)); err != nil {
			return central.Reply{}, err
		}
	}
	sent := central.Call{
		Principal: by.principal, Credential: by.credential, Route: route, Params: params, Query: query, Body: body,
		RequestID: requestID(fctx), Identity: string(fctx.Request.Header.Peek(headerIdentity)),
	}
	if route.ID == op.EnrolTerminal {
		return d.enrol(ctx, fctx, sent)
	}
	return d.dispatcher.Dispatch(ctx, sent), nil
}

// admit authenticates the caller, counts the call and holds the role against
// the route. Routes without roles authenticate by themselves, and are counted by
// network. What it waits for is no part of the call's own time.
func (d *Door) admit(fctx *fasthttp.RequestCtx, route op.Route) (bearer, error) {
	ctx, cancel := context.WithTimeout(d.life, d.cfg.CallTimeout)
	defer cancel()
	if len(route.Roles) == 0 {
		return bearer{}, d.networks.allow(ctx, network(d.origin(fctx)), time.Now())
	}
	by, err := d.authenticate(ctx, fctx)
	if err != nil {
		return bearer{}, err
	}
	tooMany := d.rates.allow(ctx, by.principal.Caller(), time.Now())
	if !route.Allows(by.principal.Role) {
		return bearer{}, central.Refuse(central.AccessDenied, "")
	}
	return by, tooMany
}

// authenticate reads the Bearer token (section 5.1), and sees that its client may
// still call.
func (d *Door) authenticate(ctx context.Context, fctx *fasthttp.RequestCtx) (bearer, error) {
	if len(fctx.Request.Header.PeekAll(headerCredential)) > 1 {
		return bearer{}, guard(fctx) // which of them would count?
	}
	header := string(fctx.Request.Header.Peek(headerCredential))
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return bearer{}, central.Refuse(central.Unauthenticated, "Not authenticated: an access token is needed")
	}
	by, err := d.tokens.verify(token)
	if err == nil {
		err = d.clients.judge(ctx, by)
	}
	return by, d.refuseToken(fctx, err)
}

// refuseToken answers what is wrong with a token; other errors stay as they are.
func (d *Door) refuseToken(fctx *fasthttp.RequestCtx, err error) error {
	if !errors.Is(err, errToken) {
		return err
	}
	d.log.Info("token refused", "request", requestID(fctx), "error", err)
	fctx.Response.Header.Set(headerChallenge, challengeBadToken)
	return central.Refuse(central.Unauthenticated, "Not authenticated: the access token is invalid or expired")
}

// queryOf reads the query; a name that stands twice is refused, since its
// readers would not agree on the value.
func queryOf(fctx *fasthttp.RequestCtx) (map[string]string, error) {
	query := map[string]string{}
	twice, unreadable := false, false
	for name, value := range fctx.QueryArgs().All() {
		_, seen := query[string(name)]
		twice = twice || seen
		unreadable = unreadable || !utf8.Valid(name) || !utf8.Valid(value)
		query[string(name)] = string(value)
	}
	if twice {
		return nil, invalid("query", "once", "must not contain the same name twice")
	}
	if unreadable {
		return nil, invalid("query", "utf8", "must be valid UTF-8")
	}
	return query, nil
}
