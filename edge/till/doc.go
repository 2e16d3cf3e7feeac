// Package till is what a shop wants to know of its days: what was done, what
// of it is not settled, what cash the drawer should hold, and how the day was
// closed.
//
// It promises that a figure is only ever what the records say; that the day is
// India's by the central's clock, whatever the counter's says; that no day is
// closed over an unsettled operation that nobody named (one whose finger was never
// taken is not unsettled: nothing was sent); and that a closing, once kept, is
// never altered. No Aadhaar number but a masked one leaves it.
//
// Records enter from the counter's queue (Ledger); counts and reasons from forms.
// Reckonings, closings, CSV and SVG leave, as values (Till) and as the pages of
// the day's end (Room). On a page the server's sums are the truth: what a script
// adds up while somebody types is only shown, and a day is closed only over the
// comparison that its operator saw.
//
// # What is cash, and when
//
// A withdrawal takes cash out on the day on which it was handed over; without
// that confirmation, on the day on which it was begun, and it is named. A
// transfer brings its amount and charge in on the day on which it was begun,
// unless it is known that nothing was sent: the customer's cash stays here
// until a refund, which takes it out on the day of the refund. A transfer that
// the bank refused at once has no transaction that could be refunded: its cash
// went straight back over the counter. A purchase moves no cash. Commission is
// no part of a reckoning: it is shown as the bank's replies told it (Earned).
//
// # The clock to T+5
//
// A debit without an answer has five days of the calendar from the day on which
// it was sent, by India's clock (edge.ReturnDays, Clock): the rule that binds
// the banks counts so, and a counter knows no bank's holidays. The slip, the
// operation's page and the list of all operations count alike.
package till
