package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/reconcile"
)

// PaymentCases implements reconcile.PaymentCaseStore, at most 1000.
func (s Reconciliation) PaymentCases(ctx context.Context, limit int) ([]reconcile.Case, error) {
	return query(ctx, s.task("list settlement lines of payments that are not recorded"), func(c conn) ([]reconcile.Case, error) {
		// The index is of cases that are open or proposed. The first step says that the case
		// was found, and whatever was done since is another one.
		return c.cases(`SELECT `+caseColumns+` WHERE c.status IN ('open', 'proposed') AND c.status = 'open' AND c.class = 'missing-here' AND l.stan = '000000'
			AND NOT EXISTS (SELECT 1 FROM reconciliation_steps s WHERE s.day = c.day AND s.file = c.file AND s.number = c.number AND s.step > 1)
			AND EXISTS (SELECT 1 FROM settlement_files f WHERE f.day = c.day AND f.number = c.file AND f.complete_at IS NOT NULL AND f.superseded_at IS NULL)
			ORDER BY c.found_at LIMIT $1`, clampLimit(limit))
	})
}

// AnswerPaymentCase implements reconcile.PaymentCaseStore.
func (s Reconciliation) AnswerPaymentCase(ctx context.Context, id reconcile.CaseID, at time.Time, answer string, agrees bool) error {
	return s.task("record what the network knows of case %s", id).change(ctx, func(c conn) error {
		x, err := lockCase(c, id)
		if err != nil {
			return err
		}
		if err := x.inStatus(reconcile.Open); err != nil {
			return err
		}
		if err := checkUnchanged(c, id, 1); err != nil {
			return fmt.Errorf("%w: %w", err, central.ErrState)
		}
		if !agrees {
			return addCaseStep(c, id, reconcile.Step{At: at, By: reconcile.ByRule, Action: reconcile.ActionFound, Reason: answer})
		}
		_, err = noteByRule(c, id, at, answer) // it is locked and open
		return err
	})
}
