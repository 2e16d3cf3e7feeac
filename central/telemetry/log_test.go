package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
)

// TestLinesNameRequestAndOperation: a line with a request's context names request and
// operation, and each once.
func TestLinesNameRequestAndOperation(t *testing.T) {
	request := withLogScope(t.Context(), logScope{request: "R1", operation: operationID, trace: operationID})
	enquiry := withLogScope(t.Context(), logScope{request: "R1", trace: operationID})
	for name, c := range map[string]struct {
		ctx   context.Context
		write func(context.Context, *slog.Logger)
		want  map[string]string
	}{
		"a request":       {request, func(ctx context.Context, l *slog.Logger) { l.WarnContext(ctx, "x") }, map[string]string{"request": "R1", "operation": string(operationID)}},
		"no operation":    {enquiry, func(ctx context.Context, l *slog.Logger) { l.WarnContext(ctx, "x") }, map[string]string{"request": "R1"}},
		"nothing at all":  {t.Context(), func(ctx context.Context, l *slog.Logger) { l.WarnContext(ctx, "x") }, nil},
		"named by itself": {request, func(ctx context.Context, l *slog.Logger) { l.WarnContext(ctx, "x", "operation", "O2") }, map[string]string{"request": "R1", "operation": "O2"}},
		"named before": {request, func(ctx context.Context, l *slog.Logger) { l.With("request", "R2").InfoContext(ctx, "x") }, map[string]string{
			"request": "R2", "operation": string(operationID),
		}},
		"in a group": {request, func(ctx context.Context, l *slog.Logger) { l.WithGroup("g").InfoContext(ctx, "x", "a", 1) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			c.write(c.ctx, slog.New(LogHandler(slog.NewJSONHandler(&out, nil))))
			got := map[string]any{}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"request", "operation"} {
				is, _ := got[key].(string)
				if is != c.want[key] || bytes.Count(out.Bytes(), []byte(`"`+key+`"`)) > 1 {
					t.Errorf("%s is %q, want %q: %s", key, is, c.want[key], out.String())
				}
			}
		})
	}
}
