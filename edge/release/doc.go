// Package release is what a release of the counter's program is, and what makes
// one to be trusted.
//
// A release is one file for one system, a target of a TUF repository
// (theupdateframework.io): four roles sign what is offered, root with a
// threshold of keys that are kept offline. Facts, in the target's custom data,
// say which version it is, for which system, for how many counters of a hundred,
// and which formats of the counter's files it reads and writes.
//
// It promises that a Catalogue has nothing but what the threshold of signatures
// below the given root stands for. Proof is the metadata by which that was found:
// it is kept beside a release that was fetched, and verified again, from the root
// on, each time before the release is started. So whoever can write in the
// counter's folder, and has not the keys, can take releases away but not bring
// one.
//
// Metadata enters as bytes of strangers (Open), targets leave as values; nothing
// here reads the network or the disk.
package release
