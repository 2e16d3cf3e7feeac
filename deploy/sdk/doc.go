// Package sdk tests the SDKs of partners' programs, which stand beside it: node, go, python,
// php and java, each a package as its registry wants it. Their typed parts are written by
// deploy/sdk/generate from the OpenAPI document. README.md has what they do alike.
//
// The tests run each package's own tests, its example against the gateway's vectors and a
// fake gateway, and its story against a fresh sandbox. deploy/test/e2e has the examples with
// the real gateway, too.
package sdk
