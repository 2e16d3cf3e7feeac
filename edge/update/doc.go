// Package update fetches new releases from the central, and asks the launcher to
// start them when the counter is idle.
//
// It promises:
//   - Only releases are fetched, stored or started that the threshold of the
//     publishers' keys has signed, from the root of trust in the program (go-tuf's
//     client detects rollback, freeze and mix-and-match attacks). The central can
//     withhold a release until the timestamp expires, but not forge one.
//   - No release is older than what ran here, for another system, outside its
//     rollout, or of a file format that the running program could not read again.
//   - No operation waits for an update: a fetch is bounded in bytes and time, pauses
//     while an operation is running, and resumes after an interruption.
//   - No release is started while an operation is running, the pages are in use, or
//     the terminal is offline; none is fetched onto a disk without spare space.
//
// Metadata and releases enter over HTTP, are verified (release.Proof), hashed,
// fsynced and renamed (package releases); Switch starts one. Expiry is judged by
// the computer's clock, since the central's could extend a timestamp.
package update
