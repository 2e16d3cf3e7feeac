//go:build unix

// Command local is what `make run` starts: the sandbox bank, the RD simulator,
// the central and a counter, each as a process of its own, supervised on one
// machine. It is built as galla-local, beside the programs that it starts.
//
// The environment variables of the sandbox set addresses and the data folder;
// the package comment of deploy/local/house tells the rest. Ctrl-C or SIGTERM
// stops everything in order; another one, some seconds later, kills what still
// runs.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"galla/deploy/local/house"
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
	cfg, err := house.ReadConfig(os.Getenv)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the folder of the programs: %w", err)
	}
	h, err := house.New(cfg, filepath.Dir(self), os.Environ(), os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go obey(signals, stop, h.Hurry)
	return h.Run(ctx)
}

// sameWish is how long signals mean the first one still: whoever ends a whole
// process group reaches the supervisor twice, once himself and once by make.
const sameWish = 2 * time.Second

// obey stops at the first signal and hurries at one that comes later.
func obey(signals <-chan os.Signal, stop, hurry func()) {
	<-signals
	stop()
	for first := time.Now(); time.Since(first) < sameWish; {
		<-signals
	}
	hurry()
}
