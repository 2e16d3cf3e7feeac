package console_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/console"
	"galla/central/staff"
	"galla/shared/money"
	"galla/shared/secret"
)

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// TestPartyRoutesByRole requests each route as nobody and with each role, and each
// form without its token.
func TestPartyRoutesByRole(t *testing.T) {
	h := newSystem(t)
	visitors := map[staff.Role]*browser{"": h.browser(t)}
	for role := range people {
		visitors[role] = h.enter(t, role)
	}
	needs := map[staff.Role]int{}
	for _, rt := range console.PartyRoutes() {
		method, path, _ := strings.Cut(rt.Pattern, " ")
		if !staff.Viewer.May(rt.MinRole) && !staff.Admin.May(rt.MinRole) {
			t.Fatalf("%s is open to %q", rt.Pattern, rt.MinRole)
		}
		needs[rt.MinRole]++
		path = parameter.ReplaceAllString(path, "none")
		for role, v := range visitors {
			r, err := http.NewRequest(method, v.base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if method == http.MethodPost {
				r = v.form(path)
			}
			reply, body := v.do(r)
			at := string(role) + " " + rt.Pattern
			switch to, _ := url.Parse(reply.Header.Get("Location")); {
			case role == "":
				if reply.StatusCode != http.StatusSeeOther || to.Path != "/console/sign-in" {
					t.Errorf("nobody,%s: HTTP %d to %v", at, reply.StatusCode, to)
				}
			case !role.May(rt.MinRole):
				if reply.StatusCode != http.StatusForbidden || !strings.Contains(body, "Your role does not allow this") {
					t.Errorf("%s: HTTP %d", at, reply.StatusCode)
				}
			case reply.StatusCode == http.StatusForbidden || reply.StatusCode >= http.StatusInternalServerError:
				t.Errorf("%s: HTTP %d: %s", at, reply.StatusCode, body)
			}
			if role == staff.Admin && method == http.MethodPost {
				r := v.form(path, "csrf", "x", "confirmed", "yes")
				if reply, _ := v.do(r); reply.StatusCode != http.StatusForbidden {
					t.Errorf("%s with a wrong token: HTTP %d", at, reply.StatusCode)
				}
				v.get("/console/me", http.StatusOK)
			}
		}
	}
	if needs[staff.Viewer] < 9 || needs[staff.Operator] < 8 || needs[staff.Admin] < 10 {
		t.Errorf("routes by role: %v", needs)
	}
}

// TestPartyFormsAskForACode sends each form without a code typed since the sign-in: it
// asks for one first and does nothing before, except those that are listed here.
func TestPartyFormsAskForACode(t *testing.T) {
	h := newSystem(t)
	visitors := map[staff.Role]*browser{}
	for role := range people {
		visitors[role] = h.signsIn(t, role)
	}
	did := func() (list []staff.AuditEntry) {
		t.Helper()
		all, err := h.db.AuditEntries(t.Context(), staff.AuditQuery{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(all, func(e staff.AuditEntry) bool { return e.Action == staff.ActStepUp && e.Outcome == staff.OutcomeRefused })
	}
	before, asked := did(), 0
	var free []string
	for _, rt := range console.PartyRoutes() {
		method, path, _ := strings.Cut(rt.Pattern, " ")
		if rt.NoStepUp != "" {
			free = append(free, rt.Pattern)
			continue
		}
		if method != http.MethodPost {
			continue
		}
		asked++
		v := visitors[rt.MinRole]
		path = parameter.ReplaceAllString(path, "none")
		for _, code := range []string{"", "000000"} {
			reply, page := v.do(v.form(path, "confirmed", "yes", "step_up", code))
			if (reply.StatusCode != http.StatusUnauthorized && reply.StatusCode != http.StatusTooManyRequests) || !strings.Contains(page, `name="step_up"`) {
				t.Errorf("%s without a code: HTTP %d: %s", rt.Pattern, reply.StatusCode, page)
			}
		}
	}
	if after := did(); len(after) != len(before) {
		t.Errorf("a form without a code did something: %+v", after[:len(after)-len(before)])
	}
	// Add new ones here, and to the console's document.
	if want := []string{"POST /console/callbacks/{operation}/replay", "POST /console/merchants/{merchant}/replay"}; !slices.Equal(free, want) || asked < 20 {
		t.Errorf("%d forms ask for a code, and these do not: %q, want %q", asked, free, want)
	}
}

// TestSuspendedMerchant: from the suspension on every entrance refuses the merchant's
// requests, and accepts them again afterwards.
func TestSuspendedMerchant(t *testing.T) {
	h := newSystem(t)
	asha, ravi := h.enter(t, staff.Admin), h.enter(t, staff.Operator)
	bearer, _, _ := h.token(t, "merchant-lakshmi", "sandbox-merchant-1")
	vendors, _, _ := h.token(t, "vendor-sahyadri", "sandbox-vendor-1")
	ways := map[string]func() (int, string){
		"the merchant's own call": func() (int, string) { return h.as(t, bearer, "GET", "/aeps/authStatus", "") },
		"its vendor's call for it": func() (int, string) {
			return h.as(t, vendors, "POST", "/aeps/GetAgentDetail", `{"merchantId":"`+shop+`"}`)
		},
		"its vendor's sealed call for it": func() (int, string) {
			return h.sealed(t, "POST", "/aeps/GetAgentDetail", map[string]string{"merchantId": shop})
		},
		"a new token": func() (int, string) {
			_, status, text := h.token(t, "merchant-lakshmi", "sandbox-merchant-1")
			return status, text
		},
	}
	judge := func(when string, taken bool) {
		t.Helper()
		for name, call := range ways {
			status, text := call()
			if taken && status != http.StatusOK || !taken && (status != http.StatusUnprocessableEntity || !strings.Contains(text, "its status is SUSPENDED")) {
				t.Errorf("%s, %s: HTTP %d %s", when, name, status, text)
			}
		}
	}
	here := "/console/merchants/" + shop
	judge("approved", true)
	page := ravi.post(here+"/code", http.StatusOK)
	has(t, page, "Enrolment code", "It is not shown again")
	code := regexp.MustCompile(`<code class="key">([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})</code>`).FindStringSubmatch(page)
	if code == nil {
		t.Fatalf("no code on the page: %s", page)
	}

	page = asha.get(here, http.StatusOK)
	has(t, page, "Lakshmi Kirana Store", "APPROVED", "Suspend", "Sahyadri Fintech")
	page = asha.post(here+"/status", http.StatusOK, "from", "APPROVED", "to", "SUSPENDED")
	has(t, page, "Suspend Lakshmi Kirana Store?", `name="confirmed" value="yes"`, `name="to" value="SUSPENDED"`)
	judge("asked, and not yet sure", true)
	if to := asha.post(here+"/status", http.StatusSeeOther, "from", "APPROVED", "to", "SUSPENDED", "confirmed", "yes"); to != here+"?done=merchant-suspended" {
		t.Errorf("leads to %s", to)
	}
	judge("suspended", false)
	has(t, asha.get(here+"?done=merchant-suspended", http.StatusOK), "SUSPENDED", "new requests are refused from now on")
	has(t, asha.get(here, http.StatusOK), "/console/audit?about=")
	hasNot(t, ravi.get(here, http.StatusOK), "/console/audit?about=", here+"/status")
	has(t, ravi.post(here+"/code", http.StatusConflict), "requests of its terminals would be refused")
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	if status, text := h.as(t, "", "POST", "/terminals/enrol", `{"code":"`+code[1]+`","publicKey":"`+key+`","name":"Counter"}`); status != http.StatusUnauthorized {
		t.Errorf("enrolment with a code of before the suspension: HTTP %d %s", status, text)
	}
	has(t, asha.post(here+"/status", http.StatusConflict, "from", "APPROVED", "to", "SUSPENDED", "confirmed", "yes"), "Its state has changed")
	has(t, asha.post(here+"/status", http.StatusConflict, "from", "SUSPENDED", "to", "REJECTED", "confirmed", "yes"), "Its state has changed")
	asha.post(here+"/status", http.StatusSeeOther, "from", "SUSPENDED", "to", "APPROVED")
	judge("approved again", true)

	want := "sandbox-admin " + shop + " done: APPROVED→SUSPENDED "
	if list := strings.Join(h.auditEntries(t, "merchant.status"), "\n"); !strings.Contains(list, want) || !strings.Contains(list, " started: ") || !strings.Contains(list, " refused: ") {
		t.Errorf("the audit log: %s", list)
	}
	if text := h.log.String() + strings.Join(h.auditEntries(t, "terminal.code"), "\n"); strings.Contains(text, code[1]) {
		t.Error("an enrolment code is in the log or in the audit log")
	}
}

// TestSuspendedVendor: its own requests are refused, directly and at the gateway; its
// merchants' go on.
func TestSuspendedVendor(t *testing.T) {
	h := newSystem(t)
	asha := h.enter(t, staff.Admin)
	here := "/console/vendors/" + vendor
	bearer, _, _ := h.token(t, "vendor-sahyadri", "sandbox-vendor-1")
	call := func() int {
		status, _ := h.as(t, bearer, "GET", "/vendor/merchants", "")
		return status
	}
	sealed := func(when string, taken bool) {
		t.Helper()
		for route, method := range map[string]string{"/aeps/banks": "GET", "/aeps/GetAgentDetail": "POST"} {
			status, text := h.sealed(t, method, route, map[string]string{"merchantId": shop})
			if taken && status != http.StatusOK || !taken && (status != http.StatusUnprocessableEntity || !strings.Contains(text, "not active")) {
				t.Errorf("%s, sealed %s: HTTP %d %s", when, route, status, text)
			}
		}
	}
	if status := call(); status != http.StatusOK {
		t.Fatalf("active: HTTP %d", status)
	}
	sealed("active", true)
	has(t, asha.post(here+"/active", http.StatusOK, "to", "suspended"), "Suspend Sahyadri Fintech?")
	asha.post(here+"/active", http.StatusSeeOther, "to", "suspended", "confirmed", "yes")
	if status := call(); status != http.StatusUnprocessableEntity {
		t.Errorf("suspended: HTTP %d", status)
	}
	sealed("suspended", false)
	if status, _ := h.call(t, "merchant-lakshmi", "sandbox-merchant-1", "GET", "/aeps/authStatus", ""); status != http.StatusOK {
		t.Errorf("its merchant: HTTP %d", status)
	}
	has(t, asha.get(here, http.StatusOK), "suspended", ">Enable<")
	has(t, asha.get("/console/merchants/"+shop, http.StatusOK), "suspended")
	has(t, asha.get(here+"/slabs", http.StatusUnprocessableEntity), "not active")
	asha.post(here+"/active", http.StatusSeeOther, "to", "active")
	if status := call(); status != http.StatusOK {
		t.Errorf("active again: HTTP %d", status)
	}
	sealed("active again", true)
}

// TestAddingParties: invalid fields are named, and a new merchant's requests are
// accepted when it is approved.
func TestAddingParties(t *testing.T) {
	h := newSystem(t)
	asha := h.enter(t, staff.Admin)
	asha.post("/console/aggregators", http.StatusSeeOther, "legal_name", "Second Aggregator")
	page := asha.get("/console/vendors", http.StatusOK)
	id := regexp.MustCompile(`<option value="([^"]+)">Second Aggregator`).FindStringSubmatch(page)
	if id == nil {
		t.Fatalf("the aggregator is not offered: %s", page)
	}
	has(t, asha.post("/console/vendors", http.StatusUnprocessableEntity, "legal_name", "Mart 9999 4105 7058", "aggregator", id[1]), "ten or more digits")
	has(t, asha.post("/console/vendors", http.StatusUnprocessableEntity, "legal_name", "Mobile 9800000001"), "ten or more digits")
	at := strings.TrimSuffix(asha.post("/console/vendors", http.StatusSeeOther, "legal_name", "Konkan Pay", "aggregator", id[1]), "?done=vendor-added")
	has(t, asha.get(at, http.StatusOK), "Konkan Pay", "Second Aggregator", "No keys: it can't use the gateway")

	has(t, asha.post("/console/merchants", http.StatusUnprocessableEntity, "legal_name", "", "mid", "a b", "mobile", "1", "vpa", "x", "mcc", "12", "vendor", "none"),
		"The name ", "The MID ", "The mobile number ", "The UPI address ", "The category code ", "The vendor ")
	has(t, asha.post("/console/merchants", http.StatusUnprocessableEntity, "legal_name", "Twice", "mid", "GAL0000001", "mobile", "9800000099"), "another merchant has this MID")
	at = strings.TrimSuffix(asha.post("/console/merchants", http.StatusSeeOther, "legal_name", "Konkan Stores", "mid", "GAL0000099", "mobile", "9800000099", "vpa", "konkan@galla", "mcc", "5411", "vendor", strings.TrimPrefix(at, "/console/vendors/")), "?done=merchant-added")
	page = asha.get(at, http.StatusOK)
	has(t, page, "Konkan Stores", "PENDING", "GAL0000099", "GAL0010", "Konkan Pay", "Only an approved merchant gets a code")
	has(t, asha.post(at+"/status", http.StatusOK, "from", "PENDING", "to", "REJECTED"), "Reject Konkan Stores?")
	asha.post(at+"/status", http.StatusSeeOther, "from", "PENDING", "to", "APPROVED")
	has(t, asha.post(at+"/code", http.StatusOK), "Enrolment code")
	has(t, asha.get("/console/merchants?text=konkan&status=APPROVED", http.StatusOK), "Konkan Stores")
	hasNot(t, asha.get("/console/merchants?text=%25", http.StatusOK), "Lakshmi")
	has(t, asha.get("/console/merchants/"+newcomer, http.StatusOK), "PENDING")
	asha.get("/console/merchants/nobody", http.StatusNotFound)
	asha.get("/console/vendors/nobody", http.StatusNotFound)
}

// TestVendorKeys: a key is shown once, stored sealed, and revoked.
func TestVendorKeys(t *testing.T) {
	h := newSystem(t)
	asha := h.enter(t, staff.Admin)
	here := "/console/vendors/" + vendor
	page := asha.post(here+"/keys", http.StatusOK)
	shown := regexp.MustCompile(`<code class="key">([^<]+)</code>`).FindAllStringSubmatch(page, -1)
	if len(shown) != 3 || !strings.HasPrefix(shown[1][1], "vk_") {
		t.Fatalf("shown: %v", shown)
	}
	id, apiKey := shown[0][1], secret.NewToken(shown[1][1])
	page = asha.get(here, http.StatusOK)
	has(t, page, id, "the first master key", "…"+apiKey.Reveal()[len(apiKey.Reveal())-4:])
	hasNot(t, page, apiKey.Reveal(), shown[2][1])
	has(t, asha.post(here+"/keys", http.StatusConflict), "revoke one first")
	has(t, asha.post(here+"/keys/"+id+"/revoke", http.StatusOK), "Revoke this key")
	asha.post(here+"/keys/none/revoke", http.StatusNotFound, "confirmed", "yes")
	asha.post("/console/vendors/b0000000-0000-4000-8000-000000000002/keys/"+id+"/revoke", http.StatusNotFound, "confirmed", "yes")
	asha.post(here+"/keys/"+id+"/revoke", http.StatusSeeOther, "confirmed", "yes")
	has(t, asha.get(here, http.StatusOK), "revoked")
	text := h.log.String() + strings.Join(append(h.auditEntries(t, "vendor.key.add"), h.auditEntries(t, "vendor.key.revoke")...), "\n")
	for _, s := range shown[1:] {
		if strings.Contains(text, s[1]) {
			t.Error("a key is in the log or in the audit log")
		}
	}
	if !strings.Contains(text, "key "+id) {
		t.Errorf("the audit log does not name the key: %s", text)
	}
}

// TestManySlabsThatOverlap: of a vendor with the largest number of slabs, which all
// overlap, the page names a few of the others at each and counts the rest.
func TestManySlabsThatOverlap(t *testing.T) {
	h := newSystem(t)
	vikram := h.enter(t, staff.Viewer)
	const all = 200 // the page names the others of each
	at := time.Now()
	for i := range all {
		low, high := money.Paise(100*(i+1)), money.Paise(100*(2*all-i))
		if _, err := h.db.AddSlab(t.Context(), central.Slab{
			ID: central.SlabID(uuid.Must(uuid.NewV7()).String()), Vendor: vendor, Aggregator: "a0000000-0000-4000-8000-000000000001",
			Combination: central.Combination{PaymentMethod: "AEPS", Provider: "MANY", TxnType: "WITHDRAWAL"}, Min: &low, Max: &high,
			Rate: 1_000_000, RateType: central.RateFixed, CreatedAt: at.Add(time.Duration(i) * time.Millisecond),
		}); err != nil {
			t.Fatalf("slab %d: %v", i, err)
		}
	}
	page := vikram.get("/console/vendors/"+vendor+"/slabs", http.StatusOK)
	if n := strings.Count(page, `class="overlap"`); n != all {
		t.Errorf("%d slabs are marked, and %d overlap", n, all)
	}
	if n := strings.Count(page, fmt.Sprintf(" and %d more</span>", all-1-5)); n != all {
		t.Errorf("%d slabs have five others named and the rest counted, want %d", n, all)
	}
	if n := len(page) / all; n > 1000 {
		t.Errorf("the page has %d bytes a slab", n)
	}
	has(t, page, "overlaps ₹2.00 to below ₹399.00; ₹3.00 to below ₹398.00; ₹4.00 to below ₹397.00; ₹5.00 to below ₹396.00; ₹6.00 to below ₹395.00 and 194 more")
}

// TestSlabs: slabs are changed under the API's own rules.
func TestSlabs(t *testing.T) {
	h := newSystem(t)
	asha, vikram := h.enter(t, staff.Admin), h.enter(t, staff.Viewer)
	here := "/console/vendors/" + vendor + "/slabs"
	add := func(status int, low, high, rate, kind string) string {
		t.Helper()
		return asha.post(here, status, "paymentMethod", "AEPS", "provider", "TESTP", "txnType", "WITHDRAWAL", "minAmount", low, "maxAmount", high, "commissionRate", rate, "rateType", kind)
	}
	add(http.StatusSeeOther, "100", "1000.50", "0.45", "PERCENTAGE")
	page := asha.get(here, http.StatusOK)
	has(t, page, "₹100.00 to below ₹1,000.50", "0.45 %", "TESTP")
	hasNot(t, page, "verlap")
	has(t, add(http.StatusUnprocessableEntity, "100.00", "1000.5", "1", "FIXED"), "A slab with this combination already exists", `value="100.00"`)
	// Overlapping bands are accepted, and marked at both slabs.
	add(http.StatusSeeOther, "5e2", "600", "1", "FIXED")
	asha.post(here, http.StatusSeeOther, "paymentMethod", "aeps", "provider", " testp ", "txnType", "Withdrawal", "rateType", "FIXED", "commissionRate", "3")
	asha.post(here, http.StatusSeeOther, "paymentMethod", "AEPS", "provider", "OTHER", "txnType", "WITHDRAWAL", "rateType", "FIXED", "commissionRate", "3")
	has(t, asha.get(here, http.StatusOK), "Bands overlap. For an amount in several bands the narrowest applies", "overlaps ₹500.00 to below ₹600.00; every amount</span>",
		"overlaps ₹100.00 to below ₹1,000.50; every amount</span>", "overlaps ₹100.00 to below ₹1,000.50; ₹500.00 to below ₹600.00</span>", "<td>testp</td>")
	if n := strings.Count(asha.get(here, http.StatusOK), `class="overlap"`); n != 3 {
		t.Errorf("%d slabs are marked, and three overlap", n)
	}
	has(t, add(http.StatusUnprocessableEntity, "2000", "1500", "1", "FIXED"), "The amount below which must be more than")
	has(t, add(http.StatusUnprocessableEntity, "x", "", "101", "PERCENTAGE"), "The least amount ")
	id := regexp.MustCompile(`action="` + here + `/([^"/]+)"`).FindStringSubmatch(page)
	if id == nil {
		t.Fatalf("no slab to change: %s", page)
	}
	change := func(status int, fields ...string) string {
		t.Helper()
		return asha.post(here+"/"+id[1], status, append([]string{"paymentMethod", "AEPS", "provider", "TESTP", "txnType", "WITHDRAWAL", "rateType", "FIXED"}, fields...)...)
	}
	change(http.StatusSeeOther, "minAmount", "200", "commissionRate", "2.50", "isDefault", "yes")
	has(t, asha.get(here, http.StatusOK), "₹200.00 to below ₹1,000.50", "₹2.50", "yes")
	has(t, change(http.StatusUnprocessableEntity, "commissionRate", "2.505"), "The rate must have at most two decimals", "<details open>")
	page = vikram.get(here, http.StatusOK)
	has(t, page, "₹2.50")
	hasNot(t, page, "<form class=\"flow slab\"", "Delete")
	has(t, asha.post(here+"/"+id[1]+"/delete", http.StatusOK), "Delete this slab?")
	asha.post(here+"/"+id[1]+"/delete", http.StatusSeeOther, "confirmed", "yes")
	asha.post(here+"/"+id[1]+"/delete", http.StatusUnprocessableEntity, "confirmed", "yes")
	hasNot(t, asha.get(here, http.StatusOK), "₹200.00 to below")
	if list := strings.Join(h.auditEntries(t, "slab.change"), "\n"); !strings.Contains(list, `"commissionRate":2.50`) {
		t.Errorf("the audit log: %s", list)
	}
}
