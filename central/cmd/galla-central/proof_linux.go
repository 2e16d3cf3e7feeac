package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// isTerminal tells whether a person types there.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// hideInput has a terminal not show what is typed until show is called. Where the
// command is interrupted meanwhile, nothing was done so far: it ends at once.
func hideInput(ctx context.Context, f *os.File) (show func() error, err error) {
	fd := int(f.Fd())
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("look at the terminal: %w", err)
	}
	hidden := *was
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &hidden); err != nil {
		return nil, fmt.Errorf("hide what is typed: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = unix.IoctlSetTermios(fd, unix.TCSETS, was) // the shell sets it again, too
		fmt.Fprintln(os.Stderr, "\ngalla-central: interrupted; nothing was done")
		os.Exit(1)
	})
	return func() error {
		if !stop() {
			return errors.New("interrupted; nothing was done")
		}
		return unix.IoctlSetTermios(fd, unix.TCSETS, was)
	}, nil
}
