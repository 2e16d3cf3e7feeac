package history

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/ist"
	"galla/shared/op"
)

// dayCounts counts a day's operations by result. Operations awaiting a finger were not
// sent.
type dayCounts struct{ Done, Failed, Unfinished, AwaitingFinger int }

type listData struct {
	Search         ui.Field
	Groups         []group
	MoreUnfinished string // how many unfinished ones are hidden, as the link's text; empty: none
	Day            ist.Day
	Today          ist.Day
	Title          string // of the day
	Sum            string
	Previous       ist.Day
	Next           ist.Day // empty: the day is today
	IsToday        bool
	FirstPage      bool // it has the newest operations of the day
	Rows           []outcome.Row
	Older          string // address of the next page; empty: none
	Broken         bool
}

// showList shows what is unfinished, and the operations of a day, newest first.
func (t *Pages) showList(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words, st, today := ses.Words(), t.counter.Status(), t.book.Today()
	day := t.book.DayOrToday(r.URL.Query().Get("day"))
	before, err := op.ParseID(r.URL.Query().Get("before"))
	if err != nil {
		before = ""
	}
	d := listData{
		Search: searchField(words, ""), Day: day, Today: today, IsToday: day == today, FirstPage: before == "",
		Title: words.Date(day.Noon()), Previous: day.Add(-1),
	}
	if d.IsToday {
		d.Title = words.Text("history.today")
	} else {
		d.Next = day.Add(1)
	}
	if d.IsToday && d.FirstPage {
		limit := maxUnfinished
		if r.URL.Query().Get("open") == "all" {
			limit = maxAllUnfinished
		}
		groups, more, err := t.unfinished(words, st, limit)
		if err != nil {
			d.Broken = true
			t.log.Error("unfinished operations can't be listed", "error", err)
		}
		d.Groups = groups
		if more > 0 {
			d.MoreUnfinished = words.Plural("history.unfinished.more", more)
		}
	}
	sum, err := t.countDay(day)
	d.Sum = words.Text("history.sum", "done", sum.Done, "failed", sum.Failed, "open", sum.Unfinished)
	if sum.AwaitingFinger > 0 {
		d.Sum += " " + words.Text("history.sum.awaiting-finger", "n", sum.AwaitingFinger)
	}
	views, older, viewErr := t.pageOf(day, before)
	if err != nil || viewErr != nil {
		d.Broken = true
		t.log.Error("a day's operations can't be listed", "day", day, "error", err, "viewError", viewErr)
	}
	if older != "" {
		d.Older = "/operations?" + url.Values{"day": {string(day)}, "before": {string(older)}}.Encode()
	}
	if d.IsToday && d.FirstPage { // unfinished ones are listed above
		views = slices.DeleteFunc(views, func(v edge.View) bool { return !v.State.Final() || outcome.IsCashOpen(st, v.ID) })
	}
	d.Rows = outcome.Rows(words, views, st)
	p := ui.Page{Name: "history/operations", Title: words.Text("history.title"), Back: "/", Data: d}
	if !d.FirstPage {
		p.Back = "/operations?day=" + string(day)
	}
	if len(d.Groups) > 0 {
		p.Refresh = refreshSeconds
	}
	t.kit.Render(w, r, ses, http.StatusOK, p)
}

func (t *Pages) countDay(day ist.Day) (s dayCounts, err error) {
	records, err := t.book.Operations(day)
	for _, r := range records {
		switch {
		case r.State == op.Succeeded:
			s.Done++
		case r.State.Final():
			s.Failed++
		case r.State == op.Reserved:
			s.AwaitingFinger++
		default:
			s.Unfinished++
		}
	}
	return s, err
}

// pageOf returns a page of a day's operations older than before (all if empty), newest
// first, with the enquiries since the program started; older is where the next page
// begins, empty if there is none.
func (t *Pages) pageOf(day ist.Day, before op.ID) (views []edge.View, older op.ID, err error) {
	first, end := t.book.IDRange(day)
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

func searchField(w *i18n.Localizer, typed string) ui.Field {
	return ui.Field{Name: "q", Kind: ui.Search, Label: w.Text("history.search"), Hint: w.Text("history.search.hint"), Value: typed, Max: 64}
}

type foundData struct {
	Search  ui.Field
	Rows    []outcome.Row
	Title   string
	More    bool   // there are more matches
	AllDays string // address of the search in all days; empty: it covered all

	Broken bool
}

// search redirects to the results of a search. A term that may be an Aadhaar or mobile
// number is answered at once, so that no address holds it.
func (t *Pages) search(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	typed := strings.TrimSpace(r.PostForm.Get("q"))
	if typed == "" {
		http.Redirect(w, r, "/operations", http.StatusSeeOther)
		return
	}
	term, secret := parseSearch(typed)
	if secret {
		t.renderFound(w, r, ses, term, "", true)
		return
	}
	http.Redirect(w, r, "/operations/found?"+url.Values{"q": {typed}}.Encode(), http.StatusSeeOther)
}

// showFound shows the matching operations, newest first.
func (t *Pages) showFound(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	typed := strings.TrimSpace(r.URL.Query().Get("q"))
	term, secret := parseSearch(typed)
	if typed == "" || secret { // somebody typed the address
		http.Redirect(w, r, "/operations", http.StatusSeeOther)
		return
	}
	t.renderFound(w, r, ses, term, typed, r.URL.Query().Get("all") != "")
}

func (t *Pages) renderFound(w http.ResponseWriter, r *http.Request, ses *ui.Session, term searchTerm, typed string, all bool) {
	words, st, today := ses.Words(), t.counter.Status(), t.book.Today()
	days := searchDays
	d := foundData{Search: searchField(words, typed)}
	if all {
		days = maxSearchDays
	} else {
		d.AllDays = "/operations/found?" + url.Values{"q": {typed}, "all": {"1"}}.Encode()
	}
	records, more, err := t.find(term, today.Add(-days), today, maxFound)
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
	d.Rows, d.More = outcome.Rows(words, views, st), more
	d.Title = words.Plural("history.found", len(d.Rows))
	if d.More {
		d.Title = words.Text("history.found.most", "n", len(d.Rows))
	}
	t.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "history/found", Title: words.Text("history.found.title"), Back: "/operations", Data: d})
}

// exportDay returns a day as a CSV file. The file is complete before it is sent: half a
// file would look like a day with fewer operations.
func (t *Pages) exportDay(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	day, err := ist.ParseDay(r.URL.Query().Get("day"))
	if err != nil {
		t.kit.NotFound(w, r, ses)
		return
	}
	var b bytes.Buffer
	if err := t.book.WriteDay(&b, day); err != nil {
		t.kit.Fail(w, r, ses, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="galla-%s.csv"`, day))
	_, _ = w.Write(b.Bytes())
}
