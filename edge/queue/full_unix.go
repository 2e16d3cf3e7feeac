//go:build unix

package queue

import "syscall"

// diskFullErrors are the errors of a full disk or quota.
func diskFullErrors() []syscall.Errno { return []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} }
