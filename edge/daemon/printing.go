package daemon

import (
	"context"
	"html/template"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/printing/receipt"
	"galla/edge/ui/aeps"
	"galla/edge/ui/dayend"
	"galla/edge/ui/printer"
)

// receipts is the printer's section, with receipts as the pages show them.
type receipts struct {
	*printer.Pages
	make func(edge.Record, *i18n.Localizer) receipt.Receipt
}

func openPrinter(counter *edge.Counter, own *settingsStore, s Settings, cfg Config) (receipts, error) {
	shop := receipt.Shop{Merchant: s.Merchant, MID: s.MID, TID: s.TID, Agent: s.Agent}
	out := receipts{make: func(r edge.Record, say *i18n.Localizer) receipt.Receipt {
		return receipt.New(r, shop, say)
	}}
	pages, err := printer.New(counter, printer.Config{
		Settings: s.Printer, Receipt: out.make, Logger: cfg.Logger,
		Save: func(p printer.Settings) error { return own.change(func(s *Settings) { s.Printer = p }) },
	})
	out.Pages = pages
	return out, err
}

func (s receipts) printClosing(_ context.Context, closed dayend.Slip) error {
	rows := make([]receipt.Row, len(closed.Rows))
	for i, row := range closed.Rows {
		rows[i] = receipt.Row{Label: row.Label, Value: row.Value}
	}
	return s.Print("closing", receipt.Receipt{Shop: []string{closed.Shop}, Title: closed.Title, Rows: rows})
}

// View returns the receipt of an operation as the pages show it; operator is the
// language of the user.
func (s receipts) View(r edge.Record, operator *i18n.Localizer) aeps.ReceiptView {
	say := s.Language(r, operator)
	made := s.make(r, say)
	rows := make([]aeps.ReceiptLine, len(made.Rows))
	for i, row := range made.Rows {
		rows[i] = aeps.ReceiptLine{Label: row.Label, Value: row.Value}
	}
	status := s.SlipStatus(r, operator)
	v := aeps.ReceiptView{
		Lang: say.Code(), Shop: made.Shop, Title: made.Title, Status: made.Status, Rows: rows, Lines: made.Lines, Notes: made.Notes, Advice: made.Advice,
		Duplicate: made.Mark(receipt.Copy{Number: r.PrintCount, At: time.Now()}),
		Printer:   s.Ready(), PrintStatus: status.Text, Tone: status.Tone,
	}
	if drawing, err := receipt.QRSVG(made.Reference); err == nil { // one that is too long has its row
		v.Code = template.HTML(drawing) // digits and letters of ours: a path of squares
	}
	return v
}
