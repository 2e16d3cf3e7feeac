package ui

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Limits of the event streams.
const (
	maxStreams          = 24               // tabs of one counter, including reconnects
	maxAnonymousStreams = 8                // streams of locked pages, in addition
	streamHeartbeat     = 30 * time.Second // pages refresh: remaining times change, dead connections are noticed
	streamTimeout       = 10 * time.Second // to write one event
)

// serveEvents is a stream of events: "refresh" tells the present revision, so that a page of
// another one fetches its parts; without a revision each page does. "locked" says that the
// session was locked.
func (k *Kit) serveEvents(w http.ResponseWriter, r *http.Request) {
	ses := k.sessions.find(sessionCookieOf(r), false)
	places := k.streamSlots(r, ses)
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, k.WordsOf(r).Text("error.streams"), http.StatusServiceUnavailable)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // lifts the server's limit; test recorders have none
	send := func(event string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(streamTimeout))
		if _, err := io.WriteString(w, event); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	changed, stop := k.counter.Subscribe()
	defer stop()
	notified, unsubscribe := k.notifier.subscribe()
	defer unsubscribe()

	// The unlock page has no session that could end.
	var gone <-chan struct{}
	var idle <-chan time.Time
	if ses != nil {
		gone = ses.closed
		idle = time.After(k.sessions.timeLeft(ses))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	// What changed since the page was rendered shows in the revision: it is read after the
	// subscriptions, so that no change falls between.
	if !send("retry: 2000\n\n" + k.eventRevision()) {
		return
	}
	beat := time.NewTicker(streamHeartbeat)
	defer beat.Stop()
	for {
		select {
		case <-k.closing:
			return
		case <-r.Context().Done():
			return
		case <-gone:
			send(eventLocked)
			return
		case <-idle:
			if k.sessions.find(ses.id, false) == nil {
				send(eventLocked)
				return
			}
			idle = time.After(k.sessions.timeLeft(ses))
		case <-beat.C:
			if !send(eventRefresh) {
				return
			}
		case <-notified:
			if !isClosed(gone) && !send(k.eventRevision()) {
				return
			}
		case <-changed:
			if !send(k.eventRevision()) {
				return
			}
		}
	}
}

// streamSlots returns the slots for a browser's stream: guests and sessions have their
// own, which unknown browsers can't use up.
func (k *Kit) streamSlots(r *http.Request, ses *Session) chan struct{} {
	isGuest := func(section Contents) bool { return section.IsGuest != nil && section.IsGuest(r) }
	if ses != nil || slices.ContainsFunc(k.sections, isGuest) {
		return k.streams
	}
	return k.anonymous
}

// isClosed reports whether a session has ended. Its end also notifies, and only the locked
// event may follow.
func isClosed(gone <-chan struct{}) bool {
	select {
	case <-gone:
		return true
	default:
		return false
	}
}

// ActiveSessions returns the unlocked sessions, most recently active first. It does not
// count as activity.
func (k *Kit) ActiveSessions() []*Session {
	k.sessions.mu.Lock()
	defer k.sessions.mu.Unlock()
	var out []*Session
	for _, ses := range k.sessions.byID {
		if time.Since(ses.lastActive) < k.sessions.idle {
			out = append(out, ses)
		}
	}
	slices.SortFunc(out, func(a, b *Session) int { return b.lastActive.Compare(a.lastActive) })
	return out
}

const (
	eventRefresh = "event: refresh\ndata:\n\n" // of each page, whatever its revision
	eventLocked  = "event: locked\ndata:\n\n"
)

// Notify makes every open page refresh, for changes that the counter does not know of.
// Call it after the change.
func (k *Kit) Notify() { k.notifier.notify() }

// notifier wakes the event streams.
type notifier struct {
	mu          sync.Mutex
	subscribers map[chan struct{}]bool
	revision    uint64 // grows with each notification
}

func newNotifier() *notifier { return &notifier{subscribers: map[chan struct{}]bool{}} }

func (b *notifier) subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1) // one pending notification stands for all that follow
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribers[ch] = true
	return ch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subscribers, ch)
	}
}

func (b *notifier) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.revision++
	for ch := range b.subscribers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
