package pgtest

import "syscall"

// tie ends a child at once when the thread that started it has ended, and so
// when this process was killed.
func tie(of *syscall.SysProcAttr) { of.Pdeathsig = syscall.SIGQUIT }

// roomy is how much memory must be free for servers to be put into it: a server
// of tests takes some 200 MB, and several test binaries run at a time.
const roomy = 4 << 30

// memory is a folder that no disk is behind, on which a database is made five
// to ten times as fast; none where there is little room.
func memory() string {
	const folder = "/dev/shm"
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < roomy {
		return ""
	}
	return folder
}
