// Package server wires a central: it is the only package that knows all its parts. It
// reads keys, opens the database, and runs the engine, the entrances and the admin
// listener until it is stopped.
//
// The data folder holds keys/ (mode 0600 each) and central/ with the SQLite database.
// A sandbox creates missing keys and its own parties; a production start without keys
// fails and lists what is missing.
//
// With a database URL the records are in PostgreSQL, and centrals that share it are
// nodes: each has its own name, is notified of changes by the others
// (store.Config.OnNotify), and stops when another takes its name. All nodes have the
// same keys.
//
// At a stop, /readyz first answers 503, then the entrances close, then the work under
// way ends: lifecycle has the order and its bounds.
package server
