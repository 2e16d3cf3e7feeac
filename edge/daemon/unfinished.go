package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"galla/edge/queue"
	"galla/shared/money"
	"galla/shared/op"
)

// Unfinished is what a counter still waits for.
type Unfinished struct {
	Operations int // that are not final
	ByState    map[op.State]int
	Amount     money.Paise // of all of them together
	Damaged    int         // that can't be read
}

// CountUnfinished counts the operations of a counter that are not final: without
// its data folder nobody could tell the customers their outcome. The counter must
// not be running (queue.ErrLocked). ErrNotEnrolled: there is none, and no queue.
func CountUnfinished(cfg Config) (n Unfinished, err error) {
	err = withQueue(cfg, func(q *queue.Queue, _ *settingsStore) error {
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
		return err
	})
	if f := folderOf(cfg.Data); errors.Is(err, ErrNotEnrolled) {
		// A counter that lost its settings may have operations all the same.
		if _, there := os.Lstat(f.queue()); !errors.Is(there, fs.ErrNotExist) {
			return n, fmt.Errorf("the settings %s are missing, and the queue %s exists: its operations can't be counted; restore the settings", f.settings(), f.queue())
		}
	}
	return n, err
}
