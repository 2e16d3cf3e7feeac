package screen

import (
	"net/http"
	"time"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

// How far back operations are looked for that a lost line left behind.
const (
	lostWithin = 24 * time.Hour // on a line that is up: what the agent may still be asked about
	// lostBefore is how long before the line was lost an operation may have been
	// begun that ended for it: longer than form and finger take.
	lostBefore = time.Hour
	lostRows   = 20
)

// outage is what a lost line means: since when, and what it left behind.
type outage struct {
	Title string
	Lead  string
	Lost  int // operations that were not sent; 0: none
	left  left
}

// left is what a lost line left behind.
type left struct {
	Waiting []edge.View // sent when the line is back
	Asked   []edge.View // sent, and the outcome not known
	Lost    []edge.View // not sent; no money moved
	Broken  bool        // the operations can't be read
}

// outage says what the lost line means.
func (s *Screen) outage(said *words.Words, st edge.Status) *outage {
	o := &outage{Title: said.Say("line.down", "time", said.Clock(st.Link.Since, st.Now)), left: s.left(st)}
	switch {
	case st.Link.Revoked:
		o.Title, o.Lead = said.Say("status.line.revoked"), said.Say("status.line.revoked.detail")
	case st.Link.Since.IsZero():
		o.Title, o.Lead = said.Say("status.line.never"), said.Say("line.never.lead")
	case st.Now.Sub(st.Link.Since) < time.Minute:
		o.Lead = said.Say("line.lead.now")
	default:
		o.Lead = said.Say("line.lead", "span", said.Brief(st.Now.Sub(st.Link.Since)))
	}
	o.Lost = len(o.left.Lost)
	return o
}

// left looks for what the line left behind since it was lost, or, where it is
// up, in the last day.
func (s *Screen) left(st edge.Status) (l left) {
	since := st.Now.Add(-lostWithin)
	if !st.Link.Up && !st.Link.Since.IsZero() {
		since = st.Link.Since
	}
	open, _, err := s.open(st.Unresolved)
	for _, v := range open {
		switch v.State {
		case op.Reserved:
		case op.Queued:
			l.Waiting = append(l.Waiting, v)
		default:
			l.Asked = append(l.Asked, v)
		}
	}
	lost, lostErr := s.lost(since)
	l.Lost, l.Broken = lost, err != nil || lostErr != nil
	if l.Broken {
		s.log.Error("what a lost line left behind can't be read", "error", err, "lost", lostErr)
	}
	return l
}

// lost gives the operations that ended without being sent since a time, newest
// first: those whose finger was taken, and those that never arrived. One that the
// agent gave up before the finger was not the line's.
func (s *Screen) lost(since time.Time) (found []edge.View, err error) {
	var before op.ID
	for looked := 0; looked < openWithin; looked += openStep {
		views, err := s.counter.Recent(before, openStep)
		if err != nil {
			return found, err
		}
		for _, v := range views {
			if v.CreatedAt.Before(since.Add(-lostBefore)) || len(found) == lostRows {
				return found, nil
			}
			unsent := v.State == op.NotSent || v.State == op.Expired && !v.CapturedAt.IsZero()
			if unsent && !v.EndedAt.Before(since) {
				found = append(found, v)
			}
		}
		if len(views) < openStep {
			return found, nil
		}
		before = views[len(views)-1].ID
	}
	return found, nil
}

type lineData struct {
	Band   web.Band
	Down   bool
	Why    string
	Groups []lineGroup
	Broken bool
}

// lineGroup is what the line left behind in one way.
type lineGroup struct {
	Name  string // of its texts
	Title string
	Text  string
	Rows  []told.Row
}

// line says since when there is no line, what still works, and what was not
// sent.
func (s *Screen) line(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	said, st := ses.Words(), s.counter.Status()
	d := lineData{Down: !st.Link.Up}
	var l left
	if d.Down {
		o := s.outage(said, st)
		l = o.left
		d.Band = web.Band{Tone: told.TonePending, Icon: "line-down", Title: o.Title, Lead: o.Lead}
		if said.Code() == words.English {
			d.Band.Why = st.Link.Problem // the line speaks no other language
		}
	} else {
		l = s.left(st)
		d.Band = web.Band{Tone: told.ToneDone, Icon: "line", Title: said.Say("status.line.up"), Lead: said.Say("line.up", "time", said.Clock(st.Link.Since, st.Now))}
	}
	d.Broken = l.Broken
	for _, g := range []struct {
		name  string
		views []edge.View
	}{{"asked", l.Asked}, {"waiting", l.Waiting}, {"lost", l.Lost}} {
		d.Groups = append(d.Groups, lineGroup{
			g.name, said.Say("line." + g.name), said.Say("line." + g.name + ".text"), told.Rows(said, g.views[:min(len(g.views), lostRows)], st),
		})
	}
	s.Render(w, r, ses, http.StatusOK, web.Page{Name: "screen/line", Title: said.Say("line.title"), Back: "/", Data: d, Refresh: lineRefresh})
}

// lineRefresh is how often the page looks again without scripts, in seconds.
const lineRefresh = 10
