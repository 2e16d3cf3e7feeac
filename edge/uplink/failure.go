package uplink

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/gorilla/websocket"

	"galla/shared/printable"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

// retryPace is how soon to try again.
type retryPace int

const (
	paceBackoff retryPace = iota
	paceNow
	paceSlow    // the longest backoffs: nothing here can help
	paceAsked   // after the central's Retry-After
	paceRevoked // revoked
)

// failure is why a connection failed or ended, and when to try again.
type failure struct {
	cause   error
	message string
	pace    retryPace
	after   time.Duration // paceAsked
	revoked bool
}

// Texts for the agent: what is wrong and what to do.
const (
	connecting      = "Connecting to the central."
	stopped         = "The program is stopping."
	lineDown        = "The internet line is down. Check cable, Wi-Fi or SIM."
	noAnswer        = "The central does not answer. It is tried again by itself."
	lineBroke       = "The line to the central broke. It is tried again by itself."
	wentSilent      = "The line went silent. It is tried again by itself."
	restarting      = "The central is restarting. It is tried again by itself."
	busy            = "The central is busy. It is tried again by itself."
	notAccepted     = "The central does not accept this counter. Call support if it stays so."
	wasRevoked      = "This counter was revoked: call support. It must be enrolled again."
	wrongPlace      = "There is no central at the configured address: call support."
	certificate     = "The central's certificate is not accepted. Check this computer's date and time, then call support."
	replaced        = "Another program connected as this counter. Run it in one place only."
	otherVersion    = "This program does not fit the central, one of them is too old: "
	protocolRefused = "The central did not understand this program; update it or call support: "
	protocolBroken  = "The central sent what this program does not understand; update it or call support."
	notApplied      = "This counter could not store what the central sent. It tries again; if this continues, call support."
	lineTooSlow     = "The connection is too slow. The counter tries again."
	clockSet        = "This computer's clock was changed; it is measured again."
	networkMoved    = "The network changed. It is tried again by itself."
	keyTrouble      = "This counter's key can't be used: call support."
)

// Ends of a line that this side chose.
var (
	errStopped   = errors.New("the program stops")
	errNoRoom    = errors.New("the connection did not take a frame in time")
	errClockSet  = errors.New("the counter's clock was set")
	errNoEcho    = errors.New("no answer after the network changed")
	errProtocol  = errors.New("a frame that the protocol does not allow")
	errReceiver  = errors.New("the counter could not apply what was received")
	errNoWelcome = errors.New("no welcome came")
)

// failureFor returns the failure of a connection that ended.
func failureFor(cause error) *failure {
	t := &failure{cause: cause, message: lineBroke}
	var left *websocket.CloseError
	if errors.As(cause, &left) {
		return failureFromClose(left)
	}
	for _, known := range []struct {
		err   error
		words string
	}{
		{errStopped, stopped}, {wsconn.ErrSilent, wentSilent}, {wsconn.ErrStalled, lineTooSlow}, {errNoRoom, lineTooSlow}, {errClockSet, clockSet},
		{errNoEcho, networkMoved}, {errProtocol, protocolBroken}, {errReceiver, notApplied}, {errNoWelcome, noAnswer},
	} {
		if errors.Is(cause, known.err) {
			t.message = known.words
		}
	}
	if errors.Is(cause, errClockSet) || errors.Is(cause, errNoEcho) {
		t.pace = paceNow
	}
	return t
}

// failureFromClose reads the central's close frame.
func failureFromClose(left *websocket.CloseError) *failure {
	t := &failure{cause: left, message: lineBroke}
	switch left.Code {
	case wire.CloseRevoked:
		t.message, t.pace, t.revoked = wasRevoked, paceRevoked, true
	case wire.CloseVersion:
		t.message, t.pace = otherVersion+printable.Line(left.Text), paceSlow
	case wire.CloseReplaced:
		t.message, t.pace = replaced, paceSlow
	case wire.CloseProtocol, websocket.CloseMessageTooBig, websocket.CloseProtocolError:
		t.message = protocolRefused + printable.Line(left.Text)
	case websocket.CloseGoingAway:
		t.message = restarting
	case websocket.CloseTryAgainLater:
		t.message = lineTooSlow
	}
	return t
}

// failureFromDial returns the failure of an attempt.
func (c *Client) failureFromDial(err error) *failure {
	t := &failure{cause: err, message: noAnswer}
	var name *net.DNSError
	var bad *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &bad), errors.As(err, &invalid):
		t.message = certificate
	case errors.Is(err, syscall.ECONNREFUSED):
	case errors.As(err, &name), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		t.message = lineDown
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		if !c.hasNetwork() {
			t.message = lineDown
		}
	}
	return t
}

// hasNetwork reports whether the machine has an address that is not loopback.
func (c *Client) hasNetwork() bool {
	list, err := c.cfg.Addresses()
	if err != nil {
		return true // not known
	}
	for _, a := range list {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			return true
		}
	}
	return false
}
