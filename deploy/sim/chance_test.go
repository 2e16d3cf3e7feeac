package sim

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// chance is one stream of a story's randomness. Whoever decides something has
// a stream of his own, named after him, so that what one part draws does not
// shift what another draws.
type chance struct {
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

func newChance(seed uint64, name string, numbers ...uint64) *chance {
	return &chance{r: rand.New(rand.NewPCG(seed, nameOf(name, numbers...)))}
}

// of1000 is true as often as it says.
func (c *chance) of1000(n int) bool { return c.below(1000) < n }

// below draws a number from 0 to n-1; 0 where n is not positive.
func (c *chance) below(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n <= 0 {
		return 0
	}
	return c.r.IntN(n)
}

// between draws a duration.
func (c *chance) between(from, to time.Duration) time.Duration {
	return from + time.Duration(c.below(int(to-from)))
}

// entropy is a reader of randomness for one life of one part, repeatable and
// safe for concurrent use.
type entropy struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func newEntropy(seed uint64, name string, life int) *entropy {
	var key [32]byte
	for i := range 4 {
		binary.LittleEndian.PutUint64(key[8*i:], nameOf(name, seed, uint64(life), uint64(i)))
	}
	return &entropy{r: rand.NewChaCha8(key)}
}

func (e *entropy) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.r.Read(p)
}
