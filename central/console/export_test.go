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
