package store

import (
	"context"
	"fmt"
	"time"

	"galla/central/reconcile"
	"galla/shared/ist"
)

// ReconciliationBacklog is what waits in reconciliation: undecided cases of files that
// count, by status, with the time at which the oldest was found; and the latest file
// that counts.
type ReconciliationBacklog struct {
	Open, Proposed BacklogCount
	LastDay        ist.Day   // empty: there is no file
	LastAt         time.Time // when that file was complete
	// ByHand counts the undecided cases that people opened.
	ByHand int
	// ByPeople counts the cases that people decided.
	ByPeople Verdicts
}

// Verdicts are numbers of cases by verdict.
type Verdicts struct{ Succeeded, Failed, Reversed, Noted int }

// of returns the number of a verdict.
func (v *Verdicts) of(verdict reconcile.Verdict) *int {
	return map[reconcile.Verdict]*int{reconcile.Succeeded: &v.Succeeded, reconcile.Failed: &v.Failed, reconcile.Reversed: &v.Reversed, reconcile.Noted: &v.Noted}[verdict]
}

// ReconciliationBacklog counts the cases that wait for people, for metrics.
func (s Reconciliation) ReconciliationBacklog(ctx context.Context) (ReconciliationBacklog, error) {
	return query(ctx, s.task("count the waiting cases of reconciliation"), func(c conn) (b ReconciliationBacklog, err error) {
		statuses := map[string]*BacklogCount{string(reconcile.Open): &b.Open, string(reconcile.Proposed): &b.Proposed}
		err = c.Each(`SELECT c.status, count(*), min(c.found_at) FROM reconciliation_cases c
			JOIN settlement_files f ON f.day = c.day AND f.number = c.file
			WHERE c.status IN ('open', 'proposed') AND f.complete_at IS NOT NULL AND f.superseded_at IS NULL
			GROUP BY c.status`, nil, func(row row) error {
			var status string
			var n BacklogCount
			err := row.Scan(&status, &n.Count, &n.Oldest)
			if err == nil {
				*statuses[status] = n
			}
			return err
		})
		if err != nil {
			return b, err
		}
		if err := c.one(`SELECT count(*) FROM reconciliation_cases WHERE status IN ('open', 'proposed') AND file = 0`, nil, &b.ByHand); err != nil {
			return b, err
		}
		err = c.Each(`SELECT verdict, count(*) FROM reconciliation_cases WHERE status = 'decided' AND decided_by <> 'rule' AND verdict > '' GROUP BY verdict`, nil,
			func(row row) error {
				var verdict reconcile.Verdict
				var n int
				if err := row.Scan(&verdict, &n); err != nil {
					return err
				}
				count := b.ByPeople.of(verdict)
				if count == nil {
					return fmt.Errorf("verdict %q is unknown", verdict)
				}
				*count = n
				return nil
			})
		if err != nil {
			return b, err
		}
		// Few of the newest files were interrupted.
		return b, c.Each(`SELECT day, complete_at FROM settlement_files WHERE complete_at IS NOT NULL AND superseded_at IS NULL
			ORDER BY at DESC, day DESC, number DESC LIMIT 1`, nil, func(row row) error { return row.Scan(&b.LastDay, &b.LastAt) })
	})
}
