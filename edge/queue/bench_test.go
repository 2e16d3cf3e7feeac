package queue

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/op"
	"galla/shared/seal"
)

// BenchmarkChange is one durable change of an operation that is there, from one
// caller and from 32 at once. Its peer is what it would be without the writer: a
// bbolt.Update for each, of a sealed value of the same size.
func BenchmarkChange(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("queue/callers=%d", callers), func(b *testing.B) {
			q := mustOpen(b, config(newPath(b)))
			ids := make(chan op.ID, callers)
			for range callers {
				ids <- mustAdd(b, q, record(newID(b), op.Reserved))
			}
			each(b, callers, func() error {
				id := <-ids
				defer func() { ids <- id }()
				_, err := q.Change(id, func(r *edge.Record) error { r.Reason = edge.ReasonBankSilent; return nil })
				return err
			})
		})
		b.Run(fmt.Sprintf("update/callers=%d", callers), func(b *testing.B) {
			db, box := plainBolt(b)
			plain, err := stored.Encode(record(newID(b), op.Reserved), 1)
			if err != nil {
				b.Fatal(err)
			}
			keys := make(chan []byte, callers)
			for range callers {
				keys <- []byte(newID(b))
			}
			each(b, callers, func() error {
				key := <-keys
				defer func() { keys <- key }()
				return db.Update(func(tx *bbolt.Tx) error {
					sealed, err := box.Seal(plain, sealContext(inRecords, string(key))...)
					if err != nil {
						return err
					}
					return tx.Bucket([]byte(inRecords)).Put(key, sealed)
				})
			})
		})
	}
}

// BenchmarkLife is a whole operation: reserved, queued, sent, succeeded, its body
// erased.
func BenchmarkLife(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			q := mustOpen(b, config(newPath(b)))
			each(b, callers, func() error {
				id, err := op.NewID(rand.Reader)
				if err != nil {
					return err
				}
				if err := q.Add(record(id, op.Reserved)); err != nil {
					return err
				}
				for _, s := range []op.State{op.Queued, op.Sent, op.Succeeded} {
					if _, err := q.Change(id, become(s)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

func plainBolt(b *testing.B) (*bbolt.DB, *seal.Box) {
	b.Helper()
	box, err := seal.New(testKey(1), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "plain.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte(inRecords)); return err }); err != nil {
		b.Fatal(err)
	}
	return db, box
}

// each runs work b.N times from so many goroutines.
func each(b *testing.B, callers int, work func() error) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	tickets := make(chan struct{})
	done := make(chan error, callers)
	for range callers {
		go func() {
			var first error
			for range tickets {
				if err := work(); err != nil && first == nil {
					first = err
				}
			}
			done <- first
		}()
	}
	for range b.N {
		tickets <- struct{}{}
	}
	close(tickets)
	for range callers {
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}
