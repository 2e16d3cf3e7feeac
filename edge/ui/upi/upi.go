package upi

import (
	"context"
	"embed"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
)

//go:embed templates static messages icons
var files embed.FS

// Limits of the pages.
const (
	// answerTimeout is how long a page waits for the printed code; most replies arrive in
	// time.
	answerTimeout = 4 * time.Second
	// maxLink bounds a UPI link, in bytes: NPCI's longest parameters have some 700, escaped.
	maxLink = 2 << 10
	// maxSavedCodes bounds the codes that survive a restart.
	maxSavedCodes = 8
	// maxSavedCodesBytes bounds them in bytes, escaped for JSON.
	maxSavedCodesBytes = maxSavedCodes * 4 * maxLink
	// maxSavedBytes bounds the stored printed code, in bytes.
	maxSavedBytes = 8 << 10
	// maxRequested bounds the codes whose amounts are in memory, like their operations; an
	// older code is requested again.
	maxRequested = 64
	// refreshSeconds is the reload interval without scripts, in seconds.
	refreshSeconds = 3
)

// Counter is what the pages need of edge.Counter. Its methods are safe for concurrent use.
type Counter interface {
	Status() edge.Status
	// Bounds returns what the amount of an operation of a route may be.
	Bounds(route op.RouteID) edge.Bounds
	// Start stores a new operation. Errors: *edge.ValidationError, *edge.PreconditionError.
	Start(q edge.Request) (edge.View, error)
	// Await returns an operation when it is final or pending, or its present state when ctx
	// ends, with the context's error.
	Await(ctx context.Context, id op.ID) (edge.View, error)
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// PaymentsOf returns the payments of an order and their returns, oldest first.
	PaymentsOf(order string) []edge.Record
}

// Cache stores sealed values across restarts. edge.Queue implements it.
type Cache interface {
	GetCache(name string) (value []byte, at time.Time, ok bool, err error)
	PutCache(name string, value []byte, at time.Time) error
}

// printedCodeCacheKey is the key of the printed code in the cache.
const printedCodeCacheKey = "upi printed code"

// Config sets up the section. All fields are required.
type Config struct {
	Rand   io.Reader // of order ids
	Logger *slog.Logger
}

// Pages is the section of UPI codes.
type Pages struct {
	counter Counter
	cache   Cache
	cfg     Config
	log     *slog.Logger
	kit     *ui.Kit

	mu        sync.Mutex
	requested ui.Recent[op.ID, money.Paise] // amounts of requested codes, by operation
	codes     []savedCode                   // newest last
}

// New makes the section with its stored codes. An error means that a dependency is missing
// or the cache can't be read.
func New(counter Counter, cache Cache, cfg Config) (*Pages, error) {
	if counter == nil || cache == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("UPI codes need a counter, a cache, randomness and a logger")
	}
	s := &Pages{counter: counter, cache: cache, cfg: cfg, log: cfg.Logger, requested: ui.NewRecent[op.ID, money.Paise](maxRequested)}
	stored, _, _, err := cache.GetCache(codesCacheKey)
	if err != nil {
		return nil, err
	}
	if s.codes, err = readCodes(stored); err != nil {
		s.log.Warn("the stored UPI codes can't be read: request new ones", "error", err)
	}
	return s, nil
}

// Contents implements ui.Section.
func (s *Pages) Contents(kit *ui.Kit) ui.Contents {
	s.kit = kit
	return ui.Contents{
		Name: "upi", Files: files,
		Menu: []ui.MenuItem{{Href: "/upi", Icon: "upi", Title: "upi.title", Hint: "upi.entry", Key: "u", Tile: true}},
		Pages: map[string]ui.Handler{
			"GET /upi":         ui.Show(s.renderAmountForm),
			"POST /upi":        s.createCode,
			"GET /upi/{id}":    s.showCode,
			"GET /upi/poster":  ui.Show(s.renderPoster),
			"POST /upi/poster": s.fetchPoster,
		},
	}
}
