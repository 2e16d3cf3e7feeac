// Package outcome has the texts of an operation's outcome: first whether to give
// cash, in words, colour and shape, then what it means and what to do. It also has
// the table of response codes, with their meaning and advice.
//
// It promises that only a withdrawal which the bank has paid looks like giving
// cash, and that an unknown state or code never looks like a success.
//
// An operation enters as an edge.View and leaves as texts of one language. Every
// page, the receipt and the customer's screen use this package, so they never
// contradict each other.
package outcome
