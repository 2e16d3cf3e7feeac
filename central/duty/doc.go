// Package duty is the vocabulary of what a central does when nobody calls: the
// callbacks that it owes to merchants, the chores of the house, what is kept
// and for how long, and what nodes that share a database share besides the
// operations. The rooms that do this work declare here what they need of the
// database, and package store implements it; the desk itself, package central,
// knows nothing of it.
//
// All of it is driven by rows with a moment at which they are due. Whoever
// claims a row moves that moment to the end of a lease, so that no two nodes
// work on one thing, and that a dead node's share falls due again by itself.
package duty
