package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"galla/edge/queue/disk"
	"galla/edge/queue/index"
	"galla/shared/seal"
)

// Seen is what Look found in a queue.
type Seen struct {
	Operations int // kept, the ended ones included
	Unresolved int // without a last word
	Damaged    int // whose records do not open, set aside or not
}

// Look opens the queue for reading, to see whether a start can use it, and changes
// nothing: no file is made, set aside, migrated or repaired. fs.ErrNotExist says
// that there is none, ErrLocked that another process has it open; ErrWrongKey,
// ErrNewer and damage are told as Open would meet them.
func Look(cfg Config) (Seen, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return Seen{}, err
	}
	box, err := seal.New(cfg.Key, cfg.Rand)
	if err != nil {
		return Seen{}, fmt.Errorf("look at the queue %s: %w", cfg.Path, err)
	}
	size, err := sizeOf(cfg.Path)
	if size == 0 {
		err = errors.Join(err, fs.ErrNotExist)
	}
	if err != nil {
		return Seen{}, fmt.Errorf("look at the queue %s: %w", cfg.Path, err)
	}
	if disk.Exists(cfg.Path + keysSuffix) {
		f, err := openKeys(cfg.Path+keysSuffix, cfg.LockTimeout)
		if err != nil {
			return Seen{}, explain(cfg.Path, err)
		}
		defer func() { _ = f.Close() }()
	}
	seen, err := look(&Queue{cfg: cfg, log: cfg.Logger, box: box, index: index.New()}, size)
	switch {
	case isDamage(err):
		return Seen{}, fmt.Errorf("the queue %s: %w; a start sets this file aside and begins a new one: copy it first and call support", cfg.Path, err)
	case err != nil:
		return Seen{}, explain(cfg.Path, err)
	}
	return seen, nil
}

// look reads everything once.
func look(q *Queue, size int64) (seen Seen, err error) {
	found, err := verifyFile(q.cfg.Path, size)
	if err != nil {
		return Seen{}, err
	}
	if q.file, err = openToRead(q.cfg.Path, q.cfg.LockTimeout); err != nil {
		return Seen{}, err
	}
	defer func() { err = errors.Join(err, q.file.Close()) }()
	_, wrong := q.checkKey()
	err = q.view(func(tx *bbolt.Tx) error {
		if wrong != nil || tx.Bucket([]byte(inDays)) == nil { // an older schema, which a start migrates
			return wrong
		}
		s := q.survey(tx, found.MetaLost)
		seen = Seen{tx.Bucket([]byte(inRecords)).Stats().KeyN, s.state.Unresolved, len(s.damaged) + len(s.earlier)}
		return nil
	})
	return seen, err
}

// openToRead opens a bbolt file that is not written to.
func openToRead(path string, wait time.Duration) (db *lockedDB, err error) {
	defer guard(&err)()
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: wait, ReadOnly: true})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, ErrLocked
	case err != nil:
		return nil, err
	}
	return &lockedDB{DB: b, pageSize: b.Info().PageSize}, nil
}
