package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// leastFree is the space that a disk should have at a start: SQLite's central
// fills that in a day of its busiest use, and whoever is told has that long.
const leastFree = 1 << 30

// folder looks whether the data folder, or the one that it would be made in, can
// be written, and has room.
func (x *examination) folder(cfg Config) {
	if cfg.Data == "" {
		return // the configuration's fault
	}
	there, err := filepath.Abs(cfg.Data)
	for err == nil {
		if _, err = os.Stat(there); !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			break
		}
		there, err = filepath.Dir(there), nil
	}
	if err == nil {
		err = writable(there)
	}
	if err != nil {
		x.look("data folder", fmt.Errorf("%s can't be written: %w; give it to the account that runs the central, or run this as that account", cfg.Data, err), "")
		return
	}
	free, _, known := freeSpace(there)
	switch {
	case known && free < leastFree:
		x.look("data folder", fmt.Errorf("the disk of %s has %d MB free: make it %d MB at least, for a full disk stops the central", cfg.Data, free>>20, leastFree>>20), "")
	case known:
		x.look("data folder", nil, fmt.Sprintf("%s can be written, and its disk has %d MB free", cfg.Data, free>>20))
	default:
		x.look("data folder", nil, cfg.Data+" can be written")
	}
}

// writable tries a file without a trace.
func writable(folder string) error {
	f, err := os.CreateTemp(folder, ".check-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// addresses looks whether each can be opened, or a central of this data folder
// has them already.
func (x *examination) addresses(ctx context.Context, cfg Config) {
	var wrong []error
	for _, addr := range []string{cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			continue // the configuration's fault
		}
		open, err := listen(addr)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, l := range open {
			_ = l.Close()
		}
	}
	if wrong == nil {
		x.look("addresses", nil, "nobody else has them")
		return
	}
	if id, serving := x.serves(ctx, cfg); serving {
		x.look("addresses", nil, fmt.Sprintf("the central that runs on this data folder (process %d) has them", id))
		return
	}
	x.look("addresses", errors.Join(wrong...), "")
}

// serves tells whether the process that this folder's central left its id of is
// alive, and a central answers at the administration's address.
func (x *examination) serves(ctx context.Context, cfg Config) (id int, serving bool) {
	text, err := os.ReadFile(cmp.Or(cfg.PIDFile, filepath.Join(cfg.Data, pidFile)))
	if err != nil {
		return 0, false
	}
	if id, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return 0, false
	}
	process, err := os.FindProcess(id)
	if err != nil {
		return 0, false
	}
	if err := process.Signal(syscall.Signal(0)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, examineWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+cfg.AdminAddr+"/healthz", nil)
	if err != nil {
		return 0, false
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 0, false
	}
	said, err := io.ReadAll(io.LimitReader(resp.Body, int64(len(aliveText))+1))
	_ = resp.Body.Close()
	return id, err == nil && resp.StatusCode == http.StatusOK && strings.TrimSpace(string(said)) == aliveText
}
