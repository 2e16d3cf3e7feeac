package console

import (
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/central"
	"galla/central/operator"
	"galla/shared/printable"
)

// trailRoutes are an admin's ways to read what everybody did.
func (c *Console) trailRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "trail", need: operator.Admin, do: c.trail},
		{pattern: "GET " + Root + "trail.csv", need: operator.Admin, do: c.trailCSV},
	}
}

const (
	// trailPage is how many entries a page has.
	trailPage = 50
	// trailBatch is how many entries of the CSV one look brings, and maxTrail
	// how many it has at most: a year of a busy office.
	trailBatch = 1000
	maxTrail   = 200_000
)

// trailView is the page's data, with what was asked for.
type trailView struct {
	Entries               []operator.Entry
	Person, Action, About string
	From, To              string // Indian days
	Query                 string // of the same question, encoded
	Older                 string // where the next page is; empty: there is none
}

// ask reads what is asked for from an address.
func ask(q url.Values) (operator.Query, trailView, error) {
	d := trailView{
		Person: strings.TrimSpace(q.Get("person")), Action: strings.TrimSpace(q.Get("action")), About: strings.TrimSpace(q.Get("about")),
		From: q.Get("from"), To: q.Get("to"),
	}
	out := operator.Query{Person: d.Person, Action: operator.Action(d.Action), Subject: d.About, Before: q.Get("before")}
	var errs []error
	day := func(text string, later int, to *time.Time) {
		if text == "" {
			return
		}
		at, err := time.ParseInLocation(time.DateOnly, text, india)
		if err != nil {
			errs = append(errs, errors.New("a day is written as 2026-11-21"))
			return
		}
		*to = at.AddDate(0, 0, later)
	}
	day(d.From, 0, &out.From)
	day(d.To, 1, &out.To)
	kept := url.Values{}
	for name, value := range map[string]string{"person": d.Person, "action": d.Action, "about": d.About, "from": d.From, "to": d.To} {
		if value != "" {
			kept.Set(name, value)
		}
	}
	d.Query = kept.Encode()
	return out, d, errors.Join(errs...)
}

func (c *Console) trail(w http.ResponseWriter, r *http.Request, v *visit) {
	q, d, err := ask(r.URL.Query())
	alert, status := "", http.StatusOK
	if err != nil {
		alert, status = sentence(err.Error()), http.StatusUnprocessableEntity
	} else {
		q.Limit = trailPage + 1
		if d.Entries, err = c.People.Entries(r.Context(), q); err != nil && !errors.Is(err, central.ErrNotFound) {
			c.failed(w, r, v, err)
			return
		}
	}
	if len(d.Entries) > trailPage {
		d.Entries = d.Entries[:trailPage]
		d.Older = Root + "trail?" + strings.TrimPrefix(d.Query+"&before="+d.Entries[trailPage-1].ID, "&")
	}
	c.render(w, r, v, status, page{Name: "trail", Title: "Trail", Alert: alert, Data: d})
}

// trailCSV gives the same as a file, the newest first. Texts that a spreadsheet
// would take for a formula are marked as texts.
func (c *Console) trailCSV(w http.ResponseWriter, r *http.Request, v *visit) {
	q, _, err := ask(r.URL.Query())
	if err != nil {
		c.message(w, r, v, http.StatusUnprocessableEntity, "This did not work", sentence(err.Error()))
		return
	}
	if err := c.People.Note(r.Context(), v.Actor(), operator.Change{What: "trail.export", Note: r.URL.RawQuery}); err != nil {
		c.failed(w, r, v, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="galla-trail.csv"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"time", "person", "role", "from", "node", "action", "subject", "outcome", "was", "became", "note"})
	q.Limit = trailBatch
	for n := 0; n < maxTrail; n += trailBatch {
		list, err := c.People.Entries(r.Context(), q)
		if err != nil {
			c.log.Error("the trail's file was broken off", "error", err)
			panic(http.ErrAbortHandler) // the browser must not take it for whole
		}
		for _, e := range list {
			_ = out.Write(cells(e.At.UTC().Format(time.RFC3339Nano), e.Person, string(e.Role), e.From, e.Node, string(e.Action), e.Subject, string(e.Outcome), e.Was, e.Became, e.Note))
		}
		if len(list) < trailBatch {
			break
		}
		q.Before = list[len(list)-1].ID
	}
	out.Flush()
}

// cells marks what a spreadsheet would run.
func cells(texts ...string) []string {
	for i, text := range texts {
		texts[i] = printable.Cell(text)
	}
	return texts
}

// Sentence tells an entry in words.
func (v trailView) Sentence(e operator.Entry) string {
	text := string(e.Action)
	if e.Was != "" || e.Became != "" {
		text += fmt.Sprintf(": %s → %s", orNone(e.Was), orNone(e.Became))
	}
	return text
}

func orNone(text string) string {
	if text == "" {
		return "—"
	}
	return text
}
