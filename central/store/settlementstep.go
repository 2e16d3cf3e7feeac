package store

import (
	"context"
	"fmt"

	"galla/central"
	"galla/central/settle"
	"galla/shared/op"
)

// heldCase is what a step of a case looks at before it changes the row, which
// it holds.
type heldCase struct {
	status     settle.Status
	verdict    settle.Verdict
	operation  op.ID
	proposedBy string
}

// holdCase reads a case that is about to change, and refuses one whose file was
// superseded.
func holdCase(c conn, id settle.CaseID) (x heldCase, err error) {
	err = c.one(`SELECT status, verdict, operation, proposed_by FROM settlement_cases
		WHERE day = $1 AND file = $2 AND number = $3`+c.dialect.hold, []any{string(id.Day), id.File, id.Number},
		&x.status, optional[settle.Verdict]{&x.verdict}, optional[op.ID]{&x.operation}, optional[string]{&x.proposedBy})
	if err != nil {
		return heldCase{}, err
	}
	gone, err := superseded(c, id)
	if err == nil && gone {
		err = settle.ErrSuperseded
	}
	return x, err
}

// inStatus refuses a case that is not in the status that a step leaves.
func (x heldCase) inStatus(want settle.Status) error {
	if x.status != want {
		return fmt.Errorf("it is %s and not %s: %w", x.status, want, central.ErrState)
	}
	return nil
}

// moveCase makes one step of a case, with its line in the history.
func (s *DB) moveCase(ctx context.Context, id settle.CaseID, step settle.Step, do func(c conn, x heldCase) (settle.Step, error)) error {
	err := s.write(ctx, func(c conn) error {
		x, err := holdCase(c, id)
		if err != nil {
			return err
		}
		written, err := do(c, x)
		if err != nil {
			return err
		}
		return addCaseStep(c, id, written)
	})
	if err != nil {
		return fmt.Errorf("case %s can't be %s: %w", id, step.Did, err)
	}
	return nil
}

// Propose implements settle.Cases.
func (s *DB) Propose(ctx context.Context, id settle.CaseID, step settle.Step) error {
	return s.moveCase(ctx, id, step, func(c conn, x heldCase) (settle.Step, error) {
		if err := x.inStatus(settle.Open); err != nil {
			return settle.Step{}, err
		}
		_, err := c.exec(`UPDATE settlement_cases SET status = 'proposed', verdict = $1, charge = $2, reason = $3, document = $4, document_sha256 = $5, proposed_by = $6
			WHERE day = $7 AND file = $8 AND number = $9`, string(step.Verdict), int64(step.Charge), step.Reason, step.Document.Name, step.Document.SHA256, step.By,
			string(id.Day), id.File, id.Number)
		return step, err
	})
}

// Confirm implements settle.Cases.
func (s *DB) Confirm(ctx context.Context, id settle.CaseID, step settle.Step) error {
	return s.moveCase(ctx, id, step, func(c conn, x heldCase) (settle.Step, error) {
		if err := x.inStatus(settle.Proposed); err != nil {
			return settle.Step{}, err
		}
		if x.proposedBy == step.By {
			return settle.Step{}, settle.ErrSamePerson
		}
		if err := unchanged(c, id, step.Seen); err != nil {
			return settle.Step{}, err
		}
		if _, err := c.exec(`UPDATE settlement_cases SET status = 'decided', decided_by = $1, decided_at = $2
			WHERE day = $3 AND file = $4 AND number = $5`, step.By, ms(step.At), string(id.Day), id.File, id.Number); err != nil {
			return settle.Step{}, err
		}
		written := step
		written.Verdict = x.verdict
		var reason string
		if err := c.one(`SELECT reason, charge FROM settlement_cases WHERE day = $1 AND file = $2 AND number = $3`,
			[]any{string(id.Day), id.File, id.Number}, &reason, &written.Charge); err != nil {
			return settle.Step{}, err
		}
		told := written
		told.By, told.Reason = x.proposedBy+" and "+step.By, reason
		return written, hasten(c, x.operation, id, told)
	})
}

// unchanged refuses a step of whoever has seen another history than there is; a
// case that is held gets no steps meanwhile.
func unchanged(c conn, id settle.CaseID, seen int) error {
	if seen == 0 {
		return nil
	}
	var steps int
	err := c.one(`SELECT count(*) FROM settlement_steps WHERE day = $1 AND file = $2 AND number = $3`, []any{string(id.Day), id.File, id.Number}, &steps)
	if err == nil && steps != seen {
		err = settle.ErrChanged
	}
	return err
}

// Reopen implements settle.Cases.
func (s *DB) Reopen(ctx context.Context, id settle.CaseID, step settle.Step) error {
	return s.moveCase(ctx, id, step, func(c conn, x heldCase) (settle.Step, error) {
		from := settle.Proposed
		if step.Did == settle.DidWithdraw {
			from = settle.Decided
		}
		if err := x.inStatus(from); err != nil {
			return settle.Step{}, err
		}
		if from == settle.Decided && x.verdict.Outcome() != "" {
			var state op.State
			err := c.one(`SELECT state FROM operations WHERE `+c.dialect.called("id = $1"), []any{string(x.operation)}, &state)
			if err != nil {
				return settle.Step{}, err
			}
			if state.Final() {
				return settle.Step{}, settle.ErrEffective
			}
		}
		_, err := c.exec(`UPDATE settlement_cases SET status = 'open', verdict = NULL, charge = 0, reason = '', document = '', document_sha256 = '',
			proposed_by = NULL, decided_by = NULL, decided_at = NULL WHERE day = $1 AND file = $2 AND number = $3`, string(id.Day), id.File, id.Number)
		if err != nil {
			return settle.Step{}, err
		}
		written := step
		written.Verdict = x.verdict
		if from == settle.Proposed {
			return written, nil
		}
		return written, hasten(c, x.operation, id, written)
	})
}

// Evidence implements settle.Decisions.
func (s *DB) Evidence(ctx context.Context, reference central.Reference) (e settle.Evidence, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT c.day, c.file, c.number, c.verdict, c.charge, c.decided_by, coalesce(l.stan, ''), coalesce(l.rrn, ''), coalesce(l.code, '')
			FROM settlement_cases c
			LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line
			WHERE c.reference = $1 AND c.status = 'decided' AND c.verdict <> 'noted' AND NOT EXISTS (
				SELECT 1 FROM settlement_files f WHERE f.day = c.day AND f.number = c.file AND f.superseded_at IS NOT NULL)
			ORDER BY c.decided_at DESC LIMIT 1`, []any{string(reference)},
			&e.Case.Day, &e.Case.File, &e.Case.Number, &e.Verdict, &e.Charge, &e.By, &e.STAN, &e.RRN, &e.Code)
	})
	if err != nil {
		return settle.Evidence{}, fmt.Errorf("look for a decision on %s: %w", reference, err)
	}
	return e, nil
}
