package console

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/staff"
)

// Columns by which lists of parties are sorted, by the figures of today.
const (
	sortMoved   = "moved"   // the largest amounts first
	sortSuccess = "success" // the lowest rates first
)

// partyList is the filter of a list of parties, as its address has it.
type partyList struct {
	path   string
	fields url.Values // those that are set
	Sort   string
}

// readPartyList reads the fields of a filter, and the column that sorts the list. Of long numbers
// it takes only mobile numbers, by which merchants are found.
func readPartyList(v *visit, path string, names ...string) (partyList, error) {
	l := partyList{path: Root + path, fields: url.Values{}, Sort: v.query().Get("sort")}
	var wrong []error
	for _, name := range names {
		typed := strings.TrimSpace(v.query().Get(name))
		if text := filterText(typed); text != "" || tenDigits.MatchString(typed) {
			l.fields.Set(name, typed)
		} else if typed != "" {
			wrong = append(wrong, refuse("Lists are not searched by long numbers, other than mobile numbers of merchants."))
		}
	}
	switch l.Sort {
	case "":
	case sortMoved, sortSuccess:
		l.fields.Set("sort", l.Sort)
	default:
		wrong = append(wrong, refuse("The list can't be sorted by %q.", filterText(l.Sort)))
		l.Sort = ""
	}
	return l, joinRefusals(wrong...)
}

// choose returns a field of the filter that must be one of some values; empty: any.
func choose[T ~string](l partyList, name string, values ...T) (T, error) {
	value := T(l.fields.Get(name))
	if value != "" && !slices.Contains(values, value) {
		return "", refuse("There is no %s %q.", name, withoutNumbers(string(value)))
	}
	return value, nil
}

// Order is the list, for the heads of columns that sort it.
func (l partyList) Order() *partyList { return &l }

// Filtered reports whether a field is set.
func (l partyList) Filtered() bool { return len(l.fields) > 0 }

// Usual names the order that the list has by itself.
func (l partyList) Usual() string {
	if l.path == Root+"terminals" {
		return "enrolment"
	}
	return "name"
}

// Sorted is the address of the list sorted by a column; empty: by its own order.
func (l partyList) Sorted(column string) string { return l.with(url.Values{"sort": {column}}) }

// with is the address of the list with more fields; empty ones are left out.
func (l partyList) with(more url.Values) string {
	q := url.Values{}
	maps.Copy(q, l.fields)
	for name, values := range more {
		q[name] = values
		if values[0] == "" {
			delete(q, name)
		}
	}
	return strings.TrimSuffix(l.path+"?"+q.Encode(), "?")
}

// compareTotals orders totals by a column.
func compareTotals(column string, a, b accounts.Totals) int {
	if column == sortSuccess {
		return cmp.Or(cmp.Compare(min(b.Ended(), 1), min(a.Ended(), 1)), cmp.Compare(a.SuccessRate(), b.SuccessRate()), cmp.Compare(b.Failed, a.Failed))
	}
	return cmp.Or(cmp.Compare(b.Moved, a.Moved), cmp.Compare(b.Succeeded, a.Succeeded))
}

// rank orders parties by a column.
func rank[K ~string](sums map[K]accounts.Totals, column string) []K {
	return slices.SortedFunc(maps.Keys(sums), func(a, b K) int {
		return cmp.Or(compareTotals(column, sums[a], sums[b]), cmp.Compare(a, b))
	})
}

// readRanked reads the first page of a ranking's parties that pass a filter. read reads those of
// some ids that do, in any order: first of as many as a page has, which is all where there is no
// filter.
func readRanked[K ~string, T any](ids []K, read func([]K) ([]T, error), id func(T) K) (list []T, err error) {
	for at, next := 0, pageSize; at < len(ids); at, next = at+next, sortedOf {
		some := ids[at:min(at+next, len(ids))]
		found, err := read(some)
		if err != nil {
			return nil, err
		}
		place := make(map[K]int, len(some))
		for i, x := range some {
			place[x] = i
		}
		slices.SortFunc(found, func(a, b T) int { return cmp.Compare(place[id(a)], place[id(b)]) })
		if list = append(list, found...); len(list) >= pageSize {
			return list[:pageSize], nil
		}
	}
	return list, nil
}

// healthTiles are the figures above a party's page. operations is the address of the list of
// its operations.
func healthTiles(h accounts.Health, operations string) []tile {
	note := ""
	if !h.Since.IsZero() {
		note = ", of the latest " + formatCount(accounts.MaxLooked)
	}
	open := tile{Label: "Open, 7 days", Value: formatCount(h.Week.Unfinished), Note: "without a final outcome", Href: operations + "&state=open"}
	if h.Week.Unfinished > 0 {
		open.Tone = "warn"
	}
	return []tile{
		{Label: "Moved today", Value: h.Today.Moved.Rupees(), Note: "7 days: " + h.Week.Moved.Rupees() + note, Href: operations + "&period=today"},
		{Label: "Success rate today", Value: share(h.Today), Note: "7 days: " + share(h.Week) + note, Href: operations + "&period=week&state=failed"},
		{Label: "Operations today", Value: formatCount(h.Today.Count()), Note: "7 days: " + formatCount(h.Week.Count()) + note, Href: operations + "&period=week"},
		open,
	}
}

// seenTile says when a party was last seen.
func seenTile(at, now time.Time, online int, note, href string) tile {
	t := tile{Label: "Last seen", Value: "never", Note: note, Href: href, Tone: "warn"}
	switch {
	case online > 0:
		t.Value, t.Tone = "online", ""
	case !at.IsZero():
		t.Value, t.Tone = formatDistance(now.Sub(at)), ""
	}
	return t
}

const (
	// latestShown is how many operations a party's page shows, and latestLook how many it looks
	// at to find them.
	latestShown, latestLook = 6, 5000
)

// latestOperations are the newest operations of a party.
type latestOperations struct {
	List      []listedOperation
	Merchants bool      // of several
	All       string    // address of the list of all
	LookedTo  time.Time // how far back it looked, where it found too few; zero: to the first one
}

// latestOf reads the newest operations of a party. It is recorded as a read of their list.
func latestOf(v *visit, f listFilter) (latestOperations, error) {
	out := latestOperations{Merchants: f.Merchant == "", All: Root + "operations?" + f.encode()}
	if err := v.c.recordList(v, f); err != nil {
		return out, err
	}
	found, err := v.c.Operations.List(v.Context(), staff.ListQuery{
		Merchant: central.MerchantID(f.Merchant), Vendor: central.VendorID(f.Vendor), Terminal: central.TerminalID(f.Terminal), Look: latestLook, Limit: latestShown,
	})
	if err != nil {
		return out, err
	}
	out.List, out.LookedTo = v.c.named(v, found.Operations), found.LookedTo
	return out, nil
}

// joinRefusals is one refusal with the texts of all; nil: there is none.
func joinRefusals(list ...error) error {
	var texts []string
	for _, err := range list {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	if texts == nil {
		return nil
	}
	return refuse("%s", strings.Join(texts, " "))
}
