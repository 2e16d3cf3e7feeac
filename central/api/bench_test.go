package api

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// BenchmarkWithdrawal is the cost of everything but the executor, with a finger's
// capture and with a face's.
func BenchmarkWithdrawal(b *testing.B) {
	for name, size := range map[string]int{"4KB": 4 << 10, "180KB": 180 << 10} {
		b.Run(name, func(b *testing.B) {
			h := newFixture(b)
			h.log = nil
			h.Handler.log = slog.New(slog.NewJSONHandler(io.Discard, nil))
			route, _ := op.Find(op.Withdrawal)
			text := []byte(body(map[string]any{"PidData": strings.Replace(pid, "ZGF0", strings.Repeat("ZGF0", size/4), 1)}))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if r := h.Handle(context.Background(), central.Request{Principal: merchant1, Route: route, Body: text}); r.HTTP != 200 {
					b.Fatalf("%s", r.Body)
				}
			}
		})
	}
}
