package history

import (
	"embed"
	"errors"
	"log/slog"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/ui"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

const (
	pageSize = 20 // two screens
	// maxUnfinished bounds the unfinished operations on the first page, so that it stays
	// small; allUnfinished those on request.
	maxUnfinished    = 20
	maxAllUnfinished = 500
	// maxFound bounds the rows of a search.
	maxFound = 50
	// searchDays is how many days a search covers at first, for speed; all days that the
	// counter keeps follow on request.
	searchDays     = 31
	maxSearchDays  = 185
	refreshSeconds = 10 // reload interval without scripts, in seconds
)

// Counter is what the pages need of edge.Counter. Its methods are safe for concurrent use.
type Counter interface {
	Status() edge.Status
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Enquiries returns the enquiries since the program started, newest first: they are in
	// memory only, at most some hundreds.
	Enquiries() []edge.View
}

// Pages holds the pages of all operations. Its methods are safe for concurrent use.
type Pages struct {
	counter Counter
	book    *cashbook.Book
	kit     *ui.Kit
	log     *slog.Logger
}

// New makes the section. An error means that a dependency is missing.
func New(counter Counter, t *cashbook.Book, log *slog.Logger) (*Pages, error) {
	if counter == nil || t == nil || log == nil {
		return nil, errors.New("the pages of all operations need a counter, a cashbook and a logger")
	}
	return &Pages{counter: counter, book: t, log: log}, nil
}

// Contents implements ui.Section. The search term may be private, so no address holds it
// and a reload of its results shows the list.
func (t *Pages) Contents(kit *ui.Kit) ui.Contents {
	t.kit = kit
	return ui.Contents{Name: "history", Files: files, Pages: map[string]ui.Handler{
		"GET /operations":       t.showList,
		"GET /operations/find":  t.showList,
		"POST /operations/find": t.search,
		"GET /operations/found": t.showFound,
		"GET /operations/csv":   t.exportDay,
	}}
}
