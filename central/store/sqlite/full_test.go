package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/shared/smalldisk"
)

// TestFullDisk: on a disk that is really full, a change is made wholly or not at
// all, its caller learns which, and once there is free space again changes are
// taken without a restart.
func TestFullDisk(t *testing.T) { smalldisk.Run(t, 16, fullDisk) }

func fullDisk(t *testing.T, dir string) {
	ctx := context.Background()
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "central.db")
	table := func(ctx context.Context, own *sql.DB) error {
		_, err := own.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS b (n INTEGER NOT NULL PRIMARY KEY, body BLOB NOT NULL) STRICT")
		return err
	}
	insert := func(d *DB, n int) error {
		return d.Write(ctx, func(c dbconn.Conn) error {
			_, err := c.Exec("INSERT INTO b (n, body) VALUES ($1, zeroblob(5000))", []any{int64(n)})
			return err
		})
	}
	stands := func(d *DB) map[int]bool {
		t.Helper()
		all := map[int]bool{}
		if err := d.Read(ctx, func(c dbconn.Conn) error {
			return c.Each("SELECT n FROM b", nil, func(r dbconn.Row) error {
				var n int
				err := r.Scan(&n)
				all[n] = true
				return err
			})
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	d, err := Open(ctx, path, config(), table)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	made, refused := map[int]bool{}, 0
	var writing sync.WaitGroup
	for worker := range 8 {
		writing.Go(func() {
			for n := worker; n < 4000; n += 8 {
				err := insert(d, n)
				if err != nil && (!errors.Is(err, central.ErrBusy) || !strings.Contains(err.Error(), "free space")) {
					t.Errorf("a full disk is reported as: %v", err)
				}
				mu.Lock()
				if err == nil {
					made[n] = true
				} else {
					refused++
				}
				mu.Unlock()
			}
		})
	}
	writing.Wait()
	if len(made) < 100 || refused < 100 {
		t.Fatalf("%d changes were made and %d refused", len(made), refused)
	}
	same := func(when string) {
		t.Helper()
		all := stands(d)
		for n := range made {
			if !all[n] {
				t.Errorf("%s: change %d was made, and is not there", when, n)
			}
		}
		if len(all) != len(made) {
			t.Errorf("%s: %d changes were made, and %d are there", when, len(made), len(all))
		}
	}
	same("full")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for n := 4000; n < 4050; n++ {
		if err := insert(d, n); err != nil {
			t.Fatalf("with free space again: %v", err)
		}
		made[n] = true
	}
	same("with free space again")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = Open(ctx, path, config(), table); err != nil {
		t.Fatal(err)
	}
	same("opened again")
	var state string
	if err := d.Read(ctx, func(c dbconn.Conn) error {
		return c.Each("PRAGMA integrity_check", nil, func(r dbconn.Row) error { return r.Scan(&state) })
	}); err != nil || state != "ok" {
		t.Errorf("integrity: %s, %v", state, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
