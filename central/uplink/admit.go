package uplink

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
	"github.com/gorilla/websocket"
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
		s.retryLater(w, r, s.someTime(), err)
		return
	}
	serving := false
	defer func() {
		if !serving {
			s.releaseConnection()
		}
	}()
	release, wait := s.line.enter(r.Context(), c.terminal)
	if release == nil {
		s.retryLater(w, r, wait, errors.New("too many terminals connect at the same moment"))
		return
	}
	defer release()
	merchant, err := s.authenticate(r.Context(), c)
	var denied *denial
	switch {
	case errors.As(err, &denied) && denied.revoked:
		w.Header().Set(RevokedHeader, "1")
		s.unauthenticated(w, r, denied, "Terminal revoked")
	case errors.As(err, &denied):
		s.unauthenticated(w, r, denied, "Not authenticated")
	case err != nil:
		s.log.Error("a terminal can't be authenticated; it has to connect again", "terminal", c.terminal, "error", err)
		s.retryLater(w, r, s.someTime(), errors.New("the central can't read terminals"))
	default:
		serving = s.upgrade(w, r, c.terminal, merchant)
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
		s.retryLater(w, r, s.someTime(), err)
		return terminalToken{}, false
	case errors.As(err, &denied):
		s.unauthenticated(w, r, err, "Not authenticated")
		return terminalToken{}, false
	case err != nil:
		s.log.Error("a terminal can't be authenticated; it has to connect again", "terminal", c.terminal, "error", err)
		s.retryLater(w, r, s.someTime(), errors.New("the central can't read terminals"))
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
		s.retryLater(w, r, s.someTime(), errors.New("terminal "+string(c.terminal)+" connects too often"))
		return terminalToken{}, false
	}
	return c, true
}

// upgrade turns the request into a session. The session has goroutines of its own, and
// buffers of its own, so that the request's memory is freed.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request, t central.TerminalID, m central.MerchantID) bool {
	upgrader := s.upgrader
	upgrader.Error = func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		s.writeError(w, r, status, central.NewError(central.Invalid, reason.Error()))
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.log.Info("a terminal's upgrade failed", "terminal", t, "remote", r.RemoteAddr, "error", err)
		return false
	}
	s.counts.admitted.Add(1)
	go newSession(s, ws, t, m, strings.Clone(r.RemoteAddr)).greet()
	return true
}

// unauthenticated answers 401 with the central's clock.
func (s *Server) unauthenticated(w http.ResponseWriter, r *http.Request, why error, message string) {
	s.counts.unauthenticated.Add(1)
	s.log.Info("a terminal is refused", "remote", r.RemoteAddr, "reason", why)
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	s.writeError(w, r, http.StatusUnauthorized, central.NewError(central.Unauthenticated, message))
}

// someTime is a wait for terminals that get no place in the line: what they wait for is
// not their turn.
func (s *Server) someTime() time.Duration { return time.Second + s.line.jitter(9*time.Second) }

// retryLater answers 503 with the time to come back.
func (s *Server) retryLater(w http.ResponseWriter, r *http.Request, wait time.Duration, why error) {
	s.counts.turnedAway.Add(1)
	s.replyRetryLater(w, r, wait, why)
}

// replyRetryLater is retryLater, uncounted.
func (s *Server) replyRetryLater(w http.ResponseWriter, r *http.Request, wait time.Duration, why error) {
	s.log.Debug("a terminal has to connect again later", "remote", r.RemoteAddr, "after", wait, "reason", why)
	w.Header().Set(wire.RetryAfterHeader, strconv.FormatInt(max(1, wait.Milliseconds()), 10))
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
