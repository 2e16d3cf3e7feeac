package dayend

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/ist"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

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
	Print  func(ctx context.Context, closing receipt.Receipt) error
	Logger *slog.Logger
}

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

// Contents implements ui.Section. The menu counts unclosed days.
func (m *Pages) Contents(kit *ui.Kit) ui.Contents {
	m.kit = kit
	return ui.Contents{
		Name: "dayend", Files: files,
		Menu: []ui.MenuItem{{Href: "/day-end", Icon: "cash", Title: "dayend.title", Hint: "dayend.hint", Key: "d", Note: m.unclosedNote}},
		Pages: map[string]ui.Handler{
			"GET /day-end":          ui.Show(m.renderDay),
			"POST /day-end/print":   m.printClosing,
			"GET /day-end/month":    m.showMonth,
			"GET /day-end/opening":  m.showOpening,
			"POST /day-end/opening": m.saveOpening,
			"GET /day-end/count":    m.showCount,
			"POST /day-end/count":   m.closeDay,
		},
	}
}

func (m *Pages) unclosedNote(words *i18n.Localizer) string {
	open, err := m.book.UnclosedDays()
	if err != nil {
		m.cfg.Logger.Error("the days that were left open can't be listed", "error", err)
	}
	if len(open) == 0 {
		return ""
	}
	return " · " + words.Plural("dayend.unclosed", len(open))
}

func (m *Pages) dayOf(r *http.Request) ist.Day {
	return m.book.DayOrToday(r.URL.Query().Get("day"))
}
