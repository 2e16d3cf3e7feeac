// Package server is the central's wiring: the only package that knows all its
// parts. It reads keys, opens the database, and runs the engine, the doors and
// the admin listener until it is told to stop.
//
// Everything lies under one folder: keys/ (mode 0600 each) and central.db. In
// the sandbox missing keys are made and the sandbox's parties are seeded; a
// production start without keys refuses, with the list of what is missing.
//
// With a database's URL the records lie in PostgreSQL, and centrals that share it
// are nodes: each has a name of its own, hears what the others settle and revoke
// (store.Config.Ring), and stops when another takes its name. The keys must be
// the same at all of them.
//
// A central that is told to stop first says that it leaves, then closes its
// doors, then lets what is under way end: life has the order and its bounds.
package server
