// Package retention archives and purges: it says how long a central stores what.
//
// # Archive
//
// The identity of an operation is stored for ever: a repeat is answered from its row. Its
// body, the stored reply and the reasons of its history, is archived BodyRetention after
// its end. First a line for each operation is written to a new file in the archive folder
// (NDJSON, gzip; one file a run and month), synced, with its SHA-256 beside it in the form
// of sha256sum. Then one transaction for each 64 operations records the file and replaces
// the stored reply with the short one, if it is still the reply that was archived. A crash
// between the two leaves a file without a row; the next run archives those operations
// again. So a body is always in a row or in a file.
//
// Personal data is not archived: ShortReply keeps a list of fields by name (statuses,
// codes, references, amounts). A repeat gets the short reply with the original HTTP status;
// its message says that the details were archived.
//
// # Purge
//
// Purge deletes rows that are no longer needed, a bounded number in a run. PurgeRules has
// the retention of each kind.
package retention
