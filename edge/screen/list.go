package screen

import (
	"net/http"
	"slices"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/shared/op"
)

const (
	// How far back open operations are looked for: so many operations, in steps
	// that keep one read of the queue short.
	openWithin = 1000
	openStep   = 100
	homeOpen   = 3 // rows of the first page, so that it fits the window
	homeRows   = 5
	homeLook   = 40 // operations that are looked through for them: one transfer has some ten steps
)

// open gives the operations that are not final, newest first, and whether there
// are older ones that were not reached.
func (s *Screen) open(want int) (found []edge.View, more bool, err error) {
	var before op.ID
	stored := 0
	for looked := 0; looked < openWithin; {
		views, err := s.counter.Recent(before, openStep)
		if err != nil && len(views) == 0 {
			return found, false, err
		}
		for _, v := range views {
			if !v.State.Final() {
				found = append(found, v)
				if !v.Volatile {
					stored++
				}
			}
		}
		if len(views) < openStep || stored >= want {
			return found, false, nil
		}
		looked += len(views)
		before = views[len(views)-1].ID
	}
	return found, stored < want, nil
}

type homeData struct {
	Tiles  []web.Entry // what customers come for
	Others []web.Entry
	Open   []told.Row
	More   int // open operations that are not shown
	Latest []told.Row
	Active bool
	Wrong  []web.Chip // reader or clock, where one is not well
	Line   *outage    // nil: the line is up
	Broken bool       // the operations can't be read
}

// Entries implements web.Entrance: the four actions of AEPS.
func (s *Screen) Entries(ses *web.Session) []web.Entry {
	var out []web.Entry
	for i, k := range told.Kinds() {
		out = append(out, web.Entry{
			Href: "/new/" + k.Name, Icon: k.Icon, Title: k.Title(ses.Words()), Hint: ses.Words().Say("kind." + k.Name + ".hint"),
			Key: string(rune('1' + i)), Tile: true,
		})
	}
	return out
}

// home shows the four actions, and what is not settled.
func (s *Screen) home(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	st := s.counter.Status()
	d := homeData{Active: st.Session.Of(ses.Operator)}
	d.Wrong = slices.DeleteFunc(web.Readiness(ses.Words(), st), func(c web.Chip) bool { return c.Tone == "ok" || c.Icon == "line-down" })
	if !st.Link.Up {
		d.Line = s.outage(ses.Words(), st)
	}
	for _, e := range append(s.Kit.Entries(ses), s.Kit.Settings(ses)) {
		if e.Tile {
			d.Tiles = append(d.Tiles, e)
		} else {
			d.Others = append(d.Others, e)
		}
	}
	open, _, err := s.open(st.Unresolved)
	if err == nil {
		open = slices.Concat(told.CashViews(st), open)
		d.More = max(len(open)-homeOpen, 0)
		d.Open = told.Rows(ses.Words(), open[:min(len(open), homeOpen)], st)
		var latest []edge.View
		latest, err = s.counter.Recent("", homeLook)
		latest = slices.DeleteFunc(latest, func(v edge.View) bool { return !v.State.Final() || told.IsStep(v.Route) || told.CashOpen(st, v.ID) })
		d.Latest = told.Rows(ses.Words(), latest[:min(len(latest), homeRows-len(d.Open))], st)
	}
	if err != nil {
		d.Broken = true
		s.log.Error("the operations can't be listed", "error", err)
	}
	s.Render(w, r, ses, http.StatusOK, web.Page{Name: "screen/home", Title: ses.Words().Say("home.title"), Data: d})
}
