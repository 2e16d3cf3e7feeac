//go:build unix

package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"galla/shared/files"
)

// Rules of a restart. A program that was killed from outside is restarted at once,
// however often. One that ends by itself soon after its start waits a little longer
// each time, always below a second, and after patience such ends in a row 5 s: by then
// it is the configuration or the disk, and a person must be able to read the log.
const (
	minUptime       = 10 * time.Second
	restartDelay    = 100 * time.Millisecond
	maxRestartDelay = 700 * time.Millisecond
	gaveUpAfter     = 10
	longPause       = 5 * time.Second
)

// pipeWait bounds the wait for a dead program's output while a child of its own holds
// the pipe.
const pipeWait = 200 * time.Millisecond

// processRunner keeps one program running.
type processRunner struct {
	program  Program
	launcher *launcher
	log      *logFile
	logger   *slog.Logger

	stopping chan struct{} // closed when it must not be started again
	gaveUp   chan struct{} // closed after patience quick ends in a row
	done     chan struct{} // closed when the runner has ended, and the process with it
	once     sync.Once
	mu       sync.Mutex
	process  *os.Process // nil: not running
}

// newProcessRunner starts a program and keeps it running until stop.
func newProcessRunner(p Program, l *launcher, out *screen, cfg Config) (*processRunner, error) {
	log, err := openLog(filepath.Join(cfg.LogDir, p.Name+".log"), out, p.Name)
	if err != nil {
		return nil, err
	}
	k := &processRunner{
		program: p, launcher: l, log: log, logger: cfg.Logger,
		stopping: make(chan struct{}), gaveUp: make(chan struct{}), done: make(chan struct{}),
	}
	cmd, err := k.launch()
	if err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("start %s: %w", p.Name, err)
	}
	go k.run(cmd)
	return k, nil
}

// launch starts the process.
func (k *processRunner) launch() (*exec.Cmd, error) {
	cmd := exec.Command(k.program.Path, k.program.Args...)
	cmd.Env = k.program.Env
	cmd.Stdout, cmd.Stderr = k.log, k.log
	cmd.WaitDelay = pipeWait
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.stopping:
		return nil, errStopping
	default:
	}
	if err := k.launcher.do(cmd.Start); err != nil {
		return nil, err
	}
	k.process = cmd.Process
	return cmd, nil
}

var errStopping = errors.New("the program is being stopped")

// run waits for the process and starts it again.
func (k *processRunner) run(cmd *exec.Cmd) {
	defer close(k.done)
	defer func() { _ = k.log.Close() }()
	quick := 0
	for {
		began := time.Now()
		err := cmd.Wait()
		k.exited(cmd.Process.Pid)
		select {
		case <-k.stopping:
			return
		default:
		}
		pause := k.pause(cmd.ProcessState, time.Since(began), &quick)
		k.logger.Warn("program ended; it is started again", "program", k.program.Name, "pid", cmd.Process.Pid,
			"end", endOf(cmd.ProcessState, err), "after", time.Since(began).Round(time.Millisecond), "in", pause)
		if cmd = k.restart(pause); cmd == nil {
			return
		}
	}
}

// restart starts the process after a pause, however long that takes; nil: the runner is
// being stopped.
func (k *processRunner) restart(pause time.Duration) *exec.Cmd {
	for {
		timer := time.NewTimer(pause)
		select {
		case <-k.stopping:
			timer.Stop()
			return nil
		case <-timer.C:
		}
		cmd, err := k.launch()
		if err == nil {
			return cmd
		}
		if errors.Is(err, errStopping) {
			return nil
		}
		pause = maxRestartDelay
		k.logger.Error("program can't be started; tried again", "program", k.program.Name, "error", err, "in", pause)
	}
}

// pause says how long to wait before the next start, and counts quick ends.
func (k *processRunner) pause(state *os.ProcessState, lived time.Duration, quick *int) time.Duration {
	if killedFromOutside(state) {
		return 0
	}
	if lived > minUptime {
		*quick = 0
	}
	*quick++
	if *quick < gaveUpAfter {
		return min(time.Duration(*quick-1)*restartDelay, maxRestartDelay)
	}
	if *quick == gaveUpAfter {
		k.once.Do(func() { close(k.gaveUp) })
		k.logger.Error("program keeps ending by itself; from now on it is started every five seconds",
			"program", k.program.Name, "ends", gaveUpAfter, "log", k.log.path)
	}
	return longPause
}

func killedFromOutside(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	w, ok := state.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && (w.Signal() == syscall.SIGKILL || w.Signal() == syscall.SIGTERM || w.Signal() == syscall.SIGINT)
}

func endOf(state *os.ProcessState, err error) string {
	if state != nil {
		return state.String()
	}
	return fmt.Sprint(err)
}

// exited forgets a process that ended, and kills what it left in its group.
func (k *processRunner) exited(pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.process = nil
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}

// pid is the process that runs now; 0: none.
func (k *processRunner) pid() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process == nil {
		return 0
	}
	return k.process.Pid
}

// checkPID compares the pid file with the process.
func (k *processRunner) checkPID() error {
	if k.program.PIDFile == "" {
		return nil
	}
	written, err := files.ReadPID(k.program.PIDFile)
	if err != nil {
		return fmt.Errorf("it serves, but its pid file is not there: %w", err)
	}
	if running := k.pid(); written != running {
		return fmt.Errorf("it serves, but %s names process %d, and %d was started", k.program.PIDFile, written, running)
	}
	return nil
}

// stop ends the program: SIGTERM, and after the grace, or in a hurry, SIGKILL. It
// returns when the process is gone.
func (k *processRunner) stop(grace time.Duration, hurry <-chan struct{}) error {
	k.mu.Lock()
	close(k.stopping)
	last := 0
	if k.process != nil {
		last = k.process.Pid
	}
	k.mu.Unlock()
	k.signal(syscall.SIGTERM)
	k.signal(syscall.SIGCONT) // one that was stopped by a signal must wake to end

	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-k.done:
		return k.removePIDFile(last)
	case <-timer.C:
		k.logger.Warn("program does not end; it is killed", "program", k.program.Name, "grace", grace)
	case <-hurry:
	}
	k.signal(syscall.SIGKILL)
	select {
	case <-k.done:
		return k.removePIDFile(last)
	case <-time.After(killWait):
		return fmt.Errorf("%s (process %d) does not end though it was killed: it waits for a disk or a debugger", k.program.Name, k.pid())
	}
}

// signal sends a signal to the program's process group.
func (k *processRunner) signal(sig syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process != nil {
		_ = syscall.Kill(-k.process.Pid, sig)
	}
}

// removePIDFile removes a pid file that a killed program left; pid is the last process,
// 0 where none ran when the stop began.
func (k *processRunner) removePIDFile(pid int) error {
	if k.program.PIDFile == "" {
		return nil
	}
	if written, err := files.ReadPID(k.program.PIDFile); err == nil && pid != 0 && written != pid {
		return nil // another process's by now
	}
	if err := os.Remove(k.program.PIDFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the pid file of %s: %w", k.program.Name, err)
	}
	return nil
}
