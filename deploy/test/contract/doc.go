// Package contract checks the running central against interface.md: real HTTP on
// SQLite, the sandbox bank behind its protocol, and the simulated reader, in one
// process.
//
// table_test.go has one row for each sentence of the document that promises something,
// with its section; the number of rows is printed. The stories take a customer from
// unknown to refunded, and a merchant through AEPS onboarding. The walk compares the
// OpenAPI document with the server's replies, route by route. The matrix tries routes ×
// roles × tenants through every door, console and portal included, and prints its count.
package contract
