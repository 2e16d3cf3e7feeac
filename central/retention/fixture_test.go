package retention_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/central"
	"galla/central/store"
	"galla/central/store/pgtest"
	"galla/shared/op"
)

var background = context.Background()

const (
	merchant = central.MerchantID("c0000000-0000-4000-8000-00000000000c")
	caller   = "merchant:" + string(merchant)
	// canary must not be in any archive or short reply.
	canary = "Meera Nair 9500.00"
)

var template = pgtest.Template{Fill: func(url string) error {
	s, err := store.OpenPostgres(background, url, settings())
	if err != nil {
		return err
	}
	return errors.Join(seed(s), s.Close())
}}

func TestMain(m *testing.M) {
	code := pgtest.Main(m.Run, &template)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func settings() store.Config {
	return store.Config{Node: "node-a", Logger: slog.New(slog.DiscardHandler)}
}

func seed(s *store.DB) error {
	return s.Seed(background, store.Seed{Merchants: []central.Merchant{
		{ID: merchant, LegalName: "Test Store", Status: central.MerchantApproved, HasInfo: true, AEPSReady: true, TID: "GAL00001", Active: true},
	}})
}

// onBoth runs a test on a new store of each database.
func onBoth(t *testing.T, test func(t *testing.T, s *store.DB)) {
	for _, on := range []string{"SQLite", "PostgreSQL"} {
		t.Run(on, func(t *testing.T) {
			var s *store.DB
			var err error
			if on == "PostgreSQL" {
				s, err = store.OpenPostgres(background, template.Database(t), settings())
			} else {
				s, err = store.OpenSQLite(background, filepath.Join(t.TempDir(), "central.db"), settings())
				if err == nil {
					err = seed(s)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
}

var serial atomic.Int64

// idAt returns a UUIDv7 of a time.
func idAt(at time.Time) string {
	ms := fmt.Sprintf("%012x", at.UnixMilli())
	return fmt.Sprintf("%s-%s-7000-8000-%012d", ms[:8], ms[8:], serial.Add(1))
}

// finished creates a withdrawal and finishes it at a time.
func finished(t *testing.T, s *store.DB, at time.Time) central.Operation {
	t.Helper()
	id := op.ID(idAt(at))
	_, isNew, err := s.Create(background, central.Operation{
		ID: id, Caller: caller, Identity: string(id), Party: caller, CallerRef: "ref " + string(id), Route: op.Withdrawal, Fingerprint: sha256.Sum256([]byte(id)),
		Merchant: merchant, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 500_00, Aadhaar: "XXXXXXXX7058", IIN: "990326",
		Reference: central.Reference("GL" + strings.ReplaceAll(string(id), "-", "")), STAN: "000001", State: op.Received, Node: "node-a", CreatedAt: at,
	}, nil)
	if err != nil || !isNew {
		t.Fatal(isNew, err)
	}
	if err := s.MarkSent(background, central.SentUpdate{ID: id, At: at, BankNotAfter: at.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Finish(background, central.FinalOutcome{ID: id, To: op.Succeeded, At: at, Reason: "the bank answered 123456789012",
		Answer: central.BankAnswer{Code: "00", RRN: "612309000042"}, HTTP: 200,
		Reply: []byte(`{"statusCode":"00","message":"ok","data":{"ResponseCode":"00","txnStatus":"SUCCESS","ReferenceNo":"612309000042","Ministatement":"` + canary + `"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}
