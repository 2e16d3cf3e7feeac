// Package queue implements edge.Queue on a bbolt file.
//
// It promises:
//   - A change is on disk when its call returns nil. It takes one sync; several
//     changes may share one, and a failed change fails alone.
//   - Every value is sealed (AES-256-GCM) for its bucket, its key and the schema,
//     under a key outside the file. A value that was altered or moved does not
//     open and is reported. A sealed count of the entries detects missing ones.
//   - A damaged file is never used or deleted, and never crashes the program: a
//     child process checks it (ChildVerifier), it is renamed, and a new file is
//     started. A locked file and a wrong key are errors and change nothing.
//   - A body, with the customer's Aadhaar number, is erased for good when its
//     operation has ended: at the writer's next rest, a second later, or at the
//     next start (keys.go).
//   - Operations in the queue can always end, also on a full disk (write.go).
//
// Changes go through a channel to one goroutine, the writer, which applies all
// that wait in memory, writes them to the journal with one fsync (journal.go), and
// answers all callers. At rest it writes them into the bbolt file, overwrites the
// keys of ended operations and mints new ones (flush.go). Changes other than those of
// operations go into the bbolt file at once. Reads are short bbolt transactions,
// after a look at what is in the journal alone; values are opened after them.
package queue
