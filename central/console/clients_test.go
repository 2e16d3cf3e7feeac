package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"galla/central/staff"
)

var shownKey = regexp.MustCompile(`<code class="key">([^<]+)</code>`)

// TestPrograms: an admin makes a merchant's credential, which is shown once; it gets
// tokens, gets another secret, and is suspended.
func TestPrograms(t *testing.T) {
	h := newSystem(t)
	asha, ravi := h.enter(t, staff.Admin), h.enter(t, staff.Operator)
	here := "/console/merchants/" + shop
	shown := func(page string) (id, key string) {
		t.Helper()
		all := shownKey.FindAllStringSubmatch(page, -1)
		if len(all) != 2 {
			t.Fatalf("no credential on the page: %s", page)
		}
		return all[0][1], all[1][1]
	}
	secrets := []string{}
	taken := func(what, id, key string, want bool) {
		t.Helper()
		bearer, status, text := h.token(t, id, key)
		if (bearer != "") != want || !want && status != http.StatusUnauthorized {
			t.Fatalf("%s: HTTP %d %s", what, status, text)
		}
		if !want {
			return
		}
		if status, text := h.as(t, bearer, "GET", "/aeps/authStatus", ""); status != http.StatusOK {
			t.Errorf("%s: a call: HTTP %d %s", what, status, text)
		}
	}
	ravi.post(here+"/clients", http.StatusForbidden)
	page := asha.post(here+"/clients", http.StatusOK)
	has(t, page, "The secret is not shown again", "Lakshmi Kirana Store")
	id, first := shown(page)
	secrets = append(secrets, first)
	taken("a new one", id, first, true)
	page = asha.get(here, http.StatusOK)
	has(t, page, id, "merchant-lakshmi", "Replace secrets for "+id)
	hasNot(t, page, first)
	hasNot(t, ravi.get(here, http.StatusOK), "Replace secrets for", `action="`+here+"/clients")
	has(t, ravi.get(here+"/clients/"+id, http.StatusOK), id, "none open", "No terminals.")
	hasNot(t, ravi.get(here+"/clients/"+id, http.StatusOK), "Replace secrets", "Suspend")

	has(t, asha.post(here+"/clients/"+id+"/secret", http.StatusOK), "another secret?", "within a second")
	taken("asked, and not yet sure", id, first, true)
	again, second := shown(asha.post(here+"/clients/"+id+"/secret", http.StatusOK, "confirmed", "yes"))
	secrets = append(secrets, second)
	if again != id {
		t.Errorf("the id became %s", again)
	}
	taken("the secret before", id, first, false)
	taken("the other secret", id, second, true)

	has(t, asha.post(here+"/clients/"+id+"/active", http.StatusOK, "to", "suspended"), "Suspend "+id)
	if to := asha.post(here+"/clients/"+id+"/active", http.StatusSeeOther, "to", "suspended", "confirmed", "yes"); to != here+"/clients/"+id+"?done=client-off" {
		t.Errorf("leads to %s", to)
	}
	taken("suspended", id, second, false)
	has(t, asha.post(here+"/clients/"+id+"/active", http.StatusConflict, "to", "suspended", "confirmed", "yes"), "Its state has changed")
	asha.post(here+"/clients/"+id+"/active", http.StatusSeeOther, "to", "active")
	taken("let in again", id, second, true)

	for _, other := range []string{"/console/vendors/" + vendor, "/console/merchants/" + newcomer, "/console/aggregators/a0000000-0000-4000-8000-000000000001"} {
		asha.post(other+"/clients/"+id+"/secret", http.StatusNotFound, "confirmed", "yes")
		asha.post(other+"/clients/"+id+"/active", http.StatusNotFound, "to", "suspended", "confirmed", "yes")
	}
	taken("another party's page", id, second, true)
	for range 4 { // in addition to the sandbox's own, and this one
		asha.post(here+"/clients", http.StatusOK)
	}
	has(t, asha.post(here+"/clients", http.StatusConflict), "suspend one first")
	vid, vkey := shown(asha.post("/console/vendors/"+vendor+"/clients", http.StatusOK))
	if bearer, status, text := h.token(t, vid, vkey); bearer == "" {
		t.Errorf("a vendor's: HTTP %d %s", status, text)
	}
	aid, akey := shown(asha.post("/console/aggregators/a0000000-0000-4000-8000-000000000001/clients", http.StatusOK))
	if bearer, status, text := h.token(t, aid, akey); bearer == "" {
		t.Errorf("an aggregator's: HTTP %d %s", status, text)
	}
	has(t, asha.get("/console/aggregators/a0000000-0000-4000-8000-000000000001", http.StatusOK), aid, "agg-galla")

	entries := strings.Join(append(append(h.auditEntries(t, "client.add"), h.auditEntries(t, "client.secret")...), h.auditEntries(t, "client.active")...), "\n")
	for _, want := range []string{"sandbox-admin " + shop + " done: →live", "done: →another secret client " + id, "done: active→suspended client " + id, "done: suspended→active client " + id, "refused: "} {
		if !strings.Contains(entries, want) {
			t.Errorf("the audit log has no %q: %s", want, entries)
		}
	}
	for _, text := range append(secrets, vkey, akey) {
		if strings.Contains(entries+h.log.String(), text) {
			t.Error("a secret is in the audit log or in the log")
		}
	}
}

// TestChangingParties: invalid fields are named, another person's change meanwhile is
// kept, and the audit log has the values before and after.
func TestChangingParties(t *testing.T) {
	h := newSystem(t)
	asha, ravi := h.enter(t, staff.Admin), h.enter(t, staff.Operator)
	here := "/console/merchants/" + shop
	ravi.get(here+"/change", http.StatusForbidden)
	page := asha.get(here+"/change", http.StatusOK)
	has(t, page, `value="Lakshmi Kirana Store"`, `value="4321"`, `value="BARB0PUNEXX"`)
	version := regexp.MustCompile(`name="version" value="([0-9a-f]+)"`)
	change := func(status int, version string, fields ...string) string {
		t.Helper()
		all := []string{"legal_name", "Lakshmi Stores", "mobile", "9800000055", "address", "4 Station Road, Pune", "vendor", vendor, "vpa", "lakshmi@galla", "mcc", "5411", "version", version,
			"account_last4", "0042", "ifsc", "SBIN0000001", "bank_name", "State Bank of India", "holder", "Lakshmi"}
		return asha.post(here+"/change", status, append(all, fields...)...)
	}
	first := version.FindStringSubmatch(page)[1]
	has(t, change(http.StatusUnprocessableEntity, first, "mobile", "12", "ifsc", "x", "account_last4", "123456"),
		"The mobile number ", "The IFSC ", "The account must be the last four digits", `value="Lakshmi Stores"`)
	if to := change(http.StatusSeeOther, first); to != here+"?done=merchant-changed" {
		t.Errorf("leads to %s", to)
	}
	has(t, asha.get(here, http.StatusOK), "Lakshmi Stores", "9800000055", "4 Station Road, Pune", "XXXXXX0042", "SBIN0000001", "GAL0000001", "APPROVED")
	page = change(http.StatusConflict, first, "legal_name", "Older")
	has(t, page, "Somebody changed it", `value="Lakshmi Stores"`)
	second := version.FindStringSubmatch(page)[1]
	change(http.StatusSeeOther, second, "account_last4", "", "ifsc", "", "bank_name", "", "holder", "")
	has(t, asha.get(here, http.StatusOK), "Settlement account</dt><dd>not set")
	if list := strings.Join(h.auditEntries(t, "merchant.change"), "\n"); !strings.Contains(list, "mobile …0001; address 12 Laxmi Road, Sadashiv Peth, Pune 411030; appid APP0000001; vpa ") || !strings.Contains(list, "→legal_name Lakshmi Stores; mobile …0055; address 4 Station Road, Pune; ") {
		t.Errorf("the audit log: %s", list)
	}

	at := "/console/vendors/" + vendor
	has(t, asha.post(at+"/change", http.StatusUnprocessableEntity, "legal_name", ""), "The name ")
	asha.post(at+"/change", http.StatusSeeOther, "legal_name", "Sahyadri Payments")
	has(t, asha.get(at, http.StatusOK), "Sahyadri Payments", "Galla Aggregator")
	deccan := "/console/vendors/b0000000-0000-4000-8000-000000000002"
	asha.post(deccan+"/change", http.StatusUnprocessableEntity, "legal_name", "Deccan Pay", "aggregator", "a0000000-0000-4000-8000-0000000000ff")
	asha.post(deccan+"/change", http.StatusSeeOther, "legal_name", "Deccan Pay", "aggregator", "a0000000-0000-4000-8000-000000000001")
	has(t, asha.get(deccan, http.StatusOK), "Galla Aggregator")
	ag := "/console/aggregators/a0000000-0000-4000-8000-000000000001"
	has(t, asha.post(ag+"/change", http.StatusUnprocessableEntity, "legal_name", ""), "The name ")
	asha.post(ag+"/change", http.StatusSeeOther, "legal_name", "Renamed Aggregator")
	has(t, ravi.get(ag, http.StatusOK), "Renamed Aggregator")
	asha.get("/console/aggregators/none", http.StatusNotFound)
	if list := strings.Join(append(h.auditEntries(t, "vendor.change"), h.auditEntries(t, "aggregator.change")...), "\n"); !strings.Contains(list, "done: Sahyadri Fintech→Sahyadri Payments") || !strings.Contains(list, "done: Galla Aggregator→Renamed Aggregator") {
		t.Errorf("the audit log: %s", list)
	}
}
