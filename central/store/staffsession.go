package store

import (
	"cmp"
	"context"
	"time"

	"galla/central"
	"galla/central/staff"
)

func insertStaffSession(c conn, in staff.Session) error {
	_, err := c.exec(`INSERT INTO staff_sessions (hash, login, source, opened_at, seen_at) VALUES ($1, $2, $3, $4, $5)`,
		in.Hash[:], in.Login, in.From, in.OpenedAt, in.SeenAt)
	return err
}

// OpenStaffSession implements staff.SessionStore. Each call deletes a few ended sessions.
func (s Staff) OpenStaffSession(ctx context.Context, r staff.Account, step int64, in staff.Session, e staff.AuditEntry) error {
	return s.task("open a session of %s", r.Login).change(ctx, func(c conn) error {
		now, err := lockMember(c, r.Login)
		if err == nil && (now.Password != r.Password || now.Role != r.Role || !now.DisabledAt.IsZero() || now.Locked() || now.Step >= step) {
			err = central.ErrState
		}
		if err != nil {
			return err
		}
		if _, err := c.exec(`UPDATE staff SET step = $1 WHERE login = $2`, step, r.Login); err != nil {
			return err
		}
		if err := clearSignInAttempts(c, cmp.Or(in.AttemptName, r.Login)); err != nil {
			return err
		}
		if _, err := c.exec(`DELETE FROM staff_sessions WHERE hash IN (
			SELECT hash FROM staff_sessions WHERE seen_at < $1 ORDER BY seen_at LIMIT $2`+c.dialect.skipLocked+`)`,
			in.OpenedAt.Add(-staff.SessionLifetime), purgeLimit); err != nil {
			return err
		}
		if err := insertStaffSession(c, in); err != nil {
			return err
		}
		return addAuditEntry(c, e)
	})
}

// StaffSession implements staff.SessionStore.
func (s Staff) StaffSession(ctx context.Context, hash [32]byte, opened, seen time.Time) (in staff.Session, p staff.Member, err error) {
	in, err = query(ctx, s.task("find a session of the console"), func(c conn) (staff.Session, error) {
		in := staff.Session{Hash: hash}
		if err := c.one(`SELECT login, source, opened_at, seen_at, stepped_up_at FROM staff_sessions WHERE hash = $1 AND opened_at > $2 AND seen_at > $3`,
			[]any{hash[:], opened, seen}, &in.Login, &in.From, &in.OpenedAt, &in.SeenAt, &in.SteppedUpAt); err != nil {
			return in, err
		}
		r, err := memberOf(c, in.Login)
		if err == nil && (!r.DisabledAt.IsZero() || r.Locked()) {
			err = central.ErrNotFound
		}
		p = r.Member
		return in, err
	})
	return in, p, err
}

// TouchStaffSession implements staff.SessionStore.
func (s Staff) TouchStaffSession(ctx context.Context, hash [32]byte, at time.Time) error {
	return s.task("extend a session of the console").exec(ctx, `UPDATE staff_sessions SET seen_at = $1 WHERE hash = $2 AND seen_at < $1`, at, hash[:])
}

// CloseStaffSession implements staff.SessionStore.
func (s Staff) CloseStaffSession(ctx context.Context, hash [32]byte, e staff.AuditEntry) error {
	return s.task("close a session of the console").change(ctx, func(c conn) error {
		if _, err := c.exec(`DELETE FROM staff_sessions WHERE hash = $1`, hash[:]); err != nil {
			return err
		}
		return addAuditEntry(c, e)
	})
}

func addAuditEntry(c conn, e staff.AuditEntry) error {
	_, err := c.exec(`INSERT INTO audit_log (id, at, node, actor, role, source, action, subject, outcome, was, became, note)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, e.ID, e.At, c.node, e.Person, e.Role, e.From,
		e.Action, e.Subject, e.Outcome, e.Was, e.Became, e.Note)
	return err
}

// AddAuditEntry implements staff.AuditStore.
func (s Staff) AddAuditEntry(ctx context.Context, e staff.AuditEntry) error {
	return s.task("write %s into the audit log", e.Action).change(ctx, func(c conn) error { return addAuditEntry(c, e) })
}

// auditColumns are the columns of an entry, in the order of scanAuditEntry.
const auditColumns = `id, at, node, actor, role, source, action, subject, outcome, was, became, note`

func scanAuditEntry(row row, e *staff.AuditEntry) error {
	return row.Scan(&e.ID, &e.At, &e.Node, &e.Person, &e.Role, &e.From, &e.Action, &e.Subject, &e.Outcome, &e.Was, &e.Became, &e.Note)
}

// AuditEntries implements staff.AuditStore, at most 1000. A query by subject or actor uses its
// index, the others use the index of times.
func (s Staff) AuditEntries(ctx context.Context, q staff.AuditQuery) ([]staff.AuditEntry, error) {
	to := q.To
	if to.IsZero() {
		to = time.UnixMilli(1 << 52)
	}
	from := q.From
	if from.IsZero() {
		from = time.UnixMilli(0)
	}
	return query(ctx, s.task("read the audit log"), func(c conn) ([]staff.AuditEntry, error) {
		before := to.UnixMilli()
		if q.Before != "" {
			if err := c.one(`SELECT at FROM audit_log WHERE id = $1`, []any{q.Before}, &before); err != nil {
				return nil, err
			}
		}
		switch {
		case q.Subject != "":
			return allRows(c, scanAuditEntry, `SELECT `+auditColumns+` FROM audit_log
				WHERE subject = $1 AND (at, id) < ($2, $3) AND at >= $4 AND (actor = $5 OR $5 = '') AND (action = $6 OR $6 = '')
				ORDER BY at DESC, id DESC LIMIT $7`, q.Subject, before, q.Before, from, q.Person, q.Action, clampLimit(q.Limit))
		case q.Person != "":
			return allRows(c, scanAuditEntry, `SELECT `+auditColumns+` FROM audit_log
				WHERE actor = $1 AND (at, id) < ($2, $3) AND at >= $4 AND (action = $5 OR $5 = '')
				ORDER BY at DESC, id DESC LIMIT $6`, q.Person, before, q.Before, from, q.Action, clampLimit(q.Limit))
		case q.Action != "":
			return allRows(c, scanAuditEntry, `SELECT `+auditColumns+` FROM audit_log
				WHERE action = $1 AND (at, id) < ($2, $3) AND at >= $4
				ORDER BY at DESC, id DESC LIMIT $5`, q.Action, before, q.Before, from, clampLimit(q.Limit))
		}
		return allRows(c, scanAuditEntry, `SELECT `+auditColumns+` FROM audit_log
			WHERE (at, id) < ($1, $2) AND at >= $3
			ORDER BY at DESC, id DESC LIMIT $4`, before, q.Before, from, clampLimit(q.Limit))
	})
}

// AddDocument implements staff.DocumentStore.
func (s Staff) AddDocument(ctx context.Context, p staff.SealedDocument) error {
	return s.task("store a document").exec(ctx,
		`INSERT INTO documents (sha256, name, bytes, sealed, at, stored_by) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sha256) DO NOTHING`,
		p.SHA256, p.Name, p.Bytes, p.Sealed, p.At, p.By)
}

// Document implements staff.DocumentStore.
func (s Staff) Document(ctx context.Context, hash string) (staff.SealedDocument, error) {
	return query(ctx, s.task("read a document"), func(c conn) (p staff.SealedDocument, err error) {
		err = c.one(`SELECT sha256, name, bytes, sealed, at, stored_by FROM documents WHERE sha256 = $1`, []any{hash},
			&p.SHA256, &p.Name, &p.Bytes, &p.Sealed, &p.At, &p.By)
		return p, err
	})
}

// DocumentHashes implements staff.DocumentStore.
func (s Staff) DocumentHashes(ctx context.Context, after string, limit int) ([]string, error) {
	return listRows(ctx, s.task("list the documents"), scanValue[string],
		`SELECT sha256 FROM documents WHERE sha256 > $1 ORDER BY sha256 LIMIT $2`, after, clampLimit(limit))
}

// ResealDocument implements staff.DocumentStore.
func (s Staff) ResealDocument(ctx context.Context, hash string, was, is []byte) error {
	return s.task("seal a document again").changeRow(ctx, central.ErrState,
		`UPDATE documents SET sealed = $1 WHERE sha256 = $2 AND sealed = $3`, is, hash, was)
}
