package store

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"galla/central"
	"galla/central/store/dbconn"
	"galla/central/store/sqlite"
	"galla/shared/op"
)

// countStatements counts the statements that a store runs from now on.
func countStatements(s *DB) *atomic.Int64 {
	n := &atomic.Int64{}
	s.connection.db = dbconn.Watched(s.db, func(string) { n.Add(1) })
	return n
}

// withdraw takes a withdrawal of a terminal to its success: with the daily quotas of its
// customer and its merchant, and with an earning of five postings.
func withdraw(s *DB) error {
	o := newSent()
	o.Aadhaar = fmt.Sprintf("XXXXXXXX%04d", serial.Load()*7919%10_000)
	quotas := []central.Quota{daily("customer "+o.Aadhaar, o.Amount, 100_000, 0), daily("merchant", o.Amount, 0, 1<<50)}
	o, _, err := s.Create(background, o, quotas)
	if err != nil {
		return err
	}
	x := finalOutcome(o.ID, op.Succeeded)
	x.Before = &o
	x.Earning = earningOf(o, "CASH_WITHDRAWAL", 1)
	_, err = s.Finish(background, x)
	return err
}

// BenchmarkWithdrawal measures the store's whole share of a withdrawal on SQLite, with 1 and
// with 32 callers: allocations, statements, and bytes of the write-ahead log, without its
// checkpoints.
func BenchmarkWithdrawal(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s := openSeeded(b, testConfig())
			keepLog(b, s)
			counted := countStatements(s)
			before := logSize(b, s)
			b.ReportAllocs()
			parallel(b, callers, func() {
				if err := withdraw(s); err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(counted.Load())/float64(b.N), "statements/op")
			b.ReportMetric(float64(logSize(b, s)-before)/float64(b.N), "log-B/op")
		})
	}
}

// TestBudgetOfWithdrawal bounds what the store's share of a withdrawal costs: none of it depends
// on the machine. The log is that of a lone caller.
func TestBudgetOfWithdrawal(t *testing.T) {
	s := openSeeded(t, testConfig())
	keepLog(t, s)
	counted := countStatements(s)
	wantErr(t, "warm up", errors.Join(withdraw(s), withdraw(s)), nil)
	const n = 100
	counted.Store(0)
	before := logSize(t, s)
	allocations := testing.AllocsPerRun(n-1, func() { wantErr(t, "withdraw", withdraw(s), nil) }) // and one run before
	if got := float64(counted.Load()) / n; got > 11 {
		t.Errorf("%v statements", got)
	}
	if got := (logSize(t, s) - before) / n; got < 4096 || got > 115<<10 {
		t.Errorf("%d bytes of log", got)
	}
	if allocations > 245 {
		t.Errorf("%v allocations", allocations)
	}
}

// keepLog keeps the write-ahead log of SQLite from being written over: somebody reads what it
// had before.
func keepLog(t testing.TB, s *DB) {
	t.Helper()
	reader := sqlite.Connect(s.Name())
	own, err := reader.Conn(background)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.ExecContext(background, "BEGIN"); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := own.QueryRowContext(background, "SELECT count(*) FROM operations").Scan(&n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(own.Close(), reader.Close()); err != nil {
			t.Error(err)
		}
	})
}

// logSize is the size of the write-ahead log of SQLite.
func logSize(t testing.TB, s *DB) int64 {
	t.Helper()
	info, err := os.Stat(s.Name() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
