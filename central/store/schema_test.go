package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/central"
	"galla/central/store/pgtest"
	"galla/shared/op"
)

var allStates = []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}

// tryWrite runs statements in a job and undoes them.
func tryWrite(s *DB, statements ...string) error {
	undone := fmt.Errorf("undone")
	var failure error
	_ = s.write(background, func(c conn) error {
		for _, statement := range statements {
			if _, err := c.exec(statement); err != nil {
				failure = err
				return err
			}
		}
		return undone
	})
	return failure
}

// columnsOf says what a row of a state must have, so that only the step itself
// can be at fault.
func columnsOf(state op.State) string {
	set := "state = '" + string(state) + "'"
	switch state {
	case op.Sent:
		set += ", sent_at = 1, bank_not_after = 2"
	case op.Pending:
		set += ", sent_at = 1, bank_not_after = 2, pending_reference = 'P-x', next_enquiry = 3"
	case op.Succeeded, op.Failed, op.Reversed, op.Refused:
		set += ", finished_at = 4, reply = x'7b7d', http = 200, next_enquiry = NULL"
	}
	return set
}

// TestStatesInSQL walks every pair of states through SQL, past the methods, and
// compares the schema with central.CanBecome.
func TestStatesInSQL(t *testing.T) { onBoth(t, statesInSQL) }

func statesInSQL(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	for _, from := range allStates {
		o := inState(t, s, from)
		for _, to := range append(allStates, op.Expired, op.Queued, "") {
			err := tryWrite(s, on.sql(fmt.Sprintf(`UPDATE operations SET %s WHERE id = '%s'`, columnsOf(to), o.ID)))
			if legal := central.CanTransition(from, to); legal != (err == nil) {
				t.Errorf("%s to %q: the table says %v, the schema says %v", from, to, legal, err)
			}
		}
		// Only the states received and sent begin.
		err := tryWrite(s, `CREATE TEMP TABLE copy AS SELECT * FROM operations WHERE id = '`+string(o.ID)+`'`,
			`UPDATE copy SET id = 'other', reference = 'other', pending_reference = NULL`,
			`INSERT INTO operations SELECT * FROM copy`)
		if begins := from == op.Received || from == op.Sent; begins != (err == nil) {
			t.Errorf("an operation began in state %s: %v", from, err)
		}
	}
}

// TestStateNamesOfSteps compares the constraint on the history with the table
// of transitions; an enquiry is a step from pending to pending.
func TestStateNamesOfSteps(t *testing.T) { onBoth(t, stateNamesOfSteps) }

func stateNamesOfSteps(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	o := created(t, s)
	for _, from := range append(allStates, "") {
		for _, to := range append(allStates, "") {
			legal := central.CanTransition(from, to) || from == "" && to == op.Received || from == op.Pending && to == op.Pending
			err := tryWrite(s, fmt.Sprintf(`INSERT INTO operation_steps (operation, step, at, node, from_state, to_state, reason)
				VALUES ('%s', 99, 1, '', '%s', '%s', '')`, o.ID, from, to))
			if legal != (err == nil) {
				t.Errorf("step from %q to %q: legal %v, the schema says %v", from, to, legal, err)
			}
		}
	}
}

func TestSchemaRefuses(t *testing.T) { onBoth(t, schemaRefuses) }

func schemaRefuses(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	terminal := enrolled(t, s, 1)
	ids := map[op.State]op.ID{}
	for _, state := range allStates {
		ids[state] = inState(t, s, state, func(o *central.Operation) { o.Terminal = terminal.ID }).ID
	}
	set := func(state op.State, what string) string {
		return fmt.Sprintf(`UPDATE operations SET %s WHERE id = '%s'`, what, ids[state])
	}
	cases := []struct{ name, statement string }{
		{"a final operation's reply", set(op.Succeeded, "reply = x'00'")},
		{"a final operation's attempts", set(op.Refused, "enquiries = 7")},
		{"an amount", set(op.Received, "amount = 1")},
		{"a reference", set(op.Received, "reference = 'other'")},
		{"an identity", set(op.Received, "identity = 'other'")},
		{"an Aadhaar number", set(op.Received, "aadhaar = '999941057058'")},
		{"sent without a state", set(op.Received, "sent_at = 1, bank_not_after = 2")},
		{"sent without a deadline", set(op.Received, "state = 'sent', sent_at = 1")},
		{"pending without a reference", set(op.Sent, "state = 'pending', next_enquiry = 1")},
		{"pending without an enquiry", set(op.Sent, "state = 'pending', pending_reference = 'x'")},
		{"an enquiry after a sent one", set(op.Sent, "next_enquiry = 1")},
		{"a stuck sent one", set(op.Sent, "stuck_at = 1")},
		{"a pending reference that is taken", set(op.Sent, "state = 'pending', next_enquiry = 1, pending_reference = (SELECT pending_reference FROM operations WHERE state = 'pending')")},
		{"a failure without a moment", set(op.Sent, "state = 'failed', reply = x'00', http = 200")},
		{"a failure without a reply", set(op.Sent, "state = 'failed', finished_at = 1")},
		{"a failure without an HTTP status", set(op.Sent, "state = 'failed', finished_at = 1, reply = x'00'")},
		{"a reply before the end", set(op.Sent, "reply = x'00', http = 200")},
		{"text for a time", set(op.Pending, "next_enquiry = 'tomorrow'")},
		{"a fraction of a millisecond", set(op.Pending, "next_enquiry = 1.5")},
		{"a negative count", set(op.Pending, "enquiries = -1")},
		{"a deleted operation", "DELETE FROM operations"},
		{"a deleted identity", "DELETE FROM identities"},
		{"another identity", "UPDATE identities SET identity = 'other'"},
		{"an identity of nothing", "INSERT INTO identities (caller, identity) VALUES ('a', 'b')"},
		{"a rewritten history", "UPDATE operation_steps SET reason = 'other'"},
		{"a deleted history", "DELETE FROM operation_steps"},
		{"an event of nothing", fmt.Sprintf("INSERT INTO events (terminal, cursor, kind, at) VALUES ('%s', 9, 'outcome', 1)", terminal.ID)},
		{"a kind of event that is none", fmt.Sprintf("INSERT INTO events (terminal, cursor, kind, at) VALUES ('%s', 9, 'party', 1)", terminal.ID)},
		{"a terminal of nobody", "UPDATE terminals SET merchant = 'nobody'"},
		{"a merchant's deletion", "DELETE FROM merchants"},
		{"a code that is no hash", "INSERT INTO enrolment_codes (hash, merchant, created_at, expires_at) VALUES (x'00', '" + string(merchant1) + "', 1, 2)"},
		{"a used code without a terminal", "UPDATE enrolment_codes SET terminal = NULL"},
	}
	for _, c := range cases {
		if on == onPostgres && strings.HasPrefix(c.name, "a fraction") {
			continue // it rounds what is assigned to an integer; the store's parameters are integers
		}
		if err := tryWrite(s, on.sql(c.statement)); err == nil {
			t.Errorf("the schema takes %s: %s", c.name, c.statement)
		}
	}
}

// TestNothingInTheClear runs operations whose Aadhaar number is known and looks
// for it in every byte that the store leaves on the disk, and in what a server
// says of itself.
func TestNothingInTheClear(t *testing.T) { onBoth(t, nothingInTheClear) }

func nothingInTheClear(t *testing.T, on kind) {
	const number = "999941057058"
	folder, err := os.MkdirTemp("", "galla-clear")
	wantErr(t, "make a folder", err, nil)
	defer os.RemoveAll(folder)
	place, stop := filepath.Join(folder, "central.db"), func() error { return nil }
	if on == onPostgres {
		pgtest.SkipIfShort(t)
		server, err := pgtest.Start(folder, pgtest.Options{Durable: true, Settings: []string{
			"logging_collector=on", "log_directory=" + filepath.Join(folder, "data", "said"), "log_min_messages=info",
			"log_error_verbosity=verbose", "log_connections=on",
		}})
		wantErr(t, "start a server", err, nil)
		place, stop = server.URL("postgres"), server.Stop
	}
	s := openAt(t, place, testConfig())
	wantErr(t, "seed", s.Seed(background, testSeed()), nil)
	for _, state := range allStates {
		inState(t, s, state)
	}
	for _, text := range []string{number, " " + number, number + "\x00", "XXXXXXXX70" + number} {
		o := newOperation()
		o.Aadhaar = text
		if _, _, err := s.Create(background, o, nil); err == nil || strings.Contains(err.Error(), number) {
			t.Fatal("an Aadhaar number in the clear was taken, or quoted in the refusal")
		}
	}
	look := func(when string) {
		masked := false
		wantErr(t, "read", filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil // a file of the server's that has gone meanwhile
			}
			text, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if bytes.Contains(text, []byte(number)) {
				t.Errorf("%s: %s has an Aadhaar number in the clear", when, filepath.Base(path))
			}
			masked = masked || bytes.Contains(text, []byte("XXXXXXXX7058"))
			return nil
		}), nil)
		if !masked {
			t.Errorf("%s: the masked number is nowhere: the test does not see the rows", when)
		}
	}
	look("while it is open")
	wantErr(t, "close", s.Close(), nil)
	wantErr(t, "stop", stop(), nil)
	look("after it was closed")
}
