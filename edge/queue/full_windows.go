package queue

import "syscall"

// diskFullErrors are ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED.
func diskFullErrors() []syscall.Errno { return []syscall.Errno{39, 112, 1295} }
