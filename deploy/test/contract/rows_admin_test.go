package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func containsAll(s string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}

const qrPath = "/upi/txn/v1/GenerateQR"

func qrCodes() []row {
	link := func(t *testing.T, d fields) url.Values {
		t.Helper()
		u, err := url.Parse(text(t, d, "upiLink"))
		if err != nil || u.Scheme != "upi" || u.Host != "pay" {
			t.Fatalf("upiLink %v: %v", d["upiLink"], err)
		}
		return u.Query()
	}
	return []row{
		{"4.5", "an amount gives a dynamic QR", func(t *testing.T, h *system) {
			order := h.ref("order")
			d := h.call(t, m1, "POST", qrPath, fields{"merchantId": merchant1, "amount": json.Number("1"), "order_id": order}).is(200, "00").data()
			q := link(t, d)
			if d["type"] != "DYNAMIC" || q.Get("am") != "1.00" || q.Get("cu") != "INR" || q.Get("mode") != "15" || q.Get("ver") != "01" || q.Get("tr") == "" || q.Get("pa") != d["vpa"] || q.Get("pn") != d["payeeName"] || len(q.Get("tn")) > 50 {
				t.Errorf("%v", d)
			}
			if d["order_id"] != order || number(t, d, "amount") != 1 {
				t.Errorf("%v", d)
			}
		}},
		{"4.5", "amount omitted or 0 gives a static QR", func(t *testing.T, h *system) {
			for _, f := range []fields{{"order_id": h.ref("order")}, {"order_id": h.ref("order"), "amount": json.Number("0")}} {
				d := h.call(t, m1, "POST", qrPath, f).is(200, "00").data()
				q := link(t, d)
				if d["type"] != "STATIC" || q.Has("am") || q.Has("tr") || q.Get("mode") != "01" {
					t.Errorf("%v", d)
				}
			}
		}},
		{"4.5", "image is a PNG of the link", func(t *testing.T, h *system) {
			d := h.call(t, m1, "POST", qrPath, fields{"order_id": h.ref("order")}).is(200, "00").data()
			raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text(t, d, "image"), "data:image/png;base64,"))
			if err != nil {
				t.Fatal(err)
			}
			if img, err := png.Decode(bytes.NewReader(raw)); err != nil || img.Bounds().Dx() < 100 {
				t.Errorf("no picture: %v", err)
			}
		}},
		{"4.5", "a vendor is refused before the body is read", func(t *testing.T, h *system) {
			for _, body := range []string{`{"order_id":"x"}`, `{broken`, "\xff"} {
				h.call(t, v1, "POST", qrPath, body).is(403, "01").says("Access denied").bare()
			}
		}},
		{"4.5", "order_id is required", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", qrPath, fields{"amount": "1"}).wrong("order_id", "amount")
		}},
		{"4.5", "order_id is any text, comes back as it came, and may be repeated", func(t *testing.T, h *system) {
			tr := regexp.MustCompile(`^[A-Za-z0-9._-]{1,35}$`)
			for _, order := range []string{h.ref("order"), " बिल 17/₹ ", "a&am=9", strings.Repeat("x", 64)} {
				for _, amount := range []string{"7", "8"} {
					d := h.call(t, m1, "POST", qrPath, fields{"order_id": order, "amount": json.Number(amount)}).is(200, "00").data()
					if q := link(t, d); d["order_id"] != order || !tr.MatchString(q.Get("tr")) || q.Get("am") != amount+".00" || tr.MatchString(order) && q.Get("tr") != order {
						t.Errorf("order %q: %v", order, d)
					}
				}
			}
			h.call(t, m1, "POST", qrPath, fields{"order_id": strings.Repeat("x", 65)}).wrong("order_id")
			h.call(t, m1, "POST", qrPath, fields{"order_id": "a\nb"}).wrong("order_id")
		}},
	}
}

const slabs = "/vendor-commission/" + vendor1 + "/commission"

// slab gives a slab of a combination that no other row uses.
func slab(h *system, changes fields) fields {
	return with(fields{"paymentMethod": "DMT", "provider": "NSDL", "txnType": strings.ToUpper(strings.ReplaceAll(h.ref("ROW"), "-", "_"))}, changes)
}

func vendors() []row {
	return []row{
		{"4.6", "merchants: non-pending, with pagination, page 1 and limit 10 by default", func(t *testing.T, h *system) {
			a := h.call(t, v1, "GET", "/vendor/merchants", nil).is(200, "00").says("Non-pending merchants")
			p, _ := a.body["pagination"].(map[string]any)
			if number(t, p, "page") != 1 || number(t, p, "limit") != 10 || number(t, p, "total") != 3 || number(t, p, "totalPages") != 1 {
				t.Errorf("pagination %v", p)
			}
			if len(a.list()) != 3 {
				t.Errorf("%d merchants: %s", len(a.list()), a.raw)
			}
			for _, m := range a.list() {
				if m["mstatus"] == "PENDING" {
					t.Errorf("a pending merchant is listed: %v", m)
				}
			}
		}},
		{"2.9", "a merchant has the fields and types of the document", func(t *testing.T, h *system) {
			for _, m := range h.call(t, v1, "GET", "/vendor/merchants", nil).list() {
				for _, n := range []string{"id", "mid", "appid", "legal_name", "mstatus"} {
					text(t, m, n)
				}
				boolField(t, m, "status")
				number(t, m, "riskflag")
				if !iso.MatchString(text(t, m, "createdAt")) {
					t.Errorf("createdAt %v", m["createdAt"])
				}
				if s, ok := m["settlementAccount"].(map[string]any); ok {
					if acc := text(t, s, "accountNumber"); len(strings.Trim(acc, "X*")) != 4 {
						t.Errorf("account number %q shows more than four digits", acc)
					}
				}
			}
		}},
		{"8", "page and limit cut the list", func(t *testing.T, h *system) {
			seen := map[string]bool{}
			for page := 1; page <= 3; page++ {
				a := h.call(t, v1, "GET", fmt.Sprintf("/vendor/merchants?page=%d&limit=1", page), nil).is(200, "00")
				for _, m := range a.list() {
					seen[text(t, m, "id")] = true
				}
				p := a.body["pagination"].(map[string]any)
				if number(t, p, "totalPages") != 3 || number(t, p, "page") != float64(page) {
					t.Errorf("pagination %v", p)
				}
			}
			if len(seen) != 3 {
				t.Errorf("the pages show %d merchants", len(seen))
			}
			if l := h.call(t, v1, "GET", "/vendor/merchants?page=9", nil).is(200, "00").list(); len(l) != 0 {
				t.Errorf("page 9 has %d", len(l))
			}
		}},
		{"8", "page from 1, limit from 1", func(t *testing.T, h *system) {
			for _, q := range []string{"page=0", "page=-1", "page=x", "page=1.5"} {
				h.call(t, v1, "GET", "/vendor/merchants?"+q, nil).wrong("page")
			}
			for _, q := range []string{"limit=0", "limit=-1", "limit=x", "limit="} {
				h.call(t, v1, "GET", "/vendor/merchants?"+q, nil).wrong("limit")
			}
		}},
		{"4.6", "GET /vendor/me embeds each merchant's recent transactions", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/balance", h.aeps(t, choudhury, "0")).is(200, "00")
			d := h.call(t, v1, "GET", "/vendor/me", nil).is(200, "00").data()
			if d["id"] != vendor1 || d["legal_name"] != "Sahyadri Fintech" || d["aggregatorId"] != aggregator1 {
				t.Errorf("%v %v %v", d["id"], d["legal_name"], d["aggregatorId"])
			}
			found := false
			for _, item := range d["merchants"].([]any) {
				m := item.(map[string]any)
				list, ok := m["transactions"].([]any)
				if !ok || len(list) > 10 {
					t.Fatalf("transactions of %v: %v", m["id"], m["transactions"])
				}
				for _, x := range list {
					tx := x.(map[string]any)
					found = found || m["id"] == merchant1
					for _, n := range []string{"id", "type", "status", "reference", "createdAt"} {
						text(t, tx, n)
					}
				}
			}
			if !found {
				t.Error("merchant 1 has no transactions")
			}
		}},
		{"4.6", "create answers 201 with the slab", func(t *testing.T, h *system) {
			f := slab(h, fields{"minAmount": json.Number("100"), "maxAmount": json.Number("1000.50"), "commissionRate": json.Number("0.45"), "rateType": "PERCENTAGE"})
			d := h.call(t, v1, "POST", slabs, f).is(201, "00").says("Commission slab created successfully").data()
			text(t, d, "id")
			if d["vendorId"] != vendor1 || d["aggregatorId"] != aggregator1 || d["provider"] != "NSDL" || d["txnType"] != f["txnType"] || d["rateType"] != "PERCENTAGE" || boolField(t, d, "isDefault") {
				t.Errorf("%v", d)
			}
			if d["commissionRate"] != json.Number("0.45") || number(t, d, "minAmount") != 100 || number(t, d, "maxAmount") != 1000.5 {
				t.Errorf("%v", d)
			}
		}},
		{"2.10", "paymentMethod, provider and txnType are required; the rest is not", func(t *testing.T, h *system) {
			h.call(t, v1, "POST", slabs, fields{}).wrong("paymentMethod", "provider", "txnType")
			h.call(t, v1, "POST", slabs, slab(h, nil)).is(201, "00")
		}},
		{"2.10", "vendorId in the body is not taken", func(t *testing.T, h *system) {
			if d := h.call(t, v1, "POST", slabs, slab(h, fields{"vendorId": vendor2})).is(201, "00").data(); d["vendorId"] != vendor1 {
				t.Errorf("%v", d)
			}
		}},
		{"2.10", "rateType is FIXED or PERCENTAGE", func(t *testing.T, h *system) {
			h.call(t, v1, "POST", slabs, slab(h, fields{"rateType": "ODD", "commissionRate": json.Number("-1")})).wrong("rateType", "commissionRate")
		}},
		{"2.10", "a new default unsets the earlier one", func(t *testing.T, h *system) {
			f := slab(h, fields{"isDefault": true, "maxAmount": json.Number("1000"), "commissionRate": json.Number("5"), "rateType": "FIXED"})
			first := h.call(t, v1, "POST", slabs, f).is(201, "00").data()
			second := h.call(t, v1, "POST", slabs, with(f, fields{"minAmount": json.Number("1000"), "maxAmount": nil})).is(201, "00").data()
			defaults := map[any]any{}
			for _, s := range h.call(t, v1, "GET", slabs, nil).is(200, "00").list() {
				defaults[s["id"]] = s["isDefault"]
			}
			if defaults[first["id"]] != false || defaults[second["id"]] != true {
				t.Errorf("first %v, second %v", defaults[first["id"]], defaults[second["id"]])
			}
		}},
		{"7", "the same combination and band is 409 09 with the document's words", func(t *testing.T, h *system) {
			f := slab(h, fields{"minAmount": json.Number("1"), "maxAmount": json.Number("10")})
			h.call(t, v1, "POST", slabs, f).is(201, "00")
			h.call(t, v1, "POST", slabs, f).is(409, "09").says("A slab with this combination already exists; adjust min/max amount or txnType")
			h.call(t, v1, "POST", slabs, with(f, fields{"provider": "nsdl", "minAmount": json.Number("1e0")})).is(409, "09")
		}},
		{"2.10", "bands may overlap, and a slab without a band may stand beside them", func(t *testing.T, h *system) {
			f := slab(h, fields{"minAmount": json.Number("1"), "maxAmount": json.Number("10")})
			h.call(t, v1, "POST", slabs, f).is(201, "00")
			h.call(t, v1, "POST", slabs, with(f, fields{"minAmount": json.Number("9.99"), "maxAmount": nil})).is(201, "00")
			h.call(t, v1, "POST", slabs, with(f, fields{"minAmount": nil, "maxAmount": nil})).is(201, "00")
			h.call(t, v1, "POST", slabs, with(f, fields{"minAmount": nil, "maxAmount": nil})).is(409, "09")
		}},
		{"2.10", "provider and txnType are any text, kept as it came", func(t *testing.T, h *system) {
			f := slab(h, fields{"provider": " एनएसडीएल/2 ", "txnType": "Money transfer " + h.ref("row")})
			if d := h.call(t, v1, "POST", slabs, f).is(201, "00").data(); d["provider"] != f["provider"] || d["txnType"] != f["txnType"] {
				t.Errorf("%v", d)
			}
			h.call(t, v1, "POST", slabs, with(f, fields{"provider": strings.Repeat("x", 65)})).wrong("provider")
		}},
		{"4.6", "limit over 100 is served as 100, and pagination says so", func(t *testing.T, h *system) {
			p, _ := h.call(t, v1, "GET", "/vendor/merchants?limit=500", nil).is(200, "00").body["pagination"].(map[string]any)
			if number(t, p, "limit") != 100 {
				t.Errorf("pagination %v", p)
			}
		}},
		{"7", "a vendor without aggregator is 422 05", func(t *testing.T, h *system) {
			h.call(t, v2, "POST", "/vendor-commission/"+vendor2+"/commission", slab(h, nil)).is(422, "05")
		}},
		{"4.6", "PUT changes any subset; omitted fields keep their value", func(t *testing.T, h *system) {
			made := h.call(t, v1, "POST", slabs, slab(h, fields{"minAmount": json.Number("1"), "commissionRate": json.Number("2"), "rateType": "FIXED"})).is(201, "00").data()
			d := h.call(t, v1, "PUT", slabs+"/"+text(t, made, "id"), fields{"commissionRate": json.Number("2.5")}).is(200, "00").says("Commission slab updated successfully").data()
			if d["commissionRate"] != json.Number("2.5") || d["txnType"] != made["txnType"] || number(t, d, "minAmount") != 1 || d["rateType"] != "FIXED" {
				t.Errorf("%v", d)
			}
		}},
		{"4.6", "DELETE takes the slab away", func(t *testing.T, h *system) {
			f := slab(h, nil)
			id := text(t, h.call(t, v1, "POST", slabs, f).is(201, "00").data(), "id")
			h.call(t, v1, "DELETE", slabs+"/"+id, nil).is(200, "00").says("Commission slab deleted successfully").bare()
			h.call(t, v1, "DELETE", slabs+"/"+id, nil).is(404, "04")
			h.call(t, v1, "PUT", slabs+"/"+id, fields{"isDefault": true}).is(404, "04")
			h.call(t, v1, "POST", slabs, f).is(201, "00")
		}},
		{"4.6", "another vendor's slabs look like none", func(t *testing.T, h *system) {
			other := "/vendor-commission/" + vendor2 + "/commission"
			nobody := "/vendor-commission/b0000000-0000-4000-8000-00000000ffff/commission"
			a, b := h.call(t, v1, "GET", other, nil).is(404, "01"), h.call(t, v1, "GET", nobody, nil).is(404, "01")
			if string(a.raw) != string(b.raw) {
				t.Errorf("%s and %s", a.raw, b.raw)
			}
		}},
		{"4.6", "merchants may not see the vendor's pages", func(t *testing.T, h *system) {
			for _, path := range []string{"/vendor/merchants", "/vendor/me", slabs} {
				h.call(t, m1, "GET", path, nil).is(403, "01").says("Access denied")
			}
		}},
	}
}

func relationships() []row {
	return []row{
		{"4.7", "vendors may call AEPS and DMT routes", func(t *testing.T, h *system) {
			h.call(t, v1, "POST", "/aeps/balance", with(h.aeps(t, choudhury, "0"), fields{"merchantId": merchant1})).is(200, "00")
			h.call(t, v1, "POST", "/dmt/customer/GetDetail", fields{"mobile_number": "9123456782", "merchantId": merchant1}).is(200, "01")
		}},
		{"4.7", "aggregators may not", func(t *testing.T, h *system) {
			h.call(t, agg, "POST", "/aeps/balance", fields{}).is(403, "01").says("Access denied")
			h.call(t, agg, "POST", "/dmt/customer/GetDetail", fields{}).is(403, "01")
		}},
		{"4.7", "a merchant's own id wins over the body's", func(t *testing.T, h *system) {
			if a := h.call(t, m1, "POST", "/aeps/initialize", fields{"merchantId": merchant3}); a.body["merchantId"] != merchant1 {
				t.Errorf("%s", a.raw)
			}
		}},
		{"4.7", "another vendor's merchant and a missing one have one answer", func(t *testing.T, h *system) {
			foreign := h.call(t, v1, "POST", "/dmt/customer/GetDetail", fields{"mobile_number": "9123456782", "merchantId": merchant3}).is(404, "01")
			absent := h.call(t, v1, "POST", "/dmt/customer/GetDetail", fields{"mobile_number": "9123456782", "merchantId": "c0000000-0000-4000-8000-00000000ffff"}).is(404, "01")
			if string(foreign.raw) != string(absent.raw) {
				t.Errorf("%s and %s", foreign.raw, absent.raw)
			}
		}},
		{"4.7", "without merchantId a vendor's call is a merchant-not-found", func(t *testing.T, h *system) {
			h.call(t, v1, "POST", "/dmt/customer/GetDetail", fields{"mobile_number": "9123456782"}).is(404, "01").says("Merchant not found")
		}},
		{"5.3", "a caller whose role is not allowed receives 403 01", func(t *testing.T, h *system) {
			h.call(t, agg, "GET", "/vendor/merchants", nil).is(403, "01").says("Access denied")
			h.call(t, agg, "POST", qrPath, fields{}).is(403, "01")
		}},
		{"9", "DMT transactions and UPI carry v1, the others no version", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/dmt/txn/remitter/details", fields{}).is(404, "04")
			h.call(t, m1, "POST", "/upi/txn/GenerateQR", fields{}).is(404, "04")
			h.call(t, m1, "POST", "/v1/aeps/balance", fields{}).is(404, "04")
		}},
	}
}

func refusals() []row {
	balance := func(t *testing.T, h *system, body any) answer { return h.call(t, m1, "POST", "/aeps/balance", body) }
	amount := func(raw string) row {
		return row{"2.2", "TxnAmount " + raw + " is refused", func(t *testing.T, h *system) {
			body, _ := json.Marshal(with(h.aeps(t, choudhury, "1"), fields{"TxnAmount": nil}))
			text := strings.TrimSuffix(string(body), "}") + `,"TxnAmount":` + raw + `}`
			h.call(t, m1, "POST", "/aeps/withdrawal", text).wrong("TxnAmount")
		}}
	}
	rows := []row{
		{"7", "no token, a foreign one and a wrong secret are 401 03", func(t *testing.T, h *system) {
			h.send(t, "GET", "/aeps/banks", nil).is(401, "03")
			h.send(t, "GET", "/aeps/banks", nil, "Authorization", "Bearer x.y.z").is(401, "03")
			if a := badToken(t, h); a.http != 401 {
				t.Errorf("HTTP %d %s", a.http, a.raw)
			}
		}},
		{"4.7", "a merchant that is not APPROVED gets no token", func(t *testing.T, h *system) {
			a := h.form(t, "/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {m4}, "client_secret": {secrets[m4]}})
			if a.http == 200 {
				t.Errorf("%s", a.raw)
			}
		}},
		{"2.12", "duplicate keys, no object, broken JSON and bad UTF-8 are 02", func(t *testing.T, h *system) {
			for _, body := range []string{`{"AadharNo":"1","AadharNo":"2"}`, `[]`, `{"a":`, "{\"a\":\"\xff\"}", `null`, `"x"`} {
				balance(t, h, body).is(400, "02")
			}
		}},
		{"7", "every wrong field is reported at once", func(t *testing.T, h *system) {
			balance(t, h, `{}`).wrong("AadharNo", "TxnAmount", "Latitude", "Longitude", "CustomerName", "PidData")
		}},
		{"2.12", "unknown JSON fields are ignored", func(t *testing.T, h *system) {
			balance(t, h, with(h.aeps(t, choudhury, "0"), fields{"color": "blue"})).is(200, "00")
		}},
		{"2.2", "coordinates must be decimal degrees in range", func(t *testing.T, h *system) {
			balance(t, h, with(h.aeps(t, choudhury, "0"), fields{"Latitude": "91", "Longitude": "east"})).wrong("Latitude", "Longitude")
		}},
		{"2.2", "PidData must be of a successful capture", func(t *testing.T, h *system) {
			balance(t, h, with(h.aeps(t, choudhury, "0"), fields{"PidData": `<PidData><Resp errCode="700"/></PidData>`})).wrong("PidData")
		}},
		{"7", "a body over 1 MiB is 413 06", func(t *testing.T, h *system) {
			balance(t, h, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`).is(413, "06")
		}},
		{"7", "an unknown path is 404 04", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/aeps/nothing", fields{}).is(404, "04")
		}},
		{"5.4", "the other method is 405", func(t *testing.T, h *system) {
			if a := h.call(t, m1, "GET", "/aeps/withdrawal", nil); a.http != 405 {
				t.Errorf("HTTP %d", a.http)
			}
		}},
		{"5.4", "every reply has X-Request-Id, the caller's if sent", func(t *testing.T, h *system) {
			if a := h.call(t, m1, "GET", "/aeps/banks", nil, "X-Request-Id", "mine-1"); a.header.Get("X-Request-Id") != "mine-1" {
				t.Errorf("%v", a.header)
			}
			if a := h.send(t, "GET", "/nothing", nil); a.header.Get("X-Request-Id") == "" {
				t.Error("none")
			}
		}},
		{"2.12", "IFSC, account number and mobile have shapes", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", "/dmt/txn/v1/beneficiary/get", fields{"senderId": "no-uuid", "receiverIfscCode": "SBIN1001234", "receiver_account_no": "12ab"}).wrong("senderId", "receiverIfscCode", "receiver_account_no")
			h.call(t, m1, "POST", "/dmt/customer/GetDetail", fields{"mobile_number": "12345"}).wrong("mobile_number")
		}},
	}
	for _, raw := range []string{"1.005", "-1", "0", "1e-3", "1e99", "1000000000000", `"100"`, "null", "true"} {
		rows = append(rows, amount(raw))
	}
	return rows
}

func decisions() []row {
	return []row{
		{"3.5", "the same clientRefId and body gives the stored reply, byte for byte", func(t *testing.T, h *system) {
			f := with(h.aeps(t, choudhury, "160"), fields{"clientRefId": h.ref("c")})
			first := h.call(t, m1, "POST", "/aeps/withdrawal", f).is(200, "00")
			again := h.call(t, m1, "POST", "/aeps/withdrawal", f).is(200, "00")
			if string(first.raw) != string(again.raw) || again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s\n%s", first.raw, again.raw)
			}
			h.call(t, m1, "POST", "/aeps/withdrawal", with(f, fields{"TxnAmount": json.Number("161")})).is(409, "09")
		}},
		{"3.5", "the same refId with another body is 409 09", func(t *testing.T, h *system) {
			r := someone(t, h)
			ref := h.ref("t")
			f := r.transfer(ref, "31", r.transferOTP(t, h, "31"))
			h.call(t, m1, "POST", instant, f).is(200, "00")
			h.call(t, m1, "POST", instant, with(f, fields{"amount": json.Number("32")})).is(409, "09")
		}},
		{"3.5", "a failed validation does not consume the reference", func(t *testing.T, h *system) {
			r := someone(t, h)
			ref := h.ref("t")
			f := r.transfer(ref, "33", r.transferOTP(t, h, "33"))
			h.call(t, m1, "POST", instant, with(f, fields{"receiverIfscCode": "?"})).wrong("receiverIfscCode")
			h.call(t, m1, "POST", instant, f).is(200, "00")
		}},
		{"4.8", "requery by clientRefId, reference and RetailerReferenceNumber", func(t *testing.T, h *system) {
			ref := h.ref("c")
			first := h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, choudhury, "170"), fields{"clientRefId": ref})).is(200, "00")
			for _, f := range []fields{{"clientRefId": ref}, {"RetailerReferenceNumber": first.data()["RetailerReferenceNumber"]}} {
				if q := h.call(t, m1, "POST", "/aeps/requery", f).is(200, "00"); string(q.raw) != string(first.raw) {
					t.Errorf("%v: %s, want %s", f, q.raw, first.raw)
				}
			}
			h.call(t, m1, "POST", "/aeps/requery", fields{}).is(400, "02")
			h.call(t, m1, "POST", "/aeps/requery", fields{"clientRefId": h.ref("never")}).is(404, "04")
		}},
		{"4.8", "another party's operation looks like none", func(t *testing.T, h *system) {
			ref := h.ref("c")
			h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, choudhury, "180"), fields{"clientRefId": ref})).is(200, "00")
			foreign := h.call(t, m3, "POST", "/aeps/requery", fields{"clientRefId": ref}).is(404, "04")
			absent := h.call(t, m3, "POST", "/aeps/requery", fields{"clientRefId": h.ref("never")}).is(404, "04")
			if string(foreign.raw) != string(absent.raw) {
				t.Errorf("%s and %s", foreign.raw, absent.raw)
			}
		}},
		{"4.4", "another merchant's transfer can be neither asked for nor refunded", func(t *testing.T, h *system) {
			r := someone(t, h)
			ref := h.ref("t")
			id := text(t, h.call(t, m1, "POST", instant, r.transfer(ref, "34", r.transferOTP(t, h, "34"))).is(200, "00").data(), "transactionId")
			h.call(t, m3, "POST", requery, fields{"refId": ref}).is(404, "04")
			h.call(t, m3, "POST", "/dmt/txn/v1/transaction/refundOTP", fields{"refereanceId": id}).is(404, "04")
			h.call(t, m3, "POST", "/dmt/txn/v1/refund", fields{"transactionId": id, "refId": ref, "otp": "123456"}).is(404, "04")
		}},
		{"3.4", "an AEPS transaction before onboarding is 05", func(t *testing.T, h *system) {
			h.call(t, m5, "POST", "/aeps/balance", h.aeps(t, choudhury, "0")).is(422, "05")
		}},
		{"4.4", "a refId that does not exist is 404 04", func(t *testing.T, h *system) {
			h.call(t, m1, "POST", requery, fields{"refId": h.ref("never")}).is(404, "04")
		}},
		{"4.8", "GET /limits lists what is in force", func(t *testing.T, h *system) {
			if l := h.call(t, m1, "GET", "/limits", nil).is(200, "00").list(); len(l) == 0 {
				t.Error("none")
			}
		}},
		{"4.8", "earnings: a slab pays a succeeded operation, and a refund takes it back", func(t *testing.T, h *system) { earn(t, h) }},
	}
}

// earn sets a slab for transfers, makes one, reads what it earned, and refunds
// it.
func earn(t *testing.T, h *system) {
	made := h.call(t, v1, "POST", slabs, fields{"paymentMethod": "DMT", "provider": "NSDL", "txnType": "TRANSFER", "commissionRate": json.Number("12.95"), "rateType": "FIXED"}).is(201, "00").data()
	defer h.call(t, v1, "DELETE", slabs+"/"+text(t, made, "id"), nil)
	report := func() fields {
		for _, e := range h.call(t, v1, "GET", "/vendor-commission/"+vendor1+"/earnings?groupBy=type", nil).is(200, "00").data()["earnings"].([]any) {
			if f := e.(map[string]any); f["txnType"] == "TRANSFER" {
				return f
			}
		}
		return fields{"count": json.Number("0"), "commission": json.Number("0"), "tds": json.Number("0"), "net": json.Number("0")}
	}
	before := report()
	r := someone(t, h)
	ref := h.ref("e")
	id := text(t, h.call(t, m1, "POST", instant, r.transfer(ref, "3400", r.transferOTP(t, h, "3400"))).is(200, "00").data(), "transactionId")
	after := report()
	if number(t, after, "count")-number(t, before, "count") != 1 || cents(t, after, "commission")-cents(t, before, "commission") != 1295 || cents(t, after, "tds")-cents(t, before, "tds") != 26 || cents(t, after, "net")-cents(t, before, "net") != 1269 {
		t.Errorf("before %v, after %v", before, after)
	}
	h.call(t, m1, "POST", "/dmt/txn/v1/transaction/refundOTP", fields{"refereanceId": id}).is(200, "00")
	h.call(t, m1, "POST", "/dmt/txn/v1/refund", fields{"transactionId": id, "refId": ref, "otp": h.otp(t, r.mobile)}).is(200, "00")
	if back := report(); cents(t, back, "commission") != cents(t, before, "commission") || cents(t, back, "tds") != cents(t, before, "tds") {
		t.Errorf("after the refund %v, before %v", back, before)
	}
}

// cents reads a number of rupees as paise.
func cents(t *testing.T, f fields, name string) int {
	t.Helper()
	x := number(t, f, name) * 100
	if x < 0 {
		return int(x - 0.5)
	}
	return int(x + 0.5)
}
