package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/central/store/pgtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(shared{m}, goleak.Cleanup(os.Exit))
}

// shared runs the tests beside a server of their own.
type shared struct{ *testing.M }

func (s shared) Run() int { return pgtest.Main(s.M.Run) }

func config() dbconn.Config {
	return dbconn.Config{Logger: slog.New(slog.DiscardHandler), Node: "node-1"}
}

// table makes the table of these tests: what is added twice stands there twice.
func table(t *testing.T, url string) {
	t.Helper()
	ctx := t.Context()
	own, err := Connect(ctx, url, config())
	if err != nil {
		t.Fatal(err)
	}
	_, err = own.ExecContext(ctx, `CREATE TABLE a (n BIGINT NOT NULL); CREATE TABLE b (n BIGINT PRIMARY KEY CHECK (n >= 0), a BIGINT REFERENCES b)`)
	if err := errors.Join(err, own.Close()); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, url string, cfg dbconn.Config) *DB {
	t.Helper()
	d, err := Open(t.Context(), url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// adding adds n to the table in two statements, with a look between them.
func adding(n int) func(dbconn.Conn) error {
	return func(l dbconn.Conn) error {
		if _, err := l.Exec(`INSERT INTO a (n) VALUES ($1)`, []any{n}); err != nil {
			return err
		}
		if got, err := counted(l, n); err != nil || got != 1 {
			return errors.Join(err, fmt.Errorf("%d stands there %d times inside of its change", n, got))
		}
		_, err := l.Exec(`UPDATE a SET n = n WHERE n = $1`, []any{n})
		return err
	}
}

func counted(l dbconn.Conn, n int) (got int, err error) {
	err = l.Each(`SELECT count(*) FROM a WHERE n = $1`, []any{n}, func(r dbconn.Row) error { return r.Scan(&got) })
	return got, err
}

// times tells how often n stands in the table, past every DB.
func times(t *testing.T, url string, n int) (got int) {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	if err := c.QueryRow(ctx, `SELECT count(*) FROM a WHERE n = $1`, n).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

func wantErr(t *testing.T, doing string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%s: error %v, want %v", doing, err, want)
	}
}

// TestLife writes, fails, reads, closes and opens again.
func TestLife(t *testing.T) {
	url := pgtest.Database(t)
	table(t, url)
	for round := range 2 {
		d, err := Open(t.Context(), url, config())
		wantErr(t, "open", err, nil)
		if !strings.Contains(d.Name(), " on 127.0.0.1:") {
			t.Errorf("its name is %s", d.Name())
		}
		wantErr(t, "write", d.Write(t.Context(), adding(round)), nil)
		own := errors.New("the caller's own")
		wantErr(t, "a change that fails", d.Write(t.Context(), func(l dbconn.Conn) error { return errors.Join(adding(9)(l), own) }), own)
		var got int
		wantErr(t, "read", d.Read(t.Context(), func(l dbconn.Conn) error { got, err = counted(l, round); return err }), nil)
		if got != 1 || times(t, url, 9) != 0 {
			t.Errorf("%d stands there %d times, and what failed %d times", round, got, times(t, url, 9))
		}
		if l := d.PoolUsage(); l.Limit != dbconn.DefaultConnections || l.Open == 0 || l.Busy != 0 || l.Waiting != 0 {
			t.Errorf("its load is %+v", l)
		}
		if d.NodeNameLost() != nil {
			t.Error("a DB that does not listen could lose a name")
		}
		wantErr(t, "close", errors.Join(d.Close(), d.Close()), nil)
		wantErr(t, "write after close", d.Write(t.Context(), adding(9)), dbconn.ErrClosed)
		wantErr(t, "read after close", d.Read(t.Context(), func(dbconn.Conn) error { return nil }), dbconn.ErrClosed)
	}
}

// TestCuts loses the connection at every message of a change, in every way, and
// counts afterwards: a change that returned nil is there once.
func TestCuts(t *testing.T) {
	direct := pgtest.Database(t)
	table(t, direct)
	p, url := newProxy(t, direct)
	cfg := config()
	cfg.Connections = 1             // so that it is known which statements it has prepared
	cfg.RetryFor = 30 * time.Second // a server that got no COMMIT gives up after idleTimeout
	d := opened(t, url, cfg)
	n := 0
	for _, f := range []fault{cutBefore, cutAfter, cutAnswer} {
		for _, fresh := range []bool{false, true} {
			n = cutEverywhere(t, d, p, n, f, fresh)
		}
	}
	found, once := 0, 0
	wantErr(t, "count", d.Read(t.Context(), func(l dbconn.Conn) error {
		return l.Each(`SELECT count(*), count(DISTINCT n) FROM a WHERE n > 0`, nil, func(r dbconn.Row) error { return r.Scan(&found, &once) })
	}), nil)
	if found != n || once != n {
		t.Errorf("%d changes were made, and there are %d, %d of them different", n, found, once)
	}
	t.Logf("%d changes, all there once", n)
}

// cutEverywhere cuts at each message in turn, until a change has no more. On a
// fresh connection there are more of them: it prepares its statements.
func cutEverywhere(t *testing.T, d *DB, p *proxy, n int, f fault, fresh bool) int {
	t.Helper()
	var last []string
	for at := 1; ; at++ {
		n++
		if fresh {
			d.pool.Reset()
		}
		p.arm(plan{nth: at, fault: f})
		err := d.Write(t.Context(), adding(n))
		struck, said := p.disarm()
		if !fresh { // and that the next cut is at a connection which has all of them
			wantErr(t, "a change without a cut", d.Write(t.Context(), adding(-n)), nil)
		}
		if err != nil {
			t.Errorf("cut %v at message %d (%q): %v", f, at, said, err)
		}
		if !struck {
			if at < 8 || !strings.Contains(last[len(last)-1], "COMMIT") {
				t.Fatalf("the last cut was not at COMMIT: %q", last)
			}
			return n
		}
		last = said
	}
}

// TestSilence loses a message on a connection that then says nothing more, as
// one to a machine that died does.
func TestSilence(t *testing.T) {
	t.Parallel() // it waits for the server to give up
	direct := pgtest.Database(t)
	table(t, direct)
	p, url := newProxy(t, direct)
	cfg := config()
	cfg.RetryFor = 2*idleTimeout + time.Second
	d := opened(t, url, cfg)
	for n, at := range []plan{{nth: 1, fault: silence}, {text: "COMMIT\x00", fault: silence}} {
		p.arm(at)
		err := d.Write(t.Context(), adding(n))
		if struck, _ := p.disarm(); !struck || err != nil || times(t, direct, n) != 1 {
			t.Errorf("%+v (%t): error %v, and it stands there %d times", at, struck, err, times(t, direct, n))
		}
	}
}

// TestUnknown has nobody to ask.
func TestUnknown(t *testing.T) {
	direct := pgtest.Database(t)
	table(t, direct)
	p, url := newProxy(t, direct)
	cfg := config()
	cfg.RetryFor = time.Second
	d := opened(t, url, cfg)
	for i, f := range []fault{cutBefore, cutAnswer} {
		p.arm(plan{text: "COMMIT\x00", fault: f, onwards: true})
		err := d.Write(t.Context(), adding(i))
		p.disarm()
		wantErr(t, "a change whose COMMIT was not answered", err, ErrUnknown)
		if errors.Is(err, central.ErrBusy) {
			t.Errorf("it is not known, and the caller would learn that nothing was done: %v", err)
		}
		if got := times(t, direct, i); got != i {
			t.Errorf("fault %v: it stands there %d times", f, got)
		}
	}
	wantErr(t, "afterwards", d.Write(t.Context(), adding(9)), nil)
}

// TestNobody has no server for longer than patience.
func TestNobody(t *testing.T) {
	direct := pgtest.Database(t)
	table(t, direct)
	p, url := newProxy(t, direct)
	cfg := config()
	cfg.RetryFor = 300 * time.Millisecond
	d := opened(t, url, cfg)
	p.arm(plan{nth: 1, fault: cutBefore, onwards: true})
	err := d.Write(t.Context(), adding(1))
	wantErr(t, "a change without a server", err, central.ErrBusy)
	if !strings.Contains(err.Error(), "nothing was recorded") {
		t.Errorf("it says %v", err)
	}
	err = d.Read(t.Context(), func(l dbconn.Conn) error { _, err := counted(l, 1); return err })
	wantErr(t, "a read without a server", err, central.ErrBusy)
	ctx, leave := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer leave()
	wantErr(t, "a caller who leaves", d.Write(ctx, adding(1)), context.DeadlineExceeded)
	p.disarm()
	wantErr(t, "with one", d.Write(t.Context(), adding(1)), nil)
	if got := times(t, direct, 1); got != 1 {
		t.Errorf("it stands there %d times", got)
	}
}
