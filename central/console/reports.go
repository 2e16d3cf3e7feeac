package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/reports"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/money"
)

// maxPrinted is how many lines a printed report has: some forty sheets.
const maxPrinted = 2000

// ReportParts is what the pages of reports show. The zero value: there are none.
type ReportParts struct {
	Reports *reports.Service
	Files   *reports.Schedule
	Company string // of the printed pages; empty: Galla
}

func (c *Console) reportRoutes() []route {
	if c.Reports.Reports == nil {
		return nil
	}
	return []route{
		getRoute("reports", staff.Viewer, c.showReport),
		withoutStepUp("it chooses a report, and changes nothing", postRoute("reports", staff.Viewer, c.chooseReport)),
		getRoute("reports.csv", staff.Viewer, c.exportReport),
		getRoute("reports/print", staff.Viewer, c.printReport),
		getRoute("reports/files", staff.Viewer, c.reportFiles),
		withoutStepUp("it writes a report once more, and changes no money, access or party", postRoute("reports/files", staff.Operator, c.writeReportAgain)),
	}
}

// reportPage is a report's data.
type reportPage struct {
	reports.Query
	MerchantName, BankName string
	Asked                  reports.Range // the days of the form, before those that are not complete were left out
	Closed                 reports.Range
	Names                  []reports.Name
	Presets                []link
	Columns                []reports.Column
	Lines                  [][]shownCell
	Total                  []shownCell
	More                   bool
	Next, Start            string // addresses of the next page and of the first one; empty: this is it
	Choices                []link
	ChoicesOf              string
	Files                  *reports.Schedule
	Company                string
	At                     time.Time
}

// shownCell is a cell as a page shows it.
type shownCell struct {
	Label, Text, Note, Href string
	Number                  bool
}

// Title is the report's name.
func (d reportPage) Title() string { return d.Report.Title() }

// Empty reports whether no day of the range is complete.
func (d reportPage) Empty() bool { return d.First == "" }

// values are the choice as an address has it.
func (d reportPage) values() url.Values {
	q := url.Values{"report": {string(d.Report)}, "from": {string(d.Asked.First)}, "to": {string(d.Asked.Last)}}
	for name, value := range map[string]string{"merchant": string(d.Merchant), "bank": d.Bank} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// At leads to a page of the same choice.
func (d reportPage) at(path string) string { return Root + path + "?" + d.values().Encode() }

// Export and Print are the addresses of the whole report.
func (d reportPage) Export() string { return d.at("reports.csv") }

// Print is described at Export.
func (d reportPage) Print() string { return d.at("reports/print") }

// Screen is the address of the report's page.
func (d reportPage) Screen() string { return d.at("reports") }

// Unfiltered is the address without the chosen name.
func (d reportPage) Unfiltered() string {
	d.Merchant, d.Bank = "", ""
	return d.Screen()
}

// DaysText is the range for people.
func (d reportPage) DaysText() string {
	if d.First == d.Last {
		return dayText(d.First)
	}
	return dayText(d.First) + " to " + dayText(d.Last)
}

func dayText(d ist.Day) string { return d.Noon().Format("2 January 2006") }

// Cut reports whether days of the choice are not in the report.
func (d reportPage) Cut() bool { return d.Asked != d.Range }

// reportPresets are ranges with names, up to the last complete day.
func reportPresets(d reportPage) (list []link) {
	last := d.Closed.Last
	if last == "" {
		return nil
	}
	month, before := reports.Monthly.Around(last), reports.Monthly.LastBefore(reports.Monthly.Around(last).First.Add(-1))
	year := financialYear(last)
	for _, p := range []struct {
		title string
		of    reports.Range
	}{
		{"Last day", reports.Range{First: last, Last: last}}, {"Last 7 days", reports.Range{First: last.Add(-6), Last: last}},
		{"This month", reports.Range{First: month.First, Last: last}}, {"Last month", before},
		{"This financial year", reports.Range{First: year.First, Last: last}}, {"Last financial year", financialYear(year.First.Add(-1))},
	} {
		d.Asked = p.of
		list = append(list, link{d.Screen(), p.title})
	}
	return list
}

// financialYear is the year of taxes in India that contains a day: April to March.
func financialYear(d ist.Day) reports.Range {
	at := d.Noon()
	year := at.Year()
	if at.Month() < time.April {
		year--
	}
	return reports.Range{First: ist.Day(fmt.Sprintf("%04d-04-01", year)), Last: ist.Day(fmt.Sprintf("%04d-03-31", year+1))}
}

// parseReport reads a choice. Every field that is wrong is in the error. *manyNames: a name is
// that of several parties.
func (c *Console) parseReport(ctx context.Context, q url.Values) (reportPage, error) {
	text := func(name string) string { return withoutNumbers(strings.TrimSpace(q.Get(name))) }
	d := reportPage{Names: reports.Names(), Files: c.Reports.Files, Company: cmp.Or(c.Reports.Company, "Galla"), At: time.Now()}
	closed, err := c.Reports.Reports.Closed(ctx)
	if err != nil {
		return d, err
	}
	d.Closed, d.Report = closed, reports.Name(cmp.Or(text("report"), string(reports.Settlement)))
	last := cmp.Or(closed.Last, today().Add(-1))
	d.Asked = reports.Range{
		First: cmp.Or(ist.Day(text("from")), reports.Monthly.Around(cmp.Or(ist.Day(text("to")), last)).First),
		Last:  cmp.Or(ist.Day(text("to")), last),
	}
	var wrong []string
	if !d.Report.Known() {
		wrong, d.Report = append(wrong, fmt.Sprintf("there is no report %q", d.Report)), reports.Settlement
	}
	if err := d.Asked.Check(); err != nil {
		wrong = append(wrong, err.Error())
	}
	if len(wrong) > 0 {
		d.Asked = reports.Range{First: last, Last: last}
		return d, refuse("%s", sentence(strings.Join(wrong, "; ")))
	}
	d.Range, _ = d.Asked.Within(closed)
	if d.First > d.Last || closed.Last == "" {
		d.Range = reports.Range{}
	}
	d.Presets = reportPresets(d)
	return d, c.resolveReportName(ctx, &d, text)
}

// resolveReportName turns the typed name into an id. A name that the report has no filter for,
// left over from another report, is ignored.
func (c *Console) resolveReportName(ctx context.Context, d *reportPage, text func(string) string) error {
	field := "merchant"
	if d.Report.HasBank() {
		field = "bank"
	}
	typed := text(field)
	if typed == "" {
		return nil
	}
	found, err := c.partiesNamed(ctx, field, typed, maxChoices)
	if err != nil {
		return err
	}
	one, err := chooseOne(field, typed, found)
	if err != nil {
		return err
	}
	if field == "bank" {
		d.Bank, d.BankName = one.ID, one.Name
	} else {
		d.Merchant, d.MerchantName = central.MerchantID(one.ID), one.Name
	}
	d.Presets = reportPresets(*d)
	return nil
}

// refuseReport shows why a choice was refused, and what else its name may mean.
func (c *Console) refuseReport(v *visit, d reportPage, err error) error {
	var many *manyNames
	if errors.As(err, &many) {
		d.ChoicesOf, d.Range = many.text, reports.Range{}
		for _, x := range many.of {
			one := d
			if many.field == "bank" {
				one.Bank = x.ID
			} else {
				one.Merchant = central.MerchantID(x.ID)
			}
			d.Choices = append(d.Choices, link{one.Screen(), x.Name + " · " + x.ID})
		}
		return v.show(http.StatusOK, page{Name: "reports", Title: "Reports", Data: d})
	}
	return v.refuse(err, func(status int, text string) error {
		return v.show(status, page{Name: "reports", Title: "Reports", Alert: text, Data: d})
	})
}

// chooseReport leads from the form to the report. The form is sent in a body, since somebody may
// type a customer's number into it, which no address may have.
func (c *Console) chooseReport(v *visit) error {
	d, err := c.parseReport(v.Context(), v.r.PostForm)
	if err != nil {
		return c.refuseReport(v, d, err)
	}
	return v.redirect(d.Screen(), "")
}

func (c *Console) showReport(v *visit) error {
	d, err := c.parseReport(v.Context(), v.query())
	if err != nil {
		return c.refuseReport(v, d, err)
	}
	from := v.query().Get("next")
	if !d.Empty() {
		if err := c.fillReport(v, &d, from, pageSize); err != nil {
			return c.refuseReport(v, d, err)
		}
	}
	if from != "" {
		d.Start = d.Screen()
	}
	return v.show(http.StatusOK, page{Name: "reports", Title: "Reports", Data: d})
}

// fillReport reads a part of the report, and its total.
func (c *Console) fillReport(v *visit, d *reportPage, from string, limit int) error {
	table, err := c.Reports.Reports.Page(v.Context(), d.Query, from, limit)
	if errors.Is(err, reports.ErrCursor) {
		return refuse("%s", sentence(err.Error()))
	}
	if err != nil {
		return err
	}
	total, err := c.Reports.Reports.Total(v.Context(), d.Query)
	if err != nil {
		return err
	}
	d.addTable(table, c.Parties != nil)
	d.Total = shownCells(table.Columns, total, false)
	if table.Next != "" {
		q := d.values()
		q.Set("next", table.Next)
		d.Next, d.More = Root+"reports?"+q.Encode(), true
	}
	return nil
}

// addTable adds the lines of a part.
func (d *reportPage) addTable(t reports.Table, linked bool) {
	d.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c reports.Column) bool { return c.CSVOnly })
	for _, line := range t.Lines {
		d.Lines = append(d.Lines, shownCells(t.Columns, line, linked))
	}
}

// shownCells are cells as a page shows them; linked: those of merchants lead to their pages.
func shownCells(columns []reports.Column, line []reports.Cell, linked bool) (list []shownCell) {
	for i, col := range columns {
		if col.CSVOnly {
			continue
		}
		x := shownCell{Label: col.Title, Text: line[i].Text, Number: col.Form != reports.Text}
		switch {
		case col.Form == reports.Count:
			x.Text = money.Group(line[i].Number)
		case col.Form == reports.Rupees:
			x.Text = money.Paise(line[i].Number).Rupees()
		case linked && col.Field == "merchant" && line[i].Note != "":
			x.Href = Root + "merchants/" + url.PathEscape(line[i].Note)
		case line[i].Note != line[i].Text:
			x.Note = line[i].Note
		}
		list = append(list, x)
	}
	return list
}

// printReport shows a report for paper: without controls, with who made it, when, and of what.
func (c *Console) printReport(v *visit) error {
	d, err := c.parseReport(v.Context(), v.query())
	if err == nil && d.Empty() {
		err = refuse("No day of the range is complete yet.")
	}
	if err != nil {
		return c.refuseReport(v, d, err)
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "report.print", Subject: string(d.Report), Note: d.values().Encode()}); err != nil {
		return err
	}
	for from := ""; ; {
		table, err := c.Reports.Reports.Page(v.Context(), d.Query, from, pageOfPrint)
		if err != nil {
			return err
		}
		d.addTable(table, false)
		if from = table.Next; from == "" {
			break
		}
		if d.More = len(d.Lines) >= maxPrinted; d.More {
			break
		}
	}
	total, err := c.Reports.Reports.Total(v.Context(), d.Query)
	if err != nil {
		return err
	}
	d.Total = shownCells(d.Report.Columns(), total, false)
	return v.show(http.StatusOK, page{Name: "report-print", Title: d.Title(), Back: d.Screen(), Data: d})
}

// pageOfPrint is how many lines of a printed report one query reads.
const pageOfPrint = 500

// exportReport sends the whole report as a CSV file.
func (c *Console) exportReport(v *visit) error {
	d, err := c.parseReport(v.Context(), v.query())
	if err == nil && d.Empty() {
		err = refuse("No day of the range is complete yet.")
	}
	if err != nil {
		return c.refuseReport(v, d, err)
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "report.export", Subject: string(d.Report), Note: d.values().Encode()}); err != nil {
		return err
	}
	v.csv(fmt.Sprintf("galla-%s_%s.csv", d.Report, d.Range))
	if _, err := c.Reports.Reports.WriteCSV(v.Context(), d.Query, v.w, nil); err != nil {
		c.log.Error("an export of a report was cut off", "report", string(d.Report), "error", err)
		panic(http.ErrAbortHandler) // so that the browser knows that the file is not complete
	}
	return nil
}
