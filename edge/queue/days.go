package queue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/shared/op"
)

// Bounds.
const (
	maxBetween = 1000     // operations that one Between reads: each is opened and decoded
	maxClosing = 64 << 10 // bytes; a closing with a full count of notes is some 2 KB
	maxDays    = 1000     // closings that one KeptDays names: near three years
)

// CreatedBetween returns up to limit operations (at most 1000), oldest first, that
// were created from `from` on and before `to`, and whose id is above after, if
// there is one. Fewer than limit are the last ones. Bodies are not read. A
// *DamagedError names records that do not open, once, beside those that do.
func (q *Queue) CreatedBetween(from, to time.Time, after op.ID, limit int) ([]edge.Record, error) {
	limit = min(limit, maxBetween)
	start, end := string(op.FirstID(from)), string(op.FirstID(to))
	waiting := q.waiting.all()
	maps.DeleteFunc(waiting, func(id op.ID, _ edge.Record) bool {
		return string(id) < start || string(id) >= end || id <= after
	})
	var records []edge.Record
	var bad []op.ID
	for len(records) < limit { // again where some did not open: a short answer is the last one
		var raws []sealedRecord
		err := q.view(func(tx *bbolt.Tx) error {
			raws = raws[:0]
			c := tx.Bucket([]byte(inRecords)).Cursor()
			k, v := c.Seek([]byte(max(start, string(after))))
			if after != "" && string(k) == string(after) {
				k, v = c.Next()
			}
			for ; k != nil && string(k) < end && len(raws) < limit-len(records); k, v = c.Next() {
				if _, ok := waiting[op.ID(k)]; !ok {
					raws = append(raws, sealedRecord{id: op.ID(k), record: slices.Clone(v)})
				}
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
			if r, _, ok := q.openRecord(string(w.id), w.record); ok {
				records = append(records, r)
			} else {
				bad = append(bad, w.id)
			}
		}
		after = raws[len(raws)-1].id
	}
	records = inOrder(records, waiting)
	records = records[:min(len(records), max(limit, 0))]
	for i := range records {
		records[i].Body = nil
	}
	if len(bad) > 0 {
		if err := q.quarantine(bad); err != nil {
			return records, errors.Join(damagedOrNil(bad), err)
		}
	}
	return records, damagedOrNil(bad)
}

// CloseDay stores the closing of a day (2026-11-21), sealed, once: ErrDayClosed
// where the day has one. It fails with edge.ErrFull.
func (q *Queue) CloseDay(day string, value []byte, at time.Time) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil || len(value) > maxClosing {
		return fmt.Errorf("close day %.16q: the name is a date, and a closing has up to %d bytes", day, maxClosing)
	}
	_, err := q.submit(&request{adds: true, run: func(s *batchView) (change, error) {
		kept := s.days[day]
		err := q.view(func(tx *bbolt.Tx) error {
			kept = kept || tx.Bucket([]byte(inClosings)).Get([]byte(day)) != nil
			return nil
		})
		if err == nil && kept {
			err = fmt.Errorf("close %s: %w", day, ErrDayClosed)
		}
		return change{closing: &cached{name: day, value: value, at: at}}, err
	}})
	return err
}

// Closing returns the closing of a day and when it was stored; ok is false where
// the day has none. A closing that does not open is an error, and stays.
func (q *Queue) Closing(day string) (value []byte, at time.Time, ok bool, err error) {
	value, at, ok, err = q.getTimed(inClosings, day)
	if err != nil {
		err = fmt.Errorf("the closing of %s can't be read; use the printed one: %w", day, err)
	}
	return value, at, ok, err
}

// ClosedDays names the days of a span that have a closing, in order, both ends
// among them; the last thousand at most.
func (q *Queue) ClosedDays(first, last string) ([]string, error) {
	var days []string
	err := q.view(func(tx *bbolt.Tx) error {
		days = nil
		c := tx.Bucket([]byte(inClosings)).Cursor()
		for k, _ := c.Seek([]byte(first)); k != nil && string(k) <= last; k, _ = c.Next() {
			days = append(days, string(k))
		}
		return nil
	})
	return days[max(len(days)-maxDays, 0):], err
}
