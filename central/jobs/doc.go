// Package jobs runs scheduled jobs: regular work of the central such as a purge, an archive
// or new partitions. Nodes that share a database share the jobs: each runs on one node at
// a time, and its period holds whichever node runs it.
//
// A row of the database has the time at which a job is due. The node that claims it moves
// that time to the end of a lease, so no other node runs the job meanwhile, and a dead
// node's job is due again when the lease ends. Data enters and leaves by Store; the
// package central runs the job of SchedulerJob like its own.
package jobs
