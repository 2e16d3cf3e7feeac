// Package queue is the counter's durable memory: edge.Queue on a bbolt file.
//
// # Promises
//
//   - A change is on the disk when its call returns nil: every transaction is
//     fsynced, many changes may share one. A change that fails fails alone.
//   - A change of state that edge.CanBecome does not allow is not written.
//   - Nothing stands in the clear. Every value is sealed (AES-256-GCM) under a
//     key that is not in the file, for its bucket, its key and the schema; a
//     value that was altered or moved no longer opens, and is reported.
//   - A damaged file is never used, never deleted and never crashes the
//     program: it is set aside under another name, and a new one is started.
//     A locked file and a wrong key are errors, and touch nothing.
//   - What is missing is missed: the file keeps a sealed count of its entries.
//
// # The way of the data
//
//	Add, Change, Apply, Cache, Purge ──► channel ──► writer: one goroutine
//	                                                 │ apply all in memory
//	                                                 │ keys file, fsync (if bodies are new)
//	                                                 │ one bbolt transaction, fsync
//	                                                 │ wipe keys of ended ones, fsync
//	                          answers to all ◄───────┘
//	Get, Unresolved, Recent, Cached, Cursor ──► a short read transaction each,
//	                                            opened and decoded after it ended
//
// The writer takes whatever waits, without a timer: one caller waits for its
// own fsync, and many share one. Open starts the writer, since the counter
// reads and repairs the queue before it runs; Close joins it.
//
// # Files
//
//	queue.db        the bbolt file; buckets below
//	queue.db.keys   body keys in slots of 64 bytes; locked while the queue is open
//	queue.db.damaged-<UTC>[.keys]   what was set aside
//
//	meta        check (tells a wrong key), state (event cursor, census)
//	records     operation id → record without its body
//	bodies      operation id → body, sealed under a key of its own
//	unresolved  operation id → nothing: the index of operations without an end
//	cache       name → time and value of the session cache
//	days        day (2026-11-21) → time and closing of the day; written once
//	damaged     operation id → a record that no longer opens, as it was found
//	reserve     empty; filled and emptied to have free pages in the file
//
// Ids are UUIDv7, so the order of keys is the order of time, and the operations
// of a day are one stretch of keys (Between). What happened to an operation on a
// later day, and whose cash is open, package index remembers: Open reads all records.
//
// # When there is no room
//
// The file keeps a reserve of free pages. Add sees to it first, and is refused
// with edge.ErrFull when the disk, or MaxSize, has no room for it; steps of
// operations that are there use the reserve, so that each can still end.
//
// # Erasure, and what remains
//
// A body holds the customer's Aadhaar number until its operation ends. bbolt
// never overwrites a page in place: a deleted value stays on a free page until
// that page is used again, which may be months. So each body is sealed under a
// random key of its own, the key lies (sealed by the main key) in a slot of the
// keys file, and when the operation ends the slot is overwritten with zeros and
// fsynced before the call returns. The sealed body on old pages, in a backup of
// queue.db alone, or in a file that was compacted away, then opens with no key
// that exists. If the power fails between the end of the operation and the
// wiping, Open wipes it. What remains: on a disk or file system that does not
// overwrite in place (flash with wear levelling, btrfs, a snapshot, a backup of
// both files) an old copy of the slot can lie beyond the reach of any program;
// whoever digs it out needs the main key as well. Files that were set aside keep the
// bodies of the operations that were unresolved, sealed, until support deletes
// them. The masked number, amounts, references and the bank's reply stay for the
// receipt, until Purge.
//
// # What bit flips do
//
// bbolt has no checksums on its pages, believes what it maps, and its own check
// crashes on some damage. So the file is verified before bbolt sees it: every
// page reachable or free and not both, every element in bounds, every key in
// order. What passes there is opened by its seal. A newest meta page that is
// damaged makes bbolt go back by one transaction; then an operation that seems
// queued may have been sent, so it is marked sent, and the counter asks.
package queue
