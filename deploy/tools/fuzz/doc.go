// Command fuzz runs every fuzz target of the repository for a time, one after the other, and
// prints a table of executions:
//
//	go run ./deploy/tools/fuzz -for 10s -only FuzzLink -corpus 16
//
// A target that fails does not stop the others: its row has the name of the input, which go test
// has written to testdata/fuzz, and the command ends with 1. With -corpus it keeps the shortest
// inputs that reached new code in testdata/fuzz of the package, so that ordinary tests run them.
package main
