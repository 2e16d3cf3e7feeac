package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"galla/central/bank/simbank"
	"galla/shared/settings"
)

// Bounds of reading a settlement file.
const (
	// maxSettlement is more than the size of a file of books.MaxSettled lines, in bytes.
	maxSettlement = 64 << 20
	// settlementWait bounds the bank's time to write it.
	settlementWait = 2 * time.Minute
	// maxRefusal bounds the text of a refusal, in bytes.
	maxRefusal = 4 << 10
)

type settlementCommand struct {
	Date string `required:"" help:"The day in India, such as 2026-11-21."`
	With string `help:"Plant differences, each in a line of its own: missing-here,missing-at-bank,amount-differs,outcome-differs. The standard error lists what was planted."`
	Out  string `help:"The file to write; by default the standard output."`
}

// write fetches the file from the running bank, and writes it.
func (s settlementCommand) write(ctx context.Context, bank settings.Address, out, notes io.Writer) error {
	query := url.Values{"date": {s.Date}}
	if s.With != "" {
		query.Set("with", s.With)
	}
	ctx, cancel := context.WithTimeout(ctx, settlementWait)
	defer cancel()
	text, planted, err := fetchSettlement(ctx, bank.URL()+"/books/settlement?"+query.Encode())
	if err != nil {
		return err
	}
	if planted != "" {
		fmt.Fprintln(notes, "planted:", strings.ReplaceAll(planted, ",", ", "))
	}
	if s.Out == "" {
		_, err := out.Write(text)
		return err
	}
	if err := os.WriteFile(s.Out, text, 0o600); err != nil {
		return fmt.Errorf("write the settlement file: %w", err)
	}
	return nil
}

// fetchSettlement reads the whole file; planted lists the planted differences.
func fetchSettlement(ctx context.Context, address string) (text []byte, planted string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, "", err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, "", fmt.Errorf("ask the bank for its settlement file (it must be running; GALLA_BANK_ADDR names its public address): %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
		return nil, "", fmt.Errorf("the bank does not write the file: HTTP %d %s", resp.StatusCode, bytes.TrimSpace(why))
	}
	text, err = io.ReadAll(io.LimitReader(resp.Body, maxSettlement+1))
	if err != nil {
		return nil, "", fmt.Errorf("read the settlement file: %w", err)
	}
	if len(text) > maxSettlement {
		return nil, "", fmt.Errorf("the settlement file has more than %d bytes", maxSettlement)
	}
	return text, resp.Header.Get(simbank.PlantedHeader), nil
}
