package console_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"galla/central/console"
	"galla/central/staff"
	"galla/edge/ui/uitest"
)

// walkAsEachRole walks all pages of the console as each role: a page that the role may see
// opens and offers nothing that the role may not do, and each other page says why it is
// refused. axe-core judges the pages as an admin sees them (walk).
func walkAsEachRole(t *testing.T, chromium context.Context) {
	h, c := newFilledSystem(t, databases[0], 20*filledDays*50, filledDays, "")
	for _, role := range []staff.Role{staff.Viewer, staff.Operator, staff.Admin} {
		t.Run(string(role), func(t *testing.T) {
			b := uitest.Open(t, chromium, h.console(t), 1280, 800)
			b.Navigate("/console/")
			b.WaitForHeading("Sign in")
			w := &walk{t: t, h: h}
			w.signIn(b, role)
			w.walkAs(b, role, c)
		})
	}
}

func (w *walk) walkAs(b *uitest.Browser, role staff.Role, c contents) {
	w.t.Helper()
	routes := newRouteFinder()
	seen, refused, offered := 0, 0, 0
	stuck := measuredPage{RouteRule: console.RouteRule{MinRole: staff.Viewer}, path: console.Root + "operations/" + operationID(4)}
	for _, p := range append(measuredPages(), stuck) { // with forms for operators
		if p.file || p.form != nil || p.Public || strings.Contains(p.path, "?") || p.loaded() {
			continue
		}
		path, _, err := p.fill(c, 1)
		if err != nil {
			w.t.Fatal(err)
		}
		b.Navigate(path)
		b.WaitFor(`document.readyState === "complete" && document.querySelector("h1")`)
		if !role.May(p.MinRole) {
			refused++
			b.WaitForHeading("Your role does not allow this")
			b.WaitFor(fmt.Sprintf(`performance.getEntriesByType("navigation")[0].responseStatus === 403 && document.querySelector("main").innerText.includes("this needs the role %s")`, p.MinRole))
			continue
		}
		seen++
		if uitest.Eval[bool](b, `document.querySelector("h1").innerText === "Your role does not allow this"`) {
			w.t.Errorf("%s is refused", path)
		}
		for _, offer := range uitest.Eval[[]string](b, offers) {
			offered++
			if r, err := routes.find(offer); err != nil || !role.May(r.MinRole) && !r.Public {
				w.t.Errorf("%s offers %s, which is of the route %q and needs the role %q: %v", path, offer, r.Pattern, r.MinRole, err)
			}
		}
		if role == staff.Viewer { // who sees the pages with the least on them
			for _, fault := range b.Faults() {
				w.t.Errorf("%s: %s", path, fault)
			}
		}
	}
	if seen < 20 || offered < 10*seen || (refused == 0) != (role == staff.Admin) {
		w.t.Errorf("%d pages with %d links and forms seen, %d refused", seen, offered, refused)
	}
}

// routeFinder finds the console's route of a method and an address.
type routeFinder struct {
	mux    *http.ServeMux
	routes map[string]console.RouteRule // by pattern
}

func newRouteFinder() routeFinder {
	f := routeFinder{http.NewServeMux(), map[string]console.RouteRule{}}
	for _, r := range console.ConsoleRoutes() {
		f.mux.HandleFunc(r.Pattern, func(http.ResponseWriter, *http.Request) {})
		f.routes[r.Pattern] = r
	}
	return f
}

// find returns the route of a method and path, such as GET /console/now.
func (f routeFinder) find(offer string) (console.RouteRule, error) {
	method, path, _ := strings.Cut(offer, " ")
	r, err := http.NewRequest(method, path, nil)
	if err != nil {
		return console.RouteRule{}, err
	}
	_, pattern := f.mux.Handler(r)
	route, ok := f.routes[pattern]
	if !ok {
		return route, errors.New("there is no such route")
	}
	return route, nil
}

// loaded reports whether the page's script loads the address, or a browser saves it: it is
// no page to look at.
func (p measuredPage) loaded() bool {
	return strings.HasSuffix(p.path, "/suggest") || strings.Contains(p.path, "/documents/")
}

// offers are the console's own addresses to which a page leads, with their methods.
const offers = `[...document.querySelectorAll("a[href], form[action]")].map(e => (e.localName === "a" ? "GET " : (e.method === "post" ? "POST " : "GET ")) + new URL(e.href ?? e.getAttribute("action"), location.href).pathname)
	.filter(offer => offer.split(" ")[1].startsWith("/console/"))`
