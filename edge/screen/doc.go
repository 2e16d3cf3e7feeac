// Package screen is the counter's local user interface: pages made by the
// server, a few small script modules, and server-sent events that say when to
// look again.
//
// It promises that the first thing a result says is whether to give cash, in
// words, colour and shape; that every page shows what the counter read back
// from its queue and never what the screen hoped; that a reload, the back
// button, a second tab or a double click change nothing; and that every page
// works by keyboard alone, on a phone's width, and as plain forms without
// scripts. Nothing comes from another machine: all files are embedded.
//
// Data enters through forms and leaves as HTML. An Aadhaar number enters in a
// POST body, becomes a secret.Aadhaar at once, and is never sent back, nor put
// into a URL. What the pages say stands in messages/, one file a language.
//
// # Who may talk to it
//
// Other programs and every page in the agent's browser can reach the loopback
// address, so each request passes guard.go: the connection and the Host header
// must be those of the loopback address and port (421: a foreign name that was
// pointed here), POSTs and the event stream must come from this origin, forms
// carry a token of the browser session, and a session exists only after the
// agent's PIN and ends after idle minutes. Sessions live in memory: a restart
// locks the counter. Cookies know no ports, so other services on the loopback
// address that the agent opens in the same browser see the cookie; they can do
// nothing with it from their own pages.
package screen
