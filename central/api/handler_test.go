package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/central/iin"
	"galla/shared/op"
	"galla/shared/secret"
)

func TestSubmission(t *testing.T) {
	b := newFixture(t)
	route, _ := op.Find(op.Withdrawal)
	accepted := func(op.ID) {}
	r := b.Handle(context.Background(), central.Request{
		Principal: terminal1, Route: route, ID: opID, Identity: string(opID), NotAfter: day, OnAccepted: accepted,
		Body: []byte(body(map[string]any{"BankName": "607094", "TxnAmount": raw("500.50"), "CustomerName": "  Anisha Jay  ", "merchantId": string(m3)})),
	})
	expect(t, r, 200, "00")
	s := b.executor.last
	if s.ID != opID || s.Identity != string(opID) || s.Caller != "terminal:"+string(t1) || s.Merchant != m1 || s.Terminal != t1 || !s.NotAfter.Equal(day) || !s.NeedsSession || s.OnAccepted == nil {
		t.Errorf("submission is %+v", s)
	}
	q := s.Request
	if q.Kind != central.KindWithdrawal || q.MID != "GAL0000001" || q.TID != "GAL00007" || q.IIN != "607094" || q.Amount != 50050 || q.Customer != "Anisha Jay" {
		t.Errorf("request is %+v", q)
	}
	if q.Aadhaar.Reveal() != aadhaar || q.PidData.Reveal() != pid {
		t.Error("the secrets did not arrive")
	}
}

func TestDefaultsOfTransactions(t *testing.T) {
	for _, bank := range []any{nil, ""} {
		b := newFixture(t)
		expect(t, b.call(merchant1, op.ReqAuth, body(map[string]any{"TxnAmount": raw("0.00"), "BankName": bank})), 200, "00")
		if s := b.executor.last; s.Request.IIN != iin.Sandbox || s.NeedsSession || s.Request.Kind != central.KindAgentAuth || s.Request.TID != "GAL00001" || s.Identity != "" {
			t.Errorf("submission is %+v", s)
		}
	}
}

// TestOrderOfChecks: each step of the path comes before the next. A call that
// is wrong in everything is refused for the first reason, then for the second.
func TestOrderOfChecks(t *testing.T) {
	foreign := fmt.Sprintf(`{"merchantId":%q}`, m3)
	pending := fmt.Sprintf(`{"merchantId":%q}`, m4)
	bare := fmt.Sprintf(`{"merchantId":%q}`, m2)
	over := body(map[string]any{"merchantId": string(m1), "TxnAmount": raw("10000.01")})
	tests := []struct {
		name       string
		p          central.Principal
		body       string
		http       int
		statusCode string
	}{
		{"role", central.Principal{Role: op.Aggregator}, strings.Repeat("x", field.MaxBody+1), 403, "01"},
		{"no role", central.Principal{}, "", 403, "01"},
		{"size", vendor1, strings.Repeat("x", field.MaxBody+1), 413, "06"},
		{"shape", vendor1, "[" + foreign + "]", 400, "02"},
		{"inactive vendor", central.Principal{Role: op.Vendor, Vendor: v2}, foreign, 422, "05"},
		{"unknown vendor", central.Principal{Role: op.Vendor, Vendor: "x"}, foreign, 422, "05"},
		{"merchant missing", vendor1, `{"TxnAmount":"x"}`, 404, "01"},
		{"merchant foreign", vendor1, foreign, 404, "01"},
		{"merchant malformed", vendor1, `{"merchantId":"' OR 1=1"}`, 404, "01"},
		{"merchant in upper case", vendor1, fmt.Sprintf(`{"merchantId":%q}`, strings.ToUpper(string(m1))), 404, "01"},
		{"merchant unknown to the store", central.Principal{Role: op.Merchant, Merchant: "c0000000-0000-4000-8000-0000000000ff"}, "{}", 404, "01"},
		{"merchant not approved", vendor1, pending, 422, "05"},
		{"own merchant not approved", central.Principal{Role: op.Merchant, Merchant: m4}, "{}", 422, "05"},
		{"not onboarded", vendor1, bare, 422, "05"},
		{"terminal revoked", central.Principal{Role: op.Merchant, Merchant: m1, Terminal: t2}, "{}", 401, "03"},
		{"terminal of another merchant", central.Principal{Role: op.Merchant, Merchant: m2, Terminal: t1}, "{}", 401, "03"},
		{"fields", merchant1, "", 400, "02"},
		{"limits", vendor1, over, 422, "05"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newFixture(t)
			out := expect(t, b.call(tt.p, op.Withdrawal, tt.body), tt.http, tt.statusCode)
			if tt.statusCode == "01" && tt.http == 403 && out.Message != "Access denied" || tt.http == 404 && out.Message != "Merchant not found" {
				t.Errorf("message is %q", out.Message)
			}
			if b.executor.count != 0 {
				t.Error("the executor was called")
			}
		})
	}
}

func TestNotOnboardedNamesWhatIsMissing(t *testing.T) {
	b := newFixture(t)
	p := central.Principal{Role: op.Merchant, Merchant: m2}
	out := expect(t, b.call(p, op.Withdrawal, body(nil)), 422, "05")
	if !strings.Contains(out.Message, "AEPS onboarding") {
		t.Errorf("message is %q", out.Message)
	}
	expect(t, b.call(p, op.AuthStatus, ""), 200, "00")
	expect(t, b.call(p, op.ListTerminals, ""), 200, "00")
}

func TestMissingAndForeignMerchantsHaveTheSameReply(t *testing.T) {
	b := newFixture(t)
	missing := b.call(vendor1, op.Withdrawal, body(nil))
	for _, id := range []string{string(m3), "c0000000-0000-4000-8000-0000000000ff", "x", ""} {
		r := b.call(vendor1, op.Withdrawal, body(map[string]any{"merchantId": id}))
		if r.HTTP != missing.HTTP || !bytes.Equal(r.Body, missing.Body) {
			t.Errorf("merchantId %q: HTTP %d %s", id, r.HTTP, r.Body)
		}
	}
	expect(t, b.call(vendor1, op.Withdrawal, body(map[string]any{"merchantId": string(m1)})), 200, "00")
	if b.executor.last.Merchant != m1 || b.executor.last.Caller != vendor1.Caller() {
		t.Errorf("submission is %+v", b.executor.last)
	}
}

func TestMerchantIDOfTheWrongTypeIsOneOfTheFieldErrors(t *testing.T) {
	b := newFixture(t)
	r := b.call(vendor1, op.Withdrawal, body(map[string]any{"merchantId": 5, "TxnAmount": "500"}))
	expect(t, r, 400, "02")
	if got := wrongFields(t, r); !slices.Equal(got, []string{"merchantId type", "TxnAmount type"}) {
		t.Errorf("errors are %v", got)
	}
}

func TestMerchantOfGetRoutes(t *testing.T) {
	b := newFixture(t)
	route, _ := op.Find(op.ListTerminals)
	list := func(p central.Principal, query map[string]string, body string) central.Reply {
		return b.Handle(context.Background(), central.Request{Principal: p, Route: route, Query: query, Body: []byte(body)})
	}
	own := map[string]string{"merchantId": string(m1)}
	inBody := fmt.Sprintf(`{"merchantId":%q}`, m1)
	expect(t, list(vendor1, own, ""), 200, "00")
	expect(t, list(vendor1, nil, inBody), 200, "00")
	expect(t, list(vendor1, own, inBody), 200, "00")
	expect(t, list(vendor1, nil, ""), 404, "01")
	expect(t, list(vendor1, map[string]string{"merchantId": string(m3)}, ""), 404, "01")
	expect(t, list(vendor1, own, fmt.Sprintf(`{"merchantId":%q}`, m3)), 400, "02")
	expect(t, list(vendor1, own, `{`), 400, "02")
	expect(t, list(merchant1, nil, `{ a merchant's body is ignored`), 200, "00")
	// A withdrawal's merchant is in the body and nowhere else.
	withdrawal, _ := op.Find(op.Withdrawal)
	expect(t, b.Handle(context.Background(), central.Request{Principal: vendor1, Route: withdrawal, Query: own, Body: []byte(body(nil))}), 404, "01")
}

func TestLimits(t *testing.T) {
	for amount, http := range map[string]int{"0.99": 422, "1": 200, "10000": 200, "10000.01": 422, "999999999": 422} {
		for _, route := range []op.RouteID{op.Withdrawal, op.Purchase} {
			b := newFixture(t)
			r := b.call(merchant1, route, body(map[string]any{"TxnAmount": raw(amount)}))
			if r.HTTP != http {
				t.Errorf("%s of %s: HTTP %d %s", route, amount, r.HTTP, r.Body)
			}
			if m := parse(t, r).Message; http == 422 && !strings.Contains(m, "1.00") && !strings.Contains(m, "10000.00") {
				t.Errorf("the limit is not named: %q", m)
			}
		}
	}
}

// TestListOfLimits: limits of what a merchant receives are in their own list, and only there.
func TestListOfLimits(t *testing.T) {
	b := newFixture(t)
	var reply struct {
		Data           []limitData
		MerchantLimits []limitData
	}
	if err := json.Unmarshal(b.call(merchant1, "GET /limits", "").Body, &reply); err != nil {
		t.Fatal(err)
	}
	for _, l := range reply.Data {
		if strings.HasPrefix(string(l.Scope), "merchant") {
			t.Errorf("programs of version 1.0.0 do not know the scope %s", l.Scope)
		}
	}
	for _, l := range reply.MerchantLimits {
		if l.Scope != central.PerMerchantDay && l.Scope != central.PerMerchantMonth {
			t.Errorf("the scope %s is not a merchant's", l.Scope)
		}
	}
	if len(reply.Data) == 0 || len(reply.MerchantLimits) == 0 {
		t.Errorf("%d limits, %d of merchants", len(reply.Data), len(reply.MerchantLimits))
	}
}

func TestIdentities(t *testing.T) {
	b := newFixture(t)
	route, _ := op.Find(op.Withdrawal)
	send := func(identity string, changes map[string]any) central.Reply {
		return b.Handle(context.Background(), central.Request{Principal: merchant1, Route: route, Identity: identity, Body: []byte(body(changes))})
	}
	first := send("", map[string]any{"clientRefId": "order 17 / ₹"})
	expect(t, first, 200, "00")
	again := send("", map[string]any{"clientRefId": "order 17 / ₹"})
	if !again.Replayed || !bytes.Equal(first.Body, again.Body) || b.executor.count != 1 {
		t.Errorf("a repeat: replayed %v, %d executions\n%s", again.Replayed, b.executor.count, again.Body)
	}
	expect(t, send("", map[string]any{"clientRefId": "order 17 / ₹", "TxnAmount": raw("501")}), 409, "09")
	expect(t, send("key-1", map[string]any{"clientRefId": "order 18"}), 200, "00")
	if b.executor.last.Identity != "key-1" || b.executor.last.CallerRef != "order 18" || b.executor.last.Party != "merchant:"+string(m1) {
		t.Errorf("identity is %q, reference %q of %q", b.executor.last.Identity, b.executor.last.CallerRef, b.executor.last.Party)
	}
	for _, bad := range []string{strings.Repeat("k", 129), "a b", "schlüssel", "a\x00"} {
		expect(t, send(bad, nil), 400, "02")
	}
	for _, bad := range []any{"", strings.Repeat("r", 65), "a\nb", 17} {
		expect(t, send("", map[string]any{"clientRefId": bad}), 400, "02")
	}
	// A failed validation consumes no identity.
	expect(t, send("key-3", map[string]any{"TxnAmount": raw("-1")}), 400, "02")
	expect(t, send("key-3", nil), 200, "00")
}

func TestPendingRepeatIsNotCalledAReplay(t *testing.T) {
	b := newFixture(t)
	b.executor.state = op.Pending
	for range 2 {
		if r := b.call(merchant1, op.Withdrawal, body(map[string]any{"clientRefId": "order-17"})); r.Replayed || r.State != op.Pending {
			t.Errorf("reply is %+v", r)
		}
	}
}

func TestFingerprint(t *testing.T) {
	key := secret.NewKey(bytes.Repeat([]byte{7}, 32))
	of := func(route op.RouteID, m central.MerchantID, body string) [32]byte {
		t.Helper()
		return fingerprint(t, key, route, m, body)
	}
	same := of(op.Withdrawal, m1, `{"a":500,"b":"é"}`)
	for _, text := range []string{`{ "b":"\u00e9", "a":500.0 }`, "\n{\"a\":5e2,\"b\":\"é\"}"} {
		if of(op.Withdrawal, m1, text) != same {
			t.Errorf("%s has another fingerprint", text)
		}
	}
	for name, other := range map[string][32]byte{
		"amount": of(op.Withdrawal, m1, `{"a":501,"b":"é"}`), "route": of(op.Purchase, m1, `{"a":500,"b":"é"}`),
		"merchant": of(op.Withdrawal, m3, `{"a":500,"b":"é"}`), "type": of(op.Withdrawal, m1, `{"a":"500","b":"é"}`),
		"unknown field": of(op.Withdrawal, m1, `{"a":500,"b":"é","c":null}`),
	} {
		if other == same {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
	if of(op.Withdrawal, m1, "") != of(op.Withdrawal, m1, " {} ") {
		t.Error("no body and no fields differ")
	}
}

// fingerprint is a body's fingerprint.
func fingerprint(t *testing.T, key secret.Key, route op.RouteID, m central.MerchantID, body string) [32]byte {
	t.Helper()
	values, err := field.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	print, err := field.Fingerprint(secret.NewMAC(key), route, m, values)
	if err != nil {
		t.Fatal(err)
	}
	return print
}

func TestPanics(t *testing.T) {
	b := newFixture(t)
	b.registry.panics = true
	out := expect(t, b.call(merchant1, op.MintTerminal, ""), 500, "500")
	if out.fields()["requestId"] != "req-1" {
		t.Errorf("reply is %+v", out)
	}
	// Once the executor was called, nobody knows: pending.
	b.executor.panics = true
	r := b.call(merchant1, op.Withdrawal, body(nil))
	if out := expect(t, r, 200, "00"); out.TxnStatus != "PENDING" || r.State != op.Pending {
		t.Errorf("reply is %+v", out)
	}
}

func TestExecutorErrors(t *testing.T) {
	b := newFixture(t)
	b.executor.err = &central.Error{Fault: central.TooMany, Message: "The central is busy; this call did nothing, try again", RetryAfter: time.Second}
	r := b.call(merchant1, op.Withdrawal, body(nil))
	if expect(t, r, 429, "07"); r.RetryAfter != time.Second {
		t.Errorf("RetryAfter is %v", r.RetryAfter)
	}
	if _, _, err := b.FindOrTombstone(context.Background(), merchant1, opID); err == nil {
		t.Error("the executor's error was lost")
	}
}

func TestAsk(t *testing.T) {
	b := newFixture(t)
	route, _ := op.Find(op.Withdrawal)
	if _, seen, err := b.FindOrTombstone(context.Background(), terminal1, opID); seen || err != nil {
		t.Errorf("seen %v, %v", seen, err)
	}
	first := b.Handle(context.Background(), central.Request{Principal: terminal1, Route: route, ID: opID, Identity: string(opID), Body: []byte(body(nil))})
	r, seen, err := b.FindOrTombstone(context.Background(), terminal1, opID)
	if !seen || err != nil || !bytes.Equal(r.Body, first.Body) || r.State != op.Succeeded {
		t.Errorf("seen %v, %v: %+v", seen, err, r)
	}
	if _, seen, _ := b.FindOrTombstone(context.Background(), merchant1, opID); seen {
		t.Error("another caller sees a terminal's operation")
	}
}

func TestMintSeesTheMerchant(t *testing.T) {
	b := newFixture(t)
	expect(t, b.call(vendor1, op.MintTerminal, fmt.Sprintf(`{"merchantId":%q,"name":"Counter 3"}`, m1)), 201, "00")
	if b.registry.minted != m1 {
		t.Errorf("minted for %q", b.registry.minted)
	}
	expect(t, b.call(vendor1, op.MintTerminal, `{}`), 404, "01")
	expect(t, b.call(merchant1, op.MintTerminal, `{"name":7}`), 400, "02")
	expect(t, b.call(merchant1, op.MintTerminal, fmt.Sprintf(`{"name":%q}`, strings.Repeat("x", 65))), 400, "02")
}

func TestEnrolReadsTheCodeAsTyped(t *testing.T) {
	b := newFixture(t)
	text := `{"code":" abcd-efgh-jkmn-pqrs ","publicKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","name":" Counter 1 "}`
	expect(t, b.call(central.Principal{}, op.EnrolTerminal, text), 201, "00")
	if b.registry.name != "Counter 1" {
		t.Errorf("name is %q", b.registry.name)
	}
	for _, key := range []string{"", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "____AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="} {
		text, _ := json.Marshal(map[string]string{"code": "ABCD-EFGH-JKMN-PQRS", "publicKey": key, "name": "Counter 1"})
		expect(t, b.call(central.Principal{}, op.EnrolTerminal, string(text)), 400, "02")
	}
}

// TestLogHoldsNoSecrets: one line a call, without its body.
func TestLogHoldsNoSecrets(t *testing.T) {
	b := newFixture(t)
	calls := []central.Reply{
		b.call(merchant1, op.Withdrawal, body(nil)),
		b.call(merchant1, op.Withdrawal, body(map[string]any{"AadharNo": aadhaar + "0", "PidData": pid + pid, aadhaar: 1})),
		b.call(merchant1, op.Withdrawal, `{"AadharNo":"`+aadhaar+`","AadharNo":"`),
		b.call(merchant1, op.MintTerminal, ""),
		b.call(central.Principal{}, op.EnrolTerminal, `{"code":"ABCD-EFGH-JKMN-PQRS"}`),
	}
	if lines := bytes.Count(b.log.Bytes(), []byte(`"msg":"request"`)); lines != len(calls) {
		t.Errorf("%d lines for %d calls", lines, len(calls))
	}
	for _, hidden := range []string{aadhaar, "ZGF0YWNhbmFyeQ", "ABCD-EFGH", "Shivshankar"} {
		if strings.Contains(b.log.String(), hidden) {
			t.Errorf("the log holds %q: %s", hidden, b.log)
		}
		for _, r := range calls {
			if hidden != "ABCD-EFGH" && bytes.Contains(r.Body, []byte(hidden)) {
				t.Errorf("a reply holds %q: %s", hidden, r.Body)
			}
		}
	}
}

// TestTheRequestsLineTellsTheOutcome: it is the operation's line too.
func TestTheRequestsLineTellsTheOutcome(t *testing.T) {
	b := newFixture(t)
	expect(t, b.call(merchant1, op.Withdrawal, body(nil)), 200, "00")
	var line struct {
		Msg, Request, Route, Caller, Operation, Reference, State, Code string
		HTTP                                                           int
	}
	if err := json.Unmarshal(b.log.Bytes(), &line); err != nil {
		t.Fatalf("%v in %s", err, b.log)
	}
	if line.Msg != "request" || line.Request != "req-1" || line.Route != string(op.Withdrawal) || line.Caller != merchant1.Caller() || line.HTTP != 200 ||
		line.Operation != string(opID) || line.Reference != "GL261121ABCDEFGHJK" || line.State != "succeeded" || line.Code != "00" {
		t.Errorf("line %+v", line)
	}
}
