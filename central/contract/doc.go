// Package contract is the interface document as code: every route's fields,
// checks and replies, and the one path that each call takes, whichever door it
// came through.
//
// The path, in this order: role, size and shape of the body, the acting
// merchant and its standing (section 4.7), every field at once, limits, then
// the route's work. Operations go to central.Desk under their identity and the
// fingerprint of their body, so a repeated call is answered and not repeated.
// One line of the audit log tells of each call, without its body.
//
// It promises that a call always has a reply, a panic included, that a reply
// names every field that is wrong, and that the replies of operations depend on
// nothing but the operation and the bank's answer: they are stored and given
// byte for byte from then on. The table in faults.go is the only place that
// knows HTTP statuses and statusCodes of errors.
//
// Data enters as central.Call, authenticated and unwrapped by a door, and
// leaves as central.Reply. The document's spellings (AadharNo, TxnAmount)
// stand in this package and in its room central/dmt, and nowhere behind them.
// No HTTP library is needed to read or to test it.
package contract
