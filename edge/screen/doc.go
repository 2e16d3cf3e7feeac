// Package screen is the counter's local user interface: the composition of all
// page rooms, and the pages of AEPS, which are every counter's first: home, the
// four forms, the day's authentication, an operation from the finger to its
// result, the lists, the receipt, and what a lost line means.
//
// It promises that the first thing a result says is whether to give cash, in
// words, colour and shape; that before a finger is asked for the agent sees
// reader, line, clock, how the bank did lately and what the customer agreed to;
// that every page shows what the counter read back from its queue and never what
// the screen hoped; and that a reload, the back button, a second tab or a double
// click change nothing.
//
// Data enters through forms and leaves as HTML, both by package web, which also
// says who may talk to it. An Aadhaar number enters in a POST body, becomes a
// secret.Aadhaar at once, and is never sent back, nor put into a URL.
package screen
