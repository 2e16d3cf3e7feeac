package shop

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
	"galla/shared/money"
	"galla/shared/op"
)

//go:embed templates static messages icons
var files embed.FS

// Counter is what the shop's pages need of edge.Counter. All methods may be
// called from many goroutines.
type Counter interface {
	Status() edge.Status
	// Perform begins an operation. *edge.DraftError, *edge.PrecludedError.
	Perform(ctx context.Context, q edge.Request) (edge.View, error)
	// Await gives an operation when it is final or pending, or as it stands
	// when ctx ends, with its error.
	Await(ctx context.Context, id op.ID) (edge.View, error)
	// Capture starts asking for the finger. *edge.PrecludedError.
	Capture(id op.ID) error
	// Abandon gives an operation up before it was sent. edge.ErrIllegal.
	Abandon(id op.ID) error
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
}

// Memory keeps values over restarts, sealed. edge.Queue implements it.
type Memory interface {
	Cached(name string) (value []byte, at time.Time, ok bool, err error)
	Cache(name string, value []byte, at time.Time) error
}

// Names of the values in the memory.
const (
	keptProgress = "shop onboarding"
	keptCode     = "shop code"
)

// Config sets up a Shop. All fields are required.
type Config struct {
	Rand   io.Reader // of order ids
	Logger *slog.Logger
}

// Shop is the room of the shop's own pages.
type Shop struct {
	counter Counter
	memory  Memory
	cfg     Config
	log     *slog.Logger
	kit     *web.Kit

	mu       sync.Mutex // of the progress: read, changed and written as one
	progress progress
	asked    map[op.ID]money.Paise // by the operations that bring codes
	order    []op.ID
	codes    []shownCode // newest last
}

// New makes the room with what the memory kept. An error means that a
// dependency is missing or that the memory can't be read.
func New(counter Counter, memory Memory, cfg Config) (*Shop, error) {
	if counter == nil || memory == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the shop's pages need a counter, a memory, randomness and a logger")
	}
	s := &Shop{counter: counter, memory: memory, cfg: cfg, log: cfg.Logger, asked: map[op.ID]money.Paise{}}
	kept, _, _, err := memory.Cached(keptProgress)
	if err != nil {
		return nil, err
	}
	if s.progress, err = readProgress(kept); err != nil {
		s.log.Warn("the onboarding begins anew; ask for its status", "error", err)
	}
	if kept, _, _, err = memory.Cached(keptCodes); err != nil {
		return nil, err
	}
	if s.codes, err = readCodes(kept); err != nil {
		s.log.Warn("the UPI codes shown before are forgotten; ask for new ones", "error", err)
	}
	return s, nil
}

// Name implements web.Room.
func (s *Shop) Name() string { return "shop" }

// Files implements web.Room.
func (s *Shop) Files() fs.FS { return files }

// Register implements web.Room.
func (s *Shop) Register(mux *http.ServeMux, kit *web.Kit) {
	s.kit = kit
	// The wizard asks for the PIN when it is entered: a form with PAN or OTP, which no
	// page may repeat, would have to be filled in twice.
	mux.HandleFunc("GET /shop/aeps", kit.Get(kit.Confirmed(s.wizard)))
	mux.HandleFunc("POST /shop/aeps/{step}", kit.Post(kit.Confirmed(s.take)))
	mux.HandleFunc("GET /qr", kit.Get(s.ask))
	mux.HandleFunc("POST /qr", kit.Post(s.generate))
	mux.HandleFunc("GET /qr/{id}", kit.Get(s.code))
	mux.HandleFunc("GET /qr/poster", kit.Get(s.poster))
	mux.HandleFunc("POST /qr/poster", kit.Post(s.fetchPoster))
}

// Entries implements web.Entrance.
func (s *Shop) Entries(ses *web.Session) []web.Entry {
	said := ses.Words()
	out := []web.Entry{{Href: "/qr", Icon: "shop-qr", Title: said.Say("shop.qr.title"), Hint: said.Say("shop.qr.entry"), Key: "u", Tile: true}}
	if ses.Operator.Role == edge.RoleOwner {
		out = append(out, web.Entry{Href: "/shop/aeps", Icon: "shop-front", Title: said.Say("shop.aeps.title"), Hint: said.Say("shop.aeps.entry")})
	}
	return out
}
