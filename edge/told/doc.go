// Package told is what the counter says of an operation: first whether to give
// cash, by words, colour and shape, then what it means and what to do.
//
// It promises that nothing but a withdrawal that the bank has paid looks like
// giving cash, and that a state which it does not know never looks like a
// success. An operation enters as an edge.View; it leaves as words of one
// language. Every page that shows an operation, and the customer's screen, say
// it through here, so that they never disagree.
package told
