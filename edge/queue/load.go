package queue

import (
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

type fileScan struct {
	state          state // as it should be
	damaged        []op.ID
	cache          []string       // names of values that do not open
	metaLost       bool           // the file may be one transaction behind
	noCheck        bool           // the check value does not open
	entriesMissing bool           // the count of entries is wrong: some are missing
	noState        bool           // the state does not open
	slots          map[op.ID]int  // of the bodies
	misindexed     map[op.ID]bool // operations whose place in the index is wrong; true: it belongs there
	maybeSent      []edge.Record  // queued, though metaLost: it may have been sent
	filler         bool           // an interrupted ensureReserve left its value
	earlier        []op.ID        // damaged records of earlier runs
	days           []string       // closed days that do not open; they stay, as evidence
}

// load reads every value of the file, repairs what can be repaired, and reads the
// body keys.
func (q *Queue) load(metaLost, noCheck bool, report *Report) error {
	var s fileScan
	err := q.view(func(tx *bbolt.Tx) error {
		s = q.scanFile(tx, metaLost)
		return nil
	})
	if err != nil {
		return err
	}
	s.noCheck = noCheck
	if s.noState {
		s.state.Cursor, s.state.Journal = q.cursor.Load(), q.journal.seq
	}
	if err := q.repair(&s); err != nil {
		return err
	}
	q.state = s.state
	q.cursor.Store(s.state.Cursor)
	q.depth.Store(int64(s.state.Unresolved))
	for _, id := range s.damaged {
		q.unreported = append(q.unreported, printable([]byte(id)))
	}
	report.Damaged = append(s.earlier, q.unreported...)
	slices.Sort(report.Damaged)
	if report.LostBodies, err = q.lostBodies(s.slots); err != nil {
		return err
	}
	s.warn(report)
	return nil
}

// lostBodies reads the keys of all bodies and returns the operations whose key or
// body does not open.
func (q *Queue) lostBodies(slots map[op.ID]int) ([]op.ID, error) {
	lost, err := q.keys.load(slots)
	if err != nil {
		return nil, err
	}
	err = q.view(func(tx *bbolt.Tx) error {
		for id, key := range q.keys.byID { // the writer does not run yet
			sealed := tx.Bucket([]byte(inBodies)).Get([]byte(id))
			if _, err := key.box.Open(sealed, sealContext(inBodies, string(id))...); err != nil {
				lost = append(lost, id)
			}
		}
		return nil
	})
	slices.Sort(lost)
	return lost, err
}

func (q *Queue) scanFile(tx *bbolt.Tx, metaLost bool) fileScan {
	s := fileScan{metaLost: metaLost, slots: map[op.ID]int{}, misindexed: map[op.ID]bool{}}
	var was, seen state
	s.noState = !q.readMeta(tx, keyState, &was)
	index := tx.Bucket([]byte(inUnresolved))
	visit := func(bucket string, fn func(key string, value []byte)) {
		_ = tx.Bucket([]byte(bucket)).ForEach(func(k, v []byte) error { // fn gives no error
			seen.countKey(bucket, k, +1)
			fn(string(k), v)
			return nil
		})
	}
	visit(inRecords, func(key string, value []byte) {
		r, slot, ok := q.openRecord(key, value)
		if !ok {
			s.damaged = append(s.damaged, op.ID(key))
			return
		}
		q.index.Update(r)
		if open := !r.State.Final(); open != (index.Get([]byte(key)) != nil) {
			s.misindexed[r.ID] = open
		}
		if slot != 0 {
			s.slots[r.ID] = slot
		}
		if metaLost && r.State == op.Queued {
			s.maybeSent = append(s.maybeSent, r)
		}
	})
	visit(inCache, func(name string, value []byte) {
		if _, _, err := q.openTimed(inCache, name, value); err != nil {
			s.cache = append(s.cache, name)
		}
	})
	visit(inClosings, func(day string, value []byte) {
		if _, _, err := q.openTimed(inClosings, day, value); err != nil {
			s.days = append(s.days, day)
		}
	})
	visit(inDamaged, func(key string, _ []byte) { s.earlier = append(s.earlier, printable([]byte(key))) })
	_ = index.ForEach(func(k, _ []byte) error { // gives no error
		seen.Unresolved++
		if tx.Bucket([]byte(inRecords)).Get(k) == nil {
			s.misindexed[op.ID(k)] = false
		}
		return nil
	})
	s.entriesMissing = !s.noState && (seen.Entries != was.Entries || seen.Keys != was.Keys)
	s.filler = tx.Bucket([]byte(inReserve)).Get([]byte(inReserve)) != nil
	s.state = seen
	s.state.Cursor, s.state.Journal = was.Cursor, was.Journal
	return s
}

// openRecord opens a record without its body.
func (q *Queue) openRecord(key string, sealed []byte) (edge.Record, int, bool) {
	plain, err := q.box.Open(sealed, sealContext(inRecords, key)...)
	if err != nil {
		return edge.Record{}, 0, false
	}
	r, slot, err := stored.Decode(plain)
	return r, slot, err == nil && string(r.ID) == key
}

// repair writes what scanFile found wrong, in one transaction.
func (q *Queue) repair(s *fileScan) error {
	if !s.metaLost && !s.noCheck && !s.noState && !s.entriesMissing && !s.filler &&
		len(s.damaged)+len(s.cache)+len(s.misindexed) == 0 {
		return nil
	}
	state := s.state
	err := q.update(func(tx *bbolt.Tx) error {
		state = s.state
		w := txWriter{q: q, tx: tx, state: &state}
		for id, open := range s.misindexed {
			if err := w.updateUnresolved(id, !open); err != nil {
				return err
			}
		}
		for _, id := range s.damaged {
			if err := w.quarantine(id); err != nil {
				return err
			}
		}
		for _, name := range s.cache {
			state.countKey(inCache, []byte(name), -1)
			if err := w.bucket(inCache).Delete([]byte(name)); err != nil {
				return err
			}
		}
		for _, r := range s.maybeSent {
			r.State, r.Version = op.Sent, r.Version+1
			r.Reason = edge.ReasonQueueDamaged
			if err := w.putRecord(r, s.slots[r.ID]); err != nil {
				return err
			}
		}
		if err := w.bucket(inReserve).Delete([]byte(inReserve)); err != nil {
			return err
		}
		return errors.Join(w.putMeta(keyCheck, check{Schema: stored.Schema}), w.putMeta(keyState, state))
	})
	if err != nil {
		return fmt.Errorf("repair the file: %w", err)
	}
	s.state = state
	for _, id := range s.damaged {
		delete(s.slots, id)
	}
	return nil
}

func (s *fileScan) warn(report *Report) {
	if s.metaLost {
		report.warn(edge.WarningLastChange)
	}
	if s.entriesMissing {
		report.warn(edge.WarningEntriesMissing)
	}
	if len(report.Damaged) > 0 {
		report.warn(edge.WarningUnreadable, namesOf(report.Damaged)...)
	}
	if len(report.LostBodies) > 0 {
		report.warn(edge.WarningRequests, namesOf(report.LostBodies)...)
	}
	if len(s.days) > 0 {
		report.warn(edge.WarningDays, s.days...)
	}
	if s.noState || s.noCheck || len(s.cache) > 0 {
		report.warn(edge.WarningLists)
	}
}

func namesOf(ids []op.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}
