// Package index is what the queue remembers of its operations beside the file, so
// that a day's cash, and cash that is open, are found without reading every
// operation: which of them something happened to long after they were begun,
// which have open cash (edge.Record.Cash), and which are about another one.
//
// It promises to know of each record what was noted last; the queue notes each
// that it reads at its start and each that it writes, after it is on the disk.
// Nothing of it is stored: there is no format, and nothing to repair. Records
// enter as edge.Record; ids leave.
package index

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

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

// Note remembers a record as it is now.
func (x *Index) Note(r edge.Record) {
	id, ok := Minted([]byte(r.ID))
	var late []time.Time
	for _, at := range []time.Time{r.CreatedAt, r.SentAt, r.EndedAt, r.CashGiven} {
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
	if r.Cash().Open() {
		x.open[r.ID] = true
	}
	delete(x.linked, r.ID)
	if r.Of != "" {
		x.linked[r.ID] = true
	}
}

// Drop forgets records that are gone.
func (x *Index) Drop(ids []op.ID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		delete(x.late, id)
		delete(x.open, id)
		delete(x.linked, id)
	}
}

// Open gives the operations whose cash is open, in the order of their ids.
func (x *Index) Open() []op.ID { return x.sorted(x.open) }

// Linked gives the operations that are about another one, in the order of their
// ids.
func (x *Index) Linked() []op.ID { return x.sorted(x.linked) }

func (x *Index) sorted(ids map[op.ID]bool) []op.ID {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Sorted(maps.Keys(ids))
}

// Late gives the operations to which something happened from the one time on and
// before the other, and whose ids were minted more than edge.LateAfter before or after
// that; in the order of their ids.
func (x *Index) Late(from, to time.Time) []op.ID {
	first, end := Least(from.Add(-edge.LateAfter)), Least(to.Add(edge.LateAfter))
	x.mu.Lock()
	defer x.mu.Unlock()
	var ids []op.ID
	for id, late := range x.late {
		if string(id) >= first && string(id) < end {
			continue
		}
		if slices.ContainsFunc(late, func(at time.Time) bool { return !at.Before(from) && at.Before(to) }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Minted is the time in an id; false where it is none.
func Minted(key []byte) (time.Time, bool) {
	id, err := uuid.ParseBytes(key)
	if err != nil {
		return time.Time{}, false
	}
	var ms [8]byte
	copy(ms[2:], id[:6])
	return time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:]))), true
}

// Least is the least key that an id of a time can have.
func Least(t time.Time) string {
	h := uuid.UUID{}
	ms := binary.BigEndian.AppendUint64(nil, uint64(min(max(t.UnixMilli(), 0), 1<<48-1)))
	copy(h[:], ms[2:])
	return h.String()[:len("00000000-0000")]
}

// List writes ids for people.
func List(ids []op.ID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return strings.Join(names, ", ")
}
