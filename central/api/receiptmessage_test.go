package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/secret"
)

const receiptID = op.ID("0190b000-0000-7000-8000-0000000000aa")

// withdrawalWithReceipt is a withdrawal of merchant 1, an hour ago.
func withdrawalWithReceipt() central.Operation {
	return central.Operation{
		ID: receiptID, Caller: "terminal:" + string(t2), Identity: string(receiptID), Merchant: m1, Kind: central.KindWithdrawal, Route: op.Withdrawal,
		Amount: 500_00, Aadhaar: "XXXXXXXX7058", Reference: "GL261121RECEIPT000", RRN: "632509000042", Code: "00", State: op.Succeeded,
		CreatedAt: time.Now().Add(-time.Hour), FinishedAt: time.Now().Add(-time.Hour),
	}
}

// ask asks for a receipt as the uplink does: the id is in the body, and in the path.
func (b *fixture) sendReceipt(t testing.TB, id op.ID, of string, fields map[string]any) central.Reply {
	t.Helper()
	all := map[string]any{"id": of, "mobile": "9876504321", "language": "hi"}
	for name, v := range fields {
		if all[name] = v; v == nil {
			delete(all, name)
		}
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	route, _ := op.Find(op.ReceiptMessage)
	return b.Handle(context.Background(), central.Request{
		Principal: terminal1, Route: route, ID: id, Identity: string(id), Body: body, Params: map[string]string{"id": of}, RequestID: "req-1",
	})
}

func TestReceiptMessage(t *testing.T) {
	b := newFixture(t)
	of := withdrawalWithReceipt()
	b.store.operations[receiptID] = of
	r := b.sendReceipt(t, opID, string(receiptID), nil)
	if got := expect(t, r, 200, "00"); got.Message != "Receipt sent" || got.fields()["mobile"] != "XXXXXX4321" || len(got.fields()) != 1 {
		t.Errorf("reply %s", r.Body)
	}
	s := b.executor.last
	want := central.Particulars{
		Mobile: "9876504321", Language: "hi", Template: "RECEIPT_WITHDRAWAL_DONE", Shop: "Lakshmi Kirana Store", Value: "500.00", Account: "7058",
		Receipt: "632509000042", Day: of.FinishedAt.In(ist.Zone()).Format("02-01-2006 15:04"),
	}
	if s.Request.Kind != central.KindReceiptMessage || s.Request.Particulars != want || s.Request.Amount != 0 || s.Request.MID != "GAL0000001" {
		t.Errorf("request %+v, want %+v", s.Request, want)
	}
	quota := central.Quota{Key: "receipt:" + string(receiptID), Period: string(ist.DayOf(of.CreatedAt)), MaxCount: 3, What: "messages with this receipt"}
	if !slices.Equal(s.Quotas, []central.Quota{quota}) || s.ID != opID || s.Merchant != m1 || s.Terminal != t1 {
		t.Errorf("submission %+v", s)
	}
	parts := strings.Split(s.CallerRef, "/")
	if len(parts) != 3 || parts[0] != string(receiptID) || parts[1] != "XXXXXX4321" || len(parts[2]) != 32 {
		t.Errorf("name %q", s.CallerRef)
	}
	for place, text := range map[string]string{"the log": b.log.String(), "the reply": string(r.Body), "the name": s.CallerRef} {
		if strings.Contains(text, "9876504321") {
			t.Errorf("the number is in %s: %s", place, text)
		}
	}
}

// TestReceiptMessageOnce: a second press, in any language and at any terminal of the shop,
// finds the first message; another number and another receipt are other messages.
func TestReceiptMessageOnce(t *testing.T) {
	b := newFixture(t)
	b.store.operations[receiptID] = withdrawalWithReceipt()
	expect(t, b.sendReceipt(t, opID, string(receiptID), nil), 200, "00")
	first := b.executor.last
	for i, fields := range []map[string]any{nil, {"language": "en"}} {
		r := b.sendReceipt(t, op.ID(strings.Replace(string(opID), "0001", "000"+string(rune('2'+i)), 1)), string(receiptID), fields)
		if expect(t, r, 200, "00"); !r.Replayed || b.executor.count != 1 {
			t.Errorf("press %d: replayed %v, %d messages", i+2, r.Replayed, b.executor.count)
		}
	}
	other := withdrawalWithReceipt()
	other.ID = "0190b000-0000-7000-8000-0000000000bb"
	b.store.operations[other.ID] = other
	expect(t, b.sendReceipt(t, "0190b000-0000-7000-8000-000000000005", string(receiptID), map[string]any{"mobile": "9876504322"}), 200, "00")
	number := b.executor.last
	expect(t, b.sendReceipt(t, "0190b000-0000-7000-8000-000000000006", string(other.ID), nil), 200, "00")
	if receipt := b.executor.last; b.executor.count != 3 || first.CallerRef == number.CallerRef || first.CallerRef == receipt.CallerRef ||
		strings.Split(first.CallerRef, "/")[2] == strings.Split(receipt.CallerRef, "/")[2] {
		t.Errorf("%d messages: %s, %s, %s", b.executor.count, first.CallerRef, number.CallerRef, receipt.CallerRef)
	}
}

// TestReceiptMessageAgain: after a message that failed the next has another name, up to
// five; the call that made one keeps its name.
func TestReceiptMessageAgain(t *testing.T) {
	b := newFixture(t)
	b.store.operations[receiptID] = withdrawalWithReceipt()
	b.executor.state = op.Failed
	b.executor.answer = central.BankAnswer{Status: central.BankDeclined, Code: "91", Message: "NOT AVAILABLE"}
	var names []string
	for i := range 5 {
		id := op.ID("0190b000-0000-7000-8000-00000000010" + string(rune('0'+i)))
		expect(t, b.sendReceipt(t, id, string(receiptID), nil), 200, "91")
		s := b.executor.last
		names = append(names, s.CallerRef)
		b.store.operations[id] = central.Operation{
			ID: id, Caller: terminal1.Caller(), Identity: string(id), Party: terminal1.Party(), CallerRef: s.CallerRef, State: op.Failed, Kind: central.KindReceiptMessage, Merchant: m1,
		}
	}
	for i, name := range names {
		if want := names[0] + []string{"", "/2", "/3", "/4", "/5"}[i]; name != want {
			t.Errorf("attempt %d is %s, want %s", i+1, name, want)
		}
	}
	r := b.sendReceipt(t, "0190b000-0000-7000-8000-000000000109", string(receiptID), nil)
	if out := expect(t, r, 422, "05"); !strings.Contains(out.Message, "5 times") {
		t.Errorf("the sixth: %s", r.Body)
	}
	b.sendReceipt(t, "0190b000-0000-7000-8000-000000000102", string(receiptID), nil)
	if b.executor.count != 5 {
		t.Errorf("a repeat of the third made message %d", b.executor.count)
	}
}

func TestReceiptMessageFields(t *testing.T) {
	b := newFixture(t)
	b.store.operations[receiptID] = withdrawalWithReceipt()
	for name, values := range map[string]map[string]any{
		"mobile required":   {"mobile": nil},
		"mobile mobile":     {"mobile": "5876504321"},
		"mobile type":       {"mobile": true},
		"language required": {"language": nil},
		"language enum":     {"language": "fr"},
		"language type":     {"language": 1},
	} {
		r := b.sendReceipt(t, opID, string(receiptID), values)
		if got := wrongFields(t, r); r.HTTP != 400 || !slices.Equal(got, []string{name}) {
			t.Errorf("%s: HTTP %d, %v", name, r.HTTP, got)
		}
	}
	r := b.sendReceipt(t, opID, string(receiptID), map[string]any{"mobile": "+919876504321", "language": ""})
	if got := wrongFields(t, r); r.HTTP != 400 || len(got) != 2 {
		t.Errorf("two wrong fields: HTTP %d, %v", r.HTTP, got)
	}
	if b.executor.count != 0 {
		t.Error("the executor was called")
	}
}

// TestReceiptMessageOfWhat: only of the shop's own operations, with an outcome that a
// receipt could say, in the last 30 days.
func TestReceiptMessageOfWhat(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*central.Operation)
		http   int
		code   string
	}{
		"another merchant's": {func(o *central.Operation) { o.Merchant = m3 }, 404, "04"},
		"a tombstone":        {func(o *central.Operation) { o.Tombstone = true }, 404, "04"},
		"pending":            {func(o *central.Operation) { o.State = op.Pending }, 422, "05"},
		"sent":               {func(o *central.Operation) { o.State = op.Sent }, 422, "05"},
		"refused":            {func(o *central.Operation) { o.State, o.Code = op.Refused, "" }, 422, "05"},
		"never at the bank":  {func(o *central.Operation) { o.State, o.Code = op.Failed, "" }, 422, "05"},
		"a sign-in":          {func(o *central.Operation) { o.Kind = central.KindAgentAuth }, 422, "05"},
		"a message":          {func(o *central.Operation) { o.Kind = central.KindReceiptMessage }, 422, "05"},
		"too old":            {func(o *central.Operation) { o.CreatedAt = time.Now().Add(-receiptLife - time.Minute) }, 422, "05"},
		"declined":           {func(o *central.Operation) { o.State, o.Code = op.Failed, "51" }, 200, "00"},
		"reversed":           {func(o *central.Operation) { o.State, o.Code = op.Reversed, "22" }, 200, "00"},
		"a payment":          {func(o *central.Operation) { o.Kind, o.Aadhaar = central.KindUPIPayment, "" }, 200, "00"},
		"a balance":          {func(o *central.Operation) { o.Kind, o.Amount = central.KindBalance, 0 }, 200, "00"},
		"in 29 days":         {func(o *central.Operation) { o.CreatedAt = time.Now().Add(-29 * 24 * time.Hour) }, 200, "00"},
	} {
		b := newFixture(t)
		of := withdrawalWithReceipt()
		c.change(&of)
		b.store.operations[receiptID] = of
		if r := b.sendReceipt(t, opID, string(receiptID), nil); r.HTTP != c.http || parse(t, r).StatusCode != c.code {
			t.Errorf("%s: HTTP %d %s", name, r.HTTP, r.Body)
		}
		if sent := b.executor.count == 1; sent != (c.http == 200) {
			t.Errorf("%s: sent is %v", name, sent)
		}
	}
	b := newFixture(t)
	for _, id := range []string{string(receiptID), "x", "", "0190B000-0000-7000-8000-0000000000AA"} {
		expect(t, b.sendReceipt(t, opID, id, nil), 404, "04")
	}
	b.store.broken = nil
	route, _ := op.Find(op.ReceiptMessage)
	for _, p := range []central.Principal{vendor1, {Role: op.Aggregator}} {
		if r := b.Handle(t.Context(), central.Request{Principal: p, Route: route, Body: []byte(`{}`)}); r.HTTP != 403 {
			t.Errorf("%s: HTTP %d", p.Role, r.HTTP)
		}
	}
}

func TestReceiptParticulars(t *testing.T) {
	of := withdrawalWithReceipt()
	of.RRN, of.State, of.Kind = "", op.Failed, central.KindUPIRefund
	p := receiptParticulars(of, central.Merchant{LegalName: "Sri Lakshmi Venkateswara Kirana and General Stores"})
	if p.Receipt != string(of.Reference) || p.Template != "RECEIPT_PAYMENT_RETURNED_FAILED" || p.Shop != "Sri Lakshmi Venkateswara Kiran" {
		t.Errorf("%+v", p)
	}
	for masked, want := range map[string]string{"XXXXXXXX7058": "7058", "": "", "705": "", secret.Aadhaar{}.Masked(): ""} {
		of.Aadhaar = masked
		if p := receiptParticulars(of, central.Merchant{}); p.Account != want {
			t.Errorf("%q gives the digits %q, want %q", masked, p.Account, want)
		}
	}
	of.FinishedAt, of.CreatedAt = time.Time{}, time.Date(2026, 11, 26, 19, 45, 0, 0, time.UTC)
	if p := receiptParticulars(of, central.Merchant{}); p.Day != "27-11-2026 01:15" {
		t.Errorf("the time is %q, want India's", p.Day)
	}
}

func TestPendingReceiptMessage(t *testing.T) {
	b := newFixture(t)
	b.store.operations[receiptID] = withdrawalWithReceipt()
	b.executor.state = op.Pending
	if r := b.sendReceipt(t, opID, string(receiptID), nil); r.State != op.Pending {
		t.Errorf("reply %s: %s", r.State, r.Body)
	}
}
