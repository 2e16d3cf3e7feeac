package api

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

func TestGoldenMerchants(t *testing.T) {
	o := newVendorFixture(t)
	list := shops(4)
	list[0].Settlement = &central.SettlementAccount{AccountLast4: "1234", IFSC: "SBIN0001234", BankName: "State Bank of India", Holder: "Lakshmi Devi"}
	list[0].Callback = &central.Callback{URL: "https://lakshmi.example.in/events", Events: []string{"operation.finished"}}
	list[1].Status, list[1].Active, list[1].RiskFlag, list[1].Callback = central.MerchantSuspended, false, 2, &central.Callback{URL: "https://x.example.in"}
	list[2].Status = central.MerchantPending
	o.vendors.merchants = list
	golden(t, "vendor-merchants", o.ask(op.VendorMerchants, nil, ""))
	golden(t, "vendor-merchants-page", o.ask(op.VendorMerchants, map[string]string{"page": "2", "limit": "2"}, ""))
	golden(t, "vendor-merchants-behind", o.ask(op.VendorMerchants, map[string]string{"page": "9007199254740991", "limit": "100"}, ""))
	golden(t, "vendor-merchants-invalid", o.ask(op.VendorMerchants, map[string]string{"page": "0", "limit": "-1"}, ""))
}

func TestPagesOfMerchants(t *testing.T) {
	o := newVendorFixture(t)
	o.vendors.merchants = shops(23)
	for _, tt := range []struct {
		page, limit string
		items       int
		pages       float64
	}{{"", "", 10, 3}, {"1", "10", 10, 3}, {"3", "", 3, 3}, {"4", "", 0, 3}, {"1", "100", 23, 1}, {"23", "1", 1, 23}, {"2", "23", 0, 1}} {
		query := map[string]string{}
		for name, v := range map[string]string{"page": tt.page, "limit": tt.limit} {
			if v != "" {
				query[name] = v
			}
		}
		r := o.ask(op.VendorMerchants, query, "")
		data, _ := expect(t, r, 200, "00").Data.([]any)
		if len(data) != tt.items || !strings.Contains(string(r.Body), fmt.Sprintf(`"total":23,"totalPages":%g}`, tt.pages)) {
			t.Errorf("page %q, limit %q: %d items\n%s", tt.page, tt.limit, len(data), r.Body)
		}
	}
	for _, bad := range []string{"0", "-1", "1.0", "1e2", "+1", "x", "", " 1"} {
		for _, field := range []string{"page", "limit"} {
			expect(t, o.ask(op.VendorMerchants, map[string]string{field: bad}, ""), 400, "02")
		}
	}
	expect(t, o.ask(op.VendorMerchants, map[string]string{"page": "9007199254740992"}, ""), 400, "02")
	// More than a page holds is served as a whole page, and the reply says so.
	o.vendors.merchants = shops(123)
	for _, many := range []string{"100", "101", "500", "99999999999999999999"} {
		r := o.ask(op.VendorMerchants, map[string]string{"limit": many}, "")
		if data, _ := expect(t, r, 200, "00").Data.([]any); len(data) != 100 || !strings.Contains(string(r.Body), `"pagination":{"page":1,"limit":100,"total":123,"totalPages":2}`) {
			t.Errorf("limit %s: %d items, %s", many, len(data), r.Body[max(0, len(r.Body)-100):])
		}
	}
	o.vendors.merchants = nil
	if r := o.ask(op.VendorMerchants, nil, ""); !strings.Contains(string(r.Body), `"data":[],"pagination":{"page":1,"limit":10,"total":0,"totalPages":0}`) {
		t.Errorf("a vendor without merchants: %s", r.Body)
	}
}

func TestGoldenVendor(t *testing.T) {
	o := newVendorFixture(t)
	o.vendors.merchants = shops(2)
	states := []op.State{op.Succeeded, op.Failed, op.Pending, op.Reversed, op.Refused, op.Sent, op.Received}
	for i, s := range states {
		o.vendors.newest[m1] = append(o.vendors.newest[m1], central.Operation{
			ID: op.ID(fmt.Sprintf("0190b000-0000-7000-8000-%012d", i+1)), Kind: central.KindWithdrawal, Amount: centralPaise(50050 + int64(i)),
			State: s, Reference: central.Reference(fmt.Sprintf("GL261121ABCDEFGHJ%d", i)), CreatedAt: day,
		})
	}
	golden(t, "vendor-me", o.ask(op.VendorMe, nil, ""))
	o.parties.aggregator, o.vendors.merchants = "", nil
	golden(t, "vendor-me-bare", o.ask(op.VendorMe, nil, ""))
}

func TestVendorShowsTransactionsOnlyAndNotTooMany(t *testing.T) {
	o := newVendorFixture(t)
	o.vendors.merchants = shops(maxEmbedded + 7)
	for i := range 40 {
		kind := central.KindTransfer
		if i%2 == 0 {
			kind = central.KindCustomerUID
		}
		o.vendors.newest[m1] = append(o.vendors.newest[m1], central.Operation{Kind: kind, Reference: central.Reference(fmt.Sprint(i)), CreatedAt: day})
	}
	out := expect(t, o.ask(op.VendorMe, nil, ""), 200, "00").fields()
	merchants := out["merchants"].([]any)
	if len(merchants) != maxEmbedded || out["merchantCount"] != float64(maxEmbedded+7) {
		t.Errorf("%d merchants of %v are embedded", len(merchants), out["merchantCount"])
	}
	recent := merchants[0].(map[string]any)["transactions"].([]any)
	if len(recent) != newestShown || recent[0].(map[string]any)["reference"] != "1" || recent[9].(map[string]any)["reference"] != "19" {
		t.Errorf("transactions are %v", recent)
	}
}

// A sandbox says that it is one, so that a counter lets paise through there only.
func TestSandboxIsToldWithTheLimits(t *testing.T) {
	o := newVendorFixture(t)
	for _, sandbox := range []bool{false, true} {
		o.Handler.cfg.Sandbox = sandbox
		if got := strings.Contains(string(o.askAs(terminal1, op.LimitsInForce, nil, nil, "").Body), `"sandbox":true`); got != sandbox {
			t.Errorf("the limits of a sandbox (%v) say so: %v", sandbox, got)
		}
	}
}

func TestGoldenLimits(t *testing.T) {
	o := newVendorFixture(t)
	golden(t, "limits", o.askAs(merchant1, op.LimitsInForce, nil, nil, ""))
	terminal := o.askAs(terminal1, op.LimitsInForce, nil, nil, "")
	if vendor := o.ask(op.LimitsInForce, nil, ""); string(vendor.Body) != string(terminal.Body) {
		t.Errorf("vendor and terminal get different limits: %s", vendor.Body)
	}
}

// vendorRoutes are the routes that are the vendor's alone.
func vendorRoutes() []op.RouteID {
	return []op.RouteID{op.VendorMerchants, op.VendorMe, op.SlabList, op.SlabCreate, op.SlabChange, op.SlabDelete, op.Earnings}
}

func TestVendorRoutesAreTheVendorsAlone(t *testing.T) {
	o := newVendorFixture(t)
	params := map[string]string{"vendorId": string(v1), "slabId": "x"}
	for _, id := range vendorRoutes() {
		for _, p := range []central.Principal{merchant1, terminal1, {Role: op.Aggregator, Aggregator: a1}, {}} {
			if out := expect(t, o.askAs(p, id, params, nil, ""), 403, "01"); out.Message != "Access denied" {
				t.Errorf("%s: %q", id, out.Message)
			}
		}
		expect(t, o.askAs(central.Principal{Role: op.Vendor, Vendor: v2}, id, params, nil, ""), 422, "05")
		expect(t, o.askAs(central.Principal{Role: op.Vendor, Vendor: "x"}, id, params, nil, ""), 422, "05")
	}
	expect(t, o.askAs(central.Principal{Role: op.Aggregator, Aggregator: a1}, op.LimitsInForce, nil, nil, ""), 403, "01")
	expect(t, o.askAs(central.Principal{Role: op.Merchant, Merchant: m4}, op.LimitsInForce, nil, nil, ""), 422, "05")
}

func TestVendorRoutesReportABrokenStore(t *testing.T) {
	o := newVendorFixture(t)
	o.vendors.broken = errors.New("disk on fire")
	for _, id := range vendorRoutes() {
		r := o.slab(id, "x", `{"paymentMethod":"DMT","provider":"NSDL","txnType":"TRANSFER"}`)
		if expect(t, r, 500, "500"); strings.Contains(string(r.Body), "fire") {
			t.Errorf("%s tells: %s", id, r.Body)
		}
	}
}
