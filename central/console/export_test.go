package console

import (
	"net/http"
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
	MinRole  staff.Role
	NoStepUp string
}

// PartyRoutes lists the routes of the pages about parties.
func PartyRoutes() (list []RouteInfo) {
	for _, r := range new(PartyPages).routes() {
		list = append(list, RouteInfo{r.pattern, r.minRole, r.noStepUp})
	}
	return list
}

// PageRoutes lists the patterns of all pages of the console, and of what they load and
// download.
func PageRoutes() (list []string) {
	c := &Console{site: site{root: Root}, Parts: Parts{Parties: new(PartyPages)}}
	for _, r := range c.routeTable() {
		if r.method() == http.MethodGet {
			list = append(list, r.pattern)
		}
	}
	return list
}
