// Package queue implements edge.Queue on a bbolt file.
//
// It promises:
//   - A change is on disk when its call returns nil. Each transaction is fsynced;
//     several changes may share one, and a failed change fails alone.
//   - Every value is sealed (AES-256-GCM) for its bucket, its key and the schema,
//     under a key outside the file. A value that was altered or moved does not
//     open and is reported. A sealed count of the entries detects missing ones.
//   - A damaged file is never used or deleted, and never crashes the program: a
//     child process checks it (ChildVerifier), it is renamed, and a new file is
//     started. A locked file and a wrong key are errors and change nothing.
//   - A body, with the customer's Aadhaar number, is erased for good when its
//     operation ends (keys.go).
//   - Operations in the queue can always end, also on a full disk (write.go).
//
// Changes go through a channel to one goroutine, the writer, which applies all
// that wait in memory, writes new body keys with fsync, commits one bbolt
// transaction with fsync, wipes the keys of ended operations, and answers all
// callers. Reads are short bbolt transactions; values are opened after them.
package queue
