// Package ha is the configuration of a PostgreSQL that survives the loss of a host:
// Patroni on two database hosts, etcd on three, and HAProxy beside each central.
// deploy/docs/ha.md describes the installation. An operator copies these files.
//
// Start runs the same files on the loopback with real processes, for tests. It
// replaces only addresses, names and folders. Each host is a process namespace, so
// Kill ends everything on it at once, as a power cut does. It promises that nothing
// of a cluster outlives the process that started it.
//
// The files and a folder enter. The addresses of the database leave.
package ha
