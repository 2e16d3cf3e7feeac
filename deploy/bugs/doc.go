// Package bugs tests the tests: it builds a deliberate fault into the product
// (galla/shared/bug) and demands that each machine that looks for
// counterexamples fails, with the sentence that says what went wrong.
//
// The machines are the random walks of the roots and of the store, the
// simulation (deploy/sim), killed processes (deploy/e2e) and the explored model
// (deploy/model). They are run by 'go test' with the fault's build tag, so that
// what is shown is what 'make test' runs. It also shows that a program built
// without tags has nothing of this inside.
//
// It holds tests only.
package bugs
