// Package admincli has the commands that manage a central's records on its database,
// while centrals may be running on it: operations, reconciliation, callbacks, clients,
// vendors' keys, staff, archive, backup and restore. Running centrals read the changes
// from the database; no command talks to them.
//
// Each command is a type that is opened with a Config, prints to an io.Writer, and is
// closed. Secrets are printed only where they are made, once.
//
// Changes of money or access are in the staff's audit log before and after they are made,
// under the machine's account. Steps of cases need a member of the staff who signs in as at
// the console (Reconciliation.SignIn). The log is no protection against somebody who can
// read the database and the keys: such a person needs no command.
package admincli

import (
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"galla/central/keys"
	"galla/central/retention"
	"galla/central/store"
	"galla/shared/secret"
)

// Config says where a central's database and keys are.
type Config struct {
	Data string // folder; the database and the keys lie in central/ and keys/ below it
	Node string // name of the node that records carry

	// DatabaseURL is a PostgreSQL database, by its URL or a list of key=value;
	// empty: SQLite in the data folder.
	DatabaseURL secret.Token
	// VendorMasterKeys, if given, replace the files keys/vendor-master*.key.
	VendorMasterKeys []secret.Key
	// Archive is the folder of archived bodies; default archive in Data.
	Archive string
	// BodyRetention is how long bodies stay in the database after an operation has
	// finished; default 180 days, at least 30.
	BodyRetention time.Duration
	// Account is who runs the command on the machine, such as root@server, for the
	// audit log; empty: unknown.
	Account string
	// JSON prints records as JSON, for programs, where a command can.
	JSON bool
	// Sandbox lets callbacks go to private addresses.
	Sandbox bool

	Rand   io.Reader
	Logger *slog.Logger
}

// Database is the path of the SQLite database.
func (c Config) Database() string { return filepath.Join(c.Data, "central", "central.db") }

// LocalNameFolder has the console's name on this machine (package localname).
func (c Config) LocalNameFolder() string { return filepath.Join(c.Data, "central") }

// keyConfig says where the keys are. A command makes none.
func (c Config) keyConfig() keys.Config {
	return keys.Config{Folder: filepath.Join(c.Data, "keys"), VendorMasters: c.VendorMasterKeys, Rand: c.Rand}
}

// ArchiveFolder is the folder of archived bodies.
func (c Config) ArchiveFolder() string {
	if c.Archive != "" {
		return c.Archive
	}
	return filepath.Join(c.Data, "archive")
}

// Archiver makes the archiver of a central.
func (c Config) Archiver(db *store.DB) (*retention.Archiver, error) {
	return retention.NewArchiver(db, retention.ArchiverConfig{Folder: c.ArchiveFolder(), KeepFor: c.BodyRetention, Node: c.Node, Logger: c.Logger})
}
