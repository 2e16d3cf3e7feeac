//go:build unix && !linux

package pgtest

import (
	"syscall"

	"galla/shared/files"
)

// killProcesses kills the postmaster; its processes end by themselves.
func killProcesses(postmaster int) { _ = files.Signal(postmaster, syscall.SIGKILL) }
