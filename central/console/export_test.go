package console

import (
	"testing"

	"galla/central/staff"
)

// Begin copies a migrated database to a place where there is none.
func Begin(t testing.TB, place string) {
	t.Helper()
	begin(t, place)
}

// RouteInfo is a route as tests of the whole central see it.
type RouteInfo struct {
	Pattern  string
	Public   bool
	MinRole  staff.Role
	NoStepUp string
}

func routeInfos(routes []route) (list []RouteInfo) {
	for _, r := range routes {
		list = append(list, RouteInfo{r.pattern, r.public, r.minRole, r.noStepUp})
	}
	return list
}

// PartyRoutes lists the routes of the pages about parties.
func PartyRoutes() []RouteInfo { return routeInfos(new(PartyPages).routes()) }

// Routes lists all routes of the console.
func Routes() []RouteInfo {
	c := &Console{site: site{root: Root}, Parts: Parts{Parties: new(PartyPages)}}
	return routeInfos(c.routeTable())
}
