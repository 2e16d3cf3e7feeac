package store

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"galla/central/reports"
	"galla/shared/ist"
)

// Sizes of the reports' database: a year of operations.
const (
	benchOperations = 1_000_000
	benchMerchants  = 10_000
	benchBanks      = 100
	benchDays       = 365
)

// benchFirst is the first day of that year.
const benchFirst ist.Day = "2025-11-21"

// BenchmarkReports measures a year of a million operations of ten thousand merchants: the
// closing of one day, and p95 of the first and a middle page of each report. The settlement's sums
// are those of all operations, as if the bank's files had a line of each. -bench Reports
// -benchtime 20x -timeout 60m.
func BenchmarkReports(b *testing.B) {
	for _, on := range []kind{onSQLite, onPostgres} {
		b.Run(string(on), func(b *testing.B) {
			place := on.seeded(b)
			s := openAt(b, place, testConfig())
			fillYear(b, on, place, s)
			began := time.Now()
			closeUntil(b, s, benchFirst)
			b.Logf("the first day was closed in %s", time.Since(began))
			last := benchFirst.Add(benchDays - 1)
			for days, err := s.ClosedDays(background); days.Last < last; days, err = s.ClosedDays(background) {
				if err != nil {
					b.Fatal(err)
				}
				closeUntil(b, s, last)
			}
			b.Logf("all %d days were closed in %s", benchDays, time.Since(began))
			db := on.raw(b, place)
			if _, err := db.ExecContext(background, "ANALYZE"); err != nil {
				b.Fatal(err)
			}
			_ = db.Close()
			measureReports(b, s, reports.Range{First: benchFirst, Last: last}, "year")
			measureReports(b, s, reports.Range{First: last.Add(-29), Last: last}, "month")
			measureReports(b, s, reports.Range{First: last, Last: last}, "day")
		})
	}
}

// measureReports measures each report of a range.
func measureReports(b *testing.B, s *DB, r reports.Range, name string) {
	b.Helper()
	service := reportService(b, s)
	for _, report := range reports.Names() {
		q := reports.Query{Report: report, Range: r}
		middle := ""
		for range 20 {
			page, err := service.Page(background, q, middle, 900)
			if err != nil {
				b.Fatal(err)
			}
			if page.Next == "" {
				break
			}
			middle = page.Next
		}
		for what, from := range map[string]string{"first page": "", "middle page": middle} {
			b.Run(name+"/"+string(report)+"/"+what, func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					began := time.Now()
					_, err := service.Page(background, q, from, 50)
					if err == nil {
						_, err = service.Total(background, q)
					}
					if err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100])/1e6, "p95-ms")
			})
		}
		b.Run(name+"/"+string(report)+"/csv", func(b *testing.B) {
			began, peak := time.Now(), uint64(0)
			var memory runtime.MemStats
			lines, err := service.WriteCSV(background, q, io.Discard, func() {
				runtime.ReadMemStats(&memory)
				peak = max(peak, memory.HeapInuse)
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(lines), "lines")
			b.ReportMetric(time.Since(began).Seconds(), "s")
			b.ReportMetric(float64(peak)/1e6, "heap-MB")
		})
	}
}

// fillYear adds the operations, past the triggers that only let new ones in.
func fillYear(b *testing.B, on kind, place string, s *DB) {
	b.Helper()
	from, _, err := benchFirst.Bounds()
	if err != nil {
		b.Fatal(err)
	}
	if on == onPostgres {
		if err := s.EnsurePartitions(background, from, 14); err != nil {
			b.Fatal(err)
		}
	}
	const part = 100_000
	statements := []string{
		fmt.Sprintf(`WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)
			INSERT INTO merchants (id, legal_name, vendor, status, has_info, aeps_ready, mobile, created_at)
			SELECT 'm' || n, 'Store ' || n, '%s', 'APPROVED', 1, 0, '', 1 FROM i`, benchMerchants, vendor1),
		map[kind]string{onSQLite: `DROP TRIGGER operations_first_state`, onPostgres: `DROP TRIGGER operations_first_state ON operations`}[on],
	}
	for begin := 0; begin < benchOperations; begin += part {
		// Each merchant and bank gets its operations on days all over the year.
		statements = append(statements, fmt.Sprintf(`WITH RECURSIVE i (n) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT n + 1 FROM i WHERE n < %d)
			INSERT INTO operations (id, caller, identity, route, fingerprint, merchant, tid, kind, amount, aadhaar, iin, reference, stan, state, node, created_at,
				sent_at, bank_not_after, finished_at, reply, http)
			SELECT 'o' || n, 'c', 'o' || n, 'r', zeroblob(32), 'm' || ((n * 7919 + n / 10000 * 37) %% %d + 1), '', CASE n %% 4 WHEN 0 THEN 'BALANCE' WHEN 1 THEN 'TRANSFER' ELSE 'CASH_WITHDRAWAL' END, 100 + n %% 900000, '',
				CAST(607000 + n * 31 %% %d AS TEXT), 'r' || n, '', CASE n %% 10 WHEN 0 THEN 'failed' ELSE 'succeeded' END, 'n',
				%[5]d + n * 31536, %[5]d + n * 31536, %[5]d + n * 31536, %[5]d + n * 31536, zeroblob(300), 200 FROM i`, begin, begin+part-1, benchMerchants, benchBanks, from.UnixMilli()),
			fmt.Sprintf(`INSERT INTO commissions (operation, vendor, aggregator, merchant, payment_method, provider, txn_type, amount, charge, gst, provider_cost, commission, tds, day, at)
			SELECT id, '%s', '%s', merchant, 'AEPS', 'NSDL', 'X', amount, 2000, 305, 400, 1295, 26, %s, finished_at FROM operations WHERE reference IN (SELECT 'r' || n FROM (WITH RECURSIVE i (n) AS (SELECT %d UNION ALL SELECT n + 1 FROM i WHERE n < %d) SELECT n FROM i) AS x)
			AND state = 'succeeded'`, vendor1, aggregator1, on.dayOf("finished_at"), begin, begin+part-1))
	}
	statements = append(statements,
		fmt.Sprintf(`INSERT INTO settlement_files (day, number, sha256, name, bytes, lines, amount, imported_by, node, at, complete_at)
			SELECT day, 1, %s, 'a', 1, 1, 1, 'asha', 'n', 1, 1 FROM (SELECT DISTINCT %s AS day FROM operations) AS d`, map[kind]string{onSQLite: "randomblob(32)", onPostgres: "sha256(day::bytea)"}[on], on.dayOf("finished_at")),
		fmt.Sprintf(`INSERT INTO settlement_sums (day, file, merchant, kind, lines, amount, matched, matched_amount, cases)
			SELECT %s, 1, merchant, kind, count(*), sum(amount), count(*), sum(amount), 0 FROM operations GROUP BY 1, 3, 4`, on.dayOf("finished_at")),
		`INSERT INTO settlement_summed (day, file, lines, amount, matched, matched_amount, cases) SELECT day, 1, sum(lines), sum(amount), sum(matched), sum(matched_amount), 0 FROM settlement_sums GROUP BY day`,
		`ANALYZE`)
	began := time.Now()
	db := on.raw(b, place) // past the time that a change may take
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(background, on.sql(statement)); err != nil {
			b.Fatalf("%v in %.300s", err, statement)
		}
	}
	b.Logf("filled in %s", time.Since(began))
}

// dayOf is the Indian day of a column of milliseconds, as text.
func (k kind) dayOf(column string) string {
	if k == onSQLite {
		return "date((" + column + " + 19800000) / 1000, 'unixepoch')"
	}
	return "to_char(to_timestamp((" + column + " + 19800000) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
}
