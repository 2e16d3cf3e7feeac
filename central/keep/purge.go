package keep

import (
	"context"
	"fmt"
	"strings"
	"time"

	"galla/central/duty"
)

// Limits of a purge.
const (
	// purgeRows bounds the rows of one transaction, which takes a few
	// milliseconds, so that nobody waits for it.
	purgeRows = 256
	// purgeBatches bounds the transactions of one leftover in a run; an hourly
	// run of so many keeps up with twelve million rows a day.
	purgeBatches = 2000
)

// Purged is how many rows of each leftover a run forgot.
type Purged map[duty.Leftover]int

func (p Purged) String() string {
	var list []string
	for _, k := range duty.Keepings() {
		if n := p[k.What]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, k.What))
		}
	}
	if len(list) == 0 {
		return "nothing to purge"
	}
	return "purged " + strings.Join(list, ", ")
}

// Purge forgets what duty.Keepings no longer keeps, a bounded number of rows.
// It may be stopped at any point and run again, by several nodes at once.
func Purge(ctx context.Context, store duty.Purges, now time.Time) (Purged, error) {
	done := Purged{}
	for _, k := range duty.Keepings() {
		for range purgeBatches {
			if err := ctx.Err(); err != nil {
				return done, err
			}
			n, err := store.Purge(ctx, k.What, now.Add(-k.For), purgeRows)
			if err != nil {
				return done, err
			}
			done[k.What] += n
			if n < purgeRows {
				break
			}
		}
	}
	return done, nil
}

// Periods of the chores. What is due lies there for months; an hour spreads it.
const (
	archiveEvery = time.Hour
	purgeEvery   = time.Hour
)

// Chores are the archive and the purge as regular work.
func Chores(a *Archiver, store duty.Purges) []duty.Chore {
	return []duty.Chore{
		{Name: "archive", Every: archiveEvery, Do: func(ctx context.Context) (string, error) {
			done, err := a.Run(ctx, time.Now())
			return done.String(), err
		}},
		{Name: "purge", Every: purgeEvery, Do: func(ctx context.Context) (string, error) {
			done, err := Purge(ctx, store, time.Now())
			return done.String(), err
		}},
	}
}
