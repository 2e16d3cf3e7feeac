package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/transparency"
	"galla/shared/ist"
	"galla/shared/op"
)

// UnsealedRecords implements transparency.Store, at most 1000.
func (s Log) UnsealedRecords(ctx context.Context, source transparency.Source, from, to time.Time, limit int) ([]transparency.Record, error) {
	return query(ctx, s.task("list what of %s is not in the log", source), func(c conn) ([]transparency.Record, error) {
		start, end, limit := max(from.UnixMilli(), 0), to.UnixMilli(), clampLimit(limit)
		switch source {
		case transparency.Operation:
			return unsealedOperations(c, start, end, limit)
		case transparency.Open:
			return unsealedOpen(c, end, limit)
		case transparency.Audit:
			list, err := allRows(c, scanAuditEntry, `SELECT `+auditColumns+` FROM audit_log a WHERE at >= $1 AND at < $2
				AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.source = 'audit' AND e.name = a.id) ORDER BY at, id LIMIT $3`, start, end, limit)
			return mapEach(list, transparency.AuditRecord), err
		}
		list, err := allRows(c, scanCaseStep, `SELECT `+caseStepColumns+` FROM reconciliation_steps s WHERE at >= $1 AND at < $2
			AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.source = 'case' AND e.name = s.day || '.' || s.file || '.' || s.number AND e.part = s.step)
			ORDER BY at, day, file, number, step LIMIT $3`, start, end, limit)
		return mapEach(list, numberedStep.record), err
	})
}

func mapEach[A, B any](list []A, do func(A) B) []B {
	out := make([]B, len(list))
	for i, x := range list {
		out[i] = do(x)
	}
	return out
}

// unsealedOperations lists final money operations. An archived one was sealed a month before.
func unsealedOperations(c conn, start, end int64, limit int) ([]transparency.Record, error) {
	list, err := c.operations(`SELECT `+operationColumns+` FROM operations o WHERE archived_at IS NULL AND finished_at IS NOT NULL AND finished_at >= $1 AND finished_at < $2 AND amount > 0
		AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.source = 'operation' AND e.name = o.id AND e.part = 0)
		ORDER BY finished_at`+c.dialect.indexedID+` LIMIT $3`, start, end, limit)
	if err != nil {
		return nil, err
	}
	parts, err := operationParts(c, list)
	return mapEach(parts, transparency.OperationRecord), err
}

// unsealedOpen lists money operations that are not final, with steps that are not sealed.
func unsealedOpen(c conn, before int64, limit int) ([]transparency.Record, error) {
	var all []central.Operation
	for _, state := range []op.State{op.Received, op.Sent, op.Pending} {
		list, err := c.operations(`SELECT `+operationColumns+` FROM operations o WHERE finished_at IS NULL AND state = $1 AND created_at < $2 AND amount > 0
			AND NOT EXISTS (SELECT 1 FROM log_entries e WHERE e.source = 'open' AND e.name = o.id
				AND e.part = (SELECT max(s.step) FROM operation_steps s WHERE s.operation = o.id))
			ORDER BY created_at LIMIT $3`, state, before, limit)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	parts, err := operationParts(c, all[:min(len(all), limit)])
	return mapEach(parts, func(p transparency.OperationParts) transparency.Record {
		return transparency.OpenRecord(p, len(p.Steps))
	}), err
}

// operationParts reads the rows that belong to operations, by one statement for each: where a
// statement has a list, PostgreSQL may read whole tables.
func operationParts(c conn, list []central.Operation) ([]transparency.OperationParts, error) {
	parts := make([]transparency.OperationParts, len(list))
	for i, o := range list {
		p := &parts[i]
		p.Operation = o
		var err error
		if p.Steps, err = history(c, o.ID); err != nil {
			return nil, err
		}
		if p.Earning, err = sealedEarning(c, o.ID); err != nil {
			return nil, err
		}
		for _, owner := range []op.ID{o.ID, o.Reverses} { // its own entries, and reversals of another's
			if err := addLedger(c, p, owner); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// sealedEarning reads what an operation earned; nil: nothing.
func sealedEarning(c conn, id op.ID) (*transparency.Earning, error) {
	e, err := firstRow(c, func(row row, e *transparency.Earning) error {
		return row.Scan(&e.Vendor, &e.Aggregator, &e.Merchant, &e.PaymentMethod, &e.Provider, &e.TxnType, &e.Slab,
			(*int64)(&e.Amount), (*int64)(&e.Charge), (*int64)(&e.GST), (*int64)(&e.ProviderCost), (*int64)(&e.Commission), (*int64)(&e.TDS), &e.Day, &e.At)
	}, `SELECT vendor, aggregator, merchant, payment_method, provider, txn_type, slab, amount, charge, gst, provider_cost, commission, tds, day, at
		FROM commissions WHERE operation = $1`, id)
	if errors.Is(err, central.ErrNotFound) {
		return nil, nil
	}
	return &e, err
}

// addLedger adds the entries of an operation's earning that p's operation wrote.
func addLedger(c conn, p *transparency.OperationParts, owner op.ID) error {
	if owner == "" {
		return nil
	}
	return c.Each(`SELECT purpose, reversal, debit, credit, amount, at, written_by FROM ledger_entries
		WHERE operation = $1 ORDER BY purpose, reversal`, []any{owner}, func(row row) error {
		x, by := transparency.LedgerEntry{Operation: owner}, op.ID("")
		err := row.Scan(&x.Purpose, &x.Reversal, &x.Debit, &x.Credit, (*int64)(&x.Amount), &x.At, &by)
		if by == p.ID {
			p.Ledger = append(p.Ledger, x)
		}
		return err
	})
}

// numberedStep is a step of a case with its place.
type numberedStep struct {
	id     reconcile.CaseID
	number int
	reconcile.Step
}

func (s numberedStep) record() transparency.Record {
	return transparency.CaseRecord(s.id, s.number, s.Step)
}

const caseStepColumns = `day, file, number, step, at, actor, account, node, action, verdict, charge, reason, document, document_sha256`

func scanCaseStep(row row, x *numberedStep) error {
	return row.Scan(&x.id.Day, &x.id.File, &x.id.Number, &x.number, &x.At, &x.By, &x.Account, &x.Node, &x.Action, &x.Verdict, &x.Charge, &x.Reason, &x.Document.Name, &x.Document.SHA256)
}

// SealedUntil implements transparency.Store.
func (s Log) SealedUntil(ctx context.Context, source transparency.Source) (time.Time, error) {
	ms, err := oneRow(ctx, s.task("read up to when %s was sealed", source), scanValue[int64], `SELECT until FROM log_sources WHERE source = $1`, source)
	if err != nil || ms == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

// SetSealedUntil implements transparency.Store.
func (s Log) SetSealedUntil(ctx context.Context, source transparency.Source, until time.Time) error {
	return s.task("record up to when %s was sealed", source).exec(ctx, `UPDATE log_sources SET until = $1 WHERE source = $2`, max(until.UnixMilli(), 0), source)
}

// ChangeLog implements transparency.Store.
func (s Log) ChangeLog(ctx context.Context, do func(transparency.Tx) error) error {
	return s.task("change the log").change(ctx, func(c conn) error { return do(logTx{c}) })
}

// logTx implements transparency.Tx.
type logTx struct{ conn }

// Head implements transparency.Tx. A second transaction waits here for the first.
func (t logTx) Head() (transparency.Head, error) { return readHead(t.conn, t.dialect.forUpdate) }

// Tile implements transparency.Tx.
func (t logTx) Tile(level int, at int64) ([]byte, error) { return readTile(t.conn, level, at) }

// Append implements transparency.Tx.
func (t logTx) Append(log string, first int64, records []transparency.Record, tiles []transparency.Tile) error {
	if first == 0 {
		if _, err := t.exec(`UPDATE log_state SET log = $1 WHERE one = 1 AND log = ''`, log); err != nil {
			return err
		}
	}
	number := first - 1
	rows := jsonList(records, func(r transparency.Record) any {
		number++
		return struct {
			Number   int64               `json:"number"`
			Source   transparency.Source `json:"source"`
			Name     string              `json:"name"`
			Part     int                 `json:"part"`
			Erasable string              `json:"erasable"`
		}{number, r.Source, r.Key, r.Part, hex.EncodeToString(r.Erasable[:])}
	})
	if _, err := t.exec(`INSERT INTO log_entries (number, source, name, part, erasable)
		SELECT CAST(e.value->>'number' AS BIGINT), e.value->>'source', e.value->>'name', CAST(e.value->>'part' AS BIGINT), e.value->>'erasable' FROM `+t.dialect.eachOf, rows); err != nil {
		return err
	}
	for _, x := range tiles {
		if _, err := t.exec(`INSERT INTO log_tiles (level, number, hashes) VALUES ($1, $2, $3)
			ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes`, x.Level, x.At, x.Data); err != nil {
			return err
		}
	}
	return nil
}

// AddCheckpoint implements transparency.Tx.
func (t logTx) AddCheckpoint(size int64, at time.Time, signed string) error {
	_, err := t.exec(`INSERT INTO log_checkpoints (size, at, signed) VALUES ($1, $2, $3)
		ON CONFLICT (size) DO UPDATE SET at = excluded.at, signed = excluded.signed`, size, at, signed)
	return err
}

func readHead(c conn, lock string) (h transparency.Head, err error) {
	if err := c.one(`SELECT log, epoch FROM log_state WHERE one = 1`+lock, nil, &h.Log, &h.Epoch); err != nil {
		return h, err
	}
	if err := c.one(`SELECT coalesce(max(number) + 1, 0) FROM log_entries`, nil, &h.Size); err != nil {
		return h, err
	}
	err = c.one(`SELECT signed FROM log_checkpoints WHERE size <= $1 ORDER BY size DESC LIMIT 1`, []any{int64(math.MaxInt64)}, &h.Checkpoint)
	return h, instead(err, central.ErrNotFound, nil)
}

func readTile(c conn, level int, at int64) (data []byte, err error) {
	err = c.one(`SELECT hashes FROM log_tiles WHERE level = $1 AND number = $2`, []any{level, at}, &data)
	if errors.Is(err, central.ErrNotFound) {
		return nil, nil // it has no hashes: who needs one says which is missing
	}
	return bytes.Clone(data), err
}

// LogHead implements transparency.Store.
func (s Log) LogHead(ctx context.Context) (transparency.Head, error) {
	return query(ctx, s.task("read where the log ends"), func(c conn) (transparency.Head, error) { return readHead(c, "") })
}

// LogTile implements transparency.Store.
func (s Log) LogTile(ctx context.Context, level int, at int64) ([]byte, error) {
	return query(ctx, s.task("read tile %d of level %d of the log", at, level), func(c conn) ([]byte, error) { return readTile(c, level, at) })
}

// LogEntries implements transparency.Store, at most 1000.
func (s Log) LogEntries(ctx context.Context, from int64, limit int) ([]transparency.Sealed, error) {
	return listRows(ctx, s.task("list entries of the log from %d on", from), func(row row, e *transparency.Sealed) error {
		var digest string
		if err := row.Scan(&e.Number, &e.Source, &e.Key, &e.Part, &digest); err != nil {
			return err
		}
		n, err := hex.Decode(e.Erasable[:], []byte(digest))
		if err == nil && n != len(e.Erasable) {
			err = fmt.Errorf("its digest has %d bytes", n)
		}
		if err != nil {
			return fmt.Errorf("read entry %d of the log: %w", e.Number, err)
		}
		return nil
	}, `SELECT number, source, name, part, erasable FROM log_entries WHERE number >= $1 ORDER BY number LIMIT $2`, from, clampLimit(limit))
}

// LogCheckpoints implements transparency.Store, at most 1000.
func (s Log) LogCheckpoints(ctx context.Context, from int64, limit int) ([]string, error) {
	return listRows(ctx, s.task("list the checkpoints of the log"), scanValue[string], `SELECT signed FROM log_checkpoints WHERE size >= $1 ORDER BY size LIMIT $2`, from, clampLimit(limit))
}

// LogRecords implements transparency.Store.
func (s Log) LogRecords(ctx context.Context, list []transparency.Sealed) (map[transparency.Entry]transparency.Record, error) {
	return query(ctx, s.task("read %d rows that are in the log", len(list)), func(c conn) (map[transparency.Entry]transparency.Record, error) {
		out := make(map[transparency.Entry]transparency.Record, len(list))
		for _, e := range list {
			var r transparency.Record
			var err error
			switch e.Source {
			case transparency.Audit:
				r, err = auditRecord(c, e.Key)
			case transparency.Case:
				r, err = caseRecord(c, e.Entry)
			default:
				r, err = operationRecord(c, e.Entry)
			}
			if err != nil {
				return nil, err
			}
			if r.Key != "" {
				out[e.Entry] = r
			}
		}
		return out, nil
	})
}

// operationRecord reads an operation; the zero record: it is not there.
func operationRecord(c conn, e transparency.Entry) (transparency.Record, error) {
	o, err := c.operation(`SELECT `+operationColumns+` FROM operations WHERE `+c.dialect.byUniqueName("id = $1"), e.Key)
	if errors.Is(err, central.ErrNotFound) {
		return transparency.Record{}, nil
	}
	if err != nil {
		return transparency.Record{}, err
	}
	parts, err := operationParts(c, []central.Operation{o})
	if err != nil {
		return transparency.Record{}, err
	}
	if parts[0].Archived, err = c.exists(`SELECT 1 FROM operations WHERE `+c.dialect.byUniqueName("id = $1")+` AND archived_at IS NOT NULL`, e.Key); err != nil {
		return transparency.Record{}, err
	}
	if e.Source == transparency.Open {
		return transparency.OpenRecord(parts[0], e.Part), nil
	}
	return transparency.OperationRecord(parts[0]), nil
}

// auditRecord reads an entry of the audit log; the zero record: it is not there.
func auditRecord(c conn, id string) (transparency.Record, error) {
	e, err := firstRow(c, scanAuditEntry, `SELECT `+auditColumns+` FROM audit_log WHERE id = $1`, id)
	if errors.Is(err, central.ErrNotFound) {
		return transparency.Record{}, nil
	}
	return transparency.AuditRecord(e), err
}

// caseRecord reads a step of a case; the zero record: it is not there.
func caseRecord(c conn, e transparency.Entry) (transparency.Record, error) {
	id, err := reconcile.ParseCaseID(e.Key)
	if err != nil {
		return transparency.Record{}, nil // no such case can be there
	}
	s, err := firstRow(c, scanCaseStep, `SELECT `+caseStepColumns+` FROM reconciliation_steps WHERE day = $1 AND file = $2 AND number = $3 AND step = $4`,
		string(ist.Day(id.Day)), id.File, id.Number, e.Part)
	if errors.Is(err, central.ErrNotFound) {
		return transparency.Record{}, nil
	}
	if err != nil {
		return transparency.Record{}, fmt.Errorf("read %s: %w", e, err)
	}
	return s.record(), nil
}
