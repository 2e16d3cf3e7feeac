package ui

// Recent is a map that keeps the entries added last. It is not safe for concurrent use.
type Recent[K comparable, V any] struct {
	limit  int
	values map[K]V
	order  []K // oldest first
}

// NewRecent makes a map of at most limit entries.
func NewRecent[K comparable, V any](limit int) Recent[K, V] {
	return Recent[K, V]{limit: limit, values: map[K]V{}}
}

// Get returns the value of a key.
func (r *Recent[K, V]) Get(key K) (V, bool) {
	v, ok := r.values[key]
	return v, ok
}

// Put sets the value of a key. A new key removes the oldest one where there are too many.
func (r *Recent[K, V]) Put(key K, value V) {
	if _, ok := r.values[key]; !ok {
		if len(r.order) == r.limit {
			delete(r.values, r.order[0])
			r.order = r.order[1:]
		}
		r.order = append(r.order, key)
	}
	r.values[key] = value
}
