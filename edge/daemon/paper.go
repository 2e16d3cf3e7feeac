package daemon

import (
	"context"
	"html/template"
	"time"

	"galla/edge"
	"galla/edge/paper"
	"galla/edge/receipt"
	"galla/edge/screen"
	"galla/edge/till"
	"galla/edge/words"
)

// slips is the printer's room, with receipts as the screen shows them.
type slips struct {
	*paper.Room
	make func(edge.Record, *words.Words) receipt.Receipt
}

// openPaper makes the printer's room of a counter.
func openPaper(counter *edge.Counter, own *kept, s Settings, cfg Config) (slips, error) {
	shop := receipt.Shop{Merchant: s.Merchant, MID: s.MID, TID: s.TID, Agent: s.Agent}
	out := slips{make: func(r edge.Record, say *words.Words) receipt.Receipt {
		return receipt.Make(r, shop, say)
	}}
	room, err := paper.New(counter, paper.Config{
		Settings: s.Printer, Receipt: out.make, Logger: cfg.Logger,
		Keep: func(p paper.Settings) error { return own.change(func(s *Settings) { s.Printer = p }) },
	})
	out.Room = room
	return out, err
}

// closing puts the closing of a day on the receipt printer.
func (s slips) closing(_ context.Context, closed till.Slip) error {
	rows := make([]receipt.Row, len(closed.Rows))
	for i, row := range closed.Rows {
		rows[i] = receipt.Row{Label: row.Label, Value: row.Value}
	}
	return s.Print("closing", receipt.Receipt{Shop: []string{closed.Shop}, Title: closed.Title, Rows: rows})
}

// View gives the receipt of an operation as the screen shows it; operator is the
// language of whoever looks.
func (s slips) View(r edge.Record, operator *words.Words) screen.ReceiptView {
	say := s.Language(r, operator)
	made := s.make(r, say)
	rows := make([]screen.ReceiptLine, len(made.Rows))
	for i, row := range made.Rows {
		rows[i] = screen.ReceiptLine{Label: row.Label, Value: row.Value}
	}
	told := s.Told(r, operator)
	v := screen.ReceiptView{
		Lang: say.Code(), Shop: made.Shop, Title: made.Title, Status: made.Status, Rows: rows, Lines: made.Lines, Notes: made.Notes, Advice: made.Advice,
		Mark:    made.Mark(receipt.Copy{Number: r.Prints, At: time.Now()}),
		Printer: s.Ready(), Told: told.Text, Tone: told.Tone,
	}
	if drawing, err := receipt.Drawing(made.Reference); err == nil { // one that is too long has its row
		v.Code = template.HTML(drawing) // digits and letters of ours: a path of squares
	}
	return v
}
