package queue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

// When the writer rests: what waits in the journal goes into the bbolt file, and
// the keys of ended operations are overwritten.
const (
	restAfter = time.Second      // without a change
	restAtAll = 15 * time.Second // since the first change that waits, at a busy counter
)

// waitingPuts are the operations that are in the journal and not in the bbolt file
// yet. A reader looks here first and in the file after it: a flush writes the file
// before it empties this.
type waitingPuts struct {
	mu    sync.RWMutex
	byID  map[op.ID]waiting
	since time.Time // of the first
}

func (w *waitingPuts) get(id op.ID) (edge.Record, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	p, ok := w.byID[id]
	return p.copied(), ok
}

// copied gives the record to a caller, who may change the bytes of its body.
func (p waiting) copied() edge.Record {
	r := p.record
	r.Body, r.Reply = slices.Clone(r.Body), slices.Clone(r.Reply)
	return r
}

// all returns the records that wait.
func (w *waitingPuts) all() map[op.ID]edge.Record {
	w.mu.RLock()
	defer w.mu.RUnlock()
	out := make(map[op.ID]edge.Record, len(w.byID))
	for id, p := range w.byID {
		out[id] = p.copied()
	}
	return out
}

func (w *waitingPuts) count() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return len(w.byID)
}

// sorted returns the puts in the order of their operations' ids, which is about
// the order of the file.
func (w *waitingPuts) sorted() []put {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var out []put
	for _, id := range slices.Sorted(maps.Keys(w.byID)) {
		out = append(out, w.byID[id].put)
	}
	return out
}

func (w *waitingPuts) set(next waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.byID) == 0 {
		w.since = time.Now()
	}
	if before, ok := w.byID[next.record.ID]; ok && next.put.Body == nil && next.record.Body != nil {
		next.put.Body = before.put.Body
	}
	w.byID[next.record.ID] = next
}

func (w *waitingPuts) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.byID)
}

// journalBatch writes changes as one entry of the journal. errNoRoom: they do not
// fit, or are of a kind that goes into the bbolt file at once.
func (q *Queue) journalBatch(writes []*request) error {
	var e entry
	var next []waiting
	open := q.depth.Load()
	for _, r := range writes {
		c := r.change
		if c.cache != nil || c.closing != nil || len(c.purge)+len(c.quarantine) > 0 {
			return errNoRoom
		}
		e.Cursor = max(e.Cursor, c.cursor)
		if c.put == nil {
			continue
		}
		p, known, err := q.newPut(c)
		if err != nil {
			return err
		}
		e.Puts, next = append(e.Puts, p), append(next, waiting{p, known})
		if !known.State.Final() {
			open++
		}
		if c.wasOpen {
			open--
		}
	}
	if err := q.journal.append(e); err != nil {
		return err
	}
	for _, w := range next {
		q.waiting.set(w)
		q.index.Update(w.record)
	}
	for _, w := range next {
		if last, _ := q.waiting.get(w.record.ID); last.Body == nil {
			q.keys.release(w.record.ID)
		}
	}
	q.depth.Store(open)
	if e.Cursor != 0 {
		q.cursor.Store(e.Cursor)
	}
	return nil
}

// flush writes what is in the journal into the bbolt file. Where it does not fit
// together it is written one by one, since each frees what it replaces.
func (q *Queue) flush() error {
	puts, last := q.waiting.sorted(), q.journal.seq
	if len(puts) == 0 && last == q.state.Journal {
		return nil
	}
	err := q.writePuts(puts, last)
	if isFull(err) {
		for _, p := range puts {
			if err := q.writePuts([]put{p}, q.state.Journal); err != nil {
				return mapFull(err)
			}
		}
		err = q.writePuts(nil, last)
	}
	if err != nil {
		return mapFull(err)
	}
	q.waiting.clear()
	q.journal.restart()
	return nil
}

// writePuts writes puts of the journal in one transaction. The file then holds the
// journal's entries up to the number last.
func (q *Queue) writePuts(puts []put, last uint64) error {
	next := q.state
	err := q.update(func(tx *bbolt.Tx) error {
		if q.killed.Load() {
			return ErrClosed
		}
		next = q.state
		next.Journal, next.Cursor = last, max(next.Cursor, q.cursor.Load())
		w := txWriter{q: q, tx: tx, state: &next}
		for _, p := range puts {
			if err := w.replay(p); err != nil {
				return err
			}
		}
		return w.putMeta(keyState, next)
	})
	if err == nil {
		q.state = next
	}
	return err
}

// replay writes what the journal holds of an operation, unless the file has a later
// state of it.
func (w txWriter) replay(p put) error {
	r, slot, err := stored.Decode(p.Record)
	if err != nil {
		return err
	}
	key := []byte(r.ID)
	before := w.bucket(inRecords).Get(key)
	if before == nil {
		w.state.countKey(inRecords, key, +1)
	} else if known, _, ok := w.q.openRecord(string(r.ID), before); ok && known.Version > r.Version {
		return nil
	}
	switch {
	case slot == 0:
		err = w.remove(inBodies, r.ID)
	case p.Body != nil:
		err = w.bucket(inBodies).Put(key, p.Body)
	}
	if err != nil {
		return fmt.Errorf("write the body of operation %s: %w", r.ID, err)
	}
	if err := w.putSealed(inRecords, key, p.Record, sealContext(inRecords, string(r.ID))); err != nil {
		return err
	}
	return w.updateUnresolved(r.ID, r.State.Final())
}

// writeWithoutState is writePuts for a file whose state can't be read.
func (q *Queue) writeWithoutState(puts []put, _ uint64) error {
	return q.update(func(tx *bbolt.Tx) error {
		for _, p := range puts {
			if err := (txWriter{q: q, tx: tx, state: &state{}}).replay(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// recoverJournal writes into the bbolt file what a crash left in the journal. torn:
// the last entry can't be read.
func (q *Queue) recoverJournal() (torn bool, err error) {
	known := false
	err = q.view(func(tx *bbolt.Tx) error { known = q.readMeta(tx, keyState, &q.state); return nil })
	if err != nil {
		return false, err
	}
	entries, torn, err := readJournal(q.journal.f, q.box, q.state.Journal)
	q.journal.seq = q.state.Journal
	if err != nil || len(entries) == 0 {
		return torn, err
	}
	q.journal.seq = entries[len(entries)-1].Seq
	q.cursor.Store(q.state.Cursor)
	var puts []put
	for _, e := range entries {
		puts = append(puts, e.Puts...)
		q.cursor.Store(max(q.cursor.Load(), e.Cursor))
	}
	write := q.writePuts
	if !known { // the state was damaged: load makes it anew. Versions tell which puts are old
		write = q.writeWithoutState
	}
	if err := write(puts, q.journal.seq); err != nil {
		return torn, fmt.Errorf("write what the journal holds: %w", err)
	}
	q.log.Info("changes that a crash left in the journal are in the file", "entries", len(entries))
	return torn, nil
}

// rest writes what waits, and overwrites the keys of ended operations. What fails
// is tried again.
func (q *Queue) rest() error {
	if q.killed.Load() {
		return ErrClosed
	}
	err := errors.Join(q.flush(), q.keys.refill())
	if err != nil && !q.restFailed {
		q.log.Error("stored operations can't be moved out of the journal, or keys of ended ones can't be erased; it is tried again", "error", err)
	}
	q.restFailed = err != nil
	return err
}

// needsRest reports whether there is something to do at rest.
func (q *Queue) needsRest() bool {
	return q.waiting.count() > 0 || q.journal.seq != q.state.Journal || q.keys.needsRefill()
}

// isRestDue reports whether what waits has waited long enough, at a counter that is
// never quiet.
func (w *waitingPuts) isRestDue() bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return len(w.byID) > 0 && time.Since(w.since) > restAtAll
}
