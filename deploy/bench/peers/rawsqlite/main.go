//go:build linux

// Command rawsqlite writes the rows of withdrawals into a copy of the central's database and
// does nothing else: callers hand their rows to one writer, which commits what waits in one
// transaction, twice for each withdrawal. It prints what it did as JSON.
package main

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"

	"galla/deploy/bench/load"
	"galla/deploy/bench/peers"
	"galla/deploy/bench/rows"
)

// batch is how many rows' callers one commit serves at most.
const batch = 512

func main() {
	planFile := flag.String("plan", "", "file of the plan (package rows)")
	database := flag.String("database", "", "file of the database")
	callers := flag.Int("callers", 32, "callers at one time")
	span := flag.Duration("for", 2*time.Second, "how long")
	first := flag.Int64("first", 1, "number of the first withdrawal")
	flag.Parse()
	if err := run(*planFile, *database, *callers, *span, *first); err != nil {
		fmt.Fprintln(os.Stderr, "rawsqlite:", err)
		os.Exit(1)
	}
}

func run(planFile, database string, callers int, span time.Duration, first int64) error {
	text, err := os.ReadFile(planFile)
	if err != nil {
		return err
	}
	var plan rows.Plan
	if err := json.Unmarshal(text, &plan); err != nil {
		return err
	}
	w, err := open(database, plan, callers)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- w.run() }()
	var number, done atomic.Int64
	number.Store(first)
	before, began := used(), time.Now()
	var work sync.WaitGroup
	for range callers {
		work.Go(func() {
			j := &job{done: make(chan error, 1)}
			for time.Since(began) < span {
				j.number = number.Add(1)
				for j.commit = range plan.Commits {
					w.queue <- j
					if err := <-j.done; err != nil {
						fmt.Fprintln(os.Stderr, "rawsqlite:", err)
						return
					}
				}
				done.Add(1)
			}
		})
	}
	work.Wait()
	result := peers.Result{Done: int(done.Load()), Span: time.Since(began), CPU: used() - before, Next: number.Load()}
	close(w.queue)
	return errors.Join(<-ended, json.NewEncoder(os.Stdout).Encode(result))
}

// used is this process's processor time.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of oneself, it can't fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// job is one commit's rows of one withdrawal.
type job struct {
	commit int
	number int64
	done   chan error
}

// writer owns the connection.
type writer struct {
	link  *sqlite3.SQLiteConn
	plan  [][]prepared
	queue chan *job
}

// open connects as the central's writer does.
func open(database string, plan rows.Plan, callers int) (*writer, error) {
	link, err := (&sqlite3.SQLiteDriver{}).Open("file:" + database + "?_journal_mode=WAL&_synchronous=FULL&_foreign_keys=1&_busy_timeout=5000&_mutex=no&_cache_size=-4096")
	if err != nil {
		return nil, err
	}
	w := &writer{link: link.(*sqlite3.SQLiteConn), queue: make(chan *job, callers)}
	for _, setting := range []string{"PRAGMA journal_size_limit = 67108864", "PRAGMA temp_store = MEMORY"} {
		if _, err := w.link.Exec(setting, nil); err != nil {
			return nil, err
		}
	}
	for _, commit := range plan.Commits {
		var list []prepared
		for _, s := range commit {
			p, err := prepare(w.link, s, plan.Fresh)
			if err != nil {
				return nil, err
			}
			list = append(list, p)
		}
		w.plan = append(w.plan, list)
	}
	return w, nil
}

// run commits what waits until the queue is closed.
func (w *writer) run() error {
	begin, err := w.link.Prepare("BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	commit, err := w.link.Prepare("COMMIT")
	if err != nil {
		return err
	}
	group := make([]*job, 0, batch)
	for first := range w.queue {
		group = append(group[:0], first)
		for more := true; more && len(group) < batch; {
			select {
			case j, open := <-w.queue:
				if more = open; open {
					group = append(group, j)
				}
			default:
				more = false
			}
		}
		err := w.write(group, begin, commit)
		for _, j := range group {
			j.done <- err
		}
		if err != nil {
			return err
		}
	}
	return w.link.Close()
}

func (w *writer) write(group []*job, begin, commit driver.Stmt) error {
	ctx := context.Background()
	if _, err := begin.(driver.StmtExecContext).ExecContext(ctx, nil); err != nil {
		return err
	}
	for _, j := range group {
		for i := range w.plan[j.commit] {
			if err := w.plan[j.commit][i].exec(ctx, j.number); err != nil {
				return err
			}
		}
	}
	_, err := commit.(driver.StmtExecContext).ExecContext(ctx, nil)
	return err
}

// prepared is a statement with its arguments, of which some have places for the number.
type prepared struct {
	stmt  driver.StmtExecContext
	args  []driver.NamedValue
	named []named
}

// named is an argument with places.
type named struct {
	arg    int
	text   []byte
	isBlob bool
	places []rows.Place
}

func prepare(link *sqlite3.SQLiteConn, s rows.Statement, fresh []string) (prepared, error) {
	stmt, err := link.Prepare(s.SQL)
	if err != nil {
		return prepared{}, fmt.Errorf("%s: %w", s.SQL, err)
	}
	p := prepared{stmt: stmt.(driver.StmtExecContext)}
	for i, v := range s.Args {
		p.args = append(p.args, driver.NamedValue{Ordinal: i + 1, Value: v.Any()})
		var text []byte
		switch value := v.Any().(type) {
		case string:
			text = []byte(value)
		case []byte:
			text = value
		}
		if places := rows.Places(string(text), fresh); len(places) > 0 {
			p.named = append(p.named, named{i, text, v.Bytes, places})
		}
	}
	return p, nil
}

// exec writes the row of a withdrawal.
func (p *prepared) exec(ctx context.Context, number int64) error {
	for _, n := range p.named {
		for _, place := range n.places {
			digits := number
			if place.Random {
				digits = rows.Scramble(number)
			}
			load.PutNumber(n.text[place.At:place.At+rows.Digits], digits)
		}
		if n.isBlob {
			p.args[n.arg].Value = n.text
		} else {
			p.args[n.arg].Value = string(n.text)
		}
	}
	_, err := p.stmt.ExecContext(ctx, p.args)
	return err
}
