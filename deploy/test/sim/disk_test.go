package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/store"
	"galla/edge"
	"galla/edge/queue"
	"galla/shared/op"
)

// disk is where the adversary reaches a part's commits: the machine dies just before or
// just after one of them, the disk is full, or a commit is made and reports an error
// all the same, as a sync that fails may do.
type disk struct {
	name  string
	trace *trace
	rng   *rng
	// onCrash tells the story that the machine died here; it must kill the part.
	onCrash func()

	mu            sync.Mutex
	commits       int           // so far, since the last start
	faultAtCommit int           // the commit that fails; 0: none
	commitFault   commitFault   // how it fails
	stopped       bool          // no commit succeeds until the disk is healed
	full          int           // of 1000 commits so many find the disk full
	tornCommits   int           // of 1000 commits so many are made and report an error
	readFailures  int           // of 1000 reads so many fail
	dying         bool          // the machine died, nothing runs here any more
	dead          chan struct{} // closed when the part's process is gone
}

// commitFault is how one commit fails.
type commitFault int

const (
	crashBefore commitFault = iota // the machine dies, and the commit is not made
	crashAfter                     // it is made, and the machine dies
	tornOnce                       // it is made, and reports an error
	diskFull                       // it and all after it find the disk full, until it is healed
	commitFaults
)

func (f commitFault) String() string {
	return [...]string{"the machine dies before it", "the machine dies after it", "it is said to have failed", "the disk is full from it on"}[f]
}

// Errors of a disk.
var (
	errDied   = errors.New("the machine died")
	errFull   = errors.New("the disk is full (by the adversary)")
	errTorn   = errors.New("the disk failed to sync (by the adversary)")
	errUnread = errors.New("the disk can't be read (by the adversary)")
)

// restart starts the machine again.
func (d *disk) restart() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commits, d.faultAtCommit, d.dying, d.dead = 0, 0, false, make(chan struct{})
}

// planFault sets how a later commit fails; in is 0 for none.
func (d *disk) planFault(in int, what commitFault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faultAtCommit, d.commitFault, d.stopped = 0, what, false
	if in > 0 {
		d.faultAtCommit = d.commits + in
	}
}

// takeFault takes a commit's fault, if n is the commit that has it.
func (d *disk) takeFault(n int, what commitFault) bool {
	if n != d.faultAtCommit || d.commitFault != what {
		return false
	}
	d.faultAtCommit = 0
	d.trace.event("%s: commit %d: %s", d.name, n, what)
	return true
}

// setFailureRates makes the disk fail now and then; zeros heal it.
func (d *disk) setFailureRates(full, torn, blind int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.tornCommits, d.readFailures = full, torn, blind
}

// die ends everything that waits on this disk, as the end of the process does.
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

// begin runs before a commit. gone is never nil if err is errDied: the caller waits for
// it, since a dead program does not continue.
func (d *disk) begin() (n int, gone <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dying {
		return 0, d.dead, errDied
	}
	d.commits++
	if d.takeFault(d.commits, crashBefore) {
		d.dying = true
		d.onCrash()
		return 0, d.dead, errDied
	}
	if d.takeFault(d.commits, diskFull) {
		d.stopped = true
	}
	if d.stopped || d.rng.perMille(d.full) {
		d.trace.countEvent("writes refused by a full disk", true)
		return 0, nil, errFull
	}
	return d.commits, nil, nil
}

// end runs after commit n.
func (d *disk) end(n int) (gone <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dying {
		return d.dead, errDied
	}
	if d.takeFault(n, crashAfter) {
		d.dying = true
		d.onCrash()
		return d.dead, errDied
	}
	if d.takeFault(n, tornOnce) || d.rng.perMille(d.tornCommits) {
		d.trace.countEvent("writes made and said to have failed", true)
		return nil, errTorn
	}
	return nil, nil
}

// read runs before a read.
func (d *disk) read() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rng.perMille(d.readFailures) {
		d.trace.countEvent("reads that failed", true)
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

// faultyStore is the central's store on such a disk. Commits that only keep time, such
// as leases, cannot be chosen.
type faultyStore struct {
	*store.DB
	disk *disk
}

var _ central.Operations = faultyStore{}

func (l faultyStore) Create(ctx context.Context, o central.Operation, quotas []central.Quota) (known central.Operation, isNew bool, err error) {
	err = l.disk.commit(func() error { known, isNew, err = l.DB.Create(ctx, o, quotas); return err })
	return known, isNew && err == nil, err
}

// read is a read that a failing disk may refuse.
func read[T any](d *disk, do func() (T, error)) (T, error) {
	if err := d.read(); err != nil {
		var none T
		return none, err
	}
	return do()
}

func (l faultyStore) Operation(ctx context.Context, id op.ID) (central.Operation, error) {
	return read(l.disk, func() (central.Operation, error) { return l.DB.Operation(ctx, id) })
}

func (l faultyStore) ByIdentity(ctx context.Context, caller, identity string) (central.Operation, error) {
	return read(l.disk, func() (central.Operation, error) { return l.DB.ByIdentity(ctx, caller, identity) })
}

func (l faultyStore) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	return read(l.disk, func() (central.Merchant, error) { return l.DB.Merchant(ctx, id) })
}

func (l faultyStore) Terminal(ctx context.Context, id central.TerminalID) (central.Terminal, error) {
	return read(l.disk, func() (central.Terminal, error) { return l.DB.Terminal(ctx, id) })
}

func (l faultyStore) Session(ctx context.Context, tid string) (central.AgentSession, error) {
	return read(l.disk, func() (central.AgentSession, error) { return l.DB.Session(ctx, tid) })
}

func (l faultyStore) EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) ([]central.Event, error) {
	return read(l.disk, func() ([]central.Event, error) { return l.DB.EventsAfter(ctx, t, cursor, limit) })
}

func (l faultyStore) MarkSent(ctx context.Context, x central.SentUpdate) error {
	return l.disk.commit(func() error { return l.DB.MarkSent(ctx, x) })
}

func (l faultyStore) MarkPending(ctx context.Context, s central.PendingUpdate) (o central.Operation, err error) {
	err = l.disk.commit(func() error { o, err = l.DB.MarkPending(ctx, s); return err })
	return o, err
}

func (l faultyStore) Finish(ctx context.Context, s central.FinalOutcome) (o central.Operation, err error) {
	err = l.disk.commit(func() error { o, err = l.DB.Finish(ctx, s); return err })
	return o, err
}

func (l faultyStore) FindOrTombstone(ctx context.Context, caller, identity string, at time.Time) (o central.Operation, seen bool, err error) {
	err = l.disk.commit(func() error { o, seen, err = l.DB.FindOrTombstone(ctx, caller, identity, at); return err })
	return o, seen, err
}

func (l faultyStore) PostponeEnquiry(ctx context.Context, id op.ID, at, next time.Time, reason string, stuck bool) error {
	return l.disk.commit(func() error { return l.DB.PostponeEnquiry(ctx, id, at, next, reason, stuck) })
}

func (l faultyStore) OpenSession(ctx context.Context, s central.AgentSession) error {
	return l.disk.commit(func() error { return l.DB.OpenSession(ctx, s) })
}

func (l faultyStore) SpendTokens(ctx context.Context, tokens []accounts.TokenUse) (fresh []bool, err error) {
	err = l.disk.commit(func() error { fresh, err = l.DB.SpendTokens(ctx, tokens); return err })
	return fresh, err
}

func (l faultyStore) AcknowledgeEvents(ctx context.Context, t central.TerminalID, cursor int64) error {
	return l.disk.commit(func() error { return l.DB.AcknowledgeEvents(ctx, t, cursor) })
}

// faultyQueue is the counter's queue on such a disk.
type faultyQueue struct {
	*queue.Queue
	disk *disk
}

var _ edge.Queue = faultyQueue{}

// change runs a change whose callback the queue calls before its commit: only what the
// callback did not refuse is a change.
func (w faultyQueue) change(change func(*edge.Record) error, run func(func(*edge.Record) error) (edge.Record, error)) (edge.Record, error) {
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

func (w faultyQueue) Add(r edge.Record) error {
	err := w.disk.commit(func() error { return w.Queue.Add(r) })
	if errors.Is(err, errFull) {
		return fmt.Errorf("%w: %w", edge.ErrFull, err)
	}
	return err
}

func (w faultyQueue) Change(id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	return w.change(change, func(do func(*edge.Record) error) (edge.Record, error) { return w.Queue.Change(id, do) })
}

func (w faultyQueue) ApplyEvent(cursor int64, id op.ID, change func(*edge.Record) error) (edge.Record, error) {
	return w.change(change, func(do func(*edge.Record) error) (edge.Record, error) { return w.Queue.ApplyEvent(cursor, id, do) })
}

func (w faultyQueue) AddByEvent(cursor int64, r edge.Record) (known edge.Record, err error) {
	err = w.disk.commit(func() error { known, err = w.Queue.AddByEvent(cursor, r); return err })
	if errors.Is(err, errFull) {
		err = fmt.Errorf("%w: %w", edge.ErrFull, err)
	}
	return known, err
}

// failing reports whether the disk may be the reason for an error.
func (d *disk) failing() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopped || d.full > 0 || d.tornCommits > 0 || d.readFailures > 0 || d.dying
}

// planned reports whether a commit is still going to fail.
func (d *disk) planned() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.faultAtCommit != 0
}
