// Package e2e holds no code: its tests build the real programs, start them as
// `make run` does, and look from outside whether the promises hold.
//
//   - flow_test.go: token, capture, withdrawal; the books move once.
//   - counter_test.go: a real Chromium at the counter, with the central going
//     away and coming back; screenshots go to $GALLA_SHOTS (build/shots).
//   - kills_test.go: kill -9, SIGSTOP and broken cables under load, of a central
//     on SQLite, and of two on one PostgreSQL that is killed too; then what was
//     replied, the counters and the central's table are held against the bank's
//     books. It runs for $GALLA_TORTURE (45 s), in rounds of two minutes where
//     that is longer, from $GALLA_SEED (drawn and printed). $GALLA_EVIDENCE names
//     a folder to which the data of a failed run is copied.
//   - failover_test.go: PostgreSQL's primary killed and its standby promoted under
//     load.
//   - canary_test.go: after a whole run, no file, log line or column holds an
//     Aadhaar number, PidData, secret, PIN or token.
//
// The programs are built once, with the race detector if the tests have it; a
// race or a panic in any of their logs fails the test that ran them. Each test
// has a house of its own: ports, data folder, programs.
package e2e
