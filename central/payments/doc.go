// Package payments records what the bank network received for merchants by UPI, and what
// its bank returned to the payer.
//
// It promises that each payment of the network is recorded once, by the network's id,
// before anybody is told: as an operation of kind UPI_PAYMENT that is succeeded from the
// start, with its earning, its callback and an event for each counter of the shop, in one
// transaction. A return is an operation of kind UPI_REFUND, which reverses the earning. A
// second report of the same payment changes nothing; one with other values is ErrConflict.
//
// Payments enter by the network's notifications (bank.Notifications), which come at least
// once and in any order, and by the scheduled enquiry, which finds those whose
// notification was lost. What both missed has a line in the bank's settlement file: package
// reconcile asks for it by its RRN (RecordByRRN). A payment is matched to the merchant by its
// VPA, and to the order by the tr and amount of a QR that the merchant asked for. What can't
// be matched is kept, too, and shown to operators: money that arrived is never refused.
//
// A QR whose payment would be over a limit of the merchant is refused (package limits). A
// payment over a limit is recorded as any other, counted, and shown to operators: the payer's
// bank has paid, and the payer may have used a printed code.
package payments
