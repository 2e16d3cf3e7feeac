package api

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

func centralPaise(n int64) money.Paise { return money.Paise(n) }

// zero is a request of a route that moves no money.
func zero() string { return body(map[string]any{"TxnAmount": raw("0")}) }

func TestGoldenTransactions(t *testing.T) {
	bodies := map[op.RouteID]string{
		op.Withdrawal: body(nil), op.Purchase: body(nil), op.Balance: zero(), op.MiniStatement: zero(), op.ReqAuth: zero(),
	}
	names := map[op.RouteID]string{
		op.Withdrawal: "withdrawal", op.Purchase: "purchase", op.Balance: "balance", op.MiniStatement: "minstatement", op.ReqAuth: "reqAuth",
	}
	outcomes := []struct {
		name   string
		state  op.State
		answer *central.BankAnswer
		why    *central.Error
	}{
		{name: "succeeded", state: op.Succeeded},
		{name: "failed", state: op.Failed, answer: &central.BankAnswer{Status: central.BankDeclined, Code: "51", Message: "INSUFFICIENT FUNDS", RRN: "632509000042"}},
		{name: "reversed", state: op.Reversed, answer: &central.BankAnswer{Status: central.BankReversed, Code: "68", Message: "REVERSED", RRN: "632509000042"}},
		{name: "pending", state: op.Pending},
		{name: "unreachable", state: op.Failed, why: central.NewError(central.BankUnreachable, "Bank network unreachable; nothing was sent")},
		{name: "too-late", state: op.Refused, why: central.NewError(central.FailedPrecondition, "The deadline passed before the operation arrived; nothing was sent")},
	}
	for route, text := range bodies {
		for _, outcome := range outcomes {
			b := newFixture(t)
			b.executor.state, b.executor.why = outcome.state, outcome.why
			if outcome.answer != nil {
				b.executor.answer = *outcome.answer
			}
			r := b.call(merchant1, route, text)
			golden(t, names[route]+"-"+outcome.name, r)
			if r.State != outcome.state {
				t.Errorf("%s %s: state %s", route, outcome.name, r.State)
			}
		}
	}
}

func TestGoldenReferenceData(t *testing.T) {
	b := newFixture(t)
	golden(t, "banks", b.call(vendor1, op.Banks, "{}"))
	golden(t, "authStatus-none", b.call(merchant1, op.AuthStatus, ""))
	b.store.sessions["GAL00001"] = central.AgentSession{TID: "GAL00001", OpenedAt: day, ExpiresAt: day.AddDate(100, 0, 0)}
	golden(t, "authStatus-active", b.call(merchant1, op.AuthStatus, ""))
	b.store.sessions["GAL00001"] = central.AgentSession{TID: "GAL00001", OpenedAt: day.AddDate(-100, 0, 0), ExpiresAt: day.AddDate(-100, 0, 1)}
	golden(t, "authStatus-expired", b.call(merchant1, op.AuthStatus, ""))
}

func TestGoldenTerminals(t *testing.T) {
	b := newFixture(t)
	key := `"publicKey":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
	golden(t, "terminals-mint", b.call(merchant1, op.MintTerminal, `{}`))
	golden(t, "terminals-list", b.call(merchant1, op.ListTerminals, ""))
	golden(t, "terminals-enrol", b.call(central.Principal{}, op.EnrolTerminal, `{"code":"ABCD-EFGH-JKMN-PQRS",`+key+`,"name":"Counter 1"}`))
	golden(t, "terminals-enrol-refused", b.call(central.Principal{}, op.EnrolTerminal, `{"code":"ZZZZ-ZZZZ-ZZZZ-ZZZZ",`+key+`,"name":"Counter 1"}`))
	golden(t, "terminals-enrol-invalid", b.call(central.Principal{}, op.EnrolTerminal, `{"code":"A B","publicKey":"AAAA","name":""}`))
	revoke := func(id central.TerminalID) central.Reply {
		route, _ := op.Find(op.RevokeTerminal)
		return b.Handle(context.Background(), central.Request{Principal: merchant1, Route: route, Params: map[string]string{"id": string(id)}})
	}
	golden(t, "terminals-revoke", revoke(t1))
	golden(t, "terminals-revoke-absent", revoke("nobody"))
	if b.registry.revoked != t1 {
		t.Error("the terminal was not revoked")
	}
}

func operation(b *fixture, p central.Principal, name string) central.Reply {
	route, _ := op.Find(op.OperationState)
	return b.Handle(context.Background(), central.Request{Principal: p, Route: route, Params: map[string]string{"id": name}, RequestID: "req-1"})
}

func TestGoldenOperations(t *testing.T) {
	b := newFixture(t)
	b.store.operations[opID] = central.Operation{
		ID: opID, Caller: merchant1.Caller(), Identity: "order-17", Route: op.Withdrawal, State: op.Succeeded, Reference: "GL261121ABCDEFGHJK",
		STAN: "000042", Amount: 50000, Code: "00", RRN: "632509000042", CreatedAt: day, SentAt: day.Add(time.Millisecond), FinishedAt: day.Add(time.Second),
		Reply: []byte("{}"),
	}
	golden(t, "operation-succeeded", operation(b, merchant1, string(opID)))
	if r := operation(b, merchant1, "order-17"); !bytes.Equal(r.Body, operation(b, merchant1, string(opID)).Body) {
		t.Errorf("the operation is not found by its identity: %s", r.Body)
	}
	golden(t, "operation-absent", operation(b, vendor1, string(opID)))
	for _, name := range []string{"", "order-18", string(opID) + "x", "a\x00b", string(bytes.Repeat([]byte("x"), 1000))} {
		if r := operation(b, merchant1, name); !bytes.Equal(r.Body, operation(b, vendor1, string(opID)).Body) {
			t.Errorf("operation %q: %s", name, r.Body)
		}
	}
	o := b.store.operations[opID]
	o.State, o.PendingReference, o.FinishedAt, o.Code, o.RRN = op.Pending, "AEPS-NR-1795253400123", time.Time{}, "", ""
	b.store.operations[opID] = o
	golden(t, "operation-pending", operation(b, merchant1, string(opID)))
	o.Tombstone = true
	b.store.operations[opID] = o
	expect(t, operation(b, merchant1, string(opID)), 404, "04")
}

// TestEveryFault walks all kinds of errors: each has its line in the table, and
// words for the caller.
func TestEveryFault(t *testing.T) {
	b := newFixture(t)
	seen := map[fault]central.Fault{}
	for _, f := range central.Faults() {
		line := faultOf(f)
		if other, twice := seen[line]; twice {
			t.Errorf("faults %s and %s have the same line", f, other)
		}
		seen[line] = f
		if f != central.Internal && line.http == 500 {
			t.Errorf("fault %s is not in the table", f)
		}
		golden(t, "fault-"+string(f), b.ErrorReply(central.NewError(f, ""), "req-1"))
	}
	r := b.ErrorReply(&central.Error{Fault: central.TooMany, RetryAfter: time.Minute}, "")
	if r.RetryAfter != time.Minute {
		t.Errorf("RetryAfter is %v", r.RetryAfter)
	}
}

func TestInternalErrorsKeepTheirCauseInside(t *testing.T) {
	b := newFixture(t)
	b.store.broken = &central.Error{Fault: central.Internal, Message: "disk on fire", Err: context.DeadlineExceeded}
	r := b.call(merchant1, op.Withdrawal, body(nil))
	out := expect(t, r, 500, "500")
	if out.Message != "Server error" || len(out.fields()) != 1 || out.fields()["requestId"] != "req-1" {
		t.Errorf("reply is %s", r.Body)
	}
	if !bytes.Contains(b.log.Bytes(), []byte("deadline exceeded")) || !bytes.Contains(b.log.Bytes(), []byte(`"request":"req-1"`)) {
		t.Errorf("the cause is not in the log: %s", b.log)
	}
}

// TestCodeAndOutcomeAgree: whatever the bank's words, ResponseCode is 00 if and
// only if the operation succeeded, and the reply is well-formed JSON.
func TestCodeAndOutcomeAgree(t *testing.T) {
	for _, to := range []op.State{op.Succeeded, op.Failed, op.Reversed} {
		for _, code := range []string{"", "00", "05", "\xff"} {
			for _, route := range op.Table() {
				http, text := Renderer{}.FinalReply(central.Operation{Route: route.ID}, to, central.BankAnswer{Code: code, Message: "\xff"})
				var out struct {
					Data struct{ ResponseCode, ResponseStatus, STAN *string }
				}
				if err := json.Unmarshal(text, &out); err != nil || http != 200 {
					t.Fatalf("HTTP %d, %v: %s", http, err, text)
				}
				if out.Data.ResponseCode == nil || out.Data.ResponseStatus == nil || out.Data.STAN == nil {
					t.Fatalf("a field of all replies is missing: %s", text)
				}
				if (*out.Data.ResponseCode == "00") != (to == op.Succeeded) {
					t.Errorf("state %s, the bank's code %q: %s", to, code, text)
				}
			}
		}
	}
}

func TestOutcomeWithoutReplyIsAServerError(t *testing.T) {
	b := newFixture(t)
	r := b.CurrentReply(central.Operation{ID: opID, State: op.Succeeded})
	expect(t, r, 500, "500")
	if r.State != op.Succeeded {
		t.Errorf("state is %s", r.State)
	}
	if r := b.CurrentReply(central.Operation{State: op.Sent, Reference: "GL1"}); r.State != op.Sent || parse(t, r).Reference != "GL1" {
		t.Errorf("an operation under way: %+v %s", r, r.Body)
	}
}

func TestConfigReportsAllFaults(t *testing.T) {
	_, err := New(nil, nil, nil, nil, nil, Config{})
	if err == nil {
		t.Fatal("an empty configuration was accepted")
	}
	for _, part := range []string{"fingerprint key", "address and audience", "limits", "randomness", "logger"} {
		if !bytes.Contains([]byte(err.Error()), []byte(part)) {
			t.Errorf("the error does not name %q: %v", part, err)
		}
	}
}

// TestTableAndCodeMatch: every line of the route table has code and the other
// way round; New refuses anything else.
func TestTableAndCodeMatch(t *testing.T) {
	b := newFixture(t)
	if len(b.endpoints) != len(op.Table()) {
		t.Errorf("%d bindings for %d routes", len(b.endpoints), len(op.Table()))
	}
	for _, route := range op.Table() {
		if b.endpoints[route.ID].prepare == nil {
			t.Errorf("route %s has no code", route.ID)
		}
	}
	delete(b.endpoints, op.Banks)
	b.endpoints["GET /elsewhere"] = endpoint{}
	if err := b.checkRoutes(); err == nil {
		t.Error("a route without code and code without a route were accepted")
	}
	r := b.Handle(context.Background(), central.Request{Principal: merchant1, Route: op.Route{ID: "POST /aeps/process"}})
	expect(t, r, 404, "04")
}
