package daemon

import (
	"context"
	"time"

	"galla/edge"
	"galla/edge/watch"
	"galla/shared/trace"
)

// service is what this program is called in traces.
const service = "galla-edge"

// eyes see the operations and tell of them, where traces are wanted; the zero
// value hands everything on as it is.
type eyes struct {
	watch *watch.Watch
	spans *trace.Exporter
}

// openEyes makes what tells of the operations, if anything does.
func openEyes(ctx context.Context, cfg Config) (eyes, error) {
	if cfg.Traces == nil {
		return eyes{}, nil
	}
	settings := *cfg.Traces
	settings.Service, settings.Version, settings.Logger = service, cfg.Version, cfg.Logger
	spans, err := trace.New(ctx, settings)
	if err != nil {
		return eyes{}, err
	}
	return eyes{watch.New(spans, time.Now), spans}, nil
}

func (e eyes) queue(q edge.Queue) edge.Queue {
	if e.watch == nil {
		return q
	}
	return e.watch.Queue(q)
}

func (e eyes) line(l edge.Line) edge.Line {
	if e.watch == nil {
		return l
	}
	return e.watch.Line(l)
}

func (e eyes) receiver(r edge.Receiver) edge.Receiver {
	if e.watch == nil {
		return r
	}
	return e.watch.Receiver(r)
}

// run tells until ctx ends.
func (e eyes) run(ctx context.Context) error {
	if e.spans == nil {
		<-ctx.Done()
		return nil
	}
	return e.spans.Run(ctx)
}
