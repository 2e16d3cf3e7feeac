package parent

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
	// Says gives what the child says, for the parent to parse; it is closed when
	// the child has ended.
	Says() <-chan said
	// Stop asks the child to end. It may be called again.
	Stop()
	// Kill ends it.
	Kill()
	// Ended gives why the child ended, once; nil: it ended well.
	Ended() <-chan error
}

// outputWait is how long the child's output is read on after its end, for a
// grandchild might hold it open.
const outputWait = 5 * time.Second

// command starts children as processes of this computer.
type command struct {
	args   []string
	env    []string
	stderr io.Writer
	log    *slog.Logger
}

// start starts the program at a path.
func (c command) start(path string) (Process, error) {
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
	tie, err := bind(cmd.Process)
	if err != nil {
		c.log.Warn("a release is not bound to its parent's life; it ends with its pipe", "error", err)
		tie = &bond{}
	}
	p := &process{cmd: cmd, stop: sync.OnceFunc(func() { _ = in.Close() }), says: make(chan said), ended: make(chan error, 1), gone: make(chan struct{})}
	var heard sync.WaitGroup
	heard.Go(func() {
		defer close(p.says)
		listen(r, func(s said) {
			select {
			case p.says <- s:
			case <-p.gone:
			}
		})
	})
	go func() {
		err := cmd.Wait()
		tie.end()
		close(p.gone)
		_ = r.Close()
		heard.Wait()
		p.stop()
		p.ended <- err
	}()
	return p, nil
}

// process is a child that is a process of this computer.
type process struct {
	cmd   *exec.Cmd
	stop  func()
	says  chan said
	ended chan error
	gone  chan struct{} // closed at its end: nobody listens any more
}

func (p *process) Says() <-chan said   { return p.says }
func (p *process) Stop()               { p.stop() }
func (p *process) Kill()               { _ = p.cmd.Process.Kill() } // it may have ended just now
func (p *process) Ended() <-chan error { return p.ended }
