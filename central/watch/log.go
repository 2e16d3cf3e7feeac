package watch

import (
	"context"
	"log/slog"

	"galla/shared/op"
)

// Attributes of a line in the log that concerns a request or an operation.
const (
	requestAttr   = "request"
	operationAttr = "operation"
)

// concern is what a context's work is about.
type concern struct {
	request   string
	operation op.ID // empty: none, or not known yet
	trace     op.ID // what its spans are told of
}

// concernKey is the key of a concern in a context.
type concernKey struct{}

func with(ctx context.Context, c concern) context.Context {
	return context.WithValue(ctx, concernKey{}, c)
}

func from(ctx context.Context) concern {
	c, _ := ctx.Value(concernKey{}).(concern)
	return c
}

// Log wraps a log's handler: a line whose context is that of a call (Calls)
// names its request, and its operation where the call brought one, unless the
// line does so by itself.
func Log(next slog.Handler) slog.Handler { return &handler{next: next} }

type handler struct {
	next slog.Handler
	// What With of the handler has named already.
	request, operation bool
	grouped            bool
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	c := from(ctx)
	if c == (concern{}) || h.grouped {
		return h.next.Handle(ctx, r)
	}
	hasRequest, hasOperation := h.request, h.operation
	r.Attrs(func(a slog.Attr) bool {
		hasRequest = hasRequest || a.Key == requestAttr
		hasOperation = hasOperation || a.Key == operationAttr
		return true
	})
	r = r.Clone()
	if c.request != "" && !hasRequest {
		r.AddAttrs(slog.String(requestAttr, c.request))
	}
	if c.operation != "" && !hasOperation {
		r.AddAttrs(slog.String(operationAttr, string(c.operation)))
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.next = h.next.WithAttrs(attrs)
	for _, a := range attrs {
		out.request = out.request || !h.grouped && a.Key == requestAttr
		out.operation = out.operation || !h.grouped && a.Key == operationAttr
	}
	return &out
}

// WithGroup implements slog.Handler. Within a group no line is completed: the
// name would stand in the wrong place.
func (h *handler) WithGroup(name string) slog.Handler {
	out := *h
	out.next, out.grouped = h.next.WithGroup(name), true
	return &out
}
