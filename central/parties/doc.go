// Package parties is the roll of who banks here, as the central's operators keep
// it: aggregators, vendors and merchants, the terminals of merchants and how they
// are, the float, and what moved in a day.
//
// # Promises
//
//   - A merchant is entered as PENDING and moves along the arrows below; whether it
//     may call is judged at each call by the one path of all doors (package
//     contract), so that a change holds from the next call on, on all nodes.
//   - Suspending a merchant ends its open enrolment codes in the same transaction.
//     What its terminals sent before goes on to its end, and they are told of it:
//     only new calls are refused.
//   - A vendor that is suspended is refused its own calls, at the gateway and
//     directly. Its merchants' own calls go on: a shop does not stand still for its
//     vendor's quarrel. They are suspended one by one. Open enrolment codes that the
//     vendor's programs made end in the same transaction.
//   - Nobody is ever deleted: operations and the ledger name them.
//   - A program's secret at the direct door is kept as a hash, and given out once.
//     With another secret, and with a suspension, end in one transaction the
//     tokens that the program got before (package door looks at every call, a
//     second behind the database at most) and the enrolment codes that it made and
//     nobody has used. They do not come back when it is let in again.
//   - A terminal remembers which program made its code. It goes on when the program
//     is suspended: it may be a shop's honest counter. The operator is shown those
//     of a program and revokes what he does not know.
//
// # A merchant's statuses
//
//	PENDING ──► APPROVED ◄──► SUSPENDED
//	   └──────► REJECTED
//
// # The way of the data
//
//	console ──► Desk ──► rules of package form ──► Store
//	Desk.Float ──► the bank network ──► Store (a reading)
//	Store ──► Desk.Day (sums by hour, kind and bank, kept for half a minute)
package parties
