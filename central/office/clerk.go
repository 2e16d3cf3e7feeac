package office

import (
	"cmp"
	"context"
	"errors"

	"galla/central/operator"
	"galla/central/store"
)

// clerk carries out the steps of commands under the trail of the console's people:
// an entry before, and one with what came of it. It knows the machine's account,
// and no person.
type clerk struct {
	*operator.Journal
	by operator.Actor
}

func newClerk(cfg Config, db *store.DB) (clerk, error) {
	j, err := operator.NewJournal(db, cfg.Rand)
	return clerk{j, operator.Actor{From: operator.AtMachine(cmp.Or(cfg.Account, unknownAccount))}}, err
}

// openAsClerk is openBeside for commands that write the trail.
func openAsClerk(ctx context.Context, cfg Config) (*store.DB, clerk, error) {
	db, err := openBeside(ctx, cfg)
	if err != nil {
		return nil, clerk{}, err
	}
	c, err := newClerk(cfg, db)
	if err != nil {
		return nil, clerk{}, errors.Join(err, db.Close())
	}
	return db, c, nil
}

// unknownAccount stands in the trail where nobody knows who runs a command.
const unknownAccount = "an unknown account"

// under carries out a step.
func (c clerk) under(ctx context.Context, change operator.Change, step func(ctx context.Context) error) error {
	return c.Do(ctx, c.by, change, step)
}
