package screen

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"galla/shared/op"
)

// maxSessions bounds unlocked browsers; a counter has one or two. The one that
// was idle longest is locked for another.
const maxSessions = 8

// maxBegun bounds the forms that a session remembers, against double
// submission; older ones can only be sent again by hand.
const maxBegun = 64

// cookieName is the session's cookie.
const cookieName = "galla_counter"

// idBytes is 256 bits.
const idBytes = 32

// session is one unlocked browser.
type session struct {
	id    string
	agent string
	gone  chan struct{} // closed when it is locked

	last time.Time // guarded by sessions.mu

	// beginning is held while an operation is begun, so that a double click's
	// second half finds what the first began.
	beginning sync.Mutex
	begun     map[string]op.ID // by the form's fingerprint
	order     []string
}

// sessions knows who may see pages. Tokens need no memory: they are the HMAC of
// the cookie, so that the unlock page has one before there is a session.
type sessions struct {
	idle time.Duration
	rand io.Reader
	key  []byte

	mu   sync.Mutex
	open map[string]*session
}

func newSessions(rand io.Reader, idle time.Duration) (*sessions, error) {
	key := make([]byte, sha256.Size)
	if _, err := io.ReadFull(rand, key); err != nil {
		return nil, fmt.Errorf("draw the sessions' key: %w", err)
	}
	return &sessions{idle: idle, rand: rand, key: key, open: map[string]*session{}}, nil
}

// mint draws a new cookie value.
func (s *sessions) mint() (string, error) {
	b := make([]byte, idBytes)
	if _, err := io.ReadFull(s.rand, b); err != nil {
		return "", fmt.Errorf("draw a session: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// seal is a keyed fingerprint for one use.
func (s *sessions) seal(use, text string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(use + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// token is what every form of the session carries.
func (s *sessions) token(id string) string { return s.seal("token", id) }

func (s *sessions) tokenOf(id, token string) bool {
	return id != "" && hmac.Equal([]byte(s.token(id)), []byte(token))
}

// unlock opens a session under a new cookie value.
func (s *sessions) unlock(agent string) (*session, error) {
	id, err := s.mint()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxSessions {
		var oldest *session
		for _, ses := range s.open {
			if oldest == nil || ses.last.Before(oldest.last) {
				oldest = ses
			}
		}
		s.drop(oldest)
	}
	ses := &session{id: id, agent: agent, gone: make(chan struct{}), last: time.Now(), begun: map[string]op.ID{}}
	s.open[id] = ses
	return ses, nil
}

// find gives the unlocked session of a cookie, or nil. A touch keeps it
// unlocked.
func (s *sessions) find(id string, touch bool) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.open[id]
	if ses == nil {
		return nil
	}
	if time.Since(ses.last) >= s.idle {
		s.drop(ses)
		return nil
	}
	if touch {
		ses.last = time.Now()
	}
	return ses
}

// left is how long the session stays unlocked without a touch.
func (s *sessions) left(ses *session) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle - time.Since(ses.last)
}

func (s *sessions) lock(ses *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(ses)
}

// drop forgets a session; mu is held.
func (s *sessions) drop(ses *session) {
	if s.open[ses.id] == ses {
		delete(s.open, ses.id)
		close(ses.gone)
	}
}

// remember notes which operation a form began; beginning is held.
func (ses *session) remember(form string, id op.ID) {
	if len(ses.order) >= maxBegun {
		delete(ses.begun, ses.order[0])
		ses.order = ses.order[1:]
	}
	ses.begun[form] = id
	ses.order = append(ses.order, form)
}

// cookieOf gives the request's cookie value, or "" where there is none of our
// making.
func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil || len(c.Value) != base64.RawURLEncoding.EncodedLen(idBytes) {
		return ""
	}
	return c.Value
}

func setCookie(w http.ResponseWriter, id string) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}
