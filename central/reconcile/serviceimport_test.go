package reconcile_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/central"

	"galla/central/reconcile"
	"galla/central/store"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// TestImportingAgain: the same bytes are the same import; another file of the day
// supersedes, and undecided differences are cases again.
func TestImportingAgain(t *testing.T) {
	h := open(t)
	o := h.operation(op.Succeeded)
	h.imports(file())
	if r := h.report(); r.Waiting() != 1 || r.Cases[0].Class != reconcile.MissingAtBank {
		t.Fatalf("missing there: %+v", r.Cases)
	}
	f, again, err := h.service.Import(t.Context(), "other-name.csv", strings.NewReader(file()), ravi)
	if err != nil || !again || f.Number != 1 || f.By != "asha" {
		t.Errorf("again: %+v, %v, %v", f, again, err)
	}
	if f := h.imports(file(line(o, "00"))); f.Number != 2 {
		t.Errorf("the second file: %+v", f)
	}
	if r := h.report(); r.File.Number != 2 || len(r.Cases) != 0 || r.Sums[reconcile.Agreed].Lines != 1 {
		t.Errorf("the report: %+v", r)
	}
	old, err := h.service.Report(t.Context(), day, 1)
	if err != nil || !old.File.Superseded || old.Waiting() != 0 || len(old.Cases) != 1 {
		t.Errorf("the superseded report: %+v, %v", old, err)
	}
	var text bytes.Buffer
	must(t, old.WriteText(&text))
	if !strings.Contains(text.String(), "superseded by a later file") {
		t.Error(text.String())
	}
	err = h.service.Propose(t.Context(), old.Cases[0].CaseID, reconcile.Proposal{Verdict: reconcile.Noted, Reason: "x"}, asha)
	if !errors.Is(err, reconcile.ErrSuperseded) {
		t.Errorf("a superseded case: %v", err)
	}
	var bad *reconcile.BadFile
	if _, _, err := h.service.Import(t.Context(), "x", strings.NewReader(file()[:30]), asha); !errors.As(err, &bad) {
		t.Errorf("a bad file: %v", err)
	}
	future := string(ist.DayOf(time.Now().AddDate(0, 0, 2)))
	if _, _, err := h.service.Import(t.Context(), "x", strings.NewReader(strings.ReplaceAll(file(), string(day), future)), asha); !errors.As(err, &bad) {
		t.Errorf("a day that has not begun: %v", err)
	}
	if _, _, err := h.service.Import(t.Context(), "x", strings.NewReader(file()), reconcile.Actor{Login: "rule"}); err == nil {
		t.Error("nobody imported it")
	}
}

// TestALineThatComesLate: the case that missed it is closed by the file of
// another day that has it.
func TestALineThatComesLate(t *testing.T) {
	h := open(t)
	o := h.operation(op.Succeeded)
	h.imports(file())
	if n := h.report().Waiting(); n != 1 {
		t.Fatalf("%d cases wait", n)
	}
	late := strings.ReplaceAll(file(line(o, "00")), string(day), "2026-11-21")
	if _, _, err := h.service.Import(t.Context(), "next.csv", strings.NewReader(late), asha); err != nil {
		t.Fatal(err)
	}
	r := h.report()
	if r.Waiting() != 0 || r.Cases[0].DecidedBy != reconcile.ByRule || r.Cases[0].Reason != "its line came with settlement file 2026-11-21.1" {
		t.Errorf("the case that missed it: %+v", r.Cases[0])
	}
	next, err := h.service.Report(t.Context(), "2026-11-21", 0)
	if err != nil || len(next.Cases) != 0 || next.Sums[reconcile.Agreed].Operations != 1 {
		t.Errorf("the file that has it: %+v, %v", next, err)
	}
}

// TestDays: an operation is compared with the file of the day on which its outcome became
// certain, or with the file that has its line.
func TestDays(t *testing.T) {
	h := open(t)
	// Of the next day: it ended then.
	late := h.operation(op.Pending)
	_, err := h.db.Finish(t.Context(), central.FinalOutcome{ID: late.ID, To: op.Succeeded, At: noon.AddDate(0, 0, 1), Reason: "the bank answered", Answer: central.BankAnswer{Code: "00", RRN: rrn(late)}, HTTP: 200, Reply: []byte(`{}`)})
	must(t, err)
	h.imports(file())
	if r := h.report(); len(r.Cases) != 0 {
		t.Errorf("its first day: %+v", r.Cases)
	}
	next := strings.NewReplacer("END,2026-11-20", "END,2026-11-21", "T12:00", "T12:00").Replace(file())
	if _, _, err := h.service.Import(t.Context(), "next.csv", strings.NewReader(next), asha); err != nil {
		t.Fatal(err)
	}
	r, err := h.service.Report(t.Context(), "2026-11-21", 0)
	if err != nil || len(r.Cases) != 1 || r.Cases[0].Class != reconcile.MissingAtBank || r.Cases[0].Reference != late.Reference {
		t.Errorf("the day of its end: %+v, %v", r.Cases, err)
	}
	// Its line comes with its first day after all: it agrees there, and belongs to
	// another day for the next file.
	h.imports(file(line(late, "00")))
	again := strings.Replace(next, "\n", "\r\n", 1)
	if _, _, err := h.service.Import(t.Context(), "next.csv", strings.NewReader(again), asha); err != nil {
		t.Fatal(err)
	}
	r, err = h.service.Report(t.Context(), "2026-11-21", 0)
	if err != nil || len(r.Cases) != 0 || r.Sums[reconcile.OtherDay].Operations != 1 {
		t.Errorf("the day of its end, again: %+v, %v", r, err)
	}
}

// BenchmarkImport imports a file in which nothing agrees: as many lines without
// an operation as there may be cases.
func BenchmarkImport(b *testing.B) {
	const lines = 5_000
	db, err := store.OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "central.db"), store.Config{Node: "n", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	service, err := reconcile.New(db, db, db, "n")
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		all := make([]string, lines)
		for i := range all {
			n++
			all[i] = fmt.Sprintf("GL%016d,%012d,000001,500.00,00,2026-11-20T12:00:00.000+05:30", n, n)
		}
		if _, _, err := service.Import(b.Context(), "day.csv", strings.NewReader(file(all...)), asha); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// TestSumsInWords: how far the bank is from the central is printed without a sign.
func TestSumsInWords(t *testing.T) {
	for _, c := range []struct {
		here, there money.Paise
		want        string
	}{
		{10000, 49803, "had moved 398.03 rupees more than"}, {49803, 10000, "had moved 398.03 rupees less than"}, {5, 5, "had moved 0.00 rupees more than"},
	} {
		var text strings.Builder
		must(t, reconcile.Report{Sums: map[reconcile.Class]reconcile.Sum{reconcile.Agreed: {Operations: 1, Lines: 1, MovedOurs: c.here, MovedTheirs: c.there}}}.WriteText(&text))
		if !strings.Contains(text.String(), c.want) {
			t.Errorf("want %q in\n%s", c.want, text.String())
		}
	}
}
