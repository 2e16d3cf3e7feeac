package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/central"
	"galla/central/recovery"
	"galla/central/store/pgtest"
	"galla/central/store/sqlite"
	"galla/shared/op"
)

// dump writes every row of every table of a file, but for the marks of backups
// and restorations.
func dump(t *testing.T, path string) string {
	t.Helper()
	db := sqlite.Connect(path)
	defer db.Close()
	var tables []string
	rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('backups', 'restorations', 'log_state') ORDER BY name`)
	wantErr(t, "list tables", err, nil)
	for rows.Next() {
		var name string
		wantErr(t, "read", rows.Scan(&name), nil)
		tables = append(tables, name)
	}
	wantErr(t, "list tables", errors.Join(rows.Err(), rows.Close()), nil)
	var out strings.Builder
	for _, table := range tables {
		rows, err := db.Query(`SELECT * FROM ` + table + ` ORDER BY 1, 2`)
		wantErr(t, "read "+table, err, nil)
		columns, err := rows.Columns()
		wantErr(t, "read "+table, err, nil)
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		for rows.Next() {
			wantErr(t, "read "+table, rows.Scan(to...), nil)
			fmt.Fprintln(&out, table, values)
		}
		wantErr(t, "read "+table, errors.Join(rows.Err(), rows.Close()), nil)
	}
	return out.String()
}

// backedUp makes a store with an operation of each state, and a copy of it.
func backedUp(t *testing.T) (s *DB, path, copied string, ids map[op.State]central.Operation) {
	t.Helper()
	path = onSQLite.seeded(t)
	s = openAt(t, path, testConfig())
	ids = map[op.State]central.Operation{}
	for _, state := range allStates {
		ids[state] = inState(t, s, state)
	}
	wantErr(t, "note", s.RecordBackup(background, t0), nil)
	copied = filepath.Join(t.TempDir(), "copy.db")
	_, err := BackupSQLite(background, path, copied)
	wantErr(t, "back up", err, nil)
	return s, path, copied, ids
}

// TestBackupEquals: what is restored elsewhere is what was backed up.
func TestBackupEquals(t *testing.T) {
	s, path, copied, _ := backedUp(t)
	at, err := oneRow(background, s.task("read the last backup"), scanValue[time.Time], `SELECT max(at) FROM backups`)
	if err != nil || !at.Equal(truncateToMillis(t0)) {
		t.Errorf("the last backup was at %v, %v", at, err)
	}
	info, err := os.Stat(copied)
	wantErr(t, "find the copy", err, nil)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the copy's permissions are %v, others could read it", info.Mode())
	}
	want := dump(t, path)
	to := filepath.Join(t.TempDir(), "central.db")
	r, err := RestoreSQLite(background, RestoreConfig{From: copied, To: to, Complete: true, At: longAfter}, testConfig())
	wantErr(t, "restore", err, nil)
	if r.Gap || !r.BackupAt.Equal(truncateToMillis(t0)) || !r.At.Equal(truncateToMillis(longAfter)) || !r.ReleasedAt.Equal(r.At) || r.PresumedSent != 0 || r.Previous != "" {
		t.Errorf("restored: %+v", r)
	}
	if got := dump(t, to); got != want {
		t.Errorf("the restored database is not the one that was backed up:\n%s\n%s", got, want)
	}
	list, err := filepath.Glob(filepath.Join(filepath.Dir(to), "*"))
	if err != nil || len(list) != 1 {
		t.Errorf("beside the restored database lie %v, %v", list, err)
	}
	if _, err := BackupSQLite(background, path, copied); !errors.Is(err, ErrExists) {
		t.Errorf("a copy was written over: %v", err)
	}
	if _, err := BackupSQLite(background, path, filepath.Join(t.TempDir(), "none", "copy.db")); err == nil {
		t.Error("backed up into a folder that is none")
	}
}

// TestBackupWhileWriting: a copy is of one moment, whatever is written
// meanwhile, and the writers do not wait for it.
func TestBackupWhileWriting(t *testing.T) {
	path := onSQLite.seeded(t)
	s := openAt(t, path, testConfig())
	for range 500 {
		inState(t, s, op.Succeeded)
	}
	var written atomic.Int64
	ctx, stop := context.WithCancel(background)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for ctx.Err() == nil {
				o, isNew, err := s.Create(background, newOperation(), crashQuotas(newOperation()))
				wantNil(t, err)
				if isNew {
					wantNil(t, step(s, o.ID, op.Sent))
					written.Add(1)
				}
			}
		})
	}
	for written.Load() == 0 {
		runtime.Gosched()
	}
	for n := range 3 {
		before := written.Load()
		copied := filepath.Join(t.TempDir(), fmt.Sprint(n, ".db"))
		_, err := BackupSQLite(background, path, copied)
		wantErr(t, "back up", err, nil)
		c := openAt(t, copied, testConfig())
		wantErr(t, "count", c.read(background, func(c conn) error {
			var operations, steps, identities int64
			err := c.one(`SELECT (SELECT count(*) FROM operations), (SELECT count(DISTINCT operation) FROM operation_steps), (SELECT count(*) FROM identities)`,
				nil, &operations, &steps, &identities)
			if operations < 500+before || operations != steps || operations != identities {
				t.Errorf("copy %d has %d operations, %d histories, %d identities; %d were written before", n, operations, steps, identities, 500+before)
			}
			return err
		}), nil)
	}
	stop()
	writers.Wait()
	gone, leave := context.WithCancel(background)
	leave()
	if _, err := BackupSQLite(gone, path, filepath.Join(t.TempDir(), "x.db")); err == nil {
		t.Error("a copy for a caller who had left")
	}
}

// TestRestoreRefuses: a copy that was changed, and a database that
// is there, in use or not.
func TestRestoreRefuses(t *testing.T) {
	_, path, copied, _ := backedUp(t)
	text, err := os.ReadFile(copied)
	wantErr(t, "read", err, nil)
	sum, err := os.ReadFile(copied + sumSuffix)
	wantErr(t, "read", err, nil)
	put := func(name string, text, sum []byte) string {
		file := filepath.Join(t.TempDir(), name)
		wantErr(t, "write", errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(file+sumSuffix, sum, 0o600)), nil)
		return file
	}
	flipped := append([]byte(nil), text...)
	flipped[len(flipped)/2] ^= 1
	bare := filepath.Join(t.TempDir(), "bare.db")
	wantErr(t, "write", os.WriteFile(bare, text, 0o600), nil)
	fresh := func() string { return filepath.Join(t.TempDir(), "central.db") }
	for name, c := range map[string]struct {
		r    RestoreConfig
		want string
	}{
		"a flipped byte":      {RestoreConfig{From: put("copy.db", flipped, sum), To: fresh()}, "was changed"},
		"half of it":          {RestoreConfig{From: put("copy.db", text[:len(text)/2], sum), To: fresh()}, "was changed"},
		"no checksum":         {RestoreConfig{From: bare, To: fresh()}, "checksum"},
		"no copy":             {RestoreConfig{From: filepath.Join(t.TempDir(), "x"), To: fresh()}, "no such file"},
		"a database is there": {RestoreConfig{From: copied, To: path}, "there is a database already"},
		"a central runs":      {RestoreConfig{From: copied, To: path, Replace: true}, "stop the central first"},
	} {
		c.r.At = longAfter
		before := dump(t, path)
		if _, err := RestoreSQLite(background, c.r, testConfig()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
		if c.r.To == path {
			if dump(t, path) != before {
				t.Errorf("%s: the database was changed", name)
			}
		} else if _, err := os.Stat(c.r.To); err == nil {
			t.Errorf("%s: a database was made", name)
		}
	}
}

// TestRestoreKeepsTheOldOne: what was there is kept beside it, damaged or not,
// and what a crashed attempt left is no hindrance.
func TestRestoreKeepsTheOldOne(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		s, path, copied, _ := backedUp(t)
		late := created(t, s)
		wantErr(t, "close", s.Close(), nil)
		if damaged {
			wantErr(t, "damage", os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600), nil)
			wantErr(t, "a log of it", os.WriteFile(path+"-wal", []byte("log"), 0o600), nil)
		}
		was, err := os.ReadFile(path)
		wantErr(t, "read", err, nil)
		wantErr(t, "a crashed attempt", os.WriteFile(path+".restoring", []byte("half"), 0o600), nil)
		r, err := RestoreSQLite(background, RestoreConfig{From: copied, To: path, Replace: true, At: longAfter}, testConfig())
		wantErr(t, "restore", err, nil)
		if kept, err := os.ReadFile(r.Previous); err != nil || damaged && string(kept) != string(was) {
			t.Errorf("damaged %v: what was there is not kept in %s: %v", damaged, r.Previous, err)
		}
		again := openAt(t, path, testConfig())
		_, err = again.Operation(background, late.ID)
		wantErr(t, "what came after the copy", err, central.ErrNotFound)
		if !damaged {
			old := openAt(t, r.Previous, testConfig())
			_, err = old.Operation(background, late.ID)
			wantErr(t, "what came after the copy, in the old one", err, nil)
		}
	}
}

// TestMarkRestored: nothing that the copy has in received is reported as unsent,
// terminals' cursors leap, and the gap holds until it is released.
func TestMarkRestored(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		terminal := enrolled(t, s, 1)
		ids := map[op.State]op.ID{}
		for _, state := range allStates {
			ids[state] = inState(t, s, state, func(o *central.Operation) { o.Terminal = terminal.ID }).ID
		}
		finished := inState(t, s, op.Pending, func(o *central.Operation) { o.Terminal = terminal.ID })
		wantErr(t, "finish", step(s, finished.ID, op.Succeeded), nil)
		before, err := s.EventsAfter(background, terminal.ID, 0, 10)
		if err != nil || len(before) == 0 {
			t.Fatalf("events: %d, %v", len(before), err)
		}

		r, doubtful, err := s.MarkRestored(background, longAfter, true)
		if err != nil || doubtful != 1 || !r.Gap || !r.ReleasedAt.IsZero() || !r.BackupAt.IsZero() {
			t.Fatalf("mark: %+v, %d doubtful, %v", r, doubtful, err)
		}
		o, err := s.Operation(background, ids[op.Received])
		if err != nil || o.State != op.Sent || !o.BankNotAfter.After(longAfter) {
			t.Errorf("what was received is %s, the bank may begin it until %v, %v", o.State, o.BankNotAfter, err)
		}
		for _, state := range allStates[1:] {
			if o, err := s.Operation(background, ids[state]); err != nil || o.State != state {
				t.Errorf("what was %s is %s, %v", state, o.State, err)
			}
		}
		last := before[len(before)-1].Cursor
		next := inState(t, s, op.Pending, func(o *central.Operation) { o.Terminal = terminal.ID })
		wantErr(t, "finish", step(s, next.ID, op.Succeeded), nil)
		after, err := s.EventsAfter(background, terminal.ID, last+1_000_000, 10)
		if err != nil || len(after) != 1 || after[0].Operation != next.ID {
			t.Errorf("events after a cursor of the gap: %+v, %v", after, err)
		}

		if _, _, err := s.MarkRestored(background, longAfter.Add(time.Hour), false); err != nil {
			t.Fatal(err)
		}
		list, err := s.ListRestorations(background)
		if err != nil || len(list) != 2 || list[0].Gap || list[1] != r {
			t.Errorf("restorations: %+v, %v", list, err)
		}
		for _, want := range []int{1, 0} {
			if n, err := s.ReleaseRestorations(background, longAfter.Add(2*time.Hour)); err != nil || n != want {
				t.Errorf("released %d, %v; want %d", n, err, want)
			}
		}
		for _, statement := range []string{"DELETE FROM restorations", "UPDATE restorations SET released_at = NULL", "UPDATE restorations SET gap = 0"} {
			if err := tryWrite(s, statement); err == nil {
				t.Errorf("the schema takes %s", statement)
			}
		}
	})
}

// TestHeldIdentities: an identity waits for a person until it is an operation or a
// tombstone.
func TestHeldIdentities(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		o := newOperation()
		held := []recovery.HeldIdentity{{Caller: o.Caller, Identity: o.Identity, At: truncateToMillis(t0)}, {Caller: o.Caller, Identity: "never", At: truncateToMillis(t0.Add(time.Second))}}
		for range 2 {
			for _, h := range held {
				wantErr(t, "hold", s.HoldIdentity(background, h), nil)
			}
		}
		list, err := s.HeldIdentities(background, 10)
		wantErr(t, "list", err, nil)
		wantSame(t, "held", list, held)
		if tombstone, err := s.HasTombstone(background, o.Caller, "never"); err != nil || tombstone {
			t.Errorf("tombstone %v, %v", tombstone, err)
		}
		wantErr(t, "mark a tombstone", s.MarkTombstone(background, o.Caller, "never", t0), nil)
		wantErr(t, "mark it again", s.MarkTombstone(background, o.Caller, "never", t0), nil)
		if tombstone, err := s.HasTombstone(background, o.Caller, "never"); err != nil || !tombstone {
			t.Errorf("tombstone %v, %v", tombstone, err)
		}
		_, _, err = s.Create(background, o, nil)
		wantErr(t, "begin", err, nil)
		wantErr(t, "mark an operation", s.MarkTombstone(background, o.Caller, o.Identity, t0), central.ErrState)
		if list, err := s.HeldIdentities(background, 10); err != nil || len(list) != 0 {
			t.Errorf("held: %+v, %v", list, err)
		}
	})
}

// TestPostgresDump: a dump that PostgreSQL's own tools make and read back is a
// store, with all its rules.
func TestPostgresDump(t *testing.T) {
	url := onPostgres.seeded(t)
	s := openAt(t, url, testConfig())
	ids := map[op.State]central.Operation{}
	for _, state := range allStates {
		ids[state] = inState(t, s, state)
	}
	file := filepath.Join(t.TempDir(), "central.dump")
	run := func(program string, args ...string) {
		t.Helper()
		path, err := exec.LookPath(program)
		wantErr(t, "find "+program, err, nil)
		if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", program, err, out)
		}
	}
	run("pg_dump", "--format=custom", "--file="+file, "--dbname="+url)
	to := pgtest.Database(t)
	run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", "--dbname="+to, file)
	back := openAt(t, to, testConfig())
	for state, o := range ids {
		got, err := back.Operation(background, o.ID)
		wantErr(t, "read what was "+string(state), err, nil)
		wantSame(t, "what was "+string(state), got, o)
		steps, err := back.History(background, o.ID)
		if want, wantErr := s.History(background, o.ID); err != nil || wantErr != nil || len(steps) != len(want) {
			t.Errorf("history of what was %s: %d steps, %v", state, len(steps), err)
		}
	}
	if err := tryWrite(back, "DELETE FROM operations"); err == nil {
		t.Error("the restored schema lets operations go")
	}
	if _, doubtful, err := back.MarkRestored(background, longAfter, true); err != nil || doubtful != 1 {
		t.Errorf("mark: %d doubtful, %v", doubtful, err)
	}
	if _, isNew, err := back.Create(background, newOperation(), nil); err != nil || !isNew {
		t.Errorf("begin: new %v, %v", isNew, err)
	}
}
