package console

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
)

// TestList shows the latest operations at once, and those that pass a filter.
func TestList(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	done := h.operation(t, 1, time.Minute, op.Succeeded)
	stuck := h.operation(t, 2, 8*24*time.Hour, "stuck")
	failed := h.operation(t, 3, 26*time.Hour, op.Failed, func(o *central.Operation) { o.Amount, o.IIN = 2000_00, "607152" })
	all := []central.Operation{done, stuck, failed}
	v := h.browser(t).enter("vikram")
	for query, want := range map[string][]central.Operation{
		"":                    {done, failed, stuck},
		"state=open":          {stuck},
		"state=stuck":         {stuck},
		"state=failed":        {failed},
		"kind=TRANSFER":       nil,
		"bank=607152":         {failed},
		"least=1%2C000&most=": {failed},
		"most=500.00":         {done, stuck},
		"period=week":         {done, failed},
		"period=month":        {done, failed, stuck},
		"from=2020-01-01":     {done, failed, stuck},
		"to=2020-01-01":       nil,
		"merchant=" + string(shop) + "&sort=amount": {failed, done, stuck},
	} {
		page := v.get("/console/operations?"+query, http.StatusOK)
		last := -1
		for _, o := range want {
			at := strings.Index(page, "/console/operations/"+string(o.ID))
			if at <= last {
				t.Errorf("%s: operation %s is missing, or not in its place", query, o.Reference)
			}
			last = at
		}
		for _, o := range all {
			if !slices.ContainsFunc(want, func(x central.Operation) bool { return x.ID == o.ID }) && strings.Contains(page, string(o.ID)) {
				t.Errorf("%s: operation %s is listed", query, o.Reference)
			}
		}
	}
	// Every field that is wrong is named.
	page := v.get("/console/operations?state=x&kind=y&least=a&most=b&period=z&sort=s&before=q", http.StatusUnprocessableEntity)
	has(t, page, "There is no state", "there is no kind", "the least amount", "the largest amount", "there is no period", "can&#39;t be sorted", "begin at the first page")
	has(t, v.get("/console/operations?kind=BALANCE_ENQUIRY", http.StatusUnprocessableEntity), "Choose a merchant, too")
	has(t, v.get("/console/operations?from=2026-11-22&to=2026-11-20", http.StatusUnprocessableEntity), "The first day is after the last one")
}

// TestFilterForm leads to the address of the filter, which has no number of a customer.
func TestFilterForm(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	v := h.browser(t).enter("vikram")
	v.get("/console/operations", http.StatusOK)
	for _, c := range []struct {
		to     string
		fields []string
	}{
		{"/console/operations?least=1%2C000&state=failed", []string{"state", "failed", "kind", "", "least", "1,000"}},
		{"/console/operations?", []string{"merchant", "9999 4105 7058", "bank", "999941057058", "least", "999941057058"}},
	} {
		if to := v.post("/console/operations", http.StatusSeeOther, c.fields...); to != c.to {
			t.Errorf("%q leads to %s", c.fields, to)
		}
	}
	has(t, v.post("/console/operations", http.StatusUnprocessableEntity, "state", "none"), "There is no state")
}

// TestListPages leads from page to page, and back to the first.
func TestListPages(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	for n := range pageSize + 2 {
		h.operation(t, n+1, time.Duration(n+1)*time.Minute, op.Succeeded)
	}
	v := h.browser(t).enter("vikram")
	first := v.get("/console/operations?state=succeeded", http.StatusOK)
	older := linkOf(t, first, "Older")
	second := v.get(older, http.StatusOK)
	if a, b := strings.Count(first, "/console/operations/0193519c"), strings.Count(second, "/console/operations/0193519c"); a != pageSize || b != 2 {
		t.Errorf("the pages have %d and %d operations, want %d and 2", a, b, pageSize)
	}
	has(t, first, "data-live")
	hasNot(t, second, "data-live", ">Older<")
	if to := linkOf(t, second, "Latest"); to != "/console/operations?state=succeeded" {
		t.Errorf("the first page is %s", to)
	}
	rows, err := csv.NewReader(strings.NewReader(v.get("/console/operations.csv?state=succeeded", http.StatusOK))).ReadAll()
	if err != nil || len(rows) != pageSize+3 || rows[1][5] != "500.00" || rows[1][13] != "XXXXXXXX7058" {
		t.Errorf("the CSV file has %d lines, %v: %q", len(rows), err, rows[1])
	}
	if did := h.did(t); !slices.Contains(did, "operation.export vikram/ done") || !slices.Contains(did, "operation.list vikram/ done") {
		t.Errorf("the audit log has %q", did)
	}
}

// linkOf is where the page's link with a text leads.
func linkOf(t *testing.T, page, text string) string {
	t.Helper()
	before, _, ok := strings.Cut(page, `">`+text+`</a>`)
	if !ok {
		t.Fatalf("there is no link %q", text)
	}
	return strings.ReplaceAll(before[strings.LastIndex(before, `href="`)+6:], "&amp;", "&")
}

// TestLiveReads: a page that loads itself again does not extend the session, and is
// recorded once.
func TestLiveReads(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	h.operation(t, 1, time.Minute, op.Succeeded)
	v := h.browser(t).enter("vikram")
	reads := func() int {
		return len(slices.DeleteFunc(h.did(t), func(line string) bool { return !strings.HasPrefix(line, "operation.list ") }))
	}
	for range 3 {
		r := v.request(http.MethodGet, "/console/operations", nil)
		r.Header.Set(liveHeader, "1")
		if reply, page := v.do(r); reply.StatusCode != http.StatusOK || !strings.Contains(page, "data-live") {
			t.Fatalf("HTTP %d", reply.StatusCode)
		}
	}
	if n := reads(); n != 1 {
		t.Errorf("three reads of one list are recorded %d times", n)
	}
	v.get("/console/operations?state=failed", http.StatusOK)
	if n := reads(); n != 2 {
		t.Errorf("reads of two lists are recorded %d times", n)
	}
}

// TestRecentReads forgets a read after a while.
func TestRecentReads(t *testing.T) {
	var r recentReads
	now := time.Now()
	for _, c := range []struct {
		login string
		after time.Duration
		want  bool
	}{
		{"asha", 0, true}, {"asha", time.Minute, false}, {"ravi", time.Minute, true}, {"asha", recordAgain, true}, {"asha", recordAgain + time.Minute, false},
	} {
		if got := r.isNew(c.login, "state=open", now.Add(c.after)); got != c.want {
			t.Errorf("%s after %s: new is %v", c.login, c.after, got)
		}
	}
}

// TestViews saves filters of a member.
func TestViews(t *testing.T) {
	h := newHarness(t)
	h.seed(t)
	v, other := h.browser(t).enter("vikram"), h.browser(t).enter("ravi")
	v.get("/console/operations?state=stuck", http.StatusOK)
	if to := v.post("/console/views", http.StatusSeeOther, "name", " Stuck ones ", "query", "state=stuck&before=1.x"); to != "/console/operations?state=stuck&done=view-saved" {
		t.Errorf("it leads to %s", to)
	}
	has(t, v.get("/console/operations", http.StatusOK), `<a href="/console/operations?state=stuck">Stuck ones</a>`, `aria-label="Delete the view Stuck ones"`)
	v.post("/console/views", http.StatusSeeOther, "name", "Stuck ones", "query", "state=stuck&kind=TRANSFER")
	has(t, v.get("/console/operations", http.StatusOK), `<a href="/console/operations?kind=TRANSFER&amp;state=stuck">Stuck ones</a>`)
	hasNot(t, other.get("/console/operations", http.StatusOK), "Stuck ones")
	for name, fields := range map[string]url.Values{
		"no name": {"name": {" "}, "query": {""}}, "a long name": {"name": {strings.Repeat("x", 41)}, "query": {""}}, "a number": {"name": {"of 999941057058"}, "query": {""}},
		"no filter": {"name": {"x"}, "query": {"state=none"}}, "no query": {"name": {"x"}, "query": {"%zz"}},
	} {
		reply, page := v.do(v.form("/console/views", "name", fields.Get("name"), "query", fields.Get("query")))
		if reply.StatusCode != http.StatusUnprocessableEntity || strings.Contains(page, "999941057058") {
			t.Errorf("%s: HTTP %d", name, reply.StatusCode)
		}
	}
	for n := range staff.MaxViews - 1 {
		v.post("/console/views", http.StatusSeeOther, "name", fmt.Sprint("view ", n), "query", "")
	}
	has(t, v.post("/console/views", http.StatusConflict, "name", "one more", "query", ""), "20 saved views")
	other.get("/console/operations", http.StatusOK)
	other.post("/console/views/delete", http.StatusNotFound, "name", "Stuck ones")
	v.post("/console/views/delete", http.StatusSeeOther, "name", "Stuck ones")
	hasNot(t, v.get("/console/operations", http.StatusOK), "Stuck ones")
}
