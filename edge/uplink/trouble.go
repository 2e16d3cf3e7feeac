package uplink

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/gorilla/websocket"

	"galla/shared/wire"
)

// pace says how soon to try again.
type pace int

const (
	paceBackoff pace = iota
	paceNow
	paceSlow  // the longest backoffs: only somebody else can help
	paceAsked // when the central said
	paceKnock // revoked
)

// trouble is why the line is down: for the log, for people, and for the next
// attempt.
type trouble struct {
	cause   error
	words   string
	pace    pace
	after   time.Duration // paceAsked
	revoked bool
}

// Words for people: what is wrong, and what to do where they can do something.
const (
	connecting   = "Connecting to the central."
	stopped      = "The program is stopping."
	lineDown     = "The internet line is down. Check cable, Wi-Fi or SIM."
	noAnswer     = "The central does not answer. It is tried again by itself."
	lineBroke    = "The line to the central broke. It is tried again by itself."
	wentSilent   = "The line went silent. It is tried again by itself."
	restarting   = "The central is restarting. It is tried again by itself."
	busy         = "The central is busy. It is tried again by itself."
	notAccepted  = "The central does not accept this counter. Call support if it stays so."
	wasRevoked   = "This counter was revoked: call support. It must be enrolled again."
	wrongPlace   = "There is no central at the configured address: call support."
	certificate  = "The central's certificate is not accepted. Check this computer's date and time, then call support."
	elsewhere    = "Another program connected as this counter. Run it in one place only."
	otherVersion = "This program does not fit the central, one of them is too old: "
	misunderstd  = "The central did not understand this program; update it or call support: "
	nonsense     = "The central sent what this program does not understand; update it or call support."
	notApplied   = "This counter could not store what the central told it. It is tried again; if it stays so, call support."
	tooSlow      = "The line is too slow for what is to be sent. It is tried again by itself."
	clockSet     = "This computer's clock was changed; it is measured again."
	networkMoved = "The network changed. It is tried again by itself."
	keyTrouble   = "This counter's key can't be used: call support."
)

// Ends of a line that this side chose.
var (
	errStopped   = errors.New("the program stops")
	errSilent    = errors.New("nothing was heard for too long")
	errNoRoom    = errors.New("the line did not take what was to be sent")
	errClockSet  = errors.New("the counter's clock was set")
	errNoEcho    = errors.New("no answer on the line after the network changed")
	errNonsense  = errors.New("a frame that the protocol does not allow")
	errReceiver  = errors.New("the counter could not apply what was received")
	errNoWelcome = errors.New("no welcome came")
)

// ended gives the end of a line its words.
func ended(cause error) *trouble {
	t := &trouble{cause: cause, words: lineBroke}
	var left *websocket.CloseError
	if errors.As(cause, &left) {
		return leftBy(left)
	}
	for _, known := range []struct {
		err   error
		words string
	}{
		{errStopped, stopped}, {errSilent, wentSilent}, {errNoRoom, tooSlow}, {errClockSet, clockSet},
		{errNoEcho, networkMoved}, {errNonsense, nonsense}, {errReceiver, notApplied}, {errNoWelcome, noAnswer},
	} {
		if errors.Is(cause, known.err) {
			t.words = known.words
		}
	}
	if errors.Is(cause, errClockSet) || errors.Is(cause, errNoEcho) {
		t.pace = paceNow
	}
	return t
}

// leftBy reads the central's close frame.
func leftBy(left *websocket.CloseError) *trouble {
	t := &trouble{cause: left, words: lineBroke}
	switch left.Code {
	case wire.CloseRevoked:
		t.words, t.pace, t.revoked = wasRevoked, paceKnock, true
	case wire.CloseVersion:
		t.words, t.pace = otherVersion+printable(left.Text), paceSlow
	case wire.CloseReplaced:
		t.words, t.pace = elsewhere, paceSlow
	case wire.CloseProtocol, websocket.CloseMessageTooBig, websocket.CloseProtocolError:
		t.words = misunderstd + printable(left.Text)
	case websocket.CloseGoingAway:
		t.words = restarting
	case websocket.CloseTryAgainLater:
		t.words = tooSlow
	}
	return t
}

// printable is a foreign text without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// unreached gives an attempt's error its words.
func (c *Client) unreached(err error) *trouble {
	t := &trouble{cause: err, words: noAnswer}
	var name *net.DNSError
	var bad *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &bad), errors.As(err, &invalid):
		t.words = certificate
	case errors.Is(err, syscall.ECONNREFUSED):
	case errors.As(err, &name), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		t.words = lineDown
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		if !c.hasNetwork() {
			t.words = lineDown
		}
	}
	return t
}

// hasNetwork tells whether the machine has an address beyond itself.
func (c *Client) hasNetwork() bool {
	list, err := c.cfg.Addresses()
	if err != nil {
		return true // not known: do not blame the line
	}
	for _, a := range list {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			return true
		}
	}
	return false
}
