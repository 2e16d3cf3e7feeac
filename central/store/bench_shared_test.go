package store

import (
	"fmt"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// BenchmarkSharedWithdrawal measures the rows of a whole withdrawal in two commits, as the engine
// makes them: created and sent, then finished with its earning. It reports commits and
// bytes of the log for each. On PostgreSQL, 'alone' is without shared statements.
func BenchmarkSharedWithdrawal(b *testing.B) {
	for _, on := range []string{"shared", "alone"} {
		place := onPostgres.durable(b)
		for _, callers := range []int{1, 32, 256} {
			b.Run(fmt.Sprintf("%s/%d", on, callers), func(b *testing.B) {
				s := openAt(b, place, testConfig())
				if on == "alone" {
					s.shared = nil
				}
				b.ReportAllocs()
				commits, log := databaseUse(b, place)
				parallel(b, callers, func() { wantBench(b, withdrawInTwo(s)) })
				b.StopTimer()
				wantBench(b, s.Close()) // a connection reports its commits at its end
				afterCommits, afterLog := databaseUse(b, place)
				b.ReportMetric(float64(afterCommits-commits)/float64(b.N), "commits/op")
				b.ReportMetric(float64(afterLog-log)/float64(b.N), "log-B/op")
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
			})
		}
	}
}

// withdrawInTwo takes a withdrawal from its creation to its success in two commits.
func withdrawInTwo(s *DB) error {
	o := newOperation()
	o.Identity, o.Party, o.CallerRef = string(o.ID), party1, string(o.ID)
	o.State, o.SentAt, o.BankNotAfter = op.Sent, t0, t0.Add(15*time.Second)
	o, isNew, err := s.Create(background, o, []central.Quota{daily("customer "+string(o.ID), 500_00, 5, 1000_00)})
	if err != nil || !isNew {
		return fmt.Errorf("create: new %t, %w", isNew, err)
	}
	x := finalOutcome(o.ID, op.Succeeded)
	x.Before, x.Earning = &o, earningOf(o, "WITHDRAWAL", 1)
	_, err = s.Finish(background, x)
	return err
}

// databaseUse is how many transactions the server has committed, and how long its log is.
func databaseUse(b *testing.B, place string) (commits, log int64) {
	b.Helper()
	db := onPostgres.raw(b, place)
	defer db.Close()
	wantBench(b, db.QueryRow(`SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
		(pg_current_wal_insert_lsn() - '0/0')::BIGINT`).Scan(&commits, &log))
	return commits, log
}

func wantBench(b *testing.B, err error) {
	if err != nil {
		b.Error(err)
	}
}
