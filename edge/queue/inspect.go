package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"galla/edge/queue/stored"
	"galla/shared/op"
)

// Inspection is what Look found in a queue.
type Inspection struct {
	Operations int // stored, ended ones included
	Unresolved int // not final
	Damaged    int // whose records do not open
}

// Inspect opens the queue read-only, to see whether a start can use it, and
// changes nothing. fs.ErrNotExist: there is none. ErrLocked: another process has
// it open. ErrWrongKey, ErrNewer and damage are reported as by Open.
func Inspect(cfg Config) (Inspection, error) {
	q, err := newQueue(cfg)
	if err != nil {
		return Inspection{}, err
	}
	cfg = q.cfg
	size, err := fileSize(cfg.Path)
	if size == 0 {
		err = errors.Join(err, fs.ErrNotExist)
	}
	if err != nil {
		return Inspection{}, fmt.Errorf("inspect the queue %s: %w", cfg.Path, err)
	}
	if exists(cfg.Path + keysSuffix) {
		unlock, err := lockFile(cfg.Path, cfg.LockTimeout)
		if err != nil {
			return Inspection{}, explainOpenError(cfg.Path, err)
		}
		defer func() { _ = unlock() }()
	}
	seen, err := inspect(q)
	switch {
	case isDamage(err):
		return Inspection{}, fmt.Errorf("the queue %s: %w; a start renames this file and creates a new one: copy it first and call support", cfg.Path, err)
	case err != nil:
		return Inspection{}, explainOpenError(cfg.Path, err)
	}
	return seen, nil
}

func inspect(q *Queue) (seen Inspection, err error) {
	metaLost, err := q.verify()
	if err != nil {
		return Inspection{}, err
	}
	if q.file, err = openReadOnly(q.cfg.Path, q.cfg.LockTimeout); err != nil {
		return Inspection{}, err
	}
	defer func() { err = errors.Join(err, q.file.Close()) }()
	_, _, wrong := q.checkKey()
	err = q.view(func(tx *bbolt.Tx) error {
		if wrong != nil {
			return wrong
		}
		s := q.scanFile(tx, metaLost)
		seen = Inspection{tx.Bucket([]byte(inRecords)).Stats().KeyN, s.state.Unresolved, len(s.damaged) + len(s.earlier)}
		return q.inspectJournal(tx, s.state.Journal, &seen)
	})
	return seen, err
}

// inspectJournal counts what a start would write from the journal into the file.
func (q *Queue) inspectJournal(tx *bbolt.Tx, after uint64, seen *Inspection) error {
	f, err := os.Open(q.cfg.Path + journalSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	entries, _, err := readJournal(f, q.box, after)
	if err != nil {
		return err
	}
	open := map[op.ID]bool{}
	for _, e := range entries {
		for _, p := range e.Puts {
			r, _, err := stored.Decode(p.Record)
			if err != nil {
				return err
			}
			open[r.ID] = !r.State.Final()
		}
	}
	for id, now := range open {
		if tx.Bucket([]byte(inRecords)).Get([]byte(id)) == nil {
			seen.Operations++
		}
		if tx.Bucket([]byte(inUnresolved)).Get([]byte(id)) != nil {
			seen.Unresolved--
		}
		if now {
			seen.Unresolved++
		}
	}
	return nil
}
