package store

import (
	"context"
	"fmt"

	"galla/central"
	"galla/central/reconcile"
	"galla/shared/op"
)

// lockedCase is a case before a step. Its row is locked.
type lockedCase struct {
	status     reconcile.Status
	verdict    reconcile.Verdict
	operation  op.ID
	proposedBy string
}

// lockCase locks and reads a case, and refuses one whose file was superseded.
func lockCase(c conn, id reconcile.CaseID) (x lockedCase, err error) {
	err = c.one(`SELECT status, verdict, operation, proposed_by FROM reconciliation_cases
		WHERE day = $1 AND file = $2 AND number = $3`+c.dialect.forUpdate, []any{id.Day, id.File, id.Number},
		&x.status, &x.verdict, &x.operation, &x.proposedBy)
	if err != nil {
		return lockedCase{}, err
	}
	gone, err := superseded(c, id)
	if err == nil && gone {
		err = reconcile.ErrSuperseded
	}
	return x, err
}

// inStatus refuses a case that does not have the status before a step.
func (x lockedCase) inStatus(want reconcile.Status) error {
	if x.status != want {
		return fmt.Errorf("it is %s and not %s: %w", x.status, want, central.ErrState)
	}
	return nil
}

// changeCase makes one step of a case, and adds it to the history.
func (s Reconciliation) changeCase(ctx context.Context, id reconcile.CaseID, step reconcile.Step, do func(c conn, x lockedCase) (reconcile.Step, error)) error {
	return s.task("case %s can't be %s", id, step.Action).change(ctx, func(c conn) error {
		x, err := lockCase(c, id)
		if err != nil {
			return err
		}
		written, err := do(c, x)
		if err != nil {
			return err
		}
		return addCaseStep(c, id, written)
	})
}

// ProposeCase implements reconcile.CaseStore.
func (s Reconciliation) ProposeCase(ctx context.Context, id reconcile.CaseID, step reconcile.Step) error {
	return s.changeCase(ctx, id, step, func(c conn, x lockedCase) (reconcile.Step, error) {
		if err := x.inStatus(reconcile.Open); err != nil {
			return reconcile.Step{}, err
		}
		_, err := c.exec(`UPDATE reconciliation_cases SET status = 'proposed', verdict = $1, charge = $2, reason = $3, document = $4, document_sha256 = $5, proposed_by = $6
			WHERE day = $7 AND file = $8 AND number = $9`, step.Verdict, step.Charge, step.Reason, step.Document.Name, step.Document.SHA256, step.By,
			id.Day, id.File, id.Number)
		return step, err
	})
}

// ConfirmCase implements reconcile.CaseStore.
func (s Reconciliation) ConfirmCase(ctx context.Context, id reconcile.CaseID, step reconcile.Step) error {
	return s.changeCase(ctx, id, step, func(c conn, x lockedCase) (reconcile.Step, error) {
		if err := x.inStatus(reconcile.Proposed); err != nil {
			return reconcile.Step{}, err
		}
		if x.proposedBy == step.By {
			return reconcile.Step{}, reconcile.ErrSamePerson
		}
		if err := checkUnchanged(c, id, step.Seen); err != nil {
			return reconcile.Step{}, err
		}
		if _, err := c.exec(`UPDATE reconciliation_cases SET status = 'decided', decided_by = $1, decided_at = $2
			WHERE day = $3 AND file = $4 AND number = $5`, step.By, step.At, id.Day, id.File, id.Number); err != nil {
			return reconcile.Step{}, err
		}
		written := step
		written.Verdict = x.verdict
		var reason string
		if err := c.one(`SELECT reason, charge FROM reconciliation_cases WHERE day = $1 AND file = $2 AND number = $3`,
			[]any{id.Day, id.File, id.Number}, &reason, &written.Charge); err != nil {
			return reconcile.Step{}, err
		}
		decision := written
		decision.By, decision.Reason = x.proposedBy+" and "+step.By, reason
		return written, expedite(c, x.operation, id, decision)
	})
}

// checkUnchanged refuses a step if the case, which is locked, has another history than the
// person has seen.
func checkUnchanged(c conn, id reconcile.CaseID, seen int) error {
	if seen == 0 {
		return nil
	}
	var steps int
	err := c.one(`SELECT count(*) FROM reconciliation_steps WHERE day = $1 AND file = $2 AND number = $3`, []any{id.Day, id.File, id.Number}, &steps)
	if err == nil && steps != seen {
		err = reconcile.ErrChanged
	}
	return err
}

// ReopenCase implements reconcile.CaseStore.
func (s Reconciliation) ReopenCase(ctx context.Context, id reconcile.CaseID, step reconcile.Step) error {
	return s.changeCase(ctx, id, step, func(c conn, x lockedCase) (reconcile.Step, error) {
		from := reconcile.Proposed
		if step.Action == reconcile.ActionWithdrawn {
			from = reconcile.Decided
		}
		if err := x.inStatus(from); err != nil {
			return reconcile.Step{}, err
		}
		if from == reconcile.Decided && x.verdict.Outcome() != "" {
			var state op.State
			err := c.one(`SELECT state FROM operations WHERE `+c.dialect.byUniqueName("id = $1"), []any{x.operation}, &state)
			if err != nil {
				return reconcile.Step{}, err
			}
			if state.Final() {
				return reconcile.Step{}, reconcile.ErrEffective
			}
		}
		_, err := c.exec(`UPDATE reconciliation_cases SET status = 'open', verdict = NULL, charge = 0, reason = '', document = '', document_sha256 = '',
			proposed_by = NULL, decided_by = NULL, decided_at = NULL WHERE day = $1 AND file = $2 AND number = $3`, id.Day, id.File, id.Number)
		if err != nil {
			return reconcile.Step{}, err
		}
		written := step
		written.Verdict = x.verdict
		if from == reconcile.Proposed {
			return written, nil
		}
		return written, expedite(c, x.operation, id, written)
	})
}

// DecisionFor implements central.Decisions.
func (s Reconciliation) DecisionFor(ctx context.Context, reference central.Reference) (central.Decision, error) {
	return query(ctx, s.task("read the decision on %s", reference), func(c conn) (d central.Decision, err error) {
		var id reconcile.CaseID
		err = c.one(`SELECT c.day, c.file, c.number, c.verdict, c.charge, c.decided_by, coalesce(l.stan, ''), coalesce(l.rrn, ''), coalesce(l.code, '')
			FROM reconciliation_cases c
			LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line
			WHERE c.reference = $1 AND c.status = 'decided' AND c.verdict <> 'noted' AND NOT EXISTS (
				SELECT 1 FROM settlement_files f WHERE f.day = c.day AND f.number = c.file AND f.superseded_at IS NOT NULL)
			ORDER BY c.decided_at DESC LIMIT 1`, []any{reference},
			&id.Day, &id.File, &id.Number, &d.To, &d.Charge, &d.By, &d.STAN, &d.RRN, &d.Code)
		d.Case = id.String()
		return d, err
	})
}
