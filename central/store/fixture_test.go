package store

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"galla/central"
	"galla/shared/op"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashChild); path != "" {
		writeUntilKilled(path)
	}
	// Each check of the walk opens files and syncs them; -rapid.checks asks for
	// more.
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// t0 has a fraction of a millisecond, which no database keeps.
var t0 = time.Date(2026, 11, 21, 10, 30, 0, 123_456_789, time.UTC)

// Parties that every store under test is seeded with.
const (
	aggregator1 central.AggregatorID = "a0000000-0000-4000-8000-00000000000a"
	vendor1     central.VendorID     = "b0000000-0000-4000-8000-00000000000b"
	vendor2     central.VendorID     = "b0000000-0000-4000-8000-00000000000c" // without aggregator
	merchant1   central.MerchantID   = "c0000000-0000-4000-8000-00000000000c"
	merchant2   central.MerchantID   = "c0000000-0000-4000-8000-00000000000d"
	merchant3   central.MerchantID   = "c0000000-0000-4000-8000-00000000000f"
	merchant4   central.MerchantID   = "c0000000-0000-4000-8000-000000000010"
)

// argon is a hash in the PHC form; nothing here verifies it.
const argon = "$argon2id$v=19$m=65536,t=1,p=2$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA"

func testSeed() Seed {
	return Seed{
		Aggregators: []Aggregator{{ID: aggregator1, LegalName: "Test Aggregator"}},
		Vendors: []central.Vendor{
			{ID: vendor1, LegalName: "Test Vendor", Aggregator: aggregator1, Active: true},
			{ID: vendor2, LegalName: "Without Aggregator"},
		},
		Merchants: []central.Merchant{
			{ID: merchant1, MID: "TST0000001", LegalName: "Test Store", Vendor: vendor1, Status: central.MerchantApproved,
				HasInfo: true, AEPSReady: true, TID: "GAL00001", Mobile: "9000000001", CreatedAt: t0,
				AppID: "APP0000001", RiskFlag: 2, Active: true, VPA: "test.store@galla", MCC: "5411",
				Settlement: &central.SettlementAccount{AccountLast4: "0042", IFSC: "TEST0000001", BankName: "Test Bank", Holder: "Test Store"},
				Callback:   &central.Callback{URL: "https://shop.example/events", Events: []string{"operation.settled", "terminal.enrolled"}}},
			// Its number is in the way of the terminals' counter.
			{ID: merchant2, MID: "TST0000002", LegalName: "Other Store", Vendor: vendor1, Status: central.MerchantPending,
				TID: "GAL00102", Mobile: "9000000002", CreatedAt: t0},
			{ID: "c0000000-0000-4000-8000-00000000000e", LegalName: "Bare Store", Status: central.MerchantRejected, CreatedAt: t0},
			{ID: merchant3, MID: "TST0000003", LegalName: "Third Store", Vendor: vendor1, Status: central.MerchantSuspended, HasInfo: true,
				CreatedAt: t0.Add(-time.Hour), Callback: &central.Callback{URL: "https://third.example"}},
			{ID: merchant4, MID: "TST0000004", LegalName: "Fourth Store", Vendor: vendor2, Status: central.MerchantApproved, Active: true, CreatedAt: t0},
		},
		KYC: []central.ServiceKYC{{Merchant: merchant1, Service: central.ServiceAEPS, State: central.KYCApproved, CreatedAt: t0}},
		Clients: []central.Client{
			{ID: "merchant-test", SecretHash: argon, Principal: central.Principal{Role: op.Merchant, Merchant: merchant1}, Active: true},
			{ID: "vendor-test", SecretHash: argon, Principal: central.Principal{Role: op.Vendor, Vendor: vendor1}, Active: true},
			{ID: "agg-test", SecretHash: argon, Principal: central.Principal{Role: op.Aggregator, Aggregator: aggregator1}},
		},
	}
}

const testNode = "node-a"

func testConfig() Config {
	return Config{Node: testNode, Logger: slog.New(slog.DiscardHandler)}
}

// openAt opens a store in a file and closes it with the test.
func openAt(t testing.TB, path string, cfg Config) *DB {
	t.Helper()
	s, err := OpenSQLite(context.Background(), path, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// openSeeded opens a new store with the test's parties.
func openSeeded(t testing.TB, cfg Config) *DB {
	t.Helper()
	s := openAt(t, filepath.Join(t.TempDir(), "central.db"), cfg)
	if err := s.Seed(context.Background(), testSeed()); err != nil {
		t.Fatal(err)
	}
	return s
}

var serial atomic.Int64

// newID gives ids that no test shares and that sort in the order of their
// making.
func newID() op.ID {
	return op.ID(fmt.Sprintf("0193519c-0000-7000-8000-%012d", serial.Add(1)))
}

// newOperation gives a withdrawal of merchant1 with an identity and a reference of
// its own.
func newOperation() central.Operation {
	id := newID()
	return central.Operation{
		ID: id, Caller: "merchant:" + string(merchant1), Identity: "ref-" + string(id[24:]), Route: op.Withdrawal,
		Fingerprint: sha256.Sum256([]byte(id)), Merchant: merchant1, TID: "GAL00001",
		Kind: central.KindWithdrawal, Amount: 500_00, Aadhaar: "XXXXXXXX7058", IIN: "990326",
		Reference: central.Reference("GL261121" + id[26:]), STAN: "000001",
		State: op.Received, Node: testNode, NotAfter: t0.Add(90 * time.Second), CreatedAt: t0,
	}
}
