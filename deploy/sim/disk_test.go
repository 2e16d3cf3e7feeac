package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
	"galla/central/store"
	"galla/edge"
	"galla/edge/queue"
	"galla/shared/op"
)

// disk is where a part's commits meet the adversary: the machine dies just
// before or just after one of them, the disk is full, or a commit is made and
// its error told all the same, as a sync that fails may do.
type disk struct {
	name string
	tape *tape
	luck *chance
	// died tells the story that the machine died here; it must kill the part.
	died func()

	mu      sync.Mutex
	commits int           // so far, in this life
	fateAt  int           // the commit that meets fate; 0: none
	fate    fate          // what it meets
	stopped bool          // no commit is taken until the disk is healed
	full    int           // of 1000 commits so many find no room
	torn    int           // of 1000 commits so many are made and said to have failed
	blind   int           // of 1000 readings so many fail
	dying   bool          // the machine died, nothing goes on here
	dead    chan struct{} // closed when the part's process is gone
}

// fate is what one commit meets.
type fate int

const (
	diesBefore fate = iota // the machine dies, and the commit is not made
	diesAfter              // it is made, and the machine dies
	tornOnce               // it is made, and said to have failed
	fillsUp                // it and all after it find no room, until the disk is healed
	fates
)

func (f fate) String() string {
	return [...]string{"the machine dies before it", "the machine dies after it", "it is said to have failed", "the disk is full from it on"}[f]
}

// Errors of a disk.
var (
	errDied   = errors.New("the machine died")
	errFull   = errors.New("the disk is full (by the adversary)")
	errTorn   = errors.New("the disk failed to sync (by the adversary)")
	errUnread = errors.New("the disk can't be read (by the adversary)")
)

// boot begins a new life of the machine.
func (d *disk) boot() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commits, d.fateAt, d.dying, d.dead = 0, 0, false, make(chan struct{})
}

// plan says what a commit meets that is still to come; in is 0 for none.
func (d *disk) plan(in int, what fate) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fateAt, d.fate, d.stopped = 0, what, false
	if in > 0 {
		d.fateAt = d.commits + in
	}
}

// met takes a commit's fate, if n is the one that has that fate.
func (d *disk) met(n int, what fate) bool {
	if n != d.fateAt || d.fate != what {
		return false
	}
	d.fateAt = 0
	d.tape.note("%s: commit %d: %s", d.name, n, what)
	return true
}

// spoil makes the disk fail now and then; zeros heal it.
func (d *disk) spoil(full, torn, blind int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.torn, d.blind = full, torn, blind
}

// die ends what waits on this disk, as the end of the process does.
func (d *disk) die() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dying = true
	if d.dead != nil {
		select {
		case <-d.dead:
		default:
			close(d.dead)
		}
	}
}

// begin stands before a commit. gone is never nil where err is errDied: the
// caller waits for it, since a dead program goes nowhere.
func (d *disk) begin() (n int, gone <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dying {
		return 0, d.dead, errDied
	}
	d.commits++
	if d.met(d.commits, diesBefore) {
		d.dying = true
		d.died()
		return 0, d.dead, errDied
	}
	if d.met(d.commits, fillsUp) {
		d.stopped = true
	}
	if d.stopped || d.luck.of1000(d.full) {
		d.tape.count("writes refused by a full disk", true)
		return 0, nil, errFull
	}
	return d.commits, nil, nil
}

// end stands behind the commit n.
func (d *disk) end(n int) (gone <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dying {
		return d.dead, errDied
	}
	if d.met(n, diesAfter) {
		d.dying = true
		d.died()
		return d.dead, errDied
	}
	if d.met(n, tornOnce) || d.luck.of1000(d.torn) {
		d.tape.count("writes made and said to have failed", true)
		return nil, errTorn
	}
	return nil, nil
}

// read stands before a reading.
func (d *disk) read() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.luck.of1000(d.blind) {
		d.tape.count("reads that failed", true)
		return errUnread
	}
	return nil
}

// commit makes one commit, if it may.
func (d *disk) commit(do func() error) error {
	n, gone, err := d.begin()
	if err == nil {
		if err = do(); err == nil {
			gone, err = d.end(n)
		}
	}
	if gone != nil {
		<-gone
	}
	return err
}

// ledger is the central's store on such a disk. Commits that only keep time,
// such as leases, are no points of their own.
type ledger struct {
	*store.DB
	disk *disk
}

var _ central.Store = ledger{}

func (l ledger) Begin(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	err = l.disk.commit(func() error { known, isNew, err = l.DB.Begin(ctx, o, quotas); return err })
	return known, isNew && err == nil, err
}

// read is a reading that a failing disk may not give.
func read[T any](d *disk, do func() (T, error)) (T, error) {
	if err := d.read(); err != nil {
		var none T
		return none, err
	}
	return do()
}

func (l ledger) Operation(ctx context.Context, id op.ID) (central.Operation, error) {
	return read(l.disk, func() (central.Operation, error) { return l.DB.Operation(ctx, id) })
}

func (l ledger) ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	return read(l.disk, func() (central.Operation, error) { return l.DB.ByIdentity(ctx, caller, identity) })
}

func (l ledger) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	return read(l.disk, func() (central.Merchant, error) { return l.DB.Merchant(ctx, id) })
}

func (l ledger) Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error) {
	return read(l.disk, func() (central.Terminal, error) { return l.DB.Terminal(ctx, id) })
}

func (l ledger) Session(ctx context.Context, tid string) (central.AgentSession, error) {
	return read(l.disk, func() (central.AgentSession, error) { return l.DB.Session(ctx, tid) })
}

func (l ledger) EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	return read(l.disk, func() ([]central.Event, error) { return l.DB.EventsAfter(ctx, t, cursor, limit) })
}

func (l ledger) Dispatch(ctx context.Context, id op.ID, at, bankNotAfter time.Time) error {
	return l.disk.commit(func() error { return l.DB.Dispatch(ctx, id, at, bankNotAfter) })
}

func (l ledger) Suspend(ctx context.Context, s central.Suspension) (o central.Operation, err error) {
	err = l.disk.commit(func() error { o, err = l.DB.Suspend(ctx, s); return err })
	return o, err
}

func (l ledger) Settle(ctx context.Context, s central.Settlement) (o central.Operation, err error) {
	err = l.disk.commit(func() error { o, err = l.DB.Settle(ctx, s); return err })
	return o, err
}

func (l ledger) Ask(ctx context.Context, caller, identity string, at time.Time) (o central.Operation, seen bool, err error) {
	err = l.disk.commit(func() error { o, seen, err = l.DB.Ask(ctx, caller, identity, at); return err })
	return o, seen, err
}

func (l ledger) Postpone(ctx context.Context, id op.ID, at, next time.Time, reason string, stuck bool) error {
	return l.disk.commit(func() error { return l.DB.Postpone(ctx, id, at, next, reason, stuck) })
}

func (l ledger) OpenSession(ctx context.Context, s central.AgentSession) error {
	return l.disk.commit(func() error { return l.DB.OpenSession(ctx, s) })
}

func (l ledger) SpendToken(ctx context.Context, id string, expires time.Time) error {
	return l.disk.commit(func() error { return l.DB.SpendToken(ctx, id, expires) })
}

func (l ledger) Seen(ctx context.Context, t central.TerminalID, cursor int64) error {
	return l.disk.commit(func() error { return l.DB.Seen(ctx, t, cursor) })
}

// drawer is the counter's queue on such a disk.
type drawer struct {
	*queue.Queue
	disk *disk
}

var _ edge.Queue = drawer{}

// alter runs a change whose callback the queue calls before its commit: only
// what the callback did not refuse is one.
func (w drawer) alter(change func(*edge.Record) error, run func(func(*edge.Record) error) (edge.Record, error)) (edge.Record, error) {
	var n int
	var gone <-chan struct{}
	r, err := run(func(r *edge.Record) error {
		if err := change(r); err != nil {
			return err
		}
		var err error
		n, gone, err = w.disk.begin()
		return err
	})
	if err == nil && n > 0 {
		gone, err = w.disk.end(n)
	}
	if gone != nil {
		<-gone
	}
	if err != nil {
		r = edge.Record{}
	}
	return r, err
}

func (w drawer) Add(r edge.Record) error {
	err := w.disk.commit(func() error { return w.Queue.Add(r) })
	if errors.Is(err, errFull) {
		return fmt.Errorf("%w: %w", edge.ErrFull, err)
	}
	return err
}

func (w drawer) Change(id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	return w.alter(change, func(do func(*edge.Record) error) (edge.Record, error) { return w.Queue.Change(id, do) })
}

func (w drawer) Apply(cursor int64, id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	return w.alter(change, func(do func(*edge.Record) error) (edge.Record, error) { return w.Queue.Apply(cursor, id, do) })
}

// failing tells whether the disk may be the reason for an error.
func (d *disk) failing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped || d.full > 0 || d.torn > 0 || d.blind > 0 || d.dying
}

// planned tells whether a commit is still to meet its fate.
func (d *disk) planned() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fateAt != 0
}
