// Package e2e holds no code: its tests build the real programs, start them as
// `make run` does, and look from outside whether the promises hold.
//
//   - flow_test.go: token, capture, withdrawal; the books move once.
//   - counter_test.go: a real Chromium at the counter, with the central going
//     away and coming back; screenshots go to $GALLA_SHOTS (build/shots).
//   - kills_test.go: kill -9, SIGSTOP and broken cables under load, of a central
//     on SQLite, and of two on one PostgreSQL that is killed too, at random and
//     at the moments that matter (aim_test.go), such as when the bank has the
//     request and has not answered. Beside callers and counters there is a
//     terminal whose frames arrive in any order (stray_test.go). The central's
//     table is held against the bank's books every second, and a run ends at the
//     first thing that is not as promised; in the end what was replied, the
//     counters and the table are held against the books. It runs for
//     $GALLA_TORTURE (45 s; 25 s in 'make test'), longer where a busy machine has not broken enough by
//     then, and in rounds of two minutes where that is longer, from $GALLA_SEED
//     (drawn and printed). $GALLA_EVIDENCE names a folder to which the data of a
//     failed run is copied.
//   - failover_test.go: PostgreSQL's primary killed and its standby promoted under
//     load. cluster_test.go does the same to the cluster of deploy/ha: Patroni,
//     etcd and HAProxy, a whole host at once, and nobody helps.
//   - canary_test.go: after a whole run, no file, log line or column holds an
//     Aadhaar number, PidData, secret, PIN or token.
//
// The programs are built once, with the race detector if the tests have it; a
// race or a panic in any of their logs fails the test that ran them. Each test
// has a house of its own: ports, data folder, programs; so they run side by side.
package e2e
