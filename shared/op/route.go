package op

// RouteID names a route: its method, a space, and its path as the interface
// writes it.
type RouteID string

// Role is a kind of caller (section 5.3).
type Role string

// The roles.
const (
	Merchant   Role = "merchant"
	Vendor     Role = "vendor"
	Aggregator Role = "aggregator"
)

// Class tells what a route does to the world, and so what the edge does with
// it when the line is down (operations.md, 'States at the edge').
type Class string

// The classes.
const (
	Money     Class = "money"     // moves money: queued until its deadline, identity kept for ever
	Enquiry   Class = "enquiry"   // moves nothing: straight over the line
	Record    Class = "record"    // changes a record: queued up to 24 h
	Reference Class = "reference" // answered from the edge's cache when the line is down
)

// Door is a way in.
type Door uint8

// The doors. A route is served only through those of its entry.
const (
	Direct  Door = 1 << iota // Bearer token, plain JSON
	Gateway                  // /process/*, sealed
	Uplink                   // a terminal's websocket
)

// Route is one line of the interface's section 4.
type Route struct {
	ID      RouteID
	Method  string
	Path    string
	Roles   []Role // who may call; empty: the route authenticates by itself
	Class   Class
	Doors   Door
	Section string // of the interface document, or 'own additions' of interface-decisions.md
	// AEPS marks routes that need the merchant's finished AEPS onboarding.
	AEPS bool
}

// Table is the interface, one line a route, in the order of the document.
func Table() []Route {
	var table []Route
	for _, family := range [][]Route{
		agentRoutes(), aepsRoutes(), customerRoutes(), transferRoutes(), upiRoutes(), vendorRoutes(), limitRoutes(), ownRoutes(),
	} {
		table = append(table, family...)
	}
	return table
}

// Find gives the route of an id.
func Find(id RouteID) (Route, bool) {
	for _, r := range Table() {
		if r.ID == id {
			return r, true
		}
	}
	return Route{}, false
}

// Allows tells whether the role may call the route.
func (r Route) Allows(role Role) bool {
	for _, allowed := range r.Roles {
		if allowed == role {
			return true
		}
	}
	return false
}
