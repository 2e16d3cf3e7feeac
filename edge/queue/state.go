package queue

import (
	"crypto/sha256"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.etcd.io/bbolt"

	"galla/edge/queue/stored"
)

// Writes and Reads are the schemas of this program, for its updates.
const Writes, Reads = stored.Schema, stored.Reads

// Keys of the bucket meta. Their values are sealed.
const (
	keyCheck = "check" // opens with the right key only; holds the schema
	keyState = "state"
)

// state describes the file's content, in the bucket meta.
type state struct {
	Cursor int64 `json:"cursor"` // last event applied
	// Entries and Keys are a census of records, cache, damaged and days: their
	// number, and the sum over GF(2) of a hash of each key. An entry that
	// vanished with its page's count is missed by them.
	Entries    int    `json:"entries"`
	Keys       digest `json:"keys"`
	Unresolved int    `json:"unresolved"` // size of the index
	Journal    uint64 `json:"journal"`    // last entry of the journal that the file holds
}

type digest [sha256.Size]byte

// countKey counts an entry in (+1) or out (-1).
func (s *state) countKey(bucket string, key []byte, by int) {
	s.Entries += by
	h := sha256.Sum256(append([]byte(bucket+"/"), key...))
	for i := range h {
		s.Keys[i] ^= h[i]
	}
}

// check is the check value, which opens with the right key only.
type check struct {
	Schema int `json:"schema"`
}

func (w txWriter) putMeta(key string, v any) error {
	plain, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s of the queue as JSON: %w", key, err)
	}
	return w.putSealed(inMeta, []byte(key), plain, metaContext(key))
}

// metaContext has no schema in it: check must open before the schema is known.
func metaContext(key string) [][]byte { return [][]byte{[]byte(inMeta), []byte(key)} }

// readMeta opens a value of the bucket meta into v; false where it is missing
// or does not open.
func (q *Queue) readMeta(tx *bbolt.Tx, key string, v any) bool {
	sealed := tx.Bucket([]byte(inMeta)).Get([]byte(key))
	plain, err := q.box.Open(sealed, metaContext(key)...)
	return err == nil && json.Unmarshal(plain, v) == nil
}
