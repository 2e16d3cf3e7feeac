package cache

import (
	"context"
	"sync"
)

// maxEntries is how many entries each of a table's two halves has: twice some ten
// megabytes of merchants.
const maxEntries = 20_000

// table keeps records of one kind, as they were at one revision.
type table[K comparable, V any] struct {
	mu                sync.Mutex
	revision          int64
	current, previous map[K]V
}

// get returns a record of a revision, from memory or by read, whose errors it passes on
// and does not remember.
func (t *table[K, V]) get(ctx context.Context, revision int64, key K, read func(context.Context, K) (V, error)) (V, error) {
	if v, ok := t.find(revision, key); ok {
		return v, nil
	}
	return t.load(ctx, revision, key, read)
}

// load reads a record and keeps it. The revision was known before, so that what is kept
// is at least as new.
func (t *table[K, V]) load(ctx context.Context, revision int64, key K, read func(context.Context, K) (V, error)) (V, error) {
	v, err := read(ctx, key)
	if err != nil {
		return v, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.revision == revision {
		t.put(key, v)
	}
	return v, nil
}

// find returns a record from memory. A later revision than the table's empties it.
func (t *table[K, V]) find(revision int64, key K) (v V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if revision > t.revision {
		t.revision, t.current, t.previous = revision, nil, nil
	}
	if revision != t.revision {
		return v, false // another request knows a later revision
	}
	if v, ok = t.current[key]; ok {
		return v, true
	}
	if v, ok = t.previous[key]; ok {
		t.put(key, v)
	}
	return v, ok
}

// put keeps a record. If there are too many, the half that was not used lately goes.
func (t *table[K, V]) put(key K, v V) {
	if len(t.current) >= maxEntries {
		t.previous, t.current = t.current, nil
	}
	if t.current == nil {
		t.current = map[K]V{}
	}
	t.current[key] = v
}
