//go:build !windows

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// systemCommands are the commands that only one system has.
type systemCommands struct{}

// runSupervised runs the counter in the foreground, as systemd expects.
func runSupervised(ctx context.Context, _ *cli, handler func(io.Writer) slog.Handler, run func(context.Context, *slog.Logger, io.Writer, bool) error) error {
	return run(ctx, slog.New(handler(os.Stderr)), os.Stderr, false)
}

// checkDataOwner refuses a data folder of another account: what this account writes
// there the other could not replace. Without a folder there is nothing to check.
func checkDataOwner(data string) error {
	info, err := os.Stat(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the data folder: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() {
		return nil
	}
	name := strconv.Itoa(int(owner.Uid))
	if account, err := user.LookupId(name); err == nil {
		name = account.Username
	}
	return fmt.Errorf("%s belongs to %s, who could not replace files that this command writes there: run it as that account, such as 'runuser -u %s -- galla-edge ...'; nothing was changed", data, name, name)
}
