package books

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

func TestMain(m *testing.M) {
	// Each check of the walk opens files and syncs them; -rapid.checks asks for
	// more.
	if err := flag.Set("rapid.checks", "15"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const resident = "999941057058"

// testConfig is for books in a folder of the test. The tests here make up what
// a PID block holds; those of simbank open real ones.
func testConfig(t testing.TB) Config {
	t.Helper()
	return Config{
		Dir: t.TempDir(), AuthorityKey: &rsa.PrivateKey{}, AuthorityCert: &x509.Certificate{},
		Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	}
}

func openBooks(t testing.TB, cfg Config) *Books {
	t.Helper()
	b, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func aadhaarOf(t interface{ Fatal(...any) }, s string) secret.Aadhaar {
	a, err := secret.ParseAadhaar(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// withdraw books a withdrawal with a PID block that is in order.
func withdraw(t testing.TB, b *Books, reference string, amount money.Paise) network.Answer {
	t.Helper()
	tx := network.Transaction{
		Reference: reference, STAN: "000001", Kind: network.Withdrawal, NotAfter: time.Now().Add(time.Minute), MID: "M1", TID: "T1", IIN: "990326",
		Amount: amount, Aadhaar: aadhaarOf(t, resident),
	}
	a, _, err := b.executeAEPS(t.Context(), tx, openedPID{taken: time.Now(), matches: true, hmac: b.mac("pid", []byte(reference))}, scenarioOf(tx))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestSchemaRefuses: the books hold their rules by themselves, whatever the
// code does.
func TestSchemaRefuses(t *testing.T) {
	cfg := testConfig(t)
	b := openBooks(t, cfg)
	if a := withdraw(t, b, "A1", 500_00); a.Code != codeApproved {
		t.Fatalf("%+v", a)
	}
	if a := withdraw(t, b, "A2", 500_93); a.Code != codePending {
		t.Fatalf("%+v", a)
	}
	for statement, want := range map[string]string{
		`UPDATE entries SET amount_paise = 1`: "never changed",
		`DELETE FROM entries`:                 "never deleted",
		`DELETE FROM transactions`:            "never deleted",
		`UPDATE transactions SET state = 'DECLINED', code = '05' WHERE reference = 'A1'`:                                                                    "only a LOST or DEFERRED",
		`UPDATE transactions SET amount_paise = 1 WHERE reference = 'A2'`:                                                                                   "only a LOST or DEFERRED",
		`UPDATE transactions SET state = 'APPROVED', final_state = NULL, code = '00', due_at = NULL, settled_at = 1 WHERE reference = 'A2'`:                 "only a LOST or DEFERRED",
		`INSERT INTO entries (purpose, debit_account, credit_account, amount_paise, narration, at) VALUES ('OPENING', 3, 3, 1, 'X', 1)`:                     "two_accounts",
		`INSERT INTO entries (purpose, debit_account, credit_account, amount_paise, narration, at) VALUES ('OPENING', 3, 2, 99999999, 'X', 1)`:              "customer_not_overdrawn",
		`INSERT INTO entries (purpose, debit_account, credit_account, amount_paise, narration, at) VALUES ('OPENING', 1, 2, 0, 'X', 1)`:                     "amount_paise > 0",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'DEBIT', 3, 2, 1, 'X', 1)`:    "UNIQUE",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'REVERSAL', 2, 3, 1, 'X', 1)`: "mirrors",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (9, 'DEBIT', 3, 2, 1, 'X', 1)`:    "FOREIGN KEY",
		`UPDATE daily_debits SET paise = -1`: "CHECK",
	} {
		err := b.db.commit(t.Context(), func(k ledger) error { return k.exec("try", statement) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %q", statement, err, want)
		}
	}
	trial, err := b.Trial(t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		t.Errorf("trial %+v, %v", trial, err)
	}
}

// TestResolveNeedsNoQuestion: nobody asks, and it is done in time.
func TestResolveNeedsNoQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := testConfig(t)
		b := openBooks(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var resolver sync.WaitGroup
		resolver.Go(func() { b.Resolve(ctx) })
		defer func() { cancel(); resolver.Wait() }()
		for ref, amount := range map[string]money.Paise{"A93": 100_93, "A94": 100_94, "A98": 100_98} {
			withdraw(t, b, ref, amount)
		}
		want := func(after time.Duration, states ...state) {
			time.Sleep(after)
			synctest.Wait()
			for i, ref := range []string{"A93", "A94", "A98"} {
				if r, ok, err := b.db.committed(t.Context()).recordOf(ref); err != nil || !ok || r.state != states[i] {
					t.Errorf("%s is %s, %v; want %s", ref, r.state, err, states[i])
				}
			}
		}
		want(9*time.Second, deferred, deferred, lost)
		want(time.Second, reversed, approved, lost)
		want(50*time.Second, reversed, approved, abandoned)
	})
}

func TestBooksAndTheirKeyBelongTogether(t *testing.T) {
	cfg := testConfig(t)
	b, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.Dir, recordsFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, bytes.Repeat([]byte("ab"), 32), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "not the key of the books") {
		t.Errorf("another key: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "key of the books") {
		t.Errorf("no key: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a new key was made for old books")
	}
}

func TestDamagedBooksAreNotOpened(t *testing.T) {
	cfg := testConfig(t)
	if err := os.WriteFile(filepath.Join(cfg.Dir, booksFile), []byte("this is no database, and long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), booksFile) {
		t.Errorf("error %v, want one that names the file", err)
	}
	// An account whose total does not follow from its entries.
	cfg = testConfig(t)
	b, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	err = b.db.commit(t.Context(), func(k ledger) error {
		return k.exec("damage", `UPDATE accounts SET credits_paise = credits_paise + 1 WHERE code = 'customer.1'`)
	})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "do not balance") {
		t.Errorf("error %v, want that the books do not balance", err)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	_, err := Open(t.Context(), Config{TimeScale: -1, DailyCeiling: -1})
	for _, want := range []string{"folder", "AuthorityKey", "AuthorityCert", "Rand", "Logger", "TimeScale", "DailyCeiling"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}

// TestNamesOfFiles: folders have all kinds of names.
func TestNamesOfFiles(t *testing.T) {
	cfg := testConfig(t)
	cfg.Dir = filepath.Join(cfg.Dir, "a b?c#d%20e", "é")
	openBooks(t, cfg)
	if _, err := os.Stat(filepath.Join(cfg.Dir, booksFile)); err != nil {
		t.Error(err)
	}
}

func TestRRN(t *testing.T) {
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC) // the 22nd in India, day 326
	if got := rrn(at, 42); got != "632600000042" {
		t.Errorf("rrn = %s", got)
	}
	if got := rrn(at, 123456789012); len(got) != 12 {
		t.Errorf("rrn = %s", got)
	}
}

// BenchmarkBook is the books' part of a withdrawal, on disk, of one caller and of many.
func BenchmarkBook(b *testing.B) {
	kept := openBooks(b, testConfig(b))
	var n atomic.Int64
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			withdraw(b, kept, fmt.Sprintf("B%d", n.Add(1)), 1)
		}
	})
	b.Run("together", func(b *testing.B) {
		b.SetParallelism(16)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				withdraw(b, kept, fmt.Sprintf("B%d", n.Add(1)), 1)
			}
		})
	})
}
