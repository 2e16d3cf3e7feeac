// Package dayend holds the pages of the day's end: what was done, what is unfinished, what
// cash the drawer should hold, and the day's closing.
//
// Figures come from the records only, and days are Indian by central's clock. A day is
// closed only over the comparison that its user saw, never over an unfinished operation
// that the user was not shown (operations awaiting a finger are not unfinished: nothing
// was sent), nor over cash that nobody has answered for. A stored closing never changes.
//
// Package cashbook says how an operation changed the drawer. Expected cash is the opening,
// plus what came in, minus what went out; CSV file and charts sum up the same entries. An
// entry is in the sums of the day on which its cash moved, or, if that day was closed
// before the counter knew of it, of the day on which it did, or the next (allocation). A
// transfer that was reversed, or failed after its cash was kept, is listed until the cash
// is returned. Commission is not part of the sums: it is shown as the bank reported it.
//
// Records come from the counter's queue (Ledger), counts and reasons from forms.
// Summaries, closings, CSV and SVG leave, with masked Aadhaar numbers only.
//
// A debit without an answer has five calendar days from the Indian day on which it was
// sent (ReturnDeadline), as the rule for banks counts. The slip, the operation's page and
// the list of all operations count alike.
package dayend
