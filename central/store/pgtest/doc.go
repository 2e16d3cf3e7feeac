// Package pgtest starts PostgreSQL for tests: a private server from the
// binaries that are installed on the machine, in a folder of its own, on a port
// of the loopback that is free. Where it runs as root it drops to an
// unprivileged user, as PostgreSQL demands.
//
// A test binary shares one server through Main, which the environment variable
// GALLA_TEST_POSTGRES replaces by one that is given (a URL whose user may make
// databases). Each test takes a database of its own from it with Database.
// Tests that break servers start their own with Start, and may kill, restart,
// and promote them.
//
// There is no skipping: without binaries and without the variable, tests that
// need PostgreSQL fail, and say what to install.
package pgtest
