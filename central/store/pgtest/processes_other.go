//go:build unix && !linux

package pgtest

import "syscall"

// killProcesses kills the postmaster; its processes end by themselves.
func killProcesses(postmaster int) { _ = syscall.Kill(postmaster, syscall.SIGKILL) }
