// Package upi is what the sandbox bank does for payments by UPI beside its books: it reads
// payment links as a payer's app does, masks payers, and tells the central.
//
// ParseLink is strict: a link that two apps could read in two ways is refused. A Notifier
// sends what the books say is to be sent, each notification until the central has confirmed
// it, for a day. Its state is in the books only, so that a kill loses nothing; what was
// sent and not recorded as confirmed is sent again. It promises no order.
//
//	books.NextNotifications ─► Notifier ─► POST to the central ─► right reply? ─┬► books.MarkDelivered
//	                                                                           └► books.MarkAttempted, later again
package upi
