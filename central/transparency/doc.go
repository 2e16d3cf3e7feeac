// Package transparency keeps a log that shows when the past was rewritten: each money
// operation with its history and its ledger entries, each entry of the audit log, and each
// step of a reconciliation case is a leaf of a Merkle tree (RFC 6962, as in Certificate
// Transparency), and the tree's head is signed again and again (a checkpoint).
//
// It promises that a row which was changed, removed, added out of turn or moved after it was
// sealed is found by Verify, with its name, by anybody who has the public key; and that an
// end which was cut off is found with a checkpoint that was kept elsewhere: a file, a bucket,
// or a terminal, each of which gets them. The key that signs is not in the database, so
// whoever can write every table still can't sign another past.
//
// A scheduled job (Sealer) seals what was committed since its last run, on one node at a time.
// The money path writes nothing for it. What is not sealed yet, a few seconds of work, is not
// protected; what stays unsealed for UnsealedAfter is a fault.
//
// Why a tree and not a plain chain of hashes: a chain can be checked only by somebody who
// has all of it. With a tree, a terminal that keeps one checkpoint is shown by some thirty
// hashes that the next one has the same past (Proof). Why golang.org/x/mod/sumdb, and no log
// server such as tessera: its parts tlog and note are the tree and the signature alone, in use
// at the Go checksum database; the rows stay in Galla's own database, in the transactions
// that it has, and no further service has to run.
//
// What retention erases of an operation (its reply and the reasons of its steps) is in its
// leaf as a digest, which the entry keeps. So an archived operation can still be verified.
package transparency
