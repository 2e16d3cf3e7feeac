package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/index"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

// errAlreadyClosed is what closing a file twice gives.
var errAlreadyClosed = os.ErrClosed

// The buckets.
const (
	inMeta       = "meta"
	inRecords    = "records"
	inBodies     = "bodies"
	inUnresolved = "unresolved"
	inCache      = "cache"
	inDamaged    = "damaged"
	inDays       = "days" // since schema 2
	inReserve    = "reserve"
)

func buckets() []string {
	return []string{inMeta, inRecords, inBodies, inUnresolved, inCache, inDamaged, inDays, inReserve}
}

// place is what a value is sealed for.
func place(bucket, key string) [][]byte {
	return [][]byte{[]byte(bucket), []byte(key), binary.BigEndian.AppendUint32(nil, stored.Sealing)}
}

// raw is a record as it lies in the file.
type raw struct {
	id           op.ID
	record, body []byte
	damaged      bool // it was set aside
}

// rawAt copies a record out of the file; its record is nil where there is none.
func rawAt(tx *bbolt.Tx, id op.ID) raw {
	key := []byte(id)
	return raw{
		id:      id,
		record:  slices.Clone(tx.Bucket([]byte(inRecords)).Get(key)),
		body:    slices.Clone(tx.Bucket([]byte(inBodies)).Get(key)),
		damaged: tx.Bucket([]byte(inDamaged)).Get(key) != nil,
	}
}

// open opens a record. bodyLost says that it should have a body, and the body
// or its key does not open.
func (q *Queue) open(w raw) (r edge.Record, slot int, bodyLost bool, err error) {
	if w.record == nil {
		if w.damaged {
			return edge.Record{}, 0, false, &DamagedError{IDs: []op.ID{w.id}}
		}
		return edge.Record{}, 0, false, edge.ErrNotFound
	}
	plain, err := q.box.Open(w.record, place(inRecords, string(w.id))...)
	if err == nil {
		r, slot, err = stored.Decode(plain)
	}
	if err != nil || r.ID != w.id {
		return edge.Record{}, 0, false, &DamagedError{IDs: []op.ID{w.id}}
	}
	if slot == 0 {
		return r, 0, false, nil
	}
	key, ok := q.keys.of(r.ID)
	if !ok || key.slot != slot {
		return r, slot, true, nil
	}
	body, err := key.box.Open(w.body, place(inBodies, string(r.ID))...)
	if err != nil {
		return r, slot, true, nil
	}
	r.Body = body
	return r, slot, false, nil
}

// get reads a record. A body whose key has just been wiped belongs to an
// operation that has just ended, so it is looked at again.
func (q *Queue) get(id op.ID) (edge.Record, error) {
	for seen := -1; ; {
		var w raw
		if err := q.view(func(tx *bbolt.Tx) error { w = rawAt(tx, id); return nil }); err != nil {
			return edge.Record{}, err
		}
		r, _, bodyLost, err := q.open(w)
		if !bodyLost || r.Version == seen {
			return r, err
		}
		seen = r.Version
	}
}

// Get implements edge.Queue. A record that does not open is *DamagedError. A
// record whose body alone does not open is given without it: its outcome can
// still be asked for.
func (q *Queue) Get(id op.ID) (edge.Record, error) {
	r, err := q.get(id)
	if errors.Is(err, ErrDamaged) {
		err = errors.Join(err, q.setAside([]op.ID{id}))
	}
	if err != nil {
		return edge.Record{}, err
	}
	return r, nil
}

// Unresolved implements edge.Queue. Records that do not open are named by a
// *DamagedError beside those that do, once: they are then set aside in the
// file, and Get names them. The first call names what Open found.
func (q *Queue) Unresolved() ([]edge.Record, error) {
	var raws []raw
	err := q.view(func(tx *bbolt.Tx) error {
		raws = raws[:0]
		return tx.Bucket([]byte(inUnresolved)).ForEach(func(k, _ []byte) error {
			raws = append(raws, rawAt(tx, op.ID(k)))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	records, bad, err := q.openAll(raws)
	q.mu.Lock()
	unheard := q.unheard
	q.unheard = nil
	q.mu.Unlock()
	records = slices.DeleteFunc(records, func(r edge.Record) bool { return r.State.Final() })
	return records, errors.Join(damagedOrNil(append(unheard, bad...)), err)
}

// OpenCash implements edge.Queue. Records that do not open are named as by Recent.
func (q *Queue) OpenCash() ([]edge.Record, error) { return q.these(q.index.Open()) }

// Linked implements edge.Queue. Records that do not open are named as by Recent.
func (q *Queue) Linked() ([]edge.Record, error) { return q.these(q.index.Linked()) }

// Late gives the operations, oldest first, to which something happened from the
// one time on and before the other (begun by their own clock, sent, ended, cash
// given), and which Between does not give from edge.LateAfter before to edge.LateAfter
// after. Records that do not open are named as by Recent.
func (q *Queue) Late(from, to time.Time) ([]edge.Record, error) {
	return q.these(q.index.Late(from, to))
}

// these reads operations; those that are gone are left out.
func (q *Queue) these(ids []op.ID) ([]edge.Record, error) {
	raws := make([]raw, len(ids))
	err := q.view(func(tx *bbolt.Tx) error {
		for i, id := range ids {
			raws[i] = rawAt(tx, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records, bad, err := q.openAll(raws)
	return records, errors.Join(damagedOrNil(bad), err)
}

// Recent implements edge.Queue; limit is at most 1000. Records that do not open
// are named by a *DamagedError beside those that do, once: they are then set
// aside in the file, and Get names them.
func (q *Queue) Recent(before op.ID, limit int) ([]edge.Record, error) {
	limit = min(limit, maxRecent)
	var raws []raw
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
			raws = append(raws, rawAt(tx, op.ID(k)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	records, bad, err := q.openAll(raws)
	return records, errors.Join(damagedOrNil(bad), err)
}

// openAll opens records, and sets aside and names those that do not open.
func (q *Queue) openAll(raws []raw) (records []edge.Record, bad []op.ID, err error) {
	for _, w := range raws {
		r, _, bodyLost, err := q.open(w)
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
		err = q.setAside(bad)
	}
	return records, bad, err
}

// setAside moves records that do not open into the bucket damaged.
func (q *Queue) setAside(ids []op.ID) error {
	_, err := q.do(&request{run: func(*stage) (change, error) {
		var c change
		for _, id := range ids {
			var w raw
			if err := q.view(func(tx *bbolt.Tx) error { w = rawAt(tx, id); return nil }); err != nil {
				return change{}, err
			}
			if _, _, _, err := q.open(w); w.record != nil && errors.Is(err, ErrDamaged) {
				c.aside = append(c.aside, id)
			}
		}
		return c, nil
	}})
	if err != nil {
		return fmt.Errorf("set damaged records aside: %w", err)
	}
	return nil
}

// Damaged names the operations whose records do not open and were set aside,
// now or earlier, oldest first. Purge forgets them with their time.
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

// Cached implements edge.Queue. A value that does not open is an error.
func (q *Queue) Cached(name string) (value []byte, at time.Time, ok bool, err error) {
	var sealed []byte
	err = q.view(func(tx *bbolt.Tx) error {
		sealed = slices.Clone(tx.Bucket([]byte(inCache)).Get([]byte(name)))
		return nil
	})
	if err != nil || sealed == nil {
		return nil, time.Time{}, false, err
	}
	value, at, err = q.openCached(name, sealed)
	return value, at, err == nil, err
}

// openCached opens a value of the session cache: its time in nanoseconds, eight
// bytes, and the value.
func (q *Queue) openCached(name string, sealed []byte) ([]byte, time.Time, error) {
	plain, err := q.box.Open(sealed, place(inCache, name)...)
	if err != nil || len(plain) < 8 {
		return nil, time.Time{}, fmt.Errorf("the cached value %q can't be read: %w", name, ErrDamaged)
	}
	return plain[8:], stored.Instant(int64(binary.BigEndian.Uint64(plain))), nil
}

// old gives the next operations after a key, up to a batch, that were begun
// before the given time; last is "" where there are none.
func (q *Queue) old(after string, before time.Time) (ids []op.ID, last string, err error) {
	err = q.view(func(tx *bbolt.Tx) error {
		ids, last = nil, ""
		for _, bucket := range []string{inDamaged, inRecords} {
			c := tx.Bucket([]byte(bucket)).Cursor()
			k, _ := c.Seek([]byte(after))
			if string(k) == after {
				k, _ = c.Next()
			}
			for n := 0; k != nil && n < maxBatch; k, _ = c.Next() {
				at, ok := index.Minted(k)
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
