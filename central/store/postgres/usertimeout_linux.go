package postgres

import "syscall"

// tcpUserTimeout is TCP_USER_TIMEOUT of linux/tcp.h: a connection ends when what
// was sent stays unacknowledged for so many milliseconds. Without it a dead
// machine is noticed after a quarter of an hour.
const tcpUserTimeout = 0x12

func setUserTimeout(raw syscall.RawConn) error {
	var err error
	if controlErr := raw.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(sendTimeout.Milliseconds()))
	}); controlErr != nil {
		return controlErr
	}
	return err
}
