package simbank_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/rdservice/rdcrypto"
	"galla/shared/money"
	"galla/shared/secret"
)

// aTransaction is a withdrawal with a fresh capture.
func aTransaction(t testing.TB, reference string, amount money.Paise) network.Transaction {
	t.Helper()
	return network.Transaction{
		Reference: reference, STAN: "000001", Kind: network.Withdrawal, NotAfter: time.Now().Add(time.Minute), MID: "M1", TID: "T1", IIN: "990326",
		Amount: amount, Aadhaar: Aadhaar(t, shivshankar), PidData: TheKit().Capture(t, time.Now(), shivshankar, rdcrypto.RightIndex),
		Customer: "Shivshankar Choudhury",
	}
}

// TestNoSecretsInFilesOrLogs looks for what must not be there, in the files'
// bytes as they lie on the disk.
func TestNoSecretsInFilesOrLogs(t *testing.T) {
	var log bytes.Buffer
	cfg, _, _ := NewTestConfig(t)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b := Open(t, cfg)
	tx := aTransaction(t, "A1", 500_00)
	for range 2 {
		if _, _, err := b.Execute(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Executions(t.Context(), books.Filter{}); err != nil {
		t.Fatal(err)
	}
	data := log.Bytes()
	files, err := filepath.Glob(filepath.Join(cfg.DataDir, "books*"))
	if err != nil || len(files) == 0 {
		t.Fatal("the books have no files", err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, content...)
	}
	pid := tx.PidData.Reveal()
	sealed := pid[strings.Index(pid, `<Data type="X">`)+15:][:60]
	if !bytes.Contains(data, []byte("Shivshankar")) {
		t.Error("the search finds nothing that is there")
	}
	for _, secret := range []string{shivshankar, kumar, sealed, sealed[:20], string(NetworkKey().Reveal())} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("a secret of %d characters lies in a file or a log in the clear", len(secret))
		}
	}
}

func FuzzNetworkHandler(f *testing.F) {
	cfg, _, _ := NewTestConfig(f)
	b := Open(f, cfg)
	good, err := aTransaction(f, "F1", 100_00).Encode()
	if err != nil {
		f.Fatal(err)
	}
	transfer := network.Transaction{
		Reference: "F2", STAN: "000002", Kind: network.Transfer, NotAfter: time.Now().Add(time.Hour), MID: "GAL0000001", Amount: 100_00,
		OTP: secret.NewOTP("482915"), Particulars: network.Particulars{Sender: "S", Beneficiary: 1, Account: "0123456789", IFSC: "SBIN0000001"},
	}
	service, err := transfer.Encode()
	if err != nil {
		f.Fatal(err)
	}
	transfer.Kind, transfer.OTP = network.TransferOTP, secret.OTP{}
	consultation, err := transfer.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(byte(0), []byte(`{"reference":"F1"}`))
	f.Add(byte(1), good)
	f.Add(byte(1), service)
	f.Add(byte(2), consultation)
	f.Add(byte(3), []byte(`{"reference":"F3","from":1,"to":9000000000000,"after":"0","limit":500}`))
	f.Add(byte(3), []byte(`{"reference":"F3","payee":"a@b","tr":"x","limit":1}`))
	h := b.NetworkHandler()
	f.Fuzz(func(t *testing.T, which byte, body []byte) {
		path := []string{network.PathEnquiries, network.PathTransactions, network.PathConsultations, network.PathPayments}[which%4]
		ctx := t.Context()
		if path == network.PathTransactions {
			// The caller is gone, so that no scenario waits.
			gone, leave := context.WithCancel(ctx)
			leave()
			ctx = gone
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, bytes.NewReader(body))
		r.Header.Set(network.HeaderChecksum, network.RequestChecksum(cfg.NetworkKey, http.MethodPost, path, body))
		func() {
			defer func() {
				if p := recover(); p != nil && p != http.ErrAbortHandler {
					panic(p)
				}
			}()
			h.ServeHTTP(httptest.NewRecorder(), r)
		}()
		trial, err := b.Trial(t.Context())
		if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
			t.Fatalf("trial %+v, %v", trial, err)
		}
	})
}

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := New(t.Context(), Config{})
	for _, want := range []string{"NetworkKey", "ListenPublic", "ListenNetwork", "Logger"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}
