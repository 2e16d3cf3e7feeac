// Package ha is the configuration of a PostgreSQL that survives the loss of a
// host: Patroni on two database hosts, etcd on three, and HAProxy beside each
// central (deploy/docs/ha.md tells how it is put on machines). The files here are
// the ones that an operator copies.
//
// Start runs those very files on the loopback, with real processes, for tests: in
// each of them only addresses, names and folders are replaced. A host is a
// namespace of processes, so that Kill ends everything on it at once, as a power
// cut would. It promises that nothing of a cluster outlives the process that
// started it.
//
// Data enters as the files and a folder; addresses leave, by which centrals and
// tests reach the database.
package ha
