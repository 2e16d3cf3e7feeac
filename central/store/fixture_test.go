package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"

	"galla/central"
	"galla/central/store/pgtest"
	"galla/central/store/sqlite"
	"galla/shared/op"
)

func TestMain(m *testing.M) {
	if place := os.Getenv(crashChild); place != "" {
		writeUntilKilled(place)
	}
	// Each check of the walk opens files and syncs them; -rapid.checks asks for
	// more.
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
	code := pgtest.Main(m.Run, &seeded)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// kind is a kind of database that the tests run on.
type kind string

const (
	onSQLite   kind = "SQLite"
	onPostgres kind = "PostgreSQL"
)

// seeded is a database of PostgreSQL with the parties of testSeed.
var seeded = pgtest.Template{Fill: func(url string) error {
	s, err := OpenPostgres(background, url, testConfig())
	if err != nil {
		return err
	}
	return errors.Join(s.Seed(background, testSeed()), s.Close())
}}

// onBoth runs a test on each kind of database.
func onBoth(t *testing.T, test func(t *testing.T, on kind)) {
	for _, on := range []kind{onSQLite, onPostgres} {
		t.Run(string(on), func(t *testing.T) { test(t, on) })
	}
}

// empty makes a place for a new database: the path of a file, or a URL.
func (k kind) empty(t testing.TB) string {
	t.Helper()
	if k == onPostgres {
		return pgtest.Database(t)
	}
	return filepath.Join(t.TempDir(), "central.db")
}

// seeded makes a database with the parties of testSeed.
func (k kind) seeded(t testing.TB) string {
	t.Helper()
	if k == onPostgres {
		return seeded.Database(t)
	}
	file, err := seededFile()
	if err != nil {
		t.Fatal(err)
	}
	place := k.empty(t)
	if err := os.WriteFile(place, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return place
}

// seededFile is a file of SQLite with the parties of testSeed: made once and
// copied for each test, that is quicker than migrating each.
var seededFile = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "galla-seeded")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	place := filepath.Join(folder, "central.db")
	s, err := openPlace(place, testConfig())
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.Seed(background, testSeed()), s.Close()); err != nil {
		return nil, err
	}
	if _, err := os.Stat(place + "-wal"); err == nil {
		return nil, errors.New("the closed database has left a journal, which a copy would miss")
	}
	return os.ReadFile(place)
})

// open opens a new store with the test's parties.
func (k kind) open(t testing.TB, cfg Config) *DB {
	t.Helper()
	return openAt(t, k.seeded(t), cfg)
}

// sql spells a statement that is written for SQLite: blobs, and zeroblob.
func (k kind) sql(statement string) string {
	if k == onSQLite {
		return statement
	}
	statement = regexp.MustCompile(`x'([0-9a-f]*)'`).ReplaceAllString(statement, `'\x$1'::bytea`)
	return regexp.MustCompile(`zeroblob\((\d+)\)`).ReplaceAllString(statement, `decode(repeat('00', $1), 'hex')`)
}

// raw opens a database past the store.
func (k kind) raw(t testing.TB, place string) *sql.DB {
	t.Helper()
	if k == onSQLite {
		return sqlite.Connect(place)
	}
	config, err := pgx.ParseConfig(place)
	if err != nil {
		t.Fatal(err)
	}
	return stdlib.OpenDB(*config)
}

// dialect is the database's.
func (k kind) dialect() dialect {
	if k == onSQLite {
		return sqliteDialect()
	}
	return postgresDialect()
}

// openPlace opens the database of a place.
func openPlace(place string, cfg Config) (*DB, error) {
	return openPlaceUntil(background, place, cfg)
}

func openPlaceUntil(ctx context.Context, place string, cfg Config) (*DB, error) {
	if strings.HasPrefix(place, "postgres://") {
		return OpenPostgres(ctx, place, cfg)
	}
	return OpenSQLite(ctx, place, cfg)
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
				Callback:   &central.Callback{URL: "https://shop.example/events", Events: []string{"operation.finished", "terminal.enrolled"}}},
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

// openAt opens the store of a place and closes it with the test.
func openAt(t testing.TB, place string, cfg Config) *DB {
	t.Helper()
	s, err := openPlace(place, cfg)
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

// openSeeded opens a new store in a file with the test's parties.
func openSeeded(t testing.TB, cfg Config) *DB {
	t.Helper()
	return onSQLite.open(t, cfg)
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
		Attempt: 1, State: op.Received, Node: testNode, NotAfter: t0.Add(90 * time.Second), CreatedAt: t0,
	}
}
