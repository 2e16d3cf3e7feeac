package send

import (
	"context"
	"embed"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/web"
	"galla/shared/op"
	"galla/shared/secret"
)

//go:embed templates static messages
var files embed.FS

// Counter is what the room needs of edge.Counter. All methods may be called
// from many goroutines.
type Counter interface {
	Status() edge.Status
	// Perform begins an operation under the request's identity, once.
	// *edge.DraftError, *edge.PrecludedError.
	Perform(ctx context.Context, q edge.Request) (edge.View, error)
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Capture starts asking for the finger of a reserved operation.
	Capture(id op.ID) error
	// Abandon gives up an operation that was not sent. edge.ErrIllegal of one
	// that was.
	Abandon(id op.ID) error
	// ConfirmCash records that a transfer's cash went back to the customer, once.
	// edge.ErrIllegal where none is due.
	ConfirmCash(id op.ID, operator edge.Operator) error
	// Bounds gives what an amount of the route must keep today.
	Bounds(route op.RouteID) edge.Bounds
}

// Config sets up a Room. All fields are required.
type Config struct {
	Cache  Cache
	Now    func() time.Time
	Rand   io.Reader // mints identities
	Logger *slog.Logger
}

// Room is the pages of sending money. It implements web.Room and web.Entrance.
type Room struct {
	*web.Kit
	counter Counter
	cfg     Config
	store   *store

	// held are the Aadhaar numbers between the two steps of an onboarding that
	// take them, by flow. They are in memory only: after a restart the customer
	// is asked again.
	heldMu sync.Mutex
	held   map[op.ID]secret.Aadhaar
}

// New makes the room. An error means that a dependency is missing. What was
// kept and can't be read is left out, and logged.
func New(counter Counter, cfg Config) (*Room, error) {
	if counter == nil || cfg.Cache == nil || cfg.Now == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("sending money needs a counter, a cache, a clock, randomness and a logger")
	}
	kept, err := openStore(cfg.Cache, cfg.Now)
	if err != nil {
		cfg.Logger.Warn("half-finished transfers are not shown", "error", err)
	}
	return &Room{counter: counter, cfg: cfg, store: kept, held: map[op.ID]secret.Aadhaar{}}, nil
}

// Name implements web.Room.
func (s *Room) Name() string { return "send" }

// Files implements web.Room.
func (s *Room) Files() fs.FS { return files }

// Register implements web.Room.
func (s *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	s.Kit = kit
	mux.HandleFunc("GET /send", kit.Get(s.start))
	mux.HandleFunc("POST /send", kit.Post(s.find))
	mux.HandleFunc("GET /send/{flow}", kit.Get(s.show))
	mux.HandleFunc("POST /send/{flow}/{act}", kit.Post(s.act))
	mux.HandleFunc("POST /send/of/{op}", kit.Post(s.reopen))
}

// Entries implements web.Entrance.
func (s *Room) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	return []web.Entry{{Href: "/send", Icon: "send", Title: w.Say("send.title"), Hint: w.Say("send.hint"), Key: "5", Tile: true}}
}

func (s *Room) hold(id op.ID, number secret.Aadhaar) {
	s.heldMu.Lock()
	defer s.heldMu.Unlock()
	if number.IsZero() {
		delete(s.held, id)
		return
	}
	if len(s.held) >= maxFlows {
		clear(s.held) // who is asked again loses a minute
	}
	s.held[id] = number
}

func (s *Room) holding(id op.ID) secret.Aadhaar {
	s.heldMu.Lock()
	defer s.heldMu.Unlock()
	return s.held[id]
}
