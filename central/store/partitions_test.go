package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// monthOf gives the partition that an operation is in.
func monthOf(t *testing.T, s *DB, id op.ID) (month string) {
	t.Helper()
	wantErr(t, "find the partition", s.read(background, func(c conn) error {
		return c.one(`SELECT CAST(tableoid::regclass AS TEXT) FROM operations WHERE id = $1`, []any{string(id)}, &month)
	}), nil)
	return month
}

func createdAt(at time.Time) func(*central.Operation) {
	return func(o *central.Operation) { o.CreatedAt = at }
}

// TestPartitions: operations are kept by the Indian month, those that no month was
// made for apart until one is.
func TestPartitions(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	newYear := time.Date(2031, 1, 1, 0, 0, 0, 0, ist.Zone())
	wantErr(t, "make a month", s.EnsurePartitions(background, newYear.Add(-time.Hour), 1), nil)
	kept := map[op.ID]string{}
	for at, month := range map[time.Time]string{
		newYear:                              "operations_2031_01",
		newYear.Add(-time.Millisecond):       "operations_2030_12",
		newYear.AddDate(0, 0, 30):            "operations_2031_01",
		newYear.AddDate(0, 1, 0):             "operations_default",
		newYear.AddDate(0, 3, 4):             "operations_default",
		newYear.AddDate(0, -1, 0):            "operations_2030_12",
		newYear.AddDate(0, -1, 0).Add(-1e6):  "operations_default",
		time.UnixMilli(0):                    "operations_default",
		newYear.Add(-90 * time.Minute).UTC(): "operations_2030_12",
	} {
		o := inState(t, s, op.Pending, createdAt(at), withRef("ref "+at.String()))
		kept[o.ID] = month
		if got := monthOf(t, s, o.ID); got != month {
			t.Errorf("an operation of %v is in %s, want %s", at, got, month)
		}
	}

	// A month that is made late takes its own, with their constraints, history
	// and triggers; many nodes may make it at once, again and again. One that has to wait for
	// others for long is told to try it again.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := s.EnsurePartitions(background, newYear, 3)
			for errors.Is(err, central.ErrBusy) {
				err = s.EnsurePartitions(background, newYear, 3)
			}
			wantNil(t, err)
		})
		wg.Go(func() {
			_, _, err := s.Create(background, newOperation(), nil)
			wantNil(t, err)
		})
	}
	wg.Wait()
	moved := 0
	for id, before := range kept {
		month := monthOf(t, s, id)
		if month != before {
			moved++
		}
		o, err := s.Operation(background, id)
		wantErr(t, "read", err, nil)
		if found, err := s.ByReference(background, party1, central.ReferenceQuery{CallerRef: o.CallerRef}); err != nil || found.ID != id {
			t.Errorf("an operation in %s is not found by its caller's reference: %v", month, err)
		}
		if steps, err := s.History(background, id); err != nil || len(steps) != 3 {
			t.Errorf("an operation in %s has %d steps: %v", month, len(steps), err)
		}
		for what, statement := range map[string]string{
			"a deletion": `DELETE FROM operations WHERE id = '%s'`,
			"an amount":  `UPDATE operations SET amount = 1 WHERE id = '%s'`,
			"a step":     `UPDATE operations SET state = 'received', pending_reference = NULL, sent_at = NULL, bank_not_after = NULL, next_enquiry = NULL WHERE id = '%s'`,
			"a party":    `UPDATE operations SET merchant = 'nobody' WHERE id = '%s'`,
		} {
			if err := tryWrite(s, fmt.Sprintf(statement, id)); err == nil {
				t.Errorf("%s takes %s", month, what)
			}
		}
		wantErr(t, "finish", step(s, id, op.Succeeded), nil)
	}
	if moved != 2 {
		t.Errorf("%d operations moved to their months, want 2", moved)
	}
	if list, err := s.LatestOperations(background, merchant1, 100); err != nil || len(list) != len(kept)+8 || !slices.IsSortedFunc(list, func(a, b central.Operation) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
		t.Errorf("%d newest operations over the months: %v", len(list), err)
	}
	onPostgres.audit(t, s)
}

// TestNamesAreOfAllMonths: what is unique is so beyond the month.
func TestNamesAreOfAllMonths(t *testing.T) { onBoth(t, namesAreOfAllMonths) }

func namesAreOfAllMonths(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	wantErr(t, "make months", s.EnsurePartitions(background, t0, 3), nil)
	later := t0.AddDate(0, 2, 0)
	first := created(t, s, withRef("R-1"))
	suspended := inState(t, s, op.Pending)

	same := newOperation()
	same.Reference, same.CreatedAt = first.Reference, later
	_, _, err := s.Create(background, same, nil)
	wantErr(t, "a reference of another month", err, central.ErrTaken)
	same = newOperation()
	same.CreatedAt, same.Identity = later, first.Identity
	if known, isNew, err := s.Create(background, same, nil); err != nil || isNew || known.ID != first.ID {
		t.Errorf("an identity of another month: operation %s, new %v, %v", known.ID, isNew, err)
	}
	same = newOperation()
	same.CreatedAt = later
	withRef("R-1")(&same)
	if known, isNew, err := s.Create(background, same, nil); err != nil || isNew || known.ID != first.ID {
		t.Errorf("a caller's reference of another month: operation %s, new %v, %v", known.ID, isNew, err)
	}
	same = newOperation()
	same.CreatedAt, same.ID = later, first.ID
	if _, _, err := s.Create(background, same, nil); err == nil {
		t.Error("an id of another month began a second operation")
	}
	other := inState(t, s, op.Sent, createdAt(later))
	o, err := s.MarkPending(background, pendingUpdate(other.ID))
	if err != nil || o.PendingReference == suspended.PendingReference {
		t.Errorf("two operations of two months have the pending reference %s: %v", o.PendingReference, err)
	}
}

// TestNamesInPostgres tries past the methods what the table of names must not
// take, and what empties tables without looking at rows.
func TestNamesInPostgres(t *testing.T) {
	s := onPostgres.open(t, testConfig())
	o := inState(t, s, op.Pending, withRef("R-1"))
	for _, statement := range []string{
		`UPDATE operation_names SET id = 'x'`, `UPDATE operation_names SET reference = 'x'`,
		`UPDATE operation_names SET created_at = 1`, `UPDATE operation_names SET pending_reference = 'x'`,
		`UPDATE operation_names SET caller_ref = 'x'`, `UPDATE operation_names SET party = 'x'`,
		`DELETE FROM operation_names`, `TRUNCATE operation_names CASCADE`, `TRUNCATE operations`, `TRUNCATE operations CASCADE`,
		`TRUNCATE identities`, `TRUNCATE operation_steps`, `TRUNCATE commissions`, `TRUNCATE ledger_entries`,
		`TRUNCATE service_kyc`, `TRUNCATE commission_slabs CASCADE`, `TRUNCATE vendor_keys CASCADE`,
		`UPDATE operations SET pending_reference = 'x' WHERE id = '` + string(o.ID) + `'`,
	} {
		if err := tryWrite(s, statement); err == nil {
			t.Errorf("the schema takes %s", statement)
		}
	}
}

// TestPartitionsWait: a month is not made while somebody reads the whole table, and
// those who work wait for that only shortly.
func TestPartitionsWait(t *testing.T) {
	place := onPostgres.seeded(t)
	s := openAt(t, place, testConfig())
	dump := onPostgres.raw(t, place)
	defer dump.Close()
	tx, err := dump.Begin()
	wantErr(t, "begin", err, nil)
	_, err = tx.Exec(`LOCK TABLE operations IN ACCESS SHARE MODE`)
	wantErr(t, "read", err, nil)
	wantErr(t, "make a month meanwhile", s.EnsurePartitions(background, t0.AddDate(20, 0, 0), 0), central.ErrBusy)
	created(t, s)
	wantErr(t, "end", tx.Rollback(), nil)
	wantErr(t, "make a month", s.EnsurePartitions(background, t0.AddDate(20, 0, 0), 0), nil)
}
