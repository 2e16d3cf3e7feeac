package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/index"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

// Bounds of what is read and kept of days.
const (
	maxBetween = 1000     // operations that one Between reads: each is opened and decoded
	maxKept    = 64 << 10 // bytes; a closing with a full count of notes is some 2 KB
	maxDays    = 1000     // closings that one KeptDays names: near three years
)

// Between gives up to limit operations, oldest first, whose ids were minted
// from the one time on and before the other, and that come after an id (from
// the first, if empty); limit is at most 1000. Fewer than limit are the last
// ones. Bodies are not read. Records that do not open are named by a
// *DamagedError beside those that do, once.
func (q *Queue) Between(from, to time.Time, after op.ID, limit int) ([]edge.Record, error) {
	limit = min(limit, maxBetween)
	start, end := index.Least(from), index.Least(to)
	var records []edge.Record
	var bad []op.ID
	for len(records) < limit { // again where some did not open: a short answer is the last one
		var raws []raw
		err := q.view(func(tx *bbolt.Tx) error {
			raws = raws[:0]
			c := tx.Bucket([]byte(inRecords)).Cursor()
			k, v := c.Seek([]byte(max(start, string(after))))
			if after != "" && string(k) == string(after) {
				k, v = c.Next()
			}
			for ; k != nil && string(k) < end && len(raws) < limit-len(records); k, v = c.Next() {
				raws = append(raws, raw{id: op.ID(k), record: slices.Clone(v)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(raws) == 0 {
			break
		}
		records = slices.Grow(records, len(raws))
		for _, w := range raws {
			if r, _, ok := q.openStored(string(w.id), w.record); ok {
				records = append(records, r)
			} else {
				bad = append(bad, w.id)
			}
		}
		after = raws[len(raws)-1].id
	}
	if len(bad) > 0 {
		if err := q.setAside(bad); err != nil {
			return records, errors.Join(damagedOrNil(bad), err)
		}
	}
	return records, damagedOrNil(bad)
}

// KeepDay keeps the closing of a day, sealed; ErrKept where the day has one:
// what was kept is never replaced nor deleted. ErrFull. The day is a date,
// 2026-11-21.
func (q *Queue) KeepDay(day string, value []byte, at time.Time) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil || len(value) > maxKept {
		return fmt.Errorf("keep day %.16q: it is named by its date, and its closing has up to %d bytes", day, maxKept)
	}
	_, err := q.do(&request{adds: true, run: func(s *stage) (change, error) {
		kept := s.days[day]
		err := q.view(func(tx *bbolt.Tx) error {
			kept = kept || tx.Bucket([]byte(inDays)).Get([]byte(day)) != nil
			return nil
		})
		if err == nil && kept {
			err = fmt.Errorf("close %s: %w", day, ErrKept)
		}
		return change{keep: &cached{name: day, value: value, at: at}}, err
	}})
	return err
}

// KeptDay gives the closing of a day and when it was kept; ok is false where
// the day has none. A closing that does not open is an error, and stays.
func (q *Queue) KeptDay(day string) (value []byte, at time.Time, ok bool, err error) {
	var sealed []byte
	err = q.view(func(tx *bbolt.Tx) error {
		sealed = slices.Clone(tx.Bucket([]byte(inDays)).Get([]byte(day)))
		return nil
	})
	if err != nil || sealed == nil {
		return nil, time.Time{}, false, err
	}
	value, at, err = q.openKept(day, sealed)
	return value, at, err == nil, err
}

// KeptDays names the days of a span that have a closing, in order, both ends
// among them; the last thousand at most.
func (q *Queue) KeptDays(first, last string) ([]string, error) {
	var days []string
	err := q.view(func(tx *bbolt.Tx) error {
		days = nil
		c := tx.Bucket([]byte(inDays)).Cursor()
		for k, _ := c.Seek([]byte(first)); k != nil && string(k) <= last; k, _ = c.Next() {
			days = append(days, string(k))
		}
		return nil
	})
	return days[max(len(days)-maxDays, 0):], err
}

// openKept opens a closing: its time in nanoseconds, eight bytes, and the value.
func (q *Queue) openKept(day string, sealed []byte) ([]byte, time.Time, error) {
	plain, err := q.box.Open(sealed, place(inDays, day)...)
	if err != nil || len(plain) < 8 {
		return nil, time.Time{}, fmt.Errorf("the closing of %s can't be read; use the printed one: %w", day, ErrDamaged)
	}
	return plain[8:], stored.Instant(int64(binary.BigEndian.Uint64(plain))), nil
}

// keep writes the closing of a day.
func (w writing) keep(c cached) error {
	plain := append(binary.BigEndian.AppendUint64(nil, uint64(stored.Nanos(c.at))), c.value...)
	sealed, err := w.q.box.Seal(plain, place(inDays, c.name)...)
	if err != nil {
		return err
	}
	b, key := w.bucket(inDays), []byte(c.name)
	w.state.note(inDays, key, +1)
	if err := b.Put(key, sealed); err != nil {
		return fmt.Errorf("keep %s: %w", c.name, err)
	}
	return nil
}
