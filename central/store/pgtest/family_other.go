//go:build unix && !linux

package pgtest

import "syscall"

// killFamily kills the postmaster; its processes end when they notice.
func killFamily(postmaster int) { _ = syscall.Kill(postmaster, syscall.SIGKILL) }
