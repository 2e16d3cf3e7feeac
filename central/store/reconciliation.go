package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/shared/ist"
)

// fileColumns are the columns of a settlement file, in the order of scanFile.
const fileColumns = `day, number, sha256, name, bytes, lines, amount, imported_by, at, complete_at, superseded_at`

func scanFile(row row, f *reconcile.File) error {
	var superseded time.Time
	err := row.Scan(&f.Day, &f.Number, &f.SHA256, &f.Name, &f.Bytes, &f.Lines, &f.Amount, &f.By,
		&f.At, &f.CompleteAt, &superseded)
	f.Superseded = !superseded.IsZero()
	return err
}

func fileByHash(c conn, hash [32]byte) (reconcile.File, error) {
	return firstRow(c, scanFile, `SELECT `+fileColumns+` FROM settlement_files WHERE sha256 = $1`, hash[:])
}

// File implements reconcile.FileStore.
func (s Reconciliation) File(ctx context.Context, day ist.Day, number int) (reconcile.File, error) {
	return query(ctx, s.task("find the settlement file of %s", day), func(c conn) (reconcile.File, error) {
		if number == 0 {
			return firstRow(c, scanFile, `SELECT `+fileColumns+` FROM settlement_files
				WHERE day = $1 AND complete_at IS NOT NULL AND superseded_at IS NULL`, day)
		}
		return firstRow(c, scanFile, `SELECT `+fileColumns+` FROM settlement_files WHERE day = $1 AND number = $2`, day, number)
	})
}

// ListFiles implements reconcile.FileStore, at most 1000.
func (s Reconciliation) ListFiles(ctx context.Context, day ist.Day, limit int) ([]reconcile.File, error) {
	return query(ctx, s.task("list settlement files"), func(c conn) ([]reconcile.File, error) {
		if day == "" {
			return allRows(c, scanFile, `SELECT `+fileColumns+` FROM settlement_files
				WHERE complete_at IS NOT NULL ORDER BY at DESC, day DESC, number DESC LIMIT $1`, clampLimit(limit))
		}
		return allRows(c, scanFile, `SELECT `+fileColumns+` FROM settlement_files
			WHERE day = $1 AND complete_at IS NOT NULL ORDER BY number LIMIT $2`, day, clampLimit(limit))
	})
}

// CreateFile implements reconcile.FileStore.
func (s Reconciliation) CreateFile(ctx context.Context, f reconcile.File) (reconcile.File, error) {
	return update(ctx, s.task("start the import of a settlement file of %s", f.Day), func(c conn) (reconcile.File, error) {
		known, err := fileByHash(c, f.SHA256)
		if !errors.Is(err, central.ErrNotFound) {
			return known, err
		}
		_, err = c.exec(`INSERT INTO settlement_files (day, number, sha256, name, bytes, lines, amount, imported_by, node, at)
			VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM settlement_files WHERE day = $1), $2, $3, $4, $5, $6, $7, $8, $9)`,
			f.Day, f.SHA256[:], f.Name, f.Bytes, f.Lines, f.Amount, f.By, c.node, f.At)
		if err != nil {
			return f, err
		}
		return fileByHash(c, f.SHA256)
	})
}

// AddLines implements reconcile.FileStore.
func (s Reconciliation) AddLines(ctx context.Context, f reconcile.File, lines []reconcile.Line) error {
	return s.task("record lines of settlement file %s", f.Title()).change(ctx, func(c conn) error {
		if err := lockIncomplete(c, f); err != nil {
			return err
		}
		for _, l := range lines {
			if _, err := c.exec(`INSERT INTO settlement_lines (day, file, line, reference, rrn, stan, amount, code, at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (day, file, line) DO NOTHING`,
				f.Day, f.Number, l.Number, l.Reference, l.RRN, l.STAN, l.Amount, l.Code, l.At); err != nil {
				return fmt.Errorf("line %d: %w", l.Number, err)
			}
		}
		return nil
	})
}

// lockIncomplete locks the row of a file, and fails if the file is complete.
func lockIncomplete(c conn, f reconcile.File) error {
	var complete time.Time
	err := c.one(`SELECT complete_at FROM settlement_files WHERE day = $1 AND number = $2`+c.dialect.forUpdate,
		[]any{f.Day, f.Number}, &complete)
	if err == nil && !complete.IsZero() {
		err = fmt.Errorf("it is complete: %w", central.ErrState)
	}
	return err
}

// CompleteFile implements reconcile.FileStore. It locks the row of the day's first file, so
// that two imports of a day run one after the other.
func (s Reconciliation) CompleteFile(ctx context.Context, f reconcile.File, sums map[reconcile.Class]reconcile.Sum, cases []reconcile.Case) error {
	at := time.Now()
	return s.task("complete settlement file %s", f.Title()).change(ctx, func(c conn) error {
		if err := c.one(`SELECT number FROM settlement_files WHERE day = $1 AND number = 1`+c.dialect.forUpdate, []any{f.Day}, new(int)); err != nil {
			return err
		}
		if err := lockIncomplete(c, f); err != nil {
			return err
		}
		later, err := c.exists(`SELECT 1 FROM settlement_files WHERE day = $1 AND number > $2 AND complete_at IS NOT NULL LIMIT 1`, f.Day, f.Number)
		if err != nil {
			return err
		}
		var superseded time.Time
		if later {
			superseded = at
		}
		for _, class := range reconcile.Classes() {
			if x := sums[class]; x.Operations+x.Lines > 0 {
				if _, err := c.exec(`INSERT INTO reconciliation_sums (day, file, class, operations, lines, ours, theirs, moved_ours, moved_theirs)
					VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, f.Day, f.Number, class, x.Operations, x.Lines,
					x.Ours, x.Theirs, x.MovedOurs, x.MovedTheirs); err != nil {
					return err
				}
			}
		}
		for _, x := range cases {
			if err := addCase(c, x, !later); err != nil {
				return fmt.Errorf("case %s: %w", x.CaseID, err)
			}
		}
		if _, err := c.exec(`UPDATE settlement_files SET superseded_at = $1
			WHERE day = $2 AND number < $3 AND complete_at IS NOT NULL AND superseded_at IS NULL`, at, f.Day, f.Number); err != nil {
			return err
		}
		if _, err = c.exec(`UPDATE settlement_files SET complete_at = $1, superseded_at = $2 WHERE day = $3 AND number = $4`,
			at, superseded, f.Day, f.Number); err != nil || later {
			return err
		}
		return closeLateLines(c, f, at)
	})
}

// closeLateLines closes the open cases of other days that missed a line of this file.
func closeLateLines(c conn, f reconcile.File, at time.Time) error {
	late, err := allRows(c, func(row row, id *reconcile.CaseID) error { return row.Scan(&id.Day, &id.File, &id.Number) }, `SELECT c.day, c.file, c.number FROM reconciliation_cases c
		JOIN settlement_files f ON f.day = c.day AND f.number = c.file
		WHERE c.status = 'open' AND c.class = 'missing-at-bank' AND c.day <> $1 AND f.superseded_at IS NULL
			AND EXISTS (SELECT 1 FROM settlement_lines l WHERE l.reference = c.reference AND l.day = $1 AND l.file = $2)`, f.Day, f.Number)
	if err != nil {
		return err
	}
	reason := "its line came with settlement file " + f.Title()
	for _, id := range late {
		if _, err := noteByRule(c, id, at, reason); err != nil {
			return err
		}
	}
	return nil
}

// noteByRule notes an open case, with the reason; done is false where a person took a step
// of it first.
func noteByRule(c conn, id reconcile.CaseID, at time.Time, reason string) (done bool, err error) {
	changed, err := c.exec(`UPDATE reconciliation_cases SET status = 'decided', verdict = 'noted', reason = $1, proposed_by = 'rule', decided_by = 'rule', decided_at = $2
		WHERE day = $3 AND file = $4 AND number = $5 AND status = 'open'`, reason, at, id.Day, id.File, id.Number)
	if err != nil || changed == 0 {
		return false, err
	}
	return true, addCaseStep(c, id, reconcile.Step{At: at, By: reconcile.ByRule, Action: reconcile.ActionConfirmed, Verdict: reconcile.Noted, Reason: reason})
}

// FileSums implements reconcile.FileStore.
func (s Reconciliation) FileSums(ctx context.Context, day ist.Day, number int) (map[reconcile.Class]reconcile.Sum, error) {
	return query(ctx, s.task("read the sums of settlement file %s.%d", day, number), func(c conn) (map[reconcile.Class]reconcile.Sum, error) {
		sums := map[reconcile.Class]reconcile.Sum{}
		err := c.Each(`SELECT class, operations, lines, ours, theirs, moved_ours, moved_theirs
			FROM reconciliation_sums WHERE day = $1 AND file = $2`, []any{day, number}, func(row row) error {
			var class reconcile.Class
			var x reconcile.Sum
			err := row.Scan(&class, &x.Operations, &x.Lines, &x.Ours, &x.Theirs, &x.MovedOurs, &x.MovedTheirs)
			sums[class] = x
			return err
		})
		if err != nil {
			return nil, err
		}
		return sums, c.Each(`SELECT class, status, decided_by FROM reconciliation_cases WHERE day = $1 AND file = $2`,
			[]any{day, number}, func(row row) error {
				var class reconcile.Class
				var status reconcile.Status
				var by string
				if err := row.Scan(&class, &status, &by); err != nil {
					return err
				}
				x := sums[class]
				switch {
				case status != reconcile.Decided:
					x.Waiting++
				case by == reconcile.ByRule:
					x.ByRule++
				default:
					x.Decided++
				}
				sums[class] = x
				return nil
			})
	})
}
