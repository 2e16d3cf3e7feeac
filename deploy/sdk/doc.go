// Package sdk holds complete examples of the gateway's message in other languages:
// node/galla.mjs, php/galla.php, python/galla.py, java/Galla.java. Each is one file
// that uses its language's standard cryptography and that a partner can copy.
//
//	<run> vectors FILE              checks the implementation against the test vectors
//	<run> call METHOD ROUTE [JSON]  sends one request and prints the opened reply
//
// The address, client id and key come from the environment (GALLA_GATEWAY,
// GALLA_CLIENT_ID, GALLA_KEY). The JSON may also come from standard input.
//
// Languages lists how to run them, also for tests of other packages. The tests here run
// each example against the vectors and against a fake gateway. A missing language fails
// its test with the command that installs it; GALLA_WITHOUT_LANGUAGES=1 skips these
// tests.
package sdk
