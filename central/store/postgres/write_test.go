package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/central/store/pgtest"
)

// TestRunAgain: others' work on the same rows makes a change run again, and the
// second run sees it.
func TestRunAgain(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	d := opened(t, url, config())
	exec := func(statement string) func(l dbconn.Conn) error {
		return func(l dbconn.Conn) error { _, err := l.Exec(statement, nil); return err }
	}
	t.Run("a record that another added meanwhile", func(t *testing.T) {
		runs, found := 0, false
		err := d.Write(t.Context(), func(l dbconn.Conn) error {
			runs++
			found = false
			if err := l.Each(`SELECT n FROM b WHERE n = 1`, nil, func(dbconn.Row) error { found = true; return nil }); err != nil || found {
				return err
			}
			if runs == 1 { // between the look and the insert
				wantErr(t, "the other", d.Write(t.Context(), exec(`INSERT INTO b (n) VALUES (1)`)), nil)
			}
			return exec(`INSERT INTO b (n) VALUES (1)`)(l)
		})
		if err != nil || runs != 2 || !found {
			t.Errorf("error %v after %d runs, found %t", err, runs, found)
		}
	})
	t.Run("a record that stays there", func(t *testing.T) {
		runs := 0
		err := d.Write(t.Context(), func(l dbconn.Conn) error { runs++; return exec(`INSERT INTO b (n) VALUES (1)`)(l) })
		if err == nil || !strings.Contains(err.Error(), "there is such a record already") || runs != maxDuplicateRetries {
			t.Errorf("error %v after %d runs", err, runs)
		}
	})
	t.Run("deadlocks", func(t *testing.T) {
		wantErr(t, "two rows", d.Write(t.Context(), exec(`INSERT INTO b (n) VALUES (10), (11)`)), nil)
		var runs atomic.Int32
		var met sync.WaitGroup
		met.Add(2)
		change := func(first, second string) error {
			once := false
			return d.Write(t.Context(), func(l dbconn.Conn) error {
				runs.Add(1)
				if err := exec(`UPDATE b SET a = NULL WHERE n = ` + first)(l); err != nil {
					return err
				}
				if !once {
					once = true
					met.Done()
					met.Wait()
				}
				return exec(`UPDATE b SET a = NULL WHERE n = ` + second)(l)
			})
		}
		result := make(chan error)
		go func() { result <- change("10", "11") }()
		wantErr(t, "one", change("11", "10"), nil)
		wantErr(t, "the other", <-result, nil)
		if n := runs.Load(); n < 3 {
			t.Errorf("%d runs, want one that lost and ran again", n)
		}
	})
	t.Run("a table that changed", func(t *testing.T) {
		look := func(l dbconn.Conn) error {
			return l.Each(`SELECT * FROM b WHERE n = $1`, []any{1}, func(dbconn.Row) error { return nil })
		}
		for range 3 {
			wantErr(t, "look", d.Write(t.Context(), look), nil)
		}
		own, err := Connect(t.Context(), url, config())
		wantErr(t, "connect", err, nil)
		_, err = own.Exec(`ALTER TABLE b ADD COLUMN c BIGINT`)
		wantErr(t, "migrate", errors.Join(err, own.Close()), nil)
		for range 3 {
			wantErr(t, "look", d.Write(t.Context(), look), nil)
			wantErr(t, "read", d.Read(t.Context(), look), nil)
		}
	})
	t.Run("an error that was swallowed", func(t *testing.T) {
		err := d.Write(t.Context(), func(l dbconn.Conn) error {
			_, _ = l.Exec(`INSERT INTO b (n) VALUES (-1)`, nil)
			return nil
		})
		wantErr(t, "commit", err, errRolledBack)
	})
}

// TestPanic is logged, contained and undone.
func TestPanic(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	var log bytes.Buffer
	cfg := config()
	cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
	d := opened(t, url, cfg)
	for name, change := range map[string]func(dbconn.Conn) error{
		"after a statement": func(l dbconn.Conn) error { _ = adding(1)(l); panic("nobody expects it") },
		"inside of a result": func(l dbconn.Conn) error {
			return l.Each(`SELECT generate_series(1, 100000)`, nil, func(dbconn.Row) error { panic("nobody expects it") })
		},
	} {
		log.Reset()
		err := d.Write(t.Context(), change)
		if err == nil || strings.Contains(err.Error(), "nobody expects it") || errors.Is(err, central.ErrBusy) {
			t.Errorf("%s: error %v", name, err)
		}
		if !strings.Contains(log.String(), "nobody expects it") || !strings.Contains(log.String(), "write_test.go") {
			t.Errorf("%s: the log does not say where it was: %s", name, log.String())
		}
	}
	wantErr(t, "afterwards", d.Write(t.Context(), adding(2)), nil)
	if n := times(t, url, 1); n != 0 {
		t.Errorf("what a panic left stands there %d times", n)
	}
}

// TestBounds: connections, and the calls that wait for one, are bounded.
func TestBounds(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	cfg := config()
	cfg.Connections, cfg.Queue = 2, 3
	d := opened(t, url, cfg)
	release := make(chan struct{})
	var running, wg sync.WaitGroup
	errs := make(chan error, 10)
	running.Add(cfg.Connections)
	for n := range cfg.Connections + cfg.Queue {
		first := n < cfg.Connections
		wg.Go(func() {
			errs <- d.Write(context.Background(), func(l dbconn.Conn) error {
				if first {
					running.Done()
					<-release
				}
				return adding(n)(l)
			})
		})
		if n == cfg.Connections-1 {
			running.Wait()
		}
	}
	for d.PoolUsage().Waiting < cfg.Queue {
		time.Sleep(time.Millisecond)
	}
	wantErr(t, "a change too many", d.Write(t.Context(), adding(99)), central.ErrBusy)
	wantErr(t, "a read too many", d.Read(t.Context(), func(dbconn.Conn) error { return nil }), central.ErrBusy)
	close(release)
	wg.Wait()
	for range cfg.Connections + cfg.Queue {
		wantErr(t, "those that waited", <-errs, nil)
	}
	wantErr(t, "afterwards", d.Write(t.Context(), adding(99)), nil)
}

// TestCallerLeaves: before the change is begun it is taken back; afterwards the
// caller learns what became of it.
func TestCallerLeaves(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	cfg := config()
	cfg.Connections = 1
	d := opened(t, url, cfg)
	begun, release, result := make(chan struct{}), make(chan struct{}), make(chan error)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		result <- d.Write(ctx, func(l dbconn.Conn) error {
			close(begun)
			<-release
			return adding(1)(l)
		})
	}()
	<-begun
	leave()
	waiting, leaveToo := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer leaveToo()
	wantErr(t, "one who waits for a connection", d.Write(waiting, adding(2)), context.DeadlineExceeded)
	wantErr(t, "one who reads", d.Read(waiting, func(dbconn.Conn) error { return nil }), context.DeadlineExceeded)
	close(release)
	wantErr(t, "one who left too late", <-result, nil)
	wantErr(t, "one who left before", d.Write(ctx, adding(3)), context.Canceled)
	if a, b := times(t, url, 1), times(t, url, 2)+times(t, url, 3); a != 1 || b != 0 {
		t.Errorf("what was begun stands there %d times, what was not %d times", a, b)
	}
}

// TestCloseWaits for the calls under way.
func TestCloseWaits(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	d := opened(t, url, config())
	begun, release, result, closed := make(chan struct{}), make(chan struct{}), make(chan error), make(chan error)
	go func() {
		result <- d.Write(t.Context(), func(l dbconn.Conn) error {
			close(begun)
			<-release
			return adding(1)(l)
		})
	}()
	<-begun
	go func() { closed <- d.Close() }()
	for d.startCall() == nil {
		d.endCall()
		time.Sleep(time.Millisecond)
	}
	wantErr(t, "a change while it closes", d.Write(t.Context(), adding(2)), dbconn.ErrClosed)
	select {
	case <-closed:
		t.Error("it closed under a change")
	default:
	}
	close(release)
	wantErr(t, "the change", <-result, nil)
	wantErr(t, "close", <-closed, nil)
	if n := times(t, url, 1); n != 1 {
		t.Errorf("it stands there %d times", n)
	}
}

// TestAbandon commits nothing more, and cuts what is under way.
func TestAbandon(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	cfg := config()
	cfg.Connections = 2
	cfg.OnNotify = func(string) {}
	d := opened(t, url, cfg)
	wantErr(t, "what was before", d.Write(t.Context(), adding(1)), nil)
	release := make(chan struct{})
	var begun sync.WaitGroup
	results := make(chan error, 4)
	begun.Add(2)
	for n := range 4 {
		go func() {
			results <- d.Write(t.Context(), func(l dbconn.Conn) error {
				err := adding(2 + n)(l)
				begun.Done()
				<-release
				return err
			})
		}()
	}
	begun.Wait()
	abandoned := make(chan error)
	go func() { abandoned <- d.Abandon() }()
	for !d.abandoned.Load() || d.lifetime.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	close(release)
	for range 4 {
		if err := <-results; !errors.Is(err, dbconn.ErrAbandoned) && !errors.Is(err, dbconn.ErrClosed) {
			t.Errorf("a change under way: %v", err)
		}
	}
	wantErr(t, "abandon", <-abandoned, nil)
	wantErr(t, "afterwards", d.Write(t.Context(), adding(9)), dbconn.ErrClosed)
	for n, want := range []int{1: 1, 2: 0, 3: 0, 4: 0, 5: 0, 9: 0} {
		if got := times(t, url, n); got != want {
			t.Errorf("%d stands there %d times", n, got)
		}
	}
	opened(t, url, cfg) // its name is free
}

// TestExplain gives each error the words for whoever must act on it.
func TestExplain(t *testing.T) {
	for code, want := range map[string]struct {
		words string
		busy  bool
	}{
		codeDiskFull: {"free space", false}, codeIO: {"the disk fails", false}, codeDataCorrupted: {"restore a backup", false},
		codeLockNotAvailable: {"other changes lock", true}, codeDeadlock: {"other changes lock", true}, codeSerialization: {"other changes lock", true},
		codeCanceled: {"took too long", true}, codeOutOfMemory: {"out of memory", true},
		codeTooManyConnections: {"max_connections", false}, codeReadOnly: {"takes no changes", false},
		codeNoDatabase: {"create it", false}, codeNoPrivilege: {"lacks a right", false},
		codeForeignKey: {"does not exist", false}, codeUnique: {"such a record already", false},
		codeRaised: {"rule of the schema", false}, "23514": {"rule of the schema", false}, "23502": {"rule of the schema", false},
		codeAdminShutdown: {"starting or stopping", false}, codeCannotConnectNow: {"starting or stopping", false},
		"28P01": {"check the user", false}, "28000": {"check the user", false},
	} {
		inner := &pgconn.PgError{Code: code, Message: "m", Detail: "a value of the row"}
		err := Explain(inner)
		if !strings.Contains(err.Error(), want.words) || errors.Is(err, central.ErrBusy) != want.busy || !errors.Is(err, error(inner)) {
			t.Errorf("code %s: %v", code, err)
		}
		if strings.Contains(err.Error(), "value of the row") {
			t.Errorf("code %s tells values: %v", code, err)
		}
	}
	for _, err := range []error{nil, central.ErrTaken, context.Canceled, refusal("no")} {
		if got := Explain(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	if err := Explain(&lostError{errors.New("reset")}); !strings.Contains(err.Error(), "check the server and the network") {
		t.Errorf("a loss: %v", err)
	}
}

// TestErrorsOfTheServer: errors say in words what to do, over the real server.
func TestErrorsOfTheServer(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	d := opened(t, url, config())
	short := opened(t, url, dbconn.Config{Logger: d.log, Node: "n", RetryFor: 100 * time.Millisecond})
	for statement, want := range map[string]string{
		`INSERT INTO b (n, a) VALUES (1, 2)`:                  "does not exist",
		`INSERT INTO b (n) VALUES (3), (3)`:                   "such a record already",
		`INSERT INTO b (n) VALUES (-1)`:                       "rule of the schema",
		`INSERT INTO b (n) VALUES (NULL)`:                     "rule of the schema",
		`DO $$ BEGIN RAISE EXCEPTION 'not so'; END $$`:        "rule of the schema",
		`SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)`: "took too long",
	} {
		err := short.Write(t.Context(), func(l dbconn.Conn) error { _, err := l.Exec(statement, nil); return err })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	wantErr(t, "afterwards", d.Write(t.Context(), adding(1)), nil)
}

// BenchmarkWrite commits one row a call, on a server that syncs, with what Write
// does and with pgx's own transactions, to see what the promises cost. Package
// store measures whole operations, on both databases.
func BenchmarkWrite(b *testing.B) {
	s, err := pgtest.Start(b.TempDir(), pgtest.Options{Durable: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Kill)
	ctx := context.Background()
	d, err := Open(ctx, s.URL("postgres"), config())
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	const insert = `INSERT INTO a (n) VALUES ($1)`
	if err := d.Write(ctx, func(l dbconn.Conn) error { _, err := l.Exec(`CREATE TABLE a (n BIGINT NOT NULL)`, nil); return err }); err != nil {
		b.Fatal(err)
	}
	for _, callers := range []int{1, 8, 32} {
		for name, write := range map[string]func() error{
			"Write": func() error {
				return d.Write(ctx, func(l dbconn.Conn) error { _, err := l.Exec(insert, []any{1}); return err })
			},
			"bare": func() error {
				return pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error { _, err := tx.Exec(ctx, insert, 1); return err })
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, callers), func(b *testing.B) {
				var left atomic.Int64
				left.Store(int64(b.N))
				var wg sync.WaitGroup
				b.ResetTimer()
				for range callers {
					wg.Go(func() {
						for left.Add(-1) >= 0 {
							if err := write(); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
			})
		}
	}
}

func TestLogPlace(t *testing.T) {
	for text, want := range map[string]uint64{"0/0": 0, "0/16B3748": 0x16B3748, "1/0": 1 << 32, "FFFFFFFF/FFFFFFFF": 1<<64 - 1} {
		if got, err := parseLSN(text); err != nil || got != want {
			t.Errorf("%s is read as %d, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "0/", "/0", "x/0", "0/100000000", "0/0/0", "-1/0"} {
		if got, err := parseLSN(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}
