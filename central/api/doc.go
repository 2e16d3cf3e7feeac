// Package api implements every route of the interface (interface.md): its fields,
// its checks and its replies. All three entrances (httpapi, gateway, uplink) call
// the same Handler.
//
// Each request passes these steps in order: role, size and shape of the body, the
// acting merchant and its status (interface.md, section 4.7), all fields at once,
// limits, then the route's action. An operation goes to central.Executor with its
// identity and the fingerprint of its body, so a repeated request gets the first
// reply and moves nothing. Each request writes one audit line, without its body.
//
// It promises that every request gets a reply, even after a panic; that an invalid
// request lists every wrong field; and that the final reply of an operation
// depends only on the operation and the bank's answer, is stored, and stays the
// same byte for byte. UPI links follow NPCI's UPI Linking Specification 1.6.
//
// Data enters as central.Request, authenticated and unwrapped by an entrance, and
// leaves as central.Reply. The interface's spellings (AadharNo, TxnAmount) and the
// table of errors (faults.go) exist only here. The package needs no HTTP library.
package api
