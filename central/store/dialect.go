package store

// dialect is where the two databases' SQL differs.
type dialect struct {
	// skipLocked ends a selection of rows that are about to be claimed: where
	// several writers run at one time, each takes those that no other has.
	skipLocked string
	// hold ends a selection of rows that others must not change meanwhile.
	hold string
	// names is the table that has the unique names of all operations: id,
	// reference, pending_reference, and party with caller_ref.
	names string
	// ring is the statement that rings a name ($1) at every node when the change
	// is committed; empty where there is only this one.
	ring string
	// months makes the partitions of the months that are to come. Where there
	// are no partitions, it is empty.
	months string
}

// SQLite has one writer, so that rows need no locks, and one table of
// operations, which has their names.
func sqliteDialect() dialect { return dialect{names: "operations"} }

// PostgreSQL has many writers, and operations by the month; see doc.go.
func postgresDialect() dialect {
	return dialect{
		skipLocked: " FOR UPDATE SKIP LOCKED",
		hold:       " FOR NO KEY UPDATE",
		names:      "operation_names",
		months:     "SELECT make_operation_months($1, $2)",
	}
}

// called is the condition on operations that one has the name that the given
// condition asks for, which is one on a column of names. Where operations are
// partitioned, the moment that is kept with the name leads to one partition.
func (d dialect) called(condition string) string {
	if d.names == "operations" {
		return condition
	}
	return "(id, created_at) = (SELECT id, created_at FROM " + d.names + " WHERE " + condition + ")"
}
