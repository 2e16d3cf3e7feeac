package books

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/seal"
	"galla/shared/secret"
)

// defaultCeiling is what a customer may be debited a day (sandbox.md).
const defaultCeiling = 1_00_000 * money.Rupee

// maxTimeScale keeps scenario times within hours.
const maxTimeScale = 1000

// Config sets up Books.
type Config struct {
	// Dir holds the books and the key to their records; it is made with mode
	// 0700.
	Dir string
	// AuthorityKey and AuthorityCert are the pair under which devices seal PID
	// blocks.
	AuthorityKey  *rsa.PrivateKey
	AuthorityCert *x509.Certificate
	// TimeScale multiplies the waits of the scenarios; 0 means 1, at most 1000.
	TimeScale float64
	// Customers are opened where the books do not have them; nil means
	// Residents.
	Customers []Customer
	// DailyCeiling is what a customer may be debited on an Indian day; 0 means
	// ₹1,00,000.
	DailyCeiling money.Paise
	// Rand feeds authorisation codes and the records' key. One goroutine reads
	// it at a time.
	Rand   io.Reader
	Logger *slog.Logger
}

// Books are the sandbox bank's books. Methods are safe for concurrent use.
type Books struct {
	cfg     Config
	log     *slog.Logger
	records secret.Key // makes the HMACs of Aadhaar numbers and PID blocks
	db      *database
	wake    chan struct{} // says that something new is due some day
}

// Open opens the books in Config.Dir, or makes them with the customers' opening
// balances. Its error names every fault of the configuration, and what is wrong
// with the files. Close ends them.
func Open(ctx context.Context, cfg Config) (*Books, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the books: %w", err)
	}
	db, err := openDatabase(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Rand = &lockedReader{r: cfg.Rand}
	b := &Books{cfg: cfg, log: cfg.Logger, db: db, wake: make(chan struct{}, 1)}
	if err := b.open(ctx); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return b, nil
}

func (c Config) withDefaults() (Config, error) {
	var faults []error
	missing := func(is bool, name string) {
		if is {
			faults = append(faults, fmt.Errorf("the %s is missing", name))
		}
	}
	missing(c.Dir == "", "folder of the books")
	missing(c.AuthorityKey == nil, "AuthorityKey")
	missing(c.AuthorityCert == nil, "AuthorityCert")
	missing(c.Rand == nil, "Rand")
	missing(c.Logger == nil, "Logger")
	if c.TimeScale == 0 {
		c.TimeScale = 1
	}
	if !(c.TimeScale > 0 && c.TimeScale <= maxTimeScale) { // refuses NaN, too
		faults = append(faults, fmt.Errorf("the TimeScale %v must be above 0 and at most %d", c.TimeScale, maxTimeScale))
	}
	if c.DailyCeiling == 0 {
		c.DailyCeiling = defaultCeiling
	}
	if c.DailyCeiling < 0 {
		faults = append(faults, fmt.Errorf("the DailyCeiling %s must not be negative", c.DailyCeiling))
	}
	if c.Customers == nil {
		residents, err := Residents()
		if err != nil {
			faults = append(faults, err)
		}
		c.Customers = residents
	}
	return c, errors.Join(faults...)
}

// open reads the records' key, opens the accounts that are missing, and checks
// that the books balance.
func (b *Books) open(ctx context.Context) error {
	path := filepath.Join(b.cfg.Dir, recordsFile)
	var check []byte
	made, err := b.db.committed(ctx).row("read the books' cover", `SELECT key_check FROM books`, nil, &check)
	if err != nil {
		return err
	}
	if made {
		b.records, err = seal.ReadKeyFile(path)
	} else {
		b.records, err = seal.EnsureKeyFile(path, b.cfg.Rand)
	}
	if err != nil {
		return fmt.Errorf("key of the books' records: %w", err)
	}
	if made && !bytes.Equal(check, b.keyCheck()) {
		return fmt.Errorf("%s is not the key of the books beside it: restore the one that was there, or remove the whole folder to begin new books", path)
	}
	if err := b.db.commit(ctx, func(k ledger) error { return b.openAccounts(k, made) }); err != nil {
		return fmt.Errorf("open the accounts: %w", err)
	}
	trial, err := b.Trial(ctx)
	if err != nil {
		return err
	}
	if trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		return fmt.Errorf("the books do not balance: debits %s, credits %s, entries %s; the file was damaged, restore it or remove the folder",
			trial.Debits, trial.Credits, trial.Entries)
	}
	return nil
}

// Close ends the use of the books; nobody may use them any more.
func (b *Books) Close() error {
	if err := b.db.close(); err != nil {
		return fmt.Errorf("close the books: %w", err)
	}
	return nil
}

// Customers are those that the configuration opened.
func (b *Books) Customers() []Customer { return b.cfg.Customers }

// Rand is the books' source of randomness, for package services. It may be
// read by several goroutines at once.
func (b *Books) Rand() io.Reader { return b.cfg.Rand }

// lockedReader lets one goroutine read at a time.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}

// scaled is a scenario's time on this bank's clock.
func (b *Books) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * b.cfg.TimeScale)
}

// day names the Indian day of a moment.
func day(at time.Time) string { return string(ist.DayOf(at)) }
