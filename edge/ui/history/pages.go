package history

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"galla/edge"
	"galla/edge/i18n"
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
	Show           filter
	Title          string // of the day
	Sum            string
	Filters        []filterLink
	Totals         []string // of the operations that the filter selects
	Previous       string   // address of the day before
	Next           string   // and of the day after; empty: the day is today
	IsToday        bool
	FirstPage      bool // it has the newest operations of the day
	Rows           []entryRow
	Newest         string // address of the first page
	Older          string // address of the next page; empty: none
	Broken         bool
}

// showList shows what is unfinished, and the operations of a day, newest first.
func (t *Pages) showList(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words, st, today := ses.Words(), t.counter.Status(), t.book.Today()
	day, show := t.book.DayOrToday(r.URL.Query().Get("day")), parseFilter(r.URL.Query().Get("show"))
	before, err := op.ParseID(r.URL.Query().Get("before"))
	if err != nil {
		before = ""
	}
	d := listData{
		Search: searchField(words, ""), Day: day, Today: today, Show: show, IsToday: day == today, FirstPage: before == "",
		Title: words.Date(day.Noon()), Previous: show.address(day.Add(-1)), Newest: show.address(day),
	}
	if d.IsToday {
		d.Title = words.Text("history.today")
	} else {
		d.Next = show.address(day.Add(1))
	}
	if d.IsToday && d.FirstPage {
		t.listUnfinished(&d, words, st, r.URL.Query().Get("open") == "all")
	}
	records, sum, err := t.dayRecords(day)
	if err != nil {
		d.Broken = true
		t.log.Error("a day's operations can't be listed", "day", day, "error", err)
	}
	d.Sum = words.Text("history.sum", "done", sum.Done, "failed", sum.Failed, "open", sum.Unfinished)
	if sum.AwaitingFinger > 0 {
		d.Sum += " " + words.Text("history.sum.awaiting-finger", "n", sum.AwaitingFinger)
	}
	entries := fold(records)
	d.Filters = filterLinks(words, day, show, entries, st)
	entries = show.choose(entries, st)
	d.Totals = totals(words, entries)
	page, older := pageOf(entries, before)
	if older != "" {
		d.Older = show.address(day, older)
	}
	if d.IsToday && d.FirstPage && show == showAll { // unfinished ones are listed above
		page = slices.DeleteFunc(slices.Clone(page), func(e *entry) bool { return isWaiting(e.Record, st) })
	}
	d.Rows = t.rows(words, page, st)
	p := ui.Page{Name: "history/operations", Title: words.Text("history.title"), Back: "/", Data: d}
	if !d.FirstPage {
		p.Back = d.Newest
	}
	if len(d.Groups) > 0 {
		p.Refresh = refreshSeconds
	}
	t.kit.Render(w, r, ses, http.StatusOK, p)
}

// listUnfinished lists what is unfinished. With a filter it only says how many there are:
// the filter may hide them.
func (t *Pages) listUnfinished(d *listData, words *i18n.Localizer, st edge.Status, all bool) {
	if d.Show != showAll {
		ids, err := t.book.UnfinishedIDs()
		if n := len(ids) + len(st.OpenCash); n > 0 {
			d.MoreUnfinished = words.Plural("history.unfinished.hidden", n)
		}
		t.reportUnlisted(d, err)
		return
	}
	limit := maxUnfinished
	if all {
		limit = maxAllUnfinished
	}
	groups, more, err := t.unfinished(words, st, limit)
	t.reportUnlisted(d, err)
	d.Groups = groups
	if more > 0 {
		d.MoreUnfinished = words.Plural("history.unfinished.more", more)
	}
}

func (t *Pages) reportUnlisted(d *listData, err error) {
	if err != nil {
		d.Broken = true
		t.log.Error("unfinished operations can't be listed", "error", err)
	}
}

// dayRecords returns a day's operations, oldest first, with the enquiries since the program
// started, and counts those that the queue stores.
func (t *Pages) dayRecords(day ist.Day) (records []*edge.Record, s dayCounts, err error) {
	first, end := t.book.IDRange(day)
	err = t.book.EachOperation(day, func(r *edge.Record) {
		s.count(r)
		records = append(records, r)
	})
	enquiries := t.counter.Enquiries()
	for i := range enquiries {
		if id := enquiries[i].ID; id >= first && id < end {
			records = append(records, &enquiries[i].Record)
		}
	}
	slices.SortFunc(records, func(a, b *edge.Record) int { return cmp.Compare(a.ID, b.ID) })
	return records, s, err
}

func (s *dayCounts) count(r *edge.Record) {
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

// pageOf returns a page of entries older than before (from the newest, if empty); older is
// where the next page begins, empty if there is none.
func pageOf(entries []*entry, before op.ID) (page []*entry, older op.ID) {
	if before != "" {
		from := slices.IndexFunc(entries, func(e *entry) bool { return e.ID < before })
		if from < 0 {
			return nil, ""
		}
		entries = entries[from:]
	}
	if len(entries) > pageSize {
		return entries[:pageSize], entries[pageSize-1].ID
	}
	return entries, ""
}

func searchField(w *i18n.Localizer, typed string) ui.Field {
	return ui.Field{Name: "q", Kind: ui.Search, Label: w.Text("history.search"), Hint: w.Text("history.search.hint"), Value: typed, Max: 64}
}

type foundData struct {
	Search  ui.Field
	Rows    []entryRow
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
	found := make([]*edge.Record, len(records))
	for i := range records { // fold takes the oldest first
		found[len(records)-1-i] = &records[i]
	}
	d.Rows, d.More = t.rows(words, fold(found), st), more
	d.Title = words.Plural("history.found", len(d.Rows))
	if d.More {
		d.Title = words.Text("history.found.most", "n", len(d.Rows))
	}
	t.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "history/found", Title: words.Text("history.found.title"), Back: "/operations", Data: d})
}
