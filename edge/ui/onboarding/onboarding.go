package onboarding

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/ui"
	"galla/shared/op"
)

//go:embed templates static messages icons
var files embed.FS

// Counter is what the pages need of edge.Counter. Its methods are safe for concurrent use.
type Counter interface {
	Status() edge.Status
	// Start stores a new operation. Errors: *edge.ValidationError, *edge.PreconditionError.
	Start(q edge.Request) (edge.View, error)
	// Await returns an operation when it is final or pending, or its present state when ctx
	// ends, with the context's error.
	Await(ctx context.Context, id op.ID) (edge.View, error)
	// Capture captures the finger. Error: *edge.PreconditionError.
	Capture(id op.ID) error
	// Cancel abandons an operation that was not sent. Error: edge.ErrIllegal.
	Cancel(id op.ID) error
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
}

// Cache stores sealed values across restarts. edge.Queue implements it.
type Cache interface {
	GetCache(name string) (value []byte, at time.Time, ok bool, err error)
	PutCache(name string, value []byte, at time.Time) error
}

// progressCacheKey is the key of the progress in the cache.
const progressCacheKey = "onboarding progress"

// Pages is the section of the onboarding.
type Pages struct {
	counter Counter
	cache   Cache
	log     *slog.Logger
	kit     *ui.Kit

	mu       sync.Mutex // guards the progress: read, change and write are one step
	progress progress
}

// New makes the section with its stored progress. An error means that a dependency is
// missing or the cache can't be read.
func New(counter Counter, cache Cache, log *slog.Logger) (*Pages, error) {
	if counter == nil || cache == nil || log == nil {
		return nil, errors.New("the onboarding needs a counter, a cache and a logger")
	}
	s := &Pages{counter: counter, cache: cache, log: log}
	stored, _, _, err := cache.GetCache(progressCacheKey)
	if err != nil {
		return nil, err
	}
	if s.progress, err = readProgress(stored); err != nil {
		s.log.Warn("the stored onboarding can't be read: ask for its status", "error", err)
	}
	return s, nil
}

// Contents implements ui.Section. The wizard asks for the PIN on entry: a form with PAN or
// OTP, which no page may repeat, would have to be filled in twice.
func (s *Pages) Contents(kit *ui.Kit) ui.Contents {
	s.kit = kit
	return ui.Contents{
		Name: "onboarding", Files: files,
		Menu: []ui.MenuItem{{Href: "/onboarding", Icon: "onboarding", Title: "onboarding.title", Hint: "onboarding.entry", Owner: true}},
		Pages: map[string]ui.Handler{
			"GET /onboarding":         kit.OwnerConfirmed(ui.Show(s.renderWizard)),
			"POST /onboarding/{step}": kit.OwnerConfirmed(s.handleStep),
		},
	}
}
