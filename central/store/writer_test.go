package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mattn/go-sqlite3"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/central/store/sqlite"
	"galla/shared/op"
)

// held keeps the writer busy until it is released, so that a test can fill the
// queue behind it.
type held struct {
	running chan struct{}
	release chan struct{}
	result  chan error
}

// hold must be called in a synctest bubble, or with Wait on running.
func hold(s *DB) *held {
	h := &held{running: make(chan struct{}), release: make(chan struct{}), result: make(chan error, 1)}
	go func() {
		h.result <- s.write(background, func(conn) error {
			close(h.running)
			<-h.release
			return nil
		})
	}()
	<-h.running
	return h
}

// let releases the writer and waits for the held job's commit.
func (h *held) let(t *testing.T) {
	t.Helper()
	close(h.release)
	wantErr(t, "the job that held the writer", <-h.result, nil)
}

// inBubble runs a test in virtual time with a store of its own: a goroutine
// that is left over fails it, and synctest.Wait says that every call is queued.
func inBubble(t *testing.T, cfg Config, test func(t *testing.T, s *DB)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "central.db")
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, path, cfg)
		wantErr(t, "seed", s.Seed(background, testSeed()), nil)
		test(t, s)
	})
}

func TestOneBatchManyJobs(t *testing.T) {
	inBubble(t, testConfig(), func(t *testing.T, s *DB) {
		commits := countCommits(t, s, 0)
		h := hold(s)
		errs := make([]error, 50)
		ids := make([]op.ID, len(errs))
		var wg sync.WaitGroup
		for i := range errs {
			o := newOperation()
			switch i % 5 {
			case 1:
				o.Amount = -1 // breaks a constraint
			case 2:
				o.Aadhaar = "999941057058"
			}
			ids[i] = o.ID
			if i%5 == 3 {
				wg.Go(func() {
					errs[i] = s.write(background, func(c conn) error { _, _, _ = insertOperation(c, o, nil); panic("a fault") })
				})
			} else {
				wg.Go(func() { _, _, errs[i] = s.Create(background, o, nil) })
			}
		}
		synctest.Wait()
		h.let(t)
		wg.Wait()
		for i, err := range errs {
			bad := i%5 == 1 || i%5 == 2 || i%5 == 3
			if bad != (err != nil) {
				t.Errorf("job %d: error %v", i, err)
			}
			_, err := s.Operation(background, ids[i])
			if bad {
				wantErr(t, "a job that failed", err, central.ErrNotFound)
			} else {
				wantErr(t, "a job of the same batch", err, nil)
			}
		}
		if *commits != 2 {
			t.Errorf("%d commits, want one for the held job and one for all others", *commits)
		}
	})
}

func TestBatchesAreBounded(t *testing.T) {
	cfg := testConfig()
	cfg.Batch = 8
	inBubble(t, cfg, func(t *testing.T, s *DB) {
		commits := countCommits(t, s, 0)
		h := hold(s)
		var wg sync.WaitGroup
		for range 24 {
			wg.Go(func() { _, _, err := s.Create(background, newOperation(), nil); wantNil(t, err) })
		}
		synctest.Wait()
		h.let(t)
		wg.Wait()
		if *commits != 1+3 {
			t.Errorf("the held job and 24 jobs in batches of 8 made %d commits, want 4", *commits)
		}
	})
}

// wantNil may be called from any goroutine.
func wantNil(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestCommitFails(t *testing.T) {
	inBubble(t, testConfig(), func(t *testing.T, s *DB) {
		countCommits(t, s, 2) // the one after the held job's
		h := hold(s)
		var wg sync.WaitGroup
		errs := make([]error, 10)
		operations := make([]central.Operation, len(errs))
		for i := range errs {
			operations[i] = newOperation()
			wg.Go(func() { _, _, errs[i] = s.Create(background, operations[i], nil) })
		}
		synctest.Wait()
		h.let(t)
		wg.Wait()
		for i, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "commit: ") {
				t.Errorf("job %d of a batch whose commit failed: error %v", i, err)
			}
			_, err := s.Operation(background, operations[i].ID)
			wantErr(t, "an operation that was not committed", err, central.ErrNotFound)
		}
		if _, isNew, err := s.Create(background, operations[0], nil); err != nil || !isNew {
			t.Fatalf("after the commits work again: new %v, error %v", isNew, err)
		}
	})
}

// hookWriter reaches the writer's connection while the writer is idle.
func hookWriter(t *testing.T, s *DB, hook func(*sqlite3.SQLiteConn)) {
	t.Helper()
	wantErr(t, "reach the writer's connection", s.write(background, func(c conn) error {
		return c.Conn.(interface{ Raw(func(any) error) error }).Raw(func(link any) error {
			hook(link.(*sqlite3.SQLiteConn))
			return nil
		})
	}), nil)
}

// countCommits counts from now on, and refuses the commit of the given number.
func countCommits(t *testing.T, s *DB, refuse int) *int {
	t.Helper()
	n := -1 // this job's own
	hookWriter(t, s, func(c *sqlite3.SQLiteConn) {
		c.RegisterCommitHook(func() int {
			n++
			if refuse > 0 && n == refuse {
				return 1
			}
			return 0
		})
	})
	return &n
}

func TestQueueIsBounded(t *testing.T) {
	cfg := testConfig()
	cfg.Queue = 5
	inBubble(t, cfg, func(t *testing.T, s *DB) {
		h := hold(s)
		var wg sync.WaitGroup
		for range cfg.Queue {
			wg.Go(func() { _, _, err := s.Create(background, newOperation(), nil); wantNil(t, err) })
		}
		synctest.Wait()
		_, _, err := s.Create(background, newOperation(), nil)
		wantErr(t, "a job too many", err, central.ErrBusy)
		wantErr(t, "ping", s.Ping(background), central.ErrBusy)
		h.let(t)
		wg.Wait()
		wantErr(t, "ping", s.Ping(background), nil)
	})
}

func TestCallerLeaves(t *testing.T) {
	inBubble(t, testConfig(), func(t *testing.T, s *DB) {
		h := hold(s)
		o := newOperation()
		ctx, leave := context.WithCancel(background)
		left := make(chan error)
		go func() { _, _, err := s.Create(ctx, o, nil); left <- err }()
		synctest.Wait()
		leave()
		wantErr(t, "a caller who left the queue", <-left, context.Canceled) // while the writer is held
		h.let(t)
		wantErr(t, "ping", s.Ping(background), nil)
		_, err := s.Operation(background, o.ID)
		wantErr(t, "what it had queued", err, central.ErrNotFound)
	})
}

func TestCallerLeavesTooLate(t *testing.T) {
	inBubble(t, testConfig(), func(t *testing.T, s *DB) {
		o := newOperation()
		ctx, leave := context.WithCancel(background)
		begun, release, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			result <- s.write(ctx, func(c conn) error {
				close(begun)
				<-release
				_, _, err := insertOperation(c, o, nil)
				return err
			})
		}()
		<-begun
		leave()
		synctest.Wait()
		select {
		case err := <-result:
			t.Fatalf("the caller was answered %v while its change was under way", err)
		default:
		}
		close(release)
		wantErr(t, "a change that was begun", <-result, nil)
		_, err := s.Operation(background, o.ID)
		wantErr(t, "the change", err, nil)
	})
}

func TestPanicIsLoggedAndContained(t *testing.T) {
	var log bytes.Buffer
	cfg := testConfig()
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	inBubble(t, cfg, func(t *testing.T, s *DB) {
		err := s.write(background, func(conn) error { panic("nobody expects it") })
		if err == nil || strings.Contains(err.Error(), "nobody expects it") {
			t.Errorf("a panic gave error %v", err)
		}
		if !strings.Contains(log.String(), "nobody expects it") || !strings.Contains(log.String(), "writer_test.go") {
			t.Errorf("the log does not say where a panic was: %s", log.String())
		}
		created(t, s)
	})
}

// TestDiskFull bounds the file's pages: SQLite then says what it says when a
// disk is full.
func TestDiskFull(t *testing.T) {
	inBubble(t, testConfig(), func(t *testing.T, s *DB) {
		before := created(t, s)
		pages := func(n int64) (was int64) {
			wantErr(t, "set the limit of pages", s.write(background, func(c conn) error {
				if n == 0 {
					wantErr(t, "count pages", c.one("PRAGMA page_count", nil, &n), nil)
				}
				return c.one(fmt.Sprintf("PRAGMA max_page_count = %d", n), nil, &was)
			}), nil)
			return was
		}
		pages(0)
		var acknowledged []op.ID
		var full error
		h := hold(s)
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 200 {
			o := newOperation()
			o.STAN = strings.Repeat("9", 2000)
			wg.Go(func() {
				_, _, err := s.Create(background, o, nil)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					acknowledged = append(acknowledged, o.ID)
				} else {
					full = err
				}
			})
		}
		synctest.Wait()
		h.let(t)
		wg.Wait()
		if full == nil || !strings.Contains(full.Error(), "the disk is full") {
			t.Fatalf("error of a full disk: %v", full)
		}
		if _, err := s.Operation(background, before.ID); err != nil {
			t.Errorf("reading on a full disk: %v", err)
		}
		pages(1 << 30)
		for _, id := range acknowledged {
			if _, err := s.Operation(background, id); err != nil {
				t.Errorf("an acknowledged operation is gone: %v", err)
			}
		}
		created(t, s) // space has returned
	})
}

func TestCloseCommitsWhatIsQueued(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, path, testConfig())
		wantErr(t, "seed", s.Seed(background, testSeed()), nil)
		h := hold(s)
		operations := queueCreates(t, s, 20, nil)
		closed := make(chan error, 2)
		for range 2 {
			go func() { closed <- s.Close() }()
		}
		synctest.Wait()
		_, _, err := s.Create(background, newOperation(), nil)
		wantErr(t, "begin while closing", err, dbconn.ErrClosed)
		h.let(t)
		wantErr(t, "close", errors.Join(<-closed, <-closed), nil)
		_, err = s.Operation(background, operations[0].ID)
		wantErr(t, "read after close", err, dbconn.ErrClosed)
		wantErr(t, "ping after close", s.Ping(background), dbconn.ErrClosed)

		again := openAt(t, path, testConfig())
		for _, o := range operations {
			_, err := again.Operation(background, o.ID)
			wantErr(t, "an operation that was queued at close", err, nil)
		}
	})
}

func TestAbandonCommitsNothingMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "central.db")
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, path, testConfig())
		wantErr(t, "seed", s.Seed(background, testSeed()), nil)
		kept := created(t, s)
		h := hold(s)
		operations := queueCreates(t, s, 20, dbconn.ErrAbandoned)
		abandoned := make(chan error)
		go func() { abandoned <- s.Abandon() }()
		synctest.Wait()
		close(h.release)
		wantErr(t, "the open transaction", <-h.result, dbconn.ErrAbandoned)
		wantErr(t, "abandon", <-abandoned, nil)
		synctest.Wait()

		again := openAt(t, path, testConfig())
		_, err := again.Operation(background, kept.ID)
		wantErr(t, "what was committed before", err, nil)
		for _, o := range operations {
			_, err := again.Operation(background, o.ID)
			wantErr(t, "what was queued", err, central.ErrNotFound)
		}
	})
}

// queueCreates queues n operations behind a held writer, each of which must end
// with the given error.
func queueCreates(t *testing.T, s *DB, n int, want error) []central.Operation {
	t.Helper()
	var list []central.Operation
	for range n {
		o := newOperation()
		list = append(list, o)
		go func() {
			if _, _, err := s.Create(background, o, nil); !errors.Is(err, want) {
				t.Errorf("a queued operation ended with error %v, want %v", err, want)
			}
		}()
	}
	synctest.Wait()
	return list
}

// TestLockOfAnotherProgram holds the database's lock from outside.
func TestLockOfAnotherProgram(t *testing.T) {
	s := openSeeded(t, testConfig())
	hookWriter(t, s, func(c *sqlite3.SQLiteConn) {
		if _, err := c.Exec("PRAGMA busy_timeout = 1", nil); err != nil {
			t.Fatal(err)
		}
	})
	other := sqlite.Connect(s.db.Name())
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Create(background, newOperation(), nil)
	wantErr(t, "begin while another program writes", err, central.ErrBusy)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	created(t, s)
}

// TestLostTransaction loses the transaction in the middle of a batch, as
// SQLite does by itself when a disk fails.
func TestLostTransaction(t *testing.T) {
	for name, end := range map[string]error{"with an error": errors.New("the disk fails"), "without one": nil} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, testConfig(), func(t *testing.T, s *DB) {
				h := hold(s)
				var errs [7]error
				var operations [len(errs)]central.Operation
				var wg sync.WaitGroup
				for i := range errs {
					operations[i] = newOperation()
					wg.Go(func() {
						errs[i] = s.write(background, func(c conn) error {
							if i != 3 {
								_, _, err := insertOperation(c, operations[i], nil)
								return err
							}
							_, err := c.exec("ROLLBACK")
							return errors.Join(err, end)
						})
					})
					synctest.Wait() // one after the other, so that the order is known
				}
				h.let(t)
				wg.Wait()
				for i, err := range errs {
					if lost := i <= 3; lost != (err != nil) {
						t.Errorf("job %d, with the loss in job 3: error %v", i, err)
					}
					if _, readErr := s.Operation(background, operations[i].ID); (err == nil) != (readErr == nil) {
						t.Errorf("job %d was answered %v, and reading says %v", i, err, readErr)
					}
				}
			})
		})
	}
}

// TestReadersAreBounded: a read waits for a connection, and not beyond its
// context; closing waits for reads under way.
func TestReadersAreBounded(t *testing.T) {
	cfg := testConfig()
	cfg.Readers = 2
	inBubble(t, cfg, func(t *testing.T, s *DB) {
		release := make(chan struct{})
		var wg sync.WaitGroup
		for range cfg.Readers {
			wg.Go(func() { wantNil(t, s.read(background, func(conn) error { <-release; return nil })) })
		}
		synctest.Wait()
		ctx, leave := context.WithTimeout(background, time.Second)
		defer leave()
		_, err := s.Merchant(ctx, merchant1)
		wantErr(t, "a read that found no connection", err, context.DeadlineExceeded)
		waiting, closed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := s.Merchant(background, merchant1); waiting <- err }()
		synctest.Wait()
		go func() { closed <- s.Close() }()
		wantErr(t, "a read that waits when the store closes", <-waiting, dbconn.ErrClosed)
		synctest.Wait()
		select {
		case <-closed:
			t.Error("the store closed under its readers")
		default:
		}
		close(release)
		wantErr(t, "close", <-closed, nil)
		wg.Wait()
	})
}
