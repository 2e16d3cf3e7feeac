//go:build !linux

package pgtest

import "syscall"

// tie does nothing: this system does not tell children of their parent's end. A
// server that is left over is stopped by hand.
func tie(*syscall.SysProcAttr) {}

// memory is none that is known.
func memory() string { return "" }
