package queue

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/shared/op"
)

type request struct {
	run  func(*batchView) (change, error) // called once, by the writer
	adds bool                             // it makes an operation: refused when space is short
	rest bool                             // the writer rests after it

	change change
	err    error
	done   chan struct{} // closed when change.answer and err are set
}

type change struct {
	put        *edge.Record // to write; its body is sealed apart
	fresh      bool         // put is a new operation
	body       bool         // put's body was changed
	wasOpen    bool         // put was not final before
	cursor     int64        // 0: unchanged
	cache      *cached
	closing    *cached // a closed day, by its name
	purge      []op.ID // to delete, records or damaged ones
	quarantine []op.ID // records to move into the bucket damaged

	answer edge.Record
}

func (c change) empty() bool {
	return c.put == nil && c.cursor == 0 && c.cache == nil && c.closing == nil && len(c.purge) == 0 && len(c.quarantine) == 0
}

type cached struct {
	name  string
	value []byte
	at    time.Time
}

func (q *Queue) submit(r *request) (edge.Record, error) {
	r.done = make(chan struct{})
	select {
	case <-q.stopping:
		return edge.Record{}, ErrClosed
	default:
	}
	select {
	case q.requests <- r:
	case <-q.stopping:
		return edge.Record{}, ErrClosed
	}
	select {
	case <-r.done:
	case <-q.done:
		select {
		case <-r.done:
		default:
			return edge.Record{}, ErrClosed
		}
	}
	if r.err != nil {
		return edge.Record{}, r.err
	}
	return r.change.answer, nil
}

// writeLoop is the writer: it takes what waits and commits it together, until the
// queue is closed.
func (q *Queue) writeLoop() {
	defer close(q.done)
	for {
		select {
		case r := <-q.requests:
			q.commit(q.nextBatch(r))
			if q.waiting.isRestDue() {
				_ = q.rest() // logged
			}
			continue
		default:
		}
		var quiet <-chan time.Time
		if q.needsRest() {
			quiet = time.After(restAfter)
		}
		select {
		case r := <-q.requests:
			q.commit(q.nextBatch(r))
		case <-quiet:
			_ = q.rest() // logged
		case <-q.stopping:
			if q.killed.Load() {
				return
			}
			if len(q.requests) == 0 {
				_ = q.rest() // logged; the journal has it
				return
			}
		}
	}
}

func (q *Queue) nextBatch(first *request) []*request {
	batch := []*request{first}
	for len(batch) < maxBatch {
		select {
		case r := <-q.requests:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// commit applies a batch in memory, then writes what succeeded.
func (q *Queue) commit(batch []*request) {
	defer func() {
		for _, r := range batch {
			close(r.done)
		}
	}()
	adds := 0
	for _, r := range batch {
		if r.adds {
			adds++
		}
	}
	if adds > 0 && !q.killed.Load() {
		if err := q.ensureReserve(adds + q.waiting.count()); err != nil {
			for _, r := range batch {
				if r.adds {
					r.err = err
				}
			}
		}
	}
	s := &batchView{q: q, cursor: q.cursor.Load(), records: map[op.ID]edge.Record{}, days: map[string]bool{}}
	var writes []*request
	for _, r := range batch {
		if r.err == nil {
			r.change, r.err = s.run(r)
		}
		if r.err == nil && !r.change.empty() {
			s.accept(r.change)
			writes = append(writes, r)
		}
	}
	if len(writes) > 0 {
		q.write(writes)
	}
	for _, r := range batch {
		if r.rest && r.err == nil && !q.killed.Load() {
			r.err = q.rest()
		}
	}
}

// write writes changes together, or one by one where they do not fit.
func (q *Queue) write(writes []*request) {
	err := q.writeBatch(writes)
	switch {
	case isFull(err):
		q.writeOneByOne(writes)
	case err != nil:
		for _, r := range writes {
			r.err = err
		}
	}
}

// writeOneByOne writes changes one by one after they did not fit together: new
// operations are refused, and each other change frees what it replaces. A change
// that depends on a failed one fails with it.
func (q *Queue) writeOneByOne(writes []*request) {
	failed := map[op.ID]bool{}
	lost := false // a cursor: an event must not be passed over
	for _, r := range writes {
		c := r.change
		bad := c.fresh || lost && c.cursor != 0 || c.put != nil && failed[c.put.ID]
		if !bad {
			r.err = q.writeBatch([]*request{r})
		}
		if bad || isFull(r.err) {
			r.err = edge.ErrFull
		}
		if r.err != nil {
			lost = lost || c.cursor != 0
			if c.put != nil {
				failed[c.put.ID] = true
			}
		}
	}
}

// batchView is the queue as it will be when the batch is on the disk.
type batchView struct {
	q       *Queue
	cursor  int64
	records map[op.ID]edge.Record
	days    map[string]bool // closed in this batch
}

// run calls a request's function. A panic in it is its own failure.
func (s *batchView) run(r *request) (c change, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.q.log.Error("a change of the queue panicked; nothing of it was written", "panic", p)
			c, err = change{}, errors.New("the change failed inside the program; nothing was written")
		}
	}()
	return r.run(s)
}

func (s *batchView) accept(c change) {
	if c.put != nil {
		s.records[c.put.ID] = *c.put
	}
	if c.closing != nil {
		s.days[c.closing.name] = true
	}
	s.cursor = max(s.cursor, c.cursor)
}

func (s *batchView) get(id op.ID) (edge.Record, error) {
	if r, ok := s.records[id]; ok {
		return r, nil
	}
	return s.q.get(id)
}

func (s *batchView) isReadable(id op.ID) bool {
	_, err := s.get(id)
	return !errors.Is(err, edge.ErrNotFound)
}

func (s *batchView) change(id op.ID, alter func(*edge.Record) error) (change, error) {
	before, err := s.get(id)
	if err != nil {
		return change{}, fmt.Errorf("change operation %s: %w", id, err)
	}
	put, err := before.Changed(alter, s.q.cfg.Now)
	if err != nil {
		return change{}, err
	}
	return change{put: &put, body: !bytes.Equal(put.Body, before.Body), wasOpen: !before.State.Final(), answer: put}, nil
}

// purgeable returns those of ids that may be deleted: operations that ended before
// the given time, and damaged ones.
func (s *batchView) purgeable(ids []op.ID, before time.Time) ([]op.ID, error) {
	var out []op.ID
	for _, id := range ids {
		w, err := s.q.sealed(id)
		if err != nil {
			return nil, err
		}
		r, err := s.get(id)
		if err == nil && r.State.Final() && r.EndedAt.Before(before) || w.record == nil && w.damaged {
			out = append(out, id)
		}
	}
	return out, nil
}

// writeBatch makes changes durable: in the journal or, where they do not go into
// it, in the bbolt file after what waits in the journal.
func (q *Queue) writeBatch(writes []*request) error {
	if q.killed.Load() {
		return ErrClosed
	}
	fresh, err := q.assignKeys(writes)
	if err != nil {
		return mapFull(err)
	}
	if err = q.journalBatch(writes); err == nil {
		return nil
	}
	if !errors.Is(err, errNoRoom) {
		q.log.Warn("the journal can't be written; changes go into the queue file", "error", err)
	}
	if err = q.flush(); err == nil {
		err = q.writeDirectly(writes)
	}
	if err != nil && !q.killed.Load() {
		q.keys.release(fresh...)
	}
	return err
}

// assignKeys gives new bodies their keys, and returns their operations.
func (q *Queue) assignKeys(writes []*request) (fresh []op.ID, err error) {
	for _, r := range writes {
		put := r.change.put
		if put == nil || put.Body == nil {
			continue
		}
		if _, ok := q.keys.get(put.ID); ok {
			continue
		}
		if err := q.keys.assign(put.ID); err != nil {
			q.keys.release(fresh...)
			return nil, err
		}
		r.change.body = true
		fresh = append(fresh, put.ID)
	}
	return fresh, nil
}

// writeDirectly writes changes in one transaction of the bbolt file. The keys of ended
// operations are overwritten after it.
func (q *Queue) writeDirectly(writes []*request) error {
	next := q.state
	var ended []op.ID
	err := q.update(func(tx *bbolt.Tx) error {
		if q.killed.Load() {
			return ErrClosed
		}
		next, ended = q.state, ended[:0]
		w := txWriter{q: q, tx: tx, state: &next}
		for _, r := range writes {
			gone, err := w.apply(r.change)
			if err != nil {
				return err
			}
			if put := r.change.put; put != nil { // its last change of the body counts
				ended = slices.DeleteFunc(ended, func(id op.ID) bool { return id == put.ID })
			}
			ended = append(ended, gone...)
		}
		if next == q.state {
			return nil
		}
		return w.putMeta(keyState, next)
	})
	if err != nil {
		return err
	}
	q.state = next
	q.cursor.Store(next.Cursor)
	q.depth.Store(int64(next.Unresolved))
	for _, r := range writes {
		if r.change.put != nil {
			q.index.Update(*r.change.put)
		}
		q.index.Remove(append(r.change.purge, r.change.quarantine...))
	}
	q.keys.release(ended...)
	return nil
}

func mapFull(err error) error {
	if isFull(err) || errors.Is(err, errNoSlot) {
		return fmt.Errorf("%w (%w)", edge.ErrFull, err)
	}
	return err
}

// The reserve: free pages inside the file, so that operations in the queue can
// end when the disk or MaxSize is full.
const (
	reservePages  = 128 // what a batch of changes and the tree above it need
	pagesPerAdd   = 4   // record, body, indexes and their trees
	pagesPerOwing = 4   // for each operation without an end: a reply of 8 KiB as base64, and its share of a leaf
)

// ensureReserve allocates the reserve before operations are added: it writes a
// value of its size and deletes it. It fails with ErrFull.
func (q *Queue) ensureReserve(adds int) error {
	need := reservePages + adds*pagesPerAdd + int(q.depth.Load())*pagesPerOwing
	stats := q.file.Stats()
	if stats.FreePageN+stats.PendingPageN >= need {
		return nil
	}
	filler := make([]byte, (need+reservePages)*q.file.pageSize)
	err := q.update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(inReserve)).Put([]byte(inReserve), filler) })
	err = errors.Join(err, q.update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(inReserve)).Delete([]byte(inReserve)) }))
	if isFull(err) {
		return edge.ErrFull
	}
	return err
}
