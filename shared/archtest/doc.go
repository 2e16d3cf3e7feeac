// Package archtest holds no code: its tests keep the house in order.
//
// They read every Go file of the module and fail, in sentences that say what
// is wrong, where, why, and what to do:
//
//   - the import map: who may import whom, and which third-party module may be
//     used where (map_test.go);
//   - sizes: files, functions, interfaces, packages (size_test.go);
//   - habits: one package comment, no package state, no init, no sleeping, no
//     leftovers (habits_test.go);
//   - secrets: who may take a value out of its type, and where the sandbox's
//     Aadhaar numbers may stand (secrets_test.go);
//   - cash: who says what an operation did to the drawer (cash_test.go).
//
// Each of these files has its tables at the top; an exception is a line with a
// reason. The rules read sources, not builds, so that files of every operating
// system count, and they run with -count=1, since the test cache does not know
// that they read the whole tree. bite_test.go shows each rule a small house
// that breaks it.
package archtest
