// Package release describes a release of the counter's program and verifies it.
//
// A release is one file for one system, a target of a TUF repository
// (theupdateframework.io): four roles sign it, root with a threshold of keys that
// are offline. A Manifest in the target's custom data has its version, its system,
// the percentage of the counters, and the formats of the counter's files that it
// reads and writes.
//
// It promises that a Catalogue contains only what the threshold of signatures below
// the given root covers. Proof is the metadata of that: it is stored beside a
// release and verified again before each start. Metadata enters as untrusted bytes
// (Proof.Open), targets leave as values; the package reads no network and no disk.
package release
