// Package parent starts the newest release of the counter's program that is known
// to work, watches it, and goes back to the one before where a new one fails.
//
// The installed program is the parent; the release that serves is its child. The
// parent knows nothing of counters: it starts, stops, waits, and writes down what
// became of each release (shelf.State). So it never needs an update itself.
//
// # Promises
//
//   - One release serves at a time. On Windows a child ends with its parent, by a
//     job; elsewhere one that outlived its parent is waited for, and killed where it
//     does not end.
//   - What is started was verified just before, from the root of trust on; else
//     the installed program is started.
//   - Each step is on the disk before the next: killed anywhere, the parent goes
//     on from there.
//   - A release that was begun and does not show in time that it works is
//     stopped, and the one before serves. It gets a strike where that one works,
//     so that a line or a disk that fails condemns no release; with the third it is
//     put aside for good. Between two attempts an hour passes.
//   - A release that worked once is started again when it ends. Where it ends
//     again and again, the one before has its turn in the same way. The installed
//     program has none before it and is never put aside.
//
// # The ways of a release
//
//	fetched ──(the counter is empty)──► trial ──(works)──► proven
//	   ▲                                  │                  │ ends again and again
//	   │                                  ▼                  ▼
//	   └──────(an hour, the next look)── suspect: the one before serves
//	                                      │ that one works: a strike
//	                                      ▼ third strike
//	                                    aside, for good
//
// # What parent and child say
//
// The child has the parent's arguments, GALLA_PARENT=1 in its environment, and two
// pipes. Its standard input tells it to stop, by its end, which comes too when the
// parent dies. On its standard output it writes lines:
//
//	galla-child/1 healthy VERSION   pages, queue and line work; VERSION is its own
//	galla-child/1 switch VERSION    the counter is empty: start that release
//
// Other lines are left out, for a later release may say more. Its log goes to
// standard error, which is the parent's.
package parent
