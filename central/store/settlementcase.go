package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/central/settle"
	"galla/shared/op"
)

var (
	_ settle.Books     = (*DB)(nil)
	_ settle.Cases     = (*DB)(nil)
	_ settle.Decisions = (*DB)(nil)
)

// comparedColumns are what is compared of an operation, in the order in which
// scanCompared takes them.
const comparedColumns = `id, reference, stan, rrn, kind, amount, state, merchant, tid, terminal,
	created_at, dispatched_at, bank_not_after, settled_at,
	(SELECT count(*) FROM events WHERE events.terminal = operations.terminal AND events.operation = operations.id)`

func scanCompared(row row) (settle.Operation, error) {
	var o settle.Operation
	var events int64
	err := row.Scan(&o.ID, &o.Reference, &o.STAN, &o.RRN, &o.Kind, &o.Amount, &o.State,
		optional[central.MerchantID]{&o.Merchant}, &o.TID, optional[central.TerminalID]{&o.Terminal},
		moment{&o.CreatedAt}, moment{&o.DispatchedAt}, moment{&o.BankNotAfter}, moment{&o.SettledAt}, &events)
	o.Untold = events > 0
	return o, err
}

// compared reads all operations of a statement that selects comparedColumns.
func (c conn) compared(statement string, args ...any) (list []settle.Operation, err error) {
	err = c.each(statement, args, func(row row) error {
		o, err := scanCompared(row)
		list = append(list, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Begun implements settle.Books, at most 1000.
func (s *DB) Begun(ctx context.Context, from, to, after time.Time, afterID op.ID, limit int) (list []settle.Operation, err error) {
	if after.Before(from) {
		after, afterID = from, ""
	}
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.compared(`SELECT `+comparedColumns+` FROM operations
			WHERE amount > 0 AND created_at < $1 AND (created_at, id) > ($2, $3) AND dispatched_at IS NOT NULL
				AND kind IN ('CASH_WITHDRAWAL', 'PURCHASE', 'TRANSFER', 'REFUND')
			ORDER BY created_at, id LIMIT $4`, ms(to), ms(after), string(afterID), bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the operations that were begun on a day: %w", err)
	}
	return list, nil
}

// Ended implements settle.Books, at most 1000: those that have not been
// archived, which happens months later.
func (s *DB) Ended(ctx context.Context, from, to, begun, after time.Time, afterID op.ID, limit int) (list []settle.Operation, err error) {
	if after.Before(from) {
		after, afterID = from, ""
	}
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.compared(`SELECT `+comparedColumns+` FROM operations
			WHERE archived_at IS NULL AND settled_at < $1 AND (settled_at, id) > ($2, $3) AND created_at < $4
				AND amount > 0 AND dispatched_at IS NOT NULL AND kind IN ('CASH_WITHDRAWAL', 'PURCHASE', 'TRANSFER', 'REFUND')
			ORDER BY settled_at, id LIMIT $5`, ms(to), ms(after), string(afterID), ms(begun), bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the operations that ended on a day: %w", err)
	}
	return list, nil
}

// Named implements settle.Books.
func (s *DB) Named(ctx context.Context, references []central.Reference) (list []settle.Operation, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		for _, r := range references {
			found, err := c.compared(`SELECT `+comparedColumns+` FROM operations WHERE `+c.dialect.called("reference = $1"), string(r))
			if err != nil {
				return err
			}
			list = append(list, found...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for the operations of a settlement file: %w", err)
	}
	return list, nil
}

// Elsewhere implements settle.Books.
func (s *DB) Elsewhere(ctx context.Context, day central.Day, references []central.Reference) (out map[central.Reference]central.Day, err error) {
	err = s.read(ctx, func(c conn) error {
		out = map[central.Reference]central.Day{}
		for _, r := range references {
			var other central.Day
			err := c.one(`SELECT l.day FROM settlement_lines l JOIN settlement_files f ON f.day = l.day AND f.number = l.file
				WHERE l.reference = $1 AND l.day <> $2 AND f.complete_at IS NOT NULL AND f.superseded_at IS NULL LIMIT 1`,
				[]any{string(r), string(day)}, &other)
			switch {
			case err == nil:
				out[r] = other
			case !errors.Is(err, central.ErrNotFound):
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for settlement lines of other days: %w", err)
	}
	return out, nil
}

// addCase writes a case as it was found, and what a rule has decided of it. If
// it counts, the reconciler is asked to look at the operation at once.
func addCase(c conn, x settle.Case, counts bool) error {
	var operation op.ID
	var line any
	if x.Operation != nil {
		operation = x.Operation.ID
	}
	if x.Line != nil {
		line = x.Line.Number
	}
	_, err := c.exec(`INSERT INTO settlement_cases (day, file, number, class, reference, line, operation, found, found_at,
			status, verdict, charge, reason, proposed_by, decided_by, decided_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		string(x.Day), x.File, x.Number, string(x.Class), string(x.Reference), line, ref(operation), string(x.Found), ms(x.FoundAt),
		string(x.Status), ref(x.Verdict), int64(x.Charge), x.Reason, ref(x.ProposedBy), ref(x.DecidedBy), ms(x.DecidedAt))
	if err != nil {
		return err
	}
	if err := addCaseStep(c, x.CaseID, settle.Step{At: x.FoundAt, By: settle.ByRule, Did: settle.DidFind}); err != nil {
		return err
	}
	if x.Status != settle.Decided {
		return nil
	}
	s := settle.Step{At: x.FoundAt, By: settle.ByRule, Did: settle.DidConfirm, Verdict: x.Verdict, Reason: x.Reason}
	if err := addCaseStep(c, x.CaseID, s); err != nil || !counts {
		return err
	}
	return hasten(c, operation, x.CaseID, s)
}

// addCaseStep adds a line to a case's history.
func addCaseStep(c conn, id settle.CaseID, s settle.Step) error {
	_, err := c.exec(`INSERT INTO settlement_steps (day, file, number, step, at, person, account, node, did, verdict, charge, reason, document, document_sha256)
		VALUES ($1, $2, $3, (SELECT coalesce(max(step), 0) + 1 FROM settlement_steps WHERE day = $1 AND file = $2 AND number = $3),
			$4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		string(id.Day), id.File, id.Number, ms(s.At), s.By, s.Account, c.node, string(s.Did), string(s.Verdict), int64(s.Charge),
		s.Reason, s.Document.Name, s.Document.SHA256)
	return err
}

// hasten makes the enquiry of an operation due whose case was decided or is open
// again, where it is pending, and writes why into its history. One that is stuck
// is asked after again; where that does not resolve it, it is stuck at once.
func hasten(c conn, id op.ID, of settle.CaseID, s settle.Step) error {
	if s.Verdict.Outcome() == "" {
		return nil
	}
	changed, err := c.exec(`UPDATE operations SET next_enquiry = $1, stuck_at = NULL WHERE `+c.dialect.called("id = $2")+` AND state = 'pending'`, ms(s.At), string(id))
	if err != nil || changed == 0 {
		return err
	}
	did := "was decided as " + string(s.Verdict)
	if s.Did == settle.DidWithdraw {
		did = "is open again, the decision was withdrawn"
	}
	return addStep(c, id, s.At, op.Pending, op.Pending, fmt.Sprintf("reconciliation: case %s %s by %s: %s", of, did, s.By, s.Reason))
}

// caseColumns are the columns of a case with its line, in the order in which
// scanCase takes them.
const caseColumns = `c.day, c.file, c.number, c.class, c.reference, c.operation, c.found, c.found_at, c.status, c.verdict, c.charge,
	c.reason, c.document, c.document_sha256, c.proposed_by, c.decided_by, c.decided_at,
	coalesce(l.line, 0), coalesce(l.rrn, ''), coalesce(l.stan, ''), coalesce(l.amount, 0), coalesce(l.code, ''), l.at`

func scanCase(row row) (x settle.Case, operation op.ID, err error) {
	var l settle.Line
	err = row.Scan(&x.Day, &x.File, &x.CaseID.Number, &x.Class, &x.Reference, optional[op.ID]{&operation}, &x.Found, moment{&x.FoundAt},
		&x.Status, optional[settle.Verdict]{&x.Verdict}, &x.Charge, &x.Reason, &x.Document.Name, &x.Document.SHA256,
		optional[string]{&x.ProposedBy}, optional[string]{&x.DecidedBy}, moment{&x.DecidedAt},
		&l.Number, &l.RRN, &l.STAN, &l.Amount, &l.Code, moment{&l.At})
	if l.Number > 0 {
		l.Reference = x.Reference
		x.Line = &l
	}
	return x, operation, err
}

// cases reads all cases of a statement that selects caseColumns, with their
// operations as they now are.
func (c conn) cases(statement string, args ...any) (list []settle.Case, err error) {
	var operations []op.ID
	err = c.each(statement, args, func(row row) error {
		x, operation, err := scanCase(row)
		list, operations = append(list, x), append(operations, operation)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, id := range operations {
		if id == "" {
			continue
		}
		found, err := c.compared(`SELECT `+comparedColumns+` FROM operations WHERE `+c.dialect.called("id = $1"), string(id))
		if err != nil {
			return nil, err
		}
		if len(found) == 1 {
			list[i].Operation = &found[0]
		}
	}
	return list, nil
}

// Case implements settle.Cases.
func (s *DB) Case(ctx context.Context, id settle.CaseID) (x settle.Case, err error) {
	err = s.read(ctx, func(c conn) error {
		list, err := c.cases(`SELECT `+caseColumns+` FROM settlement_cases c
			LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line
			WHERE c.day = $1 AND c.file = $2 AND c.number = $3`, string(id.Day), id.File, id.Number)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return central.ErrNotFound
		}
		x = list[0]
		x.Superseded, err = superseded(c, id)
		return err
	})
	if err != nil {
		return settle.Case{}, fmt.Errorf("read case %s: %w", id, err)
	}
	return x, nil
}

// superseded tells whether a case's file does not count any more.
func superseded(c conn, id settle.CaseID) (bool, error) {
	return c.exists(`SELECT 1 FROM settlement_files WHERE day = $1 AND number = $2 AND superseded_at IS NOT NULL`, string(id.Day), id.File)
}

// CasesOf implements settle.Cases, at most 1000.
func (s *DB) CasesOf(ctx context.Context, day central.Day, file, after, limit int) (list []settle.Case, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.cases(`SELECT `+caseColumns+` FROM settlement_cases c
			LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line
			WHERE c.day = $1 AND c.file = $2 AND c.number > $3 ORDER BY c.number LIMIT $4`, string(day), file, after, bounded(limit))
		if err != nil || len(list) == 0 {
			return err
		}
		gone, err := superseded(c, list[0].CaseID)
		for i := range list {
			list[i].Superseded = gone
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the cases of settlement file %s.%d: %w", day, file, err)
	}
	return list, nil
}

// CasesOfOperation implements settle.Cases, at most 1000.
func (s *DB) CasesOfOperation(ctx context.Context, id op.ID) (list []settle.Case, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.cases(`SELECT `+caseColumns+` FROM settlement_cases c
			LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line
			WHERE c.operation = $1 AND c.operation IS NOT NULL LIMIT $2`, string(id), maxRows)
		for i := range list {
			if err == nil {
				list[i].Superseded, err = superseded(c, list[i].CaseID)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the cases of operation %s: %w", id, err)
	}
	slices.SortFunc(list, func(a, b settle.Case) int { return b.FoundAt.Compare(a.FoundAt) })
	return list, nil
}

// CasesByHand implements settle.Cases, at most 1000.
func (s *DB) CasesByHand(ctx context.Context, limit int) (list []settle.Case, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		list, err = c.cases(`SELECT `+caseColumns+` FROM settlement_cases c
			LEFT JOIN settlement_lines l ON l.day = c.day AND l.file = c.file AND l.line = c.line
			WHERE c.file = 0 ORDER BY c.found_at DESC, c.day DESC, c.number DESC LIMIT $1`, bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the cases that were opened by hand: %w", err)
	}
	return list, nil
}

// OpenCase implements settle.Cases. Two that open one wait for each other: the
// second finds the first's.
func (s *DB) OpenCase(ctx context.Context, x settle.Case, step settle.Step) (id settle.CaseID, err error) {
	err = s.write(ctx, func(c conn) error {
		id = settle.CaseID{}
		err := c.one(`SELECT day, file, number FROM settlement_cases WHERE operation = $1 AND operation IS NOT NULL AND file = 0`,
			[]any{string(x.Operation.ID)}, &id.Day, &id.File, &id.Number)
		if !errors.Is(err, central.ErrNotFound) {
			return err
		}
		if err := c.one(`INSERT INTO settlement_cases (day, file, number, class, reference, operation, found, found_at, status)
			VALUES ($1, 0, (SELECT coalesce(max(number), 0) + 1 FROM settlement_cases WHERE day = $1 AND file = 0), $2, $3, $4, $5, $6, 'open')
			RETURNING day, file, number`,
			[]any{string(x.Day), string(x.Class), string(x.Reference), string(x.Operation.ID), string(x.Found), ms(x.FoundAt)}, &id.Day, &id.File, &id.Number); err != nil {
			return err
		}
		return addCaseStep(c, id, step)
	})
	if err != nil {
		return settle.CaseID{}, fmt.Errorf("open a case of %s by hand: %w", x.Reference, err)
	}
	return id, nil
}

// Steps implements settle.Cases, at most 1000.
func (s *DB) Steps(ctx context.Context, id settle.CaseID) (list []settle.Step, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT at, person, account, node, did, verdict, charge, reason, document, document_sha256 FROM settlement_steps
			WHERE day = $1 AND file = $2 AND number = $3 ORDER BY step LIMIT $4`, []any{string(id.Day), id.File, id.Number, maxRows}, func(row row) error {
			var x settle.Step
			err := row.Scan(moment{&x.At}, &x.By, &x.Account, &x.Node, &x.Did, &x.Verdict, &x.Charge, &x.Reason, &x.Document.Name, &x.Document.SHA256)
			list = append(list, x)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read the history of case %s: %w", id, err)
	}
	return list, nil
}
