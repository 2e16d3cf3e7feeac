// Package ui is the base of every page of the counter: request checks, sessions, forms,
// templates with shared pieces, static files, live events and texts.
//
// Each page passes the same checks, looks the same and shows what the queue holds. Reload,
// back button, second tab and double click change nothing. Pages work by keyboard alone,
// on a phone's width, and without scripts. All files are embedded.
//
// A Section brings routes, templates, static files, icons and texts; the names of its
// files, icons, pieces and texts must be unique (README.md beside this file describes
// templates, pieces, attributes and styles).
//
// Requests must reach the loopback address under the installation's own host name
// galla-<random>.localhost (shared/localname): cookies do not depend on ports, so those of
// 127.0.0.1 or localhost would go to any local program. POSTs and event streams must have
// the same origin, forms carry a session's token, and a session needs a user's PIN and
// ends after idle minutes. Sessions are in memory: a restart locks the counter. Every form
// of an owner asks for the PIN again (Kit.OwnerConfirmed). Cookies are HttpOnly and
// SameSite=Strict, with the port in their names; the prefix __Host- needs TLS, and no
// authority issues certificates for such names.
package ui
