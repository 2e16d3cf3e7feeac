// Package limits checks operations against rules that are data: how much a
// transaction may move, in which steps, and how often and how much may be moved
// over an Indian day or month (domain.md, sections 6 and 7).
//
// It promises that at every time at most one rule applies to a kind in a scope,
// and that the quotas it gives name no person in the clear: a customer is the keyed
// hash that the caller passes. A *RuleSet never changes and is safe for concurrent
// use. It counts nothing: the store counts the quotas in the transaction that
// creates the operation (central.Operations.Create).
//
// Rules come in as JSON: production.json and sandbox.json are embedded, and staff
// may bring a file of the same form (Load; the form: Read). They go out as
// central.Quota (Check) and as central.Limit (InForce), which the terminal shows
// before it asks for a fingerprint.
package limits
