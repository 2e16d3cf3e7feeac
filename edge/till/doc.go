// Package till is what a shop wants to know of its days: what was done, what
// of it is not settled, what cash the drawer should hold, and how the day was
// closed.
//
// It promises that a figure is only ever what the records say; that the day is
// India's by the central's clock, whatever the counter's says; that no day is
// closed over an unsettled operation that nobody named (one whose finger was never
// taken is not unsettled: nothing was sent), nor over cash of which nobody has said
// whether it was given; and that a closing, once kept, is never altered. No Aadhaar number but a masked one leaves it.
//
// Records enter from the counter's queue (Ledger); counts and reasons from forms.
// Reckonings, closings, CSV and SVG leave, as values (Till) and as the pages of
// the day's end (Room). On a page the server's sums are the truth: what a script
// adds up while somebody types is only shown, and a day is closed only over the
// comparison that its operator saw.
//
// # What is cash, and when
//
// Package cashbook says what an operation did to the drawer, and when; here its
// entries are added up. Expected is the opening, and what came in, less what went
// out; the file's and the charts' sums are the same entries. An entry is
// in the sums of the day on which its cash moved, however long ago its operation was
// begun; of a day that was closed before the counter knew of it, in those of the day
// on which it did, or of the next: closed days stay as they were, and each entry is
// counted once (books). A transfer that came back, or failed after its
// cash was kept, is named until that went back, however old. Commission is no part of a reckoning: it is shown as
// the bank's replies told it (Earned).
//
// A search finds operations by the customer's mobile number too. It stands in the
// record, which the queue seals, and leaves it in no file, page or address.
//
// # The clock to T+5
//
// A debit without an answer has five days of the calendar from the day on which
// it was sent, by India's clock (edge.ReturnDays, Clock): the rule that binds
// the banks counts so, and a counter knows no bank's holidays. The slip, the
// operation's page and the list of all operations count alike.
package till
