package customer

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"galla/edge/web"
)

// Limits of opening a screen in another browser.
const (
	// codeLife is how long a code works: the walk to the second screen.
	codeLife = 3 * time.Minute
	// maxTries voids the code: of 10^8 codes, five guesses hit one in 2·10^7.
	maxTries = 5
	// maxScreens bounds the browsers that were let in; a counter has one
	// customer's side, and each browser of an operator may show its own.
	maxScreens = 8
	codeDigits = 8
	ticketSize = 32 // bytes of a cookie's value
)

const cookieName = "galla_customer"

// grants knows which browsers may show the customer's side. They live in
// memory, as sessions do, and outlast them: a counter that was locked and
// unlocked finds its customer's screen where it was.
type grants struct {
	rand io.Reader

	mu     sync.Mutex
	code   string // empty: none waits
	until  time.Time
	tries  int
	giver  *web.Session
	screen map[string]seat // by ticket
	order  []string
}

// seat is whose customer's side a browser shows: that of its own session, or
// that of the operator who gave it the code.
type seat struct{ operator string } // empty: its own

func newGrants(rand io.Reader) *grants { return &grants{rand: rand, screen: map[string]seat{}} }

// mint makes a code for a session's screen; an earlier one is void.
func (g *grants) mint(ses *web.Session) (string, error) {
	code := make([]byte, 0, codeDigits)
	for len(code) < codeDigits {
		var b [1]byte
		if _, err := io.ReadFull(g.rand, b[:]); err != nil {
			return "", fmt.Errorf("draw a code for the customer's screen: %w", err)
		}
		if b[0] < 250 { // the rest would make low digits likelier
			code = append(code, '0'+b[0]%10)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.code, g.until, g.tries, g.giver = string(code), time.Now().Add(codeLife), 0, ses
	return g.code, nil
}

// redeem takes a code once and gives a ticket; "" for a wrong one.
func (g *grants) redeem(code string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.code == "" || time.Now().After(g.until) || gone(g.giver) {
		g.code = ""
		return "", nil
	}
	if subtle.ConstantTimeCompare([]byte(g.code), []byte(code)) != 1 {
		if g.tries++; g.tries >= maxTries {
			g.code = ""
		}
		return "", nil
	}
	ticket, err := g.issue(seat{g.giver.Operator.ID})
	if err == nil {
		g.code = ""
	}
	return ticket, err
}

// own gives a ticket to the browser of a session.
func (g *grants) own() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.issue(seat{})
}

// issue lets a browser in, and the first one out where there are too many; mu
// is held.
func (g *grants) issue(s seat) (string, error) {
	b := make([]byte, ticketSize)
	if _, err := io.ReadFull(g.rand, b); err != nil {
		return "", fmt.Errorf("draw a ticket for the customer's screen: %w", err)
	}
	ticket := base64.RawURLEncoding.EncodeToString(b)
	if len(g.order) >= maxScreens {
		delete(g.screen, g.order[0])
		g.order = g.order[1:]
	}
	g.screen[ticket], g.order = s, append(g.order, ticket)
	return ticket, nil
}

// of gives the seat of a browser; known tells whether it was let in.
func (g *grants) of(r *http.Request) (s seat, known bool) {
	c, err := r.Cookie(web.CookieName(r, cookieName))
	if err != nil {
		return seat{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, known = g.screen[c.Value]
	return s, known
}

// session chooses, of the unlocked sessions, the one whose customer's side the
// seat shows: that of the operator who gave the code, and while that one is
// away, of whoever else is the only one at the counter. Nil: none.
func (s seat) session(unlocked []*web.Session) *web.Session {
	if s.operator == "" {
		return nil // its browser is locked
	}
	for _, ses := range unlocked {
		if ses.Operator.ID == s.operator {
			return ses
		}
	}
	if len(unlocked) == 1 {
		return unlocked[0]
	}
	return nil
}

func seatOf(w http.ResponseWriter, r *http.Request, ticket string) {
	http.SetCookie(w, &http.Cookie{Name: web.CookieName(r, cookieName), Value: ticket, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

func gone(ses *web.Session) bool {
	select {
	case <-ses.Gone():
		return true
	default:
		return false
	}
}
