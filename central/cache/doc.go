// Package cache keeps in memory what every request reads and hardly anybody changes:
// merchants, vendors, terminals, clients and slabs.
//
// It promises that a change takes effect within a second at every node, whoever made it
// (another node, or a command), and at once at the node that made it. It never answers
// from memory while the database can't be asked whether something changed, and never
// remembers that something does not exist.
//
// Each change raises a number in the database, in its own transaction (Revisions). A
// node reads these numbers by one small statement, at most every few hundred
// milliseconds and only while there are requests (Watch). What was read after a number
// was known is valid as long as the number is the same.
package cache
