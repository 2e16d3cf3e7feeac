package web

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Limits of the event streams.
const (
	maxStreams    = 24               // tabs of one counter, with room for reconnecting ones
	maxStrangers  = 8                // pages that nobody has unlocked, beside them
	streamBeat    = 30 * time.Second // the page looks again: times left move, a dead peer is noticed
	streamTimeout = 10 * time.Second // for one event to be taken
)

// live is a stream of events without content: "look" tells the page to fetch
// its parts, "locked" that the screen was locked.
func (k *Kit) live(w http.ResponseWriter, r *http.Request) {
	ses := k.sessions.find(cookieOf(r), false)
	places := k.placesFor(r, ses)
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, k.WordsOf(r).Say("error.streams"), http.StatusServiceUnavailable)
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
	rings, stop := k.counter.Watch()
	defer stop()
	bell, hang := k.bells.watch()
	defer hang()

	// The unlock page listens too; it has no session that could end.
	var gone <-chan struct{}
	var idle <-chan time.Time
	if ses != nil {
		gone = ses.gone
		idle = time.After(k.sessions.left(ses))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if !tell("retry: 2000\n\n" + eventLook) {
		return
	}
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	for {
		select {
		case <-k.closing:
			return
		case <-r.Context().Done():
			return
		case <-gone:
			tell(eventLocked)
			return
		case <-idle:
			if k.sessions.find(ses.id, false) == nil {
				tell(eventLocked)
				return
			}
			idle = time.After(k.sessions.left(ses))
		case <-beat.C:
			if !tell(eventLook) {
				return
			}
		case <-bell:
			if !over(gone) && !tell(eventLook) {
				return
			}
		case <-rings:
			if !tell(eventLook) {
				return
			}
		}
	}
}

// placesFor gives the places that a browser's stream may take: those who were let in
// have theirs, whatever strangers do.
func (k *Kit) placesFor(r *http.Request, ses *Session) chan struct{} {
	if ses != nil || k.guest(r) {
		return k.streams
	}
	return k.strangers
}

// guest tells whether a room has let the browser in.
func (k *Kit) guest(r *http.Request) bool {
	return slices.ContainsFunc(k.rooms, func(room Room) bool {
		g, ok := room.(Guest)
		return ok && g.Knows(r)
	})
}

// over tells whether a session has ended. Its end rings too, and the lock is the
// one to tell.
func over(gone <-chan struct{}) bool {
	select {
	case <-gone:
		return true
	default:
		return false
	}
}

// Unlocked gives the sessions that are unlocked now, the one touched last
// first. It is no touch.
func (k *Kit) Unlocked() []*Session {
	k.sessions.mu.Lock()
	defer k.sessions.mu.Unlock()
	var out []*Session
	for _, ses := range k.sessions.open {
		if time.Since(ses.last) < k.sessions.idle {
			out = append(out, ses)
		}
	}
	slices.SortFunc(out, func(a, b *Session) int { return b.last.Compare(a.last) })
	return out
}

const (
	eventLook   = "event: look\ndata:\n\n"
	eventLocked = "event: locked\ndata:\n\n"
)

// Ring says that something on a page may have changed that the counter does not
// know of: every open page looks again.
func (k *Kit) Ring() { k.bells.ring() }

// bells are the event streams that a room's ring reaches.
type bells struct {
	mu  sync.Mutex
	all map[chan struct{}]bool
}

func newBells() *bells { return &bells{all: map[chan struct{}]bool{}} }

func (b *bells) watch() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1) // one ring waits: it stands for all that follow
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[ch] = true
	return ch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.all, ch)
	}
}

func (b *bells) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.all {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
