//go:build !linux

package pgtest

import "syscall"

// killWithParent does nothing: this system does not signal children when their parent
// ends. Stop a remaining server by hand.
func killWithParent(*syscall.SysProcAttr) {}

// memoryFolder returns no folder: none is known.
func memoryFolder() string { return "" }
