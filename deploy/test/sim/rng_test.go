package sim

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// rng is one stream of a story's randomness. Each user has a stream of its own, named
// after it, so that draws of one part do not shift the draws of another.
type rng struct {
	mu sync.Mutex
	r  *rand.Rand
}

// nameOf folds a name and numbers into a number.
func nameOf(name string, numbers ...uint64) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // a hash does not fail
	for _, n := range numbers {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, n))
	}
	return h.Sum64()
}

func newRNG(seed uint64, name string, numbers ...uint64) *rng {
	return &rng{r: rand.New(rand.NewPCG(seed, nameOf(name, numbers...)))}
}

// perMille is true with the given chance of 1000.
func (c *rng) perMille(n int) bool { return c.below(1000) < n }

// below draws a number from 0 to n-1; 0 where n is not positive.
func (c *rng) below(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n <= 0 {
		return 0
	}
	return c.r.IntN(n)
}

// between draws a duration.
func (c *rng) between(from, to time.Duration) time.Duration {
	return from + time.Duration(c.below(int(to-from)))
}

// seededReader is a reader of randomness for one run of one part, repeatable and safe
// for concurrent use.
type seededReader struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func newSeededReader(seed uint64, name string, life int) *seededReader {
	var key [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(key[8*i:], nameOf(name, seed, uint64(life), uint64(i)))
	}
	return &seededReader{r: rand.NewChaCha8(key)}
}

func (e *seededReader) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.r.Read(p)
}
