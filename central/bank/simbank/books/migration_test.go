package books

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"galla/central/bank/network"
	"galla/shared/money"
)

// oldBooks are books as the program of 00001 left them: testdata holds its dump
// with every state of a transaction, and the key.
func oldBooks(t *testing.T) Config {
	t.Helper()
	cfg := testConfig(t)
	dump, err := os.ReadFile(filepath.Join("testdata", "00001.sql"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join("testdata", "00001.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Dir, recordsFile), key, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", filepath.Join(cfg.Dir, booksFile)+"?_journal_mode=WAL")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := db.Exec(string(dump)); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestOldBooksAreMigrated: what they held is there, what waited ends, their
// rules hold, and they go on.
func TestOldBooksAreMigrated(t *testing.T) {
	cfg := oldBooks(t)
	b := openBooks(t, cfg)
	for ref, want := range map[string]network.Answer{
		"OLD-AUTH":     {Status: network.Success, Code: "00", Message: "SUCCESS", RRN: "000100000001"},
		"OLD-WDL":      {Status: network.Success, Code: "00", Message: "SUCCESS", RRN: "000100000002", AuthCode: "MKWGD6"},
		"OLD-REFUSED":  {Status: network.Failed, Code: "05", Message: "DO NOT HONOUR", RRN: "000100000003"},
		"OLD-REVERSED": {Status: network.Reversed, Code: "22", Message: "FAILED, MONEY REVERSED", RRN: "000100000004"},
		"OLD-LATE":     {Status: network.Success, Code: "00", Message: "SUCCESS", RRN: "000100000005", AuthCode: "P93WGQ"},
		"OLD-GONE":     {Status: network.Failed, Code: "91", Message: "ISSUER NOT AVAILABLE"},
		"OLD-DEPOSIT":  {Status: network.Failed, Code: "12", Message: "INVALID TRANSACTION", RRN: "000100000008"},
		"OLD-WAITS":    {Status: network.Reversed, Code: "22", Message: "FAILED, MONEY REVERSED", RRN: "000100000009"}, // it was due long ago
		"OLD-LOST":     {Status: network.Failed, Code: "91", Message: "ISSUER NOT AVAILABLE"},
	} {
		a, err := b.Enquire(t.Context(), ref)
		a.Reference, a.STAN, a.Balance = "", "", nil
		if err != nil || a.Status != want.Status || a.Code != want.Code || a.Message != want.Message || a.RRN != want.RRN || a.AuthCode != want.AuthCode || a.Data != nil {
			t.Errorf("%s: %+v, %v, want %+v", ref, a, err, want)
		}
	}
	balance, err := b.Balance(t.Context(), aadhaarOf(t, resident))
	if err != nil || balance != 24_299_06 {
		t.Errorf("balance %s, %v", balance, err)
	}
	trial, err := b.Trial(t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		t.Errorf("trial %+v, %v", trial, err)
	}
	if found, err := b.Executions(t.Context(), Filter{}); err != nil || len(found) != 5 {
		t.Errorf("executions %+v, %v", found, err)
	}
	if found, err := b.Inbox(t.Context(), "9000000001"); err != nil || len(found) != 6 {
		t.Errorf("%d texts, %v; want the five old ones and the reversal", len(found), err)
	}
	// A PID block that was used stays used; a reference, too.
	tx := network.Transaction{Reference: "NEW", STAN: "000001", Kind: network.Balance, NotAfter: time.Now().Add(time.Minute), MID: "M", TID: "T", IIN: "990326", Aadhaar: aadhaarOf(t, resident)}
	if a, _, err := b.book(t.Context(), tx, examined{taken: time.Now(), matches: true, hmac: b.mac("pid", []byte("1"))}, scenario{}); err != nil || a.Code != codePidTwice {
		t.Errorf("old PID block: %+v, %v", a, err)
	}
	if a := withdraw(t, b, "OLD-WDL", 100_00); a.Code != codeDuplicate {
		t.Errorf("old reference: %+v", a)
	}
	if a := withdraw(t, b, "NEXT", 100_00); a.Code != codeApproved || a.RRN[4:] != "00000012" {
		t.Errorf("next: %+v", a)
	}
	var broken int
	if _, err := b.db.look(t.Context()).row("look for rows that point nowhere", `SELECT count(*) FROM pragma_foreign_key_check`, nil, &broken); err != nil || broken != 0 {
		t.Errorf("%d rows point nowhere, %v", broken, err)
	}
	refusals(t, b, map[string]string{
		`UPDATE entries SET amount_paise = 1`: "never changed",
		`DELETE FROM entries`:                 "never deleted",
		`DELETE FROM transactions`:            "never deleted",
		`UPDATE transactions SET state = 'DECLINED', code = '05' WHERE reference = 'OLD-WDL'`:                                                               "changes only",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (2, 'REVERSAL', 2, 3, 1, 'X', 1)`: "mirrors",
		`UPDATE accounts SET debits_paise = 99999999 WHERE code = 'customer.1'`:                                                                             "customer_not_overdrawn",
	})
}

// TestNewAndMigratedSchemaAreOne: migrations are forward only, so that the way
// here makes no difference.
func TestNewAndMigratedSchemaAreOne(t *testing.T) {
	schema := func(b *Books) map[string]string {
		out := map[string]string{}
		err := b.db.look(t.Context()).rows("read the schema", `SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL`, nil,
			func(scan func(...any) error) error {
				var name, text string
				err := scan(&name, &text)
				out[name] = text
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	old, made := schema(openBooks(t, oldBooks(t))), schema(openBooks(t, testConfig(t)))
	for name, text := range made {
		if old[name] != text {
			t.Errorf("%s is\n%s\nin migrated books and\n%s\nin new ones", name, old[name], text)
		}
	}
	if len(old) != len(made) {
		t.Errorf("%d parts of the schema in migrated books, %d in new ones", len(old), len(made))
	}
	for name := range made {
		if strings.Contains(name, "_new") || strings.Contains(name, "dangling") {
			t.Errorf("%s was left behind", name)
		}
	}
}

// TestMigrationFailsWhole: a row that points nowhere stops the migration, and
// the books are as they were.
func TestMigrationFailsWhole(t *testing.T) {
	cfg := oldBooks(t)
	db, err := sql.Open("sqlite3", filepath.Join(cfg.Dir, booksFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := db.Exec(`INSERT INTO daily_debits (customer_id, day, paise) VALUES (99, '2000-01-01', 1)`); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "no_row_points_nowhere") {
		t.Fatalf("error %v", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := p.GetDBVersion(t.Context()); err != nil || v != 1 {
		t.Errorf("version %d, %v", v, err)
	}
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM transactions`).Scan(&n); err != nil || n != 10 {
		t.Errorf("%d transactions, %v", n, err)
	}
	if err := db.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name LIKE '%\_new' ESCAPE '\'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables were left behind, %v", n, err)
	}
}

// refusals holds that the schema refuses each statement with a word.
func refusals(t *testing.T, b *Books, want map[string]string) {
	t.Helper()
	for statement, word := range want {
		err := b.db.commit(t.Context(), func(k ledger) error { return k.exec("try", statement) })
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v, want an error about %q", statement, err, word)
		}
	}
}

// TestSchemaOfServicesRefuses: the rules of transfers hold by themselves.
func TestSchemaOfServicesRefuses(t *testing.T) {
	b := openBooks(t, testConfig(t))
	err := b.Commit(t.Context(), func(x Tx) error {
		if err := x.OpenFloat(1_000*money.Rupee, time.Now()); err != nil {
			return err
		}
		for _, s := range []string{
			`INSERT INTO enrolments (id, reference, mobile, name, email, city, region, status, aadhaar_hmac, aadhaar_last4, begun_at)
				VALUES (1, '00000000-0000-4000-8000-000000000001', '9000000001', 'A', '', '', '', 'APPROVED', zeroblob(32), '7058', 1)`,
			`INSERT INTO remitters (id, sender, enrolment_id, registered_at) VALUES (1, '00000000-0000-4000-8000-000000000002', 1, 1)`,
			`INSERT INTO beneficiaries (id, remitter_id, account, ifsc, name, mobile, email, address, city, region, branch, added_at)
				VALUES (1, 1, '12345', 'SBIN0001234', 'R', '', '', '', '', '', '', 1)`,
		} {
			if err := x.Exec("prepare", s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	serve := func(ref string, kind network.Kind, sum money.Paise, do func(Tx, Request) error) network.Answer {
		t.Helper()
		a, _, err := b.Serve(t.Context(), network.Transaction{Reference: ref, STAN: "000001", Kind: kind, MID: "M", Amount: sum, NotAfter: time.Now().Add(time.Minute)},
			func(x Tx, q Request) (Ruling, error) {
				v := Ruling{Code: "00", Data: []byte(`{"a":1}`)}
				if kind == network.Transfer {
					v.Charge = 10_00
				}
				return v, do(x, q)
			})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	send := func(x Tx, q Request) error {
		return x.Send(q, Transfer{Remitter: 1, Beneficiary: 1, SenderMobile: "9000000001", Receiver: "R", Account: "12345", IFSC: "SBIN0001234", Charge: 10_00})
	}
	serve("T1", network.Transfer, 100_00, send)
	serve("T2", network.Transfer, 100_93, send)
	serve("R1", network.Refund, 100_00, func(x Tx, q Request) error {
		s, _, err := x.Sent("T1")
		if err != nil {
			return err
		}
		return x.Refund(q, s)
	})
	refusals(t, b, map[string]string{
		`INSERT INTO refunds (transfer_id, transaction_id) VALUES (1, 2)`: "UNIQUE",
		`INSERT INTO refunds (transfer_id, transaction_id) VALUES (2, 1)`: "only a transfer that succeeded",
		`DELETE FROM refunds`:                                             "never deleted",
		`UPDATE refunds SET transfer_id = 2`:                              "never changed",
		`DELETE FROM transfers`:                                           "never deleted",
		`UPDATE transfers SET account = ''`:                               "never changed",
		`UPDATE transactions SET data = '{}' WHERE reference = 'T2'`:      "changes only",
		`UPDATE transactions SET charge_paise = 0 WHERE reference = 'T2'`: "changes only",
		`UPDATE enrolments SET status = 'STARTED'`:                        "stays approved",
		`UPDATE enrolments SET aadhaar_hmac = NULL, status = 'APPROVED'`:  "stays approved",
		`UPDATE remitter_debits SET paise = -1`:                           "CHECK",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'RETURN', 9, 11, 1, 'X', 1)`:    "takes back what its transfer moved",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'REFUND', 9, 8, 10000, 'X', 1)`: "gives back what its transfer took",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (1, 'TRANSFER', 8, 9, 1, 'X', 1)`:   "UNIQUE",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (3, 'FEE', 8, 9, 99999999, 'X', 1)`: "float_not_overdrawn",
		`INSERT INTO entries (transaction_id, purpose, debit_account, credit_account, amount_paise, narration, at) VALUES (3, 'FEE', 11, 9, 99999, 'X', 1)`:   "no_more_than_owed",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at)
			VALUES ('X', 'DMT', '000001', '', '', '', 0, 'APPROVED', '00', '000000000001', '', 1, 1)`: "known_kind",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at, data)
			VALUES ('X', 'REFUND', '000001', '', '', '', 0, 'DECLINED', '55', '000000000001', '', 1, 1, '{}')`: "data_not_declined",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at, refusal)
			VALUES ('X', 'REFUND', '000001', '', '', '', 0, 'APPROVED', '00', '000000000001', '', 1, 1, 'LIMIT')`: "refused_declined",
		`INSERT INTO transactions (reference, kind, stan, mid, tid, iin, amount_paise, state, code, rrn, auth_code, arrived_at, settled_at, data)
			VALUES ('X', 'REFUND', '000001', '', '', '', 0, 'APPROVED', '00', '000000000001', '', 1, 1, 'no JSON')`: "json_valid",
	})
	found, err := b.Entries(t.Context(), Filter{Reference: "T1"})
	if err != nil || len(found) != 1 || len(found[0].Postings) != 4 {
		t.Errorf("entries %+v, %v", found, err)
	}
	trial, err := b.Trial(t.Context())
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		t.Errorf("trial %+v, %v", trial, err)
	}
}
