package console_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"galla/central/server"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/secret"
)

// What fill writes beside the operations.
const (
	partyMerchants = 10_000 // each with two terminals
	partyVendors   = 200
	// filledDays is over how many days BenchmarkPages spreads the operations, until now.
	filledDays = 10
	// casesOfDay is how many cases each whole day has; the first casesOpen of them wait.
	casesOfDay, casesOpen = 100, 20

	aggregatorID = "a1000000-0000-4000-8000-000000000000"
)

func merchantID(n int) string  { return fmt.Sprintf("c1000000-0000-4000-8000-%012d", n) }
func vendorID(n int) string    { return fmt.Sprintf("b1000000-0000-4000-8000-%012d", n) }
func terminalID(n int) string  { return fmt.Sprintf("d1000000-0000-4000-8000-%012d", n) }
func operationID(n int) string { return fmt.Sprintf("0193519c-0000-7000-8000-%012d", n) }

// contents are the records of a filled database.
type contents struct {
	operations int
	days       int // over which they are spread, until now
	now        time.Time
	document   string // hash of the one that was stored
}

// step is the time between two operations, in milliseconds.
func (c contents) step() int64 {
	return int64(c.days) * 24 * time.Hour.Milliseconds() / int64(max(c.operations, 1))
}

// at is when operation n was created; the last one, a moment before now.
func (c contents) at(n int) time.Time {
	return c.now.Add(-time.Duration(c.step()*int64(c.operations-n)) * time.Millisecond)
}

// day is the Indian day so many days ago.
func (c contents) day(ago int) ist.Day { return ist.DayOf(c.now).Add(-ago) }

// spread is the number of the k-th of operations that lie far from each other.
func (c contents) spread(k int) int { return k * 104_729 % max(c.operations, 1) }

// newFilledSystem is a central beside so many operations of so many days; pgServer is the
// URL of a server for a PostgreSQL database.
func newFilledSystem(t testing.TB, database string, operations, days int, pgServer string) (*system, contents) {
	t.Helper()
	c := contents{operations: operations, days: days, now: time.Now()}
	var raw *sql.DB
	h := newSystemOn(t, func(cfg *server.Config, place string) {
		if database == "PostgreSQL" {
			place = newPostgresDatabase(t, pgServer, fmt.Sprintf("pages_%d_%d", operations, days))
			cfg.DatabaseURL = secret.NewToken(place)
		}
		raw = openRaw(t, place)
		if err := c.fill(t.Context(), raw, database == "PostgreSQL"); err != nil {
			t.Fatal(err)
		}
	})
	h.raw = raw
	return h, c
}

// newPostgresDatabase creates a database with the schema, and returns its URL.
func newPostgresDatabase(t testing.TB, pgServer, name string) string {
	t.Helper()
	db := openRaw(t, pgServer)
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(pgServer)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	s, err := store.OpenPostgres(t.Context(), u.String(), store.Config{Node: "fill", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return u.String()
}

// openRaw opens a database of which tests change rows.
func openRaw(t testing.TB, place string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if !strings.Contains(place, "://") {
		driver, place = "sqlite3", "file:"+place+"?mode=rw&_busy_timeout=60000&_journal_mode=WAL"
	}
	db, err := sql.Open(driver, place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// fill writes the records with statements that make them in the database, in one
// transaction: nothing but the statements goes through the connection, which is faster than
// COPY. Triggers and references are off meanwhile, since they judge one row after the other
// and operations in their first state; the constraints of the rows hold.
func (c contents) fill(ctx context.Context, db *sql.DB, postgres bool) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	f := filling{contents: c, ctx: ctx, conn: conn, postgres: postgres}
	before, after, err := f.around()
	if err != nil {
		return err
	}
	for _, list := range [][]string{before, f.parties(), f.operationRows(), f.consequences(), f.settlement(), after} {
		for _, statement := range list {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%w in\n%s", err, statement)
			}
		}
	}
	return nil
}

// filling writes statements for one of the databases.
type filling struct {
	contents
	ctx      context.Context
	conn     *sql.Conn
	postgres bool
}

// around are the statements before and after the filling.
func (f filling) around() (before, after []string, err error) {
	if f.postgres {
		months := fmt.Sprintf("SELECT ensure_operation_months(%d, 2)", f.at(0).UnixMilli())
		return []string{months, "BEGIN", "SET LOCAL session_replication_role = replica"}, []string{"COMMIT", "ANALYZE"}, nil
	}
	before = []string{"PRAGMA foreign_keys = 0", "PRAGMA synchronous = 0", "PRAGMA cache_size = -400000", "BEGIN"}
	rows, err := f.conn.QueryContext(f.ctx, `SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL`)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return nil, nil, err
		}
		before, after = append(before, "DROP "+kind+" "+name), append(after, text)
	}
	return before, append(after, "COMMIT", "ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"), rows.Err()
}

// to is a table i of the numbers below n.
func to(n int) string {
	return fmt.Sprintf("(WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) WHERE 0 < %d UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) SELECT i FROM n) AS numbers", n, n)
}

// digits is a number with leading zeros.
func digits(number string, width int) string {
	return fmt.Sprintf("substr('%s' || (%s), length('' || (%s)) + 1)", strings.Repeat("0", width), number, number)
}

// bytes is a value of bytes.
func (f filling) bytes(b []byte) string {
	if f.postgres {
		return fmt.Sprintf(`'\x%x'::bytea`, b)
	}
	return fmt.Sprintf("x'%x'", b)
}

// dayOf is the Indian day of a time in milliseconds.
func (f filling) dayOf(at string) string {
	if f.postgres {
		return "to_char(to_timestamp((" + at + " + 19800000) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
	}
	return "strftime('%Y-%m-%d', (" + at + " + 19800000) / 1000, 'unixepoch')"
}

func (f filling) parties() []string {
	merchant, terminal := "'c1000000-0000-4000-8000-' || ", "'d1000000-0000-4000-8000-' || "
	vendor := "'b1000000-0000-4000-8000-' || "
	begin := f.now.AddDate(-1, 0, 0).UnixMilli()
	argon := "'$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA'"
	return []string{
		`INSERT INTO aggregators (id, legal_name) VALUES ('` + aggregatorID + `', 'Aggregator of the benchmark')`,
		`INSERT INTO vendors (id, legal_name, aggregator, active) SELECT ` + vendor + digits("i", 12) + `, 'Vendor ' || ` + digits("i", 4) + `, '` + aggregatorID + `', 1 FROM ` + to(partyVendors),
		fmt.Sprintf(`INSERT INTO merchants (id, mid, legal_name, vendor, status, has_info, aeps_ready, tid, mobile, vpa, callback_url, callback_events, created_at)
			SELECT %s, 'GALB' || %s, CASE i %% 5 WHEN 0 THEN 'Lakshmi Kirana Store ' WHEN 1 THEN 'Ganesh Medical ' WHEN 2 THEN 'Sai Telecom ' WHEN 3 THEN 'Annapurna Stores ' ELSE 'Konkan Traders ' END || i,
				%s, CASE i %% 100 WHEN 7 THEN 'SUSPENDED' WHEN 11 THEN 'PENDING' WHEN 13 THEN 'PENDING' ELSE 'APPROVED' END, 1, 1, 'BM' || %s, '98' || %s, 'shop' || i || '@gallabank',
				CASE WHEN i %% 10 = 3 THEN 'http://127.0.0.1:9/hook' END, CASE WHEN i %% 10 = 3 THEN '["operation.finished","upi.received"]' END, %d + i * 60000 FROM %s`,
			merchant+digits("i", 12), digits("i", 6), vendor+digits(fmt.Sprintf("i %% %d", partyVendors), 12), digits("i", 6), digits("i", 8), begin, to(partyMerchants)),
		fmt.Sprintf(`INSERT INTO terminals (id, merchant, name, tid, public_key, created_at, revoked_at, seen_at, node, connected_at, disconnected_at, version)
			SELECT %s, %s, 'Counter ' || (1 + i / %d), 'BT' || %s, %s, %d + i * 60000, CASE WHEN i %% 50 = 9 THEN %d END, %d, 'central-2', %d, CASE WHEN i %% 3 = 0 THEN %d END, 'v1.4.2' FROM %s`,
			terminal+digits("i", 12), merchant+digits(fmt.Sprintf("i %% %d", partyMerchants), 12), partyMerchants, digits("i", 6), f.bytes(make([]byte, 32)), begin, begin+1, f.now.UnixMilli(), f.now.UnixMilli(), f.now.UnixMilli(), to(2*partyMerchants)),
		// A second node, which lives on while the benchmark runs.
		fmt.Sprintf(`INSERT INTO uplink_nodes (node, since, seen_at, terminals) VALUES ('central-2', 1, %d, %d)`, f.now.AddDate(1, 0, 0).UnixMilli(), partyMerchants),
		`INSERT INTO clients (id, secret_hash, role, vendor, active) SELECT 'program-v-' || ` + digits("i", 6) + `, ` + argon + `, 'vendor', ` + vendor + digits("i", 12) + `, 1 FROM ` + to(partyVendors),
		`INSERT INTO clients (id, secret_hash, role, merchant, active) SELECT 'program-m-' || ` + digits("i", 6) + `, ` + argon + `, 'merchant', ` + merchant + digits("i", 12) + `, 1 FROM ` + to(partyMerchants),
		`INSERT INTO clients (id, secret_hash, role, aggregator, active) VALUES ('program-a', ` + argon + `, 'aggregator', '` + aggregatorID + `', 1)`,
		fmt.Sprintf(`INSERT INTO commission_slabs (id, vendor, aggregator, payment_method, provider, txn_type, method_key, provider_key, type_key, min_amount, max_amount, rate, rate_type, is_default, created_at, updated_at)
			SELECT '5b100000-0000-4000-8000-' || %s, %s, '%s', 'AEPS', 'NSDL', 'WITHDRAWAL', 'AEPS', 'NSDL', 'WITHDRAWAL', 10000 * (i / %d), 10000 * (1 + i / %d), 2500000, 'FIXED', 0, %d, %d FROM %s`,
			digits("i", 12), vendor+digits(fmt.Sprintf("i %% %d", partyVendors), 12), aggregatorID, partyVendors, partyVendors, begin, begin, to(12*partyVendors)),
		fmt.Sprintf(`INSERT INTO float_readings (aggregator, at, balance, source) SELECT '%s', %d - i * 900000, 500000000 + i * 1000, 'regularly' FROM %s`, aggregatorID, f.now.UnixMilli(), to(7*96)),
	}
}

// operationRows are the operations: twelve withdrawals of twenty, two balances, a statement,
// two transfers and three payments by UPI. One of twenty belongs to one large merchant.
// Seven of a hundred failed; a few wait.
func (f filling) operationRows() []string {
	names := []string{}
	if f.postgres {
		names = []string{`INSERT INTO operation_names (id, created_at, reference, pending_reference, party, caller_ref, attempt)
			SELECT id, created_at, reference, pending_reference, party, caller_ref, attempt FROM operations`}
	}
	base := fmt.Sprintf(`SELECT i, %d + i * %d AS at, CASE WHEN i %% 20 = 0 THEN 0 ELSE (i * 7919 + i / 20) %% %d END AS m,
		CASE WHEN i %% 20 < 12 THEN 'CASH_WITHDRAWAL' WHEN i %% 20 < 14 THEN 'BALANCE_ENQUIRY' WHEN i %% 20 < 15 THEN 'MINI_STATEMENT' WHEN i %% 20 < 17 THEN 'TRANSFER' ELSE 'UPI_PAYMENT' END AS kind,
		CASE WHEN i %% 20 >= 17 THEN 'succeeded' WHEN i %% 5000 = 4 THEN 'pending' WHEN (i * 31 + i / 7) %% 1000 < 60 THEN 'failed'
			WHEN (i * 31 + i / 7) %% 1000 < 70 THEN 'refused' WHEN (i * 31 + i / 7) %% 1000 < 75 THEN 'reversed' ELSE 'succeeded' END AS state FROM %s`,
		f.at(0).UnixMilli(), f.step(), partyMerchants, to(f.operations))
	aeps := "kind IN ('CASH_WITHDRAWAL', 'BALANCE_ENQUIRY', 'MINI_STATEMENT')"
	return append([]string{fmt.Sprintf(`INSERT INTO operations (id, caller, identity, route, fingerprint, party, merchant, terminal, tid, kind, amount, aadhaar, iin, sender, reference, stan, caller_ref,
			state, node, not_after, created_at, sent_at, bank_not_after, pending_reference, enquiries, next_enquiry, stuck_at, finished_at, code, rrn, http, reply, charge)
		SELECT '0193519c-0000-7000-8000-' || %[1]s, 'merchant:c1000000-0000-4000-8000-' || %[2]s, 'order-' || i, 'aeps.withdrawal', %[3]s,
			'merchant:c1000000-0000-4000-8000-' || %[2]s, 'c1000000-0000-4000-8000-' || %[2]s, CASE WHEN %[4]s THEN 'd1000000-0000-4000-8000-' || %[2]s END, CASE WHEN %[4]s THEN 'BT' || %[5]s ELSE '' END,
			kind, CASE WHEN kind IN ('BALANCE_ENQUIRY', 'MINI_STATEMENT') THEN 0 ELSE 10000 + i %% 49 * 10000 END, CASE WHEN %[4]s THEN 'XXXXXXXX' || %[6]s ELSE '' END,
			CASE WHEN %[4]s THEN CASE i / 3 %% 6 WHEN 0 THEN '990326' WHEN 1 THEN '607152' WHEN 2 THEN '508534' WHEN 3 THEN '607094' WHEN 4 THEN '606985' ELSE '607027' END ELSE '' END,
			CASE WHEN kind = 'TRANSFER' THEN 'R' || (i %% 5000) END, 'GLB' || %[7]s, %[8]s, 'order-' || i,
			state, 'central-1', at + 90000, at, CASE WHEN state <> 'refused' THEN at + 5 END, CASE WHEN state <> 'refused' THEN at + 15000 END,
			CASE WHEN state IN ('pending', 'reversed') THEN 'AEPS-NR-B' || i END, 0, CASE WHEN state = 'pending' THEN %[9]d END, CASE WHEN state = 'pending' AND i %% 50000 = 4 THEN at + 604800000 END,
			CASE WHEN state <> 'pending' THEN at + 200 + i * 37 %% 3000 END, CASE state WHEN 'succeeded' THEN '00' WHEN 'failed' THEN '51' ELSE '' END,
			CASE WHEN state = 'succeeded' THEN '63' || %[10]s ELSE '' END, CASE WHEN state = 'pending' THEN 0 ELSE 200 END, CASE WHEN state <> 'pending' THEN %[11]s END, 0
		FROM (%[12]s) AS base`,
		digits("i", 12), digits("m", 12), f.bytes(make([]byte, 32)), aeps, digits("m", 6), digits("(i * 13 + 7058) % 10000", 4), digits("i", 9), digits("i % 1000000", 6),
		f.now.AddDate(0, 1, 0).UnixMilli(), digits("i", 10), f.bytes([]byte(`{"statusCode":"00","message":"SUCCESS"}`)), base)}, names...)
}

// consequences are what operations leave behind.
func (f filling) consequences() []string {
	const steps = `INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason) `
	return []string{
		`INSERT INTO identities (caller, identity, operation) SELECT caller, identity, id FROM operations`,
		steps + `SELECT id, 1, created_at, node, '', 'received', '' FROM operations`,
		steps + `SELECT id, 2, created_at + 5, node, 'received', CASE WHEN sent_at IS NULL THEN state ELSE 'sent' END, '' FROM operations`,
		steps + `SELECT id, 3, created_at + 100, node, 'sent', CASE WHEN pending_reference IS NULL THEN state ELSE 'pending' END, 'the bank answered' FROM operations WHERE sent_at IS NOT NULL`,
		steps + `SELECT id, 4, finished_at, node, 'pending', state, 'the bank answered' FROM operations WHERE pending_reference IS NOT NULL AND finished_at IS NOT NULL`,
		`INSERT INTO agent_sessions (tid, opened_at, expires_at) SELECT tid, min(created_at), min(created_at) + 86400000 FROM operations WHERE tid <> '' GROUP BY tid, created_at / 86400000`,
		`INSERT INTO commissions (operation, vendor, aggregator, merchant, payment_method, provider, txn_type, amount, charge, gst, provider_cost, commission, tds, day, at)
			SELECT o.id, m.vendor, '` + aggregatorID + `', o.merchant, 'AEPS', 'NSDL', 'WITHDRAWAL', o.amount, 0, 0, 0, 250, 12, ` + f.dayOf("o.created_at") + `, o.finished_at
			FROM operations o JOIN merchants m ON m.id = o.merchant WHERE o.state = 'succeeded' AND o.amount > 0`,
		`INSERT INTO upi_payments (id, operation, rrn, payee, tr, amount, paid_at, payer_name, payer_vpa, merchant, order_id, matched, source, recorded_at)
			SELECT reference, id, rrn, 'shop@gallabank', '', amount, created_at - 800, 'R••••h K••••r', 'ra••••@okbank', merchant,
				CASE WHEN finished_at % 2 = 0 THEN 'bill-' || reference END, CASE WHEN finished_at % 2 = 0 THEN 'order' WHEN finished_at % 101 = 1 THEN 'unknown-order' ELSE 'static' END, 'notification', created_at
			FROM operations WHERE kind = 'UPI_PAYMENT'`,
		`INSERT INTO callbacks (operation, merchant, event, state, created_at, since, due_at, attempts, failures, tried_at, http, ended_at)
			SELECT operation, merchant, 'upi.received', CASE WHEN paid_at % 499 = 1 THEN 'waiting' WHEN paid_at % 97 = 1 THEN 'given-up' ELSE 'delivered' END, recorded_at, recorded_at,
				CASE WHEN paid_at % 499 = 1 THEN ` + fmt.Sprint(f.now.AddDate(0, 1, 0).UnixMilli()) + ` END, 1, 0, recorded_at + 900, 200, CASE WHEN paid_at % 499 <> 1 THEN recorded_at + 1000 END FROM upi_payments`,
		`INSERT INTO callback_attempts (operation, attempt, at, node, http, detail, result) SELECT operation, 1, tried_at, 'central-1', 200, '', CASE state WHEN 'waiting' THEN 'retry' ELSE state END FROM callbacks`,
		fmt.Sprintf(`INSERT INTO audit_log (id, at, node, actor, role, source, action, subject, outcome, was, became, note)
			SELECT 'e0000000-0000-4000-8000-' || %s, %d + i * %d, 'central-1', 'person-' || %s, 'operator', '127.0.0.1', CASE WHEN i %% 3 = 0 THEN 'operation.search' ELSE 'operation.view' END,
				'0193519c-0000-7000-8000-' || %s, 'done', '', '', '' FROM %s`,
			digits("i", 12), f.at(0).UnixMilli(), 5*f.step(), digits("i % 40", 4), digits("i * 5", 12), to(f.operations/5)),
	}
}

// settlement are the bank's files of the whole days before today, and their cases.
func (f filling) settlement() (list []string) {
	if f.operations == 0 || f.days < 2 {
		return nil
	}
	for ago := 1; ago < f.days; ago++ {
		sum := sha256.Sum256([]byte(f.day(ago)))
		at := f.now.AddDate(0, 0, 1-ago).UnixMilli()
		list = append(list, fmt.Sprintf(`INSERT INTO settlement_files (day, number, sha256, name, bytes, lines, amount, imported_by, node, at, complete_at)
			VALUES ('%[1]s', 1, %[2]s, 'day.csv', 1000, 1000, 1000, 'person-0001', 'central-1', %[3]d, %[3]d)`, f.day(ago), f.bytes(sum[:]), at),
			fmt.Sprintf(`INSERT INTO reconciliation_sums (day, file, class, operations, lines, ours, theirs, moved_ours, moved_theirs) VALUES ('%s', 1, 'agreed', 1000, 1000, 1000, 1000, 1000, 1000)`, f.day(ago)))
	}
	days := fmt.Sprintf(`SELECT id, reference, rrn, stan, amount, state, sent_at, %[1]s AS day, row_number() OVER (PARTITION BY %[1]s ORDER BY id) AS n FROM operations
		WHERE state = 'succeeded' AND amount > 0 AND kind <> 'UPI_PAYMENT' AND %[1]s BETWEEN '%[2]s' AND '%[3]s'`, f.dayOf("created_at"), f.day(f.days-1), f.day(1))
	return append(list,
		`INSERT INTO settlement_lines (day, file, line, reference, rrn, stan, amount, code, at) SELECT day, 1, n + 1, reference, rrn, stan, amount, '00', sent_at FROM (`+days+`) AS lines`,
		fmt.Sprintf(`INSERT INTO reconciliation_cases (day, file, number, class, reference, line, operation, found, found_at, status, verdict, reason, proposed_by, decided_by, decided_at)
			SELECT day, 1, n, 'amount-differs', reference, n + 1, id, state, sent_at + 86400000, CASE WHEN n <= %[1]d THEN 'open' ELSE 'decided' END, CASE WHEN n > %[1]d THEN 'noted' END, CASE WHEN n > %[1]d THEN 'the bank says so' ELSE '' END,
				CASE WHEN n > %[1]d THEN 'person-0001' END, CASE WHEN n > %[1]d THEN 'person-0002' END, CASE WHEN n > %[1]d THEN sent_at + 90000000 END FROM (%[2]s) AS cases WHERE n <= %[3]d`, casesOpen, days, casesOfDay),
		`INSERT INTO reconciliation_steps (day, file, number, step, at, actor, account, node, action, verdict, charge, reason, document, document_sha256)
			SELECT day, file, number, 1, found_at, 'rule', '', 'central-1', 'found', '', 0, '', '', '' FROM reconciliation_cases`)
}
