package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/central/store/pgtest"
)

// sharedAdding adds numbers that do not stand there yet.
const sharedAdding = `WITH given AS (SELECT * FROM unnest($1::BIGINT[]) WITH ORDINALITY AS g (n, place)),
	added AS (INSERT INTO a (n) SELECT n FROM given ORDER BY n ON CONFLICT (n) DO NOTHING RETURNING n)
	SELECT place FROM given JOIN added ON added.n = given.n`

// uniqueTable makes the table, in which each number stands at most once.
func uniqueTable(t *testing.T, url string) {
	t.Helper()
	table(t, url)
	execAt(t, url, `CREATE UNIQUE INDEX ON a (n)`)
}

func execAt(t *testing.T, url, statement string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	wantErr(t, "connect", err, nil)
	_, err = c.Exec(t.Context(), statement)
	wantErr(t, statement, errors.Join(err, c.Close(t.Context())), nil)
}

// adders adds numbers by shared statements, and by a change of its own where they do not
// serve a number, as package store does.
type adders struct {
	*DB
	sharing *Sharing[int]

	mu     sync.Mutex
	groups [][]int // that shared a statement
}

func newAdders(d *DB) *adders {
	a := &adders{DB: d}
	a.sharing = NewSharing(d, SharedStatement[int]{
		Text: func(int) string { return sharedAdding },
		Keys: func(n int) []string { return []string{fmt.Sprint(n % 1000)} },
		Args: func(calls []int) []any {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.groups = append(a.groups, slices.Clone(calls))
			return []any{calls}
		},
	})
	return a
}

func (a *adders) add(n int) error {
	answer, err := a.sharing.Do(context.Background(), n)
	if err != nil || answer == Served {
		return err
	}
	err = a.Write(context.Background(), func(l dbconn.Conn) error {
		if got, err := counted(l, n); err != nil || got == 1 && answer == Unanswered {
			return err
		}
		return adding(n)(l)
	})
	if err != nil && answer == Unanswered {
		return Unknown(err)
	}
	return err
}

// until waits until so many statements are under way, and so many calls wait.
func (a *adders) until(t *testing.T, running, waiting int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		a.sharing.mu.Lock()
		r, w := a.sharing.running, len(a.sharing.waiting)
		a.sharing.mu.Unlock()
		if r == running && w == waiting {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d statements are under way and %d calls wait, want %d and %d", r, w, running, waiting)
		}
	}
}

// lockTable keeps everybody from adding numbers.
func lockTable(t *testing.T, url string) (unlock func()) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	wantErr(t, "connect", err, nil)
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	tx, err := c.Begin(t.Context())
	wantErr(t, "begin", err, nil)
	_, err = tx.Exec(t.Context(), `LOCK TABLE a IN EXCLUSIVE MODE`)
	wantErr(t, "lock", err, nil)
	return func() { wantErr(t, "unlock", tx.Rollback(t.Context()), nil) }
}

// TestSharing: a call that comes alone has a statement at once. Those that come while two
// statements are under way share the next one, except for those with a common key.
func TestSharing(t *testing.T) {
	url := pgtest.Database(t)
	uniqueTable(t, url)
	a := newAdders(opened(t, url, config()))
	ctx := t.Context()
	unlock := lockTable(t, url)

	results := make(chan error)
	start := func(n int) { go func() { results <- a.add(n) }() }
	until := func(running, waiting int) { t.Helper(); a.until(t, running, waiting) }
	start(1)
	until(1, 0)
	start(2)
	until(2, 0)
	for n := 3; n <= 10; n++ {
		start(n)
		until(2, n-2)
	}
	start(1003) // its key is that of 3
	until(2, 9)
	leaving, leave := context.WithCancel(ctx)
	left := make(chan error)
	go func() { _, err := a.sharing.Do(leaving, 99); left <- err }()
	until(2, 10)
	leave()
	wantErr(t, "one who leaves the line", <-left, context.Canceled)
	unlock()
	for range 11 {
		wantErr(t, "add", <-results, nil)
	}
	until(0, 0)
	for n, want := range map[int]int{1: 1, 2: 1, 3: 1, 10: 1, 1003: 1, 99: 0} {
		if got := times(t, url, n); got != want {
			t.Errorf("%d stands there %d times, want %d", n, got, want)
		}
	}
	longest := 0
	for _, group := range a.groups {
		longest = max(longest, len(group))
		if slices.Contains(group, 3) && slices.Contains(group, 1003) {
			t.Errorf("two calls of one key shared a statement: %v", group)
		}
	}
	if longest != 8 || len(a.groups) > 4 {
		t.Errorf("the statements served %v; want 8 in one, and 4 statements at most", a.groups)
	}

	// A refused statement serves nobody, and each goes its own way.
	execAt(t, url, `ALTER TABLE a ADD CHECK (n < 5000)`)
	if err := a.add(5001); err == nil || errors.Is(err, ErrUnknown) {
		t.Errorf("a number that is refused: %v", err)
	}
	wantErr(t, "the next", a.add(11), nil)
}

// TestSharingCuts loses the connection at every message of a shared statement, in every
// way: each number is added once.
func TestSharingCuts(t *testing.T) {
	direct := pgtest.Database(t)
	uniqueTable(t, direct)
	p, url := newProxy(t, direct)
	cfg := config()
	cfg.Connections = 1
	cfg.RetryFor = 30 * time.Second
	a := newAdders(opened(t, url, cfg))
	n := 0
	for _, f := range []fault{cutBefore, cutAfter, cutAnswer} {
		for _, fresh := range []bool{false, true} {
			for at := 1; ; at++ {
				n++
				if fresh {
					a.pool.Reset()
				} else {
					wantErr(t, "without a cut", a.add(-n), nil)
				}
				p.arm(plan{nth: at, fault: f})
				err := a.add(n)
				struck, said := p.disarm()
				if got := times(t, direct, n); err != nil || got != 1 {
					t.Errorf("cut %v at message %d (%q): error %v, and it stands there %d times", f, at, said, err, got)
				}
				if !struck {
					if at < 5 || !strings.HasPrefix(said[len(said)-1], "S") {
						t.Fatalf("the last cut was not at its end: %q", said)
					}
					break
				}
			}
		}
	}
}

// TestSharingLate: a statement arrives after its caller gave the connection up and went its
// own way. It finds the number, and adds nothing.
func TestSharingLate(t *testing.T) {
	direct := pgtest.Database(t)
	uniqueTable(t, direct)
	p, url := newProxy(t, direct)
	a := newAdders(opened(t, url, config()))
	wantErr(t, "prepare", a.add(1), nil)
	p.arm(plan{nth: 1, fault: late})
	wantErr(t, "the caller", a.add(2), nil)
	if struck, said := p.disarm(); !struck {
		t.Fatalf("nothing was late: %q", said)
	}
	before := times(t, direct, 2)
	p.late <- struct{}{}
	<-p.late // it has been answered
	if after := times(t, direct, 2); before != 1 || after != 1 {
		t.Errorf("it stands there %d times before the statement arrives, %d afterwards", before, after)
	}
}

// TestSharingUnknown has nobody to ask.
func TestSharingUnknown(t *testing.T) {
	direct := pgtest.Database(t)
	uniqueTable(t, direct)
	p, url := newProxy(t, direct)
	cfg := config()
	cfg.RetryFor = time.Second
	a := newAdders(opened(t, url, cfg))
	for i, f := range []fault{cutBefore, cutAnswer} {
		wantErr(t, "prepare", a.add(100+i), nil)
		p.arm(plan{text: "S", nth: -1, fault: f, onwards: true})
		err := a.add(i)
		p.disarm()
		wantErr(t, "a statement that was not answered", err, ErrUnknown)
		if errors.Is(err, central.ErrBusy) {
			t.Errorf("it is not known, and the caller would learn that nothing was done: %v", err)
		}
	}
	wantErr(t, "afterwards", a.add(9), nil)
}

// TestSharingPanics: a call whose keys can't be told harms the one that wanted to share with
// it, and nobody else in the line.
func TestSharingPanics(t *testing.T) {
	url := pgtest.Database(t)
	uniqueTable(t, url)
	a := newAdders(opened(t, url, config()))
	keys := a.sharing.statement.Keys
	a.sharing.statement.Keys = func(n int) []string {
		if n == 666 {
			panic("keys of 666")
		}
		return keys(n)
	}
	unlock := lockTable(t, url)
	type result struct {
		err      error
		panicked bool
	}
	results := map[int]chan result{}
	for i, n := range []int{1, 2, 3, 4, 1003, 666, 5, 6} {
		done := make(chan result, 1)
		results[n] = done
		go func() {
			r := result{panicked: true}
			defer func() { _ = recover(); done <- r }()
			r = result{err: a.add(n)}
		}()
		a.until(t, min(i+1, 2), max(0, i-1))
	}
	unlock()
	for n, done := range results {
		r := <-done
		wantErr(t, fmt.Sprint("add ", n), r.err, nil)
		want := 1
		if r.panicked {
			want = 0
		}
		if got := times(t, url, n); got != want {
			t.Errorf("%d stands there %d times, want %d", n, got, want)
		}
	}
	a.until(t, 0, 0)
}

// TestSharingAbandon ends the calls under way and those in the line.
func TestSharingAbandon(t *testing.T) {
	url := pgtest.Database(t)
	uniqueTable(t, url)
	a := newAdders(opened(t, url, config()))
	ctx := t.Context()
	unlock := lockTable(t, url)
	results := make(chan error)
	for n := range 5 {
		go func() { _, err := a.sharing.Do(ctx, n); results <- err }()
	}
	a.until(t, 2, 3)
	go func() { _ = a.Abandon() }()
	for range 5 {
		wantErr(t, "a call under way", <-results, dbconn.ErrAbandoned)
	}
	unlock()
	_, err := a.sharing.Do(ctx, 9)
	wantErr(t, "afterwards", err, dbconn.ErrClosed)
}

// TestSharingServerIsLost and TestSharingFailover are TestServerIsLost and TestFailover
// with shared statements.
func TestSharingServerIsLost(t *testing.T) { serverIsLost(t, startSharedLoad(t)) }

func TestSharingFailover(t *testing.T) { failover(t, startSharedLoad(t)) }

func startSharedLoad(t *testing.T) func(*DB, int) *writeLoad {
	return func(d *DB, writers int) *writeLoad {
		wantErr(t, "make the numbers unique", d.Write(t.Context(), func(l dbconn.Conn) error {
			_, err := l.Exec(`CREATE UNIQUE INDEX ON a (n)`, nil)
			return err
		}), nil)
		return startLoadOf(writers, newAdders(d).add)
	}
}
