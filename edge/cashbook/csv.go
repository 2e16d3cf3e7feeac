package cashbook

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"time"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/printable"
	"galla/shared/secret"
)

// CSVTexts are the words of a file of operations, in the language of who saves it.
type CSVTexts struct {
	// Heading is the heading of a column; Columns lists their names.
	Heading func(column string) string
	Kind    func(edge.Record) string // what was done
	State   func(edge.Record) string // the result
	Reason  func(edge.Record) string // why it did not succeed; "" if it did
}

// columns are the names of the file's columns, in their order.
var columns = [...]string{
	"date", "time", "operation", "state", "amount", "charge", "cash-in", "cash-out", "customer", "mobile", "aadhaar", "bank",
	"cash-given", "reason", "reference", "rrn", "stan", "user", "id",
}

// Columns returns the names of the file's columns, in their order.
func Columns() []string { return slices.Clone(columns[:]) }

// WriteCSV writes operations as CSV (RFC 4180, with CRLF and a byte order mark for
// spreadsheets). No cell is a formula to a spreadsheet. Times are Indian; amounts are
// rupees. The cash is that of the day's sums, so an operation of another day is in the file
// if its cash is in them. Mobile and Aadhaar numbers are masked. Errors are those of w.
func WriteCSV(w io.Writer, day ist.Day, moved []DayOperation, offset time.Duration, texts CSVTexts) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return fmt.Errorf("write the file of operations: %w", err)
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	heads := make([]string, len(columns))
	for i, name := range columns {
		heads[i] = texts.Heading(name)
	}
	rows := [][]string{heads}
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
			at.Format(time.DateOnly), at.Format(time.TimeOnly), texts.Kind(r.Record), texts.State(r.Record),
			csvAmount(r.Amount), csvAmount(Charge(r.Record)), csvAmount(in), csvAmount(cashOut),
			r.Customer, maskedMobile(r.Mobile), masked(r.Aadhaar), r.BankName,
			given, texts.Reason(r.Record), r.Result.Reference, r.Result.RRN, r.Result.STAN, r.User, string(r.ID),
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

func maskedMobile(number string) string {
	if number == "" {
		return ""
	}
	return secret.MaskMobile(number)
}
