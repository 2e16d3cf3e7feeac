// Package ratelimit limits how often something happens: on one node
// (LocalLimiter), over all nodes that share a database (SharedLimiter), and for
// wrong attempts such as guessed passwords (AttemptLimiter).
//
// It promises that a limit over all nodes costs few queries, also during a flood,
// and that a table of names never grows without bound.
//
// Data enters as names and leaves as permission or as the time to wait. The shared
// state is in the table behind Buckets; package store implements it.
package ratelimit
