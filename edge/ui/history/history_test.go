package history

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

const day = 24 * time.Hour

var rowID = regexp.MustCompile(`<a class="row" href="/op/([^"]+)">`)

// TestPages: unfinished operations are at the top of the first page whatever their day,
// and a day's operations are listed newest first, page by page, each once.
func TestPages(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	uitest.Contains(t, v.Get("/operations", http.StatusOK), "No operations on this day", "Nothing is unfinished")
	want := map[string]bool{}
	for i := range 45 {
		want[string(s.addOperation(t, time.Duration(i)*time.Minute, op.Succeeded))] = true
	}
	want[string(s.addEnquiry(3*time.Minute, op.Succeeded))] = true
	yesterday := s.addOperation(t, day, op.Succeeded)
	old := s.addOperation(t, 9*day, op.Pending)
	seen := map[string]int{}
	path, pages := "/operations", 0
	for ; path != "" && pages < 5; pages++ {
		page := v.Get(path, http.StatusOK)
		open, rows, ok := strings.Cut(page, `id="history-day"`)
		if !ok {
			t.Fatal(page)
		}
		if first := pages == 0; first != strings.Contains(open, string(old)) {
			t.Errorf("page %d has the old open operation on top: %v", pages+1, !first)
		}
		for _, m := range rowID.FindAllStringSubmatch(rows, -1) {
			seen[m[1]]++
		}
		path = ""
		if m := regexp.MustCompile(`/operations\?before=[0-9a-f-]+&amp;day=2026-11-21`).FindString(rows); m != "" {
			path = strings.ReplaceAll(m, "&amp;", "&")
		}
	}
	if pages != 3 {
		t.Errorf("%d pages, want 3", pages)
	}
	for id := range want {
		if seen[id] != 1 {
			t.Errorf("%s is listed %d times", id, seen[id])
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d operations are listed, want %d", len(seen), len(want))
	}
	page := v.Get("/operations?day=2026-11-20", http.StatusOK)
	uitest.Contains(t, page, string(yesterday), "20 Nov 2026", "1 succeeded, 0 failed, 0 unfinished", `href="/operations?day=2026-11-21"`)
	uitest.NotContains(t, page, string(old))
	for _, odd := range []string{"?before=nonsense", "?day=2026-13-40", "?day=2099-01-01", "?day=2026-11-21&before=ffffffff-ffff-7fff-bfff-ffffffffffff"} {
		uitest.Contains(t, v.Get("/operations"+odd, http.StatusOK), "Today")
	}
}

// TestUnfinished: each unfinished operation is in its group, with what to do; a debit without an
// answer has its deadline.
func TestUnfinished(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	s.Update(func(st *edge.Status) { st.Link.Online = false })
	s.addOperation(t, time.Minute, op.Reserved)
	s.addOperation(t, 2*time.Minute, op.Queued)
	s.addOperation(t, 3*time.Minute, op.Accepted)
	s.addOperation(t, 4*time.Minute, op.Unknown)
	s.addOperation(t, 2*day, op.Pending)
	page := v.Get("/operations", http.StatusOK)
	uitest.Contains(t, page,
		"3 unfinished. Enquiries are not counted. 1 started, nothing sent.", // of today
		"Needs your action (1)", "Waiting for the connection (1)", "Being sent (2)", "Pending at the bank (1)",
		"Bank has not answered. Do not give cash. We ask the bank again and show the result here", // the agreed wording
		"3 days left", "Paid or returned by 24 Nov 2026", "Slip for the customer")
	uitest.NotContains(t, page, "owes the customer")
	s.addOperation(t, 5*day, op.Pending, func(r *edge.Record) { r.Route = op.Purchase })
	uitest.Contains(t, v.Get("/operations", http.StatusOK), "Today is the last day")
	s.addOperation(t, 8*day, op.Pending)
	uitest.Contains(t, v.Get("/operations", http.StatusOK), "3 days late", "It was due by 18 Nov 2026", "₹300", "₹100")
	// A transfer's customer paid in cash: no account is affected.
	other := newShop(t)
	other.addOperation(t, 8*day, op.Pending, func(r *edge.Record) { r.Route = op.Transfer })
	uitest.NotContains(t, openPages(t, other).Get("/operations", http.StatusOK), "days late", "owes")
}

// TestMany: more unfinished operations than fit on a page are counted.
func TestMany(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	for i := range maxUnfinished + 3 {
		s.addOperation(t, time.Duration(i)*time.Minute, op.Queued)
	}
	page := v.Get("/operations", http.StatusOK)
	uitest.Contains(t, page, "3 older operations are unfinished, too")
	if n := strings.Count(page, `class="history-open"`); n != maxUnfinished {
		t.Errorf("%d open operations are shown, want %d", n, maxUnfinished)
	}
	page = v.Get("/operations?open=all", http.StatusOK)
	if n := strings.Count(page, `class="history-open"`); n != maxUnfinished+3 {
		t.Errorf("%d open operations are shown of all, want %d", n, maxUnfinished+3)
	}
	uitest.NotContains(t, page, "older operations are unfinished")
}

// TestWeight: the fullest page with all its files has less than 150 KB.
func TestWeight(t *testing.T) {
	const limit = 150 << 10
	s := newShop(t)
	server := uitest.Serve(t, s, s.pages(t))
	v := server.NewClient(t)
	v.Login()
	for i := range maxUnfinished + 10 {
		s.addOperation(t, 8*day+time.Duration(i)*time.Minute, op.Pending)
		s.addOperation(t, time.Duration(i)*time.Minute, op.Succeeded)
	}
	v.GetRedirect("/enter?language=ta&to=/operations")
	n := v.Weight("/operations")
	if n > limit {
		t.Errorf("the page weighs %d bytes", n)
	}
	t.Logf("the page weighs %d bytes", n)
}

// TestSearch: the search finds, and no address holds personal numbers.
func TestSearch(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	id := string(s.addOperation(t, time.Hour, op.Succeeded))
	other := string(s.addOperation(t, 40*day, op.Succeeded, func(r *edge.Record) {
		r.Customer, r.Aadhaar, r.Amount = "Asha Patil", "XXXXXXXX1234", 700*money.Rupee
		r.CashGivenAt = time.Time{}
		r.Result.RRN, r.Result.STAN, r.Result.Reference = "632514999999", "999999", "AEPS-20261012-88CD"
		r.Route, r.Reply = op.Transfer, []byte(`{"statusCode":"00","data":{"mobile_no":"9876543210"}}`)
	}))
	v.Get("/operations", http.StatusOK)
	for typed, want := range map[string]string{
		"7058": id, "77AB": id, "AEPS-20261121-77AB": id, "000123": id, "₹500": id, "500.00": id, "choudhury": id, "State Bank": id,
		"700": "", "asha": "", "nothing like it": "",
	} {
		to := v.Post("/operations/find", http.StatusSeeOther, "q", typed)
		page := v.Get(to, http.StatusOK)
		if found := rowID.FindStringSubmatch(page); want == "" && found != nil || want != "" && (found == nil || found[1] != want) {
			t.Errorf("%q finds %v, want %q", typed, found, want)
		}
		if want == "" && strings.Contains(page, other) {
			t.Errorf("%q finds what is older than a month at once", typed)
		}
	}
	uitest.Contains(t, v.Get("/operations/found?q=asha&all=1", http.StatusOK), other)
	for typed, want := range map[string]string{
		uitest.CustomerAadhaar: id, "9999 4105 7058": id, "632514000123": id, "98765 43210": other, "+91 9876543210": other, "name 999941057058": "",
	} {
		page := v.Post("/operations/find", http.StatusOK, "q", typed)
		if found := rowID.FindStringSubmatch(page); want == "" && found != nil || want != "" && (found == nil || found[1] != want) {
			t.Errorf("%q finds %v, want %q", typed, found, want)
		}
		uitest.NotContains(t, page, typed, "9876543210")
	}
	uitest.Contains(t, v.Get("/operations/find", http.StatusOK), "All operations") // its address, opened again
	if to := v.Post("/operations/find", http.StatusSeeOther, "q", " "); to != "/operations" {
		t.Errorf("an empty search leads to %s", to)
	}
	if to := v.GetRedirect("/operations/found?q=9876543210"); to != "/operations" {
		t.Errorf("a mobile number in an address leads to %s", to)
	}
}

// TestFile: a day as a file, without formulas and with masked numbers only.
func TestFile(t *testing.T) {
	s := newShop(t)
	v := openPages(t, s)
	s.addOperation(t, time.Hour, op.Succeeded, func(r *edge.Record) { r.Customer = "=HYPERLINK(1)" })
	s.addOperation(t, day, op.Failed, func(r *edge.Record) { r.Result.Code = "51" })
	reply, body := v.Do(v.Request(http.MethodGet, "/operations/csv?day=2026-11-21", nil))
	if reply.StatusCode != http.StatusOK || !strings.Contains(reply.Header.Get("Content-Disposition"), `"galla-2026-11-21.csv"`) {
		t.Fatalf("HTTP %d, %q", reply.StatusCode, reply.Header.Get("Content-Disposition"))
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(body, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[0]) != len(cashbook.Columns()) {
		t.Fatalf("the file is %q, %v", rows, err)
	}
	got := map[string]string{}
	for i, head := range rows[0] {
		got[head] = rows[1][i]
	}
	for head, want := range map[string]string{
		"Operation": "Cash withdrawal", "Result": "Succeeded", "Amount (₹)": "500.00", "Cash out (₹)": "500.00", "Customer": "'=HYPERLINK(1)", "Aadhaar": "XXXXXXXX7058", "Reason": "",
	} {
		if got[head] != want {
			t.Errorf("%s is %q, want %q", head, got[head], want)
		}
	}
	_, body = v.Do(v.Request(http.MethodGet, "/operations/csv?day=2026-11-20", nil))
	uitest.Contains(t, body, "Failed", "(51)")
	uitest.NotContains(t, body, "failed", "POST /")
	v.GetRedirect("/enter?language=hi&to=/operations")
	_, body = v.Do(v.Request(http.MethodGet, "/operations/csv?day=2026-11-21", nil))
	uitest.Contains(t, body, "तारीख", "सफल")
	v.Get("/operations/csv?day=today", http.StatusNotFound)
}

// TestTexts: every language has every text of this section.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "history", Files: files})
}
