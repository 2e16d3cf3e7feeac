//go:build linux

package ha

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// host is a machine of the cluster: programs in a process namespace that ends at once.
type host struct {
	name    string
	address net.IP
	folder  string
	script  string   // the programs that the machine starts
	env     []string // secrets of its programs
	as      *syscall.Credential

	cmd  *exec.Cmd
	done chan struct{} // closed when the machine is gone
}

// boot starts the machine's programs. The first process of the namespace is a
// shell: the kernel ends everything in the namespace with it.
func (h *host) boot() error {
	log, err := os.OpenFile(h.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	args := []string{"--pid", "--fork", "--kill-child=KILL", "--mount-proc"}
	script := h.script
	if h.as == nil {
		args = append([]string{"--user", "--map-current-user"}, args...)
	} else {
		id := strconv.Itoa(int(h.as.Uid))
		script = strings.ReplaceAll(script, "START ", "setpriv --reuid="+id+" --regid="+strconv.Itoa(int(h.as.Gid))+" --clear-groups ")
	}
	script = strings.ReplaceAll(script, "START ", "")
	cmd := exec.Command("unshare", append(args, "sh", "-c", script)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = h.folder, log, log
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin", "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"}, h.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, done := make(chan error), make(chan struct{})
	go func() {
		// The tie to this process is one to the thread that starts the machine.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := errors.Join(<-started, log.Close()); err != nil {
		return fmt.Errorf("start host %s: %w", h.name, err)
	}
	h.cmd, h.done = cmd, done
	return nil
}

// kill ends every process of the machine at once.
func (h *host) kill() {
	if h.cmd == nil {
		return
	}
	select {
	case <-h.done:
	default:
		_ = h.cmd.Process.Kill() // and with it, by --kill-child, the namespace
		<-h.done
	}
	h.cmd = nil
}

// up reports whether the machine runs.
func (h *host) up() bool {
	if h.cmd == nil {
		return false
	}
	select {
	case <-h.done:
		return false
	default:
		return true
	}
}

func (h *host) log() string { return filepath.Join(h.folder, "log") }

// install writes a file of the operator's, with the host's own addresses and folders,
// and gives its path.
func (h *host) install(name, text string, places *strings.Replacer) (string, error) {
	path := filepath.Join(h.folder, name)
	text = strings.NewReplacer("@NAME@", h.name, "@ADDRESS@", h.address.String()).Replace(places.Replace(text))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	return path, nil
}

// give hands the machine's folder to the user of its programs.
func (h *host) give() error {
	if h.as == nil {
		return nil
	}
	return filepath.WalkDir(h.folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, int(h.as.Uid), int(h.as.Gid))
	})
}
