//go:build linux

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/mattn/go-sqlite3"

	"galla/central/store/pgtest"
)

// database is the name of the site's database on its server.
const database = "galla"

// openDatabase starts the site's PostgreSQL, which syncs what it commits as in
// production, since it will be killed.
func (s *site) openDatabase() {
	s.t.Helper()
	folder, err := os.MkdirTemp("", "galla-e2e-pg-")
	must(s.t, err)
	s.t.Cleanup(func() { _ = os.RemoveAll(folder) })
	s.primary, err = pgtest.Start(folder, pgtest.Options{Durable: true})
	must(s.t, err)
	db, err := sql.Open("pgx", s.primary.URL("postgres"))
	must(s.t, err)
	defer db.Close()
	_, err = db.Exec(`CREATE DATABASE ` + database)
	must(s.t, err)
	s.direct = s.primary.URL(database)
}

// databaseURL is where a central finds its database: behind its own wire.
func (s *site) databaseURL(node int) string {
	return "postgres://galla@" + s.wire(numbered("database", node)).addr + "/" + database
}

// row is an operation as the central has it.
type row struct {
	id, identity, reference, state, kind string
	amount                               int64
	dispatched                           int // how often the history says so
	ends                                 int // steps into a final state
}

// operations reads the central's table of operations that move money, by the
// caller's identity. Identities of the machines' callers are unique.
func (s *site) operations() (map[string]row, error) {
	driver, source := "sqlite3", "file:"+filepath.Join(s.data, "central", "central.db")+"?mode=ro&_busy_timeout=10000"
	if s.primary != nil {
		driver, source = "pgx", s.direct
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := db.QueryContext(ctx, `
		SELECT o.id, o.identity, o.reference, o.state, o.kind, o.amount,
		       (SELECT count(*) FROM operation_steps s WHERE s.operation = o.id AND s.to_state = 'dispatched'),
		       (SELECT count(*) FROM operation_steps s WHERE s.operation = o.id AND s.to_state IN ('succeeded', 'failed', 'reversed', 'refused'))
		FROM operations o WHERE o.amount > 0`)
	if err != nil {
		return nil, fmt.Errorf("read the central's operations: %w", err)
	}
	defer found.Close()
	all := map[string]row{}
	for found.Next() {
		var r row
		if err := found.Scan(&r.id, &r.identity, &r.reference, &r.state, &r.kind, &r.amount, &r.dispatched, &r.ends); err != nil {
			return nil, err
		}
		if other, twice := all[r.identity]; twice {
			return nil, fmt.Errorf("identity %s has two operations, %s and %s", r.identity, other.id, r.id)
		}
		all[r.identity] = r
	}
	return all, found.Err()
}
