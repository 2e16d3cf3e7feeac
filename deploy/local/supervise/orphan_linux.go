package supervise

import "syscall"

// dieWithParent lets the kernel kill the process when the supervisor is gone,
// even by kill -9: the programs are made to be killed at any moment, and one
// that stayed would hold its port and its database.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
