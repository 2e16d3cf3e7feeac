package customer

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"galla/edge/ui"
	"galla/shared/webguard"
)

// Limits of opening a customer's screen in another browser.
const (
	// codeTTL is how long a code is valid: the walk to the second screen.
	codeTTL = 3 * time.Minute
	// maxTries invalidates the code: of 10^8 codes, five guesses hit one in 2·10^7.
	maxTries = 5
	// maxScreens bounds the admitted browsers; a counter has one customer's screen, and each
	// user's browser may show its own.
	maxScreens = 8
	codeDigits = 8
	ticketSize = 32 // bytes of a cookie's value
)

const cookieName = "galla_customer"

// displayAccess knows which browsers may show the customer's screen. It is in memory, as
// sessions are, but outlives them: after lock and unlock the customer's screen continues.
type displayAccess struct {
	rand io.Reader

	mu          sync.Mutex
	code        string // empty: none is valid
	codeExpires time.Time
	tries       int
	codeSession *ui.Session
	displays    ui.Recent[string, display] // by ticket
}

// display says whose customer's screen a browser shows: of its own session, or of the user
// who created the code.
type display struct{ operator string } // empty: its own

func newDisplayAccess(rand io.Reader) *displayAccess {
	return &displayAccess{rand: rand, displays: ui.NewRecent[string, display](maxScreens)}
}

func (g *displayAccess) newCode(ses *ui.Session) (string, error) {
	code := make([]byte, 0, codeDigits)
	for len(code) < codeDigits {
		var b [1]byte
		if _, err := io.ReadFull(g.rand, b[:]); err != nil {
			return "", fmt.Errorf("draw a code for the customer's screen: %w", err)
		}
		if b[0] < 250 { // the rest would favour low digits
			code = append(code, '0'+b[0]%10)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.code, g.codeExpires, g.tries, g.codeSession = string(code), time.Now().Add(codeTTL), 0, ses
	return g.code, nil
}

// redeem accepts a code once and returns a ticket; "" for a wrong one.
func (g *displayAccess) redeem(code string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.code == "" || time.Now().After(g.codeExpires) || isClosed(g.codeSession) {
		g.code = ""
		return "", nil
	}
	if subtle.ConstantTimeCompare([]byte(g.code), []byte(code)) != 1 {
		if g.tries++; g.tries >= maxTries {
			g.code = ""
		}
		return "", nil
	}
	ticket, err := g.issue(display{g.codeSession.Operator.ID})
	if err == nil {
		g.code = ""
	}
	return ticket, err
}

// ownTicket returns a ticket for a session's own browser.
func (g *displayAccess) ownTicket() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.issue(display{})
}

// issue admits a browser, and removes the oldest where there are too many. Call it with mu
// held.
func (g *displayAccess) issue(s display) (string, error) {
	b := make([]byte, ticketSize)
	if _, err := io.ReadFull(g.rand, b); err != nil {
		return "", fmt.Errorf("draw a ticket for the customer's screen: %w", err)
	}
	ticket := base64.RawURLEncoding.EncodeToString(b)
	g.displays.Put(ticket, s)
	return ticket, nil
}

// displayOf returns the display of a browser; known reports whether it was admitted.
func (g *displayAccess) displayOf(r *http.Request) (s display, known bool) {
	c, err := r.Cookie(webguard.CookieName(r, cookieName))
	if err != nil {
		return display{}, false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.displays.Get(c.Value)
}

// session chooses the unlocked session whose customer's screen this is: that of the user
// who created the code, or, while that user is away, the only other one. nil: none.
func (s display) session(unlocked []*ui.Session) *ui.Session {
	if s.operator == "" {
		return nil // the session is locked
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

func setDisplayCookie(w http.ResponseWriter, r *http.Request, ticket string) {
	http.SetCookie(w, &http.Cookie{Name: webguard.CookieName(r, cookieName), Value: ticket, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

func isClosed(ses *ui.Session) bool {
	select {
	case <-ses.Done():
		return true
	default:
		return false
	}
}
