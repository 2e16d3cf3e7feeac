package uplink

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"galla/central"
	"galla/shared/op"
)

// Handler serves GET /uplink, and Config.Beside; everything else is 404 or 405.
// Before Run, and after it, terminals are told to come back.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// RevokedHeader is set on the 401 to a terminal that proved itself and was
// revoked: only a new enrolment helps.
const RevokedHeader = "X-Galla-Revoked"

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	for path, other := range s.cfg.Beside {
		if strings.HasPrefix(r.URL.Path, path) {
			other.ServeHTTP(w, r)
			return
		}
	}
	switch {
	case r.URL.Path != Path:
		s.refuse(w, r, 0, central.Refuse(central.NoRoute, "No such route; the uplink is at "+Path))
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		s.refuse(w, r, 0, central.Refuse(central.NoMethod, "The uplink is opened with GET"))
		return
	case len(r.Header.Values("Origin")) > 0:
		s.refuse(w, r, 0, central.Refuse(central.AccessDenied, "Browsers have no business at the uplink"))
		return
	case !websocket.IsWebSocketUpgrade(r):
		s.refuse(w, r, 0, central.Refuse(central.Invalid, "The uplink is a websocket; the request asks for no upgrade"))
		return
	}
	c, ok := s.proof(w, r)
	if !ok {
		return
	}
	if err := s.enter(); err != nil {
		s.turnAway(w, r, s.gate.later(), err)
		return
	}
	serving := false
	defer func() {
		if !serving {
			s.leave()
		}
	}()
	if wait, ok := s.gate.enter(); !ok {
		s.turnAway(w, r, wait, errors.New("too many terminals connect at the same moment"))
		return
	}
	terminal, err := s.authenticate(r.Context(), c)
	var denied *denial
	switch {
	case errors.As(err, &denied) && denied.revoked:
		w.Header().Set(RevokedHeader, "1")
		s.unauthenticated(w, r, denied, "Terminal revoked")
	case errors.As(err, &denied):
		s.unauthenticated(w, r, denied, "Not authenticated")
	case err != nil:
		s.log.Error("a terminal can't be authenticated; it is told to come back", "terminal", c.terminal, "error", err)
		s.turnAway(w, r, s.gate.later(), errors.New("the central can't look terminals up"))
	default:
		serving = s.upgrade(w, r, terminal)
	}
}

// proof checks, before anything is spent for it, that a request comes from a
// terminal: the token's signature, then what the token says. Whoever proves
// nothing is answered here, and counted by network.
func (s *Server) proof(w http.ResponseWriter, r *http.Request) (credential, bool) {
	network := s.cfg.Network(r)
	c, err := readCredential(r)
	if err != nil {
		s.stranger(w, r, network, err)
		return credential{}, false
	}
	key, paid, err := s.keyOf(r.Context(), network, c.terminal)
	var denied *denial
	switch {
	case errors.Is(err, errStrangers):
		s.refuseStranger(w, r)
		return credential{}, false
	case errors.Is(err, errLookups):
		s.turnAway(w, r, minRetry+s.gate.jitter(maxRetry/2), err)
		return credential{}, false
	case errors.As(err, &denied):
		s.unauthenticated(w, r, err, "Not authenticated")
		return credential{}, false
	case err != nil:
		s.log.Error("a terminal can't be authenticated; it is told to come back", "terminal", c.terminal, "error", err)
		s.turnAway(w, r, s.gate.later(), errors.New("the central can't look terminals up"))
		return credential{}, false
	}
	if !c.signedBy(key) {
		why := &denial{reason: "the token is not signed by the key of terminal " + string(c.terminal)}
		if paid {
			s.unauthenticated(w, r, why, "Not authenticated")
		} else {
			s.stranger(w, r, network, why)
		}
		return credential{}, false
	}
	if paid {
		s.strangers.GiveBack(network)
	}
	s.keys.put(c.terminal, key)
	// A token that has ended, which somebody may have kept from a log, is not its
	// terminal's attempt: it must not use up those of the counter itself.
	if err := c.judge(s.cfg.Audience); err != nil {
		s.unauthenticated(w, r, err, "Not authenticated")
		return credential{}, false
	}
	if s.knocks.Take(string(c.terminal)) > 0 {
		s.turnAway(w, r, minRetry+s.gate.jitter(maxRetry/2), errors.New("terminal "+string(c.terminal)+" connects too often"))
		return credential{}, false
	}
	return c, true
}

// upgrade turns the request into a session, which leaves by itself. It has a
// goroutine of its own, so that the request's memory does not stay with it.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request, t central.Terminal) bool {
	upgrader := s.upgrader
	upgrader.Error = func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		s.refuse(w, r, status, central.Refuse(central.Invalid, reason.Error()))
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.log.Info("a terminal's upgrade failed", "terminal", t.ID, "remote", r.RemoteAddr, "error", err)
		return false
	}
	s.counts.admitted.Add(1)
	x := newSession(s, ws, t, r.RemoteAddr)
	go func() {
		defer s.leave()
		x.run()
	}()
	return true
}

// credential is what a token says of itself.
type credential struct {
	token    string
	terminal central.TerminalID
	id       string // jti
	expires  time.Time
	claims   jwt.RegisteredClaims
}

// Limits of a token.
const (
	tokenLife = 60 * time.Second // exp after iat
	// tokenLeeway is what the Date header's whole seconds and the way there and
	// back can add to a corrected clock's error.
	tokenLeeway = 5 * time.Second
	maxName     = 64 // characters of kid and jti: both are ids
	minTokenID  = 16 // characters of jti: shorter ones could be guessed or repeat
)

// denial says why a terminal is not let in; the reason is for the log.
type denial struct {
	reason  string
	revoked bool
}

func (d *denial) Error() string { return d.reason }

// readCredential reads the request's token, and judges its form.
func readCredential(r *http.Request) (credential, error) {
	sent := r.Header.Values("Authorization")
	if len(sent) != 1 {
		return credential{}, &denial{reason: "the request has no Authorization header, or more than one"}
	}
	scheme, text, _ := strings.Cut(sent[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return credential{}, &denial{reason: "the Authorization header is not of scheme Bearer"}
	}
	var claims jwt.RegisteredClaims
	// The signature is checked next, when the key is known.
	token, _, err := jwt.NewParser().ParseUnverified(text, &claims)
	if err != nil {
		return credential{}, &denial{reason: "the token is no JWT"}
	}
	kid, _ := token.Header["kid"].(string)
	switch {
	case token.Method.Alg() != jwt.SigningMethodEdDSA.Alg():
		return credential{}, &denial{reason: "the token is not signed with EdDSA"}
	case !isName(kid):
		return credential{}, &denial{reason: "the token's kid is no terminal id"}
	}
	return credential{token: text, terminal: central.TerminalID(kid), id: claims.ID, claims: claims}, nil
}

// signedBy tells whether the token was signed with a key's other half.
func (c credential) signedBy(key ed25519.PublicKey) bool {
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithoutClaimsValidation())
	_, err := parser.Parse(c.token, func(*jwt.Token) (any, error) { return key, nil })
	return err == nil
}

// judge checks what a terminal's token says.
func (c *credential) judge(audience string) error {
	of := "the token of terminal " + string(c.terminal)
	switch {
	case !isName(c.id) || len(c.id) < minTokenID:
		return &denial{reason: of + " has no jti, or one that is no id"}
	case c.claims.IssuedAt == nil || c.claims.ExpiresAt == nil || c.claims.ExpiresAt.Sub(c.claims.IssuedAt.Time) > tokenLife:
		return &denial{reason: of + " lives longer than a minute"}
	}
	valid := jwt.NewValidator(jwt.WithAudience(audience), jwt.WithLeeway(tokenLeeway),
		jwt.WithIssuedAt(), jwt.WithExpirationRequired())
	if err := valid.Validate(c.claims); err != nil {
		// The library's error names claims and no values.
		return &denial{reason: of + ": " + err.Error()}
	}
	c.expires = c.claims.ExpiresAt.Time
	return nil
}

// isName tells whether a text can be an id: short, and of letters, digits,
// '-' and '_'.
func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// storeWait bounds one call of the store: longer, and the terminal is better
// off elsewhere.
const storeWait = 10 * time.Second

// authenticate spends the token of a terminal that proved itself, if it is still
// one. An error that is no *denial says nothing about the terminal.
func (s *Server) authenticate(ctx context.Context, c credential) (central.Terminal, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	t, err := s.store.Terminal(ctx, c.terminal)
	if errors.Is(err, central.ErrNotFound) {
		s.keys.drop(c.terminal)
		return central.Terminal{}, &denial{reason: "no such terminal any more: " + string(c.terminal)}
	}
	if err != nil {
		return central.Terminal{}, err
	}
	// Only who proved to be the terminal learns that it was revoked.
	if !t.RevokedAt.IsZero() {
		return central.Terminal{}, &denial{reason: "terminal " + string(t.ID) + " was revoked", revoked: true}
	}
	// The terminal's name before its jti: one terminal can't spend another's.
	err = s.store.SpendToken(ctx, string(t.ID)+"/"+c.id, c.expires.Add(tokenLeeway))
	if errors.Is(err, central.ErrTaken) {
		return central.Terminal{}, &denial{reason: "the token of terminal " + string(t.ID) + " was used before"}
	}
	return t, err
}

// unauthenticated answers 401 with the central's clock.
func (s *Server) unauthenticated(w http.ResponseWriter, r *http.Request, why error, message string) {
	s.counts.unauthenticated.Add(1)
	s.log.Info("a terminal is not let in", "remote", r.RemoteAddr, "reason", why)
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	s.refuse(w, r, http.StatusUnauthorized, central.Refuse(central.Unauthenticated, message))
}

// turnAway answers 503 with the time to come back.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, wait time.Duration, why error) {
	s.counts.turnedAway.Add(1)
	s.later(w, r, wait, why)
}

// later is turnAway, uncounted.
func (s *Server) later(w http.ResponseWriter, r *http.Request, wait time.Duration, why error) {
	s.log.Debug("a terminal is told to come back later", "remote", r.RemoteAddr, "after", wait, "reason", why)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	s.refuse(w, r, http.StatusServiceUnavailable,
		&central.Error{Fault: central.TooMany, Message: "The central can't take this terminal at the moment; connect again later", RetryAfter: wait})
}

// refuse answers with the envelope of the error table; status 0 takes the
// table's.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, why *central.Error) {
	id := r.Header.Get("X-Request-Id")
	if !isName(id) {
		if minted, err := op.NewID(s.random); err == nil {
			id = string(minted)
		}
	}
	reply := s.dispatcher.Refusal(why, id)
	if status == 0 {
		status = reply.HTTP
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Request-Id", id)
	w.WriteHeader(status)
	_, _ = w.Write(reply.Body) // the peer may be gone, which is its answer
}

// gate admits upgrades at a bounded rate, and gives those beyond it a moment to
// come back at.
type gate struct {
	admit  *rate.Limiter
	slots  *rate.Limiter // moments promised to those who were turned away
	random io.Reader
}

// Bounds of Retry-After.
const (
	minRetry = time.Second
	maxRetry = time.Minute
	// returnShare of the rate is promised to those who come back, the rest is
	// left to those who come for the first time.
	returnShare = 0.8
)

func newGate(perSecond float64, burst int, random io.Reader) *gate {
	return &gate{
		admit: rate.NewLimiter(rate.Limit(perSecond), burst),
		slots: rate.NewLimiter(rate.Limit(perSecond*returnShare), 1), random: random,
	}
}

// enter admits one, or says when to come back.
func (g *gate) enter() (time.Duration, bool) {
	if g.admit.Allow() {
		return 0, true
	}
	return g.later(), false
}

// later is a moment of its own for each who was turned away, up to maxRetry.
func (g *gate) later() time.Duration {
	slot := g.slots.Reserve()
	wait := slot.Delay()
	if wait > maxRetry {
		slot.Cancel()
		wait = maxRetry/2 + g.jitter(maxRetry/2)
	}
	return min(max(wait, minRetry)+g.jitter(minRetry), maxRetry)
}

// jitter is a random duration below d.
func (g *gate) jitter(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(g.random, b[:]); err != nil {
		return d / 2 // no randomness: the slots still spread
	}
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(d))
}
