package sqlite

import (
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"

	"galla/central"
)

// Explain adds to an error of SQLite what it means and what to do. SQLite's texts name columns
// and constraints, never values.
func Explain(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case sqlite3.ErrFull:
		// SQLite has rolled the transaction back.
		return fmt.Errorf("the disk is full: free space on the database's volume (%w): %w", central.ErrBusy, err)
	case sqlite3.ErrIoErr:
		return fmt.Errorf("the disk fails: check the database's volume and its free space: %w", err)
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("another program holds the database's lock (%w): %w", err, central.ErrBusy)
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return fmt.Errorf("the database file is damaged or not a database: move it aside and restore a backup: %w", err)
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen:
		return fmt.Errorf("the database file, its folder or its log cannot be opened for writing: check permissions: %w", err)
	case sqlite3.ErrConstraint:
		return explainConstraint(e, err)
	}
	return err
}

func explainConstraint(e sqlite3.Error, err error) error {
	switch e.ExtendedCode {
	case sqlite3.ErrConstraintForeignKey:
		return fmt.Errorf("it names a merchant, terminal or other record that does not exist: %w", err)
	case sqlite3.ErrConstraintPrimaryKey, sqlite3.ErrConstraintUnique:
		return fmt.Errorf("there is such a record already: %w", err)
	default:
		return fmt.Errorf("the record breaks a rule of the schema: %w", err)
	}
}
