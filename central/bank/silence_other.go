//go:build !unix

package bank

import (
	"net"
	"syscall"
)

// silence can't be told of a socket here, so that connections are used once.
type silence struct{}

// newSilence is nil for a connection that is no socket.
func newSilence(c net.Conn) *silence {
	if _, ok := c.(syscall.Conn); !ok {
		return nil
	}
	return new(silence)
}

func (*silence) holds() bool { return false }
