package trace

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

// Limits of the way out.
const (
	// maxWaiting bounds the spans that wait to be told, some 2 MiB: a collector
	// that is away for a minute loses a busy central's spans, and nothing else.
	maxWaiting = 4096
	// maxBatch bounds the spans of one message.
	maxBatch = 512
	// tellEvery is how long a span waits for company.
	tellEvery = 2 * time.Second
	// tellWithin bounds one message, its retries included.
	tellWithin = 10 * time.Second
	// lastWait bounds how long the end of a program waits for the last spans.
	lastWait = 3 * time.Second
)

// Exporter tells spans to a collector. It implements Recorder.
type Exporter struct {
	provider *sdk.TracerProvider
	tracer   oteltrace.Tracer
	share    float64
}

// New makes an exporter. It connects when there is something to tell. Its
// goroutine, which waits for spans, ends with Run.
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
	// What the environment says of the resource goes before what we say.
	described, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", cfg.Service), attribute.String("service.version", cfg.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: describe this program: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(&patient{SpanExporter: out, log: cfg.Logger}, sdk.WithMaxQueueSize(maxWaiting),
			sdk.WithMaxExportBatchSize(maxBatch), sdk.WithBatchTimeout(tellEvery), sdk.WithExportTimeout(tellWithin)),
		sdk.WithIDGenerator(given{}), sdk.WithSampler(sdk.AlwaysSample()), sdk.WithResource(described))
	return &Exporter{provider: provider, tracer: provider.Tracer("galla"), share: cfg.Share}, nil
}

// Run waits until ctx ends, then tells what still waits, for a moment.
func (e *Exporter) Run(ctx context.Context) error {
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
	defer cancel()
	// A collector that is not there must not make the end of a program a
	// failure; patient has logged it.
	_ = e.provider.Shutdown(last)
	return nil
}

// Record implements Recorder. A span of an operation outside of the share, or
// without an operation, is passed over.
func (e *Exporter) Record(s Span) {
	id, ok := traceID(s.Operation)
	if !ok || !sampled(id, e.share) {
		return
	}
	ctx := context.WithValue(context.Background(), givenKey{}, ids{id, spanID(s.Operation, s.Step, s.Key)})
	if s.Parent != "" {
		ctx = oteltrace.ContextWithRemoteSpanContext(ctx, oteltrace.NewSpanContext(oteltrace.SpanContextConfig{
			TraceID: id, SpanID: spanID(s.Operation, s.Parent, s.ParentKey), TraceFlags: oteltrace.FlagsSampled, Remote: true,
		}))
	}
	kind := map[Kind]oteltrace.SpanKind{Inside: oteltrace.SpanKindInternal, Server: oteltrace.SpanKindServer, Client: oteltrace.SpanKindClient}[s.Kind]
	_, span := e.tracer.Start(ctx, s.Name, oteltrace.WithTimestamp(s.Start), oteltrace.WithSpanKind(kind), oteltrace.WithAttributes(s.attributes()...))
	if s.Failed {
		span.SetStatus(codes.Error, s.Outcome)
	}
	span.End(oteltrace.WithTimestamp(s.End))
}

func (s Span) attributes() []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.String("galla.operation", string(s.Operation))}
	for _, a := range []struct{ key, value string }{
		{"galla.route", string(s.Route)}, {"galla.outcome", s.Outcome}, {"galla.door", s.Door}, {"galla.node", s.Node},
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

// ids are what a span is called.
type ids struct {
	trace oteltrace.TraceID
	span  oteltrace.SpanID
}

// givenKey is the key of a span's ids in a context.
type givenKey struct{}

// given calls spans what the context says.
type given struct{}

// NewIDs implements sdk.IDGenerator.
func (given) NewIDs(ctx context.Context) (oteltrace.TraceID, oteltrace.SpanID) {
	g, _ := ctx.Value(givenKey{}).(ids)
	return g.trace, g.span
}

// NewSpanID implements sdk.IDGenerator.
func (given) NewSpanID(ctx context.Context, _ oteltrace.TraceID) oteltrace.SpanID {
	g, _ := ctx.Value(givenKey{}).(ids)
	return g.span
}

// patient logs when spans can't be told, and when they can again, once each:
// the library would say it on the process's standard error, every time.
type patient struct {
	sdk.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

// ExportSpans implements sdk.SpanExporter.
func (p *patient) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := p.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		if !p.failing.Swap(true) {
			p.log.Warn("traces can't be told to their collector; they are dropped until it takes them again", "spans", len(spans), "error", err)
		}
	case err == nil:
		if p.failing.Swap(false) {
			p.log.Info("traces are told to their collector again")
		}
	}
	return nil
}
