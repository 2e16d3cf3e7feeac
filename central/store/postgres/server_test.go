package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/central/store/pgtest"
)

// server starts a server of the test's own, which may be broken.
func server(t *testing.T, o pgtest.Options) *pgtest.Server {
	t.Helper()
	pgtest.SkipIfShort(t)
	s, err := pgtest.Start(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// writeLoad adds numbers from many goroutines until it is stopped, and remembers
// what was acknowledged.
type writeLoad struct {
	mu           sync.Mutex
	acknowledged map[int]error
	next         atomic.Int64
	writers      sync.WaitGroup
	stop         chan struct{}
}

func startLoad(d *DB, writers int) *writeLoad {
	return startLoadOf(writers, func(n int) error { return d.Write(context.Background(), adding(n)) })
}

// startLoadOf adds numbers by the given function.
func startLoadOf(writers int, add func(n int) error) *writeLoad {
	l := &writeLoad{acknowledged: map[int]error{}, stop: make(chan struct{})}
	for range writers {
		l.writers.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				n := int(l.next.Add(1))
				err := add(n)
				l.mu.Lock()
				l.acknowledged[n] = err
				l.mu.Unlock()
			}
		})
	}
	return l
}

// grows waits until so many more were acknowledged.
func (l *writeLoad) grows(t *testing.T, by int) {
	t.Helper()
	count := func() (n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, err := range l.acknowledged {
			if err == nil {
				n++
			}
		}
		return n
	}
	for want, deadline := count()+by, time.Now().Add(2*time.Minute); count() < want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d changes were acknowledged, want %d", count(), want)
		}
	}
}

// verify ends the load and compares the table with what was acknowledged.
func (l *writeLoad) verify(t *testing.T, url string) {
	t.Helper()
	close(l.stop)
	l.writers.Wait()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	wantErr(t, "connect", err, nil)
	defer c.Close(ctx)
	rows, err := c.Query(ctx, `SELECT n FROM a`)
	wantErr(t, "read", err, nil)
	list, err := pgx.CollectRows(rows, pgx.RowTo[int])
	wantErr(t, "read", err, nil)
	found := map[int]int{}
	for _, n := range list {
		found[n]++
	}
	sum := map[string]int{}
	for n, err := range l.acknowledged {
		switch {
		case err == nil:
			sum["acknowledged"]++
			if found[n] != 1 {
				t.Errorf("%d was acknowledged and stands there %d times", n, found[n])
			}
		case errors.Is(err, ErrUnknown):
			sum["unknown"]++
			if found[n] > 1 || errors.Is(err, central.ErrBusy) {
				t.Errorf("%d is unknown (%v) and stands there %d times", n, err, found[n])
			}
		default:
			sum["not made"]++
			if found[n] != 0 {
				t.Errorf("%d was not made (%v) and stands there %d times", n, err, found[n])
			}
		}
	}
	t.Logf("%v", sum)
	if sum["acknowledged"] == 0 || sum["unknown"]+sum["not made"] > sum["acknowledged"]/10 {
		t.Errorf("too few changes came through: %v", sum)
	}
}

// TestServerIsLost kills and restarts the server under load: what was
// acknowledged is there once, and nothing of the rest.
func TestServerIsLost(t *testing.T) { serverIsLost(t, startLoad) }

func serverIsLost(t *testing.T, startLoad func(*DB, int) *writeLoad) {
	s := server(t, pgtest.Options{Durable: true})
	place := s.URL("postgres")
	table(t, place)
	cfg := config()
	cfg.RetryFor = 30 * time.Second
	rings := make(chan string, 1000)
	cfg.OnNotify = func(name string) { rings <- name }
	d := opened(t, place, cfg)
	l := startLoad(d, 8)
	for _, end := range []func(){s.Kill, func() { _ = s.Stop() }, s.Kill} {
		l.grows(t, 200)
		end()
		wantErr(t, "start the server again", s.Run(), nil)
		wantNotified(t, "the node", rings, "", false)
	}
	l.grows(t, 200)
	l.verify(t, place)
}

// several gives the URL of two servers.
func several(t *testing.T, one, other *pgtest.Server) string {
	t.Helper()
	u, err := url.Parse(one.URL("postgres"))
	wantErr(t, "parse", err, nil)
	u.Host += "," + other.Addr()
	return u.String()
}

// TestFailover kills the primary under load and promotes its standby: the
// changes follow, what was acknowledged is there once, and the former primary is
// not used again.
func TestFailover(t *testing.T) { failover(t, startLoad) }

func failover(t *testing.T, startLoad func(*DB, int) *writeLoad) {
	primary := server(t, pgtest.Options{Durable: true})
	table(t, primary.URL("postgres"))
	standby, err := primary.Standby(t.TempDir())
	wantErr(t, "make a standby", err, nil)
	t.Cleanup(standby.Kill)
	cfg := config()
	cfg.RetryFor = 30 * time.Second
	rings := make(chan string, 1000)
	cfg.OnNotify = func(name string) { rings <- name }
	d := opened(t, several(t, standby, primary), cfg) // the standby is asked first, and passed over
	l := startLoad(d, 16)
	l.grows(t, 300)
	primary.Kill()
	wantErr(t, "promote", standby.Promote(), nil)
	wantNotified(t, "the node", rings, "", false)
	l.grows(t, 300)

	// Whoever starts the former primary again must find that nobody goes there.
	wantErr(t, "start the former primary", primary.Run(), nil)
	d.pool.Reset()
	l.grows(t, 300)
	l.verify(t, standby.URL("postgres"))
	old, err := newConnector(primary.URL("postgres"), cfg)
	wantErr(t, "parse", err, nil)
	old.timeline = d.connector.timeline
	if _, err := pgx.ConnectConfig(t.Context(), old.settings.ConnConfig); !errors.Is(err, errNotPrimary) || !strings.Contains(err.Error(), "a former primary that must be stopped") {
		t.Errorf("connect to the former primary: %v", err)
	}
}

// TestNumbersAreGivenOutAgain: a crash forgets the number of a transaction of
// which nothing was synced, and another gets it and commits. The first must not
// pass for committed.
func TestNumbersAreGivenOutAgain(t *testing.T) {
	s := server(t, pgtest.Options{Durable: true, Settings: []string{"wal_writer_delay=10s", "autovacuum=off", "bgwriter_delay=10s"}})
	place := s.URL("postgres")
	table(t, place)
	d := opened(t, place, config())
	wantErr(t, "a first change", d.Write(t.Context(), adding(1)), nil)
	ctx := t.Context()
	pc, err := d.acquire(ctx)
	wantErr(t, "acquire", err, nil)
	lost, err := beginTransaction(ctx, pc.Conn())
	wantErr(t, "begin", err, nil)
	wantErr(t, "add", adding(2)(&conn{ctx: ctx, own: pc.Conn()}), nil)
	s.Kill() // a COMMIT was on the way
	d.release(pc)
	wantErr(t, "start the server again", s.Run(), nil)

	own, err := pgx.Connect(ctx, place)
	wantErr(t, "connect", err, nil)
	defer own.Close(ctx)
	var status *string
	for n := 0; ; n++ {
		_, err := own.Exec(ctx, `INSERT INTO a (n) VALUES (3)`)
		wantErr(t, "another's change", err, nil)
		err = own.QueryRow(ctx, `SELECT pg_xact_status($1::text::xid8)`, lost.number).Scan(&status)
		if err == nil && *status == "committed" {
			break
		}
		if n > 100 {
			t.Fatalf("the number %s was not given out again: status %v, error %v", lost.number, status, err)
		}
	}
	committed, err := d.commitStatus(ctx, lost)
	if err != nil || committed {
		t.Errorf("its fate is committed: %t, error %v; another has its number", committed, err)
	}
	// One that the server still knows answers correctly after the same crash.
	known := lost
	known.lsn = 1
	if committed, err := d.commitStatus(ctx, known); err != nil || !committed {
		t.Errorf("one that the server recovered: committed %t, error %v", committed, err)
	}
	var n int
	wantErr(t, "look", d.Read(ctx, func(l dbconn.Conn) (err error) { n, err = counted(l, 2); return err }), nil)
	if n != 0 {
		t.Errorf("what was lost stands there %d times", n)
	}
}

// TestSettingsAreChecked opens with each promise broken in turn, and as users
// that the server does not want.
func TestSettingsAreChecked(t *testing.T) {
	place := pgtest.Database(t)
	u, err := url.Parse(place)
	wantErr(t, "parse", err, nil)
	const password = "canary-of-a-password"
	with := func(change func(u *url.URL)) string {
		other := *u
		other.User = url.UserPassword(u.User.Username(), password)
		change(&other)
		return other.String()
	}
	option := func(name, value string) string {
		return with(func(u *url.URL) { u.RawQuery = url.Values{name: {value}}.Encode() })
	}
	for _, c := range []struct{ name, url, want string }{
		{"synchronous_commit off", option("synchronous_commit", "off"), "synchronous_commit is off and must not be"},
		{"a read-only user", option("default_transaction_read_only", "on"), "no host of the database takes changes"},
		{"strings with escapes", option("standard_conforming_strings", "off"), "standard_conforming_strings must be on"},
		{"no such database", with(func(u *url.URL) { u.Path = "/nothing" }), "there is no such database"},
		{"no such user", with(func(u *url.URL) { u.User = url.UserPassword("nobody", password) }), "refuses this user"},
		{"nobody there", with(func(u *url.URL) { u.Host = "127.0.0.1:1" }), "the connection to the database is lost"},
		{"no URL", "postgres://galla:" + password + "@[::1:5432/x", "can't be read"},
		{"no port", with(func(u *url.URL) { u.Host = "127.0.0.1:70000" }), "can't be read"},
	} {
		cfg := config()
		cfg.RetryFor = 50 * time.Millisecond
		d, err := Open(t.Context(), c.url, cfg)
		if err == nil {
			t.Errorf("opened with %s", c.name)
			d.Close()
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(fmt.Sprintf("%v %+v %s", err, err, err), password) {
			t.Errorf("%s: %v", c.name, err)
		}
		if own, err := Connect(t.Context(), c.url, cfg); err == nil {
			t.Errorf("connected with %s", c.name)
			own.Close()
		} else if strings.Contains(err.Error(), password) {
			t.Errorf("%s tells the password: %v", c.name, err)
		}
	}
	for _, cfg := range []dbconn.Config{{Node: "n"}, {Logger: config().Logger}, {Node: "n", Logger: config().Logger, Queue: -1}} {
		if _, err := Open(t.Context(), place, cfg); err == nil {
			t.Errorf("opened with %+v", cfg)
		}
	}
	d := opened(t, option("synchronous_commit", "remote_apply"), config())
	if strings.Contains(d.Name(), password) {
		t.Errorf("its name tells the password: %s", d.Name())
	}
}

// TestOrdinaryUser: nothing of this needs more rights than a database's owner
// has.
func TestOrdinaryUser(t *testing.T) {
	place := pgtest.Database(t)
	ctx := t.Context()
	c, err := pgx.Connect(ctx, place)
	wantErr(t, "connect", err, nil)
	name := "ordinary_" + strings.ReplaceAll(c.Config().Database, "galla_", "")
	_, err = c.Exec(ctx, fmt.Sprintf(`CREATE ROLE %s LOGIN; ALTER DATABASE %s OWNER TO %s; ALTER SCHEMA public OWNER TO %s`,
		name, c.Config().Database, name, name))
	wantErr(t, "make a user", err, nil)
	t.Cleanup(func() {
		_, err := c.Exec(context.Background(), fmt.Sprintf(`REASSIGN OWNED BY %s TO galla; DROP OWNED BY %s; DROP ROLE %s`, name, name, name))
		if err := errors.Join(err, c.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(place)
	wantErr(t, "parse", err, nil)
	u.User = url.User(name)
	table(t, u.String())
	p, through := newProxy(t, u.String())
	d, heard := node(t, through, "node-1")
	p.arm(plan{text: "COMMIT\x00", fault: cutAnswer})
	wantErr(t, "a change whose answer is lost", d.Write(ctx, adding(1)), nil)
	p.disarm()
	p.leaveServers()
	wantNotified(t, "node-1", heard, "", false)
	if n := times(t, place, 1); n != 1 {
		t.Errorf("it stands there %d times", n)
	}
	wantErr(t, "close", d.Close(), nil)
}

// TestStandbyStops: a COMMIT that waits for its standby is neither reported as done
// nor ended, and so is seen by nobody, until the standby has it.
func TestStandbyStops(t *testing.T) {
	t.Parallel() // it waits for patience to end
	primary := server(t, pgtest.Options{Durable: true})
	place := primary.URL("postgres")
	table(t, place)
	standby, err := primary.Standby(t.TempDir())
	wantErr(t, "make a standby", err, nil)
	t.Cleanup(standby.Kill)
	cfg := config()
	cfg.RetryFor = time.Second
	d := opened(t, place, cfg)
	standby.Kill()
	wantErr(t, "a change without its standby", d.Write(t.Context(), adding(1)), ErrUnknown)
	if n := times(t, place, 1); n != 0 {
		t.Errorf("what no standby has is seen %d times", n)
	}
	wantErr(t, "start the standby again", standby.Run(), nil)
	for deadline := time.Now().Add(time.Minute); times(t, place, 1) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the change does not come through when its standby is back")
		}
	}
	// Somebody ends the wait by hand: the change is there, and is reported as done
	// only when the standby has it too.
	d.cfg.RetryFor = time.Minute
	standby.Kill()
	result := make(chan error, 1)
	go func() { result <- d.Write(context.Background(), adding(2)) }()
	own, err := pgx.Connect(t.Context(), place)
	wantErr(t, "connect", err, nil)
	defer own.Close(context.Background())
	for ended := false; !ended; {
		err := own.QueryRow(t.Context(), `SELECT coalesce(bool_or(pg_cancel_backend(pid)), false)
			FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'galla %'`).Scan(&ended)
		wantErr(t, "end the wait", err, nil)
	}
	for times(t, place, 2) == 0 {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-result:
		t.Fatalf("a change that only one server has was answered with %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	wantErr(t, "start the standby again", standby.Run(), nil)
	wantErr(t, "the change", <-result, nil)
	if n := times(t, place, 2); n != 1 {
		t.Errorf("it stands there %d times", n)
	}
}
