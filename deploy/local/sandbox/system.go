//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"galla/deploy/local/supervise"
)

// Sandbox is the local sandbox: the four programs and their connections.
type Sandbox struct {
	cfg    Config
	bin    string
	env    []string
	screen io.Writer
	logs   io.Writer
	sup    *supervise.Supervisor
	unlock func() error
}

// New locks the data folder, checks that every address is free, and makes the sandbox.
// Programs are looked for in the folder bin; the banner goes to screen, log lines to
// logs. After New, Run must be called.
func New(cfg Config, bin string, inherited []string, screen, logs io.Writer) (*Sandbox, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder (GALLA_DATA): %w", err)
	}
	unlock, err := lock(cfg.Data)
	if err != nil {
		return nil, err
	}
	h := &Sandbox{cfg: cfg, bin: bin, screen: screen, logs: logs, unlock: unlock}
	if err := h.prepare(inherited); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return h, nil
}

func (h *Sandbox) prepare(inherited []string) error {
	if err := errors.Join(h.programsThere(), h.cfg.checkFree()); err != nil {
		return err
	}
	h.env = h.cfg.environment(inherited)
	sup, err := supervise.New(supervise.Config{
		Steps: []supervise.Step{
			h.step("rdsim", "galla-rdsim", h.cfg.RDSim, "/"),
			h.step("bank", "galla-bank", h.cfg.Bank, "/books/trial"),
			h.step("central", "galla-central", h.cfg.Admin, "/readyz"),
			{Do: h.enrolTerminal},
			h.step("edge", "galla-edge", h.cfg.Counter, "/healthz"),
		},
		StopOrder: []string{"edge", "central", "bank", "rdsim"},
		OnReady:   func() { _, _ = io.WriteString(h.screen, banner(h.cfg)) },
		LogDir:    filepath.Join(h.cfg.Data, "log"),
		Screen:    h.logs,
		Logger:    slog.New(slog.NewTextHandler(h.logs, nil)).With("part", "supervisor"),
	})
	h.sup = sup
	return err
}

// Run starts the sandbox and runs it until ctx ends; then it stops it and returns nil,
// with every process gone.
func (h *Sandbox) Run(ctx context.Context) error {
	return errors.Join(h.sup.Run(ctx), h.unlock())
}

// Hurry makes a stop that is in progress kill what still runs.
func (h *Sandbox) Hurry() { h.sup.Hurry() }

func (h *Sandbox) program(file string) string { return filepath.Join(h.bin, file) }

// programsThere lists the programs that were not built.
func (h *Sandbox) programsThere() error {
	var faults []error
	for _, file := range []string{"galla-rdsim", "galla-bank", "galla-central", "galla-edge"} {
		if _, err := os.Stat(h.program(file)); err != nil {
			faults = append(faults, fmt.Errorf("the program %s is not there: run `make build` first (%w)", file, err))
		}
	}
	return errors.Join(faults...)
}

// step starts a program that is ready when path answers 200.
func (h *Sandbox) step(name, file string, at Address, path string) supervise.Step {
	return supervise.Step{Program: &supervise.Program{
		Name: name, Path: h.program(file), Env: h.env,
		PIDFile: filepath.Join(h.cfg.Data, name+".pid"),
		Ready:   func(ctx context.Context) error { return answers(ctx, at.URL()+path) },
	}}
}

// probeTimeout bounds one request; the supervisor asks again.
const probeTimeout = 2 * time.Second

// answers is nil if a GET is answered 200.
func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := (&http.Client{Timeout: probeTimeout}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s answered %s", url, resp.Status)
	}
	return nil
}
