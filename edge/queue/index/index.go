// Package index finds operations of the queue without reading all of them: those
// that changed long after they were created, those with open cash
// (edge.Record.Cash), and those that are linked to another one.
//
// It promises to know each record as it was last updated: the queue updates it
// with every record that it reads at its start and, after the write to disk,
// with every record that it writes. It is in memory only. Records enter as
// edge.Record; ids leave.
package index

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"galla/edge"
	"galla/shared/op"
)

// Index is the memory. Its methods may be called from many goroutines.
type Index struct {
	mu     sync.Mutex
	late   map[op.ID][]time.Time
	open   map[op.ID]bool
	linked map[op.ID]bool
}

// New makes an empty Index.
func New() *Index {
	return &Index{late: map[op.ID][]time.Time{}, open: map[op.ID]bool{}, linked: map[op.ID]bool{}}
}

// Update remembers a record as it is now.
func (x *Index) Update(r edge.Record) {
	id, ok := r.ID.Time()
	var late []time.Time
	for _, at := range []time.Time{r.CreatedAt, r.SentAt, r.EndedAt, r.CashGivenAt} {
		if !at.IsZero() && (!ok || at.Sub(id).Abs() > edge.LateAfter) {
			late = append(late, at)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.late, r.ID)
	if len(late) > 0 {
		x.late[r.ID] = late
	}
	delete(x.open, r.ID)
	if r.Cash().IsOpen() {
		x.open[r.ID] = true
	}
	delete(x.linked, r.ID)
	if r.LinkedTo != "" {
		x.linked[r.ID] = true
	}
}

// Remove forgets records that are gone.
func (x *Index) Remove(ids []op.ID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		delete(x.late, id)
		delete(x.open, id)
		delete(x.linked, id)
	}
}

// OpenCash returns the operations whose cash is open, in the order of their ids.
func (x *Index) OpenCash() []op.ID { return x.sorted(x.open) }

// Linked returns the operations that are linked to another one, in the order of
// their ids.
func (x *Index) Linked() []op.ID { return x.sorted(x.linked) }

func (x *Index) sorted(ids map[op.ID]bool) []op.ID {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Sorted(maps.Keys(ids))
}

// ChangedLater returns the operations that changed from `from` on and before
// `to`, and were created more than edge.LateAfter before or after that, in the
// order of their ids.
func (x *Index) ChangedLater(from, to time.Time) []op.ID {
	first, end := op.FirstID(from.Add(-edge.LateAfter)), op.FirstID(to.Add(edge.LateAfter))
	x.mu.Lock()
	defer x.mu.Unlock()
	var ids []op.ID
	for id, late := range x.late {
		if id >= first && id < end {
			continue
		}
		if slices.ContainsFunc(late, func(at time.Time) bool { return !at.Before(from) && at.Before(to) }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// JoinIDs joins ids for a message.
func JoinIDs(ids []op.ID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return strings.Join(names, ", ")
}
