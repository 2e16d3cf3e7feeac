// Package webguard protects the browser interfaces of the counter and of the console:
// the checks of every request, the headers of every reply, forms, cookie names, and
// embedded static files.
//
// It promises that a request which another site caused is refused, except for a plain
// link to a page; that 'next' addresses stay on this server; that no form is larger
// than allowed; and that a panic of a page ends one reply only.
//
// Requests come from net/http and go on to the pages' handler. The caller decides which
// host names are its own and writes the texts of refusals.
package webguard
