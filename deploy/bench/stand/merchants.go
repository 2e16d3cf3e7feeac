//go:build linux

package stand

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/mattn/go-sqlite3"

	"galla/deploy/bench/rows"
)

// The sandbox's merchant whose rows are copied (sandbox.md, section 2).
const (
	firstMerchant = "c0000000-0000-4000-8000-000000000001"
	firstClient   = "merchant-lakshmi"
	firstSecret   = "sandbox-merchant-1"
)

// Database opens the central's database, beside the central. Its users close it.
func (s *Stand) Database() (*sql.DB, rows.Dialect, error) {
	if s.Server != nil {
		db, err := sql.Open("pgx", s.Server.URL("postgres"))
		return db, rows.PostgreSQL, err
	}
	db, err := sql.Open("sqlite3", "file:"+s.DatabaseFile()+"?_busy_timeout=10000&_foreign_keys=1&_synchronous=OFF")
	return db, rows.SQLite, err
}

// DatabaseFile is the file of an SQLite database.
func (s *Stand) DatabaseFile() string { return filepath.Join(s.cfg.Folder, "central", "central.db") }

// CopyDatabase copies the central's database for a raw program. It gives the copy's file or
// URL, and the copy, which its users close.
func (s *Stand) CopyDatabase(ctx context.Context) (name string, copied *sql.DB, d rows.Dialect, err error) {
	if s.Server != nil {
		name, copied, err = s.copyPostgres(ctx)
		return name, copied, rows.PostgreSQL, err
	}
	name, copied, err = s.copySQLite(ctx)
	return name, copied, rows.SQLite, err
}

func (s *Stand) copySQLite(ctx context.Context) (string, *sql.DB, error) {
	db, _, err := s.Database()
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = db.Close() }()
	s.copies++
	name := filepath.Join(s.cfg.Folder, fmt.Sprintf("raw-%d.db", s.copies))
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", name); err != nil {
		return "", nil, err
	}
	copied, err := sql.Open("sqlite3", "file:"+name+"?_busy_timeout=10000&_foreign_keys=1")
	return name, copied, err
}

// copyPostgres stops the central meanwhile: a database is copied only while nobody uses it.
func (s *Stand) copyPostgres(ctx context.Context) (string, *sql.DB, error) {
	if err := s.Stop(); err != nil {
		return "", nil, err
	}
	other, err := sql.Open("pgx", s.Server.URL("template1"))
	if err != nil {
		return "", nil, err
	}
	s.copies++
	database := fmt.Sprintf("raw%d", s.copies)
	_, err = other.ExecContext(ctx, "CREATE DATABASE "+database+" TEMPLATE postgres")
	if err := errors.Join(err, other.Close()); err != nil {
		return "", nil, err
	}
	if err := s.Start(ctx); err != nil {
		return "", nil, err
	}
	name := s.Server.URL(database)
	copied, err := sql.Open("pgx", name)
	return name, copied, err
}

// addMerchants copies the first merchant.
func (s *Stand) addMerchants(ctx context.Context) error {
	s.clients = []credentials{{firstMerchant, firstClient, firstSecret}}
	return s.InTx(ctx, func(tx *sql.Tx, dialect rows.Dialect) error { return s.copyMerchants(ctx, tx, dialect) })
}

func (s *Stand) copyMerchants(ctx context.Context, tx *sql.Tx, dialect rows.Dialect) error {
	for n := 1; n < s.cfg.Merchants; n++ {
		c := credentials{fmt.Sprintf("c0000000-0000-4000-8000-%012d", 1000+n), fmt.Sprintf("bench-%03d", n), firstSecret}
		err := errors.Join(
			rows.Copy(ctx, tx, dialect, "merchants", "id", firstMerchant, map[string]any{
				"id": c.merchant, "mid": fmt.Sprintf("GAL1%06d", n), "tid": fmt.Sprintf("GAL1%04d", n), "mobile": fmt.Sprintf("98%08d", n)}),
			rows.Copy(ctx, tx, dialect, "service_kyc", "merchant", firstMerchant, map[string]any{"merchant": c.merchant}),
			rows.Copy(ctx, tx, dialect, "clients", "id", firstClient, map[string]any{"id": c.client, "merchant": c.merchant}),
		)
		if err != nil {
			return fmt.Errorf("copy the sandbox's merchant: %w", err)
		}
		s.clients = append(s.clients, c)
	}
	return nil
}

// InTx changes the central's database in one transaction.
func (s *Stand) InTx(ctx context.Context, change func(*sql.Tx, rows.Dialect) error) error {
	db, dialect, err := s.Database()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := change(tx, dialect); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
