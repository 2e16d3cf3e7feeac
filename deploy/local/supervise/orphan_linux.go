package supervise

import "syscall"

// dieWithParent makes the kernel kill the process when the supervisor is gone, even by
// kill -9. The programs can be killed at any moment, and one that stayed would hold its
// port and its database.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
