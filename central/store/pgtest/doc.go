// Package pgtest starts PostgreSQL for tests: a private server from the installed binaries,
// in a folder of its own, on a free port of the loopback. As root it starts the server
// under an unprivileged user, as PostgreSQL demands.
//
// The tests of a binary share one server through Main. The environment variable
// GALLA_TEST_POSTGRES names another one (a URL whose user may create databases). Each test
// gets a database of its own from Database. Tests that break servers start their own with
// Start, and may kill, restart and promote them.
//
// Tests that need PostgreSQL fail without binaries and without the variable, and say what
// to install. With -short they are skipped (SkipIfShort).
package pgtest
