package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/settle"
)

var _ settle.Files = (*DB)(nil)

// fileColumns are the columns of a settlement file, in the order in which
// scanFile takes them.
const fileColumns = `day, number, sha256, name, bytes, lines, amount, imported_by, at, complete_at, superseded_at`

func scanFile(row row) (settle.File, error) {
	var f settle.File
	var superseded time.Time
	err := row.Scan(&f.Day, &f.Number, digest{&f.SHA256}, &f.Name, &f.Bytes, &f.Lines, &f.Amount, &f.By,
		moment{&f.At}, moment{&f.CompleteAt}, moment{&superseded})
	f.Superseded = !superseded.IsZero()
	return f, err
}

// settlementFiles reads all files of a statement that selects fileColumns.
func (c conn) settlementFiles(statement string, args ...any) (list []settle.File, err error) {
	err = c.each(statement, args, func(row row) error {
		f, err := scanFile(row)
		list = append(list, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// settlementFile reads the only file of such a statement.
func (c conn) settlementFile(statement string, args ...any) (settle.File, error) {
	list, err := c.settlementFiles(statement, args...)
	if err == nil && len(list) == 0 {
		err = central.ErrNotFound
	}
	if err != nil {
		return settle.File{}, err
	}
	return list[0], nil
}

func fileBySum(c conn, sum [32]byte) (settle.File, error) {
	return c.settlementFile(`SELECT `+fileColumns+` FROM settlement_files WHERE sha256 = $1`, sum[:])
}

// FileBySum implements settle.Files.
func (s *DB) FileBySum(ctx context.Context, sum [32]byte) (f settle.File, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		f, err = fileBySum(c, sum)
		return err
	})
	if err != nil {
		return settle.File{}, fmt.Errorf("look for a settlement file by its SHA-256: %w", err)
	}
	return f, nil
}

// File implements settle.Files.
func (s *DB) File(ctx context.Context, day central.Day, number int) (f settle.File, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		if number == 0 {
			f, err = c.settlementFile(`SELECT `+fileColumns+` FROM settlement_files
				WHERE day = $1 AND complete_at IS NOT NULL AND superseded_at IS NULL`, string(day))
			return err
		}
		f, err = c.settlementFile(`SELECT `+fileColumns+` FROM settlement_files WHERE day = $1 AND number = $2`, string(day), number)
		return err
	})
	if err != nil {
		return settle.File{}, fmt.Errorf("look for the settlement file of %s: %w", day, err)
	}
	return f, nil
}

// FilesOf implements settle.Files, at most 1000.
func (s *DB) FilesOf(ctx context.Context, day central.Day, limit int) (list []settle.File, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		if day == "" {
			list, err = c.settlementFiles(`SELECT `+fileColumns+` FROM settlement_files
				WHERE complete_at IS NOT NULL ORDER BY at DESC, day DESC, number DESC LIMIT $1`, bounded(limit))
			return err
		}
		list, err = c.settlementFiles(`SELECT `+fileColumns+` FROM settlement_files
			WHERE day = $1 AND complete_at IS NOT NULL ORDER BY number LIMIT $2`, string(day), bounded(limit))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list settlement files: %w", err)
	}
	return list, nil
}

// BeginFile implements settle.Files.
func (s *DB) BeginFile(ctx context.Context, f settle.File) (out settle.File, err error) {
	err = s.write(ctx, func(c conn) error {
		out, err = fileBySum(c, f.SHA256)
		if !errors.Is(err, central.ErrNotFound) {
			return err
		}
		_, err = c.exec(`INSERT INTO settlement_files (day, number, sha256, name, bytes, lines, amount, imported_by, node, at)
			VALUES ($1, (SELECT coalesce(max(number), 0) + 1 FROM settlement_files WHERE day = $1), $2, $3, $4, $5, $6, $7, $8, $9)`,
			string(f.Day), f.SHA256[:], f.Name, f.Bytes, f.Lines, int64(f.Amount), f.By, c.node, ms(f.At))
		if err != nil {
			return err
		}
		out, err = fileBySum(c, f.SHA256)
		return err
	})
	if err != nil {
		return settle.File{}, fmt.Errorf("begin the import of a settlement file of %s: %w", f.Day, err)
	}
	return out, nil
}

// AddLines implements settle.Files.
func (s *DB) AddLines(ctx context.Context, f settle.File, lines []settle.Line) error {
	err := s.write(ctx, func(c conn) error {
		if err := incomplete(c, f); err != nil {
			return err
		}
		for _, l := range lines {
			if _, err := c.exec(`INSERT INTO settlement_lines (day, file, line, reference, rrn, stan, amount, code, at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (day, file, line) DO NOTHING`,
				string(f.Day), f.Number, l.Number, string(l.Reference), l.RRN, l.STAN, int64(l.Amount), l.Code, ms(l.At)); err != nil {
				return fmt.Errorf("line %d: %w", l.Number, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record lines of settlement file %s: %w", f.Title(), err)
	}
	return nil
}

// incomplete holds a file's row, and fails where the file is complete.
func incomplete(c conn, f settle.File) error {
	var complete time.Time
	err := c.one(`SELECT complete_at FROM settlement_files WHERE day = $1 AND number = $2`+c.dialect.hold,
		[]any{string(f.Day), f.Number}, moment{&complete})
	if err == nil && !complete.IsZero() {
		err = fmt.Errorf("it is complete: %w", central.ErrState)
	}
	return err
}

// CompleteFile implements settle.Files. Two imports of a day wait for each
// other on the first file's row.
func (s *DB) CompleteFile(ctx context.Context, f settle.File, sums map[settle.Class]settle.Sum, cases []settle.Case) error {
	at := time.Now()
	err := s.write(ctx, func(c conn) error {
		if err := c.one(`SELECT number FROM settlement_files WHERE day = $1 AND number = 1`+c.dialect.hold, []any{string(f.Day)}, new(int)); err != nil {
			return err
		}
		if err := incomplete(c, f); err != nil {
			return err
		}
		later, err := c.exists(`SELECT 1 FROM settlement_files WHERE day = $1 AND number > $2 AND complete_at IS NOT NULL LIMIT 1`, string(f.Day), f.Number)
		if err != nil {
			return err
		}
		var superseded time.Time
		if later {
			superseded = at
		}
		for _, class := range settle.Classes() {
			if x := sums[class]; x.Operations+x.Lines > 0 {
				if _, err := c.exec(`INSERT INTO settlement_sums (day, file, class, operations, lines, here, there, moved_here, moved_there)
					VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, string(f.Day), f.Number, string(class), x.Operations, x.Lines,
					int64(x.Here), int64(x.There), int64(x.MovedHere), int64(x.MovedThere)); err != nil {
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
			WHERE day = $2 AND number < $3 AND complete_at IS NOT NULL AND superseded_at IS NULL`, ms(at), string(f.Day), f.Number); err != nil {
			return err
		}
		if _, err = c.exec(`UPDATE settlement_files SET complete_at = $1, superseded_at = $2 WHERE day = $3 AND number = $4`,
			ms(at), ms(superseded), string(f.Day), f.Number); err != nil || later {
			return err
		}
		return noteLateLines(c, f, at)
	})
	if err != nil {
		return fmt.Errorf("complete settlement file %s: %w", f.Title(), err)
	}
	return nil
}

// noteLateLines closes the open cases of other days that missed a line which
// came with this file.
func noteLateLines(c conn, f settle.File, at time.Time) error {
	var late []settle.CaseID
	err := c.each(`SELECT c.day, c.file, c.number FROM settlement_cases c
		JOIN settlement_files f ON f.day = c.day AND f.number = c.file
		WHERE c.status = 'open' AND c.class = 'missing-there' AND c.day <> $1 AND f.superseded_at IS NULL
			AND EXISTS (SELECT 1 FROM settlement_lines l WHERE l.reference = c.reference AND l.day = $1 AND l.file = $2)`,
		[]any{string(f.Day), f.Number}, func(row row) error {
			var id settle.CaseID
			err := row.Scan(&id.Day, &id.File, &id.Number)
			late = append(late, id)
			return err
		})
	if err != nil {
		return err
	}
	reason := "its line came with settlement file " + f.Title()
	for _, id := range late {
		changed, err := c.exec(`UPDATE settlement_cases SET status = 'decided', verdict = 'noted', reason = $1, proposed_by = 'rule', decided_by = 'rule', decided_at = $2
			WHERE day = $3 AND file = $4 AND number = $5 AND status = 'open'`, reason, ms(at), string(id.Day), id.File, id.Number)
		if err != nil {
			return err
		}
		if changed == 0 {
			continue // a person was first
		}
		if err := addCaseStep(c, id, settle.Step{At: at, By: settle.ByRule, Did: settle.DidConfirm, Verdict: settle.Noted, Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}

// Sums implements settle.Files.
func (s *DB) Sums(ctx context.Context, day central.Day, number int) (out map[settle.Class]settle.Sum, err error) {
	err = s.read(ctx, func(c conn) error {
		out = map[settle.Class]settle.Sum{}
		err := c.each(`SELECT class, operations, lines, here, there, moved_here, moved_there
			FROM settlement_sums WHERE day = $1 AND file = $2`, []any{string(day), number}, func(row row) error {
			var class settle.Class
			var x settle.Sum
			err := row.Scan(&class, &x.Operations, &x.Lines, &x.Here, &x.There, &x.MovedHere, &x.MovedThere)
			out[class] = x
			return err
		})
		if err != nil {
			return err
		}
		return c.each(`SELECT class, status, decided_by FROM settlement_cases WHERE day = $1 AND file = $2`,
			[]any{string(day), number}, func(row row) error {
				var class settle.Class
				var status settle.Status
				var by string
				if err := row.Scan(&class, &status, optional[string]{&by}); err != nil {
					return err
				}
				x := out[class]
				switch {
				case status != settle.Decided:
					x.Waits++
				case by == settle.ByRule:
					x.ByRule++
				default:
					x.Decided++
				}
				out[class] = x
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("read the sums of settlement file %s.%d: %w", day, number, err)
	}
	return out, nil
}
