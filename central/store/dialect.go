package store

import (
	"github.com/pressly/goose/v3"

	"galla/central/store/postgres"
)

// dialect is the difference between the SQL of the two databases.
type dialect struct {
	goose goose.Dialect
	// spell returns a migration as the database spells it.
	spell func(text string) string
	// skipLocked ends a selection of rows that a change claims: with several writers at
	// one time, each gets rows that no other has.
	skipLocked string
	// forUpdate ends a selection of rows that others must not change before the commit.
	forUpdate string
	// eachOf is a table e with one row for each object of a JSON array ($1), in its column
	// value.
	eachOf string
	// names is the table with the unique names of all operations: id, reference,
	// pending_reference, and party with caller_ref.
	names string
	// indexedID ends the columns of an index that lists operations by a time.
	indexedID string
	// notify is the statement that notifies a name ($1) at every node when the change is
	// committed; empty where there is only this node.
	notify string
	// ensurePartitions is the statement that creates partitions of coming months; empty
	// where there are no partitions.
	ensurePartitions string
}

// sqliteDialect needs no locks of rows, since SQLite has one writer. The table of
// operations has their names.
func sqliteDialect() dialect {
	return dialect{goose: goose.DialectSQLite3, spell: spellForSQLite, eachOf: "json_each($1) AS e", names: "operations"}
}

// postgresDialect is for several writers and one partition of operations for each month
// (see doc.go).
func postgresDialect() dialect {
	return dialect{
		goose:            goose.DialectPostgres,
		spell:            spellForPostgres,
		skipLocked:       " FOR UPDATE SKIP LOCKED",
		forUpdate:        " FOR NO KEY UPDATE",
		eachOf:           "jsonb_array_elements($1::jsonb) AS e(value)",
		names:            "operation_names",
		indexedID:        ", id",
		notify:           postgres.Notify,
		ensurePartitions: "SELECT ensure_operation_months($1, $2)",
	}
}

// byUniqueName is the condition on operations that selects the operation with a name; the
// given condition is one on a column of names. With partitions, created_at of the name
// leads to one partition.
func (d dialect) byUniqueName(condition string) string {
	if d.names == "operations" {
		return condition
	}
	return "(id, created_at) = (SELECT id, created_at FROM " + d.names + " WHERE " + condition + ")"
}

// unlessTaken ends an INSERT into operations of one row, unless another operation has its
// reference. On SQLite, a SELECT from the table itself or a RETURNING clause would first make a
// table in memory for its rows, which costs more than the change of one row.
func (d dialect) unlessTaken(values, reference string) string {
	if d.names == "operations" {
		return "VALUES (" + values + ") ON CONFLICT (reference) DO NOTHING"
	}
	return "SELECT" + values + " WHERE NOT EXISTS (SELECT 1 FROM " + d.names + " WHERE reference = " + reference + ")"
}
