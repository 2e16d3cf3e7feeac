// Package console serves the staff's pages on the central's admin address, below
// /console/: operations, reconciliation with the bank, terminals, merchants, vendors,
// slabs, callbacks, the float, the day in figures, staff and the audit log.
//
// It promises:
//   - No page without a session (package staff), and nothing that the role does not
//     allow: each route of the table names its least role, and serve checks all of them.
//   - Forms that change money, access or a party ask for a TOTP code again, unless their
//     route says why not (stepup.go). Steps that can't be undone ask once more.
//   - A case is decided by two independent people, as the second one has read it.
//   - Reads of operations, cases and documents are in the audit log before the page is
//     shown, changes before and after they are made. Searches are sent in a form's body,
//     and the log has the last four digits of a number.
//   - Codes, keys and secrets are shown once, in the reply to the form that made them.
//   - It answers over loopback under the installation's own name (package localname), or
//     over TLS, and refuses forms of other sites. Pages work without scripts: the only one loads
//     lists again, completes names, and leads to the search (static/console.js).
//
// A page is a route with a handler, in the file of its subject, and a template of the
// page's name in templates/. Handlers call the services and show templates; templates get
// a View. Slabs go through central.Handler, as a vendor's own requests do.
package console
