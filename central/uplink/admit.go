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

// Handler serves GET /uplink, and Config.OtherHandlers; everything else is 404 or
// 405. Before Run and after it, terminals get 503.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serveHTTP) }

// RevokedHeader is set on the 401 of a terminal that authenticated itself and is
// revoked: it has to be enrolled again.
const RevokedHeader = "X-Galla-Revoked"

func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	for path, other := range s.cfg.OtherHandlers {
		if strings.HasPrefix(r.URL.Path, path) {
			other.ServeHTTP(w, r)
			return
		}
	}
	switch {
	case r.URL.Path != Path:
		s.writeError(w, r, 0, central.NewError(central.NoRoute, "No such route; the uplink is at "+Path))
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		s.writeError(w, r, 0, central.NewError(central.NoMethod, "The uplink is opened with GET"))
		return
	case len(r.Header.Values("Origin")) > 0:
		s.writeError(w, r, 0, central.NewError(central.AccessDenied, "Browsers can't use the uplink"))
		return
	case !websocket.IsWebSocketUpgrade(r):
		s.writeError(w, r, 0, central.NewError(central.Invalid, "The uplink is a websocket; the request asks for no upgrade"))
		return
	}
	c, ok := s.verifyToken(w, r)
	if !ok {
		return
	}
	if err := s.reserveConnection(); err != nil {
		s.retryLater(w, r, s.admission.retryAfter(), err)
		return
	}
	serving := false
	defer func() {
		if !serving {
			s.releaseConnection()
		}
	}()
	if wait, ok := s.admission.admit(); !ok {
		s.retryLater(w, r, wait, errors.New("too many terminals connect at the same moment"))
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
		s.log.Error("a terminal can't be authenticated; it has to connect again", "terminal", c.terminal, "error", err)
		s.retryLater(w, r, s.admission.retryAfter(), errors.New("the central can't read terminals"))
	default:
		serving = s.upgrade(w, r, terminal)
	}
}

// verifyToken checks, before anything is spent, that a request comes from a
// terminal: the token's signature, then its claims. Invalid tokens are answered
// here and counted by network.
func (s *Server) verifyToken(w http.ResponseWriter, r *http.Request) (terminalToken, bool) {
	network := s.cfg.Network(r)
	c, err := parseToken(r)
	if err != nil {
		s.rejectToken(w, r, network, err)
		return terminalToken{}, false
	}
	key, paid, err := s.lookupKey(r.Context(), network, c.terminal)
	var denied *denial
	switch {
	case errors.Is(err, errUnknownLimit):
		s.rejectNetwork(w, r)
		return terminalToken{}, false
	case errors.Is(err, errLookupLimit):
		s.retryLater(w, r, minRetry+s.admission.jitter(maxRetry/2), err)
		return terminalToken{}, false
	case errors.As(err, &denied):
		s.unauthenticated(w, r, err, "Not authenticated")
		return terminalToken{}, false
	case err != nil:
		s.log.Error("a terminal can't be authenticated; it has to connect again", "terminal", c.terminal, "error", err)
		s.retryLater(w, r, s.admission.retryAfter(), errors.New("the central can't read terminals"))
		return terminalToken{}, false
	}
	if !c.signedBy(key) {
		why := &denial{reason: "the token is not signed by the key of terminal " + string(c.terminal)}
		if paid {
			s.unauthenticated(w, r, why, "Not authenticated")
		} else {
			s.rejectToken(w, r, network, why)
		}
		return terminalToken{}, false
	}
	if paid {
		s.unknownTokens.GiveBack(network)
	}
	s.keys.put(c.terminal, key)
	// An expired token, which may have been found in a log, does not count
	// as an attempt of its terminal.
	if err := c.validate(s.cfg.Audience); err != nil {
		s.unauthenticated(w, r, err, "Not authenticated")
		return terminalToken{}, false
	}
	if s.attempts.Take(string(c.terminal)) > 0 {
		s.retryLater(w, r, minRetry+s.admission.jitter(maxRetry/2), errors.New("terminal "+string(c.terminal)+" connects too often"))
		return terminalToken{}, false
	}
	return c, true
}

// upgrade turns the request into a session. The session has a goroutine of its own,
// so that the request's memory is freed.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request, t central.Terminal) bool {
	upgrader := s.upgrader
	upgrader.Error = func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		s.writeError(w, r, status, central.NewError(central.Invalid, reason.Error()))
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.log.Info("a terminal's upgrade failed", "terminal", t.ID, "remote", r.RemoteAddr, "error", err)
		return false
	}
	s.counts.admitted.Add(1)
	x := newSession(s, ws, t, r.RemoteAddr)
	go func() {
		defer s.releaseConnection()
		x.run()
	}()
	return true
}

// terminalToken is a token's claims.
type terminalToken struct {
	token    string
	terminal central.TerminalID
	id       string // jti
	expires  time.Time
	claims   jwt.RegisteredClaims
}

// Limits of a token.
const (
	tokenLife = 60 * time.Second // exp after iat
	// tokenLeeway covers the error of a corrected clock: whole seconds in the Date
	// header, and the round trip.
	tokenLeeway = 5 * time.Second
	maxID       = 64 // characters of kid and jti: both are ids
	minTokenID  = 16 // characters of jti: shorter ones could be guessed or repeat
)

// denial is why a terminal may not connect; the reason is for the log.
type denial struct {
	reason  string
	revoked bool
}

func (d *denial) Error() string { return d.reason }

// parseToken reads the request's token and checks its form.
func parseToken(r *http.Request) (terminalToken, error) {
	sent := r.Header.Values("Authorization")
	if len(sent) != 1 {
		return terminalToken{}, &denial{reason: "the request has no Authorization header, or more than one"}
	}
	scheme, text, _ := strings.Cut(sent[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return terminalToken{}, &denial{reason: "the Authorization header is not of scheme Bearer"}
	}
	var claims jwt.RegisteredClaims
	// The signature is checked next, when the key is known.
	token, _, err := jwt.NewParser().ParseUnverified(text, &claims)
	if err != nil {
		return terminalToken{}, &denial{reason: "the token is no JWT"}
	}
	kid, _ := token.Header["kid"].(string)
	switch {
	case token.Method.Alg() != jwt.SigningMethodEdDSA.Alg():
		return terminalToken{}, &denial{reason: "the token is not signed with EdDSA"}
	case !isID(kid):
		return terminalToken{}, &denial{reason: "the token's kid is no terminal id"}
	}
	return terminalToken{token: text, terminal: central.TerminalID(kid), id: claims.ID, claims: claims}, nil
}

// signedBy reports whether the token was signed with a key's private half.
func (c terminalToken) signedBy(key ed25519.PublicKey) bool {
	parser := jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}), jwt.WithoutClaimsValidation())
	_, err := parser.Parse(c.token, func(*jwt.Token) (any, error) { return key, nil })
	return err == nil
}

// validate checks the claims of a terminal's token.
func (c *terminalToken) validate(audience string) error {
	of := "the token of terminal " + string(c.terminal)
	switch {
	case !isID(c.id) || len(c.id) < minTokenID:
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

// isID reports whether a text can be an id: short, and of letters, digits, '-' and
// '_'.
func isID(s string) bool {
	if s == "" || len(s) > maxID {
		return false
	}
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}

// storeWait limits one call of the store; after that the terminal should connect
// elsewhere.
const storeWait = 10 * time.Second

// authenticate spends the token of a terminal, unless the terminal was revoked. An
// error that is no *denial means that this is not known.
func (s *Server) authenticate(ctx context.Context, c terminalToken) (central.Terminal, error) {
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
	// Only a terminal that proved its identity learns that it was revoked.
	if !t.RevokedAt.IsZero() {
		return central.Terminal{}, &denial{reason: "terminal " + string(t.ID) + " was revoked", revoked: true}
	}
	// The name has the terminal's id, so that one terminal can't spend another's jti.
	err = s.store.SpendToken(ctx, string(t.ID)+"/"+c.id, c.expires.Add(tokenLeeway))
	if errors.Is(err, central.ErrTaken) {
		return central.Terminal{}, &denial{reason: "the token of terminal " + string(t.ID) + " was used before"}
	}
	return t, err
}

// unauthenticated answers 401 with the central's clock.
func (s *Server) unauthenticated(w http.ResponseWriter, r *http.Request, why error, message string) {
	s.counts.unauthenticated.Add(1)
	s.log.Info("a terminal is refused", "remote", r.RemoteAddr, "reason", why)
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	s.writeError(w, r, http.StatusUnauthorized, central.NewError(central.Unauthenticated, message))
}

// retryLater answers 503 with the time to come back.
func (s *Server) retryLater(w http.ResponseWriter, r *http.Request, wait time.Duration, why error) {
	s.counts.turnedAway.Add(1)
	s.replyRetryLater(w, r, wait, why)
}

// replyRetryLater is retryLater, uncounted.
func (s *Server) replyRetryLater(w http.ResponseWriter, r *http.Request, wait time.Duration, why error) {
	s.log.Debug("a terminal has to connect again later", "remote", r.RemoteAddr, "after", wait, "reason", why)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	s.writeError(w, r, http.StatusServiceUnavailable,
		&central.Error{Fault: central.TooMany, Message: "The central can't take this terminal at the moment; connect again later", RetryAfter: wait})
}

// writeError answers with an error of the error table; status 0 means the table's
// status.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, status int, why *central.Error) {
	id := r.Header.Get("X-Request-Id")
	if !isID(id) {
		if minted, err := op.NewID(s.rand); err == nil {
			id = string(minted)
		}
	}
	reply := s.handler.ErrorReply(why, id)
	if status == 0 {
		status = reply.HTTP
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Request-Id", id)
	w.WriteHeader(status)
	_, _ = w.Write(reply.Body) // the peer may have gone
}

// admission admits upgrades at a limited rate, and gives the others different times
// to come back.
type admission struct {
	limiter *rate.Limiter
	returns *rate.Limiter // times given to terminals that were refused
	random  io.Reader
}

// Limits of Retry-After.
const (
	minRetry = time.Second
	maxRetry = time.Minute
	// returnShare is the part of the rate for terminals that come back; the rest
	// is for those that connect for the first time.
	returnShare = 0.8
)

func newAdmission(perSecond float64, burst int, random io.Reader) *admission {
	return &admission{
		limiter: rate.NewLimiter(rate.Limit(perSecond), burst),
		returns: rate.NewLimiter(rate.Limit(perSecond*returnShare), 1), random: random,
	}
}

// admit admits one terminal, or returns when to come back.
func (g *admission) admit() (time.Duration, bool) {
	if g.limiter.Allow() {
		return 0, true
	}
	return g.retryAfter(), false
}

// retryAfter is a different time for each refused terminal, up to maxRetry.
func (g *admission) retryAfter() time.Duration {
	slot := g.returns.Reserve()
	wait := slot.Delay()
	if wait > maxRetry {
		slot.Cancel()
		wait = maxRetry/2 + g.jitter(maxRetry/2)
	}
	return min(max(wait, minRetry)+g.jitter(minRetry), maxRetry)
}

// jitter is a random duration below d.
func (g *admission) jitter(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(g.random, b[:]); err != nil {
		return d / 2 // no randomness: the slots still spread
	}
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(d))
}
