package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/settle"
)

// SettlementBacklog is what reconciliation waits for: cases of files that count
// which nobody has decided, by status, with the moment at which the oldest was
// found; and the file that was begun last of those which count; empty where there is none.
type SettlementBacklog struct {
	Open, Proposed Waiting
	LastDay        central.Day
	LastAt         time.Time // when that file was complete
	// ByHand counts the cases that people opened and have not decided.
	ByHand int
	// ByPeople counts the cases that people have decided.
	ByPeople Verdicts
}

// Verdicts are numbers of cases, by what they were decided as.
type Verdicts struct{ Succeeded, Failed, Reversed, Noted int }

// of gives the number of a verdict.
func (v *Verdicts) of(verdict settle.Verdict) *int {
	return map[settle.Verdict]*int{settle.Succeeded: &v.Succeeded, settle.Failed: &v.Failed, settle.Reversed: &v.Reversed, settle.Noted: &v.Noted}[verdict]
}

// SettlementBacklog counts the cases that wait for people, for metrics.
func (s *DB) SettlementBacklog(ctx context.Context) (b SettlementBacklog, err error) {
	err = s.read(ctx, func(c conn) error {
		statuses := map[string]*Waiting{string(settle.Open): &b.Open, string(settle.Proposed): &b.Proposed}
		err := c.each(`SELECT c.status, count(*), min(c.found_at) FROM settlement_cases c
			JOIN settlement_files f ON f.day = c.day AND f.number = c.file
			WHERE c.status IN ('open', 'proposed') AND f.complete_at IS NOT NULL AND f.superseded_at IS NULL
			GROUP BY c.status`, nil, func(row row) error {
			var status string
			var w Waiting
			if err := row.Scan(&status, &w.Count, moment{&w.Oldest}); err != nil {
				return err
			}
			*statuses[status] = w
			return nil
		})
		if err != nil {
			return err
		}
		if err := c.one(`SELECT count(*) FROM settlement_cases WHERE status IN ('open', 'proposed') AND file = 0`, nil, &b.ByHand); err != nil {
			return err
		}
		err = c.each(`SELECT verdict, count(*) FROM settlement_cases WHERE status = 'decided' AND decided_by <> 'rule' AND verdict > '' GROUP BY verdict`, nil,
			func(row row) error {
				var verdict settle.Verdict
				var n int64
				err := row.Scan(&verdict, &n)
				if err == nil && b.ByPeople.of(verdict) == nil {
					err = fmt.Errorf("verdict %q is none", verdict)
				}
				if err != nil {
					return err
				}
				*b.ByPeople.of(verdict) = int(n)
				return nil
			})
		if err != nil {
			return err
		}
		// The newest files were begun last, few of them in vain.
		return c.each(`SELECT day, complete_at FROM settlement_files WHERE complete_at IS NOT NULL AND superseded_at IS NULL
			ORDER BY at DESC, day DESC, number DESC LIMIT 1`, nil, func(row row) error {
			var day string
			if err := row.Scan(&day, moment{&b.LastAt}); err != nil {
				return err
			}
			b.LastDay = central.Day(day)
			return nil
		})
	})
	if err != nil {
		return SettlementBacklog{}, fmt.Errorf("count the cases of reconciliation that wait: %w", err)
	}
	return b, nil
}
