package launcher

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Process is a child that was started.
type Process interface {
	// Messages returns the child's messages; it is closed when the child has ended.
	Messages() <-chan message
	// Stop asks the child to end. It may be called more than once.
	Stop()
	// Kill ends it.
	Kill()
	// Exited sends why the child ended, once; nil: without an error.
	Exited() <-chan error
}

// outputWait is how long the child's output is read on after its end, for a
// grandchild might hold it open.
const outputWait = 5 * time.Second

// childCommand starts children as processes of this computer.
type childCommand struct {
	args   []string
	env    []string
	stderr io.Writer
	log    *slog.Logger
}

// start starts the program at a path.
func (c childCommand) start(path string) (Process, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	cmd := exec.Command(path, c.args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.env, w, c.stderr, outputWait
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = w.Close() // the child has its own
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	tie, err := bindChild(cmd.Process)
	if err != nil {
		c.log.Warn("a release is not bound to its launcher's job; it ends with its pipe", "error", err)
		tie = &processJob{}
	}
	p := &process{cmd: cmd, stop: sync.OnceFunc(func() { _ = in.Close() }), messages: make(chan message), exited: make(chan error, 1), done: make(chan struct{})}
	var heard sync.WaitGroup
	heard.Go(func() {
		defer close(p.messages)
		readMessages(r, func(s message) {
			select {
			case p.messages <- s:
			case <-p.done:
			}
		})
	})
	go func() {
		err := cmd.Wait()
		tie.release()
		close(p.done)
		_ = r.Close()
		heard.Wait()
		p.stop()
		p.exited <- err
	}()
	return p, nil
}

// process is a child that is a process of this computer.
type process struct {
	cmd      *exec.Cmd
	stop     func()
	messages chan message
	exited   chan error
	done     chan struct{} // closed when the child has ended
}

func (p *process) Messages() <-chan message { return p.messages }
func (p *process) Stop()                    { p.stop() }
func (p *process) Kill()                    { _ = p.cmd.Process.Kill() } // it may have ended just now
func (p *process) Exited() <-chan error     { return p.exited }
