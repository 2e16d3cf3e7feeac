package console

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/shared/ist"
)

// dayRoutes are the routes to reconcile with the bank's files.
func (c *Console) dayRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "reconciliation", minRole: staff.Viewer, handle: c.days},
		{pattern: "POST " + Root + "reconciliation", minRole: staff.Operator, upload: true, handle: c.importDay},
		{pattern: "GET " + Root + "reconciliation/{day}", minRole: staff.Viewer, handle: c.day},
		{pattern: "GET " + Root + "reconciliation/{day}/cases.csv", minRole: staff.Viewer, handle: c.dayCSV},
	}
}

// maxDays is how many files, and manual cases, the list has.
const maxDays = 100

// daysPage is the list's data.
type daysPage struct {
	Files  []reconcile.File
	Manual []reconcile.Case
}

func (c *Console) days(v *visit) error {
	return c.showDays(v, http.StatusOK, "")
}

func (c *Console) showDays(v *visit, status int, alert string) error {
	var d daysPage
	var err error
	if d.Files, err = c.Reconciliation.Files(v.Context(), "", maxDays); err == nil {
		d.Manual, err = c.Reconciliation.ManualCases(v.Context(), maxDays)
	}
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "reconciliation", Title: "Reconciliation", Alert: alert, Data: d})
}

func (c *Console) importDay(v *visit) error {
	return v.upload(maxSettlement, func(_ url.Values, name string, file io.Reader) error {
		if file == nil {
			return c.showDays(v, http.StatusUnprocessableEntity, "Choose the bank's file.")
		}
		select {
		case c.imports <- struct{}{}:
			defer func() { <-c.imports }()
		default:
			return c.showDays(v, http.StatusServiceUnavailable, "Another file is being imported: try again when it is done.")
		}
		f, again, err := c.Reconciliation.Import(v.Context(), v.Actor(), v.Login(), name, file)
		var bad *reconcile.BadFile
		if errors.As(err, &bad) {
			err = refuse("Nothing was imported. %s", bad)
		}
		if err != nil {
			return v.refuse(err, func(status int, text string) error { return c.showDays(v, status, text) })
		}
		did := "imported"
		if again {
			did = "again"
		}
		return v.redirect(fmt.Sprintf("%sreconciliation/%s?file=%d", Root, f.Day, f.Number), did)
	})
}

// classSum is a line of a report's table.
type classSum struct {
	Class reconcile.Class
	reconcile.Sum
}

// dayPage is a report's data.
type dayPage struct {
	reconcile.Report
	Sums  []classSum
	All   reconcile.Sum
	Files []reconcile.File
}

// report reads the report that the address names.
func (c *Console) report(v *visit) (reconcile.Report, error) {
	day, err := ist.ParseDay(v.path("day"))
	if err != nil {
		return reconcile.Report{}, central.ErrNotFound
	}
	number := 0
	if text := v.query().Get("file"); text != "" {
		n, err := strconv.ParseUint(text, 10, 15)
		if err != nil {
			return reconcile.Report{}, central.ErrNotFound
		}
		number = int(n)
	}
	return c.Reconciliation.Report(v.Context(), day, number)
}

func (c *Console) day(v *visit) error {
	report, err := c.report(v)
	if err != nil {
		return err
	}
	d := dayPage{Report: report, All: report.Total()}
	if d.Files, err = c.Reconciliation.Files(v.Context(), report.File.Day, maxDays); err != nil {
		return err
	}
	for _, class := range reconcile.Classes() {
		if s := report.Sums[class]; s.Operations+s.Lines > 0 {
			d.Sums = append(d.Sums, classSum{class, s})
		}
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "settlement.view", Subject: report.File.Title()}); err != nil {
		return err
	}
	return v.show(http.StatusOK, page{Name: "file", Title: "Settlement file of " + string(report.File.Day), Back: Root + "reconciliation", Data: d})
}

func (c *Console) dayCSV(v *visit) error {
	report, err := c.report(v)
	if err != nil {
		return err
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "settlement.export", Subject: report.File.Title()}); err != nil {
		return err
	}
	v.csv("galla-cases-" + report.File.Title() + ".csv")
	if err := report.WriteCSV(v.w); err != nil {
		c.log.Warn("an export of cases was cut off", "error", err)
	}
	return nil
}
