package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"galla/central"
	"galla/central/operator"
	"galla/central/settle"
)

// dayRoutes are the ways to reconcile with the bank's files.
func (c *Console) dayRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "days", need: operator.Viewer, do: c.days},
		{pattern: "POST " + Root + "days", need: operator.Operator, upload: true, do: c.importDay},
		{pattern: "GET " + Root + "days/{day}", need: operator.Viewer, do: c.day},
		{pattern: "GET " + Root + "days/{day}/cases.csv", need: operator.Viewer, do: c.dayCSV},
	}
}

// maxDays is how many files, and cases by hand, the list has.
const maxDays = 100

// daysPage is the list's data.
type daysPage struct {
	Files  []settle.File
	ByHand []settle.Case
}

func (c *Console) days(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showDays(w, r, v, http.StatusOK, "")
}

func (c *Console) showDays(w http.ResponseWriter, r *http.Request, v *visit, status int, alert string) {
	var d daysPage
	var err error
	if d.Files, err = c.Settlement.Files(r.Context(), "", maxDays); err == nil {
		d.ByHand, err = c.Settlement.ByHand(r.Context(), maxDays)
	}
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	c.render(w, r, v, status, page{Name: "days", Title: "Reconciliation", Alert: alert, Data: d})
}

func (c *Console) importDay(w http.ResponseWriter, r *http.Request, v *visit) {
	c.upload(w, r, v, maxSettlement, func(_ url.Values, name string, file io.Reader) {
		if file == nil {
			c.showDays(w, r, v, http.StatusUnprocessableEntity, "Choose the bank's file.")
			return
		}
		select {
		case c.imports <- struct{}{}:
			defer func() { <-c.imports }()
		default:
			c.showDays(w, r, v, http.StatusServiceUnavailable, "Another file is being imported at this moment: try again when it is done.")
			return
		}
		var f settle.File
		var again bool
		change := operator.Change{What: "settlement.import", Subject: hushed(name)}
		err := c.People.Do(r.Context(), v.Actor(), change, func(ctx context.Context) (err error) {
			f, again, err = c.Settlement.Import(ctx, name, file, v.settler())
			return err
		})
		var bad *settle.BadFile
		switch {
		case errors.As(err, &bad):
			c.showDays(w, r, v, http.StatusUnprocessableEntity, "Nothing of the file was taken. "+bad.Error())
		case err != nil:
			if status, text, ok := c.refusal(w, r, v, err); ok {
				c.showDays(w, r, v, status, text)
			}
		default:
			did := "imported"
			if again {
				did = "again"
			}
			http.Redirect(w, r, fmt.Sprintf("%sdays/%s?file=%d&done=%s", Root, f.Day, f.Number, did), http.StatusSeeOther)
		}
	})
}

// sum is a line of a report's table.
type sum struct {
	Class settle.Class
	settle.Sum
}

// dayPage is a report's data.
type dayPage struct {
	settle.Report
	Sums  []sum
	All   settle.Sum
	Files []settle.File
}

// report reads the report that a request names.
func (c *Console) report(r *http.Request) (settle.Report, error) {
	day, err := settle.ParseDay(r.PathValue("day"))
	if err != nil {
		return settle.Report{}, central.ErrNotFound
	}
	number := 0
	if text := r.URL.Query().Get("file"); text != "" {
		n, err := strconv.ParseUint(text, 10, 15)
		if err != nil {
			return settle.Report{}, central.ErrNotFound
		}
		number = int(n)
	}
	return c.Settlement.Report(r.Context(), day, number)
}

func (c *Console) day(w http.ResponseWriter, r *http.Request, v *visit) {
	report, err := c.report(r)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	d := dayPage{Report: report, All: report.Total()}
	if d.Files, err = c.Settlement.Files(r.Context(), report.File.Day, maxDays); err != nil {
		c.failed(w, r, v, err)
		return
	}
	for _, class := range settle.Classes() {
		if s := report.Sums[class]; s.Operations+s.Lines > 0 {
			d.Sums = append(d.Sums, sum{class, s})
		}
	}
	if err := c.People.Note(r.Context(), v.Actor(), operator.Change{What: "settlement.look", Subject: report.File.Title()}); err != nil {
		c.failed(w, r, v, err)
		return
	}
	c.render(w, r, v, http.StatusOK, page{Name: "day", Title: "The bank's file of " + string(report.File.Day), Back: Root + "days", Data: d})
}

func (c *Console) dayCSV(w http.ResponseWriter, r *http.Request, v *visit) {
	report, err := c.report(r)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	if err := c.People.Note(r.Context(), v.Actor(), operator.Change{What: "settlement.export", Subject: report.File.Title()}); err != nil {
		c.failed(w, r, v, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="galla-cases-%s.csv"`, report.File.Title()))
	if err := report.CSV(w); err != nil {
		c.log.Warn("the cases' file was broken off", "error", err)
	}
}
