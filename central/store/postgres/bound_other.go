//go:build !linux

package postgres

import "syscall"

// boundSends leaves it to the system how long it waits for the other machine.
func boundSends(syscall.RawConn) error { return nil }
