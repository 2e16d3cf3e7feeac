package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// addEvent writes an event under the terminal's next cursor. The counter
// stands with the terminal, so that a cursor is not given out again after its
// event was forgotten.
func addEvent(c conn, terminal central.TerminalID, kind wire.EventKind, operation op.ID, at time.Time) error {
	var cursor int64
	err := c.one(`UPDATE terminals SET last_event = last_event + 1 WHERE id = $1 RETURNING last_event`,
		[]any{string(terminal)}, &cursor)
	if err != nil {
		return fmt.Errorf("count the events of terminal %s: %w", terminal, err)
	}
	_, err = c.exec(`INSERT INTO events (terminal, cursor, kind, operation, at) VALUES ($1, $2, $3, $4, $5)`,
		string(terminal), cursor, string(kind), ref(operation), ms(at))
	return err
}

// EventsAfter implements central.Events; at most 1000 at a time.
func (s *DB) EventsAfter(ctx context.Context, t central.TerminalID, cursor int64, limit int) (list []central.Event, err error) {
	err = s.read(ctx, func(c conn) error {
		return c.each(`SELECT cursor, kind, operation, at FROM events
			WHERE terminal = $1 AND cursor > $2 ORDER BY cursor LIMIT $3`,
			[]any{string(t), cursor, bounded(limit)}, func(row row) error {
				e := central.Event{Terminal: t}
				err := row.Scan(&e.Cursor, &e.Kind, optional[op.ID]{&e.Operation}, moment{&e.At})
				list = append(list, e)
				return err
			})
	})
	if err != nil {
		return nil, fmt.Errorf("read the events of terminal %s: %w", t, err)
	}
	return list, nil
}

// Seen implements central.Events.
func (s *DB) Seen(ctx context.Context, t central.TerminalID, cursor int64) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(`DELETE FROM events WHERE terminal = $1 AND cursor <= $2`, string(t), cursor)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget the events of terminal %s: %w", t, err)
	}
	return nil
}
