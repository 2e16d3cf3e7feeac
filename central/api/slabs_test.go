package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
)

// slabBody is a valid slab with the given fields changed; nil takes one out.
func slabBody(changes map[string]any) string {
	fields := map[string]any{
		"paymentMethod": "DMT", "provider": "NSDL", "txnType": "TRANSFER", "minAmount": raw("100"), "maxAmount": raw("1000.50"),
		"commissionRate": raw("0.45"), "rateType": "PERCENTAGE", "isDefault": true,
	}
	for name, v := range changes {
		if v == nil {
			delete(fields, name)
		} else {
			fields[name] = v
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// create makes a slab and gives its id.
func (o *vendorFixture) create(t testing.TB, changes map[string]any) string {
	t.Helper()
	out := expect(t, o.ask(op.SlabCreate, nil, slabBody(changes)), 201, "00")
	return out.fields()["id"].(string)
}

func TestGoldenSlabs(t *testing.T) {
	o := newVendorFixture(t)
	golden(t, "slab-list-empty", o.ask(op.SlabList, nil, ""))
	golden(t, "slab-create", o.ask(op.SlabCreate, nil, slabBody(nil)))
	golden(t, "slab-create-equal", o.ask(op.SlabCreate, nil, slabBody(nil)))
	golden(t, "slab-create-equal", o.ask(op.SlabCreate, nil, slabBody(map[string]any{"provider": "nsdl", "txnType": "Transfer", "paymentMethod": "dmt"})))
	golden(t, "slab-create-overlap", o.ask(op.SlabCreate, nil, slabBody(map[string]any{"provider": "Nsdl", "minAmount": raw("1000.49"), "maxAmount": nil, "isDefault": false})))
	golden(t, "slab-create-bare", o.ask(op.SlabCreate, nil, `{"paymentMethod":"AEPS","provider":"NSDL","txnType":"WITHDRAWAL"}`))
	golden(t, "slab-create-invalid", o.ask(op.SlabCreate, nil, `{"provider":"","txnType":7,"minAmount":null,"maxAmount":"5","commissionRate":-1,"rateType":"RATIO","isDefault":"yes"}`))
	golden(t, "slab-list", o.ask(op.SlabList, nil, ""))
	id := string(o.vendors.slabs[0].ID)
	golden(t, "slab-change", o.slab(op.SlabChange, id, `{"commissionRate":12.95,"rateType":"FIXED","isDefault":false}`))
	golden(t, "slab-change-absent", o.slab(op.SlabChange, string(v1), `{}`))
	golden(t, "slab-delete", o.slab(op.SlabDelete, id, ""))
	golden(t, "slab-delete-absent", o.slab(op.SlabDelete, id, ""))
	golden(t, "slab-foreign", o.askAs(vendor1, op.SlabList, map[string]string{"vendorId": string(v2)}, nil, ""))
	o.parties.aggregator = ""
	golden(t, "slab-create-no-aggregator", o.ask(op.SlabCreate, nil, slabBody(nil)))
}

func TestForeignVendorsAndNoIDsLookAlike(t *testing.T) {
	o := newVendorFixture(t)
	id := o.create(t, nil)
	for _, route := range []op.RouteID{op.SlabList, op.SlabCreate, op.SlabChange, op.SlabDelete, op.Earnings} {
		var first central.Reply
		for i, vendor := range []string{string(v2), "b0000000-0000-4000-8000-0000000000ff", "x", "", strings.ToUpper(string(v1)), "' OR 1=1"} {
			r := o.askAs(vendor1, route, map[string]string{"vendorId": vendor, "slabId": id}, nil, slabBody(nil))
			expect(t, r, 404, "01")
			if i > 0 && string(r.Body) != string(first.Body) {
				t.Errorf("%s of vendor %q: %s", route, vendor, r.Body)
			}
			first = r
		}
	}
	for _, slab := range []string{"", "x", "b0000000-0000-4000-8000-0000000000ff", strings.ToUpper(id)} {
		expect(t, o.slab(op.SlabChange, slab, `{}`), 404, "04")
		expect(t, o.slab(op.SlabDelete, slab, ``), 404, "04")
	}
	if len(o.vendors.slabs) != 1 {
		t.Errorf("slabs are %+v", o.vendors.slabs)
	}
}

// TestSlabNamesAllFaults: contradictions between fields are named beside fields that are
// wrong by themselves, and not where one of their fields is wrong.
func TestSlabNamesAllFaults(t *testing.T) {
	for body, want := range map[string]string{
		`{"provider":"NSDL","minAmount":3000,"maxAmount":100,"commissionRate":101,"rateType":"PERCENTAGE","isDefault":"yes"}`:          "paymentMethod required, txnType required, isDefault type, maxAmount order, commissionRate percentage",
		`{"paymentMethod":"AEPS","provider":"NSDL","txnType":"W","minAmount":"a","maxAmount":0,"commissionRate":0.455,"rateType":"X"}`: "minAmount type, rateType enum",
	} {
		o := newVendorFixture(t)
		r := o.ask(op.SlabCreate, nil, body)
		expect(t, r, 400, "02")
		got := wrongFields(t, r)
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s:\n%s, want\n%s", body, text, want)
		}
		if len(o.vendors.slabs) != 0 {
			t.Errorf("%s: it is added", body)
		}
	}
}

func TestRulesOfSlabs(t *testing.T) {
	type change = map[string]any
	for _, tt := range []struct {
		name    string
		changes change
		want    string // "field rule", or "" for a success
	}{
		{"open band", change{"minAmount": nil, "maxAmount": nil}, ""},
		{"open below", change{"minAmount": nil}, ""},
		{"open above", change{"maxAmount": nil}, ""},
		{"from zero", change{"minAmount": raw("0")}, ""},
		{"empty band", change{"minAmount": raw("1000.50")}, "maxAmount order"},
		{"band upside down", change{"minAmount": raw("2000")}, "maxAmount order"},
		{"nothing below zero", change{"minAmount": nil, "maxAmount": raw("0")}, "maxAmount order"},
		{"negative", change{"minAmount": raw("-1")}, "minAmount negative"},
		{"three decimals", change{"maxAmount": raw("1000.505")}, "maxAmount decimals"},
		{"amount as text", change{"maxAmount": "1000"}, "maxAmount type"},
		{"null opens nothing", change{"maxAmount": raw("null")}, "maxAmount type"},
		{"hundred percent", change{"commissionRate": raw("100")}, ""},
		{"over a hundred percent", change{"commissionRate": raw("100.000001")}, "commissionRate percentage"},
		{"six decimals", change{"commissionRate": raw("0.000001")}, ""},
		{"seven decimals", change{"commissionRate": raw("0.0000001")}, "commissionRate decimals"},
		{"exponent", change{"commissionRate": raw("1e1"), "minAmount": raw("1E2"), "maxAmount": raw("100050e-2")}, ""},
		{"negative rate", change{"commissionRate": raw("-0.5")}, "commissionRate negative"},
		{"rate as text", change{"commissionRate": "0.5"}, "commissionRate type"},
		{"fixed", change{"commissionRate": raw("150.25"), "rateType": "FIXED"}, ""},
		{"fixed with three decimals", change{"commissionRate": raw("12.955"), "rateType": "FIXED"}, "commissionRate decimals"},
		{"a rate without a type is an amount", change{"commissionRate": raw("150.25"), "rateType": nil}, ""},
		{"and has two decimals", change{"commissionRate": raw("0.455"), "rateType": nil}, "commissionRate decimals"},
		{"no rate", change{"commissionRate": nil, "rateType": nil}, ""},
		{"lower case type", change{"rateType": "fixed"}, "rateType enum"},
		{"empty type", change{"rateType": ""}, "rateType enum"},
		{"no default", change{"isDefault": nil}, ""},
		{"default as text", change{"isDefault": "true"}, "isDefault type"},
		{"no method", change{"paymentMethod": nil}, "paymentMethod required"},
		{"lower case provider", change{"provider": "nsdl"}, ""},
		{"any provider", change{"provider": " एनएसडीएल / 2 ", "txnType": "Money Transfer (₹)", "paymentMethod": "upi"}, ""},
		{"the longest provider", change{"provider": strings.Repeat("अ", 64)}, ""},
		{"too long a provider", change{"provider": strings.Repeat("अ", 65)}, "provider text"},
		{"control characters", change{"txnType": "A\nB"}, "txnType text"},
		{"no text", change{"txnType": 7}, "txnType type"},
		{"empty type of transaction", change{"txnType": ""}, "txnType required"},
		{"unknown fields", change{"id": "x", "vendorId": "y"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newVendorFixture(t)
			r := o.ask(op.SlabCreate, nil, slabBody(tt.changes))
			if tt.want == "" {
				expect(t, r, 201, "00")
				return
			}
			expect(t, r, 400, "02")
			if got := wrongFields(t, r); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("errors are %v, want %s", got, tt.want)
			}
			if len(o.vendors.slabs) != 0 {
				t.Error("the slab was written")
			}
		})
	}
}

func TestRatesArePrintedAsTheyWereGiven(t *testing.T) {
	for _, text := range []string{"0", "0.45", "0.000001", "12.95", "12", "100", "33.333333", "0.1"} {
		o := newVendorFixture(t)
		r := o.ask(op.SlabCreate, nil, slabBody(map[string]any{"commissionRate": raw(text)}))
		if !strings.Contains(string(r.Body), `"commissionRate":`+text+",") {
			t.Errorf("%s was printed: %s", text, r.Body)
		}
	}
	o := newVendorFixture(t)
	r := o.ask(op.SlabCreate, nil, slabBody(map[string]any{"rateType": "FIXED", "commissionRate": raw("10000.00"), "minAmount": raw("0.05"), "maxAmount": raw("1000000000")}))
	if !strings.Contains(string(r.Body), `"minAmount":0.05,"maxAmount":1000000000,"commissionRate":10000,`) {
		t.Errorf("reply is %s", r.Body)
	}
}

func TestChangesKeepWhatTheyOmit(t *testing.T) {
	o := newVendorFixture(t)
	id := o.create(t, nil)
	before := o.vendors.slabs[0]
	expect(t, o.slab(op.SlabChange, id, ``), 200, "00")
	after := o.vendors.slabs[0]
	after.UpdatedAt = before.UpdatedAt
	if fmt.Sprintf("%+v", slabOf(after)) != fmt.Sprintf("%+v", slabOf(before)) {
		t.Errorf("a change of nothing: %+v", after)
	}
	for _, tt := range []struct{ body, want string }{
		{`{"maxAmount":2000}`, `"minAmount":100,"maxAmount":2000,"commissionRate":0.45,"rateType":"PERCENTAGE","isDefault":true`},
		{`{"provider":"ICICI"}`, `"provider":"ICICI","txnType":"TRANSFER","minAmount":100,`},
		{`{"isDefault":false}`, `"isDefault":false`},
		{`{"rateType":"FIXED"}`, `"commissionRate":0.45,"rateType":"FIXED"`},
		{`{"id":"x","vendorId":"y","aggregatorId":"z"}`, fmt.Sprintf(`"id":%q,"vendorId":%q,"aggregatorId":%q,`, id, v1, a1)},
	} {
		r := o.slab(op.SlabChange, id, tt.body)
		if expect(t, r, 200, "00"); !strings.Contains(string(r.Body), tt.want) {
			t.Errorf("%s: %s, want %s", tt.body, r.Body, tt.want)
		}
	}
	// The rules hold for the slab as it would be.
	for body, want := range map[string]string{
		`{"minAmount":2000}`: "maxAmount order", `{"maxAmount":100}`: "maxAmount order", `{"commissionRate":0.455}`: "commissionRate decimals",
		`{"commissionRate":101,"rateType":"PERCENTAGE"}`: "commissionRate percentage", `{"maxAmount":null}`: "maxAmount type",
		`{"provider":""}`: "provider text", `{"txnType":null}`: "txnType type",
	} {
		r := o.slab(op.SlabChange, id, body)
		expect(t, r, 400, "02")
		if got := wrongFields(t, r); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", body, got)
		}
	}
	// What belongs together is written together.
	expect(t, o.slab(op.SlabChange, id, `{"minAmount":5}`), 200, "00")
	if c := o.vendors.changed; c.Max == nil || *c.Max != 200000 || c.Rate != nil {
		t.Errorf("the change is %+v", c)
	}
}

func TestConflictsOfSlabs(t *testing.T) {
	o := newVendorFixture(t)
	first := o.create(t, nil)
	second := o.create(t, map[string]any{"minAmount": raw("1000.50"), "maxAmount": raw("2000")})
	if o.vendors.slabs[0].IsDefault || !o.vendors.slabs[1].IsDefault {
		t.Error("the earlier default was not unset")
	}
	for _, body := range []string{`{"minAmount":1000.50,"maxAmount":2000}`, `{"minAmount":1.0005e3,"maxAmount":2E3,"provider":"nsdl"}`} {
		out := expect(t, o.slab(op.SlabChange, first, body), 409, "09")
		if out.Message != "A slab with this combination already exists; adjust min/max amount or txnType" {
			t.Errorf("%s: %q", body, out.Message)
		}
	}
	for _, body := range []string{`{"maxAmount":1000.51}`, `{"minAmount":1500,"maxAmount":1600}`, `{"minAmount":100,"maxAmount":2000}`} {
		expect(t, o.slab(op.SlabChange, first, body), 200, "00")
	}
	expect(t, o.slab(op.SlabChange, first, `{"txnType":"VALIDATION","minAmount":1000.50,"maxAmount":2000}`), 200, "00")
	expect(t, o.slab(op.SlabChange, first, `{"txnType":"TRANSFER"}`), 409, "09")
	expect(t, o.slab(op.SlabDelete, second, ""), 200, "00")
	expect(t, o.slab(op.SlabChange, first, `{"txnType":"TRANSFER"}`), 200, "00")
	expect(t, o.slab(op.SlabDelete, second, ""), 404, "04")
}

func TestSlabStoreWords(t *testing.T) {
	o := newVendorFixture(t)
	o.create(t, nil)
	for err, want := range map[error][2]any{
		central.ErrNotFound: {404, "04"}, central.ErrState: {409, "09"}, central.ErrSameBand: {409, "09"},
	} {
		got := o.ErrorReply(slabError(err, o.vendors.slabs[0]), "")
		expect(t, got, want[0].(int), want[1].(string))
	}
}

// TestConcurrentSlabs: whatever is created and changed at once, the replies and
// the slabs agree: one default, no bands that meet.
func TestConcurrentSlabs(t *testing.T) {
	o := newVendorFixture(t)
	o.cfg.Rand = &lockedRand{src: rand.NewChaCha8([32]byte{1})}
	done := make(chan int)
	for i := range 8 {
		go func() {
			created := 0
			for j := range 20 {
				low := (i*j)%5*100 + 1
				r := o.ask(op.SlabCreate, nil, slabBody(map[string]any{"minAmount": low, "maxAmount": low + 100}))
				if r.HTTP == 201 {
					created++
				} else if r.HTTP != 409 {
					t.Errorf("HTTP %d: %s", r.HTTP, r.Body)
				}
			}
			done <- created
		}()
	}
	created := 0
	for range 8 {
		created += <-done
	}
	defaults := 0
	for _, s := range o.vendors.slabs {
		if s.IsDefault {
			defaults++
		}
	}
	if created != len(o.vendors.slabs) || created != 5 || defaults != 1 {
		t.Errorf("%d replies of success, %d slabs, %d defaults", created, len(o.vendors.slabs), defaults)
	}
}
