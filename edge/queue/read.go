package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

// The buckets.
const (
	inMeta       = "meta"
	inRecords    = "records"
	inBodies     = "bodies"
	inUnresolved = "unresolved"
	inCache      = "cache"
	inDamaged    = "damaged"
	inClosings   = "closings"
	inReserve    = "reserve"
)

func buckets() []string {
	return []string{inMeta, inRecords, inBodies, inUnresolved, inCache, inDamaged, inClosings, inReserve}
}

func sealContext(bucket, key string) [][]byte {
	return [][]byte{[]byte(bucket), []byte(key), binary.BigEndian.AppendUint32(nil, stored.Sealing)}
}

type sealedRecord struct {
	id           op.ID
	record, body []byte
	damaged      bool // it is in the bucket damaged
}

// readSealed copies a record out of the file; its record is nil where there is none.
func readSealed(tx *bbolt.Tx, id op.ID) sealedRecord {
	key := []byte(id)
	return sealedRecord{
		id:      id,
		record:  slices.Clone(tx.Bucket([]byte(inRecords)).Get(key)),
		body:    slices.Clone(tx.Bucket([]byte(inBodies)).Get(key)),
		damaged: tx.Bucket([]byte(inDamaged)).Get(key) != nil,
	}
}

// decodeSealed opens a record. bodyLost: it should have a body, and the body or
// its key does not open.
func (q *Queue) decodeSealed(w sealedRecord) (r edge.Record, slot int, bodyLost bool, err error) {
	if w.record == nil {
		if w.damaged {
			return edge.Record{}, 0, false, &DamagedError{IDs: []op.ID{w.id}}
		}
		return edge.Record{}, 0, false, edge.ErrNotFound
	}
	r, slot, ok := q.openRecord(string(w.id), w.record)
	if !ok {
		return edge.Record{}, 0, false, &DamagedError{IDs: []op.ID{w.id}}
	}
	if slot == 0 {
		return r, 0, false, nil
	}
	key, ok := q.keys.get(r.ID)
	if !ok || key.slot != slot {
		return r, slot, true, nil
	}
	body, err := key.box.Open(w.body, sealContext(inBodies, string(r.ID))...)
	if err != nil {
		return r, slot, true, nil
	}
	r.Body = body
	return r, slot, false, nil
}

func (q *Queue) sealed(id op.ID) (w sealedRecord, err error) {
	err = q.view(func(tx *bbolt.Tx) error { w = readSealed(tx, id); return nil })
	return w, err
}

// get reads a record. It reads again when the body's key has just been wiped: the
// operation has just ended.
func (q *Queue) get(id op.ID) (edge.Record, error) {
	for seen := -1; ; {
		if r, ok := q.waiting.get(id); ok {
			return r, nil
		}
		w, err := q.sealed(id)
		if err != nil {
			return edge.Record{}, err
		}
		r, _, bodyLost, err := q.decodeSealed(w)
		if !bodyLost || r.Version == seen {
			return r, err
		}
		seen = r.Version
	}
}

// Get implements edge.Queue. A record that does not open is *DamagedError. A
// record whose body alone does not open is returned without it: the counter can
// still ask for its outcome.
func (q *Queue) Get(id op.ID) (edge.Record, error) {
	r, err := q.get(id)
	if errors.Is(err, ErrDamaged) {
		err = errors.Join(err, q.quarantine([]op.ID{id}))
	}
	if err != nil {
		return edge.Record{}, err
	}
	return r, nil
}

// Unresolved implements edge.Queue. A *DamagedError names records that do not
// open, once, beside those that do; they are moved to the bucket damaged. The
// first call also names those that Open found.
func (q *Queue) Unresolved() ([]edge.Record, error) {
	waiting := q.waiting.all()
	var raws []sealedRecord
	err := q.view(func(tx *bbolt.Tx) error {
		raws = raws[:0]
		return tx.Bucket([]byte(inUnresolved)).ForEach(func(k, _ []byte) error {
			if _, ok := waiting[op.ID(k)]; !ok {
				raws = append(raws, readSealed(tx, op.ID(k)))
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	records, bad, err := q.decodeAll(raws)
	records = inOrder(records, waiting)
	q.mu.Lock()
	unheard := q.unreported
	q.unreported = nil
	q.mu.Unlock()
	records = slices.DeleteFunc(records, func(r edge.Record) bool { return r.State.Final() })
	return records, errors.Join(damagedOrNil(append(unheard, bad...)), err)
}

// OpenCash implements edge.Queue. Records that do not open are named as by Recent.
func (q *Queue) OpenCash() ([]edge.Record, error) { return q.readByID(q.index.OpenCash()) }

// LinkedOperations implements edge.Queue. Records that do not open are named as by Recent.
func (q *Queue) LinkedOperations() ([]edge.Record, error) { return q.readByID(q.index.Linked()) }

// ChangedLater returns the operations, oldest first, that changed from `from` on
// and before `to` (created by their own clock, sent, ended, cash given), and were
// created more than edge.LateAfter before or after that. Records that do not open
// are reported as by Recent.
func (q *Queue) ChangedLater(from, to time.Time) ([]edge.Record, error) {
	return q.readByID(q.index.ChangedLater(from, to))
}

// readByID reads operations; those that are gone are left out.
func (q *Queue) readByID(ids []op.ID) ([]edge.Record, error) {
	waiting := q.waiting.all()
	maps.DeleteFunc(waiting, func(id op.ID, _ edge.Record) bool { return !slices.Contains(ids, id) })
	var raws []sealedRecord
	err := q.view(func(tx *bbolt.Tx) error {
		raws = raws[:0]
		for _, id := range ids {
			if _, ok := waiting[id]; !ok {
				raws = append(raws, readSealed(tx, id))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records, bad, err := q.decodeAll(raws)
	return inOrder(records, waiting), errors.Join(damagedOrNil(bad), err)
}

// inOrder adds the records that wait to those of the file, in the order of their ids.
func inOrder(records []edge.Record, waiting map[op.ID]edge.Record) []edge.Record {
	records = slices.AppendSeq(records, maps.Values(waiting))
	slices.SortFunc(records, func(a, b edge.Record) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return records
}

// Recent implements edge.Queue; limit is at most 1000. A *DamagedError names
// records that do not open, once, beside those that do; they are moved to the
// bucket damaged.
func (q *Queue) Recent(before op.ID, limit int) ([]edge.Record, error) {
	limit = min(limit, maxRecent)
	waiting := q.waiting.all()
	maps.DeleteFunc(waiting, func(id op.ID, _ edge.Record) bool { return before != "" && id >= before })
	var raws []sealedRecord
	err := q.view(func(tx *bbolt.Tx) error {
		raws = raws[:0]
		c := tx.Bucket([]byte(inRecords)).Cursor()
		k, _ := c.Last()
		if before != "" {
			if at, _ := c.Seek([]byte(before)); at != nil {
				k, _ = c.Prev()
			} else {
				k, _ = c.Last()
			}
		}
		for ; k != nil && len(raws) < limit; k, _ = c.Prev() {
			if _, ok := waiting[op.ID(k)]; !ok {
				raws = append(raws, readSealed(tx, op.ID(k)))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records, bad, err := q.decodeAll(raws)
	records = inOrder(records, waiting)
	slices.Reverse(records)
	return records[:min(len(records), max(limit, 0))], errors.Join(damagedOrNil(bad), err)
}

// decodeAll opens records, and moves those that do not open to the bucket damaged.
func (q *Queue) decodeAll(raws []sealedRecord) (records []edge.Record, bad []op.ID, err error) {
	for _, w := range raws {
		r, _, bodyLost, err := q.decodeSealed(w)
		if bodyLost || w.record == nil {
			r, err = q.get(w.id) // it may have changed meanwhile
		}
		switch {
		case errors.Is(err, ErrDamaged):
			bad = append(bad, w.id)
		case errors.Is(err, edge.ErrNotFound): // purged meanwhile
		case err != nil:
			return records, bad, err
		default:
			records = append(records, r)
		}
	}
	if len(bad) > 0 {
		err = q.quarantine(bad)
	}
	return records, bad, err
}

// quarantine moves records that do not open into the bucket damaged.
func (q *Queue) quarantine(ids []op.ID) error {
	_, err := q.submit(&request{run: func(*batchView) (change, error) {
		var c change
		for _, id := range ids {
			if _, ok := q.waiting.get(id); ok {
				continue
			}
			w, err := q.sealed(id)
			if err != nil {
				return change{}, err
			}
			if _, _, _, err := q.decodeSealed(w); w.record != nil && errors.Is(err, ErrDamaged) {
				c.quarantine = append(c.quarantine, id)
			}
		}
		return c, nil
	}})
	if err != nil {
		return fmt.Errorf("move damaged records: %w", err)
	}
	return nil
}

// Damaged returns the operations whose records do not open, found now or earlier,
// oldest first.
func (q *Queue) Damaged() ([]op.ID, error) {
	var ids []op.ID
	err := q.view(func(tx *bbolt.Tx) error {
		ids = nil
		return tx.Bucket([]byte(inDamaged)).ForEach(func(k, _ []byte) error {
			ids = append(ids, printable(k))
			return nil
		})
	})
	return ids, err
}

// GetCache implements edge.Queue. A value that does not open is an error.
func (q *Queue) GetCache(name string) (value []byte, at time.Time, ok bool, err error) {
	value, at, ok, err = q.getTimed(inCache, name)
	if err != nil {
		err = fmt.Errorf("the cached value %q can't be read: %w", name, err)
	}
	return value, at, ok, err
}

// getTimed reads a value of the buckets cache and closings, and when it was stored.
func (q *Queue) getTimed(bucket, key string) (value []byte, at time.Time, ok bool, err error) {
	var sealed []byte
	err = q.view(func(tx *bbolt.Tx) error {
		sealed = slices.Clone(tx.Bucket([]byte(bucket)).Get([]byte(key)))
		return nil
	})
	if err != nil || sealed == nil {
		return nil, time.Time{}, false, err
	}
	value, at, err = q.openTimed(bucket, key, sealed)
	return value, at, err == nil, err
}

// openTimed opens such a value: its time in nanoseconds, eight bytes, and the value.
func (q *Queue) openTimed(bucket, key string, sealed []byte) ([]byte, time.Time, error) {
	plain, err := q.box.Open(sealed, sealContext(bucket, key)...)
	if err != nil || len(plain) < 8 {
		return nil, time.Time{}, ErrDamaged
	}
	return plain[8:], stored.Instant(int64(binary.BigEndian.Uint64(plain))), nil
}

// purgeCandidates returns the next operations after a key, up to a batch, that
// were created before the given time; last is "" where there are none.
func (q *Queue) purgeCandidates(after string, before time.Time) (ids []op.ID, last string, err error) {
	err = q.view(func(tx *bbolt.Tx) error {
		ids, last = nil, ""
		for _, bucket := range []string{inDamaged, inRecords} {
			c := tx.Bucket([]byte(bucket)).Cursor()
			k, _ := c.Seek([]byte(after))
			if string(k) == after {
				k, _ = c.Next()
			}
			for n := 0; k != nil && n < maxBatch; k, _ = c.Next() {
				at, ok := op.ID(k).Time()
				if ok && !at.Before(before) {
					break
				}
				if ok { // a damaged id has no time: it stays
					ids = append(ids, op.ID(k))
					n++
				}
			}
		}
		return nil
	})
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > maxBatch {
		ids = ids[:maxBatch]
	}
	if len(ids) > 0 {
		last = string(ids[len(ids)-1])
	}
	return ids, last, err
}

// printable is a key of the bucket damaged as an id that can be shown: a key
// that is damaged itself is shown in hex.
func printable(key []byte) op.ID {
	if id, err := op.ParseID(string(key)); err == nil {
		return id
	}
	return op.ID(fmt.Sprintf("(damaged id %x)", key))
}
