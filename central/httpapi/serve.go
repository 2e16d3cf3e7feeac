package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/op"
)

// Headers that are read or written here.
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

// serveHTTP receives every request. It recovers from panics, names the request, and
// passes it to the router.
func (s *Server) serveHTTP(fctx *fasthttp.RequestCtx) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while a request was handled", "request", requestID(fctx), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.writeError(fctx, central.NewError(central.Internal, ""))
		}
	}()
	s.setReplyHeaders(fctx)
	if fctx.Request.IsBodyStream() {
		defer discardBody(fctx)
	} else {
		requestComplete(fctx)
	}
	shape, last := ambiguous(&fctx.Request.Header)
	if last || s.draining.Load() {
		fctx.SetConnectionClose()
	}
	if s.isGatewayRequest(fctx) {
		s.serveGateway(fctx, shape)
		return
	}
	if shape != "" {
		s.writeError(fctx, central.NewFieldError("headers", "http", shape))
		return
	}
	if !isKnownMethod(fctx.Method()) {
		// The router answers unknown methods in plain text. No route has TRACE, so
		// the reply is the same 404 or 405 as for any other method.
		fctx.Request.Header.SetMethod(fiber.MethodTrace)
	}
	s.router(fctx)
}

// isKnownMethod reports whether the router knows a method.
func isKnownMethod(method []byte) bool {
	return slices.ContainsFunc(fiber.DefaultMethods, func(known string) bool { return known == string(method) })
}

// setReplyHeaders gives the request its id and the reply its fixed headers.
func (s *Server) setReplyHeaders(fctx *fasthttp.RequestCtx) {
	id := ""
	if sent := fctx.Request.Header.PeekAll(headerRequestID); len(sent) == 1 && validRequestID(string(sent[0])) {
		id = string(sent[0])
	} else if minted, err := uuid.NewV7FromReader(s.cfg.Rand); err == nil {
		id = minted.String()
	} else {
		s.log.Error("no randomness for a request id", "error", err)
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

// validRequestID reports whether a caller's request id may be logged: visible ASCII
// of a reasonable length.
func validRequestID(id string) bool { return field.Within(id, maxRequestID, field.Visible) }

func requestID(fctx *fasthttp.RequestCtx) string {
	id, _ := fctx.UserValue(requestIDValue).(string)
	return id
}

// handleRouterError answers errors of routes, and requests that reached none: unknown
// paths and methods, and requests that fasthttp could not read.
func (s *Server) handleRouterError(c *fiber.Ctx, err error) error {
	fctx := c.Context()
	if fctx.UserValue(requestIDValue) == nil {
		// fasthttp closes the connection: let the peer read why.
		s.setReplyHeaders(fctx)
		closeAfterReply(fctx)
	}
	var status *fiber.Error
	known := errors.As(err, &status)
	if known && s.isUnreadableGatewayRequest(fctx) {
		s.serveGateway(fctx, "the request could not be read: "+status.Message)
		return nil
	}
	if !known {
		s.writeError(fctx, err)
		return nil
	}
	switch status.Code {
	case fiber.StatusNotFound:
		err = central.NewError(central.NoRoute, "")
	case fiber.StatusMethodNotAllowed:
		err = central.NewError(central.NoMethod, "")
	case fiber.StatusRequestEntityTooLarge:
		err = central.NewError(central.TooLarge, "")
	case fiber.StatusRequestHeaderFieldsTooLarge:
		err = central.NewFieldError("headers", "length", fmt.Sprintf("must have at most %d bytes together with the request line", readBuffer))
	case fiber.StatusRequestTimeout:
		err = central.NewFieldError("request", "time", fmt.Sprintf("must arrive within %g seconds", readTimeout.Seconds()))
	default:
		err = central.NewFieldError("request", "http", "must be well-formed HTTP/1.1")
	}
	s.writeError(fctx, err)
	return nil
}

// writeError writes an error's reply from the error table.
func (s *Server) writeError(fctx *fasthttp.RequestCtx, err error) {
	writeReply(fctx, s.handler.ErrorReply(err, requestID(fctx)))
}

// writeReply sends a reply.
func writeReply(fctx *fasthttp.RequestCtx, r central.Reply) {
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

// checkHeaders refuses what different readers could understand differently: headers
// that were sent twice, and encoded bodies.
func checkHeaders(fctx *fasthttp.RequestCtx) error {
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

// handleRoute serves a route of the table: it authenticates a request, unwraps it, and
// passes it to the handler. The caller and the role are checked before anything else of
// the request; the client is checked again once the body has come.
func (s *Server) handleRoute(c *fiber.Ctx, route op.Route) error {
	fctx := c.Context()
	began := time.Now()
	ctx, cancel := context.WithTimeout(s.baseCtx, s.cfg.CallTimeout)
	defer cancel()
	by, err := s.authorize(ctx, fctx, route)
	if err != nil {
		return err
	}
	if err := checkHeaders(fctx); err != nil {
		return err
	}
	query, err := parseQuery(fctx)
	if err != nil {
		return err
	}
	var params map[string]string
	for _, name := range c.Route().Params {
		if params == nil {
			params = map[string]string{}
		}
		if params[name], err = field.PathValue(c.Params(name)); err != nil {
			return err
		}
	}
	body, err := readBody(fctx, maxBody)
	if err != nil {
		return err
	}
	select {
	case s.underWay <- struct{}{}:
		defer func() { <-s.underWay }()
	default:
		return central.NewTooMany(time.Second)
	}
	if time.Since(began) > slowBody {
		renewed, cancel := context.WithTimeout(s.baseCtx, s.cfg.CallTimeout)
		defer cancel()
		ctx = renewed
	}
	// Reading the body may take readTimeout; its client may be suspended by now.
	if len(route.Roles) > 0 {
		if err := s.tokenError(fctx, s.checkClient(ctx, by)); err != nil {
			return err
		}
	}
	sent := central.Request{
		Principal: by.principal, Credential: by.credential, Route: route, Params: params, Query: query, Body: body,
		RequestID: requestID(fctx), Identity: string(fctx.Request.Header.Peek(headerIdentity)), Streams: true,
	}
	if route.ID == op.EnrolTerminal {
		return s.enrolTerminal(ctx, fctx, sent)
	}
	reply := s.handler.Handle(ctx, sent)
	if reply.Stream != nil {
		return s.stream(fctx, reply)
	}
	writeReply(fctx, reply)
	return nil
}

// slowBody is after how long the waiting for the caller and the body is not part of
// CallTimeout.
const slowBody = time.Second

// authorize authenticates the caller, counts the request, and checks the role.
// Routes without roles authenticate by themselves and are counted by network.
func (s *Server) authorize(ctx context.Context, fctx *fasthttp.RequestCtx, route op.Route) (bearer, error) {
	if len(route.Roles) == 0 {
		return bearer{}, s.allowNetwork(ctx, fctx)
	}
	by, err := s.authenticate(ctx, fctx)
	if err != nil {
		return bearer{}, err
	}
	tooMany := s.callerLimits.allow(ctx, by.caller)
	if !route.Allows(by.principal.Role) {
		return bearer{}, central.NewError(central.AccessDenied, "")
	}
	return by, tooMany
}

// authenticate reads the Bearer token (interface.md, section 5.1), and checks that
// its client may still call.
func (s *Server) authenticate(ctx context.Context, fctx *fasthttp.RequestCtx) (bearer, error) {
	if len(fctx.Request.Header.PeekAll(headerCredential)) > 1 {
		return bearer{}, checkHeaders(fctx) // several headers: it is unknown which one counts
	}
	scheme, token, _ := bytes.Cut(fctx.Request.Header.Peek(headerCredential), []byte(" "))
	if !bytes.EqualFold(scheme, []byte("Bearer")) {
		return bearer{}, central.NewError(central.Unauthenticated, "Not authenticated: an access token is needed")
	}
	by, err := s.tokens.verify(token)
	if err == nil {
		err = s.checkClient(ctx, by)
	}
	return by, s.tokenError(fctx, err)
}

// tokenError replies what is wrong with a token; other errors stay as they are.
func (s *Server) tokenError(fctx *fasthttp.RequestCtx, err error) error {
	if !errors.Is(err, errToken) {
		return err
	}
	s.log.Info("token refused", "request", requestID(fctx), "error", err)
	fctx.Response.Header.Set(headerChallenge, challengeBadToken)
	return central.NewError(central.Unauthenticated, "Not authenticated: the access token is invalid or expired")
}

// parseQuery reads the query. A name that occurs twice is refused, since readers
// would not agree on the value.
func parseQuery(fctx *fasthttp.RequestCtx) (map[string]string, error) {
	if fctx.QueryArgs().Len() == 0 {
		return nil, nil
	}
	query := map[string]string{}
	twice, unreadable := false, false
	for name, value := range fctx.QueryArgs().All() {
		_, seen := query[string(name)]
		twice = twice || seen
		unreadable = unreadable || !utf8.Valid(name) || !utf8.Valid(value)
		query[string(name)] = string(value)
	}
	if twice {
		return nil, central.NewFieldError("query", "once", "must not contain the same name twice")
	}
	if unreadable {
		return nil, central.NewFieldError("query", "utf8", "must be valid UTF-8")
	}
	return query, nil
}
