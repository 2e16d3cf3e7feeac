package daemon

import (
	"context"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/printing/receipt"
	"galla/edge/ui/aeps"
	"galla/edge/ui/printer"
	"galla/shared/theme"
)

// receipts is the printer's section, with receipts as the pages show them.
type receipts struct {
	*printer.Pages
	make func(edge.Record, *i18n.Localizer) receipt.Receipt
}

func openPrinter(counter *edge.Counter, own *settingsStore, s Settings, cfg Config) (receipts, error) {
	out := receipts{make: func(r edge.Record, say *i18n.Localizer) receipt.Receipt {
		where := counter.Status().Shop
		return receipt.New(r, receipt.Shop{Merchant: s.Merchant, Address: where.Address, Phone: where.Phone, MID: s.MID, TID: s.TID, Agent: s.Agent}, say)
	}}
	pages, err := printer.New(counter, printer.Config{
		Settings: s.Printer, Receipt: out.make, Logger: cfg.Logger,
		Save: func(p printer.Settings) error { return own.change(func(s *Settings) { s.Printer = p }) },
	})
	out.Pages = pages
	return out, err
}

// printClosing prints the closing of a day on the receipt printer.
func (s receipts) printClosing(_ context.Context, closing receipt.Receipt) error {
	return s.Print("closing", closing)
}

// View returns the receipt of an operation as the pages show it; operator is the
// language of the user.
func (s receipts) View(r edge.Record, operator *i18n.Localizer) aeps.ReceiptView {
	made, status := s.make(r, s.Language(r, operator)), s.SlipStatus(r, operator)
	v := aeps.ReceiptView{
		Receipt: made, Duplicate: made.Mark(receipt.Copy{Number: r.PrintCount, At: time.Now()}),
		Printer: s.Ready(), PrintStatus: status.Text, Tone: status.Tone,
	}
	if drawing, err := theme.QRDrawing(made.Reference, ""); err == nil { // one that is too long has its row
		v.Code = drawing
	}
	return v
}
