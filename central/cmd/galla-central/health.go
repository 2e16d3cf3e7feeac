package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"galla/central/keys"
	"galla/shared/settings"
)

// Bounds of a health request: a central answers within three seconds, with a line for
// each condition.
const (
	healthWait = 5 * time.Second
	maxHealth  = 16 << 10
)

type healthCommand struct {
	AdminAddr settings.Address `env:"GALLA_ADMIN_ADDR" default:"http://127.0.0.1:7101" help:"Address of health and metrics of the central that is asked."`
	TLSCert   string           `name:"tls-cert" env:"GALLA_TLS_CERT" help:"PEM file of that central's certificate, if the address begins with https://."`
}

// ask prints a running central's readiness; the error says that it is not ready. It
// replaces curl in containers that have none.
func (h *healthCommand) ask(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, healthWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.AdminAddr.URL()+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("the admin address %q: %w", h.AdminAddr, err)
	}
	certificate := ""
	if h.AdminAddr.Scheme() == "https" {
		certificate = h.TLSCert
	}
	client, err := keys.Client(certificate)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no central answers at %s (GALLA_ADMIN_ADDR): %w", h.AdminAddr.URL(), err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(out, io.LimitReader(resp.Body, maxHealth)); err != nil {
		return fmt.Errorf("read the central's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the central at %s is not ready for requests: HTTP %d", h.AdminAddr.URL(), resp.StatusCode)
	}
	return nil
}
