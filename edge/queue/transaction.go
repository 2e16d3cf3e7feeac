package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

type txWriter struct {
	q     *Queue
	tx    *bbolt.Tx
	state *state
}

// apply writes one change and returns the operations whose bodies were deleted.
func (w txWriter) apply(c change) (gone []op.ID, err error) {
	if c.put != nil {
		if err := w.put(c); err != nil {
			return nil, err
		}
		if c.put.Body == nil {
			gone = append(gone, c.put.ID)
		}
	}
	if c.cursor != 0 {
		w.state.Cursor = c.cursor
	}
	if c.cache != nil {
		if err := w.putTimed(inCache, *c.cache); err != nil {
			return nil, err
		}
	}
	if c.closing != nil {
		if err := w.putTimed(inClosings, *c.closing); err != nil {
			return nil, err
		}
	}
	for _, id := range c.quarantine {
		if err := w.quarantine(id); err != nil {
			return nil, err
		}
		gone = append(gone, id)
	}
	for _, id := range c.purge {
		if err := errors.Join(w.remove(inRecords, id), w.remove(inDamaged, id), w.remove(inBodies, id), w.updateUnresolved(id, true)); err != nil {
			return nil, err
		}
		gone = append(gone, id)
	}
	return gone, nil
}

func (w txWriter) bucket(name string) *bbolt.Bucket { return w.tx.Bucket([]byte(name)) }

func (w txWriter) put(c change) error {
	r, slot, key := *c.put, 0, []byte(c.put.ID)
	if r.Body != nil {
		k, ok := w.q.keys.get(r.ID)
		if !ok {
			return fmt.Errorf("write operation %s: its body has no key", r.ID)
		}
		slot = k.slot
		if c.body {
			sealed, err := k.box.Seal(r.Body, sealContext(inBodies, string(r.ID))...)
			if err != nil {
				return err
			}
			if err := w.bucket(inBodies).Put(key, sealed); err != nil {
				return fmt.Errorf("write the body of operation %s: %w", r.ID, err)
			}
		}
	} else if err := w.remove(inBodies, r.ID); err != nil {
		return err
	}
	if c.fresh {
		w.state.countKey(inRecords, key, +1)
	}
	if err := w.putRecord(r, slot); err != nil {
		return err
	}
	return w.updateUnresolved(r.ID, r.State.Final())
}

func (w txWriter) putRecord(r edge.Record, slot int) error {
	plain, err := stored.Encode(r, slot)
	if err != nil {
		return err
	}
	return w.putSealed(inRecords, []byte(r.ID), plain, sealContext(inRecords, string(r.ID)))
}

func (w txWriter) updateUnresolved(id op.ID, final bool) error {
	b, key := w.bucket(inUnresolved), []byte(id)
	switch listed := b.Get(key) != nil; {
	case final && listed:
		w.state.Unresolved--
		return b.Delete(key)
	case !final && !listed:
		w.state.Unresolved++
		return b.Put(key, []byte{})
	}
	return nil
}

func (w txWriter) remove(bucket string, id op.ID) error {
	b, key := w.bucket(bucket), []byte(id)
	if b.Get(key) == nil {
		return nil
	}
	if bucket != inBodies {
		w.state.countKey(bucket, key, -1)
	}
	if err := b.Delete(key); err != nil {
		return fmt.Errorf("delete operation %s from %s: %w", id, bucket, err)
	}
	return nil
}

func (w txWriter) quarantine(id op.ID) error {
	sealed := slices.Clone(w.bucket(inRecords).Get([]byte(id)))
	if w.bucket(inDamaged).Get([]byte(id)) == nil {
		w.state.countKey(inDamaged, []byte(id), +1)
	}
	if err := w.bucket(inDamaged).Put([]byte(id), sealed); err != nil {
		return fmt.Errorf("move the damaged operation %s: %w", id, err)
	}
	return errors.Join(w.remove(inRecords, id), w.remove(inBodies, id), w.updateUnresolved(id, true))
}

func (w txWriter) putTimed(bucket string, c cached) error {
	b, key := w.bucket(bucket), []byte(c.name)
	if b.Get(key) == nil {
		w.state.countKey(bucket, key, +1)
	}
	plain := append(binary.BigEndian.AppendUint64(nil, uint64(stored.Nanos(c.at))), c.value...)
	return w.putSealed(bucket, key, plain, sealContext(bucket, c.name))
}

func (w txWriter) putSealed(bucket string, key, plain []byte, context [][]byte) error {
	sealed, err := w.q.box.Seal(plain, context...)
	if err != nil {
		return err
	}
	if err := w.bucket(bucket).Put(key, sealed); err != nil {
		return fmt.Errorf("write %q into %s: %w", key, bucket, err)
	}
	return nil
}
