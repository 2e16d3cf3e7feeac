package sqlite

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"galla/central/store/dbconn"
)

// inBatches opens a database in virtual time, whose writer can be held, so that the jobs behind
// it share a batch.
func inBatches(t *testing.T, test func(t *testing.T, d *DB, hold func() (release func()))) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "central.db")
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(t.Context(), path, config(), making)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		test(t, d, func() func() {
			held := make(chan struct{})
			var done sync.WaitGroup
			done.Go(func() {
				if err := d.Write(t.Context(), func(dbconn.Conn) error { <-held; return nil }); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			return func() { close(held); done.Wait() }
		})
	})
}

// TestFailedJobIsUndoneAlone: the jobs of a batch are made wholly or not at all, whether a failed
// one has changed something or nothing, and each failed one keeps its own error.
func TestFailedJobIsUndoneAlone(t *testing.T) {
	inBatches(t, func(t *testing.T, d *DB, hold func() func()) {
		refused := errors.New("refused")
		insert := func(c dbconn.Conn, n int) error {
			_, err := c.Exec("INSERT INTO a (n) VALUES ($1)", []any{int64(n)})
			return err
		}
		release := hold()
		var errs [12]error
		var runs [12]int
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				errs[i] = d.Write(t.Context(), func(c dbconn.Conn) error {
					runs[i]++
					switch {
					case i%4 == 1: // fails without a change
						return refused
					case i%4 == 3:
						return errors.Join(insert(c, i), refused)
					}
					return insert(c, i)
				})
			})
			synctest.Wait() // one after the other, so that the order is known
		}
		release()
		wg.Wait()
		if err := d.Read(t.Context(), func(c dbconn.Conn) error {
			return c.Each("SELECT n FROM a", nil, func(r dbconn.Row) error {
				var n int
				err := r.Scan(&n)
				if n%2 == 1 {
					t.Errorf("the change of failed job %d is there", n)
				}
				runs[n] += 100
				return err
			})
		}); err != nil {
			t.Error(err)
		}
		for i, err := range errs {
			if failed := i%2 == 1; failed != errors.Is(err, refused) || !failed && (err != nil || runs[i] < 100) {
				t.Errorf("job %d: error %v, runs %d", i, err, runs[i])
			}
			// The first that had to be undone made those before it run again, once; from then on
			// there are savepoints.
			if again := i <= 3; again != (runs[i]%100 == 2) || !again && runs[i]%100 != 1 {
				t.Errorf("job %d ran %d times", i, runs[i]%100)
			}
		}
	})
}

// TestFailingCallerIsCheap: a caller who fails in each batch makes one of many batches run
// twice.
func TestFailingCallerIsCheap(t *testing.T) {
	inBatches(t, func(t *testing.T, d *DB, hold func() func()) {
		refused := errors.New("refused")
		var runs, jobs atomic.Int64
		for batch := range 40 {
			release := hold()
			var wg sync.WaitGroup
			for i := range 20 {
				jobs.Add(1)
				wg.Go(func() {
					err := d.Write(t.Context(), func(c dbconn.Conn) error {
						runs.Add(1)
						_, err := c.Exec("INSERT INTO a (n) VALUES ($1)", []any{int64(batch*100 + i)})
						if i == 10 {
							err = errors.Join(err, refused)
						}
						return err
					})
					if (i == 10) != errors.Is(err, refused) || i != 10 && err != nil {
						t.Errorf("job %d of batch %d: %v", i, batch, err)
					}
				})
			}
			synctest.Wait()
			release()
			wg.Wait()
		}
		if again := runs.Load() - jobs.Load(); again < 1 || again > 21 {
			t.Errorf("%d jobs ran %d times more: want those of one batch", jobs.Load(), again)
		}
	})
}
