//go:build unix

// Package freeport gives tests loopback addresses that stay free until they are used,
// also while a program on one is killed and starts again. Ports that the kernel chooses
// (":0") do not: it gives them to the next outgoing connection.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The ports are below those that Linux gives to outgoing connections
// (ip_local_port_range, from 32768).
const (
	first    = 20000
	count    = 12000
	attempts = 1000
)

// locks is the folder with a lock file for each port in use by a test of this machine. It
// does not follow TMPDIR, which some tests set and others do not.
var locks = filepath.Join("/tmp", fmt.Sprintf("galla-ports-%d", os.Getuid()))

// For returns an address such as 127.0.0.1:20123, reserved until the test ends.
func For(t testing.TB) string {
	t.Helper()
	address, release, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address
}

// Take returns an address that is reserved until it is released, or the process ends.
func Take() (address string, release func(), err error) {
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return "", nil, fmt.Errorf("free port: %w", err)
	}
	for range attempts {
		port := first + rand.IntN(count)
		var lock *os.File
		if lock, err = os.OpenFile(filepath.Join(locks, fmt.Sprint(port)), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return "", nil, fmt.Errorf("free port: %w", err)
		}
		if err = lockPort(lock, port); err != nil {
			_ = lock.Close()
			continue
		}
		return fmt.Sprintf("127.0.0.1:%d", port), func() { _ = lock.Close() }, nil
	}
	return "", nil, fmt.Errorf("no free port from %d to %d: %w", first, first+count-1, err)
}

// lockPort locks a port's file, and checks that no other program listens on the port.
func lockPort(lock *os.File, port int) error {
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	return l.Close()
}
