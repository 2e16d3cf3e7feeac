// Package releases stores the releases of the counter's program on this computer,
// with their proofs and their state.
//
// It promises:
//   - A release appears whole and fsynced or not at all; its file matched the hash in
//     its proof.
//   - Verify opens the proof again from the program's root of trust and hashes the
//     file again, so a changed file is not started.
//   - Locks: one process fetches (LockFetch), one changes releases (Add, Prune), one
//     serves (LockServe), and one is the launcher (LockLauncher).
//   - State is replaced atomically; an unreadable one is an error.
//
// The folder has <version>/galla-edge[.exe] and proof.json, state.json (written by
// the launcher), tuf/ (metadata), partial/<sha256> (downloads), locks and
// serving.pid. It belongs to the counter's own user and to administrators. That user
// can already do what the counter does; the proof prevents it from leaving a program
// of its own behind.
package releases
