package store

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/reports"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// TestReports: figures of closed days, of files, and runs, on both databases.
func TestReports(t *testing.T) {
	for name, part := range map[string]func(t *testing.T, on kind){
		"days": reportDays, "ledger": reportsEqualTheLedger, "archived": reportOfArchived, "settlement": reportSettlement, "runs": reportRuns, "many": reportOfMany,
	} {
		t.Run(name, func(t *testing.T) { onBoth(t, part) })
	}
}

func closer(t testing.TB, s *DB) *reports.Closer {
	t.Helper()
	c, err := reports.NewCloser(s, s.ForReports(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func reportService(t testing.TB, s *DB) *reports.Service {
	t.Helper()
	r, err := reports.New(s, reports.Naming{
		Kind: func(k central.Kind) string { return "kind " + string(k) },
		Bank: func(iin string) string { return map[string]string{"990326": "Sandbox Bank"}[iin] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// closeUntil closes days as if a day after a day had just ended.
func closeUntil(t testing.TB, s *DB, day ist.Day) {
	t.Helper()
	_, end, err := day.Bounds()
	if err == nil {
		_, err = closer(t, s).Run(background, end.Add(2*time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ended brings an operation to a final state on a day.
func ended(t *testing.T, s *DB, to op.State, day ist.Day, change ...func(*central.Operation)) central.Operation {
	t.Helper()
	from := op.Sent
	switch to {
	case op.Refused:
		from = op.Received
	case op.Reversed:
		from = op.Pending
	}
	o := inState(t, s, from, change...)
	x := finalOutcome(o.ID, to)
	x.At = day.Noon()
	o, err := finish(s, x)
	wantErr(t, "finish", err, nil)
	return o
}

// csvOf is a report as CSV, without its first line.
func csvOf(t *testing.T, s *DB, q reports.Query) string {
	t.Helper()
	var out strings.Builder
	n, err := reportService(t, s).WriteCSV(background, q, &out, nil)
	wantErr(t, "write the report", err, nil)
	if q.Report.Columns()[0].Field == "" || strings.Count(out.String(), "\n") != n+1 {
		t.Errorf("%d lines in %q", n, out.String())
	}
	_, rest, _ := strings.Cut(out.String(), "\n")
	return rest
}

func reportDays(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	closeUntil(t, s, "2026-11-24")
	r, err := s.ClosedDays(background)
	wantErr(t, "closed days", err, nil)
	wantSame(t, "without an operation", r, reports.Range{})

	bank := func(iin string) func(*central.Operation) { return func(o *central.Operation) { o.IIN = iin } }
	kind := func(k central.Kind) func(*central.Operation) { return func(o *central.Operation) { o.Kind = k } }
	ended(t, s, op.Succeeded, "2026-11-21")
	ended(t, s, op.Succeeded, "2026-11-21", bank("607094"))
	ended(t, s, op.Failed, "2026-11-22")
	ended(t, s, op.Refused, "2026-11-22")
	ended(t, s, op.Reversed, "2026-11-24", func(o *central.Operation) { o.Merchant = merchant2 })
	ended(t, s, op.Succeeded, "2026-11-24", kind(central.KindTransfer), bank(""))
	ended(t, s, op.Succeeded, "2026-11-25") // not closed
	inState(t, s, op.Pending)               // has no outcome
	closeUntil(t, s, "2026-11-24")
	r, err = s.ClosedDays(background)
	wantErr(t, "closed days", err, nil)
	wantSame(t, "closed", r, reports.Range{First: "2026-11-21", Last: "2026-11-24"})

	all := reports.Range{First: "2026-11-21", Last: "2026-11-30"}
	wantSame(t, "by kind", csvOf(t, s, reports.Query{Report: reports.VolumesByKind, Range: all}),
		"kind CASH_WITHDRAWAL,5,2,2,1,1000.00\nkind TRANSFER,1,1,0,0,500.00\n")
	wantSame(t, "by bank", csvOf(t, s, reports.Query{Report: reports.VolumesByBank, Range: all}),
		"No bank named,,kind TRANSFER,1,1,0,0,500.00\n607094,607094,kind CASH_WITHDRAWAL,1,1,0,0,500.00\nSandbox Bank,990326,kind CASH_WITHDRAWAL,4,1,2,1,500.00\n")
	wantSame(t, "one bank, one day", csvOf(t, s, reports.Query{Report: reports.VolumesByBank, Range: reports.Range{First: "2026-11-22", Last: "2026-11-22"}, Bank: "990326"}),
		"Sandbox Bank,990326,kind CASH_WITHDRAWAL,2,0,1,1,0.00\n")
	wantSame(t, "by merchant", csvOf(t, s, reports.Query{Report: reports.VolumesByMerchant, Range: all}),
		fmt.Sprintf("Test Store,%[1]s,kind CASH_WITHDRAWAL,4,2,1,1,1000.00\nTest Store,%[1]s,kind TRANSFER,1,1,0,0,500.00\nOther Store,%[2]s,kind CASH_WITHDRAWAL,1,0,1,0,0.00\n", merchant1, merchant2))
	wantSame(t, "kinds of a merchant", csvOf(t, s, reports.Query{Report: reports.VolumesByKind, Range: all, Merchant: merchant2}), "kind CASH_WITHDRAWAL,1,0,1,0,0.00\n")

	// An outcome that is recorded after its day was closed makes the day be closed again.
	ended(t, s, op.Succeeded, "2026-11-24")
	closeUntil(t, s, "2026-11-25")
	wantSame(t, "with a late one", csvOf(t, s, reports.Query{Report: reports.VolumesByKind, Range: all}),
		"kind CASH_WITHDRAWAL,7,4,2,1,2000.00\nkind TRANSFER,1,1,0,0,500.00\n")
	closeUntil(t, s, "2026-11-25") // changes nothing
	total, err := reportService(t, s).Total(background, reports.Query{Report: reports.VolumesByMerchant, Range: all})
	wantErr(t, "total", err, nil)
	wantSame(t, "total", total, []reports.Cell{{Text: "Total"}, {}, {}, {Number: 8}, {Number: 5}, {Number: 2}, {Number: 1}, {Number: 2500_00}})
}

// purposeSums adds up the ledger by purpose, of entries of a range; a reversal is negative.
func purposeSums(t testing.TB, s *DB, r reports.Range) map[string]money.Paise {
	t.Helper()
	from, _, errFrom := r.First.Bounds()
	_, to, errTo := r.Last.Bounds()
	sums := map[string]money.Paise{}
	err := s.read(background, func(c conn) error {
		return c.Each(`SELECT purpose, CAST(sum(CASE WHEN reversal = 1 THEN -amount ELSE amount END) AS BIGINT) FROM ledger_entries WHERE at >= $1 AND at < $2 GROUP BY purpose`,
			[]any{from, to}, func(row row) error {
				var purpose string
				var sum money.Paise
				err := row.Scan(&purpose, &sum)
				if sum != 0 {
					sums[purpose] = sum
				}
				return err
			})
	})
	if err := errors.Join(err, errFrom, errTo); err != nil {
		t.Fatal(err)
	}
	return sums
}

// reportsEqualTheLedger: whatever was earned and reversed on which days, the report of any
// range has the sums of the ledger's entries of those days, in its lines and in its total.
func reportsEqualTheLedger(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	first := ist.Day("2026-11-21")
	rapid.Check(t, func(rt *rapid.T) {
		var earnedOnes []central.Operation
		for range rapid.IntRange(1, 6).Draw(rt, "operations") {
			at := first.Add(rapid.IntRange(0, 4).Draw(rt, "day")).Noon().Add(time.Duration(rapid.IntRange(-12*3600, 12*3600-1).Draw(rt, "second")) * time.Second)
			merchant := rapid.SampledFrom([]central.MerchantID{merchant1, merchant3}).Draw(rt, "merchant")
			n := money.Paise(rapid.IntRange(1, 1000).Draw(rt, "times"))
			earnedOnes = append(earnedOnes, earned(t, s, "TRANSFER", n, at, func(o *central.Operation) { o.Merchant = merchant }))
		}
		for _, o := range earnedOnes {
			if !rapid.Bool().Draw(rt, "reversed") {
				continue
			}
			refund := refundOf(t, s, o)
			x := finalOutcome(refund.ID, op.Succeeded)
			x.At = first.Add(rapid.IntRange(0, 4).Draw(rt, "day of the refund")).Noon()
			_, err := finish(s, x)
			wantErr(t, "refund", err, nil)
		}
		// As the days end after them.
		for d := first; d <= first.Add(4); d = d.Add(1) {
			var f reports.DayFigures
			f.Day, f.ClosedAt = d, t0
			list, err := s.EarningsOfDay(background, d)
			wantErr(t, "earnings of a day", err, nil)
			f.Earnings = list
			wantErr(t, "close", s.CloseDay(background, f), nil)
		}
		r := reports.Range{First: first.Add(rapid.IntRange(0, 4).Draw(rt, "first"))}
		r.Last = r.First.Add(rapid.IntRange(0, 4).Draw(rt, "length"))
		var sum reports.Earning
		list, err := s.Earnings(background, r, "", reports.Earning{}, 1000)
		wantErr(t, "earnings", err, nil)
		for _, e := range list {
			sum.Add(e)
		}
		total, err := s.EarningTotal(background, r)
		wantErr(t, "total", err, nil)
		wantSame(t, "the total and the lines", total, sum)
		got := map[string]money.Paise{"COMMISSION": sum.Commission, "TDS": sum.TDS, "CHARGE": sum.Charge, "GST": sum.GST, "PROVIDER": sum.ProviderCost}
		maps.DeleteFunc(got, func(_ string, p money.Paise) bool { return p == 0 })
		wantSame(t, "the report and the ledger of "+r.String(), got, purposeSums(t, s, r))
	})
}

// reportOfArchived: a day whose operations were archived before it was closed is complete.
func reportOfArchived(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	day := ist.Day("2026-11-21")
	ended(t, s, op.Succeeded, day)
	archived := ended(t, s, op.Succeeded, day)
	wantErr(t, "archive", s.write(background, func(c conn) error {
		if _, err := c.exec(`INSERT INTO archives (file, sha256, month, operations, node, at) VALUES ('a.jsonl', $1, '2026-11', 1, 'n', 1)`, strings.Repeat("0", 64)); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE operations SET archived_at = finished_at + 2592000000, archive = 'a.jsonl', reply = $1 WHERE id = $2`, []byte("{}"), archived.ID)
		return err
	}), nil)
	closeUntil(t, s, day)
	wantSame(t, "with an archived one", csvOf(t, s, reports.Query{Report: reports.VolumesByKind, Range: reports.Range{First: day, Last: day}}), "kind CASH_WITHDRAWAL,2,2,0,0,1000.00\n")
	closed, err := s.ClosedDays(background)
	wantErr(t, "closed", err, nil)
	wantSame(t, "the first day is that of the archived month", closed, reports.Range{First: "2026-11-01", Last: day})
}

func reportSettlement(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	ok, failed, other := inState(t, s, op.Succeeded), inState(t, s, op.Failed), inState(t, s, op.Succeeded, func(o *central.Operation) { o.Merchant = merchant2 })
	silent := inState(t, s, op.Succeeded)
	unknown := newOperation()
	lines := []reconcile.Line{lineOf(2, ok, "00"), lineOf(3, failed, "51"), lineOf(4, other, "00"), lineOf(5, unknown, "00")}
	imported(t, s, "first.csv", lines[:1])
	f := imported(t, s, "a.csv", lines, caseFor(other, &lines[2]), reconcile.Case{Class: reconcile.MissingHere, Reference: unknown.Reference, Line: &lines[3]},
		reconcile.Case{Class: reconcile.MissingAtBank, Reference: silent.Reference, Operation: &reconcile.Operation{ID: silent.ID, State: silent.State}, Found: silent.State})
	q := reports.Query{Report: reports.Settlement, Range: reports.Range{First: settlementDay.Add(-1), Last: settlementDay.Add(1)}}
	before := "2026-11-20,,,,,0,0.00,0,0.00,0,0,no file of the bank\n2026-11-21,2026-11-21.2,,,,0,0.00,0,0.00,0,0,its sums come within minutes\n2026-11-22,,,,,0,0.00,0,0.00,0,0,no file of the bank\n"
	wantSame(t, "before the sums", csvOf(t, s, q), before)
	closeUntil(t, s, settlementDay)
	want := func(open int) string {
		return fmt.Sprintf("2026-11-20,,,,,0,0.00,0,0.00,0,0,no file of the bank\n"+
			"2026-11-21,2026-11-21.2,Not in the central,,,1,500.00,0,0.00,1,1,\n"+
			"2026-11-21,2026-11-21.2,Test Store,%s,kind CASH_WITHDRAWAL,2,500.00,2,500.00,1,1,\n"+
			"2026-11-21,2026-11-21.2,Other Store,%s,kind CASH_WITHDRAWAL,1,500.00,0,0.00,1,%d,\n"+
			"2026-11-22,,,,,0,0.00,0,0.00,0,0,no file of the bank\n", merchant1, merchant2, open)
	}
	wantSame(t, "all", csvOf(t, s, q), want(1))
	id := reconcile.CaseID{Day: f.Day, File: f.Number, Number: 1}
	propose := by("asha", reconcile.ActionProposed)
	propose.Verdict = reconcile.Noted
	wantErr(t, "propose", s.ProposeCase(background, id, propose), nil)
	confirm := by("meera", reconcile.ActionConfirmed)
	confirm.Verdict = reconcile.Noted
	wantErr(t, "confirm", s.ConfirmCase(background, id, confirm), nil)
	wantSame(t, "when a case is decided", csvOf(t, s, q), want(0))

	total, err := reportService(t, s).Total(background, q)
	wantErr(t, "total", err, nil)
	wantSame(t, "total", total, []reports.Cell{{Text: "Total"}, {}, {}, {}, {}, {Number: 4}, {Number: 1500_00}, {Number: 2}, {Number: 500_00}, {Number: 3}, {Number: 2}, {}})
	q.Merchant = merchant1
	wantSame(t, "of a merchant", csvOf(t, s, q), fmt.Sprintf("2026-11-21,2026-11-21.2,Test Store,%s,kind CASH_WITHDRAWAL,2,500.00,2,500.00,1,1,\n", merchant1))

	// Pages of one line each have the same lines.
	q.Merchant = ""
	var pages []string
	for from := ""; ; {
		page, err := reportService(t, s).Page(background, q, from, 1)
		wantErr(t, "a page", err, nil)
		for _, line := range page.Lines {
			pages = append(pages, line[0].Text+" "+cmp.Or(line[3].Text, line[2].Text))
		}
		if from = page.Next; from == "" {
			break
		}
	}
	wantSame(t, "pages", pages, []string{"2026-11-20 ", "2026-11-21 Not in the central", "2026-11-21 " + string(merchant1), "2026-11-21 " + string(merchant2), "2026-11-22 "})
	// The file's sums are those of its comparison.
	wantSame(t, "sum of the file", f.Amount, money.Paise(2000_00))
}

// reportOfMany: a report of more lines than a query returns has all of them, once.
func reportOfMany(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	const many = 2500
	f := reports.DayFigures{Day: "2026-11-21", Volumes: map[reports.Dimension][]reports.Volume{}, ClosedAt: t0}
	want := map[string]bool{}
	for n := range many {
		id := fmt.Sprintf("merchant-%d", n)
		want[id] = true
		f.Volumes[reports.ByMerchant] = append(f.Volumes[reports.ByMerchant], reports.Volume{Name: id, Kind: central.KindWithdrawal, Operations: 1, Succeeded: 1, Amount: 100})
		f.Earnings = append(f.Earnings, reports.Earning{Merchant: central.MerchantID(id), Vendor: vendor1, Earned: 1, Commission: 7})
	}
	wantErr(t, "close", s.CloseDay(background, f), nil)
	file := imported(t, s, "many.csv", nil)
	var sums []reports.SettledRow
	for id := range want {
		sums = append(sums, reports.SettledRow{SettledKey: reports.SettledKey{Merchant: central.MerchantID(id), Kind: central.KindWithdrawal}, Settled: reports.Settled{Lines: 1, Amount: 3, Matched: 1, MatchedAmount: 3}})
	}
	wantErr(t, "sums", s.SaveFileSums(background, file.Day, file.Number, sums), nil)
	for name, ids := range map[reports.Name]int{reports.VolumesByMerchant: 1, reports.Commission: 1, reports.Settlement: 3} {
		q := reports.Query{Report: name, Range: reports.Range{First: "2026-11-21", Last: "2026-11-21"}}
		got := map[string]bool{}
		var sum, lines int64
		wantErr(t, "read", reportService(t, s).Each(background, q, func(line []reports.Cell) error {
			got[line[ids].Text] = true
			lines++
			for i, c := range q.Report.Columns() {
				if c.Field == "amount_rupees" && name == reports.VolumesByMerchant || c.Field == "commission_rupees" || c.Field == "settled_rupees" {
					sum += line[i].Number
				}
			}
			return nil
		}), nil)
		if lines != many || !maps.Equal(got, want) {
			t.Errorf("%s: %d lines of %d merchants, want %d", name, lines, len(got), many)
		}
		if each := map[reports.Name]int64{reports.VolumesByMerchant: 100, reports.Commission: 7, reports.Settlement: 3}[name]; sum != many*each {
			t.Errorf("%s: the sum is %d, want %d", name, sum, many*each)
		}
	}
}

func reportRuns(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	at := truncateToMillis(t0)
	key := func(day ist.Day) reports.RunKey {
		return reports.RunKey{Report: reports.Commission, Range: reports.Range{First: day, Last: day}}
	}
	if _, err := s.LastRun(background, reports.Commission, reports.Daily); !errors.Is(err, central.ErrNotFound) {
		t.Errorf("no run yet: %v", err)
	}
	for _, day := range []ist.Day{"2026-11-22", "2026-11-21", "2026-11-22"} {
		wantErr(t, "add", s.AddRun(background, key(day), reports.Daily, at), nil)
	}
	last, err := s.LastRun(background, reports.Commission, reports.Daily)
	wantErr(t, "last", err, nil)
	wantSame(t, "last", last, reports.Run{RunKey: key("2026-11-22"), Period: reports.Daily, State: reports.Waiting, DueAt: at})
	due, err := s.DueRuns(background, at.Add(-time.Millisecond), 10)
	wantErr(t, "due", err, nil)
	wantSame(t, "before they are due", len(due), 0)

	r := last
	r.Failures, r.Error, r.ErrorAt = 1, "the bucket refuses", at
	wantErr(t, "postpone", s.PostponeRun(background, r, at.Add(time.Minute)), nil)
	wantErr(t, "postpone what has changed", s.PostponeRun(background, r, at.Add(time.Hour)), central.ErrState)
	backlog, err := s.RunBacklog(background)
	wantErr(t, "backlog", err, nil)
	wantSame(t, "backlog", backlog, reports.Backlog{Waiting: 2, Failing: 1, OldestFailure: at})
	due, err = s.DueRuns(background, at, 10)
	wantErr(t, "due", err, nil)
	if len(due) != 1 || due[0].First != "2026-11-21" {
		t.Errorf("due: %+v", due)
	}
	done := due[0]
	done.File, done.Revision, done.SHA256, done.Lines, done.Bytes, done.Places, done.DoneAt = "commission/a.csv", 1, [32]byte{1}, 7, 99, "folder /srv", at
	wantErr(t, "finish", s.FinishRun(background, done), nil)
	wantErr(t, "finish again", s.FinishRun(background, done), central.ErrState)
	got, err := s.ReportRun(background, done.RunKey)
	wantErr(t, "read", err, nil)
	done.State, done.Node = reports.Done, testNode
	wantSame(t, "done", got, done)

	wantErr(t, "again", s.RunAgain(background, done.RunKey, "asha", at.Add(time.Second)), nil)
	wantErr(t, "a run that is none", s.RunAgain(background, key("2026-01-01"), "asha", at), central.ErrNotFound)
	wantErr(t, "finish what somebody asked for again", s.FinishRun(background, done), central.ErrState)
	list, err := s.ListRuns(background, reports.RunKey{}, 1)
	wantErr(t, "list", err, nil)
	next, err := s.ListRuns(background, list[0].RunKey, 10)
	wantErr(t, "list on", err, nil)
	if len(next) != 1 || next[0].AskedBy != "asha" || next[0].State != reports.Waiting || next[0].File == "" {
		t.Errorf("after the newest: %+v", next)
	}
}
