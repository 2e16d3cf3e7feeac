package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"galla/shared/freeport"

	"github.com/jackc/pgx/v5"
)

// startTimeout bounds how long a server may take until it answers; a loaded
// machine with two cores needs some seconds.
const startTimeout = 60 * time.Second

// Server is a private PostgreSQL server.
type Server struct {
	dir  string // the data directory
	port int
	bin  string
	as   *syscall.Credential // nil: the user who runs the test
	args []string
	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
}

// Options of a server. The zero value is for tests that do not break it: what
// is committed is not synced, since no power is cut.
type Options struct {
	// Durable syncs commits, as production does.
	Durable bool
	// Settings are added to the server's, as "name=value".
	Settings []string
}

// Start makes a new server below the given folder, which the caller removes
// after Stop.
func Start(folder string, o Options) (*Server, error) {
	s := &Server{dir: filepath.Join(folder, "data")}
	var err error
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	if s.as, err = unprivileged(); err != nil {
		return nil, err
	}
	if err := s.own(folder); err != nil {
		return nil, err
	}
	if out, err := s.command("initdb", "-D", s.dir, "-U", "galla", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	s.args = settings(folder, o)
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	return s, s.Run()
}

func settings(folder string, o Options) []string {
	list := append([]string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=" + folder, "max_connections=200",
		"shared_buffers=32MB", "logging_collector=off", "log_min_messages=fatal",
		// Nothing is left outside the folder when the server is killed.
		"dynamic_shared_memory_type=mmap", "max_wal_size=128MB", "wal_level=replica",
	}, o.Settings...)
	if !o.Durable {
		list = append(list, "fsync=off", "full_page_writes=off")
	}
	var args []string
	for _, setting := range list {
		args = append(args, "-c", setting)
	}
	return args
}

// own gives a folder, and the way to it, to the server's user.
func (s *Server) own(folder string) error {
	if s.as == nil {
		return nil
	}
	if err := os.Chown(folder, int(s.as.Uid), int(s.as.Gid)); err != nil {
		return fmt.Errorf("give the folder to the server's user: %w", err)
	}
	for dir := filepath.Dir(folder); dir != "/" && dir != os.TempDir() && dir != memory(); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if err := os.Chmod(dir, info.Mode().Perm()|0o011); err != nil {
			return fmt.Errorf("open the way to the server's folder: %w", err)
		}
	}
	return nil
}

func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.as}
	return cmd
}

// Run starts the server again, on the port that it had, and waits until it
// answers.
func (s *Server) Run() error {
	cmd := s.command("postgres", append([]string{"-D", s.dir, "-p", strconv.Itoa(s.port)}, s.args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	tie(cmd.SysProcAttr)
	started, done := make(chan error), make(chan struct{})
	go func() {
		// The tie to this process is one to the thread that starts the server.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	s.cmd, s.done = cmd, done
	for deadline := time.Now().Add(startTimeout); ; {
		err := s.ping()
		if err == nil {
			return nil
		}
		select {
		case <-done:
			return fmt.Errorf("postgres ended at its start: %s", said.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			s.Kill()
			return fmt.Errorf("postgres does not answer: %w", err)
		}
	}
}

func (s *Server) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

// URL is where a database of the server is.
func (s *Server) URL(database string) string {
	return "postgres://galla@" + s.Addr() + "/" + database
}

// Addr is host:port of the server.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Stop ends the server in order and waits for its end.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.done
	return nil
}

// Kill ends the server and all its processes at once, as a power cut of the
// machine would end them, but for what the system still writes.
func (s *Server) Kill() {
	select {
	case <-s.done:
		return // its number may be another's
	default:
	}
	killFamily(s.cmd.Process.Pid)
	<-s.done
	_ = os.Remove(filepath.Join(s.dir, "postmaster.pid")) // the ids in it may be others' soon
}

// binaries finds the newest server on the machine.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		// Where it is a link, the other programs lie beside the file itself.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", fmt.Errorf("find PostgreSQL's programs: %w", err)
		}
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("PostgreSQL's server is not installed: apt-get install postgresql, or give one's URL in GALLA_TEST_POSTGRES")
	}
	slices.SortFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(found[len(found)-1]), nil
}

func version(initdb string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	return n
}

// unprivileged is whom the server runs as: nobody else, or where the test is
// root, a user who is not.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if errors.Join(uidErr, gidErr) == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and neither user postgres nor nobody exists")
}

// freePort gives a port that a killed server finds free again: it is kept for it as
// long as this process lives.
func freePort() (int, error) {
	address, _, err := freeport.Take()
	if err != nil {
		return 0, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}
