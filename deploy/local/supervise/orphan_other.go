//go:build unix && !linux

package supervise

import "syscall"

// dieWithParent does nothing on this system: a supervisor that is killed with -9 leaves
// its programs behind, and the next start names their ports.
func dieWithParent(*syscall.SysProcAttr) {}
