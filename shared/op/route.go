package op

import (
	"slices"
	"strings"
)

// RouteID identifies a route: its method, a space, and its path as interface.md
// writes it.
type RouteID string

// Role is a kind of caller (interface.md, section 5.3).
type Role string

// The roles.
const (
	Merchant   Role = "merchant"
	Vendor     Role = "vendor"
	Aggregator Role = "aggregator"
)

// Class is what a route changes, and so what a terminal does with it while it is
// offline (operations.md, section 8.2).
type Class string

// The classes.
const (
	Money     Class = "money"     // moves money: queued until its deadline, the identity is stored for ever
	Enquiry   Class = "enquiry"   // moves nothing: sent at once or not at all
	Record    Class = "record"    // changes a record: queued up to 24 h
	Reference Class = "reference" // answered from the terminal's cache while offline
)

// Entrance is a way into the central. A route has a set of them.
type Entrance uint8

// The entrances. Each route lists those that serve it.
const (
	Direct  Entrance = 1 << iota // Bearer token, plain JSON
	Gateway                      // /process/*, sealed
	Uplink                       // a terminal's websocket
)

// Route is a route of the interface (interface.md, section 4).
type Route struct {
	ID        RouteID
	Method    string
	Path      string
	Roles     []Role // who may call; empty: the route authenticates by itself
	Class     Class
	Entrances Entrance
	Section   string // of interface.md; 'own additions': interface.md, section 4.8
	// AEPS marks routes that need the merchant's finished AEPS onboarding.
	AEPS bool
}

// Table lists the routes in the order of interface.md.
func Table() []Route {
	out := make([]Route, len(table))
	for i, r := range table {
		out[i] = r.withPath()
	}
	return out
}

// Find gives the route with an id.
func Find(id RouteID) (Route, bool) {
	for _, r := range table {
		if r.ID == id {
			return r.withPath(), true
		}
	}
	return Route{}, false
}

// withPath fills in method and path, which are the parts of the ID.
func (r Route) withPath() Route {
	method, path, _ := strings.Cut(string(r.ID), " ")
	r.Method, r.Path = method, path
	return r
}

// Allows tells whether the role may call the route.
func (r Route) Allows(role Role) bool { return slices.Contains(r.Roles, role) }
