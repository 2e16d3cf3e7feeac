package till

import (
	"encoding/csv"
	"fmt"
	"io"
	"time"

	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/printable"
)

// columns are the head of the file. They are the same in every language:
// accountants' programs know a file by them.
var columns = [...]string{
	"date", "time", "operation", "state", "amount", "customer", "aadhaar", "bank",
	"code", "reference", "rrn", "stan", "cash_given", "operator", "id", "charge", "cash_in", "cash_out",
}

// WriteCSV writes operations as CSV (RFC 4180, with CRLF, and a byte order mark
// so that spreadsheets read the names right). No cell of it is a formula to a
// spreadsheet. Times are India's. cash_in and cash_out are what moved in the
// drawer, in the sums of the day: theirs are those of the day's reckoning. An
// operation of another day stands in the file where its cash is in them. The errors
// are those of w.
func WriteCSV(w io.Writer, day Day, moved []Moved, offset time.Duration) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return fmt.Errorf("write the file of operations: %w", err)
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	rows := [][]string{columns[:]}
	for _, r := range moved {
		if len(r.Cash) == 0 && DayOf(r.CreatedAt, offset) != day {
			continue
		}
		in, cashOut := cashbook.Sum(r.Cash)
		at, given := r.CreatedAt.Add(offset).In(india()), ""
		if !r.CashGiven.IsZero() {
			given = r.CashGiven.Add(offset).In(india()).Format("2006-01-02 15:04:05")
		}
		row := []string{
			at.Format(time.DateOnly), at.Format(time.TimeOnly), string(r.Route), string(r.State), sum(r.Amount), r.Customer,
			masked(r.Aadhaar), r.BankName, r.Result.Code, r.Result.Reference, r.Result.RRN, r.Result.STAN, given, r.Operator, string(r.ID),
			sum(cashbook.Charge(r.Record)), sum(in), sum(cashOut),
		}
		for i := range row {
			row[i] = printable.Cell(row[i])
		}
		rows = append(rows, row)
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write the file of operations: %w", err)
	}
	return nil
}

// sum writes an amount; nothing for none.
func sum(p money.Paise) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

// masked lets only the last four digits through, whatever the record holds.
func masked(aadhaar string) string {
	if len(aadhaar) < 4 {
		return ""
	}
	return "XXXXXXXX" + aadhaar[len(aadhaar)-4:]
}
