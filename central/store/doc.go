// Package store keeps the central's records in SQL: operations with their
// identities and history, the parties, terminals with their codes, tokens and
// events, and the agents' sessions. It implements central.Store over SQLite
// (mattn/go-sqlite3) and over PostgreSQL (jackc/pgx).
//
// It promises that a method that returned nil is on the disk: the journal is a
// write-ahead log synced at each commit (SQLite's synchronous=FULL, PostgreSQL's
// synchronous_commit), which is checked on every connection. It also promises
// that no record is ever in a state that central.CanBecome does not allow:
// methods change a row only if it is still in the state that they leave, and the
// schema's constraints and triggers refuse what a mistake in the code might try.
//
// Data enters and leaves as the types of package central. Inside, times are
// integer milliseconds since 1970 (what is finer is cut off; the zero time is
// NULL), amounts are integer paise, and absent references are NULL. Times come
// back in UTC. Nothing secret is accepted: the column of the Aadhaar number
// takes the masked form only, codes come as hashes, and PidData and OTPs have
// no column.
//
// Packages sqlite and postgres, below, have the connections: the one writer that
// commits in groups, and the pool that survives its server. An error of a change
// says that nothing was recorded, with the one exception told there; the engine's
// sweep settles such a record as any other.
//
// # What an operation brings with it
//
// Begin counts an operation against its quotas and keeps for each count a
// reservation: usage is always the sum of the reservations. What ends without
// success gives its own back, and a reversal those of the operation that it
// reverses; a reservation that was given back is gone, so that nothing is given
// back twice. Settle writes, in the same transaction, the callback that the merchant
// is owed where the operation was pending (callback.go), the step of the merchant's
// service-KYC record, which only moves forward, the reversal, and the earning
// with its entries in the commission ledger. Entries are only ever added. A
// reversal adds each entry of the other operation with debit and credit swapped,
// once.
//
// A case of reconciliation that is decided makes the enquiry of its operation due
// and writes the decision into its history, in the same transaction; the outcome
// is the engine's to write (package settle).
//
// Changes of a vendor's slabs wait for each other on the vendor's row, so that
// no two of them can both find room for their bands.
//
// Operations under one CallerRef are numbered (try). At most one of them is not
// refused for its OTP: operations_by_caller_ref holds that, and the settlement that
// says otp_refused takes its row out of it in the same statement.
//
// # Two databases
//
// SQLite and PostgreSQL do the same, and the suite testStore says what: it runs
// over both, and so do the tests of the schema. Statements have the same text
// but for what a dialect spells: numbered parameters in the order of their first
// appearance, which both read alike. Migrations are per database, since types
// and triggers are spelled differently, and each has its twin of the same number
// and name, with the same tables, columns, constraints and triggers; nodes that
// start together migrate one after the other. What differs on PostgreSQL:
//
//   - operations is partitioned by month, the Indian one, as the days of the
//     ledger are: operations_2026_11 begins at 18:30 UTC of 31 October. What no
//     month has is in operations_default; EnsureMonths makes months before their
//     time, and brings home what came too early.
//   - A unique constraint of a partitioned table must contain the key of its
//     partitions. The names that no two operations of any month may share (id,
//     reference, pending_reference, party with caller_ref) stand in
//     operation_names, which triggers write in the same statement. Foreign keys
//     that are to operations (id) on SQLite are to operation_names (id) there. A
//     name leads to the moment of its operation and so to one partition
//     (dialect.called); what is not unique is looked for by an index in each.
//   - Names of indexes on a partition are PostgreSQL's own. Those that are
//     UNIQUE columns of operations on SQLite are operation_names_by_reference
//     and operation_names_by_pending_reference, and operations_by_caller_ref and
//     operations_by_ref stand on operation_names.
//   - TRUNCATE is refused where DELETE is. A fraction that is assigned to an
//     integer is rounded where SQLite refuses it; parameters here are integers.
//   - A server's log may quote the row that a constraint refused, so what must
//     not be seen in the clear is refused here before it is sent.
//
// # Several writers
//
// SQLite has one writer. On PostgreSQL many write at one time, READ COMMITTED,
// on several nodes, and what is read before it is written holds by one of these:
//
//   - the change is conditional on what was read (the state in WHERE, ON
//     CONFLICT) and tells how many rows it changed;
//   - a unique name was read as free: who is second waits for the first, fails,
//     and is run again (see package postgres), and then reads the first one's;
//   - a row is held for the rest: a vendor's for its slabs and keys, the counter
//     of terminal numbers for all that have one;
//   - due rows are claimed, and expired ones removed, with SKIP LOCKED.
//
// Rows that several changes hold are taken in one order: an operation's own,
// then its terminal's, then counts in the order of their keys.
package store
