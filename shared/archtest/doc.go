// Package archtest holds only tests. They check the structure of the source tree.
//
// They read every Go file of the module and fail with sentences that say what is wrong,
// where, why, and what to do:
//
//   - layers: which package may import which, and where a third-party module may be
//     used (layers_test.go);
//   - sizes of files, functions and interfaces (size_test.go);
//   - habits: one package comment, no package state, no init, no sleeping, no notes to
//     oneself (habits_test.go);
//   - citations: a file or section that a comment names exists (citations_test.go);
//   - secrets: which code may take a value out of its type, and where the sandbox's
//     Aadhaar numbers may stand (secrets_test.go);
//   - settings: addresses and names of fields (settings_test.go, fields_test.go);
//   - cash: which code computes the content of the drawer (cash_test.go).
//
// Each of these files has its tables at the top; an exception is a line with a reason,
// and tables_test.go finds lines that nothing needs any more. The rules read sources,
// not builds, so files of every operating system count. They run with -count=1, since
// the test cache does not know that they read the whole tree. rules_test.go gives each
// rule a file that breaks it.
package archtest
