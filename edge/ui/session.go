package ui

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/op"
	"galla/shared/webguard"
)

// maxSessions bounds the unlocked browsers; a counter has one or two. A further one locks
// the longest idle.
const maxSessions = 8

// sessionCookie is the first part of the session cookie's name (webguard.CookieName).
const sessionCookie = "galla_session"

const idBytes = 32

// Session is one unlocked browser.
type Session struct {
	// Operator is the user who unlocked it.
	Operator edge.User

	id     string
	closed chan struct{} // closed when the session is locked

	lastActive time.Time // guarded by sessions.mu

	mu        sync.Mutex
	words     *i18n.Localizer
	customer  string
	confirmed time.Time // when the PIN was typed again; zero: never

	onceMu      sync.Mutex            // held while an operation is created
	onceResults Recent[string, op.ID] // by the form's fingerprint
}

// Words returns the texts in the user's language.
func (ses *Session) Words() *i18n.Localizer {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return ses.words
}

func (ses *Session) setWords(w *i18n.Localizer) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.words = w
}

// CustomerLanguage is the language that was last chosen for a customer; at first the
// user's.
func (ses *Session) CustomerLanguage() string {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if ses.customer == "" {
		return ses.words.Code()
	}
	return ses.customer
}

// SetCustomerLanguage remembers the language chosen for a customer; an unknown one changes
// nothing.
func (ses *Session) SetCustomerLanguage(code string) {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	if i18n.IsSupported(code) {
		ses.customer = code
	}
}

// Done is closed when the session is locked.
func (ses *Session) Done() <-chan struct{} { return ses.closed }

// sessionStore holds the unlocked sessions. Form tokens are an HMAC of the cookie and need
// no storage, so that the unlock page has one before there is a session.
type sessionStore struct {
	idle       time.Duration
	rand       io.Reader
	key        []byte
	onLock     func()               // pages refresh and hide what a locked counter must not show
	userActive func(edge.User) bool // Config.UserActive

	mu         sync.Mutex
	byID       map[string]*Session
	lastActive time.Time // the last activity in any session
}

func newSessions(rand io.Reader, idle time.Duration, stands func(edge.User) bool) (*sessionStore, error) {
	key := make([]byte, sha256.Size)
	if _, err := io.ReadFull(rand, key); err != nil {
		return nil, fmt.Errorf("draw the sessions' key: %w", err)
	}
	return &sessionStore{idle: idle, rand: rand, key: key, userActive: stands, onLock: func() {}, byID: map[string]*Session{}}, nil
}

func (s *sessionStore) newToken() (string, error) {
	b := make([]byte, idBytes)
	if _, err := io.ReadFull(s.rand, b); err != nil {
		return "", fmt.Errorf("draw a session: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// mac returns a keyed hash, separate for each use.
func (s *sessionStore) mac(use, text string) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte(use + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (s *sessionStore) csrfToken(id string) string { return s.mac("token", id) }

func (s *sessionStore) validToken(id, token string) bool {
	return id != "" && hmac.Equal([]byte(s.csrfToken(id)), []byte(token))
}

// unlock opens a session under a new cookie value.
func (s *sessionStore) unlock(operator edge.User, w *i18n.Localizer) (*Session, error) {
	id, err := s.newToken()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byID) >= maxSessions {
		var oldest *Session
		for _, ses := range s.byID {
			if oldest == nil || ses.lastActive.Before(oldest.lastActive) {
				oldest = ses
			}
		}
		s.remove(oldest)
	}
	ses := &Session{id: id, Operator: operator, words: w, closed: make(chan struct{}), lastActive: time.Now(), onceResults: NewRecent[string, op.ID](maxOnceResults)}
	s.byID[id], s.lastActive = ses, ses.lastActive
	return ses, nil
}

// find returns the unlocked session of a cookie, or nil if it was idle for too long or its
// user changed. touch counts as activity.
func (s *sessionStore) find(id string, touch bool) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	ses := s.byID[id]
	if ses == nil {
		return nil
	}
	if time.Since(ses.lastActive) >= s.idle || s.userActive != nil && !s.userActive(ses.Operator) {
		s.remove(ses)
		return nil
	}
	if touch {
		ses.lastActive = time.Now()
		s.lastActive = ses.lastActive
	}
	return ses
}

func (s *sessionStore) timeLeft(ses *Session) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle - time.Since(ses.lastActive)
}

func (s *sessionStore) lock(ses *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(ses)
}

func (s *sessionStore) lockUser(operator string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ses := range s.byID {
		if ses.Operator.ID == operator {
			s.remove(ses)
		}
	}
}

// remove deletes a session. Call it with mu held.
func (s *sessionStore) remove(ses *Session) {
	if s.byID[ses.id] == ses {
		delete(s.byID, ses.id)
		close(ses.closed)
		s.onLock()
	}
}

// sessionCookieOf returns the request's cookie value, or "" if there is none or it is
// malformed.
func sessionCookieOf(r *http.Request) string {
	c, err := r.Cookie(webguard.CookieName(r, sessionCookie))
	if err != nil || len(c.Value) != base64.RawURLEncoding.EncodedLen(idBytes) {
		return ""
	}
	return c.Value
}

func setSessionCookie(w http.ResponseWriter, r *http.Request, id string) {
	http.SetCookie(w, &http.Cookie{Name: webguard.CookieName(r, sessionCookie), Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// browserCookie holds the browser's id.
const browserCookie = "galla_browser"

// browserCookieDays is how long a browser keeps its id after the last right PIN.
const browserCookieDays = 400

// BrowserID returns the random id of the request's browser, or a new one: the lock against
// guessed PINs recognizes by it the browsers in which a user typed the right PIN.
func (k *Kit) BrowserID(r *http.Request) (string, error) {
	c, err := r.Cookie(webguard.CookieName(r, browserCookie))
	if err == nil && len(c.Value) == base64.RawURLEncoding.EncodedLen(idBytes) {
		return c.Value, nil
	}
	return k.sessions.newToken()
}

// RememberBrowser stores the id in the browser.
func RememberBrowser(w http.ResponseWriter, r *http.Request, mark string) {
	http.SetCookie(w, &http.Cookie{
		Name: webguard.CookieName(r, browserCookie), Value: mark, Path: "/", MaxAge: browserCookieDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// Unlock opens a session for a user whose PIN was right, under a new cookie, in the user's
// language or else the request's. It locks the browser's former session.
func (k *Kit) Unlock(w http.ResponseWriter, r *http.Request, operator edge.User) (*Session, error) {
	words := k.WordsOf(r)
	if i18n.IsSupported(operator.Language) {
		words = k.book.Localizer(operator.Language)
	}
	ses, err := k.sessions.unlock(operator, words)
	if err != nil {
		return nil, err
	}
	if old := k.sessions.find(sessionCookieOf(r), false); old != nil {
		k.sessions.lock(old)
	}
	setSessionCookie(w, r, ses.id)
	setLanguage(w, words.Code())
	return ses, nil
}

// Current returns the unlocked session of a request, or nil, without counting as activity.
func (k *Kit) Current(r *http.Request) *Session { return k.sessions.find(sessionCookieOf(r), false) }

// LastActivity is when somebody last unlocked the counter or used an unlocked page; zero:
// not since the program started.
func (k *Kit) LastActivity() time.Time {
	k.sessions.mu.Lock()
	defer k.sessions.mu.Unlock()
	return k.sessions.lastActive
}

// LockUser locks every session of a user, such as a disabled one.
func (k *Kit) LockUser(operator string) { k.sessions.lockUser(operator) }

// lock ends the session. The next unlock returns to the page.
func (k *Kit) lock(w http.ResponseWriter, r *http.Request, ses *Session) {
	k.sessions.lock(ses)
	k.redirectToUnlock(w, r, LocalPath(r.PostForm.Get("here")))
}

// keepAlive answers the script while somebody types; the request itself counts as
// activity.
func keepAlive(w http.ResponseWriter, _ *http.Request, _ *Session) {
	w.WriteHeader(http.StatusNoContent)
}
