package store

import (
	"context"
	"fmt"
	"testing"

	"galla/central"
)

// BenchmarkBegin measures the durable recording of an operation: one row each
// in operations, identities and operation_steps. 'single' commits a transaction
// for each, as a store without group commit would. With quotas, there are two
// more rows for each of them.
func BenchmarkBegin(b *testing.B) {
	for _, bench := range []struct {
		name    string
		batch   int
		writers int // goroutines
		quotas  int
	}{
		{"single/1", 1, 0, 0},
		{"single/32", 1, 32, 0},
		{"group/1", 0, 0, 0},
		{"group/32", 0, 32, 0},
		{"group/256", 0, 256, 0},
		{"group/256 with a reference and 3 quotas", 0, 256, 3},
	} {
		b.Run(bench.name, func(b *testing.B) {
			cfg := testConfig()
			cfg.Batch = bench.batch
			s := openSeeded(b, cfg)
			ctx := context.Background()
			b.ReportAllocs()
			begin := func() {
				o := newOperation()
				var quotas []central.Quota
				for i := range bench.quotas {
					withRef(string(o.ID))(&o)
					quotas = append(quotas, daily(fmt.Sprint("key ", i, o.ID[len(o.ID)-2:]), 1, 0, 0))
				}
				if _, isNew, err := s.Begin(ctx, o, quotas); err != nil || !isNew {
					b.Fatal(isNew, err)
				}
			}
			if bench.writers == 0 {
				for b.Loop() {
					begin()
				}
			} else {
				parallel(b, bench.writers, begin)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		})
	}
}

// parallel runs do b.N times by n goroutines in all.
func parallel(b *testing.B, n int, do func()) {
	work := make(chan struct{}, n)
	done := make(chan struct{})
	for range n {
		go func() {
			defer func() { done <- struct{}{} }()
			for range work {
				do()
			}
		}()
	}
	b.ResetTimer()
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	for range n {
		<-done
	}
}
