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
type Process struct {
	messages <-chan message // closed when the child has ended
	stop     func()         // asks the child to end; may be called more than once
	kill     func()         // ends it
	exited   <-chan error   // why the child ended, once; nil: without an error
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
func (c childCommand) start(path string) (*Process, error) {
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
	stop := sync.OnceFunc(func() { _ = in.Close() })
	messages, exited, done := make(chan message), make(chan error, 1), make(chan struct{})
	var heard sync.WaitGroup
	heard.Go(func() {
		defer close(messages)
		readMessages(r, func(s message) {
			select {
			case messages <- s:
			case <-done:
			}
		})
	})
	go func() {
		err := cmd.Wait()
		tie.release()
		close(done)
		_ = r.Close()
		heard.Wait()
		stop()
		exited <- err
	}()
	kill := func() { _ = cmd.Process.Kill() } // it may have ended just now
	return &Process{messages, stop, kill, exited}, nil
}
