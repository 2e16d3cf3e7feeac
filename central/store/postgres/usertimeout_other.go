//go:build !linux

package postgres

import "syscall"

// setUserTimeout does nothing: the system has its own limit.
func setUserTimeout(syscall.RawConn) error { return nil }
