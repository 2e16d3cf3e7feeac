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

// trace is what happened in a story, and how often.
type trace struct {
	mu        sync.Mutex
	startedAt time.Time
	planned   []string // what was drawn: the customers, and the adversary's actions
	lines     []string // all that happened
	counts    map[string]int
}

func newTrace() *trace { return &trace{counts: map[string]int{}} }

// event records what happened at this moment.
func (t *trace) event(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, t.line(format, args...))
}

// notePlanned records what the story plans for this moment.
func (t *trace) notePlanned(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.line(format, args...)
	t.planned, t.lines = append(t.planned, line), append(t.lines, line)
}

func (t *trace) line(format string, args ...any) string {
	return fmt.Sprintf("%9.3f %s", time.Since(t.startedAt).Seconds(), fmt.Sprintf(format, args...))
}

// countEvent counts what really happened.
func (t *trace) countEvent(what string, really bool) {
	if !really {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[what]++
}

// hash identifies lines. Events of one moment have no order.
func hash(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(lines)), "\n")))
	return hex.EncodeToString(sum[:8])
}

// traceTotals adds up the traces of many stories.
type traceTotals struct {
	mu      sync.Mutex
	Stories int
	Counts  map[string]int
}

func newTraceTotals() *traceTotals { return &traceTotals{Counts: map[string]int{}} }

func (y *traceTotals) add(t *trace) { y.merge(&traceTotals{Stories: 1, Counts: t.counts}) }

func (y *traceTotals) merge(other *traceTotals) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.Stories += other.Stories
	for what, n := range other.Counts {
		y.Counts[what] += n
	}
}

// String lists it, what was lost or doubled last.
func (y *traceTotals) String() string {
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

// Counters that decide.
const (
	countLost    = "lost"
	countDoubled = "doubled"
)
