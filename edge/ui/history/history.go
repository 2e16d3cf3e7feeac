package history

import (
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"

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
	// Recent returns up to limit operations older than before, newest first.
	Recent(before op.ID, limit int) ([]edge.View, error)
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

// Name implements ui.Section.
func (t *Pages) Name() string { return "history" }

// Files implements ui.Section.
func (t *Pages) Files() fs.FS { return files }

// Register implements ui.Section.
func (t *Pages) Register(mux *http.ServeMux, kit *ui.Kit) {
	t.kit = kit
	mux.HandleFunc("GET /operations", kit.Get(t.showList))
	mux.HandleFunc("GET /operations/find", kit.Get(t.showList)) // the search term may be private, so no address holds it and a reload starts again
	mux.HandleFunc("POST /operations/find", kit.Post(t.search))
	mux.HandleFunc("GET /operations/found", kit.Get(t.showFound))
	mux.HandleFunc("GET /operations/csv", kit.Get(t.exportDay))
}
