//go:build unix

package bank

import (
	"net"
	"syscall"
)

// silence looks at a socket without reading from it.
type silence struct {
	socket syscall.RawConn
	buffer [1]byte
	found  error
	peek   func(fd uintptr) bool // look
}

// newSilence is nil for a connection that is no socket.
func newSilence(c net.Conn) *silence {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	socket, err := s.SyscallConn()
	if err != nil {
		return &silence{} // it is closed: never silent
	}
	out := &silence{socket: socket}
	out.peek = out.look
	return out
}

// holds tells whether the socket has nothing to read: no byte, no end and no
// error. It does not wait.
func (s *silence) holds() bool {
	if s.socket == nil || s.socket.Read(s.peek) != nil {
		return false
	}
	return s.found == syscall.EAGAIN //nolint:errorlint // a system call's own number
}

// look is true since it must not be called again.
func (s *silence) look(fd uintptr) bool {
	_, _, s.found = syscall.Recvfrom(int(fd), s.buffer[:], syscall.MSG_PEEK)
	return true
}
