package uplink

import (
	"errors"
	"net/http"
	"time"
)

// Limits of those who come too often.
const (
	// knocksPerSecond and knocksAtOnce bound each terminal's own attempts to
	// connect: an edge makes two a second at most, and seldom more than one.
	knocksPerSecond = 1
	knocksAtOnce    = 30
	// strangerRetry is the least time that a network with too many bad tokens is
	// told to stay away; up to as much again is added.
	strangerRetry = 10 * time.Second
)

// stranger answers a token that proves nothing: 401, or where its network has
// shown too many of them, nothing that costs more.
func (s *Server) stranger(w http.ResponseWriter, r *http.Request, network string, why error) {
	if s.strangers.Take(network) > 0 {
		s.refuseStranger(w, r)
		return
	}
	s.unauthenticated(w, r, why, "Not authenticated")
}

// refuseStranger tells a network to stay away for a while. The moments promised
// by the gate are for terminals, so it takes none of them.
func (s *Server) refuseStranger(w http.ResponseWriter, r *http.Request) {
	s.counts.strangers.Add(1)
	s.later(w, r, strangerRetry+s.gate.jitter(strangerRetry), errors.New("too many tokens of this network prove nothing"))
}
