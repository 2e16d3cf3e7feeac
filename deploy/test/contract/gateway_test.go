package contract

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/shared/op"
	"galla/shared/partner"
	"galla/shared/secret"
)

// Vendor 1's sandbox credential at the gateway (sandbox.md, section 2).
const vendorAPIKey = "vk_sandbox_sahyadri"

// vendorKey is 32 bytes that count up.
func vendorKey() secret.Key {
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i)
	}
	return secret.NewKey(key)
}

func newPartner(t *testing.T, h *system) *partner.Client {
	t.Helper()
	p, err := partner.New(partner.Config{BaseURL: h.central, ClientID: vendorAPIKey, Key: vendorKey(), Rand: rand.Reader, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sealed calls a route through the gateway; the reply is checked against the
// OpenAPI document as the direct one is.
func sealed(t *testing.T, h *system, p *partner.Client, method, path string, body any, options ...partner.Option) answer {
	t.Helper()
	reply, err := p.Call(t.Context(), method, path, body, options...)
	if err != nil {
		t.Fatalf("%s %s through the gateway: %v", method, path, err)
	}
	a := answer{t: t, asked: "sealed " + method + " " + path, http: reply.Status, header: http.Header{}, raw: reply.Body}
	d := json.NewDecoder(bytes.NewReader(reply.Body))
	d.UseNumber()
	_ = d.Decode(&a.body)
	if r, ok := op.Find(op.RouteID(method + " " + path)); ok && r.Entrances&op.Gateway != 0 {
		h.documentWalk.recordReply(t, method, path, a)
	}
	return a
}

// TestTheGatewayMirrorsEveryRoute sends the same wrong and right bodies through both
// entrances: the opened reply is the direct route's.
func TestTheGatewayMirrorsEveryRoute(t *testing.T) {
	h := running
	p := newPartner(t, h)
	mirrored := 0
	for _, r := range op.Table() {
		path := strings.NewReplacer(":vendorId", vendor1, ":slabId", merchant3, ":id", merchant1).Replace(r.Path)
		if r.Entrances&op.Gateway == 0 {
			sealed(t, h, p, r.Method, path, fields{}).is(403, "01").says("Access denied")
			continue
		}
		mirrored++
		if r.ID == op.EndpointSecretAdd {
			continue // each reply has another secret, and there are two at most
		}
		for _, body := range []fields{
			{},                        // no merchantId
			{"merchantId": merchant3}, // another vendor's
			{"merchantId": merchant1}, // its own, nothing else
			{"merchantId": 5, "AadharNo": 1, "amount": "x", "referenceid": 7}, // wrong types
		} {
			if r.ID == op.AgentInitialize || r.ID == op.AgentOnboarding || r.ID == op.AgentRequestOTP || r.ID == op.AgentSubmit || r.ID == op.Login {
				if body["merchantId"] == merchant1 {
					continue // it would be done twice
				}
			}
			in := sealed(t, h, p, r.Method, path, body)
			out := h.call(t, v1, r.Method, path, body)
			if in.http != out.http || !sameReply(in.raw, out.raw) {
				t.Errorf("%s with %v: through the gateway HTTP %d %s\ndirectly HTTP %d %s", r.ID, body, in.http, in.raw, out.http, out.raw)
			}
		}
	}
	if mirrored < 40 {
		t.Errorf("only %d routes have the gateway as an entrance", mirrored)
	}
	sealed(t, h, p, "POST", "/upi/txn/v1/GenerateQR", fields{"order_id": "x"}).is(403, "01").says("Access denied")
	sealed(t, h, p, "POST", "/none", fields{}).is(404, "04")
	sealed(t, h, p, "PUT", "/aeps/withdrawal", fields{}).is(405, "04")
}

// TestVendorAdministrationThroughTheGateway checks that a vendor pages through its
// merchants and makes, changes and deletes a slab, sealed, and nobody else's.
func TestVendorAdministrationThroughTheGateway(t *testing.T) {
	h := running
	p := newPartner(t, h)
	page := sealed(t, h, p, "GET", "/vendor/merchants", fields{"page": 1, "limit": 1}).is(200, "00")
	query := sealed(t, h, p, "GET", "/vendor/merchants?page=1&limit=1", fields{}).is(200, "00")
	direct := h.call(t, v1, "GET", "/vendor/merchants?page=1&limit=1", nil).is(200, "00")
	if string(page.raw) != string(direct.raw) || string(query.raw) != string(direct.raw) {
		t.Errorf("sealed %s\nby its query %s\ndirectly %s", page.raw, query.raw, direct.raw)
	}
	sealed(t, h, p, "GET", "/vendor/me", fields{}).is(200, "00")
	slabs := "/vendor-commission/" + vendor1 + "/commission"
	made := sealed(t, h, p, "POST", slabs, fields{"paymentMethod": "DMT", "provider": "SEALED", "txnType": "TRANSFER", "commissionRate": json.Number("2")}).is(201, "00").data()
	one := slabs + "/" + text(t, made, "id")
	if changed := sealed(t, h, p, "PUT", one, fields{"commissionRate": json.Number("3")}).is(200, "00").data(); fmt.Sprint(changed["commissionRate"]) != "3" {
		t.Errorf("changed to %v", changed)
	}
	sealed(t, h, p, "DELETE", one, fields{}).is(200, "00")
	sealed(t, h, p, "DELETE", one, fields{}).is(404, "04")
	sealed(t, h, p, "GET", "/vendor-commission/"+merchant3+"/commission", fields{}).is(404, "01")
	sealed(t, h, p, "GET", "/vendor-commission/"+vendor1+"/earnings?groupBy=day", fields{}).is(200, "00")
}

// sameReply compares two replies without the values that are new each time.
func sameReply(a, b []byte) bool {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	for _, m := range []map[string]any{x, y} {
		if d, ok := m["data"].(map[string]any); ok {
			delete(d, "requestId")
		}
	}
	s, _ := json.Marshal(x)
	u, _ := json.Marshal(y)
	return bytes.Equal(s, u)
}

// TestMoneyThroughTheGateway makes a withdrawal and a transfer, sealed; a retry with
// the same id moves nothing and has the same reply; many at once run once.
func TestMoneyThroughTheGateway(t *testing.T) {
	h := running
	p := newPartner(t, h)
	body := with(h.aeps(t, choudhury, "120"), fields{"merchantId": merchant1})
	call, err := p.Prepare("POST", "/aeps/withdrawal", body)
	if err != nil {
		t.Fatal(err)
	}
	replies := make([]partner.Reply, 6)
	var sending sync.WaitGroup
	for i := range replies {
		sending.Go(func() {
			r, err := p.Send(t.Context(), call)
			if err != nil {
				t.Errorf("retry %d: %v", i, err)
			}
			replies[i] = r
		})
	}
	sending.Wait()
	for _, r := range replies {
		if r.Status != 200 || string(r.Body) != string(replies[0].Body) {
			t.Errorf("HTTP %d %s\nand %s", r.Status, r.Body, replies[0].Body)
		}
	}
	var first struct {
		Data struct{ RetailerReferenceNumber, ResponseCode string }
	}
	if err := json.Unmarshal(replies[0].Body, &first); err != nil || first.Data.ResponseCode != "00" {
		t.Fatalf("%s", replies[0].Body)
	}
	var books []struct{ Status string }
	h.books(t, "/books/executions?reference="+first.Data.RetailerReferenceNumber, &books)
	if len(books) != 1 || books[0].Status != "EXECUTED" {
		t.Errorf("the books have %+v", books)
	}
	other, err := p.Call(t.Context(), "POST", "/aeps/withdrawal", with(body, fields{"TxnAmount": json.Number("121")}), partner.WithRequestID(call.ID))
	if err != nil || other.Status != 409 || other.Code != "09" {
		t.Errorf("the same id with another body: %v, HTTP %d %s", err, other.Status, other.Body)
	}

	r := newRemitter(t, h, "9555555551", choudhury, "900100200311")
	sealed(t, h, p, "POST", "/dmt/txn/v1/transaction/otp", fields{
		"merchantId": merchant1, "senderId": r.sender, "amount": json.Number("55"), "receiver_account_no": r.account, "receiverIfscCode": r.ifsc,
	}).is(200, "00")
	ref := h.ref("gw")
	sent := sealed(t, h, p, "POST", instant, with(r.transfer(ref, "55", h.otp(t, r.mobile)), fields{"merchantId": merchant1})).is(200, "00").data()
	q := sealed(t, h, p, "POST", requery, fields{"refId": ref, "merchantId": merchant1}).is(200, "00").data()
	if sent["status"] != "SUCCESS" || q["rrn"] != sent["rrn"] {
		t.Errorf("sent %v, requeried %v", sent, q)
	}
	h.call(t, m1, "POST", requery, fields{"refId": ref}).is(404, "04") // the vendor's own
	sealed(t, h, p, "GET", "/dmt/customer/statusCheck", fields{"merchantId": merchant1, "referenceid": "11111111-1111-4111-8111-111111111111"})
}

// TestTheGatewaysPage checks that the page is served, complete and without anything
// from elsewhere.
func TestTheGatewaysPage(t *testing.T) {
	a := running.send(t, "GET", "/docs/gateway", nil)
	if a.http != 200 || !strings.Contains(string(a.raw), vendorAPIKey) || !strings.Contains(string(a.raw), hex.EncodeToString(vendorKey().Reveal())) || strings.Contains(string(a.raw), "<script src") {
		t.Errorf("HTTP %d, %d bytes", a.http, len(a.raw))
	}
	explained := running.send(t, "POST", "/gateway/explain", []byte(fmt.Sprintf(`{"method":"POST","path":"/process/aeps/banks","headers":{"X-Client-Id":%q},"body":{}}`, vendorAPIKey)))
	if explained.http != 200 || explained.body["statusCode"] != "00" {
		t.Errorf("HTTP %d %s", explained.http, explained.raw)
	}
}
