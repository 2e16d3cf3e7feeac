// Package web is what every page of the counter is made of: the guard, sessions,
// forms, templates and their shared pieces, files, live events and words.
//
// It promises that whatever room a page is of, it passes the same guard, looks
// the same, shows what the counter read back and never what the screen hoped,
// and that a reload, the back button, a second tab or a double click change
// nothing. Every page works by keyboard alone, on a phone's width, and as plain
// forms without scripts. Nothing comes from another machine: all is embedded.
//
// # Rooms
//
// A room brings its pages (Room): an embedded folder, and routes. The folder
// holds, as far as the room needs them,
//
//	templates/<page>.html    {{define "main"}}…{{end}}; the page is "<room>/<page>"
//	templates/pieces/*.html  pieces of the room's own, seen by all its pages
//	static/<room>.css, .js   loaded on the room's pages, after the kit's
//	static/…                 other modules and pictures; {{asset "name"}}
//	icons/<name>.svg         {{icon "name"}}
//	messages/<lang>.json     texts (package words): {{t "key" "var" .X}}, {{n "key" 3}}
//
// Names of files, icons, pieces and texts belong to the whole counter: what two
// rooms bring is an error at start, so rooms put their own name first. A
// template gets a View: .Data is the page's own, .Title, .Back, .Alert, .CSRF,
// .Form and .Session what the kit gives. The shared pieces, with what they take:
//
//	token .     the hidden token that each form needs     back .    the way back
//	once .      token, and what makes a double submission one (Kit.Once)
//	alert .     what went wrong, of Page.Alert            ready     []Chip
//	field       Field: text, digits, mobile, amount with quick keys, OTP, PIN
//	choice      Choice: one of several                    band      Band
//	steps       []Step: how far a wizard or an operation is
//	row         one operation in a list (told.Row)        table     Table
//	meter       Meter: how much of a limit is used        facts     []Fact
//
// An element with data-live and an id is fetched and swapped when the counter
// rings (Watch, Kit.Ring); fields that people type in, and forms with once,
// never stand in one. data-key="k" is pressed by that key; form data-busy stops
// a double click, data-quiet sends without leaving the page, data-check judges
// fields before they are sent.
//
// A page that faces a customer has Page.Front: a lock leaves it where it is, a
// touch of it is no touch of the agent, and it speaks the customer's language.
//
// Styles that rooms use: card, flow (blocks one under the other), deal (two
// columns of cards), actions (buttons), button with main or second, lead, aside,
// empty, fine, digits, nowrap, unseen (for screen readers only), unprinted.
// Everything else of a room begins with in-<room>, the body's class.
//
// # Who may talk to it
//
// Other programs and every page in the agent's browser can reach the loopback
// address, so each request passes guard.go: the connection must be the loopback
// address's, and the Host header the installation's own name, galla-<random>.localhost
// (shared/localname), and its port. Cookies know no ports: those of 127.0.0.1 or
// localhost would go to every program that listens there, and those of this name go
// to nobody who does not know it. Under any other name, 127.0.0.1 too, there is one
// page that says how the counter is opened (421), with no session, no data and not
// the name: a program that asked for it could lead the browser to the name at a port
// of its own. Only /healthz answers there, for those who watch over the program.
//
// POSTs and the event stream must come from this origin, forms carry a token of the
// browser session, and a session exists only after an operator's PIN and ends after
// idle minutes. Sessions live in memory: a restart locks the counter. What moves who
// works here, whom the counter believes, what it reports and who the shop is to the
// network wants the owner's PIN once more (Kit.Confirmed), so that a session alone,
// however it was got, is not enough; every form that only an owner may send does.
// Event streams of pages that nobody unlocked have few places of their own.
//
// Cookies are HttpOnly, SameSite=Strict and of the host alone, and their names have
// the port. The prefix __Host- would keep other names from setting them, but wants
// Secure, and so TLS, for which no authority gives a certificate to such a name.
package web
