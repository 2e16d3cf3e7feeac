package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"galla/central/reports"
	"galla/central/staff"
	"galla/shared/ist"
)

// reportFilesPage is the data of the files that are written by schedule.
type reportFilesPage struct {
	Plans  []reports.Plan
	Places string
	Runs   []reports.Run
	Older  string // address of the next page; empty: none
}

// Written reports whether files are written at all.
func (d reportFilesPage) Written() bool { return d.Places != "" }

// runKeyOf reads the name of a run: report, first and last day.
func runKeyOf(text string) (k reports.RunKey, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return k, errors.New("no name of a file")
	}
	k = reports.RunKey{Report: reports.Name(parts[0]), Range: reports.Range{First: ist.Day(parts[1]), Last: ist.Day(parts[2])}}
	return k, (reports.Query{Report: k.Report, Range: k.Range}).Check()
}

func (c *Console) reportFiles(v *visit) error { return c.showReportFiles(v, http.StatusOK, "") }

func (c *Console) showReportFiles(v *visit, status int, alert string) error {
	var before reports.RunKey
	if text := v.query().Get("before"); text != "" {
		var err error
		if before, err = runKeyOf(text); err != nil {
			return v.message(http.StatusUnprocessableEntity, "This did not work", "The address of this page is cut off: begin at the first page.")
		}
	}
	list, err := c.Reports.Files.Runs(v.Context(), before, pageSize+1)
	if err != nil {
		return err
	}
	d := reportFilesPage{Plans: c.Reports.Files.Plans(), Places: c.Reports.Files.PlacesText(), Runs: list}
	if len(list) > pageSize {
		d.Runs = list[:pageSize]
		d.Older = Root + "reports/files?before=" + url.QueryEscape(d.Runs[pageSize-1].Key())
	}
	return v.show(status, page{Name: "report-files", Title: "Files of reports", Back: Root + "reports", Alert: alert, Data: d})
}

// writeReportAgain makes a file be written once more, within two minutes.
func (c *Console) writeReportAgain(v *visit) error {
	k, err := runKeyOf(v.field("file"))
	if err != nil {
		return c.showReportFiles(v, http.StatusUnprocessableEntity, "This is no name of a file of a report: load the page again.")
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "report.write", Subject: string(k.Report), Note: k.Range.String()}); err != nil {
		return err
	}
	err = c.Reports.Files.RunAgain(v.Context(), k, v.Login())
	return v.after(err, func(status int, text string) error { return c.showReportFiles(v, status, text) }, Root+"reports/files", "report-asked")
}
