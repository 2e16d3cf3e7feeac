// Package worker does what rows of a table ask for: enquiries after pending
// operations, callbacks to merchants, the chores of the house. It is driven by
// the table alone, so that any number of nodes on one database share the work.
//
// A Duty says how its work is claimed and how much of it is done at one time.
// Claiming hands out each piece to one claimer only and until the end of a
// lease: a node that dies, or that is stopped on the way, leaves nothing to
// clean up, since its share falls due again by itself.
//
//	table ──Claim──► Task ──Do──► table
//	  ▲  at each Poll,            │ what was done, or when to do it again
//	  └── while there is more ◄───┘
//
// The worker promises that no more than Batch tasks of a duty run at one time,
// that no duty waits for another one's, that a panic ends nothing but its own
// task, and that Run returns when the last task has. It promises nothing about
// the work: a task writes down itself what it did, and where it can't, the
// lease's end is what brings the work back.
//
// The package knows the rest of the house as little as the rest knows it:
// whoever has a duty declares it, and the engine runs its own.
package worker
