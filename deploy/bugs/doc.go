// Package bugs tests the tests: it builds a deliberate fault into the product
// (galla/shared/bug) and demands that each machine that looks for
// counterexamples fails, with the sentence that says what went wrong.
//
// The machines are the random walks of the roots and of the store, the
// simulation (deploy/sim), killed processes (deploy/e2e) and the explored model
// (deploy/model). They are the tests that 'make test' runs, built once with the
// faults inside; the environment chooses one for each run. It also shows that a
// program built without tags has nothing of this inside.
//
// It holds tests only.
package bugs
