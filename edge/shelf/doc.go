// Package shelf keeps the releases of the counter's program on this computer:
// what was fetched, what proves that it may be run, and what became of each.
//
// # Promises
//
//   - A release appears whole or not at all, and on the disk: its file was held
//     against the hash that its proof has, fsynced and renamed into place.
//   - Verify opens the proof again from the program's own root of trust on, and
//     hashes the file again: a file that was changed on the shelf is not started.
//   - One process fetches at a time (Fetching), one adds or removes releases (Put,
//     Keep), one serves (Serving), and one looks after that (Looking).
//   - State is replaced in one step; one that can't be read is an error that says
//     so, and the reader goes on with the program that was installed.
//
// # Files
//
//	<version>/galla-edge[.exe]   a release
//	<version>/proof.json         the metadata by which it was taken (release.Proof)
//	state.json                   what became of each; written by the parent alone
//	tuf/                         what the repository said last
//	partial/<sha256>             what is being fetched
//	fetching.lock, changing.lock, serving.lock, serving.pid, parent.lock
//
// # Who may write here
//
// The folder belongs to the counter's own user (LocalService on Windows, the user
// galla-edge on Linux) and to administrators; the installer sees to it. Whoever is
// that user can already do what the counter does: read its keys, answer its pages.
// What the proof denies them is to bring a program of their own that goes on
// running after they are gone: without the publishers' keys they can put back a
// release that was signed for this computer, or take all away; then the installed
// program runs. Between Verify and the start of the process the file can still be
// exchanged by that same user, who gains by it what it could do before.
package shelf
