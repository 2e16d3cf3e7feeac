package server

import "syscall"

// freeSpace returns the bytes that an unprivileged account may still write on a folder's
// file system, and its size.
func freeSpace(folder string) (free, size int64, known bool) {
	var about syscall.Statfs_t
	if err := syscall.Statfs(folder, &about); err != nil {
		return 0, 0, false
	}
	block := int64(about.Bsize) // of 32 bits on some machines
	return int64(about.Bavail) * block, int64(about.Blocks) * block, true
}
