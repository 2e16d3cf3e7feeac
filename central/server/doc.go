// Package server is the central's wiring: the only package that knows all its
// parts. It reads keys, opens the database, and runs the engine, the doors and
// the admin listener until it is told to stop.
//
// Everything lies under one folder: keys/ (mode 0600 each) and central.db. In
// the sandbox missing keys are made and the sandbox's parties are seeded; a
// production start without keys refuses, with the list of what is missing.
package server
