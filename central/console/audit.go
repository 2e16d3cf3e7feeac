package console

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/ist"
	"galla/shared/printable"
)

// auditRoutes are an admin's routes to the audit log.
func (c *Console) auditRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "audit", minRole: staff.Admin, handle: c.auditLog},
		{pattern: "GET " + Root + "audit.csv", minRole: staff.Admin, handle: c.auditCSV},
	}
}

const (
	// auditPageSize is how many entries a page has.
	auditPageSize = 50
	// auditBatch is how many entries of the CSV file one query returns, and
	// maxAuditExport how many the file has at most: a busy year's.
	auditBatch     = 1000
	maxAuditExport = 200_000
)

// auditPage is the page's data, with the search's fields.
type auditPage struct {
	Entries               []staff.AuditEntry
	Person, Action, About string
	From, To              string // Indian days
	Query                 string // of the same search, encoded
	Older                 string // address of the next page; empty: none
	Log                   LogState
}

// LogState is how the log stands that shows when the past was rewritten.
type LogState struct {
	Size       int64     // entries
	SignedAt   time.Time // of the newest checkpoint; zero: there is none
	VerifiedAt time.Time // of the last daily verification; zero: there was none
	Fault      string    // what it found; empty: nothing
}

// LogReader reads how the log stands.
type LogReader interface {
	LogState(ctx context.Context) (LogState, error)
}

// parseAuditQuery reads a search from an address.
func parseAuditQuery(q url.Values) (staff.AuditQuery, auditPage, error) {
	d := auditPage{
		Person: strings.TrimSpace(q.Get("person")), Action: strings.TrimSpace(q.Get("action")), About: strings.TrimSpace(q.Get("about")),
		From: q.Get("from"), To: q.Get("to"),
	}
	out := staff.AuditQuery{Person: d.Person, Action: staff.Action(d.Action), Subject: d.About, Before: q.Get("before")}
	var errs []error
	day := func(text string, later int, to *time.Time) {
		if text == "" {
			return
		}
		at, err := time.ParseInLocation(time.DateOnly, text, ist.Zone())
		if err != nil {
			errs = append(errs, errors.New("write the day as 2026-11-21"))
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

func (c *Console) auditLog(v *visit) error {
	q, d, err := parseAuditQuery(v.query())
	alert, status := "", http.StatusOK
	if err != nil {
		alert, status = sentence(err.Error()), http.StatusUnprocessableEntity
	} else {
		q.Limit = auditPageSize + 1
		if d.Entries, err = c.Staff.Entries(v.Context(), q); err != nil && !errors.Is(err, central.ErrNotFound) {
			return err
		}
	}
	if len(d.Entries) > auditPageSize {
		d.Entries = d.Entries[:auditPageSize]
		d.Older = Root + "audit?" + strings.TrimPrefix(d.Query+"&before="+d.Entries[auditPageSize-1].ID, "&")
	}
	if d.Log, err = c.Log.LogState(v.Context()); err != nil {
		return err
	}
	return v.show(status, page{Name: "audit", Title: "Audit log", Alert: alert, Data: d})
}

// auditCSV sends the same as a CSV file, newest first. Texts that a spreadsheet would
// run as formulas are escaped.
func (c *Console) auditCSV(v *visit) error {
	q, _, err := parseAuditQuery(v.query())
	if err != nil {
		return v.message(http.StatusUnprocessableEntity, "This did not work", sentence(err.Error()))
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "audit.export", Note: v.r.URL.RawQuery}); err != nil {
		return err
	}
	v.csv("galla-audit.csv")
	out := csv.NewWriter(v.w)
	_ = out.Write([]string{"time", "person", "role", "from", "node", "action", "subject", "outcome", "was", "became", "note"})
	q.Limit = auditBatch
	for n := 0; n < maxAuditExport; n += auditBatch {
		list, err := c.Staff.Entries(v.Context(), q)
		if err != nil {
			c.log.Error("an export of the audit log was cut off", "error", err)
			panic(http.ErrAbortHandler) // so that the browser knows that the file is not complete
		}
		for _, e := range list {
			_ = out.Write(csvCells(e.At.UTC().Format(time.RFC3339Nano), e.Person, string(e.Role), e.From, e.Node, string(e.Action), e.Subject, string(e.Outcome), e.Was, e.Became, e.Note))
		}
		out.Flush()
		v.flush()
		if len(list) < auditBatch {
			break
		}
		q.Before = list[len(list)-1].ID
	}
	return nil
}

// csvCells escapes what a spreadsheet would run.
func csvCells(texts ...string) []string {
	for i, text := range texts {
		texts[i] = printable.Cell(text)
	}
	return texts
}

// Sentence describes an entry.
func (v auditPage) Sentence(e staff.AuditEntry) string {
	text := string(e.Action)
	if e.Was != "" || e.Became != "" {
		text += fmt.Sprintf(": %s → %s", orDash(e.Was), orDash(e.Became))
	}
	return text
}

func orDash(text string) string {
	if text == "" {
		return "—"
	}
	return text
}
