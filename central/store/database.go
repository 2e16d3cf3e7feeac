package store

import (
	"context"
	"fmt"

	"galla/central"
	"galla/central/accounts"
	"galla/central/jobs"
	"galla/central/payments"
	"galla/central/ratelimit"
	"galla/central/reconcile"
	"galla/central/recovery"
	"galla/central/reports"
	"galla/central/retention"
	"galla/central/staff"
	"galla/central/store/dbconn"
	"galla/central/store/postgres"
	"galla/central/transparency"
	"galla/central/webhook"
)

// DB is a store in one database, with one type for each area over one connection. It is
// safe for concurrent use.
type DB struct {
	*connection
	Operations
	Accounts
	Terminals
	Customers
	Commission
	Staff
	Reconciliation
	Webhooks
	Payments
	Retention
	Keys
	Jobs
	Log
	Reports
}

// The areas of the store.
type (
	// Operations are operations from record to final outcome, and agents' sessions.
	Operations struct{ *connection }
	// Accounts are aggregators, vendors, merchants and the credentials of programs.
	Accounts struct{ *connection }
	// Terminals are terminals with their enrolment codes, connections and events.
	Terminals struct{ *connection }
	// Customers are customers of the bank and business correspondents.
	Customers struct{ *connection }
	// Commission is slabs and earnings.
	Commission struct{ *connection }
	// Staff are the members of the console's staff, the audit log and documents.
	Staff struct{ *connection }
	// Reconciliation is settlement files and the cases of their comparison.
	Reconciliation struct{ *connection }
	// Webhooks are callbacks with their endpoints and secrets.
	Webhooks struct{ *connection }
	// Payments are payments by UPI and the QR codes that ask for them.
	Payments struct{ *connection }
	// Retention is archives, purges, backups and restorations.
	Retention struct{ *connection }
	// Keys are vendors' keys and accepted gateway messages.
	Keys struct{ *connection }
	// Jobs are scheduled jobs and rates.
	Jobs struct{ *connection }
	// Log is the log that shows when the past was rewritten.
	Log struct{ *connection }
	// Reports are figures of closed days, and the files that are written of them.
	Reports struct{ *connection }
)

var (
	_ central.Operations      = Operations{}
	_ central.EngineStore     = Operations{}
	_ central.Sessions        = Operations{}
	_ central.OperationFinder = Operations{}
	_ staff.OperationFinder   = Operations{}

	_ central.Directory   = Accounts{}
	_ central.Onboardings = Accounts{}

	_ central.Terminals         = Terminals{}
	_ central.Events            = Terminals{}
	_ accounts.PresenceStore    = Terminals{}
	_ accounts.TerminalKeyStore = Terminals{}

	_ accounts.Customers      = Customers{}
	_ accounts.Correspondents = Customers{}

	_ reconcile.FileStore      = Reconciliation{}
	_ reconcile.OperationStore = Reconciliation{}
	_ reconcile.CaseStore      = Reconciliation{}
	_ central.Decisions        = Reconciliation{}

	_ webhook.AdminStore  = Webhooks{}
	_ webhook.SecretStore = Webhooks{}

	_ payments.Store = Payments{}

	_ transparency.Store = Log{}

	_ retention.ArchiveStore    = Retention{}
	_ retention.Purger          = Retention{}
	_ recovery.RestorationStore = Retention{}

	_ central.VendorKeys       = Keys{}
	_ central.ReplayProtection = Keys{}

	_ reports.DayStore    = Reports{}
	_ reports.FigureStore = Reports{}
	_ reports.RunStore    = Reports{}

	_ jobs.Store        = Jobs{}
	_ ratelimit.Buckets = Jobs{}
)

// ForReports is the part of the store that sums up settlement files for reports.
func (s *DB) ForReports() reports.SettlementStore {
	return struct {
		Reports
		Reconciliation
	}{s.Reports, s.Reconciliation}
}

// ForStaff is the part of the store that package staff uses.
func (s *DB) ForStaff() staff.Store {
	return staff.Store{MemberStore: s.Staff, SessionStore: s.Staff, AttemptStore: s.Staff, AuditStore: s.Staff, ViewStore: s.Staff, Buckets: s.Jobs}
}

// ForAccounts is the part of the store that package accounts uses.
func (s *DB) ForAccounts() accounts.Store {
	return accounts.Store{
		Terminals: s.Terminals, Parties: s.Accounts, PartyChanges: s.Accounts, Clients: s.Accounts, FloatReadings: s.Accounts, Statistics: s.Accounts, HealthStore: s.Accounts, StoredDays: s.Accounts,
	}
}

func newDB(db dbconn.DB, d dialect, node string) *DB {
	s := &connection{db: db, dialect: d, node: node}
	return &DB{
		connection: s, Operations: Operations{s}, Accounts: Accounts{s}, Terminals: Terminals{s}, Customers: Customers{s}, Commission: Commission{s},
		Staff: Staff{s}, Reconciliation: Reconciliation{s}, Webhooks: Webhooks{s}, Payments: Payments{s}, Retention: Retention{s}, Keys: Keys{s}, Jobs: Jobs{s}, Log: Log{s}, Reports: Reports{s},
	}
}

// Name is the name of the database for people, without its password.
func (s *DB) Name() string { return s.db.Name() }

// Close accepts no more calls, commits what is queued, waits for reads in progress and
// closes the database. Later calls fail. Closing again only waits.
func (s *DB) Close() error { return s.db.Close() }

// Abandon closes the store as if the process had been killed: queued changes and open
// transactions are not committed, and their callers get an error. It is for simulations
// of a crash.
func (s *DB) Abandon() error { return s.db.Abandon() }

// NodeNameLost receives once if another central has taken the name of this node, which
// needs an outage of the connection that holds it. The node must then stop. It is nil,
// and so never receives, on SQLite and without Config.OnNotify.
func (s *DB) NodeNameLost() <-chan error {
	if shared, ok := s.db.(*postgres.DB); ok {
		return shared.NodeNameLost()
	}
	return nil
}

// PoolUsage is how many connections to a shared database this node uses, for metrics;
// false: the database is a file.
func (s *DB) PoolUsage() (postgres.PoolUsage, bool) {
	if shared, ok := s.db.(*postgres.DB); ok {
		return shared.PoolUsage(), true
	}
	return postgres.PoolUsage{}, false
}

// Ping tells whether the store can be read and takes changes: it goes through the queue
// and a transaction that changes nothing. So it fails with central.ErrBusy where
// readiness should fail.
func (s *DB) Ping(ctx context.Context) error {
	if err := s.write(ctx, func(conn) error { return nil }); err != nil {
		return fmt.Errorf("database %s takes no changes: %w", s.db.Name(), err)
	}
	var n int
	if err := s.read(ctx, func(c conn) error { return c.one(`SELECT count(*) FROM counters`, nil, &n) }); err != nil {
		return fmt.Errorf("database %s cannot be read: %w", s.db.Name(), err)
	}
	return nil
}
