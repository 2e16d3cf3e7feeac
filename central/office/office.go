// Package office is what an operator does to a central's records from a command
// line, on the database of a central that may be running: look at operations
// (Evidence), reconcile a day with the bank (Settlement), manage callbacks and
// vendors' keys, archive and purge, back up and put back. What it changes, the
// running centrals read; it talks to none of them.
//
// Each part is opened with a Config, writes for people to an io.Writer, and is
// closed. Nothing secret is written but what is minted, once.
//
// What changes the fate of money or who has access is in the trail of the
// console's people before it is done, and again with what came of it: by which
// account of the machine, and where a case is decided, by which person, who has
// signed in with password and code as at the console (Settlement.SignIn). Whoever
// may read the database and the keys needs no command: the trail tells what honest
// people did.
package office

import (
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"galla/central/credential"
	"galla/central/keep"
	"galla/central/store"
	"galla/shared/secret"
)

// Config says where a central's records and keys are.
type Config struct {
	Data string // folder; the database and the keys lie in central/ and keys/ below it
	Node string // name of who works on the database

	// DatabaseURL is a PostgreSQL database, by its URL or a list of key=value;
	// empty: SQLite in the data folder.
	DatabaseURL secret.Token
	// VendorMasterKeys, if given, take the place of the files
	// keys/vendor-master*.key.
	VendorMasterKeys []secret.Key
	// Archive is the folder that bodies are archived in; default archive in Data.
	Archive string
	// KeepBodies is how long bodies stay in the database after an operation's
	// end; default 180 days, at least 30.
	KeepBodies time.Duration
	// Account is who runs the command on the machine, such as root@desk, for the
	// trail; empty: nobody knows.
	Account string
	// Sandbox lets callbacks go to private addresses.
	Sandbox bool

	Rand   io.Reader
	Logger *slog.Logger
}

// Database is the SQLite database's file.
func (c Config) Database() string { return filepath.Join(c.Data, "central", "central.db") }

// NameFolder is where the console's own name on this machine is kept (package
// localname).
func (c Config) NameFolder() string { return filepath.Join(c.Data, "central") }

// credentials says where the keys are. A command makes none: the central that has
// the database has them.
func (c Config) credentials() credential.Config {
	return credential.Config{Folder: filepath.Join(c.Data, "keys"), VendorMasters: c.VendorMasterKeys, Rand: c.Rand}
}

// ArchiveFolder is the folder that bodies are archived in.
func (c Config) ArchiveFolder() string {
	if c.Archive != "" {
		return c.Archive
	}
	return filepath.Join(c.Data, "archive")
}

// Archiver makes the archive of a central.
func (c Config) Archiver(db *store.DB) (*keep.Archiver, error) {
	return keep.NewArchiver(db, keep.ArchiverConfig{Folder: c.ArchiveFolder(), Kept: c.KeepBodies, Node: c.Node, Logger: c.Logger})
}
