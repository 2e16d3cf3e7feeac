// Package examples holds worked examples of the gateway's message in other
// languages: node/galla.mjs, php/galla.php, python/galla.py, java/Galla.java.
// Each is one file that uses its language's standard cryptography, and that a
// partner's engineer can copy.
//
//	<run> vectors FILE              holds the file against the gateway's vectors
//	<run> call METHOD ROUTE [JSON]  sends one call and prints what it opens to
//
// The address, client id and key come from the environment (GALLA_GATEWAY,
// GALLA_CLIENT_ID, GALLA_KEY), the JSON better from standard input.
//
// Languages says how to run them, for tests elsewhere, too. The tests here run each of them: against the vectors, and against a double of
// the gateway. A language that is missing fails its test with the sentence that
// says what to install; GALLA_WITHOUT_LANGUAGES=1 leaves such tests out.
package examples
