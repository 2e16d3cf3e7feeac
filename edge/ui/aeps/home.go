package aeps

import (
	"net/http"
	"slices"

	"galla/edge"
	"galla/edge/outcome"
	"galla/edge/ui"
)

const (
	homeUnfinished = 3 // rows of the first page, so that it fits the window
	homeRows       = 5
	homeScan       = 40 // operations searched for them: one transfer has some ten steps
)

type homeData struct {
	Tiles  []ui.MenuItem // the customers' transactions
	Others []ui.MenuItem
	Open   []outcome.Row
	More   int // unfinished operations that are not shown
	Latest []outcome.Row
	Active bool
	Wrong  []ui.Chip // reader or clock, where something is wrong
	Line   *outage   // nil: online
	Broken bool      // the operations can't be read
}

func (s *Pages) showHome(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	st := s.counter.Status()
	d := homeData{Active: st.Session.BelongsTo(ses.Operator)}
	d.Wrong = slices.DeleteFunc(ui.Readiness(ses.Words(), st), func(c ui.Chip) bool { return c.Tone == "ok" || c.Icon == "offline" })
	if !st.Link.Online {
		d.Line = s.outageOf(ses.Words(), st)
	}
	d.Tiles = slices.DeleteFunc(s.Kit.MenuItems(ses), func(item ui.MenuItem) bool { return !item.Tile })
	d.Others = s.Places(ses)
	open, err := s.counter.Unfinished()
	if err == nil {
		open = slices.Concat(outcome.OpenCashViews(st), open)
		d.More = max(len(open)-homeUnfinished, 0)
		d.Open = outcome.Rows(ses.Words(), open[:min(len(open), homeUnfinished)], st)
		var latest []edge.View
		latest, err = s.counter.Recent("", homeScan)
		latest = slices.DeleteFunc(latest, func(v edge.View) bool {
			return !v.State.Final() || outcome.IsStep(v.Route) || outcome.IsCashOpen(st, v.ID)
		})
		d.Latest = outcome.Rows(ses.Words(), latest[:min(len(latest), homeRows-len(d.Open))], st)
	}
	if err != nil {
		d.Broken = true
		s.log.Error("the operations can't be listed", "error", err)
	}
	s.Render(w, r, ses, http.StatusOK, ui.Page{Name: "aeps/home", Title: ses.Words().Text("home.title"), Data: d})
}
