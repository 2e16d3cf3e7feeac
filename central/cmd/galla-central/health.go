package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"galla/shared/settings"
)

// Bounds of a question after a central's health: the central itself answers
// within three seconds, and its answer is a line for each condition.
const (
	healthWait = 5 * time.Second
	maxHealth  = 16 << 10
)

type healthCommand struct {
	AdminAddr settings.Address `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"Address of health and metrics of the central that is asked."`
}

// ask prints what a running central says of its readiness; the error says that
// it is not ready. It stands in for a shell and curl where a container has
// neither.
func (h *healthCommand) ask(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.AdminAddr.URL()+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("the admin address %q: %w", h.AdminAddr, err)
	}
	// The environment's proxy is for calls to the outside.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no central answers at %s (GALLA_ADMIN_ADDR): %w", h.AdminAddr.URL(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(out, io.LimitReader(resp.Body, maxHealth)); err != nil {
		return fmt.Errorf("read the central's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the central at %s should get no calls: HTTP %d", h.AdminAddr.URL(), resp.StatusCode)
	}
	return nil
}
