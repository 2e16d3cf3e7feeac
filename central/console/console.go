package console

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"galla/central/accounts"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/op"
	"galla/shared/theme"
	"galla/shared/webguard"
)

//go:embed templates static
var assets embed.FS

// Root is the console's path on the admin address.
const Root = "/console/"

// site is what distinguishes the console from the portal.
type site struct {
	root, cookie string // the path of all pages; how names of cookies begin
	name         string // for people
	stylesheets  []string
	script       string   // a file; empty: none
	templates    []string // patterns of the pages' files
	nav          []navEntry
	errorTexts   map[error]string // texts of errors that differ from the console's
	// admit refuses a signed-in person; nil: nobody is refused.
	admit func(v *visit) error
}

// cookiePath is the path to which cookies belong. Names with the prefix __Host-, which are
// used over TLS, have to belong to all of them.
func (s site) cookiePath(r *http.Request) string {
	if r.TLS != nil || s.root == Root {
		return "/"
	}
	return s.root
}

// Config sets up a Console.
type Config struct {
	Node string // of this central, for people
	// LocalName is the only name under which the console is served without TLS, on the
	// loopback interface (package localname); empty: it is not served without TLS.
	LocalName string
	Rand      io.Reader
	Logger    *slog.Logger
}

// Parts is what the console shows and acts on.
type Parts struct {
	Staff          *staff.Service
	Vault          *staff.Vault
	Operations     staff.OperationFinder
	Callbacks      CallbackReader
	Payments       PaymentFinder
	CustomerKey    func(mobile string) accounts.CustomerKey // by which Operations finds a remitter
	Reconciliation *reconcile.Audited
	Log            LogReader
	Parties        *PartyPages // nil: no pages about parties
	Reports        ReportParts
}

// CallbackReader reads the callbacks of operations.
type CallbackReader interface {
	// Callback returns the callback of an operation with its attempts, or
	// central.ErrNotFound.
	Callback(ctx context.Context, operation op.ID) (webhook.Callback, []webhook.Attempt, error)
}

// Console serves the pages. Its Handler may be called concurrently.
type Console struct {
	site
	Parts
	cfg    Config
	pages  map[string]*template.Template // by name
	static *webguard.Static
	routes []route
	mux    *http.ServeMux
	log    *slog.Logger
	// imports admits one settlement file at a time: each is compared in memory.
	imports chan struct{}
	lists   recentReads
}

// New makes a Console of all its parts.
func New(parts Parts, cfg Config) (*Console, error) {
	if parts.Staff == nil || parts.Vault == nil || parts.Operations == nil || parts.Callbacks == nil || parts.Payments == nil || parts.Reconciliation == nil || parts.Log == nil {
		return nil, errors.New("the console needs staff, their vault, operations, callbacks, payments, reconciliation and the log")
	}
	c := &Console{Parts: parts, imports: make(chan struct{}, 1), site: site{
		root: Root, cookie: "galla_console", name: "console", stylesheets: []string{"chart.css", "console.css", "parties.css", "reports.css"}, script: "console.js", templates: []string{"templates/*.html"},
	}}
	c.nav = c.navEntries()
	return c, c.open(cfg, c.routeTable())
}

// open loads the pages and mounts the routes.
func (c *Console) open(cfg Config, routes []route) (err error) {
	if cfg.Rand == nil || cfg.Logger == nil || cfg.Node == "" {
		return errors.New("the pages need a node's name, randomness and a logger")
	}
	c.cfg, c.log, c.mux, c.routes = cfg, cfg.Logger, http.NewServeMux(), routes
	if c.static, err = webguard.NewStatic(c.root+"static/", theme.Files(), assets); err != nil {
		return err
	}
	if err := c.static.Bundle("page.css", append(theme.Stylesheets(), c.stylesheets...)...); err != nil {
		return err
	}
	if c.pages, err = loadTemplates(c.static, c.templates); err != nil {
		return err
	}
	c.mux.Handle(c.static.Pattern(), c.static)
	for _, r := range c.routes {
		if err := checkRoute(r); err != nil {
			return err
		}
		c.mux.Handle(r.pattern, c.serve(r))
	}
	return nil
}

// checkRoute refuses a route that names no role by mistake.
func checkRoute(r route) error {
	if !r.public && !staff.Admin.May(r.minRole) {
		return fmt.Errorf("route %q of the console has the least role %q, which does not exist", r.pattern, r.minRole)
	}
	return nil
}

// Handler serves all paths below Root, with the guard.
func (c *Console) Handler() http.Handler { return c.guard(c.mux) }

// route is a route with what it requires.
type route struct {
	pattern string     // method and path
	public  bool       // no session is needed
	minRole staff.Role // the least role
	// noStepUp is why a signed-in person's form asks for no TOTP code; empty: it does.
	noStepUp string
	// upload: the form has a file, and its handler reads file, fields and form token.
	upload bool
	handle handler
}

func (rt route) method() string {
	method, _, _ := strings.Cut(rt.pattern, " ")
	return method
}

// handler answers a request, or returns the error with which it failed.
type handler func(v *visit) error

// routeTable lists all routes. Each subject lists its own, in its file.
func (c *Console) routeTable() []route {
	var all []route
	for _, list := range [][]route{
		c.signInRoutes(), c.stepUpRoutes(), c.findRoutes(), c.operationRoutes(), c.dayRoutes(), c.caseRoutes(), c.reportRoutes(), c.staffRoutes(), c.auditRoutes(),
	} {
		all = append(all, list...)
	}
	if c.Parties != nil {
		all = append(all, c.Parties.routes()...)
	}
	return append(all, route{pattern: "GET " + Root, minRole: staff.Viewer, handle: c.notFound})
}

// navEntry is a link of the navigation.
type navEntry struct {
	Href    string
	Title   string
	minRole staff.Role
}

// navEntries lists the navigation, for all roles.
func (c *Console) navEntries() []navEntry {
	var list []navEntry
	if c.Parties != nil {
		list = append(list, navEntry{Root + "now", "Now", staff.Viewer})
	}
	list = append(list,
		navEntry{Root + "operations", "Operations", staff.Viewer},
		navEntry{Root + "waiting", "Waiting", staff.Viewer},
		navEntry{Root + "reconciliation", "Reconciliation", staff.Viewer})
	if c.Parties != nil {
		list = append(list, partyNav()...)
	}
	if c.Reports.Reports != nil {
		list = append(list, navEntry{Root + "reports", "Reports", staff.Viewer})
	}
	return append(list,
		navEntry{Root + "staff", "Staff", staff.Admin},
		navEntry{Root + "audit", "Audit log", staff.Admin})
}

func (c *Console) notFound(v *visit) error {
	if v.r.URL.Path == c.root {
		return v.redirect(c.home(v.Role), "")
	}
	return v.message(http.StatusNotFound, "There is no such page", fmt.Sprintf("The %s has no page %s.", c.name, v.r.URL.Path))
}

// home is the first page of a role.
func (c *Console) home(role staff.Role) string {
	for _, e := range c.nav {
		if role.May(e.minRole) {
			return e.Href
		}
	}
	return c.root + "me"
}
