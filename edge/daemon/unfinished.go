package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"galla/edge/queue"
	"galla/shared/money"
	"galla/shared/op"
)

// Unfinished is what a counter still waits for.
type Unfinished struct {
	Operations int // whose outcome the central has not told
	ByState    map[op.State]int
	Amount     money.Paise // of all of them together
	Damaged    int         // that can't be read
}

// CountUnfinished counts the operations of a counter that have no end yet: with
// its data folder gone, nobody here could tell the customers what became of
// them. It needs a counter that does not run; queue.ErrLocked says that it does.
// ErrNotEnrolled says that there is none, and no queue either.
func CountUnfinished(data string, rand io.Reader, log *slog.Logger) (n Unfinished, err error) {
	f := at(data)
	_, key, _, err := f.load(rand)
	if errors.Is(err, ErrNotEnrolled) {
		// A counter that lost its settings may have operations all the same.
		if _, there := os.Lstat(f.queue()); !errors.Is(there, fs.ErrNotExist) {
			return Unfinished{}, fmt.Errorf("the settings %s are gone, and the queue %s is there: what is in it can't be counted; put the settings back", f.settings(), f.queue())
		}
	}
	if err != nil {
		return Unfinished{}, err
	}
	q, _, err := queue.Open(queue.Config{Path: f.queue(), Key: key, Rand: rand, Logger: log})
	if err != nil {
		return Unfinished{}, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	all, err := q.Unresolved()
	var damaged *queue.DamagedError
	if errors.As(err, &damaged) {
		n.Damaged, err = len(damaged.IDs), nil
	}
	n.Operations, n.ByState = len(all), map[op.State]int{}
	for _, r := range all {
		n.ByState[r.State]++
		n.Amount += r.Amount
	}
	return n, err
}
