package queue

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/smalldisk"
)

// TestFull fills a queue to its bound. New operations are refused early enough
// that all the others can end, replies and all.
func TestFull(t *testing.T) {
	t.Parallel()
	cfg := config(newPath(t))
	cfg.MaxSize = MinMaxSize
	fillUp(t, cfg)
}

// TestFullDisk does the same on a real file system that is full.
func TestFullDisk(t *testing.T) {
	smalldisk.Run(t, 8, func(t *testing.T, dir string) { fillUp(t, config(dir+"/queue.db")) })
}

func fillUp(t *testing.T, cfg Config) {
	q := mustOpen(t, cfg)
	var mu sync.Mutex
	var ids []op.ID
	var wg sync.WaitGroup
	big := make([]byte, 8<<10)
	for range 16 {
		wg.Go(func() {
			for {
				r := record(newID(t), op.Reserved)
				r.Reason = edge.Reason(fmt.Sprintf("%8000d", 1))
				err := q.Add(r)
				if errors.Is(err, edge.ErrFull) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ids = append(ids, r.ID)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d operations fit", len(ids))
	if len(ids) < 50 {
		t.Fatalf("only %d operations fit", len(ids))
	}
	open, err := q.Unresolved()
	if err != nil || len(open) != len(ids) {
		t.Fatalf("%d of %d are there: %v", len(open), len(ids), err)
	}
	next := make(chan op.ID)
	for range 16 {
		wg.Go(func() {
			for id := range next {
				_, err1 := q.Change(id, become(op.Queued))
				_, err2 := q.Change(id, become(op.Sent))
				_, err3 := q.Change(id, func(r *edge.Record) error {
					r.State, r.Reply, r.Reason = op.Succeeded, big, ""
					return nil
				})
				if err := errors.Join(err1, err2, err3); err != nil {
					t.Errorf("an operation can't end: %v", err)
				}
			}
		})
	}
	for _, id := range ids {
		next <- id
	}
	close(next)
	wg.Wait()
	if _, err := q.ApplyEvent(7, "", nil); err != nil {
		t.Errorf("an event can't be noted: %v", err)
	}
	if n, err := q.Purge(time.Now().Add(time.Hour)); err != nil || n != len(ids) {
		t.Errorf("Purge = %d, %v", n, err)
	}
	mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, cfg)
}

// TestFullChangesOneByOne makes a batch that does not fit together: what can be
// written is, and an event is not passed over.
func TestFullChangesOneByOne(t *testing.T) {
	t.Parallel()
	cfg := config(newPath(t))
	cfg.MaxSize = MinMaxSize
	q := mustOpen(t, cfg)
	ids := []op.ID{mustAdd(t, q, record(newID(t), op.Reserved)), mustAdd(t, q, record(newID(t), op.Reserved))}
	endless := make([]byte, MinMaxSize*3/4)
	var batch []*request
	put := func(r *request) {
		r.done = make(chan struct{})
		batch = append(batch, r)
	}
	alter := func(id op.ID, fn func(*edge.Record) error) *request {
		return &request{run: func(s *batchView) (change, error) { return s.change(id, fn) }}
	}
	event := func(cursor int64, id op.ID, fn func(*edge.Record) error) *request {
		return &request{run: func(s *batchView) (change, error) {
			c, err := s.change(id, fn)
			c.cursor = cursor
			return c, err
		}}
	}
	put(alter(ids[0], become(op.Queued)))                                                                 // 0 fits
	put(event(1, ids[0], func(r *edge.Record) error { r.State, r.Reply = op.Sent, endless; return nil })) // 1 does not
	put(alter(ids[0], become(op.Pending)))                                                                // 2 builds on it
	put(event(2, ids[1], become(op.Queued)))                                                              // 3 comes after its event
	put(alter(ids[1], become(op.Expired)))                                                                // 4 builds on that
	put(&request{adds: true, run: func(*batchView) (change, error) {                                      // 5 is new
		r := record(newID(t), op.Reserved)
		return change{put: &r, fresh: true}, nil
	}})
	put(&request{run: func(*batchView) (change, error) { return change{cache: &cached{name: "pin"}}, nil }}) // 6 fits
	q.closeOnce.Do(func() { close(q.stopping) })
	<-q.done // the batch is committed here, by nobody else
	q.commit(batch)
	for i, r := range batch {
		fits := i == 0 || i == 6
		if fits != (r.err == nil) || !fits && !errors.Is(r.err, edge.ErrFull) {
			t.Errorf("change %d: %v", i, r.err)
		}
	}
	if r, err := q.Get(ids[0]); err != nil || r.State != op.Queued || r.Body == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := q.Get(ids[1]); err != nil || r.State != op.Reserved || r.Body == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if q.cursor.Load() != 0 {
		t.Error("an event was passed over")
	}
}
