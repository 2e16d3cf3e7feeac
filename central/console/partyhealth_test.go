package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/shared/op"
	"galla/shared/wire"
)

// withHealth is a central with today's operations of two shops and a counter.
func withHealth(t *testing.T) (h *system, counter terminal) {
	t.Helper()
	h = newSystem(t)
	counter = h.enrol(t, "Front counter")
	at := time.Now()
	ofCounter := func(o *central.Operation) { o.Terminal = counter.id }
	h.operation(t, 1, at, op.Succeeded, false, "990326", ofCounter)
	h.operation(t, 2, at, op.Succeeded, false, "990326", ofCounter)
	h.operation(t, 3, at, op.Failed, false, "990326", ofCounter)
	h.operation(t, 4, at, op.Succeeded, false, "990326")
	h.operation(t, 5, at, op.Pending, true, "990326")
	h.operation(t, 6, at, op.Failed, false, "990326", func(o *central.Operation) { o.Merchant = other })
	return h, counter
}

// other is another approved shop of the sandbox, of another vendor.
const other = "c0000000-0000-4000-8000-000000000003"

// row is a line of a table that has a text.
func row(t *testing.T, page, text string) string {
	t.Helper()
	for _, line := range strings.Split(page, "<tr>") {
		if strings.Contains(line, text) {
			return line
		}
	}
	t.Fatalf("no line of the page has %q: %s", text, page)
	return ""
}

// inOrder checks that texts follow each other on a page.
func inOrder(t *testing.T, page string, texts ...string) {
	t.Helper()
	rest := page
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("%q does not follow: %s", text, page)
			return
		}
		rest = after
	}
}

// TestListsWithHealth: the lists have last seen, success rate and volume, are sorted by them,
// and name every wrong field of a filter.
func TestListsWithHealth(t *testing.T) {
	h, counter := withHealth(t)
	v := h.enter(t, staff.Viewer)
	page := v.get("/console/merchants", http.StatusOK)
	has(t, row(t, page, "/console/merchants/"+shop), ">75.0 %<br><small>7 days: 75.0 %", "₹1,500.00<br><small>7 days: ₹1,500.00", "Sahyadri Fintech", "0 of 1 terminals", "<time datetime")
	has(t, row(t, page, "/console/merchants/"+newcomer), ">—<br><small>7 days: —", "₹0.00", ">never<")
	for path, firstSecond := range map[string][2]string{
		"/console/merchants?sort=moved":   {"/console/merchants/" + shop, "/console/merchants/" + other},
		"/console/merchants?sort=success": {"/console/merchants/" + other, "/console/merchants/" + shop},
		"/console/vendors?sort=moved":     {"Sahyadri Fintech", "Deccan Pay"},
		"/console/vendors?sort=success":   {"Deccan Pay", "Sahyadri Fintech"},
	} {
		_, list, _ := strings.Cut(v.get(path, http.StatusOK), "<tbody>")
		inOrder(t, list, firstSecond[0], firstSecond[1])
	}
	sorted := v.get("/console/merchants?sort=success&status=APPROVED&text=lakshmi", http.StatusOK)
	has(t, sorted, "/console/merchants/"+shop, `aria-sort="ascending"`, "The lowest success rates of today first", `name="sort" value="success"`, `href="/console/merchants?status=APPROVED&amp;text=lakshmi"`)
	hasNot(t, sorted, "/console/merchants/"+other, "/console/merchants/"+newcomer)
	hasNot(t, v.get("/console/merchants?sort=moved", http.StatusOK), "/console/merchants/"+newcomer)
	has(t, v.get("/console/merchants?sort=name&status=OPEN", http.StatusUnprocessableEntity), "There is no status &#34;OPEN&#34;.", "The list can&#39;t be sorted by &#34;name&#34;.")

	page = v.get("/console/vendors", http.StatusOK)
	has(t, row(t, page, "/console/vendors/"+vendor), "75.0 %", "₹1,500.00", "<time datetime")
	hasNot(t, v.get("/console/vendors?state=suspended", http.StatusOK), "/console/vendors/"+vendor)
	has(t, v.get("/console/vendors?state=closed&sort=x", http.StatusUnprocessableEntity), "There is no state &#34;closed&#34;.", "sorted by &#34;x&#34;")

	for path, is := range map[string]bool{
		"/console/terminals?text=front&merchant=lakshmi+kirana&state=offline": true, "/console/terminals?sort=success": true, "/console/terminals?sort=moved&merchant=" + shop: true,
		"/console/terminals?state=online": false, "/console/terminals?sort=moved&text=back": false, "/console/terminals?sort=moved&merchant=" + newcomer: false,
	} {
		if page := v.get(path, http.StatusOK); strings.Contains(page, "Front counter") != is {
			t.Errorf("%s: the counter is on it: %t, want %t", path, !is, is)
		}
	}
	has(t, row(t, v.get("/console/terminals", http.StatusOK), "Front counter"), ">66.7 %<br>", "₹1,000.00<br>", ">never<", "never seen")
	has(t, row(t, v.get("/console/terminals?sort=moved", http.StatusOK), "Front counter"), "₹1,000.00<br>")
	has(t, v.get("/console/terminals?merchant=nobody&state=broken&sort=x", http.StatusUnprocessableEntity),
		"There is no state &#34;broken&#34;.", "sorted by &#34;x&#34;", "There is no merchant with the name or id nobody.")
	has(t, v.get("/console/terminals?merchant=s", http.StatusOK), "Which merchant?", "Lakshmi Kirana Store · "+shop)
	for _, list := range []string{"merchants?text", "vendors?text", "terminals?text", "terminals?merchant"} {
		page := v.get("/console/"+list+"=9999+4105+7058&sort=x", http.StatusUnprocessableEntity)
		has(t, page, "not searched by long numbers", "sorted by &#34;x&#34;")
		hasNot(t, page, "9999 4105 7058")
	}
	has(t, v.get("/console/merchants?text=9800000001", http.StatusOK), "/console/merchants/"+shop)

	has(t, v.get("/console/operations?terminal="+string(counter.id), http.StatusOK), "GL261121000001", "GL261121000003")
	hasNot(t, v.get("/console/operations?terminal="+string(counter.id), http.StatusOK), "GL261121000004")
	has(t, v.get("/console/operations?terminal=GAL00999", http.StatusUnprocessableEntity), "There is no terminal with the TID or id GAL00999.")
}

// TestPartyPagesWithHealth: the pages of a merchant, a vendor and a terminal have their
// health, operations, people, onboarding and limits.
func TestPartyPagesWithHealth(t *testing.T) {
	h, counter := withHealth(t)
	ws := h.connect(t, counter, wire.Frame{Version: "v1.4.2", Clock: time.Now().UnixMilli()})
	x, err := h.db.Terminal(t.Context(), counter.id)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := h.db.OpenSession(t.Context(), central.AgentSession{TID: x.TID, OpenedAt: now, ExpiresAt: now.Add(central.SessionLife)}); err != nil {
		t.Fatal(err)
	}
	v := h.enter(t, staff.Viewer)
	v.until("/console/terminals?state=online", "Front counter")
	page := v.get("/console/merchants/"+shop, http.StatusOK)
	has(t, page, "<span>Moved today</span><b>₹1,500.00</b>", "<span>Success rate today</span><b>75.0 %</b>", "<span>Last seen</span><b>online</b><small>1 of 1 terminals online</small>",
		"<span>Open, 7 days</span><b>1</b>", "Latest operations", "GL261121000005", `href="/console/operations?merchant=`+shop+`"`, "8 of 8: approved by the network", "never signed in",
		"Limits in force", "₹1.00 to ₹10,000.00", "a remitter, in a month", "at most ₹25,000.00 together", "0 of at most 1,000", "/console/vendors/"+vendor+"#people")
	hasNot(t, page, "GL261121000006")
	has(t, v.get("/console/merchants/"+newcomer, http.StatusOK), "not ready: its requests are refused", "none here", "<dt>Next step</dt><dd>recorded here</dd>", "No operation.", "<b>never</b>")

	page = v.get("/console/vendors/"+vendor, http.StatusOK)
	has(t, page, "<span>Moved today</span><b>₹1,500.00</b>", "GL261121000001", `href="/console/operations?vendor=`+vendor+`"`, "status=APPROVED", "ready for AEPS", "Callback URL, for merchants without one", "Limits in force")
	hasNot(t, page, "GL261121000006")

	page = v.get("/console/terminals/"+string(counter.id), http.StatusOK)
	has(t, page, "<span>Moved today</span><b>₹1,000.00</b>", "<span>Success rate today</span><b>66.7 %</b>", "<b>online</b><small>v1.4.2</small>", "signed in for the day", "GL261121000003",
		"terminal="+string(counter.id), "Public key, SHA-256", "<span class=\"ok\">ready</span>", "<dt>Callbacks go to</dt>")
	hasNot(t, page, "GL261121000004")
	if err := ws.Close(); err != nil {
		t.Fatal(err)
	}
	v.until("/console/terminals/"+string(counter.id), "offline")

	// Each page is recorded as a read of the list of its operations, once.
	reads := strings.Join(h.auditEntries(t, "operation.list"), "\n")
	for _, note := range []string{"merchant=" + shop + "\n", "vendor=" + vendor, "terminal=" + string(counter.id)} {
		if n := strings.Count(reads+"\n", note); n != 1 {
			t.Errorf("%d reads with %q are recorded, want one: %s", n, note, reads)
		}
	}
}

// TestRotationOfASecret: a program has two live secrets while it changes, made and ended on its
// page.
func TestRotationOfASecret(t *testing.T) {
	h := newSystem(t)
	asha, ravi := h.enter(t, staff.Admin), h.enter(t, staff.Operator)
	here := "/console/merchants/" + shop + "/clients/merchant-lakshmi"
	shown := regexp.MustCompile(`<dt>client_secret</dt><dd><code class="key">([^<]+)</code>`)
	gets := func(what, secret string, want bool) {
		t.Helper()
		if bearer, status, text := h.token(t, "merchant-lakshmi", secret); (bearer != "") != want {
			t.Errorf("%s: HTTP %d %s", what, status, text)
		}
	}
	ravi.post(here+"/secrets", http.StatusForbidden)
	page := asha.post(here+"/secrets", http.StatusOK)
	has(t, page, "The secret is not shown again", "The one before stays valid")
	made := shown.FindStringSubmatch(page)
	if made == nil {
		t.Fatalf("no secret is shown: %s", page)
	}
	gets("the one before", "sandbox-merchant-1", true)
	gets("the new one", made[1], true)
	page = asha.get(here, http.StatusOK)
	has(t, page, here+"/secrets/1/end", here+"/secrets/2/end", "Both are live")
	hasNot(t, page, made[1], "Create another secret")
	hasNot(t, ravi.get(here, http.StatusOK), "/end")
	has(t, asha.post(here+"/secrets", http.StatusConflict), "largest number of live secrets")
	has(t, asha.post(here+"/secrets/1/end", http.StatusUnprocessableEntity, "days", "91"), "at most 90 days")
	asha.post("/console/merchants/"+newcomer+"/clients/merchant-lakshmi/secrets/1/end", http.StatusNotFound, "days", "0")
	asha.post(here+"/secrets/none/end", http.StatusNotFound, "days", "0")
	if to := asha.post(here+"/secrets/1/end", http.StatusSeeOther, "days", "7"); to != here+"?done=end-planned" {
		t.Errorf("leads to %s", to)
	}
	has(t, asha.get(here, http.StatusOK), "ends <time")
	asha.post(here+"/secrets/1/end", http.StatusSeeOther, "days", "0")
	gets("the one that was ended", "sandbox-merchant-1", false)
	gets("the one that stays", made[1], true)
	has(t, asha.post(here+"/secrets/2/end", http.StatusConflict, "days", "0"), "only secret")
	entries := strings.Join(append(h.auditEntries(t, "client.secret.add"), h.auditEntries(t, "client.secret.end")...), "\n")
	if !strings.Contains(entries, "done: →ended client merchant-lakshmi, secret 1") || strings.Contains(entries+h.log.String(), made[1]) {
		t.Errorf("the audit log: %s", entries)
	}
}
