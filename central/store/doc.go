// Package store keeps the central's records in SQL: operations with their
// identities and history, the parties, terminals with their codes, tokens and
// events, and the agents' sessions. It implements central.Store over SQLite
// (mattn/go-sqlite3).
//
// It promises that a method that returned nil is on the disk: the journal is a
// write-ahead log synced at each commit (synchronous=FULL), which is checked
// on every connection. It also promises that no record is ever in a state that
// central.CanBecome does not allow: methods change a row only if it is still in
// the state that they leave, and the schema's constraints and triggers refuse
// what a mistake in the code might try.
//
// Data enters and leaves as the types of package central. Inside, times are
// integer milliseconds since 1970 (what is finer is cut off; the zero time is
// NULL), amounts are integer paise, and absent references are NULL. Times come
// back in UTC. Nothing secret is accepted: the column of the Aadhaar number
// takes the masked form only, codes come as hashes, and PidData and OTPs have
// no column.
//
// Package sqlite, below, has the connections and the writer that commits in
// groups. An error of a change says that nothing was recorded, with the one
// exception told there; the engine's sweep settles such a record as any other.
//
// # What an operation brings with it
//
// Begin counts an operation against its quotas and keeps for each count a
// reservation: usage is always the sum of the reservations. What ends without
// success gives its own back, and a reversal those of the operation that it
// reverses; a reservation that was given back is gone, so that nothing is given
// back twice. Settle writes, in the same transaction, the step of the merchant's
// service-KYC record, which only moves forward, the reversal, and the earning
// with its entries in the commission ledger. Entries are only ever added. A
// reversal adds each entry of the other operation with debit and credit swapped,
// once.
//
// Changes of a vendor's slabs wait for each other on the vendor's row, so that
// no two of them can both find room for their bands.
//
// # Other databases
//
// Statements use numbered parameters in the order of their first appearance,
// which SQLite and PostgreSQL read alike; migrations are per database, since
// types and triggers are spelled differently. The suite testStore says what
// every database must do.
package store
