package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/shared/ist"
	"galla/shared/op"
)

// comparedColumns are the columns of an operation that are compared, in the order of
// scanCompared.
const comparedColumns = `id, reference, stan, rrn, kind, amount, state, merchant, tid, terminal,
	created_at, sent_at, bank_not_after, finished_at,
	(SELECT count(*) FROM events WHERE events.terminal = operations.terminal AND events.operation = operations.id)`

func scanCompared(row row, o *reconcile.Operation) error {
	var events int
	err := row.Scan(&o.ID, &o.Reference, &o.STAN, &o.RRN, &o.Kind, &o.Amount, &o.State,
		&o.Merchant, &o.TID, &o.Terminal,
		&o.CreatedAt, &o.SentAt, &o.BankNotAfter, &o.FinishedAt, &events)
	o.Unreported = events > 0
	return err
}

// OperationsCreated implements reconcile.OperationStore, at most 1000.
func (s Reconciliation) OperationsCreated(ctx context.Context, from, to, after time.Time, afterID op.ID, limit int) ([]reconcile.Operation, error) {
	if after.Before(from) {
		after, afterID = from, ""
	}
	return listRows(ctx, s.task("list the operations that were created on a day"), scanCompared, `SELECT `+comparedColumns+` FROM operations
		WHERE amount > 0 AND created_at < $1 AND (created_at, id) > ($2, $3) AND sent_at IS NOT NULL
			AND kind IN ('CASH_WITHDRAWAL', 'PURCHASE', 'TRANSFER', 'REFUND', 'UPI_PAYMENT', 'UPI_REFUND')
		ORDER BY created_at, id LIMIT $4`, to, after, afterID, clampLimit(limit))
}

// OperationsFinished implements reconcile.OperationStore, at most 1000. It leaves out
// archived operations; archiving is months later.
func (s Reconciliation) OperationsFinished(ctx context.Context, from, to, begun, after time.Time, afterID op.ID, limit int) ([]reconcile.Operation, error) {
	if after.Before(from) {
		after, afterID = from, ""
	}
	return listRows(ctx, s.task("list the operations that finished on a day"), scanCompared, `SELECT `+comparedColumns+` FROM operations
		WHERE archived_at IS NULL AND finished_at < $1 AND (finished_at, id) > ($2, $3) AND created_at < $4
			AND amount > 0 AND sent_at IS NOT NULL AND kind IN ('CASH_WITHDRAWAL', 'PURCHASE', 'TRANSFER', 'REFUND', 'UPI_PAYMENT', 'UPI_REFUND')
		ORDER BY finished_at, id LIMIT $5`, to, after, afterID, begun, clampLimit(limit))
}

// OperationsByReference implements reconcile.OperationStore.
func (s Reconciliation) OperationsByReference(ctx context.Context, references []central.Reference) ([]reconcile.Operation, error) {
	return query(ctx, s.task("find the operations of a settlement file"), func(c conn) (list []reconcile.Operation, err error) {
		for _, r := range references {
			found, err := allRows(c, scanCompared, `SELECT `+comparedColumns+` FROM operations WHERE `+c.dialect.byUniqueName("reference = $1"), r)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
		return list, nil
	})
}

// LinesOfOtherDays implements reconcile.OperationStore.
func (s Reconciliation) LinesOfOtherDays(ctx context.Context, day ist.Day, references []central.Reference) (map[central.Reference]ist.Day, error) {
	return query(ctx, s.task("find settlement lines of other days"), func(c conn) (map[central.Reference]ist.Day, error) {
		days := map[central.Reference]ist.Day{}
		for _, r := range references {
			var other ist.Day
			err := c.one(`SELECT l.day FROM settlement_lines l JOIN settlement_files f ON f.day = l.day AND f.number = l.file
				WHERE l.reference = $1 AND l.day <> $2 AND f.complete_at IS NOT NULL AND f.superseded_at IS NULL LIMIT 1`,
				[]any{r, day}, &other)
			switch {
			case err == nil:
				days[r] = other
			case !errors.Is(err, central.ErrNotFound):
				return nil, err
			}
		}
		return days, nil
	})
}

// addCase writes a case as it was found, with the decision of a rule. If it counts, the
// enquiry of its operation becomes due.
func addCase(c conn, x reconcile.Case, counts bool) error {
	var operation op.ID
	var line any
	if x.Operation != nil {
		operation = x.Operation.ID
	}
	if x.Line != nil {
		line = x.Line.Number
	}
	_, err := c.exec(`INSERT INTO reconciliation_cases (day, file, number, class, reference, line, operation, found, found_at,
			status, verdict, charge, reason, proposed_by, decided_by, decided_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		x.Day, x.File, x.Number, x.Class, x.Reference, line, orNull(operation), x.Found, x.FoundAt,
		x.Status, orNull(x.Verdict), x.Charge, x.Reason, orNull(x.ProposedBy), orNull(x.DecidedBy), x.DecidedAt)
	if err != nil {
		return err
	}
	if err := addCaseStep(c, x.CaseID, reconcile.Step{At: x.FoundAt, By: reconcile.ByRule, Action: reconcile.ActionFound}); err != nil {
		return err
	}
	if x.Status != reconcile.Decided {
		return nil
	}
	s := reconcile.Step{At: x.FoundAt, By: reconcile.ByRule, Action: reconcile.ActionConfirmed, Verdict: x.Verdict, Reason: x.Reason}
	if err := addCaseStep(c, x.CaseID, s); err != nil || !counts {
		return err
	}
	return expedite(c, operation, x.CaseID, s)
}

// addCaseStep adds a step to the history of a case.
func addCaseStep(c conn, id reconcile.CaseID, s reconcile.Step) error {
	_, err := c.exec(`INSERT INTO reconciliation_steps (day, file, number, step, at, actor, account, node, action, verdict, charge, reason, document, document_sha256)
		VALUES ($1, $2, $3, (SELECT coalesce(max(step), 0) + 1 FROM reconciliation_steps WHERE day = $1 AND file = $2 AND number = $3),
			$4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		id.Day, id.File, id.Number, s.At, s.By, s.Account, c.node, s.Action, s.Verdict, s.Charge,
		s.Reason, s.Document.Name, s.Document.SHA256)
	return err
}

// expedite makes the enquiry of a pending operation due, because its case was decided or
// opened again, and adds the reason to its history. A stuck operation is asked about
// again, and becomes stuck at once if that does not resolve it.
func expedite(c conn, id op.ID, of reconcile.CaseID, s reconcile.Step) error {
	if s.Verdict.Outcome() == "" {
		return nil
	}
	changed, err := c.exec(`UPDATE operations SET next_enquiry = $1, stuck_at = NULL WHERE `+c.dialect.byUniqueName("id = $2")+` AND state = 'pending'`, s.At, id)
	if err != nil || changed == 0 {
		return err
	}
	did := "was decided as " + string(s.Verdict)
	if s.Action == reconcile.ActionWithdrawn {
		did = "is open again, the decision was withdrawn"
	}
	return addStep(c, id, s.At, op.Pending, op.Pending, fmt.Sprintf("reconciliation: case %s %s by %s: %s", of, did, s.By, s.Reason))
}

// caseColumns are the columns of a case with its line, in the order of scanCase, and their
// tables.
const caseColumns = `c.day, c.file, c.number, c.class, c.reference, c.operation, c.found, c.found_at, c.status, c.verdict, c.charge,
		c.reason, c.document, c.document_sha256, c.proposed_by, c.decided_by, c.decided_at,
		coalesce(l.line, 0), coalesce(l.rrn, ''), coalesce(l.stan, ''), coalesce(l.amount, 0), coalesce(l.code, ''), l.at
	FROM reconciliation_cases c LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line`

// caseRow is a case with the id of its operation.
type caseRow struct {
	reconcile.Case
	operation op.ID
}

func scanCase(row row, x *caseRow) error {
	var l reconcile.Line
	err := row.Scan(&x.Day, &x.File, &x.CaseID.Number, &x.Class, &x.Reference, &x.operation, &x.Found, &x.FoundAt,
		&x.Status, &x.Verdict, &x.Charge, &x.Reason, &x.Document.Name, &x.Document.SHA256,
		&x.ProposedBy, &x.DecidedBy, &x.DecidedAt,
		&l.Number, &l.RRN, &l.STAN, &l.Amount, &l.Code, &l.At)
	if l.Number > 0 {
		l.Reference = x.Reference
		x.Line = &l
	}
	return err
}

// cases reads all cases of a statement that selects caseColumns, with the present state of
// their operations.
func (c conn) cases(statement string, args ...any) ([]reconcile.Case, error) {
	rows, err := allRows(c, scanCase, statement, args...)
	if err != nil {
		return nil, err
	}
	var list []reconcile.Case
	for _, x := range rows {
		if x.operation != "" {
			found, err := firstRow(c, scanCompared, `SELECT `+comparedColumns+` FROM operations WHERE `+c.dialect.byUniqueName("id = $1"), x.operation)
			if err != nil {
				return nil, err
			}
			x.Operation = &found
		}
		list = append(list, x.Case)
	}
	return list, nil
}

// Case implements reconcile.CaseStore.
func (s Reconciliation) Case(ctx context.Context, id reconcile.CaseID) (reconcile.Case, error) {
	return query(ctx, s.task("read case %s", id), func(c conn) (x reconcile.Case, err error) {
		list, err := c.cases(`SELECT `+caseColumns+` WHERE c.day = $1 AND c.file = $2 AND c.number = $3`, id.Day, id.File, id.Number)
		if err == nil && len(list) == 0 {
			err = central.ErrNotFound
		}
		if err != nil {
			return x, err
		}
		x = list[0]
		x.Superseded, err = superseded(c, id)
		return x, err
	})
}

// superseded tells whether the file of a case no longer counts.
func superseded(c conn, id reconcile.CaseID) (bool, error) {
	return c.exists(`SELECT 1 FROM settlement_files WHERE day = $1 AND number = $2 AND superseded_at IS NOT NULL`, id.Day, id.File)
}

// ListCases implements reconcile.CaseStore, at most 1000.
func (s Reconciliation) ListCases(ctx context.Context, day ist.Day, file, after, limit int) ([]reconcile.Case, error) {
	return query(ctx, s.task("list the cases of settlement file %s.%d", day, file), func(c conn) ([]reconcile.Case, error) {
		list, err := c.cases(`SELECT `+caseColumns+` WHERE c.day = $1 AND c.file = $2 AND c.number > $3 ORDER BY c.number LIMIT $4`, day, file, after, clampLimit(limit))
		if err != nil || len(list) == 0 {
			return nil, err
		}
		gone, err := superseded(c, list[0].CaseID)
		for i := range list {
			list[i].Superseded = gone
		}
		return list, err
	})
}

// CasesOfOperation implements reconcile.CaseStore, at most 1000.
func (s Reconciliation) CasesOfOperation(ctx context.Context, id op.ID) ([]reconcile.Case, error) {
	list, err := query(ctx, s.task("list the cases of operation %s", id), func(c conn) ([]reconcile.Case, error) {
		list, err := c.cases(`SELECT `+caseColumns+` WHERE c.operation = $1 AND c.operation IS NOT NULL LIMIT $2`, id, maxRows)
		for i := range list {
			if err == nil {
				list[i].Superseded, err = superseded(c, list[i].CaseID)
			}
		}
		return list, err
	})
	slices.SortFunc(list, func(a, b reconcile.Case) int { return b.FoundAt.Compare(a.FoundAt) })
	return list, err
}

// ManualCases implements reconcile.CaseStore, at most 1000.
func (s Reconciliation) ManualCases(ctx context.Context, limit int) ([]reconcile.Case, error) {
	return query(ctx, s.task("list the cases that people opened"), func(c conn) ([]reconcile.Case, error) {
		return c.cases(`SELECT `+caseColumns+` WHERE c.file = 0 ORDER BY c.found_at DESC, c.day DESC, c.number DESC LIMIT $1`, clampLimit(limit))
	})
}

// OpenCase implements reconcile.CaseStore. If two calls open one case, the second finds the
// first's.
func (s Reconciliation) OpenCase(ctx context.Context, x reconcile.Case, step reconcile.Step) (reconcile.CaseID, error) {
	return update(ctx, s.task("open a case of %s", x.Reference), func(c conn) (id reconcile.CaseID, err error) {
		err = c.one(`SELECT day, file, number FROM reconciliation_cases WHERE operation = $1 AND operation IS NOT NULL AND file = 0`,
			[]any{x.Operation.ID}, &id.Day, &id.File, &id.Number)
		if !errors.Is(err, central.ErrNotFound) {
			return id, err
		}
		if err := c.one(`INSERT INTO reconciliation_cases (day, file, number, class, reference, operation, found, found_at, status)
			VALUES ($1, 0, (SELECT coalesce(max(number), 0) + 1 FROM reconciliation_cases WHERE day = $1 AND file = 0), $2, $3, $4, $5, $6, 'open')
			RETURNING day, file, number`,
			[]any{x.Day, x.Class, x.Reference, x.Operation.ID, x.Found, x.FoundAt}, &id.Day, &id.File, &id.Number); err != nil {
			return id, err
		}
		return id, addCaseStep(c, id, step)
	})
}

// CaseSteps implements reconcile.CaseStore, at most 1000.
func (s Reconciliation) CaseSteps(ctx context.Context, id reconcile.CaseID) ([]reconcile.Step, error) {
	return listRows(ctx, s.task("read the history of case %s", id), func(row row, x *reconcile.Step) error {
		return row.Scan(&x.At, &x.By, &x.Account, &x.Node, &x.Action, &x.Verdict, &x.Charge, &x.Reason, &x.Document.Name, &x.Document.SHA256)
	},
		`SELECT at, actor, account, node, action, verdict, charge, reason, document, document_sha256 FROM reconciliation_steps
		WHERE day = $1 AND file = $2 AND number = $3 ORDER BY step LIMIT $4`, id.Day, id.File, id.Number, maxRows)
}
