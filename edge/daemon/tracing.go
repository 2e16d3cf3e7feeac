package daemon

import (
	"context"
	"time"

	"galla/edge"
	"galla/edge/telemetry"
	sharedtelemetry "galla/shared/telemetry"
)

// serviceName is what this program is called in traces.
const serviceName = "galla-edge"

// tracing wraps the parts that spans are made of, if traces are configured; the
// zero value returns them unchanged.
type tracing struct {
	tracer   *telemetry.Tracer
	exporter *sharedtelemetry.Exporter
}

// openTracing sets up tracing.
func openTracing(ctx context.Context, cfg Config) (tracing, error) {
	if cfg.Traces == nil {
		return tracing{}, nil
	}
	settings := *cfg.Traces
	settings.Service, settings.Version, settings.Logger = serviceName, cfg.Version, cfg.Logger
	spans, err := sharedtelemetry.New(ctx, settings)
	if err != nil {
		return tracing{}, err
	}
	return tracing{telemetry.New(spans, time.Now), spans}, nil
}

func (e tracing) queue(q edge.Queue) edge.Queue {
	if e.tracer == nil {
		return q
	}
	return e.tracer.Queue(q)
}

func (e tracing) line(l edge.Link) edge.Link {
	if e.tracer == nil {
		return l
	}
	return e.tracer.Line(l)
}

func (e tracing) receiver(r edge.Receiver) edge.Receiver {
	if e.tracer == nil {
		return r
	}
	return e.tracer.Receiver(r)
}

// run exports spans until ctx ends.
func (e tracing) run(ctx context.Context) error {
	if e.exporter == nil {
		<-ctx.Done()
		return nil
	}
	return e.exporter.Run(ctx)
}
