package store

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/retention"
	"galla/central/staff"
	"galla/central/transparency"
	"galla/shared/checkpoint"
	"galla/shared/op"
	"galla/shared/secret"
)

// logKey signs checkpoints; thiefKey is that of somebody else.
var (
	logKey   = secret.NewKey(bytes.Repeat([]byte{3}, 32))
	thiefKey = secret.NewKey(bytes.Repeat([]byte{4}, 32))
)

func sealerOver(t *testing.T, s *DB, key secret.Key) *transparency.Sealer {
	t.Helper()
	signer, err := checkpoint.NewSigner(key)
	wantErr(t, "make a signer", err, nil)
	return transparency.NewSealer(s, signer, rand.Reader)
}

func seal(t *testing.T, s *DB) {
	t.Helper()
	for _, source := range transparency.Sources() { // the tests' operations are of another day
		wantErr(t, "begin anew", s.SetSealedUntil(background, source, time.UnixMilli(0)), nil)
	}
	_, err := sealerOver(t, s, logKey).Run(background)
	wantErr(t, "seal", err, nil)
}

// verifyLog verifies as an auditor does an hour later, with the public key.
func verifyLog(t *testing.T, s *DB, kept ...string) transparency.Report {
	t.Helper()
	r, err := transparency.Verify(background, transparency.VerifyConfig{Store: s, Keys: logKeys(t), Kept: kept, Now: time.Now().Add(time.Hour)})
	wantErr(t, "verify", err, nil)
	return r
}

// logKeys are the public keys of the log.
func logKeys(t *testing.T) checkpoint.Keys {
	t.Helper()
	public, err := checkpoint.PublicKey(logKey)
	wantErr(t, "make a public key", err, nil)
	keys, err := checkpoint.ParseKeys(public)
	wantErr(t, "read a public key", err, nil)
	return keys
}

// loggedDay fills a database with what the log is about, seals it, and returns its last
// checkpoint. The operations are of every state; one has an earning.
func loggedDay(t *testing.T, s *DB) (checkpoint string, last central.Operation) {
	t.Helper()
	for _, state := range allStates {
		last = inState(t, s, state)
	}
	earned := created(t, s)
	wantErr(t, "send", step(s, earned.ID, op.Sent), nil)
	x := finalOutcome(earned.ID, op.Succeeded)
	x.Earning = earningOf(earned, "IMPS", 1)
	_, err := finish(s, x)
	wantErr(t, "finish with an earning", err, nil)
	for i := range 5 {
		wantErr(t, "write the audit log", s.AddAuditEntry(background, auditEntry(i)), nil)
	}
	seal(t, s)
	wantErr(t, "end", step(s, inState(t, s, op.Pending).ID, op.Reversed), nil)
	seal(t, s)
	head, err := s.LogHead(background)
	wantErr(t, "read the head", err, nil)
	return head.Checkpoint, last
}

func auditEntry(i int) staff.AuditEntry {
	return staff.AuditEntry{ID: fmt.Sprintf("0190b000-0000-7000-8000-00000000000%d", i), At: t0.Add(time.Duration(i) * time.Second), Person: "asha", Role: staff.Admin,
		From: "127.0.0.1", Action: staff.ActRole, Subject: "ravi", Outcome: staff.OutcomeDone, Was: "viewer", Became: "operator"}
}

// tamper runs statements as somebody who can do everything in the database: without triggers.
func (k kind) tamper(t *testing.T, s *DB, statements ...string) {
	t.Helper()
	err := s.write(background, func(c conn) error {
		var before, after []string
		if k == onSQLite {
			type trigger struct{ name, sql string }
			list, err := allRows(c, func(row row, x *trigger) error { return row.Scan(&x.name, &x.sql) }, `SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`)
			if err != nil {
				return err
			}
			for _, x := range list {
				before, after = append(before, "DROP TRIGGER "+x.name), append(after, x.sql)
			}
		} else {
			for _, table := range []string{"operations", "operation_steps", "ledger_entries", "commissions", "audit_log", "log_entries"} {
				before = append(before, "ALTER TABLE "+table+" DISABLE TRIGGER USER")
				after = append(after, "ALTER TABLE "+table+" ENABLE TRIGGER USER")
			}
		}
		for _, statement := range append(append(before, statements...), after...) {
			if _, err := c.exec(k.sql(statement)); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	wantErr(t, "tamper", err, nil)
}

// TestTampering: whatever somebody with every right in the database changes of the past is
// found, and named.
func TestTampering(t *testing.T) { onBoth(t, tampering) }

func tampering(t *testing.T, on kind) {
	const (
		anyOperation = `(SELECT max(id) FROM operations WHERE state = 'succeeded')`
		cutEnd       = `(SELECT max(number) FROM log_entries) - 2`
	)
	for _, c := range []struct {
		name   string
		do     []string
		found  string // in a fault
		kept   bool   // with a checkpoint that was kept elsewhere
		faults int
	}{
		{"an amount changed", []string{`UPDATE operations SET amount = amount + 100 WHERE id = ` + anyOperation}, "operation {id} was changed", false, 1},
		{"an outcome changed", []string{`UPDATE operations SET state = 'failed' WHERE id = ` + anyOperation}, "operation {id} was changed", false, 1},
		{"a reply changed", []string{`UPDATE operations SET reply = x'7b22617d' WHERE id = ` + anyOperation}, "its reply, or a reason", false, 1},
		{"a reason changed", []string{`UPDATE operation_steps SET reason = 'nothing happened' WHERE operation = ` + anyOperation + ` AND to_state = 'succeeded'`}, "its reply, or a reason", false, 1},
		{"a step removed", []string{`DELETE FROM operation_steps WHERE operation = ` + anyOperation + ` AND to_state = 'sent'`}, "operation {id} was changed", false, 1},
		{"a step of an open operation moved in time", []string{`UPDATE operation_steps SET at = at - 60000 WHERE to_state = 'pending' AND operation IN (SELECT id FROM operations WHERE state = 'pending')`}, "open ", false, 1},
		{"a ledger entry removed", []string{`DELETE FROM ledger_entries`}, "was changed after it was sealed", false, 1},
		{"a commission changed", []string{`UPDATE commissions SET commission = commission + 1`}, "was changed after it was sealed", false, 1},
		{"a row of the audit log changed", []string{`UPDATE audit_log SET actor = 'nobody' WHERE subject = 'ravi' AND id LIKE '%1'`}, "audit 0190b000-0000-7000-8000-000000000001 was changed", false, 1},
		{"three rows of the audit log removed", []string{`DELETE FROM audit_log WHERE id < '0190b000-0000-7000-8000-000000000003'`}, "audit 0190b000-0000-7000-8000-000000000002 was removed", false, 3},
		{"rows removed with their entries", []string{`DELETE FROM log_entries WHERE name = '0190b000-0000-7000-8000-000000000002'`, `DELETE FROM audit_log WHERE id = '0190b000-0000-7000-8000-000000000002'`}, "of the log are missing", false, 1},
		{"two rows of the audit log exchanged in the log", []string{
			`UPDATE log_entries SET name = 'x' WHERE name = '0190b000-0000-7000-8000-000000000001'`,
			`UPDATE log_entries SET name = '0190b000-0000-7000-8000-000000000001' WHERE name = '0190b000-0000-7000-8000-000000000002'`,
			`UPDATE log_entries SET name = '0190b000-0000-7000-8000-000000000002' WHERE name = 'x'`,
		}, "its entry was moved", false, 2},
		{"a row added to the past", []string{`INSERT INTO audit_log (id, at, node, actor, role, source, action, subject, outcome, was, became, note)
			SELECT '0190b000-0000-7000-8000-00000000000a', at + 1, node, actor, role, source, action, subject, outcome, was, became, note FROM audit_log WHERE id LIKE '%4'`}, "is in no entry of the log", false, 1},
		{"a hash of the tree changed", []string{`UPDATE log_tiles SET hashes = x'` + strings.Repeat("00", 32) + `' WHERE level = 0`}, "its tile was changed or removed", false, 0},
		{"a checkpoint removed of two", []string{`DELETE FROM log_checkpoints WHERE size = (SELECT max(size) FROM log_checkpoints)`}, "its last valid checkpoint", false, 1},
		{"a checkpoint changed", []string{`UPDATE log_checkpoints SET signed = replace(signed, 'galla-log/', 'galla-log/1')`}, "is not signed with a known key", false, 0},
		{"the end cut off", []string{
			`DELETE FROM audit_log WHERE id IN (SELECT name FROM log_entries WHERE number > ` + cutEnd + `)`,
			`DELETE FROM log_checkpoints WHERE size > ` + cutEnd + ` + 1`, `DELETE FROM log_entries WHERE number > ` + cutEnd,
		}, "the end was cut off", true, 0},
		{"another log in its place", []string{`UPDATE log_state SET log = '0000000000000000'`}, "this database's log was replaced", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := on.open(t, testConfig())
			checkpoint, _ := loggedDay(t, s)
			if r := verifyLog(t, s, checkpoint); !r.OK() || r.Entries == 0 || r.Checkpoints != 3 {
				t.Fatalf("before it was tampered with: %d entries, %d checkpoints, %q", r.Entries, r.Checkpoints, r.Faults)
			}
			id, err := query(background, s.task("find the operation"), func(c conn) (id string, err error) {
				err = c.one(`SELECT max(id) FROM operations WHERE state = 'succeeded'`, nil, &id)
				return id, err
			})
			wantErr(t, "find the operation", err, nil)
			on.tamper(t, s, c.do...)
			var kept []string
			if c.kept {
				kept = []string{checkpoint}
			}
			r := verifyLog(t, s, kept...)
			all := strings.Join(r.Faults, "\n")
			if !strings.Contains(all, strings.ReplaceAll(c.found, "{id}", id)) || c.faults > 0 && r.Count != c.faults {
				t.Errorf("%d faults, want %d: %s", r.Count, c.faults, all)
			}
		})
	}
}

// TestRebuiltLog: somebody who builds the whole log anew can't sign it.
func TestRebuiltLog(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		checkpoint, _ := loggedDay(t, s)
		on.tamper(t, s, `UPDATE audit_log SET actor = 'nobody' WHERE subject = 'ravi'`, `DELETE FROM log_checkpoints`, `DELETE FROM log_tiles`, `DELETE FROM log_entries`,
			`UPDATE log_sources SET until = 0`)
		_, err := sealerOver(t, s, thiefKey).Run(background)
		wantErr(t, "seal with another key", err, nil)
		r := verifyLog(t, s, checkpoint)
		if all := strings.Join(r.Faults, "\n"); !strings.Contains(all, "is not signed with a known key") || !strings.Contains(all, "does not agree with the log's tree") {
			t.Errorf("faults: %s", all)
		}
	})
}

// TestLogGrows: what is sealed in many runs, of one node or of two at once, is one tree, and
// each checkpoint continues the earlier ones.
func TestLogGrows(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		var signed []string
		for i := range 30 {
			for n := range 20 {
				e := auditEntry(0)
				e.ID = fmt.Sprintf("0190b000-0000-7000-8000-%012d", 100*i+n)
				wantErr(t, "write the audit log", s.AddAuditEntry(background, e), nil)
			}
			inState(t, s, op.Succeeded)
			errs := make(chan error)
			for range 2 {
				go func() { _, err := sealerOver(t, s, logKey).Run(background); errs <- err }()
			}
			if one, two := <-errs, <-errs; one != nil && two != nil {
				t.Fatalf("both runs failed: %v; %v", one, two)
			}
			seal(t, s)
			head, err := s.LogHead(background)
			wantErr(t, "read the head", err, nil)
			signed = append(signed, head.Checkpoint)
		}
		r := verifyLog(t, s, signed...)
		if !r.OK() || r.Entries != 30*21 {
			t.Fatalf("%d entries, faults %q", r.Entries, r.Faults)
		}
		public, _ := checkpoint.PublicKey(logKey)
		keys, _ := checkpoint.ParseKeys(public)
		last, err := keys.Open(signed[len(signed)-1])
		wantErr(t, "open the last checkpoint", err, nil)
		for _, text := range signed {
			earlier, err := keys.Open(text)
			wantErr(t, "open a checkpoint", err, nil)
			proof, err := transparency.Prove(background, s, last.Size, earlier.Size)
			wantErr(t, "prove", err, nil)
			wantErr(t, "check the proof", proof.Check(last, earlier), nil)
			if earlier.Size < last.Size {
				earlier.Root[0] ^= 1
				wantErr(t, "check the proof of a fork", proof.Check(last, earlier), checkpoint.ErrFork)
			}
		}
	})
}

func TestVerifyAfterAStop(t *testing.T) { onBoth(t, verifyAfterAStop) }

// verifyAfterAStop: the job looks for records without an entry only where sealing has caught
// up. After a stop it runs before that, and would wake somebody for nothing.
func verifyAfterAStop(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	loggedDay(t, s)
	wantErr(t, "write the audit log", s.AddAuditEntry(background, auditEntry(7)), nil)
	run := func(sealed time.Time) (string, error) {
		for _, source := range transparency.Sources() {
			wantErr(t, "say how far it is sealed", s.SetSealedUntil(background, source, sealed), nil)
		}
		return transparency.VerifyJob(s, logKeys(t)).Run(background)
	}
	if note, err := run(time.Now().Add(-time.Hour)); err != nil || !strings.Contains(note, "not sealed yet") {
		t.Errorf("after a stop: %q, %v", note, err)
	}
	if note, err := run(time.Now()); err == nil || !strings.Contains(err.Error(), "in no entry") {
		t.Errorf("with all sealed: %q, %v", note, err)
	}
}

// TestArchivedStaysVerified: what retention erases is no change of the past.
func TestArchivedStaysVerified(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		_, last := loggedDay(t, s)
		list, err := s.UnarchivedOperations(background, longAfter, time.Time{}, "", 100)
		wantErr(t, "list what is due", err, nil)
		var due []retention.BodyRemoval
		for _, x := range list {
			due = append(due, shrinking(x.Operation))
		}
		n, err := s.RemoveBodies(background, archiveNamed("operations-1.ndjson.gz", len(due)), due)
		if err != nil || n != len(due) || n == 0 {
			t.Fatalf("archived %d of %d: %v", n, len(due), err)
		}
		if r := verifyLog(t, s); !r.OK() {
			t.Errorf("after archiving: %q", r.Faults)
		}
		on.tamper(t, s, `UPDATE operations SET amount = amount + 1 WHERE id = '`+string(last.ID)+`'`)
		if r := verifyLog(t, s); r.OK() {
			t.Error("a change of an archived operation was not found")
		}
	})
}

// TestRestoredLog: after a restoration from a backup the log goes on in a new epoch, and a
// checkpoint of what was lost is told apart from a cut end.
func TestRestoredLog(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		loggedDay(t, s)
		before, err := s.LogHead(background)
		wantErr(t, "read the head", err, nil)
		lost := auditEntry(9)
		wantErr(t, "write the audit log", s.AddAuditEntry(background, lost), nil)
		seal(t, s)
		after, err := s.LogHead(background)
		wantErr(t, "read the head", err, nil)
		on.tamper(t, s, `DELETE FROM audit_log WHERE id = '`+lost.ID+`'`, fmt.Sprintf(`DELETE FROM log_entries WHERE number >= %d`, before.Size),
			fmt.Sprintf(`DELETE FROM log_checkpoints WHERE size > %d`, before.Size))
		if r := verifyLog(t, s, after.Checkpoint); r.Count != 1 {
			t.Errorf("the lost end is %q", r.Faults)
		}
		_, _, err = s.MarkRestored(background, time.Now(), true)
		wantErr(t, "mark as restored", err, nil)
		wantErr(t, "write the audit log", s.AddAuditEntry(background, auditEntry(8)), nil)
		seal(t, s)
		r := verifyLog(t, s, before.Checkpoint, after.Checkpoint)
		if !r.OK() || len(r.Notes) != 1 || r.Head.Epoch != before.Epoch+1 {
			t.Errorf("epoch %d, faults %q, notes %q", r.Head.Epoch, r.Faults, r.Notes)
		}
	})
}

// BenchmarkSeal is what the log costs for each money operation: none of it is in the path of
// the operation, but on SQLite it takes the writer's time.
func BenchmarkSeal(b *testing.B) {
	for _, on := range []kind{onSQLite, onPostgres} {
		b.Run(string(on), func(b *testing.B) {
			s := on.open(b, testConfig())
			signer, err := checkpoint.NewSigner(logKey)
			if err != nil {
				b.Fatal(err)
			}
			sealer := transparency.NewSealer(s, signer, rand.Reader)
			for range b.N {
				o, _, err := s.Create(background, newOperation(), nil)
				if err == nil {
					err = s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0, BankNotAfter: t0.Add(15 * time.Second)})
				}
				if err == nil {
					_, err = finish(s, finalOutcome(o.ID, op.Succeeded))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			if _, err := sealer.Run(background); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if head, err := s.LogHead(background); err != nil || head.Size != int64(b.N) {
				b.Fatalf("%d of %d operations are sealed: %v", head.Size, b.N, err)
			}
		})
	}
}
