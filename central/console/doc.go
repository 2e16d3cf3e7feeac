// Package console is the operators' console of the central: pages on the admin
// address, under /console/, on which people find operations, look after what
// waits, reconcile with the bank, and manage who may do that.
//
// # Promises
//
//   - Nobody sees or does anything without a session (package operator), and
//     nothing that the role does not allow: the table of routes names each route's
//     role, and one path judges all of them.
//   - A case is decided by two people, as the second one has read it, and not by an
//     one who descends from the other, nor by two of one admin (operator.Desk.Apart).
//   - Forms that change money, access or a party ask for a code of the second factor
//     again, all but those whose route says why not (stepup.go).
//   - The console answers over the loopback interface, under the installation's own
//     name only (package localname), or over TLS, and to nobody else: to a name that was pointed at it, to another site's form and to a
//     forged token it does nothing.
//   - Whoever looks at an operation, a case or a document is in the trail before
//     it is shown; what changes something is in the trail before it is done. What
//     was looked for may be a customer's number: it is sent in a form's body, never
//     in an address, and the trail has its last four digits.
//   - Pages are plain forms and work without scripts, by keyboard, and on a phone's
//     width. Nothing comes from another machine, and nothing is kept by the browser.
//
// # The way of the data
//
//	request ──► guard ──► route (role, token) ──► page ──► operator, settle, store
//	page ──► template ──► browser
//
// # Pages
//
// A page is a route of the table, in a file of its subject, and a template of the
// same name in templates/. Templates get a View: .Data is the page's own. The
// shared pieces are in templates/pieces.html; the looks are those of the counter
// (package look), and console.css has what only the console needs.
package console
