package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/op"
)

// maxSessions bounds unlocked browsers; a counter has one or two. The one that
// was idle longest is locked for another.
const maxSessions = 8

// sessionCookie is the session's cookie, as CookieName completes it.
const sessionCookie = "galla_counter"

// CookieName gives a cookie's name at the counter that a request came to: its port
// is part of it. Browsers send cookies to every port of a host, and without it two
// counters on one machine would lock each other.
func CookieName(r *http.Request, name string) string {
	_, port, _ := net.SplitHostPort(r.Host) // guard.go has looked at it
	return name + "_" + port
}

// idBytes is 256 bits.
const idBytes = 32

// Session is one unlocked browser.
type Session struct {
	// Operator is who unlocked it.
	Operator edge.Operator

	id   string
	gone chan struct{} // closed when it is locked

	last time.Time // guarded by sessions.mu

	mu        sync.Mutex
	words     *words.Words
	customer  string
	confirmed time.Time // when the PIN was typed again; zero: it was not

	beginning sync.Mutex       // held while an operation is begun
	begun     map[string]op.ID // by the form's fingerprint
	order     []string
}

// Words gives the texts in the operator's language.
func (ses *Session) Words() *words.Words {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return ses.words
}

func (ses *Session) setWords(w *words.Words) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.words = w
}

// CustomerLanguage is the language that was chosen last for a customer, at
// first the operator's.
func (ses *Session) CustomerLanguage() string {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if ses.customer == "" {
		return ses.words.Code()
	}
	return ses.customer
}

// SetCustomerLanguage remembers the language chosen for a customer; one that is
// not spoken here changes nothing.
func (ses *Session) SetCustomerLanguage(code string) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if words.Known(code) {
		ses.customer = code
	}
}

// Gone is closed when the session is locked.
func (ses *Session) Gone() <-chan struct{} { return ses.gone }

// sessions knows who may see pages. Tokens need no memory: they are the HMAC of
// the cookie, so that the unlock page has one before there is a session.
type sessions struct {
	idle   time.Duration
	rand   io.Reader
	key    []byte
	ring   func()                   // every page looks again: what a locked counter may not show goes
	stands func(edge.Operator) bool // Config.Stands

	mu      sync.Mutex
	open    map[string]*Session
	touched time.Time // when anybody last touched a page that is unlocked
}

func newSessions(rand io.Reader, idle time.Duration, stands func(edge.Operator) bool) (*sessions, error) {
	key := make([]byte, sha256.Size)
	if _, err := io.ReadFull(rand, key); err != nil {
		return nil, fmt.Errorf("draw the sessions' key: %w", err)
	}
	return &sessions{idle: idle, rand: rand, key: key, stands: stands, ring: func() {}, open: map[string]*Session{}}, nil
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
func (s *sessions) unlock(operator edge.Operator, w *words.Words) (*Session, error) {
	id, err := s.mint()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxSessions {
		var oldest *Session
		for _, ses := range s.open {
			if oldest == nil || ses.last.Before(oldest.last) {
				oldest = ses
			}
		}
		s.drop(oldest)
	}
	ses := &Session{id: id, Operator: operator, words: w, gone: make(chan struct{}), last: time.Now(), begun: map[string]op.ID{}}
	s.open[id], s.touched = ses, ses.last
	return ses, nil
}

// find gives the unlocked session of a cookie, or nil: it was idle for too long,
// or its operator is not who unlocked it any more. A touch keeps it unlocked.
func (s *sessions) find(id string, touch bool) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.open[id]
	if ses == nil {
		return nil
	}
	if time.Since(ses.last) >= s.idle || s.stands != nil && !s.stands(ses.Operator) {
		s.drop(ses)
		return nil
	}
	if touch {
		ses.last = time.Now()
		s.touched = ses.last
	}
	return ses
}

// left is how long the session stays unlocked without a touch.
func (s *sessions) left(ses *Session) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle - time.Since(ses.last)
}

func (s *sessions) lock(ses *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(ses)
}

func (s *sessions) lockAll(operator string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.open {
		if ses.Operator.ID == operator {
			s.drop(ses)
		}
	}
}

// drop forgets a session; mu is held.
func (s *sessions) drop(ses *Session) {
	if s.open[ses.id] == ses {
		delete(s.open, ses.id)
		close(ses.gone)
		s.ring()
	}
}

// cookieOf gives the request's cookie value, or "" where there is none of our
// making.
func cookieOf(r *http.Request) string {
	c, err := r.Cookie(CookieName(r, sessionCookie))
	if err != nil || len(c.Value) != base64.RawURLEncoding.EncodedLen(idBytes) {
		return ""
	}
	return c.Value
}

func setCookie(w http.ResponseWriter, r *http.Request, id string) {
	http.SetCookie(w, &http.Cookie{Name: CookieName(r, sessionCookie), Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// markCookie holds a browser's mark.
const markCookie = "galla_known"

// markDays is how long a browser keeps its mark after the last right PIN.
const markDays = 400

// Mark gives the random mark of a request's browser, or a new one where it has
// none: by it the browser is known again to an operator who typed the right PIN in it (Known).
func (k *Kit) Mark(r *http.Request) (string, error) {
	c, err := r.Cookie(CookieName(r, markCookie))
	if err == nil && len(c.Value) == base64.RawURLEncoding.EncodedLen(idBytes) {
		return c.Value, nil
	}
	return k.sessions.mint()
}

// Known lets the browser keep its mark.
func Known(w http.ResponseWriter, r *http.Request, mark string) {
	http.SetCookie(w, &http.Cookie{
		Name: CookieName(r, markCookie), Value: mark, Path: "/", MaxAge: markDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// Unlock opens a session for an operator whose PIN was right, under a new
// cookie, in the operator's language or, where none was chosen, the request's.
// A session that the browser had is locked.
func (k *Kit) Unlock(w http.ResponseWriter, r *http.Request, operator edge.Operator) (*Session, error) {
	said := k.WordsOf(r)
	if words.Known(operator.Language) {
		said = k.book.In(operator.Language)
	}
	ses, err := k.sessions.unlock(operator, said)
	if err != nil {
		return nil, err
	}
	if old := k.sessions.find(cookieOf(r), false); old != nil {
		k.sessions.lock(old)
	}
	setCookie(w, r, ses.id)
	setLanguage(w, said.Code())
	return ses, nil
}

// Current gives the unlocked session of a request, or nil; it is no touch.
func (k *Kit) Current(r *http.Request) *Session { return k.sessions.find(cookieOf(r), false) }

// Touched is when anybody last unlocked the counter or touched an unlocked page;
// zero: nobody has since the program was started.
func (k *Kit) Touched() time.Time {
	k.sessions.mu.Lock()
	defer k.sessions.mu.Unlock()
	return k.sessions.touched
}

// LockAll locks every session of an operator, such as one who was put out.
func (k *Kit) LockAll(operator string) { k.sessions.lockAll(operator) }

// lock ends the session. Whoever unlocks next, another operator too, comes back
// to the page that was left.
func (k *Kit) lock(w http.ResponseWriter, r *http.Request, ses *Session) {
	k.sessions.lock(ses)
	k.toUnlock(w, r, LocalPath(r.PostForm.Get("here")))
}

// awake is the script's word that somebody types; the request was the touch.
func awake(w http.ResponseWriter, _ *http.Request, _ *Session) { w.WriteHeader(http.StatusNoContent) }
