package console

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"galla/central/duty"
	"galla/central/operator"
	"galla/central/settle"
	"galla/shared/op"
)

//go:embed templates static
var own embed.FS

// Root is where the console stands on the admin address.
const Root = "/console/"

// Config sets up a Console.
type Config struct {
	Node string // of this central, for people
	// LocalName is the only name under which the console is served without TLS, on
	// the loopback interface (package localname); empty: it is not.
	LocalName string
	Rand      io.Reader
	Logger    *slog.Logger
}

// Parts is what the console shows and acts on.
type Parts struct {
	People     *operator.Desk
	Safe       *operator.Safe
	Operations operator.Finder
	Callbacks  Callbacks
	Mobiles    operator.MobileKey // names mobile numbers as the finder knows them
	Settlement *settle.Desk
	Rooms      []Room // pages of other packages
}

// Callbacks is what merchants' programs are told of operations.
type Callbacks interface {
	// Callback gives the callback of an operation with its attempts, or
	// central.ErrNotFound.
	Callback(ctx context.Context, operation op.ID) (duty.Callback, []duty.Attempt, error)
}

// Console is the pages. Its Handler may be called from many goroutines.
type Console struct {
	Parts
	cfg    Config
	pages  *pages
	static *static
	routes []route
	mux    *http.ServeMux
	log    *slog.Logger
	// imports holds one settlement file at a time: each is compared in memory.
	imports chan struct{}
}

// New makes the console.
func New(parts Parts, cfg Config) (*Console, error) {
	if parts.People == nil || parts.Safe == nil || parts.Operations == nil || parts.Callbacks == nil || parts.Settlement == nil {
		return nil, errors.New("the console needs the operators and their safe, operations, callbacks and the settlement's desk")
	}
	if cfg.Rand == nil || cfg.Logger == nil || cfg.Node == "" {
		return nil, errors.New("the console needs a node's name, randomness and a logger")
	}
	c := &Console{Parts: parts, cfg: cfg, mux: http.NewServeMux(), log: cfg.Logger, imports: make(chan struct{}, 1)}
	var err error
	if c.static, err = loadStatic(parts.roomFiles()); err != nil {
		return nil, err
	}
	if c.pages, err = loadPages(c.static, parts.roomFiles()); err != nil {
		return nil, err
	}
	c.mux.HandleFunc("GET "+Root+"static/{stamp}/{name}", c.static.serve)
	c.routes = c.table()
	for _, room := range parts.Rooms {
		for _, r := range room.Routes() {
			if !operator.Admin.May(r.Need) {
				return nil, fmt.Errorf("route %q of a room of the console is open to the role %q, which is none: name the least role that it needs", r.Pattern, r.Need)
			}
		}
	}
	for _, r := range c.routes {
		c.mux.Handle(r.pattern, c.serve(r))
	}
	return c, nil
}

// Handler gives the whole console with its guards, for paths below Root.
func (c *Console) Handler() http.Handler { return c.guard(c.mux) }

// route is one way into the console.
type route struct {
	pattern string // method and path
	// need is the least role; empty: nobody need be signed in.
	need operator.Role
	// free says why a form of somebody signed in asks for no code of the second
	// factor; empty: it does.
	free string
	// upload tells that the form brings a file: its handler reads it, and the
	// token with it.
	upload bool
	do     handler
}

func (rt route) method() string {
	method, _, _ := strings.Cut(rt.pattern, " ")
	return method
}

// handler is a page or a step; v is who visits.
type handler func(w http.ResponseWriter, r *http.Request, v *visit)

// table lists every route. Each subject has its own list, in its own file.
func (c *Console) table() []route {
	var all []route
	for _, list := range [][]route{
		c.doorRoutes(), c.stepUpRoutes(), c.operationRoutes(), c.dayRoutes(), c.caseRoutes(), c.roomRoutes(), c.peopleRoutes(), c.trailRoutes(),
	} {
		all = append(all, list...)
	}
	return append(all, route{pattern: "GET " + Root, need: operator.Viewer, do: c.nowhere})
}

// entry is one of the bar's ways.
type entry struct {
	Href  string
	Title string
	need  operator.Role
}

// ways lists the bar's entries.
func (c *Console) ways() []entry {
	list := []entry{
		{Root + "operations", "Operations", operator.Viewer},
		{Root + "waiting", "Waiting", operator.Viewer},
		{Root + "days", "Reconciliation", operator.Viewer},
	}
	return append(append(list, c.roomWays()...),
		entry{Root + "people", "People", operator.Admin},
		entry{Root + "trail", "Trail", operator.Admin})
}

// failed answers for what could not be read or done, and logs it.
func (c *Console) failed(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	status, text := http.StatusInternalServerError, "The central could not do this now. The log has the reason; try again, and look at /readyz if it stays."
	if known, ok := told(err); ok {
		status, text = known.status, known.text
	}
	if status >= http.StatusInternalServerError {
		c.log.Error("a page of the console failed", "path", r.URL.Path, "error", err)
	}
	c.message(w, r, v, status, "This did not work", text)
}

// message shows a page of one text.
func (c *Console) message(w http.ResponseWriter, r *http.Request, v *visit, status int, title, text string) {
	c.render(w, r, v, status, page{Name: "message", Title: title, Data: text})
}

func (c *Console) nowhere(w http.ResponseWriter, r *http.Request, v *visit) {
	if r.URL.Path == Root {
		http.Redirect(w, r, c.home(v.Role), http.StatusSeeOther)
		return
	}
	c.message(w, r, v, http.StatusNotFound, "There is no such page", fmt.Sprintf("The console has no page %s.", r.URL.Path))
}

// home is the first page of a role.
func (c *Console) home(role operator.Role) string {
	for _, e := range c.ways() {
		if role.May(e.need) {
			return e.Href
		}
	}
	return Root + "me"
}
