package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// Limits of a token request, in bytes.
const (
	maxForm     = 8 << 10
	maxClientID = 128
	maxSecret   = 512
)

const challengeClient = `Basic realm="galla", charset="UTF-8"`

// tokenReply is the reply to a token request (RFC 6749 §5.1).
type tokenReply struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"` // seconds
}

// tokenErrorReply is an error of RFC 6749 §5.2 and our envelope in one, so that
// OAuth libraries and programs written for the interface both understand it.
type tokenErrorReply struct {
	Error       string         `json:"error"`
	Description string         `json:"error_description"`
	StatusCode  string         `json:"statusCode"`
	Message     string         `json:"message"`
	Data        jsontext.Value `json:"data,omitzero"`
}

// oauthError is an error with its code of RFC 6749.
type oauthError struct {
	code string
	err  error
}

func (e *oauthError) Error() string { return e.code + ": " + e.err.Error() }
func (e *oauthError) Unwrap() error { return e.err }

func badRequest(field, rule, message string) error {
	return &oauthError{"invalid_request", central.NewFieldError(field, rule, message)}
}

// credentials are a client's id and secret.
type credentials struct {
	id     string
	secret secret.Key
}

// serveToken serves POST /oauth/token.
func (s *Server) serveToken(c *fiber.Ctx) error {
	fctx := c.Context()
	fctx.Response.Header.Set("Pragma", "no-cache")
	ctx, cancel := context.WithTimeout(s.baseCtx, s.cfg.CallTimeout)
	defer cancel()
	var g tokenReply
	form, err := readBody(fctx, maxBody)
	if err == nil {
		g, err = s.issueToken(ctx, fctx, form)
	}
	if err != nil {
		s.writeTokenError(fctx, busyError(err))
		return nil
	}
	body, err := json.Marshal(g)
	if err != nil {
		s.writeTokenError(fctx, fmt.Errorf("write a token's reply: %w", err))
		return nil
	}
	writeReply(fctx, central.Reply{HTTP: fiber.StatusOK, Body: body})
	return nil
}

// busyRetryTime is the Retry-After while the store is busy or full.
const busyRetryTime = time.Second

// busyError is TooMany if the store was busy: nothing was done, and the caller may
// try again.
func busyError(err error) error {
	if !errors.Is(err, central.ErrBusy) {
		return err
	}
	return &central.Error{Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: busyRetryTime, Err: err}
}

// issueToken checks a token request and issues the token.
func (s *Server) issueToken(ctx context.Context, fctx *fasthttp.RequestCtx, body []byte) (tokenReply, error) {
	if err := checkHeaders(fctx); err != nil {
		return tokenReply{}, &oauthError{"invalid_request", err}
	}
	if err := s.allowNetwork(ctx, fctx); err != nil {
		return tokenReply{}, err
	}
	offered, err := parseTokenRequest(string(fctx.Request.Header.ContentType()), string(fctx.Request.Header.Peek(headerCredential)), body)
	if err != nil {
		return tokenReply{}, err
	}
	try, err := s.attempts.attempt(ctx, offered.id, s.networkOf(fctx))
	if err != nil {
		return tokenReply{}, err
	}
	client, err := s.authenticateClient(ctx, offered, try, requestID(fctx))
	if err != nil {
		return tokenReply{}, err
	}
	if err := s.checkParty(ctx, client.Principal); err != nil {
		return tokenReply{}, err
	}
	if err := s.attempts.recordSuccess(ctx, client.ID, try); err != nil {
		s.log.Warn("a client's network can't be recorded: wrong secrets of others may block it there", "client", client.ID, "error", err)
	}
	token, err := s.tokens.sign(central.Credential{Client: client.ID, Generation: client.Generation}, client.Principal, time.Now())
	if err != nil {
		return tokenReply{}, err
	}
	s.log.Info("token issued", "request", requestID(fctx), "client", client.ID, "caller", client.Principal.Caller())
	return tokenReply{AccessToken: token.Reveal(), TokenType: "Bearer", ExpiresIn: int(s.cfg.TokenLife.Seconds())}, nil
}

// parseTokenRequest reads the form and the client's credentials, which come by HTTP
// Basic or in the form, never in both (RFC 6749 §2.3).
func parseTokenRequest(contentType, authorization string, body []byte) (credentials, error) {
	media, _, _ := strings.Cut(contentType, ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/x-www-form-urlencoded") {
		return credentials{}, badRequest("Content-Type", "media", "must be application/x-www-form-urlencoded")
	}
	if len(body) > maxForm {
		return credentials{}, badRequest("body", "length", fmt.Sprintf("must have at most %d bytes", maxForm))
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return credentials{}, badRequest("body", "form", "must be a well-formed form")
	}
	for _, name := range []string{"grant_type", "client_id", "client_secret", "scope"} {
		if len(form[name]) > 1 {
			return credentials{}, badRequest(name, "once", "must be sent once")
		}
	}
	switch form.Get("grant_type") {
	case "client_credentials":
	case "":
		return credentials{}, badRequest("grant_type", "required", "is required")
	default:
		return credentials{}, &oauthError{"unsupported_grant_type", central.NewFieldError("grant_type", "supported", "must be client_credentials")}
	}
	if authorization == "" {
		if form.Get("client_id") == "" || form.Get("client_secret") == "" {
			return credentials{}, errClient
		}
		return credentials{form.Get("client_id"), secret.NewKey([]byte(form.Get("client_secret")))}, nil
	}
	if form.Has("client_secret") {
		return credentials{}, badRequest("client_secret", "once", "must not be sent in the form beside HTTP Basic")
	}
	offered, ok := parseBasicAuth(authorization)
	if !ok {
		return credentials{}, errClient
	}
	if form.Has("client_id") && form.Get("client_id") != offered.id {
		return credentials{}, badRequest("client_id", "same", "must be the same as in HTTP Basic")
	}
	return offered, nil
}

// parseBasicAuth reads HTTP Basic as in RFC 6749 §2.3.1: id and secret are
// form-encoded before they are joined.
func parseBasicAuth(authorization string) (credentials, bool) {
	scheme, encoded, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return credentials{}, false
	}
	pair, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return credentials{}, false
	}
	id, password, found := strings.Cut(string(pair), ":")
	id, errID := url.QueryUnescape(id)
	password, errSecret := url.QueryUnescape(password)
	if !found || errID != nil || errSecret != nil {
		return credentials{}, false
	}
	return credentials{id, secret.NewKey([]byte(password))}, true
}

// errClient is the one reply to credentials that are missing, unknown, wrong or
// disabled.
var errClient error = &oauthError{"invalid_client", central.NewError(central.Unauthenticated, "Client authentication failed")}

// authenticateClient finds the client and checks its secret. Known and unknown
// clients cost the same work, and both are limited after ten failures a minute from
// one network.
func (s *Server) authenticateClient(ctx context.Context, offered credentials, try secretAttempt, request string) (central.Client, error) {
	began := time.Now()
	client, known, err := s.findClient(ctx, offered.id)
	if err != nil {
		return central.Client{}, err
	}
	if !known || !client.Active || len(offered.secret.Reveal()) > maxSecret {
		client.SecretHash, client.Former = "", central.FormerSecret{}
	}
	c, generation, err := s.checkClientSecret(ctx, offered.secret, client, try)
	if err != nil {
		return client, err
	}
	if generation != nil {
		client.Generation = *generation
		return client, nil
	}
	if c.checkSecret {
		if err := s.attempts.recordFailure(ctx, try, c.refused != nil); err != nil {
			return central.Client{}, err
		}
		// A text that is no valid client id may be a secret in the wrong field.
		s.log.Warn("wrong client secret, or client unknown or disabled", "request", request, "client", client.ID, "active", client.Active, "network", try.network)
	}
	if c.refused == nil {
		return central.Client{}, errClient
	}
	select {
	case <-time.After(time.Until(began.Add(s.attempts.delay))):
	case <-ctx.Done():
	}
	return central.Client{}, c.refused
}

// checkClientSecret checks a secret if the attempt is allowed. A delayed attempt
// does not wait for a slot longer than its reply may take. It returns the generation of the
// client's secret that was offered; nil: none was.
func (s *Server) checkClientSecret(ctx context.Context, offered secret.Key, client central.Client, try secretAttempt) (attemptVerdict, *int64, error) {
	c, err := s.attempts.verdict(ctx, try)
	if err != nil || !c.checkSecret {
		return c, nil, err
	}
	queue, wait := s.secrets.unknown, checkWait
	if try.fromKnownNetwork(s.attempts.now()) {
		queue = s.secrets.known
	}
	if c.refused != nil {
		wait = s.attempts.delay / 2
	}
	if err := queue.acquire(ctx, wait); err != nil {
		if c.checkSecret = false; c.refused != nil {
			err = nil
		}
		return c, nil, err
	}
	defer queue.release()
	// Other attempts may have failed while this one waited.
	if c, err = s.attempts.verdict(ctx, try); err != nil || !c.checkSecret {
		return c, nil, err
	}
	generation, err := s.secrets.checkClient(offered, client, time.Now())
	if err != nil {
		err = fmt.Errorf("check the secret of client %s: %w", client.ID, err)
	}
	return c, generation, err
}

// validClientID reports whether a client can have an id.
func validClientID(id string) bool { return len(id) <= maxClientID && validRequestID(id) }

// findClient reads a client; an invalid id is unknown.
func (s *Server) findClient(ctx context.Context, id string) (central.Client, bool, error) {
	if !validClientID(id) {
		return central.Client{}, false, nil
	}
	client, err := s.directory.Client(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return central.Client{}, false, nil
	}
	if err != nil {
		return central.Client{}, false, fmt.Errorf("read a client: %w", err)
	}
	if !matchesRole(client.Principal) {
		return central.Client{}, false, fmt.Errorf("client %s: role and party do not belong together", client.ID)
	}
	return client, true, nil
}

// checkParty checks that the party may get a token: a merchant that is not APPROVED
// gets none (interface.md, section 5.1).
func (s *Server) checkParty(ctx context.Context, p central.Principal) error {
	barred := func(message string) error {
		return &oauthError{"unauthorized_client", central.NewError(central.FailedPrecondition, message)}
	}
	switch p.Role {
	case op.Merchant:
		m, err := s.directory.Merchant(ctx, p.Merchant)
		if err != nil {
			return fmt.Errorf("read merchant %s of a client: %w", p.Merchant, err)
		}
		if m.Status != central.MerchantApproved {
			return barred("The merchant is not approved: its status is " + string(m.Status))
		}
	case op.Vendor:
		v, err := s.directory.Vendor(ctx, p.Vendor)
		if err != nil {
			return fmt.Errorf("read vendor %s of a client: %w", p.Vendor, err)
		}
		if !v.Active {
			return barred("The vendor's account is not active")
		}
	}
	return nil
}

// writeTokenError writes an error of the token route.
func (s *Server) writeTokenError(fctx *fasthttp.RequestCtx, err error) {
	reply := s.handler.ErrorReply(err, requestID(fctx))
	out := tokenErrorReply{Error: "server_error"}
	var own *oauthError
	switch {
	case errors.As(err, &own):
		out.Error = own.code
	case reply.HTTP == fiber.StatusTooManyRequests:
		out.Error = "temporarily_unavailable"
	}
	// The status, statusCode and message stay those of the error table.
	if json.Unmarshal(reply.Body, &out) == nil {
		out.Description = out.Message
		if body, err := json.Marshal(out); err == nil {
			reply.Body = body
		}
	}
	if reply.HTTP == fiber.StatusUnauthorized {
		fctx.Response.Header.Set(headerChallenge, challengeClient)
	}
	writeReply(fctx, reply)
}

// serveJWKS serves the public keys of access tokens. They change rarely, and a
// verifier asks again when it meets an unknown key id.
func (s *Server) serveJWKS(c *fiber.Ctx) error {
	if err := s.allowNetwork(s.baseCtx, c.Context()); err != nil {
		return err
	}
	writeReply(c.Context(), central.Reply{HTTP: fiber.StatusOK, Body: s.tokens.jwks})
	c.Context().Response.Header.Set(headerCache, "public, max-age=300")
	return nil
}
