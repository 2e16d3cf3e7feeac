package selfservice

import (
	"context"
	"encoding/csv"
	"io"
	"time"

	"galla/central"
	"galla/shared/printable"
)

// CSVPage is how many operations of a CSV file are read at one time.
const CSVPage = 500

// WriteCSV writes operations as CSV (RFC 4180) with a line of names: first, which is the
// first page of q, and the pages after it, which next reads. A cell that a spreadsheet
// would take for a formula begins with an apostrophe.
func WriteCSV(ctx context.Context, w io.Writer, first []central.Operation, q OperationQuery, next func(context.Context, OperationQuery) ([]central.Operation, error)) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{
		"id", "createdAt", "merchantId", "type", "status", "amount", "reference", "pendingReference", "stan", "rrn", "responseCode", "AadharNo", "finishedAt",
	}); err != nil {
		return err
	}
	for page := first; ; {
		for _, o := range page {
			cells := []string{
				string(o.ID), csvTime(o.CreatedAt), string(o.Merchant), string(o.Kind), string(o.State), o.Amount.String(), string(o.Reference), o.PendingReference,
				o.STAN, o.RRN, o.Code, Aadhaar(o), csvTime(o.FinishedAt),
			}
			for i, text := range cells {
				cells[i] = printable.Cell(text)
			}
			if err := out.Write(cells); err != nil {
				return err
			}
		}
		out.Flush()
		if err := out.Error(); err != nil || len(page) < q.Limit {
			return err
		}
		q.After = page[len(page)-1].ID
		var err error
		if page, err = next(ctx, q); err != nil {
			return err
		}
	}
}

// Aadhaar is the masked number of an operation's customer; empty for a transfer, whose
// customer has none.
func Aadhaar(o central.Operation) string {
	if o.Kind.AEPS() {
		return o.Aadhaar
	}
	return ""
}

// csvTime is a time in UTC with milliseconds; empty for none.
func csvTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
