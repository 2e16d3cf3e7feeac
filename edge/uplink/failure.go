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

	"galla/edge"
	"galla/shared/printable"
	"galla/shared/wire"
	"galla/shared/wsconn"
)

type retryPace int

const (
	paceBackoff retryPace = iota
	paceNow
	paceSlow    // the longest backoffs: nothing here can help
	paceTurn    // when it is this terminal's turn, as the central said
	paceAsked   // after a Retry-After, which others may have got, too
	paceRevoked // revoked
)

type failure struct {
	cause   error
	problem edge.LinkProblem
	detail  string // LinkState.Detail
	pace    retryPace
	after   time.Duration // paceTurn, paceAsked
	revoked bool
}

// Ends of a connection that this side chose.
var (
	errStopped   = errors.New("the program stops")
	errNoRoom    = errors.New("the connection did not take a frame in time")
	errClockSet  = errors.New("the counter's clock was set")
	errNoEcho    = errors.New("no answer after the network changed")
	errProtocol  = errors.New("a frame that the protocol does not allow")
	errReceiver  = errors.New("the counter could not apply what was received")
	errNoWelcome = errors.New("no welcome came")
)

func failureFor(cause error) *failure {
	t := &failure{cause: cause, problem: edge.LinkBroken}
	var left *websocket.CloseError
	if errors.As(cause, &left) {
		return failureFromClose(left)
	}
	for _, known := range []struct {
		err     error
		problem edge.LinkProblem
	}{
		{errStopped, edge.LinkStopped}, {wsconn.ErrSilent, edge.LinkSilent}, {wsconn.ErrStalled, edge.LinkSlow}, {errNoRoom, edge.LinkSlow}, {errClockSet, edge.LinkClockSet},
		{errNoEcho, edge.LinkNetworkChanged}, {errProtocol, edge.LinkProtocol}, {errReceiver, edge.LinkNotApplied}, {errNoWelcome, edge.LinkNoAnswer},
	} {
		if errors.Is(cause, known.err) {
			t.problem = known.problem
		}
	}
	if errors.Is(cause, errClockSet) || errors.Is(cause, errNoEcho) {
		t.pace = paceNow
	}
	return t
}

func failureFromClose(left *websocket.CloseError) *failure {
	t := &failure{cause: left, problem: edge.LinkBroken}
	switch left.Code {
	case wire.CloseRevoked:
		t.problem, t.pace, t.revoked = edge.LinkRevoked, paceRevoked, true
	case wire.CloseVersion:
		t.problem, t.detail, t.pace = edge.LinkVersion, printable.Line(left.Text), paceSlow
	case wire.CloseReplaced:
		t.problem, t.pace = edge.LinkReplaced, paceSlow
	case wire.CloseProtocol, websocket.CloseMessageTooBig, websocket.CloseProtocolError:
		t.problem, t.detail = edge.LinkRefused, printable.Line(left.Text)
	case websocket.CloseGoingAway:
		t.problem = edge.LinkRestarting
	case websocket.CloseTryAgainLater:
		t.problem = edge.LinkSlow
	}
	return t
}

func (c *Client) failureFromDial(err error) *failure {
	t := &failure{cause: err, problem: edge.LinkNoAnswer}
	var name *net.DNSError
	var bad *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &bad), errors.As(err, &invalid):
		t.problem = edge.LinkCertificate
	case errors.Is(err, syscall.ECONNREFUSED):
	case errors.As(err, &name), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		t.problem = edge.LinkNoNetwork
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		if !c.hasNetwork() {
			t.problem = edge.LinkNoNetwork
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
