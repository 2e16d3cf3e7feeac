package reports

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"galla/central"
	"galla/shared/ist"
)

// maxPage is how many lines Page gives at most, and how many lines of a CSV file one query
// returns. A query asks for one more, and a store lists at most 1000.
const maxPage = 900

// Naming names things for people.
type Naming struct {
	Kind func(central.Kind) string
	Bank func(iin string) string // empty: not known
}

// Service reads reports. Its methods are safe for concurrent use.
type Service struct {
	store  FigureStore
	naming Naming
}

// New makes a Service of all its parts.
func New(store FigureStore, naming Naming) (*Service, error) {
	if store == nil || naming.Kind == nil || naming.Bank == nil {
		return nil, errors.New("reports need figures, and names of kinds and banks")
	}
	return &Service{store, naming}, nil
}

// Closed returns the closed days, which reports can have; empty days: none is closed yet.
func (s *Service) Closed(ctx context.Context) (Range, error) { return s.store.ClosedDays(ctx) }

// Page reads a part of a report: at most limit lines, from Table.Next of the part before; at
// first empty. ErrCursor: it is not of that report.
func (s *Service) Page(ctx context.Context, q Query, from string, limit int) (Table, error) {
	if err := q.Check(); err != nil {
		return Table{}, err
	}
	limit = max(1, min(limit, maxPage))
	keys, err := parseCursor(q.Report, from)
	if err != nil {
		return Table{}, err
	}
	t := Table{Columns: q.Report.Columns()}
	switch q.Report {
	case Settlement:
		err = s.settlement(ctx, q, keys, limit, &t)
	case Commission:
		err = s.commission(ctx, q, keys, limit, &t)
	default:
		err = s.volumes(ctx, q, keys, limit, &t)
	}
	return t, err
}

// ErrCursor says that a place in a report is not one.
var ErrCursor = errors.New("the report does not go on from there: begin at its first page")

// separator stands between the parts of a cursor. No id has it.
const separator = "|"

// parseCursor returns the key after which a part begins.
func parseCursor(n Name, from string) ([3]string, error) {
	var keys [3]string
	if from == "" {
		return keys, nil
	}
	parts := strings.Split(from, separator)
	want := 2
	if n == Settlement {
		want = 3
		if _, err := ist.ParseDay(parts[0]); err != nil {
			return keys, ErrCursor
		}
	}
	if len(parts) != want || len(from) > 300 {
		return keys, ErrCursor
	}
	copy(keys[:], parts)
	return keys, nil
}

func cursor(parts ...string) string { return strings.Join(parts, separator) }

func (s *Service) volumes(ctx context.Context, q Query, keys [3]string, limit int, t *Table) error {
	by, name := ByAll, (*string)(nil)
	switch {
	case q.Report == VolumesByBank:
		by = ByBank
		if q.Bank != "" {
			name = &q.Bank
		}
	case q.Report == VolumesByMerchant || q.Merchant != "":
		by = ByMerchant
		if q.Merchant != "" {
			merchant := string(q.Merchant)
			name = &merchant
		}
	}
	list, err := s.store.Volumes(ctx, q.Range, by, name, Volume{Name: keys[0], Kind: central.Kind(keys[1])}, limit+1)
	if err != nil {
		return err
	}
	if len(list) > limit {
		list = list[:limit]
		t.Next = cursor(list[limit-1].Name, string(list[limit-1].Kind))
	}
	for _, v := range list {
		var line []Cell
		switch q.Report {
		case VolumesByBank:
			line = []Cell{named(s.bank(v.Name), v.Name), text(v.Name)}
		case VolumesByMerchant:
			line = []Cell{named(merchantName(v.LegalName, v.Name), v.Name), text(v.Name)}
		}
		t.Lines = append(t.Lines, append(append(line, text(s.naming.Kind(v.Kind))), v.cells()...))
	}
	return nil
}

// bank names a bank; transfers, for example, name none.
func (s *Service) bank(iin string) string {
	if iin == "" {
		return "No bank named"
	}
	return s.naming.Bank(iin)
}

// merchantName names a merchant; the network's sign-in, for example, has none.
func merchantName(name, id string) string {
	if id == "" {
		return "No merchant"
	}
	return name
}

func (s *Service) commission(ctx context.Context, q Query, keys [3]string, limit int, t *Table) error {
	list, err := s.store.Earnings(ctx, q.Range, q.Merchant, Earning{Merchant: central.MerchantID(keys[0]), Vendor: central.VendorID(keys[1])}, limit+1)
	if err != nil {
		return err
	}
	if q.Merchant == "" && len(list) > limit {
		list = list[:limit]
		t.Next = cursor(string(list[limit-1].Merchant), string(list[limit-1].Vendor))
	}
	for _, e := range list {
		line := []Cell{named(e.LegalName, string(e.Merchant)), text(string(e.Merchant)), named(e.VendorName, string(e.Vendor)), text(string(e.Vendor))}
		t.Lines = append(t.Lines, append(line, e.cells()...))
	}
	return nil
}

// Notes of days without sums.
const (
	noteNoFile = "no file of the bank"
	noteSoon   = "its sums come within minutes"
)

// settlement reads sums of files. Days without a file, or without its sums yet, have a line of
// their own where no merchant is chosen: a day that is missing must not look like a day without
// money.
func (s *Service) settlement(ctx context.Context, q Query, keys [3]string, limit int, t *Table) error {
	after := SettledKey{Day: ist.Day(keys[0]), Merchant: central.MerchantID(keys[1]), Kind: central.Kind(keys[2])}
	rows, err := s.store.SettledRows(ctx, q.Range, q.Merchant, after, limit+1)
	if err != nil {
		return err
	}
	days, err := s.settledDays(ctx, q.Range)
	if err != nil {
		return err
	}
	more := len(rows) > limit
	rows = rows[:min(len(rows), limit)]
	open, err := s.openCases(ctx, rows)
	if err != nil {
		return err
	}
	next := max(q.First, after.Day)
	if after.Day != "" {
		next = next.Add(1) // the day of the key had its own line, if any
	}
	for _, r := range rows {
		if q.Merchant == "" {
			next = s.addEmptyDays(t, next, r.Day.Add(-1), days)
		}
		next = max(next, r.Day.Add(1))
		t.Lines = append(t.Lines, s.settledLine(r, open[r.SettledKey], ""))
	}
	switch {
	case more:
		last := rows[len(rows)-1]
		t.Next = cursor(string(last.Day), string(last.Merchant), string(last.Kind))
	case q.Merchant == "":
		s.addEmptyDays(t, next, q.Last, days)
	}
	return nil
}

// settledDays returns the days with a file in force.
func (s *Service) settledDays(ctx context.Context, r Range) (map[ist.Day]SettledDay, error) {
	list, err := s.store.SettledDays(ctx, r)
	days := make(map[ist.Day]SettledDay, len(list))
	for _, d := range list {
		days[d.Day] = d
	}
	return days, err
}

// openCases counts the undecided cases of some rows.
func (s *Service) openCases(ctx context.Context, rows []SettledRow) (map[SettledKey]int64, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	return s.store.OpenCases(ctx, Range{rows[0].Day, rows[len(rows)-1].Day})
}

// addEmptyDays adds a line for each day without sums or with an empty file, and returns the day
// after last.
func (s *Service) addEmptyDays(t *Table, first, last ist.Day, days map[ist.Day]SettledDay) ist.Day {
	for ; first <= last; first = first.Add(1) {
		d, known := days[first]
		note := ""
		switch {
		case !known:
			note = noteNoFile
		case !d.Summed:
			note = noteSoon
		}
		t.Lines = append(t.Lines, s.settledLine(SettledRow{SettledKey: SettledKey{Day: first, File: d.File}}, 0, note))
	}
	return first
}

func (s *Service) settledLine(r SettledRow, open int64, note string) []Cell {
	file, merchant, kind := "", Cell{}, ""
	if r.File > 0 {
		file = fmt.Sprintf("%s.%d", r.Day, r.File)
	}
	if r.Kind != "" {
		merchant, kind = named(merchantName(r.LegalName, string(r.Merchant)), string(r.Merchant)), s.naming.Kind(r.Kind)
	} else if r.Lines+r.Cases > 0 {
		merchant = text("Not in the central")
	}
	line := []Cell{text(string(r.Day)), text(file), merchant, text(string(r.Merchant)), text(kind)}
	return append(append(line, r.cells(open)...), text(note))
}

// Total adds up a whole report, as a line of it: the texts but the first are empty.
func (s *Service) Total(ctx context.Context, q Query) ([]Cell, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if q.filtered() {
		return s.totalOfLines(ctx, q)
	}
	var cells []Cell
	switch q.Report {
	case Settlement:
		total, open, err := s.settlementTotal(ctx, q.Range)
		if err != nil {
			return nil, err
		}
		cells = append(total.cells(open), Cell{})
	case Commission:
		total, err := s.store.EarningTotal(ctx, q.Range)
		if err != nil {
			return nil, err
		}
		cells = total.cells()
	default:
		var total Volume
		list, err := s.store.Volumes(ctx, q.Range, ByAll, nil, Volume{}, maxPage)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			total.Add(v)
		}
		cells = total.cells()
	}
	return totalLine(q.Report, cells), nil
}

// settlementTotal adds up the files in force, and counts their undecided cases.
func (s *Service) settlementTotal(ctx context.Context, r Range) (total Settled, open int64, err error) {
	days, err := s.settledDays(ctx, r)
	if err != nil {
		return total, 0, err
	}
	for _, d := range days {
		total.Add(d.Settled)
	}
	counts, err := s.store.OpenCases(ctx, r)
	for key, n := range counts {
		if d := days[key.Day]; d.Summed && d.File == key.File {
			open += n
		}
	}
	return total, open, err
}

// totalLine puts texts before the sums.
func totalLine(n Name, cells []Cell) []Cell {
	line := make([]Cell, len(n.Columns())-len(cells))
	line[0] = text("Total")
	return append(line, cells...)
}

// totalOfLines adds up the lines of a filtered report, which are few.
func (s *Service) totalOfLines(ctx context.Context, q Query) ([]Cell, error) {
	total := make([]Cell, len(q.Report.Columns()))
	err := s.Each(ctx, q, func(line []Cell) error {
		for i := range line {
			total[i].Number += line[i].Number
		}
		return nil
	})
	total[0] = text("Total")
	return total, err
}

// Each calls do for each line of a report, in its order, reading pages of a bounded size.
func (s *Service) Each(ctx context.Context, q Query, do func(line []Cell) error) error {
	for from := ""; ; {
		t, err := s.Page(ctx, q, from, maxPage)
		if err != nil {
			return err
		}
		for _, line := range t.Lines {
			if err := do(line); err != nil {
				return err
			}
		}
		if from = t.Next; from == "" {
			return nil
		}
	}
}

// WriteCSV writes a whole report, the names of its fields first, and returns the number of
// lines without that. flush, if there is one, is called after each part.
func (s *Service) WriteCSV(ctx context.Context, q Query, to io.Writer, flush func()) (lines int, err error) {
	fields := q.Report.Columns()
	out := csv.NewWriter(to)
	record := make([]string, len(fields))
	for i, c := range fields {
		record[i] = c.Field
	}
	_ = out.Write(record) // Flush returns its error
	err = s.Each(ctx, q, func(line []Cell) error {
		for i, c := range fields {
			record[i] = c.CSV(line[i])
		}
		if lines++; lines%maxPage == 0 && flush != nil {
			out.Flush()
			flush()
		}
		return out.Write(record)
	})
	out.Flush()
	if err == nil {
		err = out.Error()
	}
	if err != nil {
		return lines, fmt.Errorf("the report %s of %s after %s lines: %w", q.Report, q.Range, strconv.Itoa(lines), err)
	}
	return lines, nil
}
