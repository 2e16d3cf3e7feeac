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
	script []string // what was drawn: the customers, and the adversary's deeds
	lines  []string // all that happened
	counts map[string]int
}

func newTape() *tape { return &tape{counts: map[string]int{}} }

// note writes down what happened at this moment.
func (t *tape) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, t.line(format, args...))
}

// plan writes down what the story wants to happen at this moment.
func (t *tape) plan(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.line(format, args...)
	t.script, t.lines = append(t.script, line), append(t.lines, line)
}

func (t *tape) line(format string, args ...any) string {
	return fmt.Sprintf("%9.3f %s", time.Since(t.begun).Seconds(), fmt.Sprintf(format, args...))
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

// hash names lines. Things of one moment have no order among them.
func hash(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(lines)), "\n")))
	return hex.EncodeToString(sum[:8])
}

// tally adds up the tapes of many stories.
type tally struct {
	mu      sync.Mutex
	Stories int
	Counts  map[string]int
}

func newTally() *tally { return &tally{Counts: map[string]int{}} }

func (y *tally) add(t *tape) { y.merge(&tally{Stories: 1, Counts: t.counts}) }

func (y *tally) merge(other *tally) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.Stories += other.Stories
	for what, n := range other.Counts {
		y.Counts[what] += n
	}
}

// String lists it, what was lost or doubled last.
func (y *tally) String() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d stories", y.Stories)
	for _, what := range slices.Sorted(maps.Keys(y.Counts)) {
		if what != countLost && what != countDoubled {
			fmt.Fprintf(&b, ", %d %s", y.Counts[what], what)
		}
	}
	fmt.Fprintf(&b, "; lost %d, doubled %d", y.Counts[countLost], y.Counts[countDoubled])
	return b.String()
}

// What tapes count that decides.
const (
	countLost    = "lost"
	countDoubled = "doubled"
)
