package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// tape is what happened in a story, and how often.
type tape struct {
	mu     sync.Mutex
	begun  time.Time
	lines  []string
	counts map[string]int
}

func newTape() *tape { return &tape{counts: map[string]int{}} }

// note writes down what somebody did at this moment.
func (t *tape) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf("%9.3f %s", time.Since(t.begun).Seconds(), fmt.Sprintf(format, args...)))
}

// count counts what really happened.
func (t *tape) count(what string, really bool) {
	if !really {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

// hash names the whole of it. Things of one moment have no order among them.
func (t *tape) hash() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := slices.Sorted(slices.Values(t.lines))
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

// tally adds up the tapes of many stories.
type tally struct {
	mu      sync.Mutex
	stories int
	counts  map[string]int
}

func (y *tally) add(t *tape) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.stories++
	for what, n := range t.counts {
		y.counts[what] += n
	}
}

func (y *tally) of(what string) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.counts[what]
}

// String lists it, what was lost or doubled last.
func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d stories", y.stories)
	for _, what := range slices.Sorted(maps.Keys(y.counts)) {
		if what != countLost && what != countDoubled {
			fmt.Fprintf(&b, ", %d %s", y.counts[what], what)
		}
	}
	fmt.Fprintf(&b, "; lost %d, doubled %d", y.counts[countLost], y.counts[countDoubled])
	return b.String()
}

// What tapes count that decides.
const (
	countLost    = "lost"
	countDoubled = "doubled"
)
