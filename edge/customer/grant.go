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
	// customer's side.
	maxScreens = 4
	codeDigits = 8
	ticketSize = 32 // bytes of a cookie's value
)

const cookieName = "galla_customer"

// grants knows which browsers may show the customer's side of which session.
// They live in memory, as sessions do.
type grants struct {
	rand io.Reader

	mu     sync.Mutex
	code   string // empty: none waits
	until  time.Time
	tries  int
	giver  *web.Session
	screen map[string]*web.Session // by ticket
	order  []string
}

func newGrants(rand io.Reader) *grants { return &grants{rand: rand, screen: map[string]*web.Session{}} }

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
	b := make([]byte, ticketSize)
	if _, err := io.ReadFull(g.rand, b); err != nil {
		return "", fmt.Errorf("draw a ticket for the customer's screen: %w", err)
	}
	ticket := base64.RawURLEncoding.EncodeToString(b)
	if len(g.order) >= maxScreens {
		delete(g.screen, g.order[0])
		g.order = g.order[1:]
	}
	g.code, g.screen[ticket], g.order = "", g.giver, append(g.order, ticket)
	return ticket, nil
}

// of gives the session whose customer's side a browser shows; known tells
// whether the browser was let in. Nil and known: that session is locked.
func (g *grants) of(r *http.Request) (ses *web.Session, known bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return nil, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	ses, known = g.screen[c.Value]
	if known && gone(ses) {
		return nil, true
	}
	return ses, known
}

func gone(ses *web.Session) bool {
	select {
	case <-ses.Gone():
		return true
	default:
		return false
	}
}
