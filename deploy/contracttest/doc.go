// Package contracttest holds the interface document against the running
// central: real HTTP on SQLite, the sandbox bank behind its protocol, and the
// simulated reader, in one process.
//
// table_test.go has one row for each sentence of the document that promises
// something, naming its section; the count is printed. The stories walk a
// customer from unknown to refunded, and a merchant through AEPS onboarding.
// The walk compares what the OpenAPI document says with what the server does,
// route by route.
package contracttest
