//go:build linux

package stand

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"

	"galla/deploy/test/finger"
	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// The sandbox's customer whose finger is on the reader (sandbox.md, section 3), and the bank.
const (
	customer     = "999941057058"
	customerBank = "990326"
)

// Withdrawal is the body of a withdrawal of 100 rupees with a capture of the simulated reader.
// The central can't open it, and the cheap bank does not, so all requests may have the same.
func (s *Stand) Withdrawal(ctx context.Context) (string, error) {
	pid, err := s.capture(ctx)
	if err != nil {
		return "", fmt.Errorf("capture a finger: %w", err)
	}
	body, err := json.Marshal(map[string]any{
		"AadharNo": customer, "TxnAmount": json.Number("100.00"), "Latitude": "18.5204", "Longitude": "73.8567",
		"CustomerName": "Customer", "BankName": customerBank, "PidData": pid,
	})
	return string(body), err
}

func (s *Stand) capture(ctx context.Context) (string, error) {
	authority, _, err := rdcrypto.EnsureAuthority(s.cfg.Folder+"/authority", rand.Reader)
	if err != nil {
		return "", err
	}
	device, err := rdsim.New(authority, rand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{})
	if err != nil {
		return "", err
	}
	srv := httptest.NewServer(device)
	defer srv.Close()
	pid, err := finger.Capture(ctx, srv.URL, customer, rdservice.Options{})
	return pid.Reveal(), err
}
