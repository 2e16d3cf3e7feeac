package store

import (
	"context"
	"fmt"

	"galla/central/cache"
)

// Topics of package cache, as the table of counters names them.
const (
	topicAccounts   = "accounts"
	topicSlabs      = "slabs"
	topicVendorKeys = "vendor-keys"
)

// raise tells all nodes that a topic changes with this transaction. It comes last in a
// change, so that changes lock its row in one order.
func (c conn) raise(topic string) error {
	c.raised.Add(1)
	return c.changeRow(fmt.Errorf("the database has no revision of %s", topic), `UPDATE counters SET value = value + 1 WHERE name = $1`, topic)
}

// Revisions implements cache.Source, in one statement.
func (s *connection) Revisions(ctx context.Context) (cache.Revisions, error) {
	return query(ctx, s.task("read the revisions of accounts, slabs and keys"), func(c conn) (r cache.Revisions, err error) {
		err = c.Each(`SELECT name, value FROM counters WHERE name <> 'terminal'`, nil, func(row row) error {
			var name string
			var value int64
			if err := row.Scan(&name, &value); err != nil {
				return err
			}
			switch name {
			case topicAccounts:
				r.Accounts = value
			case topicSlabs:
				r.Slabs = value
			case topicVendorKeys:
				r.VendorKeys = value
			}
			return nil
		})
		return r, err
	})
}

// Changes implements cache.Source.
func (s *connection) Changes() int64 { return s.changes.Load() }
