package reports

import (
	"strconv"

	"galla/shared/money"
	"galla/shared/printable"
)

// Form is how the cells of a column are written.
type Form int

// The forms.
const (
	Text Form = iota
	Count
	Rupees
)

// Column is a column of a report.
type Column struct {
	Title string // for people
	Field string // in CSV
	Form  Form
	// CSVOnly: a page has no such column, since the cell before it has the same as a note.
	CSVOnly bool
}

// Cell is a cell: a text, or a number, which is paise in a column of rupees.
type Cell struct {
	Text   string
	Number int64
	Note   string // beside it on a page, such as an id
}

// Table is a part of a report.
type Table struct {
	Columns []Column
	Lines   [][]Cell
	Next    string // where the next part begins; empty: this is the last
}

func text(s string) Cell          { return Cell{Text: s} }
func number(n int64) Cell         { return Cell{Number: n} }
func rupees(p money.Paise) Cell   { return Cell{Number: int64(p)} }
func named(name, id string) Cell  { return Cell{Text: firstOf(name, id), Note: id} }
func texts(t, f string) Column    { return Column{Title: t, Field: f, Form: Text} }
func ids(t, f string) Column      { return Column{Title: t, Field: f, Form: Text, CSVOnly: true} }
func counts(t, f string) Column   { return Column{Title: t, Field: f, Form: Count} }
func rupeesOf(t, f string) Column { return Column{Title: t, Field: f, Form: Rupees} }
func firstOf(name, id string) string {
	if name != "" {
		return name
	}
	return id
}

// CSV writes a cell for programs and spreadsheets, which run no text of it.
func (c Column) CSV(x Cell) string {
	switch c.Form {
	case Count:
		return strconv.FormatInt(x.Number, 10)
	case Rupees:
		return money.Paise(x.Number).String()
	}
	return printable.Cell(x.Text)
}

// columns are the columns of each report. A name has its id in a column of its own in CSV, and
// beside it on a page.
var columns = map[Name][]Column{
	Settlement: {
		texts("Day", "day"), texts("Bank's file", "file"), texts("Merchant", "merchant"), ids("Merchant id", "merchant_id"), texts("Kind", "kind"),
		counts("Lines", "lines"), rupeesOf("Settled", "settled_rupees"), counts("Matched", "matched_lines"), rupeesOf("Matched amount", "matched_rupees"),
		counts("Cases", "cases"), counts("Open cases", "open_cases"), texts("Note", "note"),
	},
	Commission: {
		texts("Merchant", "merchant"), ids("Merchant id", "merchant_id"), texts("Vendor", "vendor"), ids("Vendor id", "vendor_id"),
		counts("Earned", "earned"), counts("Reversed", "reversed"), rupeesOf("Amount", "amount_rupees"), rupeesOf("Charges", "charges_rupees"), rupeesOf("GST", "gst_rupees"),
		rupeesOf("Provider's cost", "provider_cost_rupees"), rupeesOf("Commission", "commission_rupees"), rupeesOf("TDS", "tds_rupees"), rupeesOf("Payable", "payable_rupees"),
	},
	VolumesByBank:     append([]Column{texts("Bank", "bank"), ids("IIN", "iin"), texts("Kind", "kind")}, volumeColumns...),
	VolumesByKind:     append([]Column{texts("Kind", "kind")}, volumeColumns...),
	VolumesByMerchant: append([]Column{texts("Merchant", "merchant"), ids("Merchant id", "merchant_id"), texts("Kind", "kind")}, volumeColumns...),
}

var volumeColumns = []Column{
	counts("Operations", "operations"), counts("Succeeded", "succeeded"), counts("Failed", "failed"), counts("Refused", "refused"), rupeesOf("Amount", "amount_rupees"),
}

// Columns lists the columns of a report.
func (n Name) Columns() []Column { return columns[n] }

func (v Volume) cells() []Cell {
	return []Cell{number(v.Operations), number(v.Succeeded), number(v.Failed), number(v.Refused), rupees(v.Amount)}
}

func (e Earning) cells() []Cell {
	return []Cell{
		number(e.Earned), number(e.Reversed), rupees(e.Amount), rupees(e.Charge), rupees(e.GST),
		rupees(e.ProviderCost), rupees(e.Commission), rupees(e.TDS), rupees(e.Commission - e.TDS),
	}
}

func (s Settled) cells(open int64) []Cell {
	return []Cell{
		number(s.Lines), rupees(s.Amount), number(s.Matched), rupees(s.MatchedAmount), number(s.Cases), number(open),
	}
}
