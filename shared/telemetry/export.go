package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Limits of the export.
const (
	// maxQueue limits the waiting spans, some 2 MiB: if the collector is away for a
	// minute, a busy central loses spans, and nothing else.
	maxQueue = 4096
	// maxBatch limits the spans of one message.
	maxBatch = 512
	// batchDelay is how long a span waits for others.
	batchDelay = 2 * time.Second
	// exportTimeout limits one message, its retries included.
	exportTimeout = 10 * time.Second
	// shutdownTimeout limits how long the end of a program waits for the last spans.
	shutdownTimeout = 3 * time.Second
)

// Exporter sends spans to a collector. It implements Recorder.
type Exporter struct {
	provider *sdk.TracerProvider
	tracer   oteltrace.Tracer
	share    float64
}

// New makes an exporter. It connects when there is something to send. Its goroutine,
// which waits for spans, ends with Run.
func New(ctx context.Context, cfg Config) (*Exporter, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	var options []otlptracehttp.Option
	if cfg.Endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(strings.TrimSuffix(cfg.Endpoint, "/")+"/v1/traces"))
	}
	out, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("traces: make the exporter: %w", err)
	}
	// The environment's description of the resource goes before ours.
	described, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", cfg.Service), attribute.String("service.version", cfg.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: describe this program: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(&loggingExporter{SpanExporter: out, log: cfg.Logger}, sdk.WithMaxQueueSize(maxQueue),
			sdk.WithMaxExportBatchSize(maxBatch), sdk.WithBatchTimeout(batchDelay), sdk.WithExportTimeout(exportTimeout)),
		sdk.WithIDGenerator(fixedIDs{}), sdk.WithSampler(sdk.AlwaysSample()), sdk.WithResource(described))
	return &Exporter{provider: provider, tracer: provider.Tracer("galla"), share: cfg.Share}, nil
}

// Run waits until ctx ends, then sends what still waits, for a moment.
func (e *Exporter) Run(ctx context.Context) error {
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	// A missing collector must not make the end of a program a failure;
	// loggingExporter has logged it.
	_ = e.provider.Shutdown(last)
	return nil
}

// Record implements Recorder. A span of an operation outside of the share, or without an
// operation, is dropped.
func (e *Exporter) Record(s Span) {
	id, ok := traceID(s.Operation)
	if !ok || !sampled(id, e.share) {
		return
	}
	ctx := context.WithValue(context.Background(), idsKey{}, spanIDs{id, spanID(s.Operation, s.Step, s.Key)})
	if s.Parent != "" {
		ctx = oteltrace.ContextWithRemoteSpanContext(ctx, oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
			TraceID: id, SpanID: spanID(s.Operation, s.Parent, s.ParentKey), TraceFlags: oteltrace.FlagsSampled, Remote: true,
		}))
	}
	kind := map[Kind]oteltrace.SpanKind{Internal: oteltrace.SpanKindInternal, Server: oteltrace.SpanKindServer, Client: oteltrace.SpanKindClient}[s.Kind]
	_, span := e.tracer.Start(ctx, s.Name, oteltrace.WithTimestamp(s.Start), oteltrace.WithSpanKind(kind), oteltrace.WithAttributes(s.attributes()...))
	if s.Failed {
		span.SetStatus(codes.Error, s.Outcome)
	}
	span.End(oteltrace.WithTimestamp(s.End))
}

func (s Span) attributes() []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String("galla.operation", string(s.Operation))}
	for _, a := range []struct{ key, value string }{
		{"galla.route", string(s.Route)}, {"galla.outcome", s.Outcome}, {"galla.entrance", s.Entrance}, {"galla.node", s.Node},
		{"galla.bank.kind", s.BankKind}, {"galla.bank.code", s.Code},
	} {
		if a.value != "" {
			list = append(list, attribute.String(a.key, a.value))
		}
	}
	if s.HTTP != 0 {
		list = append(list, attribute.Int("http.response.status_code", s.HTTP))
	}
	return list
}

type spanIDs struct {
	trace oteltrace.TraceID
	span  oteltrace.SpanID
}

type idsKey struct{}

// fixedIDs gives spans the ids of the context.
type fixedIDs struct{}

// NewIDs implements sdk.IDGenerator.
func (fixedIDs) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	g, _ := ctx.Value(idsKey{}).(spanIDs)
	return g.trace, g.span
}

// NewSpanID implements sdk.IDGenerator.
func (fixedIDs) NewSpanID(ctx context.Context, _ oteltrace.TraceID) oteltrace.SpanID {
	g, _ := ctx.Value(idsKey{}).(spanIDs)
	return g.span
}

// loggingExporter logs when spans can't be sent, and when they can again, once each: the
// library would write it to standard error, every time.
type loggingExporter struct {
	sdk.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

// ExportSpans implements sdk.SpanExporter.
func (p *loggingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := p.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		if !p.failing.Swap(true) {
			p.log.Warn("traces can't be sent to their collector; they are dropped until it accepts them again", "spans", len(spans), "error", err)
		}
	case err == nil:
		if p.failing.Swap(false) {
			p.log.Info("traces are sent to their collector again")
		}
	}
	return nil
}
