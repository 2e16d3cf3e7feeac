package truth

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/till"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

// daySum says how a day went. Of those that were only begun nothing was sent.
type daySum struct{ Done, Failed, Open, Begun int }

type listData struct {
	Search   web.Field
	Groups   []group
	MoreOpen string // how many open ones are not shown, which leads to them; empty: none
	Day      till.Day
	Today    till.Day
	Title    string // of the day
	Sum      string
	Previous till.Day
	Next     till.Day // empty: the day is today
	IsToday  bool
	First    bool // the newest of the day stand here
	Rows     []told.Row
	Older    string // the next page; empty: none
	Broken   bool
}

// list shows what is open, and the operations of a day, newest first.
func (t *Room) list(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	said, st, today := ses.Words(), t.counter.Status(), t.till.Today()
	day, err := till.ParseDay(r.URL.Query().Get("day"))
	if err != nil || day > today {
		day = today
	}
	before, err := op.ParseID(r.URL.Query().Get("before"))
	if err != nil {
		before = ""
	}
	d := listData{
		Search: searchField(said, ""), Day: day, Today: today, IsToday: day == today, First: before == "",
		Title: said.Date(day.Date()), Previous: day.Add(-1),
	}
	if d.IsToday {
		d.Title = said.Say("truth.today")
	} else {
		d.Next = day.Add(1)
	}
	if d.IsToday && d.First {
		limit := maxOpen
		if r.URL.Query().Get("open") == "all" {
			limit = allOpen
		}
		groups, more, err := t.open(said, st, limit)
		if err != nil {
			d.Broken = true
			t.log.Error("the open operations can't be listed", "error", err)
		}
		d.Groups = groups
		if more > 0 {
			d.MoreOpen = said.Count("truth.open.more", more)
		}
	}
	sum, err := t.sum(day)
	d.Sum = said.Say("truth.sum", "done", sum.Done, "failed", sum.Failed, "open", sum.Open)
	if sum.Begun > 0 {
		d.Sum += " " + said.Say("truth.sum.begun", "n", sum.Begun)
	}
	views, older, viewErr := t.page(day, before)
	if err != nil || viewErr != nil {
		d.Broken = true
		t.log.Error("the operations of a day can't be listed", "day", day, "error", err, "more", viewErr)
	}
	if older != "" {
		d.Older = "/operations?" + url.Values{"day": {string(day)}, "before": {string(older)}}.Encode()
	}
	if d.IsToday && d.First { // they stand above
		views = slices.DeleteFunc(views, func(v edge.View) bool { return !v.State.Final() || told.CashOpen(st, v.ID) })
	}
	d.Rows = told.Rows(said, views, st)
	p := web.Page{Name: "truth/operations", Title: said.Say("truth.title"), Back: "/", Data: d}
	if !d.First {
		p.Back = "/operations?day=" + string(day)
	}
	if len(d.Groups) > 0 {
		p.Refresh = refresh
	}
	t.kit.Render(w, r, ses, http.StatusOK, p)
}

// sum counts a day's operations that are kept.
func (t *Room) sum(day till.Day) (s daySum, err error) {
	records, err := t.till.Operations(day)
	for _, r := range records {
		switch {
		case r.State == op.Succeeded:
			s.Done++
		case r.State.Final():
			s.Failed++
		case r.State == op.Reserved:
			s.Begun++
		default:
			s.Open++
		}
	}
	return s, err
}

// page gives a page of a day's operations, newest first, older than before
// (from the newest, if empty), enquiries of this run among them; older is what
// the next page begins before, empty where there is none.
func (t *Room) page(day till.Day, before op.ID) (views []edge.View, older op.ID, err error) {
	first, end := t.till.IDs(day)
	if before == "" || before > end {
		before = end
	}
	views, err = t.counter.Recent(before, pageSize+1)
	views = slices.DeleteFunc(views, func(v edge.View) bool { return v.ID < first })
	if len(views) > pageSize {
		views = views[:pageSize]
		older = views[pageSize-1].ID
	}
	return views, older, err
}

func searchField(w *words.Words, typed string) web.Field {
	return web.Field{Name: "q", Kind: web.Search, Label: w.Say("truth.search"), Hint: w.Say("truth.search.hint"), Value: typed, Max: 64}
}

type foundData struct {
	Search web.Field
	Rows   []told.Row
	Title  string
	More   bool   // there are others that fit
	Far    string // where all days are searched; empty: they were

	Broken bool
}

// find leads to what was typed into the search box. What may be an Aadhaar or a
// mobile number is answered at once, without an address that holds it.
func (t *Room) find(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	typed := strings.TrimSpace(r.PostForm.Get("q"))
	if typed == "" {
		http.Redirect(w, r, "/operations", http.StatusSeeOther)
		return
	}
	search, secret := till.ParseSearch(typed)
	if secret {
		t.foundPage(w, r, ses, search, "", true)
		return
	}
	http.Redirect(w, r, "/operations/found?"+url.Values{"q": {typed}}.Encode(), http.StatusSeeOther)
}

// found shows what fits what was typed, newest first.
func (t *Room) found(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	typed := strings.TrimSpace(r.URL.Query().Get("q"))
	search, secret := till.ParseSearch(typed)
	if typed == "" || secret { // an address that somebody typed
		http.Redirect(w, r, "/operations", http.StatusSeeOther)
		return
	}
	t.foundPage(w, r, ses, search, typed, r.URL.Query().Get("all") != "")
}

func (t *Room) foundPage(w http.ResponseWriter, r *http.Request, ses *web.Session, search till.Search, typed string, all bool) {
	said, st, today := ses.Words(), t.counter.Status(), t.till.Today()
	days := nearDays
	d := foundData{Search: searchField(said, typed)}
	if all {
		days = farDays
	} else {
		d.Far = "/operations/found?" + url.Values{"q": {typed}, "all": {"1"}}.Encode()
	}
	records, more, err := t.till.Look(search, today.Add(-days), today, maxFound)
	if err != nil {
		d.Broken = true
		t.log.Error("some operations can't be searched", "error", err)
	}
	views := make([]edge.View, len(records))
	for i, record := range records {
		if views[i], err = t.counter.Operation(record.ID); err != nil {
			record.Body = nil
			views[i] = edge.View{Record: record}
		}
	}
	d.Rows, d.More = told.Rows(said, views, st), more
	d.Title = said.Count("truth.found", len(d.Rows))
	if d.More {
		d.Title = said.Say("truth.found.most", "n", len(d.Rows))
	}
	t.kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "truth/found", Title: said.Say("truth.found.title"), Back: "/operations", Data: d})
}

// file gives a day as a CSV file. It is made whole first: half a file would
// look like a day with fewer operations.
func (t *Room) file(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	day, err := till.ParseDay(r.URL.Query().Get("day"))
	if err != nil {
		t.kit.Nowhere(w, r, ses)
		return
	}
	var b bytes.Buffer
	if err := t.till.WriteDay(&b, day); err != nil {
		t.kit.Failed(w, r, ses, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="galla-%s.csv"`, day))
	_, _ = w.Write(b.Bytes())
}
