// Package e2e builds the real programs, starts them as `make run` does, and checks the
// promises from outside. It holds only tests.
//
//   - flow_test.go: token, capture, withdrawal; the books move once.
//   - counter_test.go: a real Chromium at the counter, with the central going away and
//     coming back; screenshots go to $GALLA_SHOTS (build/shots).
//   - kills_test.go: kill -9, SIGSTOP and broken connections under load, on a central
//     with SQLite, and on two centrals with one PostgreSQL that is killed too; at random
//     and at critical moments (faultpoints_test.go), such as when the bank has the
//     request and has not answered. A terminal sends frames in any order
//     (stray_test.go). People pay the shop's codes by UPI, the bank returns some of it and
//     reports what it likes, and somebody forges reports (payers_test.go): each payment is
//     at the central once and at each counter once (paymentledger_test.go). The central's table is compared with the bank's books every
//     second, and a run ends at the first violation. At the end all replies, counters
//     and the table are compared with the books. It runs for $GALLA_TORTURE, longer if a
//     busy machine has not broken enough by then, and in rounds of two minutes if that is
//     longer. $GALLA_SEED repeats a run's seed, which is printed. The data of a failed
//     run is copied to $GALLA_EVIDENCE.
//   - failover_test.go: PostgreSQL's primary is killed and its standby promoted under
//     load. cluster_test.go does the same to the cluster of deploy/ha: Patroni, etcd and
//     HAProxy, a whole host at once, with nobody's help.
//   - canary_test.go: after a whole run, no file, log line or column holds an Aadhaar
//     number, PidData, secret, PIN or token.
//
// The programs are built once, with the race detector if the tests have it. A race or a
// panic in any of their logs fails the test that ran them. Each test has a sandbox of
// its own (ports, data folder, programs), so tests run in parallel.
package e2e
