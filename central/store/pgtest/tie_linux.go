package pgtest

import "syscall"

// tie ends a child at once when the thread that started it has ended, and so
// when this process was killed.
func tie(of *syscall.SysProcAttr) { of.Pdeathsig = syscall.SIGQUIT }
