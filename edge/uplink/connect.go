package uplink

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/gorilla/websocket"

	"galla/edge"
	"galla/shared/wire"
)

const (
	// dialWait bounds an attempt, from the DNS lookup to the upgrade.
	dialWait = 20 * time.Second
	// connectWait bounds the TCP connection: a central whose machine is away answers
	// nothing, and the system's own repetitions come ever later.
	connectWait = 8 * time.Second
	// tokenLife is exp after iat.
	tokenLife = 60 * time.Second
	// tokenAge is how far a token is dated back: a Date header has whole seconds,
	// and the central refuses a token from its future.
	tokenAge = 10 * time.Second
	// maxSkew is the error of the clock that a token survives; beyond it, a 401
	// may be the clock's fault.
	maxSkew = 5 * time.Second
	// tokenIDBytes is the size of a jti.
	tokenIDBytes = 16
)

// revokedHeader is set on the 401 to a revoked terminal.
const revokedHeader = "X-Galla-Revoked"

func (c *Client) token() (string, error) {
	var id [tokenIDBytes]byte
	if _, err := io.ReadFull(c.cfg.Rand, id[:]); err != nil {
		return "", fmt.Errorf("draw a token id: %w", err)
	}
	issued := c.cfg.Now().Add(c.skew - tokenAge)
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.RegisteredClaims{
		Audience: jwt.ClaimStrings{c.cfg.Audience}, ID: base64.RawURLEncoding.EncodeToString(id[:]),
		IssuedAt: jwt.NewNumericDate(issued), ExpiresAt: jwt.NewNumericDate(issued.Add(tokenLife)),
	})
	t.Header["kid"] = c.cfg.TerminalID
	signed, err := t.SignedString(c.cfg.Key)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return signed, nil
}

func (c *Client) connect(ctx context.Context) (*websocket.Conn, *failure) {
	token, err := c.token()
	if err != nil {
		return nil, &failure{cause: err, problem: edge.LinkKey, pace: paceSlow}
	}
	var stop func() bool
	dialer := c.dialer
	dialer.NetDialContext = func(dial context.Context, network, addr string) (net.Conn, error) {
		conn, err := c.cfg.DialContext(dial, network, addr)
		if err == nil {
			// The library's handshake heeds a deadline, but no end of a context;
			// and its own context, dial, ends when it returns.
			stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	own, begun := c.cfg.Now(), time.Now()
	ws, resp, err := dialer.DialContext(ctx, c.cfg.URL, http.Header{"Authorization": {"Bearer " + token}})
	if stop != nil && !stop() && err == nil {
		_ = ws.Close()
		return nil, &failure{cause: context.Cause(ctx), problem: edge.LinkStopped}
	}
	switch {
	case err == nil:
		c.corrected = false
		return ws, nil
	case errors.Is(err, websocket.ErrBadHandshake) && resp != nil:
		return nil, c.failureFromStatus(resp, own.Add(time.Since(begun)/2))
	}
	return nil, c.failureFromDial(err)
}

// failureFromStatus reads the answer of a central that opened no websocket. middle is our
// clock in the middle of the round trip.
func (c *Client) failureFromStatus(resp *http.Response, middle time.Time) *failure {
	cause := fmt.Errorf("the central answered HTTP %d", resp.StatusCode)
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		if resp.Header.Get(revokedHeader) != "" {
			return &failure{cause: cause, problem: edge.LinkRevoked, pace: paceRevoked, revoked: true}
		}
		return c.failureFrom401(resp, middle, cause)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		t := &failure{cause: cause, problem: edge.LinkBusy}
		if turn, err := strconv.Atoi(resp.Header.Get(wire.RetryAfterHeader)); err == nil && turn > 0 {
			t.pace, t.after = paceTurn, time.Duration(min(turn, int(maxRetryAfter/time.Millisecond)))*time.Millisecond
		} else if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && after > 0 {
			t.pace, t.after = paceAsked, time.Duration(min(after, int(maxRetryAfter/time.Second)))*time.Second
		}
		return t
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusForbidden, http.StatusBadRequest, http.StatusUpgradeRequired:
		return &failure{cause: cause, problem: edge.LinkWrongAddress, pace: paceSlow}
	}
	return &failure{cause: cause, problem: edge.LinkNoAnswer}
}

// failureFrom401 learns the central's clock from a 401. If ours was so far off
// that the token can't have been good, it is tried again at once, one time.
func (c *Client) failureFrom401(resp *http.Response, middle time.Time, cause error) *failure {
	t := &failure{cause: cause, problem: edge.LinkNotAccepted, pace: paceSlow}
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return t
	}
	skew := date.Add(time.Second / 2).Sub(middle.Round(0)) // the second's middle is the best guess
	if (skew-c.skew).Abs() <= maxSkew || c.corrected {
		c.corrected = false
		return t
	}
	c.log.Warn("the clocks of counter and central differ; the next token has the central's time", "centralAhead", skew.Round(time.Second))
	c.skew, c.corrected = skew, true
	return &failure{cause: cause, problem: t.problem, pace: paceNow}
}
