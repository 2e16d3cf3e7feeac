//go:build unix

// Command local is what `make run` starts: the sandbox bank, the RD simulator,
// the central and a counter, each as a process of its own, supervised on one
// machine. It is built as galla-local, beside the programs that it starts.
//
// The environment variables of the sandbox set addresses and the data folder; the
// package comment of deploy/local/sandbox has the rest. Ctrl-C or SIGTERM stops
// everything in order; a second one, some seconds later, kills what still runs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"galla/deploy/local/sandbox"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "galla: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	cfg, err := sandbox.ReadConfig(os.Getenv)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the folder of the programs: %w", err)
	}
	h, err := sandbox.New(cfg, filepath.Dir(self), os.Environ(), os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go obey(signals, stop, h.Hurry)
	return h.Run(ctx)
}

// sameSignal is how long signals count as the first one: ending a whole process group
// reaches the supervisor twice, once directly and once by make.
const sameSignal = 2 * time.Second

// obey stops at the first signal and hurries at a later one.
func obey(signals <-chan os.Signal, stop, hurry func()) {
	<-signals
	stop()
	for first := time.Now(); time.Since(first) < sameSignal; {
		<-signals
	}
	hurry()
}
