package door

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

// Bounds of a token request, in bytes.
const (
	maxForm     = 8 << 10
	maxClientID = 128
	maxSecret   = 512
)

const challengeClient = `Basic realm="galla", charset="UTF-8"`

// grant is the reply to a token request (RFC 6749 §5.1).
type grant struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"` // seconds
}

// grantError is an error of RFC 6749 §5.2 and of our envelope at once, so that
// OAuth libraries and programs written against the interface both understand.
type grantError struct {
	Error       string         `json:"error"`
	Description string         `json:"error_description"`
	StatusCode  string         `json:"statusCode"`
	Message     string         `json:"message"`
	Data        jsontext.Value `json:"data,omitzero"`
}

// oauthError is an error with the word that RFC 6749 has for it.
type oauthError struct {
	word string
	err  error
}

func (e *oauthError) Error() string { return e.word + ": " + e.err.Error() }
func (e *oauthError) Unwrap() error { return e.err }

func badRequest(field, rule, message string) error {
	return &oauthError{"invalid_request", invalid(field, rule, message)}
}

// credentials are a client's id and secret.
type credentials struct {
	id     string
	secret secret.Key
}

// issue serves POST /oauth/token.
func (d *Door) issue(c *fiber.Ctx) error {
	fctx := c.Context()
	fctx.Response.Header.Set("Pragma", "no-cache")
	ctx, cancel := context.WithTimeout(d.life, d.cfg.CallTimeout)
	defer cancel()
	var g grant
	form, err := readBody(fctx, maxBody)
	if err == nil {
		g, err = d.grant(ctx, fctx, form)
	}
	if err != nil {
		d.refuseGrant(fctx, orBusy(err))
		return nil
	}
	body, err := json.Marshal(g)
	if err != nil {
		d.refuseGrant(fctx, fmt.Errorf("write a token's reply: %w", err))
		return nil
	}
	write(fctx, central.Reply{HTTP: fiber.StatusOK, Body: body})
	return nil
}

// busyRetryTime is when a store that was busy, or had no room, is tried again.
const busyRetryTime = time.Second

// orBusy is TooMany where the store was busy: nothing was done then, and the
// caller may try again, as with every other change.
func orBusy(err error) error {
	if !errors.Is(err, central.ErrBusy) {
		return err
	}
	return &central.Error{Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: busyRetryTime, Err: err}
}

// grant checks a token request and makes the token.
func (d *Door) grant(ctx context.Context, fctx *fasthttp.RequestCtx, body []byte) (grant, error) {
	if err := guard(fctx); err != nil {
		return grant{}, &oauthError{"invalid_request", err}
	}
	if err := d.networks.allow(ctx, network(d.origin(fctx)), time.Now()); err != nil {
		return grant{}, err
	}
	offered, err := readGrant(string(fctx.Request.Header.ContentType()), string(fctx.Request.Header.Peek(headerCredential)), body)
	if err != nil {
		return grant{}, err
	}
	try, err := d.guesses.of(ctx, offered.id, network(d.origin(fctx)))
	if err != nil {
		return grant{}, err
	}
	client, err := d.identify(ctx, offered, try, requestID(fctx))
	if err != nil {
		return grant{}, err
	}
	if err := d.standing(ctx, client.Principal); err != nil {
		return grant{}, err
	}
	if err := d.guesses.admitted(ctx, client.ID, try); err != nil {
		d.log.Warn("the network of a client is not noted: wrong secrets of strangers may keep it waiting there", "client", client.ID, "error", err)
	}
	token, err := d.tokens.sign(central.Credential{Client: client.ID, Generation: client.Generation}, client.Principal, time.Now())
	if err != nil {
		return grant{}, err
	}
	d.log.Info("token issued", "request", requestID(fctx), "client", client.ID, "caller", client.Principal.Caller())
	return grant{AccessToken: token.Reveal(), TokenType: "Bearer", ExpiresIn: int(d.cfg.TokenLife.Seconds())}, nil
}

// readGrant reads the form and the client's credentials, which come by HTTP
// Basic or in the form, never both (RFC 6749 §2.3).
func readGrant(contentType, authorization string, body []byte) (credentials, error) {
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
		return credentials{}, &oauthError{"unsupported_grant_type", invalid("grant_type", "supported", "must be client_credentials")}
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
	offered, ok := readBasic(authorization)
	if !ok {
		return credentials{}, errClient
	}
	if form.Has("client_id") && form.Get("client_id") != offered.id {
		return credentials{}, badRequest("client_id", "same", "must be the same as in HTTP Basic")
	}
	return offered, nil
}

// readBasic reads HTTP Basic as RFC 6749 §2.3.1 has it: id and secret are
// form-encoded before they are joined.
func readBasic(authorization string) (credentials, bool) {
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

// errClient is the one answer to credentials that are missing, unknown, wrong
// or switched off.
var errClient error = &oauthError{"invalid_client", central.Refuse(central.Unauthenticated, "Client authentication failed")}

// identify finds the client and checks its secret. Known and unknown clients
// cost the same work, and both are slowed down after ten failures a minute and
// network.
func (d *Door) identify(ctx context.Context, offered credentials, try try, request string) (central.Client, error) {
	began := time.Now()
	client, known, err := d.findClient(ctx, offered.id)
	if err != nil {
		return central.Client{}, err
	}
	if !known || !client.Active || len(offered.secret.Reveal()) > maxSecret {
		client.SecretHash = ""
	}
	c, ok, err := d.look(ctx, offered.secret, client, try)
	if err != nil || ok {
		return client, err
	}
	if c.looks {
		if err := d.guesses.note(ctx, try, c.refused != nil); err != nil {
			return central.Client{}, err
		}
		// What is no client's id may be a secret in the wrong field.
		d.log.Warn("wrong client secret, or client unknown or switched off", "request", request, "client", client.ID, "active", client.Active, "network", try.network)
	}
	if c.refused == nil {
		return central.Client{}, errClient
	}
	select {
	case <-time.After(time.Until(began.Add(d.guesses.late))):
	case <-ctx.Done():
	}
	return central.Client{}, c.refused
}

// look looks at a secret where the try has a chance. One that is late does not stand
// in line for longer than its reply may take.
func (d *Door) look(ctx context.Context, offered secret.Key, client central.Client, try try) (chance, bool, error) {
	c, err := d.guesses.chance(ctx, try)
	if err != nil || !c.looks {
		return c, false, err
	}
	lane, wait := d.checker.strangers, checkWait
	if try.known(d.guesses.now()) {
		lane = d.checker.own
	}
	if c.refused != nil {
		wait = d.guesses.late / 2
	}
	if err := lane.enter(ctx, wait); err != nil {
		if c.looks = false; c.refused != nil {
			err = nil
		}
		return c, false, err
	}
	defer lane.leave()
	// Others may have failed while this one stood in line.
	if c, err = d.guesses.chance(ctx, try); err != nil || !c.looks {
		return c, false, err
	}
	ok, err := d.checker.check(offered, client.SecretHash)
	if err != nil {
		err = fmt.Errorf("check the secret of client %s: %w", client.ID, err)
	}
	return c, ok, err
}

// mayBeID tells whether a client can have an id.
func mayBeID(id string) bool { return len(id) <= maxClientID && saneID([]byte(id)) }

// findClient reads a client; an id that can't be one is unknown.
func (d *Door) findClient(ctx context.Context, id string) (central.Client, bool, error) {
	if !mayBeID(id) {
		return central.Client{}, false, nil
	}
	client, err := d.directory.Client(ctx, id)
	if errors.Is(err, central.ErrNotFound) {
		return central.Client{}, false, nil
	}
	if err != nil {
		return central.Client{}, false, fmt.Errorf("read a client: %w", err)
	}
	if !coherent(client.Principal) {
		return central.Client{}, false, fmt.Errorf("client %s: role and party do not belong together", client.ID)
	}
	return client, true, nil
}

// standing sees that the party may have a token: a merchant that is not
// APPROVED gets none (interface-decisions.md, 'Rules').
func (d *Door) standing(ctx context.Context, p central.Principal) error {
	barred := func(message string) error {
		return &oauthError{"unauthorized_client", central.Refuse(central.Precluded, message)}
	}
	switch p.Role {
	case op.Merchant:
		m, err := d.directory.Merchant(ctx, p.Merchant)
		if err != nil {
			return fmt.Errorf("read merchant %s of a client: %w", p.Merchant, err)
		}
		if m.Status != central.MerchantApproved {
			return barred("The merchant is not approved: its status is " + string(m.Status))
		}
	case op.Vendor:
		v, err := d.directory.Vendor(ctx, p.Vendor)
		if err != nil {
			return fmt.Errorf("read vendor %s of a client: %w", p.Vendor, err)
		}
		if !v.Active {
			return barred("The vendor's account is not active")
		}
	}
	return nil
}

// refuseGrant writes an error of the token route.
func (d *Door) refuseGrant(fctx *fasthttp.RequestCtx, err error) {
	reply := d.dispatcher.Refusal(err, requestID(fctx))
	out := grantError{Error: "server_error"}
	var own *oauthError
	switch {
	case errors.As(err, &own):
		out.Error = own.word
	case reply.HTTP == fiber.StatusTooManyRequests:
		out.Error = "temporarily_unavailable"
	}
	// The status, statusCode and message stay those of the one error table.
	if json.Unmarshal(reply.Body, &out) == nil {
		out.Description = out.Message
		if body, err := json.Marshal(out); err == nil {
			reply.Body = body
		}
	}
	if reply.HTTP == fiber.StatusUnauthorized {
		fctx.Response.Header.Set(headerChallenge, challengeClient)
	}
	write(fctx, reply)
}

// keys serves the public keys of access tokens. They change rarely, and a
// verifier that meets an unknown key id asks again.
func (d *Door) keys(c *fiber.Ctx) error {
	write(c.Context(), central.Reply{HTTP: fiber.StatusOK, Body: d.tokens.jwks})
	c.Context().Response.Header.Set(headerCache, "public, max-age=300")
	return nil
}
