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

// toolsOfSystem are the commands that only one system has.
type toolsOfSystem struct{}

// supervised runs the counter in the foreground: systemd wants no more.
func supervised(ctx context.Context, _ *cli, handler func(io.Writer) slog.Handler, run func(context.Context, *slog.Logger, io.Writer, bool) error) error {
	return run(ctx, slog.New(handler(os.Stderr)), os.Stderr, false)
}

// anothers says whose a data folder is where it is not this user's, or gives nil:
// what one account writes there the other could not replace. With no folder there
// is nothing to say.
func anothers(data string) error {
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
	return fmt.Errorf("%s belongs to %s, who could not replace what this command would write there: run it as that account, such as 'runuser -u %s -- galla-edge ...'; nothing was changed", data, name, name)
}
