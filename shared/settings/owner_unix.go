//go:build unix

package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// writableByOthersMode are the write permissions of others than the owner.
const writableByOthersMode = 0o022

// writableByOthers returns an error if somebody other than root and the program's own
// account could have written the file.
func writableByOthers(about fs.FileInfo) error {
	if about.Mode().Perm()&writableByOthersMode != 0 {
		return errors.New("can be written by others than its owner: chmod go-w")
	}
	if s, ok := about.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to the account with the number %d, which is neither root nor the one that runs this program: chown root", s.Uid)
	}
	return nil
}
