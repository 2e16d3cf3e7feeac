package telemetry

import (
	"context"
	"log/slog"

	"galla/shared/op"
)

// Attributes of a log line about a request or an operation.
const (
	requestAttr   = "request"
	operationAttr = "operation"
)

// logScope names the request and the operation of a context.
type logScope struct {
	request   string
	operation op.ID // empty: none, or not known yet
	trace     op.ID // of its spans
}

// logScopeKey is the context key of a logScope.
type logScopeKey struct{}

func withLogScope(ctx context.Context, c logScope) context.Context {
	return context.WithValue(ctx, logScopeKey{}, c)
}

func logScopeOf(ctx context.Context) logScope {
	c, _ := ctx.Value(logScopeKey{}).(logScope)
	return c
}

// LogHandler adds the request id, and the operation's id if there is one, to each line
// whose context comes from WrapHandler, unless the line has them already.
func LogHandler(next slog.Handler) slog.Handler { return &logHandler{next: next} }

type logHandler struct {
	next slog.Handler
	// Attributes that WithAttrs has added already.
	request, operation bool
	grouped            bool
}

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	c := logScopeOf(ctx)
	if c == (logScope{}) || h.grouped {
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
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.next = h.next.WithAttrs(attrs)
	for _, a := range attrs {
		out.request = out.request || !h.grouped && a.Key == requestAttr
		out.operation = out.operation || !h.grouped && a.Key == operationAttr
	}
	return &out
}

// WithGroup implements slog.Handler. Within a group nothing is added: the attributes
// would be members of the group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	out := *h
	out.next, out.grouped = h.next.WithGroup(name), true
	return &out
}
