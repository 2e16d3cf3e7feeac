//go:build linux

package e2e

import (
	"context"
	crand "crypto/rand"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/mattn/go-sqlite3"

	"galla/central/store/pgtest"
	"galla/deploy/ha"
)

// database is the name of the site's database on its server.
const database = "galla"

// openDatabase starts the site's PostgreSQL, which syncs commits as in production,
// since it will be killed, and its standby if the plan has one.
func (s *site) openDatabase() {
	s.t.Helper()
	folder := func() string {
		// pgtest removes databases of this name after tests that were killed.
		dir, err := os.MkdirTemp("", "galla-pg-e2e-")
		must(s.t, err)
		s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	var err error
	if s.plan.cluster {
		s.cluster, err = ha.Start(folder(), s.plan.nodes, crand.Reader)
		must(s.t, err)
		s.direct = s.cluster.URL(s.cluster.Databases()...)
		return
	}
	s.primary, err = pgtest.Start(folder(), pgtest.Options{Durable: true})
	must(s.t, err)
	db, err := sql.Open("pgx", s.primary.URL("postgres"))
	must(s.t, err)
	defer db.Close()
	_, err = db.Exec(`CREATE DATABASE ` + database)
	must(s.t, err)
	hosts := []string{s.primary.Addr()}
	if s.plan.standby {
		s.standby, err = s.primary.Standby(folder())
		must(s.t, err)
		hosts = append(hosts, s.standby.Addr())
	}
	s.direct = databaseAt(hosts)
}

// databaseURL is where a central finds its database: behind faulty proxies of its own.
func (s *site) databaseURL(node int) string {
	hosts := []string{s.proxy(withNumber("database", node)).addr}
	if s.cluster != nil {
		return s.cluster.URL(hosts...)
	}
	if s.standby != nil {
		hosts = append(hosts, s.proxy(withNumber("standby", node)).addr)
	}
	return databaseAt(hosts)
}

// databaseAt names a database by all hosts that may have it: the one that accepts
// changes is used.
func databaseAt(hosts []string) string {
	return "postgres://galla@" + strings.Join(hosts, ",") + "/" + database + "?target_session_attrs=read-write"
}

// endDatabaseSessions ends every session on the site's database.
func (s *site) endDatabaseSessions() error {
	db, err := sql.Open("pgx", s.direct)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = db.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()`, database)
	return err
}

// row is an operation as the central has it.
type row struct {
	id, identity, reference, state, kind string
	amount                               int64
	sentCount                            int // how often the history says so
	finalSteps                           int // steps into a final state
}

// openCentral opens the central's database past the proxies; the mode is SQLite's, ro or rw.
func (s *site) openCentral(mode string) (*sql.DB, error) {
	if s.plan.postgres {
		return sql.Open("pgx", s.direct)
	}
	return s.openSQLite(mode)
}

// openSQLite opens the database of a central on SQLite.
func (h *sandbox) openSQLite(mode string) (*sql.DB, error) {
	return sql.Open("sqlite3", "file:"+filepath.Join(h.data, "central", "central.db")+"?mode="+mode+"&_busy_timeout=10000")
}

// operations reads the central's table of operations that move money at their callers'
// wish, by the caller's identity. Identities of the test's callers are unique. What the
// network reports is in paymentsAtCentral.
func (s *site) operations() (map[string]row, error) {
	db, err := s.openCentral("ro")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := db.QueryContext(ctx, `
		SELECT o.id, o.identity, o.reference, o.state, o.kind, o.amount,
		       (SELECT count(*) FROM operation_steps s WHERE s.operation = o.id AND s.to_state = 'sent'),
		       (SELECT count(*) FROM operation_steps s WHERE s.operation = o.id AND s.to_state IN ('succeeded', 'failed', 'reversed', 'refused'))
		FROM operations o WHERE o.amount > 0 AND o.caller <> 'network'`)
	if err != nil {
		return nil, fmt.Errorf("read the central's operations: %w", err)
	}
	defer found.Close()
	all := map[string]row{}
	for found.Next() {
		var r row
		if err := found.Scan(&r.id, &r.identity, &r.reference, &r.state, &r.kind, &r.amount, &r.sentCount, &r.finalSteps); err != nil {
			return nil, err
		}
		if other, twice := all[r.identity]; twice {
			return nil, fmt.Errorf("identity %s has two operations, %s and %s", r.identity, other.id, r.id)
		}
		all[r.identity] = r
	}
	return all, found.Err()
}
