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

// startTimeout bounds the time until a new server answers; a loaded machine with two cores
// needs some seconds.
const startTimeout = 60 * time.Second

// Server is a private PostgreSQL server.
type Server struct {
	dir        string // the data directory
	port       int
	bin        string
	credential *syscall.Credential // nil: the user who runs the test
	args       []string
	cmd        *exec.Cmd
	done       chan struct{} // closed when cmd has ended
}

// Options of a server. The zero value is for tests that don't break it: commits are not
// synced.
type Options struct {
	// Durable syncs commits, as production does.
	Durable bool
	// Settings are added to the server's, as "name=value".
	Settings []string
}

// Start starts a new server below a folder, which the caller removes after Stop.
func Start(folder string, o Options) (*Server, error) {
	s := &Server{dir: filepath.Join(folder, "data")}
	var err error
	if s.bin, err = findBinaries(); err != nil {
		return nil, err
	}
	if s.credential, err = unprivileged(); err != nil {
		return nil, err
	}
	if err := s.chownFolder(folder); err != nil {
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
		// A killed server leaves nothing outside the folder.
		"dynamic_shared_memory_type=mmap", "max_wal_size=128MB", "wal_level=replica",
		"temp_file_limit=1GB", // the folder may be in memory
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

// chownFolder makes a folder, and the path to it, accessible to the server's user.
func (s *Server) chownFolder(folder string) error {
	if s.credential == nil {
		return nil
	}
	if err := os.Chown(folder, int(s.credential.Uid), int(s.credential.Gid)); err != nil {
		return fmt.Errorf("give the folder to the server's user: %w", err)
	}
	for dir := filepath.Dir(folder); dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.credential}
	return cmd
}

// Run starts the server again, on the same port, and waits until it answers.
func (s *Server) Run() error {
	cmd := s.command("postgres", append([]string{"-D", s.dir, "-p", strconv.Itoa(s.port)}, s.args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	killWithParent(cmd.SysProcAttr)
	started, done := make(chan error), make(chan struct{})
	go func() {
		// The parent-death signal depends on the thread that starts the server.
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

// URL is the URL of a database of the server.
func (s *Server) URL(database string) string {
	return "postgres://galla@" + s.Addr() + "/" + database
}

// Addr is host:port of the server.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Stop shuts the server down and waits for its end.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.done
	return nil
}

// Kill ends the server and all its processes at once, like a power cut, except that the system
// still writes its buffers.
func (s *Server) Kill() {
	select {
	case <-s.done:
		return // another process may have its id
	default:
	}
	killProcesses(s.cmd.Process.Pid)
	<-s.done
	_ = os.Remove(filepath.Join(s.dir, "postmaster.pid")) // other processes may get the ids in it
}

// findBinaries finds the newest server on the machine.
func findBinaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		// Behind a link, the other programs are beside the file itself.
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

// unprivileged is the user of the server: the same user, or for root another one.
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

// freePort returns a port that is free again after the server was killed: it is reserved while
// this process lives.
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
