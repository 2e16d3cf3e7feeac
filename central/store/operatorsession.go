package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/operator"
)

var _ operator.Store = (*DB)(nil)

func openOperatorSession(c conn, in operator.Session) error {
	_, err := c.exec(`INSERT INTO operator_sessions (hash, login, source, opened_at, seen_at) VALUES ($1, $2, $3, $4, $5)`,
		in.Hash[:], in.Login, in.From, ms(in.OpenedAt), ms(in.SeenAt))
	return err
}

// OpenOperatorSession implements operator.Sessions. Some sessions that have ended are
// forgotten on the way.
func (s *DB) OpenOperatorSession(ctx context.Context, r operator.Record, step int64, in operator.Session, e operator.Entry) error {
	err := s.write(ctx, func(c conn) error {
		now, err := holdOperator(c, r.Login)
		if err != nil {
			return err
		}
		if now.Password != r.Password || now.Role != r.Role || !now.DisabledAt.IsZero() || now.Closed() || now.Step >= step {
			return central.ErrState
		}
		if _, err := c.exec(`UPDATE operators SET step = $1 WHERE login = $2`, step, r.Login); err != nil {
			return err
		}
		if err := forgetTries(c, cmp.Or(in.Tried, r.Login)); err != nil {
			return err
		}
		if _, err := c.exec(`DELETE FROM operator_sessions WHERE hash IN (
			SELECT hash FROM operator_sessions WHERE seen_at < $1 ORDER BY seen_at LIMIT $2`+c.dialect.skipLocked+`)`,
			ms(in.OpenedAt.Add(-operator.Longest)), purgeLimit); err != nil {
			return err
		}
		if err := openOperatorSession(c, in); err != nil {
			return err
		}
		return addTrail(c, e)
	})
	if err != nil {
		return fmt.Errorf("open a session of %s: %w", r.Login, err)
	}
	return nil
}

// OperatorSession implements operator.Sessions.
func (s *DB) OperatorSession(ctx context.Context, hash [32]byte, opened, seen time.Time) (in operator.Session, p operator.Person, err error) {
	err = s.read(ctx, func(c conn) error {
		if err := c.one(`SELECT login, source, opened_at, seen_at, proven_at FROM operator_sessions WHERE hash = $1 AND opened_at > $2 AND seen_at > $3`,
			[]any{hash[:], ms(opened), ms(seen)}, &in.Login, &in.From, moment{&in.OpenedAt}, moment{&in.SeenAt}, moment{&in.ProvenAt}); err != nil {
			return err
		}
		r, err := c.operatorOf(`SELECT `+operatorColumns+` FROM operators WHERE login = $1`, in.Login)
		if err == nil && (!r.DisabledAt.IsZero() || r.Closed()) {
			err = central.ErrNotFound
		}
		in.Hash, p = hash, r.Person
		return err
	})
	if err != nil {
		return operator.Session{}, operator.Person{}, fmt.Errorf("look for an operator's session: %w", err)
	}
	return in, p, nil
}

// TouchOperatorSession implements operator.Sessions.
func (s *DB) TouchOperatorSession(ctx context.Context, hash [32]byte, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`UPDATE operator_sessions SET seen_at = $1 WHERE hash = $2 AND seen_at < $1`, ms(at), hash[:])
		return err
	})
	if err != nil {
		return fmt.Errorf("touch an operator's session: %w", err)
	}
	return nil
}

// CloseOperatorSession implements operator.Sessions.
func (s *DB) CloseOperatorSession(ctx context.Context, hash [32]byte, e operator.Entry) error {
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(`DELETE FROM operator_sessions WHERE hash = $1`, hash[:]); err != nil {
			return err
		}
		return addTrail(c, e)
	})
	if err != nil {
		return fmt.Errorf("close an operator's session: %w", err)
	}
	return nil
}

// addTrail adds an entry to the trail.
func addTrail(c conn, e operator.Entry) error {
	_, err := c.exec(`INSERT INTO operator_trail (id, at, node, person, role, source, action, subject, outcome, was, became, note)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, e.ID, ms(e.At), c.node, e.Person, string(e.Role), e.From,
		string(e.Action), e.Subject, string(e.Outcome), e.Was, e.Became, e.Note)
	return err
}

// NoteTrail implements operator.Trail.
func (s *DB) NoteTrail(ctx context.Context, e operator.Entry) error {
	if err := s.write(ctx, func(c conn) error { return addTrail(c, e) }); err != nil {
		return fmt.Errorf("write %s into the trail: %w", e.Action, err)
	}
	return nil
}

// trailColumns are the columns of an entry, in the order in which scanTrail
// takes them.
const trailColumns = `id, at, node, person, role, source, action, subject, outcome, was, became, note`

func scanTrail(row row) (e operator.Entry, err error) {
	err = row.Scan(&e.ID, moment{&e.At}, &e.Node, &e.Person, &e.Role, &e.From, &e.Action, &e.Subject, &e.Outcome, &e.Was, &e.Became, &e.Note)
	return e, err
}

// TrailEntries implements operator.Trail, at most 1000. What is asked for by subject
// or person is found by its index; the rest by the moment.
func (s *DB) TrailEntries(ctx context.Context, q operator.Query) (list []operator.Entry, err error) {
	to := q.To
	if to.IsZero() {
		to = time.UnixMilli(1 << 52)
	}
	from := q.From
	if from.IsZero() {
		from = time.UnixMilli(0)
	}
	err = s.read(ctx, func(c conn) error {
		list = nil
		before := to.UnixMilli()
		if q.Before != "" {
			if err := c.one(`SELECT at FROM operator_trail WHERE id = $1`, []any{q.Before}, &before); err != nil {
				return err
			}
		}
		scan := func(row row) error {
			e, err := scanTrail(row)
			list = append(list, e)
			return err
		}
		switch {
		case q.Subject != "":
			return c.each(`SELECT `+trailColumns+` FROM operator_trail
				WHERE subject = $1 AND (at, id) < ($2, $3) AND at >= $4 AND (person = $5 OR $5 = '') AND (action = $6 OR $6 = '')
				ORDER BY at DESC, id DESC LIMIT $7`, []any{q.Subject, before, q.Before, ms(from), q.Person, string(q.Action), bounded(q.Limit)}, scan)
		case q.Person != "":
			return c.each(`SELECT `+trailColumns+` FROM operator_trail
				WHERE person = $1 AND (at, id) < ($2, $3) AND at >= $4 AND (action = $5 OR $5 = '')
				ORDER BY at DESC, id DESC LIMIT $6`, []any{q.Person, before, q.Before, ms(from), string(q.Action), bounded(q.Limit)}, scan)
		}
		return c.each(`SELECT `+trailColumns+` FROM operator_trail
			WHERE (at, id) < ($1, $2) AND at >= $3 AND (action = $4 OR $4 = '')
			ORDER BY at DESC, id DESC LIMIT $5`, []any{before, q.Before, ms(from), string(q.Action), bounded(q.Limit)}, scan)
	})
	if err != nil {
		return nil, fmt.Errorf("read the trail: %w", err)
	}
	return list, nil
}

// KeepPaper implements operator.Papers.
func (s *DB) KeepPaper(ctx context.Context, p operator.Paper) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`INSERT INTO papers (sha256, name, bytes, sealed, at, person) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sha256) DO NOTHING`,
			p.SHA256, p.Name, p.Bytes, p.Sealed, ms(p.At), p.By)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep a document: %w", err)
	}
	return nil
}

// Paper implements operator.Papers.
func (s *DB) Paper(ctx context.Context, sum string) (p operator.Paper, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.one(`SELECT sha256, name, bytes, sealed, at, person FROM papers WHERE sha256 = $1`, []any{sum},
			&p.SHA256, &p.Name, &p.Bytes, &p.Sealed, moment{&p.At}, &p.By)
	})
	if err != nil {
		return operator.Paper{}, fmt.Errorf("read a document: %w", err)
	}
	return p, nil
}

// PaperSums implements operator.Papers.
func (s *DB) PaperSums(ctx context.Context, after string, limit int) (list []string, err error) {
	err = s.read(ctx, func(c conn) error {
		list = nil
		return c.each(`SELECT sha256 FROM papers WHERE sha256 > $1 ORDER BY sha256 LIMIT $2`, []any{after, bounded(limit)}, func(row row) error {
			var sum string
			err := row.Scan(&sum)
			list = append(list, sum)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	return list, nil
}

// ResealPaper implements operator.Papers.
func (s *DB) ResealPaper(ctx context.Context, sum string, was, is []byte) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE papers SET sealed = $1 WHERE sha256 = $2 AND sealed = $3`, is, sum, was)
		if err == nil && changed == 0 {
			err = central.ErrState
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("seal a document anew: %w", err)
	}
	return nil
}
