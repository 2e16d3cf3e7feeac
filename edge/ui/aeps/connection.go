package aeps

import (
	"net/http"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/op"
)

// How far back the page looks for operations that an outage interrupted.
const (
	notSentWithin = 24 * time.Hour // while online: what the agent may still be asked about
	// notSentBefore is how long before the outage an interrupted operation may have been
	// created: longer than form and finger take.
	notSentBefore  = time.Hour
	maxNotSentRows = 20
	// How many operations are searched, in steps that keep each read of the queue short.
	openWithin = 1000
	openStep   = 100
)

type outage struct {
	Title       string
	Lead        string
	NotSent     int // operations that were not sent
	interrupted interrupted
}

type interrupted struct {
	Waiting []edge.View // sent when the counter is online again
	Sent    []edge.View // sent, with unknown outcome
	NotSent []edge.View // not sent; no money moved
	Broken  bool        // the operations can't be read
}

func (s *Pages) outageOf(words *i18n.Localizer, st edge.Status) *outage {
	o := &outage{Title: words.Text("connection.offline", "time", words.ShortTime(st.Link.Since, st.Now)), interrupted: s.interruptedBy(st)}
	switch {
	case st.Link.Revoked:
		o.Title, o.Lead = words.Text("status.link.revoked"), words.Text("status.link.revoked.detail")
	case st.Link.Since.IsZero():
		o.Title, o.Lead = words.Text("status.link.never"), words.Text("connection.never.lead")
	case st.Now.Sub(st.Link.Since) < time.Minute:
		o.Lead = words.Text("connection.offline.lead.now")
	default:
		o.Lead = words.Text("connection.offline.lead", "span", words.ShortDuration(st.Now.Sub(st.Link.Since)))
	}
	o.NotSent = len(o.interrupted.NotSent)
	return o
}

// interruptedBy looks for interrupted operations since the outage began or, while online,
// in the last day.
func (s *Pages) interruptedBy(st edge.Status) (l interrupted) {
	since := st.Now.Add(-notSentWithin)
	if !st.Link.Online && !st.Link.Since.IsZero() {
		since = st.Link.Since
	}
	open, err := s.counter.Unfinished()
	for _, v := range open {
		switch v.State {
		case op.Reserved:
		case op.Queued:
			l.Waiting = append(l.Waiting, v)
		default:
			l.Sent = append(l.Sent, v)
		}
	}
	lost, lostErr := s.notSentSince(since)
	l.NotSent, l.Broken = lost, err != nil || lostErr != nil
	if l.Broken {
		s.log.Error("the interrupted operations can't be read", "error", err, "notSentError", lostErr)
	}
	return l
}

// notSentSince returns the operations since a time that ended without being sent, newest
// first: those with a captured finger, and those that central never received. An operation
// that the agent abandoned before the finger does not count.
func (s *Pages) notSentSince(since time.Time) (found []edge.View, err error) {
	var before op.ID
	for looked := 0; looked < openWithin; looked += openStep {
		views, err := s.counter.Recent(before, openStep)
		if err != nil {
			return found, err
		}
		for _, v := range views {
			if v.CreatedAt.Before(since.Add(-notSentBefore)) || len(found) == maxNotSentRows {
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

type connectionData struct {
	Banner ui.Banner
	Down   bool
	Why    string
	Groups []operationGroup
	Broken bool
}

type operationGroup struct {
	Name  string // selects its texts
	Title string
	Text  string
	Rows  []outcome.Row
}

// showConnection shows since when the counter is offline, what still works, and what was
// not sent.
func (s *Pages) showConnection(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words, st := ses.Words(), s.counter.Status()
	d := connectionData{Down: !st.Link.Online}
	var l interrupted
	if d.Down {
		o := s.outageOf(words, st)
		l = o.interrupted
		d.Banner = ui.Banner{Tone: outcome.TonePending, Icon: "offline", Title: o.Title, Lead: o.Lead}
		d.Banner.Reason = outcome.LinkText(words, st.Link)
	} else {
		l = s.interruptedBy(st)
		d.Banner = ui.Banner{Tone: outcome.ToneDone, Icon: "online", Title: words.Text("status.link.online"), Lead: words.Text("connection.online", "time", words.ShortTime(st.Link.Since, st.Now))}
	}
	d.Broken = l.Broken
	for _, g := range []struct {
		name  string
		views []edge.View
	}{{"sent", l.Sent}, {"waiting", l.Waiting}, {"not-sent", l.NotSent}} {
		d.Groups = append(d.Groups, operationGroup{
			g.name, words.Text("connection." + g.name), words.Text("connection." + g.name + ".text"), outcome.Rows(words, g.views[:min(len(g.views), maxNotSentRows)], st),
		})
	}
	s.Render(w, r, ses, http.StatusOK, ui.Page{Name: "aeps/connection", Title: words.Text("connection.title"), Back: "/", Data: d, Refresh: connectionRefresh})
}

// connectionRefresh is the reload interval without scripts, in seconds.
const connectionRefresh = 10
