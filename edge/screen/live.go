package screen

import (
	"io"
	"net/http"
	"time"
)

// Limits of the event streams.
const (
	maxStreams    = 24               // tabs of one counter, with room for reconnecting ones
	streamBeat    = 30 * time.Second // the page looks again: times left move, a dead peer is noticed
	streamTimeout = 10 * time.Second // for one event to be taken
)

// live is a stream of events without content: "look" tells the page to fetch
// its parts, "locked" that the screen was locked.
func (s *Screen) live(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, s.words.say("error.streams"), http.StatusServiceUnavailable)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // lifts the server's; a recorder has none
	tell := func(event string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(streamTimeout))
		if _, err := io.WriteString(w, event); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	rings, stop := s.counter.Watch()
	defer stop()

	// The unlock page listens too; it has no session that could end.
	ses := s.sessions.find(cookieOf(r), false)
	var gone <-chan struct{}
	var idle <-chan time.Time
	if ses != nil {
		gone = ses.gone
		idle = time.After(s.sessions.left(ses))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if !tell("retry: 2000\n\n" + eventLook) {
		return
	}
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-r.Context().Done():
			return
		case <-gone:
			tell(eventLocked)
			return
		case <-idle:
			if s.sessions.find(ses.id, false) == nil {
				tell(eventLocked)
				return
			}
			idle = time.After(s.sessions.left(ses))
		case <-beat.C:
			if !tell(eventLook) {
				return
			}
		case <-rings:
			if !tell(eventLook) {
				return
			}
		}
	}
}

const (
	eventLook   = "event: look\ndata:\n\n"
	eventLocked = "event: locked\ndata:\n\n"
)
