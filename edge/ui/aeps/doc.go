// Package aeps holds the pages of AEPS: the first page, the four forms, the agent's daily
// authentication, an operation from the finger to its result, the receipt, and what an
// outage means.
//
// A result says first whether to give cash, in words, colour and shape. Before a finger is
// captured, the agent sees reader, connection, clock, the bank's recent success rate and
// the customer's consent. Each page shows what the queue holds. Reload, back button,
// second tab and double click change nothing.
//
// Data enters through forms and leaves as HTML, both through package ui. An Aadhaar number
// enters in a POST body, becomes a secret.Aadhaar at once, and is never sent back or put
// into a URL.
package aeps
