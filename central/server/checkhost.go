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

	"galla/central/keys"
)

// minFree is the free space, in bytes, that a disk should have at a start: a central with
// SQLite writes that in its busiest day.
const minFree = 1 << 30

// folder checks whether the data folder, or the existing folder above it, can be written
// and has free space.
func (x *checkReport) folder(cfg Config) {
	if cfg.Data == "" {
		return // reported as a fault of the configuration
	}
	existing, err := filepath.Abs(cfg.Data)
	for err == nil {
		if _, err = os.Stat(existing); !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			break
		}
		existing, err = filepath.Dir(existing), nil
	}
	if err == nil {
		err = writable(existing)
	}
	if err != nil {
		x.add("data folder", fmt.Errorf("%s can't be written: %w; give it to the account that runs the central, or run this as that account", cfg.Data, err), "")
		return
	}
	free, _, known := freeSpace(existing)
	switch {
	case known && free < minFree:
		x.add("data folder", fmt.Errorf("the disk of %s has %d MB free: make it %d MB at least, because a full disk stops the central", cfg.Data, free>>20, minFree>>20), "")
	case known:
		x.add("data folder", nil, fmt.Sprintf("%s can be written, and its disk has %d MB free", cfg.Data, free>>20))
	default:
		x.add("data folder", nil, cfg.Data+" can be written")
	}
}

// writable creates and removes a file in a folder.
func writable(folder string) error {
	f, err := os.CreateTemp(folder, ".check-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// addresses checks whether each address can be opened, or the running central of this data
// folder uses them.
func (x *checkReport) addresses(ctx context.Context, cfg Config) {
	var wrong []error
	for _, addr := range []string{cfg.Addr, cfg.AdminAddr, cfg.UplinkAddr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			continue // reported as a fault of the configuration
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
		x.add("addresses", nil, "they are free")
		return
	}
	if id, serving := x.runningCentral(ctx, cfg); serving {
		x.add("addresses", nil, fmt.Sprintf("the central that runs on this data folder (process %d) uses them", id))
		return
	}
	x.add("addresses", errors.Join(wrong...), "")
}

// runningCentral reports whether the process in the folder's PID file is alive and a
// central answers at the admin address.
func (x *checkReport) runningCentral(ctx context.Context, cfg Config) (id int, serving bool) {
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
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	scheme, certificate := "http://", ""
	if cfg.AdminTLS {
		scheme, certificate = "https://", cfg.TLSCert
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+cfg.AdminAddr+"/healthz", nil)
	if err != nil {
		return 0, false
	}
	client, err := keys.Client(certificate)
	if err != nil {
		return 0, false
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, false
	}
	text, err = io.ReadAll(io.LimitReader(resp.Body, int64(len(aliveText))+1))
	_ = resp.Body.Close()
	return id, err == nil && resp.StatusCode == http.StatusOK && strings.TrimSpace(string(text)) == aliveText
}
