// Package update brings new releases to the counter: it looks at what the central
// offers, fetches what is for this counter, and asks the parent to start it when
// the counter is empty.
//
// # Promises
//
//   - Nothing is fetched, kept or started that the threshold of the publishers'
//     keys does not stand for, from the root of trust on that is built into the
//     program (go-tuf's client: rollback, freeze and mix-and-match attacks end in an
//     error). The central, and whoever is on the line, can keep a release away, for
//     as long as the timestamp is good; they can't bring one.
//   - No release is older than what ran here before, for another system, for
//     another hundredth of the counters, or of a format of files that the running
//     program could not read again.
//   - No operation waits for an update. All of it is a request beside the line, with
//     bounds in bytes and time; while an operation is on the line a fetch leaves it
//     (a pause in reading would not do: the buffers on the way go on filling), and
//     what broke off goes on where it was.
//   - Nothing is started while an operation is on its way, somebody touches the
//     pages, or the line is down.
//   - Nothing is fetched onto a disk that would have less left than operations may
//     need; one that gets full all the same gets its room back.
//
// # The way of a release
//
//	the central's /updates/ ──► metadata (go-tuf) ──► Proof ──► which one is for us
//	                                                              │
//	   the shelf ◄── hashed, fsynced, renamed ◄── partial file ◄──┘
//	       │
//	       └─► Waiting ──► Busy says nothing for some minutes ──► Switch
//
// The clock is this computer's: the central's would let the central say when a
// timestamp ends. One that is far ahead finds everything expired and takes nothing.
package update
