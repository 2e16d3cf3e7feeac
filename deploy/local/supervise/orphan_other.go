//go:build unix && !linux

package supervise

import "syscall"

// dieWithParent has no means on this system: a supervisor that is killed with
// -9 leaves its programs behind, and the next start names their ports.
func dieWithParent(*syscall.SysProcAttr) {}
