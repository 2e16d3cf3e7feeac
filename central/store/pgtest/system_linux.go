package pgtest

import "syscall"

// killWithParent ends a child when the thread that started it ends, and so when this process is
// killed.
func killWithParent(of *syscall.SysProcAttr) { of.Pdeathsig = syscall.SIGQUIT }

// minFreeMemory is the free memory that memoryFolder needs: a test server takes about 200 MB,
// and several test binaries run at one time.
const minFreeMemory = 4 << 30

// memoryFolder is a folder in memory, where databases are created five to ten times faster;
// empty if there is too little memory.
func memoryFolder() string {
	const folder = "/dev/shm"
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < minFreeMemory {
		return ""
	}
	return folder
}
