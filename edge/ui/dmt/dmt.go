package dmt

import (
	"embed"
	"errors"
	"io"
	"log/slog"
	"time"

	"galla/edge"
	"galla/edge/ifsc"
	"galla/edge/ui"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

// Counter is what the section needs of edge.Counter. Its methods are safe for concurrent
// use.
type Counter interface {
	Status() edge.Status
	// Start stores a new operation under the request's id, once. Errors:
	// *edge.ValidationError, *edge.PreconditionError.
	Start(q edge.Request) (edge.View, error)
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// Capture captures the finger for a created operation.
	Capture(id op.ID) error
	// Cancel abandons an operation that was not sent. Error: edge.ErrIllegal.
	Cancel(id op.ID) error
	// ConfirmCash records, once, that a transfer's cash was returned to the customer. Error:
	// edge.ErrIllegal if none is due.
	ConfirmCash(id op.ID, operator edge.User) error
	// Bounds returns the smallest and largest amount of the route today.
	Bounds(route op.RouteID) edge.Bounds
}

// Config sets up the section. All fields are required.
type Config struct {
	Cache  Cache
	Now    func() time.Time
	Rand   io.Reader // for new ids
	Logger *slog.Logger
}

// Pages is the section of money transfers. It implements ui.Section.
type Pages struct {
	*ui.Kit
	counter Counter
	cfg     Config
	store   *flowStore
	codes   *ifsc.Data

	proofs *proofs
}

// New makes the section. An error means that a dependency is missing. Stored flows that
// can't be read are logged and left out.
func New(counter Counter, cfg Config) (*Pages, error) {
	if counter == nil || cfg.Cache == nil || cfg.Now == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("sending money needs a counter, a cache, a clock, randomness and a logger")
	}
	codes, err := ifsc.Open()
	if err != nil {
		return nil, err
	}
	kept, err := openStore(cfg.Cache, cfg.Now)
	if err != nil {
		cfg.Logger.Warn("half-finished transfers are not shown", "error", err)
	}
	return &Pages{counter: counter, cfg: cfg, store: kept, codes: codes, proofs: newProofs()}, nil
}

// Contents implements ui.Section.
func (s *Pages) Contents(kit *ui.Kit) ui.Contents {
	s.Kit = kit
	return ui.Contents{
		Name: "dmt", Files: files,
		Menu: []ui.MenuItem{{Href: "/dmt", Icon: "send", Title: "dmt.title", Hint: "dmt.hint", Key: "5", Tile: true}},
		Pages: map[string]ui.Handler{
			"GET /dmt":               ui.Show(s.renderStart),
			"POST /dmt":              s.createFlow,
			"GET /dmt/{flow}":        s.showFlow,
			"GET /dmt/banks":         s.searchBanks,
			"GET /dmt/ifsc":          s.describeCode,
			"POST /dmt/{flow}/{act}": s.handleStep,
			"POST /dmt/of/{op}":      s.reopen,
		},
	}
}
