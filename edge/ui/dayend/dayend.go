package dayend

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/shared/ist"
	"galla/shared/op"
)

//go:embed templates static messages
var assets embed.FS

// Catalogue holds the texts of this section.
func Catalogue() i18n.Catalogue { return i18n.Catalogue{Owner: "dayend", Files: assets} }

// refreshSeconds is the reload interval without scripts of an open day, in seconds.
const refreshSeconds = 30

// Counter is what the pages need of edge.Counter. Its methods are safe for concurrent use.
type Counter interface {
	Status() edge.Status
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
}

// Config sets up the section. Logger is required.
type Config struct {
	// Print prints the closing of a day on the receipt printer; nil: the browser prints.
	Print  func(ctx context.Context, s Slip) error
	Logger *slog.Logger
}

// Slip is the closing of a day for a receipt printer.
type Slip struct {
	Language string // BCP 47
	Shop     string
	Title    string
	Rows     []SlipRow
}

// SlipRow is a line of a slip: label on the left, value on the right. A row without a
// label or value is centred.
type SlipRow struct{ Label, Value string }

// Pages is the section of the day's end. Its methods are safe for concurrent use.
type Pages struct {
	book    *cashbook.Book
	counter Counter
	cfg     Config
	kit     *ui.Kit
}

// New makes the section. An error means that a dependency is missing.
func New(t *cashbook.Book, counter Counter, cfg Config) (*Pages, error) {
	if t == nil || counter == nil || cfg.Logger == nil {
		return nil, errors.New("the pages of the day's end need a cashbook, a counter and a logger")
	}
	return &Pages{book: t, counter: counter, cfg: cfg}, nil
}

// Name implements ui.Section.
func (m *Pages) Name() string { return "dayend" }

// Files implements ui.Section.
func (m *Pages) Files() fs.FS { return assets }

// Register implements ui.Section.
func (m *Pages) Register(mux *http.ServeMux, kit *ui.Kit) {
	m.kit = kit
	mux.HandleFunc("GET /day-end", kit.Get(m.showDay))
	mux.HandleFunc("POST /day-end/print", kit.Post(m.printClosing))
	mux.HandleFunc("GET /day-end/month", kit.Get(m.showMonth))
	mux.HandleFunc("GET /day-end/opening", kit.Get(m.showOpening))
	mux.HandleFunc("POST /day-end/opening", kit.Post(m.saveOpening))
	mux.HandleFunc("GET /day-end/count", kit.Get(m.showCount))
	mux.HandleFunc("POST /day-end/count", kit.Post(m.closeDay))
}

// MenuItems implements ui.MenuSource. The hint counts unclosed days.
func (m *Pages) MenuItems(ses *ui.Session) []ui.MenuItem {
	w := ses.Words()
	e := ui.MenuItem{Href: "/day-end", Icon: "cash", Title: w.Text("dayend.title"), Hint: w.Text("dayend.hint"), Key: "d"}
	open, err := m.book.UnclosedDays()
	if err != nil {
		m.cfg.Logger.Error("the days that were left open can't be listed", "error", err)
	}
	if len(open) > 0 {
		e.Title += " · " + w.Plural("dayend.unclosed", len(open))
	}
	return []ui.MenuItem{e}
}

// dayOf returns the day of a request.
func (m *Pages) dayOf(r *http.Request) ist.Day {
	return m.book.DayOrToday(r.URL.Query().Get("day"))
}
