package daemon

import (
	"context"
	"time"

	"galla/edge/telemetry"
	sharedtelemetry "galla/shared/telemetry"
)

const serviceName = "galla-edge"

// openTracing returns a tracer, and what exports its spans. Without traces the tracer
// is nil, which wraps nothing.
func openTracing(ctx context.Context, cfg Config) (*telemetry.Tracer, func(context.Context) error, error) {
	if cfg.Traces == nil {
		return nil, func(context.Context) error { return nil }, nil
	}
	settings := *cfg.Traces
	settings.Service, settings.Version, settings.Logger = serviceName, cfg.Version, cfg.Logger
	spans, err := sharedtelemetry.New(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	return telemetry.New(spans, time.Now), spans.Run, nil
}
