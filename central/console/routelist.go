package console

import (
	"galla/central/reports"
	"galla/central/staff"
)

// RouteRule is a route of the console or of the portal, with who may use it. The pages
// themselves do not need it: it lets tests of the whole walk every route.
type RouteRule struct {
	Pattern  string     // method and path, with parameters as {name}
	Public   bool       // no session is needed
	MinRole  staff.Role // the least role; empty: the route is public
	NoStepUp string     // why a form asks for no TOTP code; empty: it does
}

// ConsoleRoutes lists the routes of the console, pages about parties and reports included.
func ConsoleRoutes() []RouteRule {
	c := &Console{site: site{root: Root}, Parts: Parts{Parties: new(PartyPages), Reports: ReportParts{Reports: new(reports.Service)}}}
	return rulesOf(c.routeTable())
}

// PortalRoutes lists the routes of the portal.
func PortalRoutes() []RouteRule {
	p := &Portal{Console: &Console{site: site{root: PortalRoot}}}
	return rulesOf(p.routeTable())
}

func rulesOf(routes []route) (list []RouteRule) {
	for _, r := range routes {
		list = append(list, RouteRule{r.pattern, r.public, r.minRole, r.noStepUp})
	}
	return list
}
