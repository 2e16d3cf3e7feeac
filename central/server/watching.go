package server

import (
	"context"

	"galla/central/watch"
	"galla/shared/trace"
)

// service is what this program is called in traces.
const service = "galla-central"

// teller tells spans until its ctx ends.
type teller interface {
	Run(ctx context.Context) error
}

// silent is a teller that has nothing to tell.
type silent struct{}

// Run implements teller.
func (silent) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// newWatch makes what sees the central at work, and what tells of it where
// traces are wanted.
func newWatch(ctx context.Context, cfg Config) (*watch.Watch, teller, error) {
	if cfg.Traces == nil {
		w, err := watch.New(watch.Config{Node: cfg.Node})
		return w, silent{}, err
	}
	settings := *cfg.Traces
	settings.Service, settings.Version, settings.Logger = service, cfg.Version, cfg.Logger
	spans, err := trace.New(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	w, err := watch.New(watch.Config{Spans: spans, Node: cfg.Node})
	return w, spans, err
}
