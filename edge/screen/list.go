package screen

import (
	"net/http"
	"slices"

	"galla/edge"
	"galla/shared/op"
)

const (
	pageSize = 20
	// How far back open operations are looked for, beyond the page shown: so
	// many operations, in steps that keep one read of the queue short.
	openWithin = 1000
	openStep   = 100
	homeOpen   = 3 // rows of the first page, so that it fits the window
	homeRows   = 5
)

// row is one operation in a list.
type row struct {
	ID       op.ID
	Kind     kind
	KindName string
	Amount   string
	Customer string
	Aadhaar  string
	Bank     string
	Time     string
	Told     told
}

func (s *Screen) rows(views []edge.View, st edge.Status) []row {
	out := make([]row, len(views))
	for i, v := range views {
		k := kindOf(v.Route)
		out[i] = row{
			ID: v.ID, Kind: k, KindName: s.words.say("kind." + k.Name), Customer: v.Customer, Aadhaar: v.Aadhaar,
			Bank: v.BankName, Time: s.words.clock(v.CreatedAt, st.Now), Told: s.tell(v, st),
		}
		if k.Money {
			out[i].Amount = rupees(v.Amount)
		}
	}
	return out
}

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
	Kinds  []homeKind
	Open   []row
	More   int // open operations that are not shown
	Latest []row
	Active bool
	Wrong  []chip // reader, line or clock, where one is not well
	Broken bool   // the operations can't be read
}

type homeKind struct {
	Name, Icon, Title, Hint, Key string
}

// home shows the four actions, and what is not settled.
func (s *Screen) home(w http.ResponseWriter, r *http.Request, ses *session) {
	st := s.counter.Status()
	d := homeData{Active: st.Session.Active}
	d.Wrong = slices.DeleteFunc(s.readiness(st), func(c chip) bool { return c.Tone == "ok" })
	for i, k := range kinds {
		d.Kinds = append(d.Kinds, homeKind{
			k.Name, k.Icon, s.words.say("kind." + k.Name), s.words.say("kind." + k.Name + ".hint"), string(rune('1' + i)),
		})
	}
	open, _, err := s.open(st.Unresolved)
	if err == nil {
		d.More = max(len(open)-homeOpen, 0)
		d.Open = s.rows(open[:min(len(open), homeOpen)], st)
		var latest []edge.View
		latest, err = s.counter.Recent("", 2*homeRows)
		latest = slices.DeleteFunc(latest, func(v edge.View) bool { return !v.State.Final() })
		d.Latest = s.rows(latest[:min(len(latest), homeRows-len(d.Open))], st)
	}
	if err != nil {
		d.Broken = true
		s.log.Error("the operations can't be listed", "error", err)
	}
	s.render(w, r, ses, http.StatusOK, page{Name: "home", Title: s.words.say("home.title"), Data: d})
}

type listData struct {
	Open    []row
	Rows    []row
	First   bool
	Next    op.ID // the page after begins before it; empty: none
	Broken  bool
	Missing bool
}

// operations shows every operation with its state in plain words: those that
// are open on top, then all, newest first.
func (s *Screen) operations(w http.ResponseWriter, r *http.Request, ses *session) {
	st := s.counter.Status()
	before, err := op.ParseID(r.URL.Query().Get("before"))
	if err != nil {
		before = ""
	}
	d := listData{First: before == ""}
	if d.First {
		open, more, err := s.open(st.Unresolved)
		if err != nil {
			d.Broken = true
			s.log.Error("the open operations can't be listed", "error", err)
		}
		d.Open, d.Missing = s.rows(open, st), more
	}
	views, err := s.counter.Recent(before, pageSize+1)
	if err != nil {
		d.Broken = true
		s.log.Error("the operations can't be listed", "error", err)
	}
	if len(views) > pageSize {
		views = views[:pageSize]
		d.Next = views[pageSize-1].ID
	}
	d.Rows = s.rows(slices.DeleteFunc(views, func(v edge.View) bool { return d.First && !v.State.Final() }), st)
	p := page{Name: "operations", Title: s.words.say("operations.title"), Back: "/", Data: d}
	if len(d.Open) > 0 {
		p.Refresh = "10"
	}
	s.render(w, r, ses, http.StatusOK, p)
}
