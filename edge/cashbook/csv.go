package cashbook

import (
	"encoding/csv"
	"fmt"
	"io"
	"time"

	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/printable"
)

// columns are the file's heading, the same in every language: accounting programs
// recognize a file by them.
var columns = [...]string{
	"date", "time", "operation", "state", "amount", "customer", "aadhaar", "bank",
	"code", "reference", "rrn", "stan", "cash_given", "operator", "id", "charge", "cash_in", "cash_out",
}

// WriteCSV writes operations as CSV (RFC 4180, with CRLF and a byte order mark for
// spreadsheets). No cell is a formula to a spreadsheet. Times are Indian. cash_in and
// cash_out are the movements in the day's sums, so an operation of another day is in the
// file if its cash is in them. Errors are those of w.
func WriteCSV(w io.Writer, day ist.Day, moved []DayOperation, offset time.Duration) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return fmt.Errorf("write the file of operations: %w", err)
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	rows := [][]string{columns[:]}
	for _, r := range moved {
		if len(r.Cash) == 0 && ist.DayOf(r.CreatedAt.Add(offset)) != day {
			continue
		}
		in, cashOut := Sum(r.Cash)
		at, given := r.CreatedAt.Add(offset).In(ist.Zone()), ""
		if !r.CashGivenAt.IsZero() {
			given = r.CashGivenAt.Add(offset).In(ist.Zone()).Format("2006-01-02 15:04:05")
		}
		row := []string{
			at.Format(time.DateOnly), at.Format(time.TimeOnly), string(r.Route), string(r.State), csvAmount(r.Amount), r.Customer,
			masked(r.Aadhaar), r.BankName, r.Result.Code, r.Result.Reference, r.Result.RRN, r.Result.STAN, given, r.User, string(r.ID),
			csvAmount(Charge(r.Record)), csvAmount(in), csvAmount(cashOut),
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

// csvAmount formats an amount; "" for none.
func csvAmount(p money.Paise) string {
	if p == 0 {
		return ""
	}
	return p.String()
}

// masked keeps only the last four digits, whatever the record holds.
func masked(aadhaar string) string {
	if len(aadhaar) < 4 {
		return ""
	}
	return "XXXXXXXX" + aadhaar[len(aadhaar)-4:]
}
