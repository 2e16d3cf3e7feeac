package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/keys"
	"galla/central/selfservice"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/op"
	"galla/shared/secret"
)

// fakeSelfService has what belongs to vendor 1: one of each. Another vendor has nothing.
type fakeSelfService struct {
	err   error // of every change; nil: it is done
	by    staff.Actor
	ends  time.Time
	calls []string
	asked selfservice.OperationQuery
	list  []central.Operation
}

const (
	ownKey    = "d0000000-0000-4000-8000-000000000001"
	ownSecret = "0190e000-0000-7000-8000-000000000001"
)

func (f *fakeSelfService) of(v central.VendorID, known bool) error {
	if v != v1 || !known {
		return central.ErrNotFound
	}
	return nil
}

// change is a change of something that the vendor has or not.
func (f *fakeSelfService) change(what string, by staff.Actor, v central.VendorID, known bool) error {
	if err := f.of(v, known); err != nil {
		return err
	}
	f.calls, f.by = append(f.calls, what), by
	return f.err
}

func (f *fakeSelfService) Keys(_ context.Context, v central.VendorID) ([]keys.VendorKey, error) {
	if v != v1 {
		return nil, nil
	}
	return []keys.VendorKey{
		{VendorKey: central.VendorKey{ID: "d0000000-0000-4000-8000-000000000009", Hint: "0000", CreatedAt: day, RevokedAt: day.Add(time.Hour)}},
		{VendorKey: central.VendorKey{ID: ownKey, Hint: "ab12", CreatedAt: day, UsedAt: day.Add(time.Minute), EndsAt: day.AddDate(100, 0, 0)}},
	}, nil
}

func (f *fakeSelfService) AddKey(_ context.Context, by staff.Actor, v central.VendorID) (keys.Issued, error) {
	return keys.Issued{ID: ownKey, Vendor: v, APIKey: secret.NewToken("vk_abc"), Key: secret.NewKey(make([]byte, 32))}, f.change("add key", by, v, true)
}

func (f *fakeSelfService) EndKey(_ context.Context, by staff.Actor, v central.VendorID, id central.KeyID, ends time.Time) error {
	f.ends = ends
	return f.change("end key", by, v, id == ownKey)
}

func (f *fakeSelfService) Clients(_ context.Context, v central.VendorID) ([]accounts.Client, error) {
	if v != v1 {
		return nil, nil
	}
	return []accounts.Client{{ID: "vendor-one", Active: true, Secrets: []accounts.ClientSecret{{No: 2, CreatedAt: day}, {No: 1, EndsAt: day.Add(time.Hour)}}}}, nil
}

func (f *fakeSelfService) AddSecret(_ context.Context, by staff.Actor, v central.VendorID, client string, ends time.Time) (accounts.Credential, error) {
	f.ends = ends
	return accounts.Credential{ID: client, No: 2, Secret: secret.NewToken("s3cret")}, f.change("add secret", by, v, client == "vendor-one")
}

func (f *fakeSelfService) EndSecret(_ context.Context, by staff.Actor, v central.VendorID, client string, no int64, ends time.Time) error {
	f.ends = ends
	return f.change("end secret", by, v, client == "vendor-one" && no == 1)
}

func (f *fakeSelfService) Endpoint(_ context.Context, v central.VendorID, m central.MerchantID) (webhook.Endpoint, error) {
	return webhook.Endpoint{Receiver: webhook.OfMerchant(m), URL: "https://lakshmi.example.in/events", Events: []string{webhook.EventFinished}, Secrets: []webhook.Secret{{ID: ownSecret, CreatedAt: day, EndsAt: day.Add(time.Hour)}}}, f.of(v, m == m1 || m == "")
}

func (f *fakeSelfService) SetEndpoint(_ context.Context, by staff.Actor, v central.VendorID, m central.MerchantID, url string) error {
	if strings.HasPrefix(url, "http:") {
		return &webhook.URLError{Err: errors.New("a callback's URL begins with https://")}
	}
	return f.change("set endpoint "+string(m)+url, by, v, m == m1 || m == "")
}

func (f *fakeSelfService) AddCallbackSecret(_ context.Context, by staff.Actor, v central.VendorID, m central.MerchantID, ends time.Time) (webhook.NewSecret, error) {
	f.ends = ends
	return webhook.NewSecret{ID: ownSecret, Secret: secret.NewToken("whsec_abc")}, f.change("add callback secret", by, v, m == m1 || m == "")
}

func (f *fakeSelfService) EndCallbackSecret(_ context.Context, by staff.Actor, v central.VendorID, m central.MerchantID, id webhook.SecretID, ends time.Time) error {
	f.ends = ends
	return f.change("end callback secret", by, v, (m == m1 || m == "") && id == ownSecret)
}

func (f *fakeSelfService) callbacks() []webhook.Callback {
	return []webhook.Callback{
		{Operation: "0190b000-0000-7000-8000-000000000002", Merchant: m1, Event: webhook.EventFinished, State: webhook.StateWaiting, CreatedAt: day, DueAt: day.Add(time.Minute), Attempts: 1, TriedAt: day, HTTP: 503, Detail: "HTTP 503"},
		{Operation: "0190b000-0000-7000-8000-000000000001", Merchant: m1, Vendor: v1, Event: webhook.EventFinished, State: webhook.StateDelivered, CreatedAt: day, Attempts: 1, TriedAt: day, HTTP: 204, Detail: "HTTP 204", EndedAt: day},
	}
}

func (f *fakeSelfService) Callbacks(_ context.Context, v central.VendorID, q webhook.Filter) ([]webhook.Callback, error) {
	if q.After == ownKey {
		return nil, selfservice.ErrAfter
	}
	list := f.callbacks()
	return list[:min(len(list), q.Limit)], f.of(v, true)
}

func (f *fakeSelfService) Callback(_ context.Context, v central.VendorID, id op.ID) (webhook.Callback, []webhook.Attempt, error) {
	x := f.callbacks()[0]
	return x, []webhook.Attempt{{Operation: id, Number: 1, At: day, HTTP: 503, Detail: "HTTP 503", Result: webhook.ResultRetry}}, f.of(v, id == x.Operation)
}

func (f *fakeSelfService) Resend(_ context.Context, by staff.Actor, v central.VendorID, id op.ID) error {
	return f.change("resend", by, v, id == f.callbacks()[0].Operation)
}

func (f *fakeSelfService) Operations(_ context.Context, v central.VendorID, q selfservice.OperationQuery) ([]central.Operation, error) {
	f.asked = q
	if q.After == ownKey {
		return nil, selfservice.ErrAfter
	}
	list := f.list
	for i, o := range list {
		if o.ID == q.After {
			list = list[i+1:]
			break
		}
	}
	return list[:min(len(list), q.Limit)], f.of(v, true)
}

var otherVendor = central.Principal{Role: op.Vendor, Vendor: v3}

// ownFixture is a handler whose vendor 1 manages its own.
type ownFixture struct {
	*fixture
	own *fakeSelfService
}

func newOwnFixture(t testing.TB) ownFixture {
	o := ownFixture{newFixture(t), &fakeSelfService{}}
	o.Handler.cfg.SelfService = o.own
	for i := range 3 {
		id := op.ID("0190b000-0000-7000-8000-00000000000" + string(rune('3'-i)))
		o.own.list = append(o.own.list, central.Operation{
			ID: id, Route: op.Withdrawal, Merchant: m1, Kind: central.KindWithdrawal, Amount: 500_50, Aadhaar: "XXXXXXXX7058", Reference: "GL261121ABCDEFGHJK",
			STAN: "000042", State: op.Succeeded, CreatedAt: day, SentAt: day, FinishedAt: day, Code: "00", RRN: "632509000042",
		})
	}
	return o
}

func (o ownFixture) ask(p central.Principal, id op.RouteID, params, query map[string]string, body string) central.Reply {
	route, _ := op.Find(id)
	return o.Handle(context.Background(), central.Request{
		Principal: p, Credential: central.Credential{Client: "vendor-one"}, Route: route, Params: params, Query: query, Body: []byte(body), RequestID: "req-1", Streams: true,
	})
}

type with = map[string]string

func TestGoldenSelfService(t *testing.T) {
	o := newOwnFixture(t)
	callback := with{"operationId": string(o.own.callbacks()[0].Operation)}
	key, shop := with{"keyId": ownKey}, with{"merchantId": string(m1)}
	client, first := with{"clientId": "vendor-one"}, with{"clientId": "vendor-one", "secretId": "1"}
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	golden(t, "vendor-keys", o.ask(vendor1, op.VendorKeys, nil, nil, ""))
	golden(t, "vendor-key-add", o.ask(vendor1, op.VendorKeyAdd, nil, nil, "{}"))
	golden(t, "vendor-key-end", o.ask(vendor1, op.VendorKeyEnd, key, nil, "{}"))
	golden(t, "vendor-key-end-later", o.ask(vendor1, op.VendorKeyEnd, key, nil, `{"at":"`+later+`"}`))
	golden(t, "vendor-key-end-past", o.ask(vendor1, op.VendorKeyEnd, key, nil, `{"at":"2026-01-01T00:00:00Z"}`))
	golden(t, "vendor-key-end-absent", o.ask(otherVendor, op.VendorKeyEnd, key, nil, ""))
	golden(t, "vendor-clients", o.ask(vendor1, op.VendorClients, nil, nil, ""))
	golden(t, "vendor-secret-add", o.ask(vendor1, op.VendorSecretAdd, client, nil, `{"formerEndsAt":"`+later+`"}`))
	golden(t, "vendor-secret-add-invalid", o.ask(vendor1, op.VendorSecretAdd, client, nil, `{"formerEndsAt":"tomorrow"}`))
	golden(t, "vendor-secret-end", o.ask(vendor1, op.VendorSecretEnd, first, nil, ""))
	golden(t, "vendor-secret-end-absent", o.ask(vendor1, op.VendorSecretEnd, with{"clientId": "vendor-one", "secretId": "01"}, nil, ""))
	golden(t, "callback-endpoint", o.ask(vendor1, op.CallbackEndpoint, shop, nil, ""))
	golden(t, "callback-endpoint-absent", o.ask(otherVendor, op.CallbackEndpoint, shop, nil, ""))
	golden(t, "callback-set", o.ask(vendor1, op.CallbackEndpointSet, shop, nil, `{"url":"https://lakshmi.example.in/events"}`))
	golden(t, "callback-set-empty", o.ask(vendor1, op.CallbackEndpointSet, shop, nil, `{"url":""}`))
	golden(t, "callback-set-refused", o.ask(vendor1, op.CallbackEndpointSet, shop, nil, `{"url":"http://10.0.0.1/"}`))
	golden(t, "callback-remove", o.ask(vendor1, op.CallbackEndpointEnd, shop, nil, ""))
	golden(t, "callback-secret-add", o.ask(vendor1, op.CallbackSecretAdd, shop, nil, `{"formerEndsAt":"`+later+`"}`))
	signing := with{"merchantId": string(m1), "secretId": ownSecret}
	golden(t, "callback-secret-end", o.ask(vendor1, op.CallbackSecretEnd, signing, nil, ""))
	golden(t, "callback-secret-end-later", o.ask(vendor1, op.CallbackSecretEnd, signing, nil, `{"at":"`+later+`"}`))
	golden(t, "callback-secret-end-far", o.ask(vendor1, op.CallbackSecretEnd, signing, nil, `{"at":"`+time.Now().AddDate(0, 0, maxPlanned+1).UTC().Format(time.RFC3339)+`"}`))
	golden(t, "callback-secret-end-absent", o.ask(otherVendor, op.CallbackSecretEnd, signing, nil, ""))
	golden(t, "vendor-endpoint", o.ask(vendor1, op.VendorEndpoint, nil, nil, ""))
	golden(t, "vendor-endpoint-set", o.ask(vendor1, op.VendorEndpointSet, nil, nil, `{"url":"https://sahyadri.example.in/events"}`))
	golden(t, "vendor-endpoint-remove", o.ask(vendor1, op.VendorEndpointEnd, nil, nil, ""))
	golden(t, "vendor-endpoint-secret-add", o.ask(vendor1, op.EndpointSecretAdd, nil, nil, ""))
	golden(t, "vendor-endpoint-secret-end", o.ask(vendor1, op.EndpointSecretEnd, with{"secretId": ownSecret}, nil, ""))
	golden(t, "callbacks", o.ask(vendor1, op.VendorCallbacks, nil, with{"limit": "1"}, ""))
	golden(t, "callbacks-last", o.ask(vendor1, op.VendorCallbacks, nil, with{"status": "delivered"}, ""))
	golden(t, "callbacks-invalid", o.ask(vendor1, op.VendorCallbacks, nil, with{"status": "lost", "after": "x", "merchant": "y", "limit": "0", "from": "soon"}, ""))
	golden(t, "callback-one", o.ask(vendor1, op.VendorCallback, callback, nil, ""))
	golden(t, "callback-one-absent", o.ask(otherVendor, op.VendorCallback, callback, nil, ""))
	golden(t, "callback-resend", o.ask(vendor1, op.VendorCallbackResend, callback, nil, ""))
	golden(t, "vendor-operations", o.ask(vendor1, op.VendorOperations, nil, with{"limit": "2"}, ""))
	golden(t, "vendor-operations-after", o.ask(vendor1, op.VendorOperations, nil, with{"after": ownKey}, ""))
	golden(t, "vendor-operations-invalid", o.ask(vendor1, op.VendorOperations, nil, with{"status": "done", "type": "GIFT", "format": "xml", "to": "2026-01-01", "from": "2026-02-01"}, ""))
	o.own.err = central.ErrState
	golden(t, "vendor-key-add-full", o.ask(vendor1, op.VendorKeyAdd, nil, nil, ""))
	golden(t, "vendor-key-end-again", o.ask(vendor1, op.VendorKeyEnd, key, nil, ""))
	golden(t, "vendor-secret-add-full", o.ask(vendor1, op.VendorSecretAdd, client, nil, ""))
	golden(t, "vendor-secret-end-only", o.ask(vendor1, op.VendorSecretEnd, first, nil, ""))
	golden(t, "callback-secret-add-full", o.ask(vendor1, op.CallbackSecretAdd, shop, nil, ""))
	golden(t, "callback-secret-end-again", o.ask(vendor1, op.CallbackSecretEnd, signing, nil, ""))
	golden(t, "callback-resend-busy", o.ask(vendor1, op.VendorCallbackResend, callback, nil, ""))
}

// TestChangesNameTheProgram: the audit log gets the program that asked, and at the gateway
// the vendor.
func TestChangesNameTheProgram(t *testing.T) {
	o := newOwnFixture(t)
	o.ask(vendor1, op.VendorKeyAdd, nil, nil, "")
	if o.own.by.Login != "vendor-one" || o.own.by.Origin() != "interface, vendor:"+string(v1)+", request req-1" {
		t.Errorf("direct: %+v", o.own.by)
	}
	route, _ := op.Find(op.CallbackEndpointEnd)
	o.Handle(t.Context(), central.Request{Principal: vendor1, Route: route, Params: with{"merchantId": string(m1)}, RequestID: "req-2"})
	if o.own.by.Login != "vendor:"+string(v1) || o.own.by.Origin() != "interface, vendor:"+string(v1)+", request req-2" {
		t.Errorf("gateway: %+v", o.own.by)
	}
	if last := o.own.calls[len(o.own.calls)-1]; last != "set endpoint "+string(m1) {
		t.Errorf("the endpoint was removed by %q", last)
	}
}

// TestOperationsAsCSV: the file has all pages under one line of names, ends where it is
// cut, and is for entrances that stream.
func TestOperationsAsCSV(t *testing.T) {
	o := newOwnFixture(t)
	for range 2 * selfservice.CSVPage {
		x := o.own.list[0]
		x.ID = op.ID("x" + string(x.ID[1:30]) + leftPad(len(o.own.list)))
		x.RRN = "=1+1"
		o.own.list = append(o.own.list, x)
	}
	r := o.ask(vendor1, op.VendorOperations, nil, with{"format": "csv", "from": "2026-11-01", "to": "2026-11-30", "limit": "1"}, "")
	if r.HTTP != 200 || r.Stream == nil || r.Body != nil {
		t.Fatalf("the reply is %+v", r)
	}
	var file bytes.Buffer
	if err := r.Stream.Write(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(file.String()), "\n")
	if len(lines) != 1+len(o.own.list) {
		t.Errorf("%d lines for %d operations", len(lines), len(o.own.list))
	}
	if want := `0190b000-0000-7000-8000-000000000003,2026-11-21T09:30:00.123Z,` + string(m1) + `,CASH_WITHDRAWAL,succeeded,500.50,GL261121ABCDEFGHJK,,000042,632509000042,00,XXXXXXXX7058,2026-11-21T09:30:00.123Z`; lines[1] != want {
		t.Errorf("the first line is\n%s, want\n%s", lines[1], want)
	}
	if strings.Contains(file.String(), ",=1+1,") || !strings.Contains(file.String(), ",'=1+1,") {
		t.Error("a cell is a formula")
	}
	if from, to := o.own.asked.From.Format(time.RFC3339), o.own.asked.To.UTC().Format(time.RFC3339); to != "2026-11-30T18:30:00Z" {
		t.Errorf("the days are from %s to %s", from, to)
	}
	route, _ := op.Find(op.VendorOperations)
	refused := o.Handle(t.Context(), central.Request{Principal: vendor1, Route: route, Query: with{"format": "csv"}})
	if got := wrongFields(t, refused); len(got) != 1 || got[0] != "format entrance" {
		t.Errorf("without a stream: %v", got)
	}
}

func leftPad(n int) string {
	text, _ := json.Marshal(1_000_000 + n)
	return string(text)[1:]
}

// TestWithoutSelfServiceThereAreNoRoutes.
func TestWithoutSelfServiceThereAreNoRoutes(t *testing.T) {
	expect(t, newFixture(t).call(vendor1, op.VendorKeys, ""), 404, "04")
}
