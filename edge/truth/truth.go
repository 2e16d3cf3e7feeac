package truth

import (
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"

	"galla/edge"
	"galla/edge/till"
	"galla/edge/web"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

const (
	pageSize = 20 // rows of a page: two screens
	// maxOpen bounds the open operations that are shown with their words at
	// first, so that the page stays light; allOpen those that are shown when
	// somebody asks for the others too.
	maxOpen = 20
	allOpen = 500
	// maxFound bounds the rows of a search: who finds more says it more exactly.
	maxFound = 50
	// nearDays is how far back a search looks at first, so that it answers at
	// once; farDays is all that the counter keeps.
	nearDays = 31
	farDays  = 185
	refresh  = 10 // seconds, of a page without scripts over open operations
)

// Counter is what the pages need of edge.Counter. All methods may be called
// from many goroutines.
type Counter interface {
	Status() edge.Status
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Recent gives up to limit operations, newest first, older than before.
	Recent(before op.ID, limit int) ([]edge.View, error)
}

// Room is the pages of all operations. Its methods may be called from many
// goroutines.
type Room struct {
	counter Counter
	till    *till.Till
	kit     *web.Kit
	log     *slog.Logger
}

// New makes the room. An error means that a dependency is missing.
func New(counter Counter, t *till.Till, log *slog.Logger) (*Room, error) {
	if counter == nil || t == nil || log == nil {
		return nil, errors.New("the pages of all operations need a counter, its till and a logger")
	}
	return &Room{counter: counter, till: t, log: log}, nil
}

// Name implements web.Room.
func (t *Room) Name() string { return "truth" }

// Files implements web.Room.
func (t *Room) Files() fs.FS { return files }

// Register implements web.Room.
func (t *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	t.kit = kit
	mux.HandleFunc("GET /operations", kit.Get(t.list))
	mux.HandleFunc("GET /operations/find", kit.Get(t.list)) // what was typed may be in no address: the page begins anew
	mux.HandleFunc("POST /operations/find", kit.Post(t.find))
	mux.HandleFunc("GET /operations/found", kit.Get(t.found))
	mux.HandleFunc("GET /operations/csv", kit.Get(t.file))
}
