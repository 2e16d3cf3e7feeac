// Package store stores the records of the central in SQL, over SQLite
// (mattn/go-sqlite3) or PostgreSQL (jackc/pgx). DB has one type for each area; each
// implements the interfaces of the packages that use it.
//
// A method that returned nil is on the disk: the write-ahead log is synced at each
// commit. No record gets into a state that central.CanTransition does not allow: methods
// change a row only if it is in the expected state, and constraints and triggers refuse
// everything else. An error means that nothing was recorded; packages sqlite and
// postgres name the exceptions.
//
// Data enters and leaves as the types of the packages above. In the database, times are
// integer milliseconds since 1970 (NULL: the zero time), amounts are integer paise, and
// absent references are NULL. Times are returned in UTC. Secrets have no column: Aadhaar
// numbers are masked, codes are hashes, keys are sealed.
package store

// Effects of an operation.
//
// Create counts an operation against its quotas and writes a reservation for each count:
// the usage is always the sum of the reservations. An end without success deletes its
// reservations, and a reversal deletes those of the reversed operation. Finish writes in
// one transaction: the outcome, the callback of an operation that was pending, the step
// of the service-KYC record, the reversal, and the earning with its ledger entries.
// Ledger entries are only added. A reversal adds each entry of the other operation with
// debit and credit swapped, once.
//
// Operations under one CallerRef are numbered (attempt). The unique index
// operations_by_caller_ref allows one of them that is not refused for its OTP. The
// statement that sets otp_refused takes the row out of that index.
//
// Two databases.
//
// SQLite and PostgreSQL behave the same; the suite testStore runs over both, and so do the
// tests of the schema. Statements have the same text except for the fields of dialect.
// Parameters are numbered in the order of their first appearance. On PostgreSQL:
//
//   - operations is partitioned by the Indian month. Rows of a month without a partition
//     are in operations_default. EnsurePartitions creates partitions in advance.
//   - A unique constraint of a partitioned table must contain the partition key. So
//     triggers write the unique names (id, reference, pending_reference, party with
//     caller_ref) into operation_names in the same statement, and foreign keys refer to
//     it. sharedcreate.sql writes them itself, since a trigger runs for each row. A name
//     leads to created_at and so to one partition (dialect.byUniqueName).
//   - TRUNCATE is refused where DELETE is. A fraction for an integer is rounded, where
//     SQLite refuses it; parameters here are integers.
//   - The log of a server may quote a row that a constraint refused. So the store refuses
//     what must not be seen in the clear before it sends it.
//
// Shared statements (PostgreSQL).
//
// Create, MarkSent, MarkPending and Finish of ordinary operations are one statement each,
// which serves all calls of a moment (postgres.Sharing). It leaves out what is not
// ordinary: a known identity or name, a quota without room, a taken pending reference,
// another state than the caller knows, a disabled callback. Such a call, and every refund,
// service-KYC step and transfer, goes through the transaction that SQLite runs, too
// (createAlone, finishAlone and so on). A statement inserts from
// what its earlier parts returned, so it records an operation as a whole or not at all; a
// race for a name or for the last room of a quota fails the statement, and all its calls
// go alone.
//
// After a statement without an answer (see package postgres), Create recognizes its own
// operation by the reference at the bank, which only this call has, and gives it as new
// only if it is still as it was created. Finish recognizes its outcome by all that it
// gave, MarkSent its own by both times, MarkPending by the reference that this call has from
// its node's numbers. A step that is made twice, or late, finds another state and records nothing.
//
// Two calls with a common name never share a statement. Counts are locked in the order of
// their keys, after everything else.
//
// Several writers.
//
// SQLite has one writer. On PostgreSQL, several write at one time (READ COMMITTED), on
// several nodes. What is read before it is written is protected by one of these:
//
//   - the change is conditional on what was read, and returns the number of changed rows;
//   - a unique name was read as free: the second writer waits for the first, fails, runs
//     again (see package postgres), and reads the first's row;
//   - a row is locked: a vendor's for its slabs and keys, a merchant's for its secrets and
//     lookups, the counter of terminal numbers for all terminals;
//   - due rows are claimed, and expired ones deleted, with SKIP LOCKED.
//
// Rows are locked in one order: the operation, its terminal, then counts by their keys.
