package store

import (
	"fmt"
	"time"

	"galla/central"
	"galla/central/store/postgres"
	"galla/shared/op"
)

// sharedStatements are the statements of the money path on PostgreSQL, each of which
// serves all calls of a moment (postgres.Sharing). SQLite has none: its writer puts all
// changes of a moment into one transaction.
type sharedStatements struct {
	create  *postgres.Sharing[newCall]
	sent    *postgres.Sharing[central.SentUpdate]
	pending *postgres.Sharing[pendingCall]
	finish  *postgres.Sharing[finalCall]
	numbers pendingNumbers
}

func newSharedStatements(db *postgres.DB, node string) *sharedStatements {
	sent, pending := &monthTexts{statement: sharedSent}, &monthTexts{statement: sharedPending}
	finish, finishPending := &monthTexts{statement: sharedFinish}, &monthTexts{statement: sharedFinishPending}
	return &sharedStatements{
		create: postgres.NewSharing(db, postgres.SharedStatement[newCall]{
			Text: func(newCall) string { return sharedCreate },
			Keys: keysOfNew,
			Args: func(calls []newCall) []any { return argsOfNew(node, calls) },
		}),
		sent: postgres.NewSharing(db, postgres.SharedStatement[central.SentUpdate]{
			Text: func(x central.SentUpdate) string { return sent.text(x.Before.CreatedAt) },
			Keys: func(x central.SentUpdate) []string { return []string{string(x.ID)} },
			Args: func(calls []central.SentUpdate) []any { return argsOfSent(node, calls) },
		}),
		pending: postgres.NewSharing(db, postgres.SharedStatement[pendingCall]{
			Text: func(c pendingCall) string { return pending.text(c.update.Before.CreatedAt) },
			Keys: keysOfPending,
			Args: func(calls []pendingCall) []any { return argsOfPending(node, calls) },
		}),
		finish: postgres.NewSharing(db, postgres.SharedStatement[finalCall]{
			Text: func(c finalCall) string {
				if c.before.State == op.Pending {
					return finishPending.text(c.before.CreatedAt)
				}
				return finish.text(c.before.CreatedAt)
			},
			Keys: func(c finalCall) []string { return []string{string(c.before.ID)} },
			Args: func(calls []finalCall) []any { return argsOfFinal(node, calls) },
		}),
	}
}

// failed names a call in its error.
func (t task) failed(err error) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(t.format, t.args...), err)
}

// columnOf is one column of the rows of a shared statement.
func columnOf[C, T any](rows []C, of func(*C) T) []T {
	list := make([]T, len(rows))
	for i := range rows {
		list[i] = of(&rows[i])
	}
	return list
}

// filled is a list that is stored as empty, not as NULL.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// millis is a time as it is stored; 0 for the zero time.
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}
