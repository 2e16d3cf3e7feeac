package server

import (
	"context"
	"fmt"
	"time"

	"galla/central/duty"
	"galla/central/keep"
	"galla/central/store"
	"galla/shared/secret"
)

// monthsAhead is how many months of operations have their place made before
// they begin: one would do, and two cover a month in which nobody looks.
const monthsAhead = 2

// monthsEvery is how often that is seen to.
const monthsEvery = 24 * time.Hour

// houseChores is the regular work of a central.
func houseChores(cfg Config, db *store.DB) ([]duty.Chore, error) {
	a, err := cfg.Office().Archiver(db)
	if err != nil {
		return nil, err
	}
	months := duty.Chore{Name: "months", Every: monthsEvery, Do: func(ctx context.Context) (string, error) {
		return fmt.Sprintf("the months up to %d ahead have their place", monthsAhead), db.EnsureMonths(ctx, time.Now(), monthsAhead)
	}}
	return append(keep.Chores(a, db), months), nil
}

// newHouseDuties makes the duties of this node, the house's regular work among
// them.
func newHouseDuties(cfg Config, masters []secret.Key, db *store.DB, more ...duty.Chore) (*duties, error) {
	regular, err := houseChores(cfg, db)
	if err != nil {
		return nil, err
	}
	return newDuties(cfg, masters, db, append(regular, more...)...)
}
