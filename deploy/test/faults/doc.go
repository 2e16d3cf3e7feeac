// Package faults tests the tests. It builds a deliberate fault into the product,
// with an overlay of the go command (overlay_test.go), and requires that each test that
// searches for counterexamples fails, with the sentence that says what went wrong.
//
// These tests are the random walks of the roots and of the store, the simulation
// (deploy/test/sim), killed processes (deploy/test/e2e) and the explored model
// (deploy/test/model). They are built once with all faults inside; the environment
// chooses one for each run. The product's own code has nothing of this: another test
// checks that no script builds with an overlay.
package faults
