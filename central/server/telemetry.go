package server

import (
	"context"

	"galla/central/telemetry"
	tracing "galla/shared/telemetry"
)

// service names this program in traces.
const service = "galla-central"

// spanExporter sends spans to a collector until its ctx ends.
type spanExporter interface {
	Run(ctx context.Context) error
}

// noSpans exports nothing.
type noSpans struct{}

// Run implements spanExporter.
func (noSpans) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// newTelemetry creates the metrics, and the exporter of spans if traces are configured.
func newTelemetry(ctx context.Context, cfg Config) (*telemetry.Metrics, spanExporter, error) {
	if cfg.Traces == nil {
		w, err := telemetry.New(telemetry.Config{Node: cfg.Node})
		return w, noSpans{}, err
	}
	settings := *cfg.Traces
	settings.Service, settings.Version, settings.Logger = service, cfg.Version, cfg.Logger
	spans, err := tracing.New(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	w, err := telemetry.New(telemetry.Config{Spans: spans, Node: cfg.Node})
	return w, spans, err
}
