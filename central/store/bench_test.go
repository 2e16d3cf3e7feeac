package store

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"galla/central"
	"galla/central/store/pgtest"
	"galla/shared/op"
)

// BenchmarkLife measures the durable steps of an operation that goes straight to the
// bank: Create, which writes its row, identity and first steps (and its names, on
// PostgreSQL), and Finish; with 1 and 32 callers. PostgreSQL syncs its commits here, as SQLite
// does.
func BenchmarkLife(b *testing.B) {
	for _, on := range []kind{onSQLite, onPostgres} {
		place := on.durable(b)
		for _, callers := range []int{1, 32} {
			s := openAt(b, place, testConfig())
			made := make(chan op.ID, 1<<20) // from each step to the next
			for _, bench := range []struct {
				name string
				do   func() error
			}{
				{"Create", func() error {
					o := newSent()
					_, _, err := s.Create(background, o, nil)
					made <- o.ID
					return err
				}},
				{"Finish", func() error { return step(s, <-made, op.Succeeded) }},
			} {
				b.Run(fmt.Sprintf("%s/%s/%d", on, bench.name, callers), func(b *testing.B) {
					fillTo(b, s, made, bench.name)
					parallel(b, callers, func() {
						if err := bench.do(); err != nil {
							b.Error(err)
						}
					})
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
				})
			}
		}
	}
}

// newSent is a new operation that goes straight to the bank.
func newSent() central.Operation {
	o := newOperation()
	o.State, o.SentAt, o.BankNotAfter = op.Sent, o.CreatedAt, o.CreatedAt.Add(15*time.Second)
	return o
}

// fillTo brings as many new operations as are measured to where a step begins.
func fillTo(b *testing.B, s *DB, made chan op.ID, name string) {
	b.Helper()
	for len(made) > 0 {
		<-made
	}
	if name == "Create" {
		return
	}
	parallel(b, 32, func() {
		o := newSent()
		if _, _, err := s.Create(background, o, nil); err != nil {
			b.Error(err)
		}
		made <- o.ID
	})
}

// durable makes a seeded database that survives a power cut.
func (k kind) durable(b *testing.B) string {
	b.Helper()
	if k == onSQLite {
		return k.seeded(b)
	}
	folder, err := os.MkdirTemp("", "galla-bench")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(folder) })
	server, err := pgtest.Start(folder, pgtest.Options{Durable: true, Settings: []string{"shared_buffers=256MB", "max_wal_size=1GB"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Stop(); err != nil {
			b.Error(err)
		}
	})
	s, err := OpenPostgres(background, server.URL("postgres"), testConfig())
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(s.Seed(background, testSeed()), s.Close()); err != nil {
		b.Fatal(err)
	}
	return server.URL("postgres")
}

// BenchmarkCreate measures what group commit is worth on SQLite: 'single' commits
// a transaction for each operation, as a store without it would. With quotas,
// there are two more rows for each of them.
func BenchmarkCreate(b *testing.B) {
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
			b.ReportAllocs()
			begin := func() {
				o := newOperation()
				var quotas []central.Quota
				for i := range bench.quotas {
					withRef(string(o.ID))(&o)
					quotas = append(quotas, daily(fmt.Sprint("key ", i, o.ID[len(o.ID)-2:]), 1, 0, 0))
				}
				if _, isNew, err := s.Create(background, o, quotas); err != nil || !isNew {
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
