package console

import "testing"

// Begin copies a migrated database to a place where there is none.
func Begin(t testing.TB, place string) {
	t.Helper()
	begin(t, place)
}

// PartyRoutes lists the routes of the pages about parties.
func PartyRoutes() []RouteRule { return rulesOf(new(PartyPages).routes()) }
