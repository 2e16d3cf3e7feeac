// Package httpapi is the direct entrance: HTTP for merchants' and vendors' programs,
// with Bearer tokens and plain JSON (interface.md, sections 1, 5.1 and 5.4), and
// the token route itself. It reads the routes from the route table and passes
// requests to central.Handler.
//
// It promises that every request gets one reply, with X-Request-Id and in the form
// of the error table; that no request uses more memory, time or connections than
// the limits in this package; and that requests in progress finish at shutdown.
//
// Requests come from the listener given to Run. They leave as central.Request, and
// the handler's reply is written byte for byte. Everything under /process, by any
// reading of its path, goes to Config.Gateway as it was sent. Config.Pages are
// pages for everybody, fixed or made of a query.
//
// A token names the client and its generation, which grows with each suspension and
// each new secret. Every request is checked against the client as it was at most a
// second ago: after its headers, and again after its body. Wrong secrets are counted
// by client id and network, by client id, and by network (attempts.go); no reply
// tells whether an id exists. Wrong enrolment codes are counted by network.
package httpapi
