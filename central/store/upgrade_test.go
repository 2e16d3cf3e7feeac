package store

import (
	"fmt"
	"io/fs"
	"log/slog"
	"testing"
	"testing/fstest"
	"time"

	"galla/central"
	"galla/shared/op"
)

// makeDesk makes a database as the first release left it, with parties, a
// terminal, and an operation of each state.
func makeDesk(t *testing.T, on kind, place string) {
	t.Helper()
	const name = "00001_desk.sql"
	files, folder := sqliteMigrations, "migrations/sqlite/"
	if on == onPostgres {
		files, folder = postgresMigrations, "migrations/postgres/"
	}
	text, err := fs.ReadFile(files, folder+name)
	wantErr(t, "read the first migration", err, nil)
	db := on.raw(t, place)
	wantErr(t, "migrate", migrate(background, on.goose(), db,
		fstest.MapFS{name: &fstest.MapFile{Data: text}}, slog.New(slog.DiscardHandler)), nil)
	statements := []string{
		`INSERT INTO aggregators (id, legal_name) VALUES ('` + string(aggregator1) + `', 'Test Aggregator')`,
		`INSERT INTO vendors (id, legal_name, aggregator, active) VALUES ('` + string(vendor1) + `', 'Test Vendor', '` + string(aggregator1) + `', 1)`,
		`INSERT INTO merchants (id, mid, legal_name, vendor, status, has_info, aeps_ready, tid, mobile, created_at) VALUES
			('` + string(merchant1) + `', 'TST0000001', 'Test Store', '` + string(vendor1) + `', 'APPROVED', 1, 1, 'GAL00001', '9000000001', 1000),
			('` + string(merchant2) + `', 'TST0000002', 'Other Store', '` + string(vendor1) + `', 'APPROVED', 1, 0, 'GAL00002', '9000000002', 2000)`,
		`INSERT INTO terminals (id, merchant, name, tid, public_key, created_at) VALUES ('terminal-1', '` + string(merchant1) + `', 'Counter', 'GAL00101', zeroblob(32), 1)`,
	}
	operation := func(id, caller string, state op.State) {
		statements = append(statements,
			fmt.Sprintf(`INSERT INTO operations (id, caller, identity, route, fingerprint, merchant, tid, kind, amount, aadhaar, iin, reference, stan, state, node, created_at)
				VALUES ('%[1]s', '%[2]s', 'identity %[1]s', 'aeps.withdrawal', zeroblob(32), '%[3]s', 'GAL00001', 'WITHDRAWAL', 50000, 'XXXXXXXX7058', '990326', 'GL-%[1]s', '1', 'received', 'n', 3000)`,
				id, caller, merchant1),
			fmt.Sprintf(`INSERT INTO identities (caller, identity, operation) VALUES ('%[2]s', 'identity %[1]s', '%[1]s')`, id, caller),
			fmt.Sprintf(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason) VALUES ('%s', 1, 1, 'n', '', 'received', '')`, id))
		if state != op.Received {
			statements = append(statements, fmt.Sprintf(`UPDATE operations SET state = 'dispatched', dispatched_at = 1, bank_not_after = 2 WHERE id = '%s'`, id))
		}
		if state == op.Pending {
			statements = append(statements, fmt.Sprintf(`UPDATE operations SET state = 'pending', pending_reference = 'NR-%[1]s', next_enquiry = 3 WHERE id = '%[1]s'`, id))
		}
		if state == op.Succeeded {
			statements = append(statements, fmt.Sprintf(`UPDATE operations SET %s WHERE id = '%s'`, columnsOf(state), id))
		}
	}
	operation("received", party1, op.Received)
	operation("dispatched", "vendor:"+string(vendor1), op.Dispatched)
	operation("pending", "terminal:terminal-1", op.Pending)
	operation("succeeded", party1, op.Succeeded)
	for _, statement := range statements {
		if _, err := db.Exec(on.sql(statement)); err != nil {
			t.Fatalf("%v in\n%s", err, statement)
		}
	}
	wantErr(t, "close", db.Close(), nil)
}

func unixMilli(n int64) time.Time { return time.UnixMilli(n).UTC() }

// TestUpgrade migrates a database of the first release that has data, and goes
// on working with it.
func TestUpgrade(t *testing.T) { onBoth(t, upgrade) }

func upgrade(t *testing.T, on kind) {
	place := on.empty(t)
	makeDesk(t, on, place)
	s := openAt(t, place, testConfig())

	// Operations of that time have nothing of what is new, and go on.
	for id, state := range map[op.ID]op.State{"received": op.Received, "dispatched": op.Dispatched, "pending": op.Pending, "succeeded": op.Succeeded} {
		o, err := s.Operation(background, id)
		wantErr(t, "read", err, nil)
		if o.State != state || o.Party != "" || o.CallerRef != "" || o.KYC != nil || o.Reverses != "" || o.Charge != 0 {
			t.Errorf("an operation came out as %+v", o)
		}
		if state.Final() {
			continue
		}
		to := op.Failed
		if state == op.Pending {
			to = op.Succeeded
		}
		wantErr(t, "settle "+string(id), step(s, id, to), nil)
	}
	for _, look := range []struct {
		party string
		by    central.ReferenceQuery
		want  op.ID
	}{
		{party1, central.ReferenceQuery{Reference: "GL-received"}, "received"},
		{party1, central.ReferenceQuery{CallerRef: "identity succeeded"}, "succeeded"},
		{party1, central.ReferenceQuery{Pending: "NR-pending"}, "pending"},
		{"vendor:" + string(vendor1), central.ReferenceQuery{Reference: "GL-dispatched"}, "dispatched"},
	} {
		if o, err := s.ByReference(background, look.party, look.by); err != nil || o.ID != look.want {
			t.Errorf("%+v: operation %s, %v", look.by, o.ID, err)
		}
	}
	if list, err := s.Newest(background, merchant1, 10); err != nil || len(list) != 4 {
		t.Errorf("%d newest operations, %v", len(list), err)
	}
	// The reference of an operation of that time, which was its identity, begins
	// no second one.
	again := newOperation()
	withRef("identity succeeded")(&again)
	if known, isNew, err := s.Begin(background, again, nil); err != nil || isNew || known.ID != "succeeded" {
		t.Errorf("an old identity as a reference: %s, new %v, %v", known.ID, isNew, err)
	}
	// It can be given back.
	refund := refundOf(t, s, central.Operation{ID: "succeeded", Reference: "GL-succeeded"})
	wantErr(t, "refund", step(s, refund.ID, op.Succeeded), nil)

	// Merchants are active, and those who transact have the record of it.
	wantKYC(t, s, merchant1, central.KYCApproved, unixMilli(1000), unixMilli(1000), true)
	_, err := s.KYC(background, merchant2, central.ServiceAEPS)
	wantErr(t, "a merchant that is not onboarded", err, central.ErrNotFound)
	list, total, err := s.MerchantsOf(background, vendor1, 0, 10)
	if err != nil || total != 2 || len(list) != 2 || !list[0].Active || list[0].Settlement != nil || list[0].Callback != nil || list[0].AppID != "" {
		t.Errorf("%d merchants, %+v, %v", total, list, err)
	}

	// Seeding fills in what that release could not record, and only that.
	seed := testSeed()
	seed.Merchants[0].LegalName = "Changed"
	for range 2 {
		wantErr(t, "seed", s.Seed(background, seed), nil)
		m, err := s.Merchant(background, merchant1)
		wantErr(t, "read", err, nil)
		want := testSeed().Merchants[0]
		want.CreatedAt, want.RiskFlag = unixMilli(1000), 0
		wantSame(t, "filled", m, want)
		seed.Merchants[0].AppID, seed.Merchants[0].VPA, seed.Merchants[0].MCC = "other", "other@galla", "0000"
		seed.Merchants[0].Settlement = &central.SettlementAccount{AccountLast4: "9999", IFSC: "X", BankName: "X", Holder: "X"}
		seed.Merchants[0].Callback = &central.Callback{URL: "https://other.example"}
		seed.KYC = append(seed.KYC, central.ServiceKYC{Merchant: merchant2, Service: central.ServiceAEPS, State: central.KYCApproved})
	}
	record, err := s.KYC(background, merchant2, central.ServiceAEPS)
	wantErr(t, "a seeded onboarding", err, nil)
	if m, err := s.Merchant(background, merchant2); err != nil || !m.AEPSReady || record.CreatedAt.IsZero() {
		t.Errorf("a seeded onboarding: %+v, %+v, %v", record, m, err)
	}
}
