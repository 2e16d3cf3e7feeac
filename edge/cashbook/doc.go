// Package cashbook says what an operation did to the cash drawer.
//
// It promises that there is one answer: Of reads an operation's final facts (its
// route and state, amount and charge, whether cash was handed over, kept or given
// back) and nothing else, and everybody who shows or adds up cash takes it from
// there: the operation's page, the day's reckoning and closing, the file, the
// chart and the receipt. A rule in shared/archtest refuses other readers of those
// facts. Nothing here is stored, and nothing is asked of anybody.
//
// Records enter as edge.Record; entries leave, each with its flow, amount and the
// time at which the cash moved. Sums of entries are sums of what Of gave.
//
// # What moves cash, and when
//
//	withdrawal   paid by the bank, cash handed over     out, when it was handed over
//	             paid by the bank, nobody confirmed     out, when the bank had paid, and named
//	             paid, and somebody says: not given     nothing: the cash is still here
//	             anything else                          nothing: no cash is given
//	Aadhaar Pay  always                                 nothing: the account pays the shop
//	transfer     succeeded                              in: the amount, and the charge
//	             on its way, pending, unknown           in: both, held until its outcome
//	             came back (reversed)                   in: both, owed until the refund; out
//	                                                    when the agent says that it was
//	                                                    given back before
//	             refused while the customer is there    nothing: the cash goes straight back,
//	             (a wrong password, a decline)          or into the next attempt
//	             failed after its cash was kept         in: both, owed; out when the agent
//	                                                    says that it was given back, or
//	                                                    when the next attempt began that
//	                                                    is paid with it
//	refund       succeeded, cash handed over            out, when it was handed over
//	             succeeded, nobody confirmed            out, when the bank had paid, and named
//	             succeeded, and somebody says: not given nothing: the cash is still here
//	             succeeded, of an older program         out, when it was begun: the customer
//	                                                    had the cash before the password
//	             of a transfer whose cash was given     nothing: it left with the transfer
//	             back before                            (edge.RefundClosed)
//	             anything else                          nothing
//	registration a fee was charged                      in
//
// Charges are the central's word: what its reply to the transfer tells, else what
// its reply to the charges told before the customer paid (Record.Charge). A refund
// of a transfer that the bank had paid out gives its amount back; of one that came
// back the charge too, since the bank takes none for it (edge/send puts it into
// the refund's record).
//
// An entry is known to the counter later than its cash moved, where a state or an
// answer made it (KnownAt): a day that was closed meanwhile lacks it, and the next
// one has it. So that this is exact, an operation's entries must come to the same
// sum from their KnownAt on, whatever state it goes through: Held turns into Sent
// or Owed at one amount, what a refused transfer put into the drawer until its
// refusal is in Passing, and Unconfirmed is a question that is answered before a
// day is closed over it.
//
// A customer who tries again after a wrong password stands in two records, of
// which one succeeded at most: the cash is counted once. Where the first attempt's
// cash was kept, the next holds it from the moment at which the first lets it go
// (edge.Record.Of, CashInto).
package cashbook
