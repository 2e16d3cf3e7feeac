package uplink

import (
	"errors"
	"net/http"
	"time"
)

// Limits of callers that come too often.
const (
	// attemptsPerSecond and attemptBurst limit each terminal's own attempts to
	// connect: an edge makes two a second at most, and rarely more than one.
	attemptsPerSecond = 1
	attemptBurst      = 30
	// unknownRetry is the least Retry-After for a network with too many invalid
	// tokens; up to as much again is added.
	unknownRetry = 10 * time.Second
)

// rejectToken answers an invalid token: 401, or 503 without further cost if its
// network has sent too many of them.
func (s *Server) rejectToken(w http.ResponseWriter, r *http.Request, network string, why error) {
	if s.unknownTokens.Take(network) > 0 {
		s.rejectNetwork(w, r)
		return
	}
	s.unauthenticated(w, r, why, "Not authenticated")
}

// rejectNetwork answers 503 with a Retry-After. It takes none of the times that
// admission gives to terminals.
func (s *Server) rejectNetwork(w http.ResponseWriter, r *http.Request) {
	s.counts.unknown.Add(1)
	s.replyRetryLater(w, r, unknownRetry+s.line.jitter(unknownRetry), errors.New("too many invalid tokens from this network"))
}
