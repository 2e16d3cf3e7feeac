//go:build !race

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/accounts"
	"galla/central/webhook"
	"galla/shared/op"
)

// budgetCalls makes requests that succeed, one of each route after the other: the examples
// of the interface's description, with names that were not used before.
type budgetCalls struct {
	stack  *stack
	paths  map[string]map[string]describedCall
	tokens map[op.Role]string
	n      int
}

// describedCall is what the OpenAPI document says of a route.
type describedCall struct {
	Parameters []struct {
		Name, In string
		Example  any
	}
	RequestBody struct {
		Content map[string]struct{ Example map[string]any }
	}
}

func newBudgetCalls(t *testing.T, s *stack, document []byte) *budgetCalls {
	t.Helper()
	var read struct {
		Paths map[string]map[string]describedCall
	}
	if err := json.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	aggregator, merchant := central.Principal{Role: op.Aggregator, Aggregator: aggregatorA1}, central.MerchantID(merchantBase+"1")
	must(s.db.AssignCorrespondent(t.Context(), accounts.BusinessCorrespondent, "BC000017", aggregator.Party(), now))
	must(s.db.AssignCorrespondent(t.Context(), accounts.CorrespondentAgent, "AG000017", aggregator.Party(), now))
	sender := accounts.CustomerByRemitter("7b0c5f52-1f1c-4f6e-8b57-5f2f1d6c1a01")
	must(s.db.NameCustomer(t.Context(), sender, accounts.CustomerKey{1}, now))
	must(s.db.ProveCustomer(t.Context(), merchant, sender, now))
	return &budgetCalls{stack: s, paths: read.Paths, tokens: map[op.Role]string{
		op.Merchant: s.token(t, "merchant-lakshmi"), op.Vendor: s.token(t, "vendor-sahyadri"), op.Aggregator: s.token(t, "agg-galla"),
	}}
}

// next makes the next request of a route, and what must be there before it.
func (c *budgetCalls) next(t *testing.T, route op.Route) []byte {
	t.Helper()
	c.n++
	fields, params, query := map[string]any{}, map[string]string{}, url.Values{}
	path := documentPath(route.Path)
	described := c.paths[path][strings.ToLower(route.Method)]
	for _, p := range described.Parameters {
		switch {
		case p.In == "path":
			params[p.Name] = fmt.Sprint(p.Example)
		case p.In == "query" && p.Name != "merchantId" && p.Example != nil:
			query.Set(p.Name, fmt.Sprint(p.Example))
		}
	}
	for name, v := range described.RequestBody.Content["application/json"].Example {
		if name != "merchantId" {
			fields[name] = v
		}
	}
	c.complete(t, route, fields, params, query)
	for name, v := range params {
		path = strings.ReplaceAll(path, "{"+name+"}", v)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	body := ""
	if len(fields) > 0 {
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		body = string(text)
	}
	role := op.Merchant
	if len(route.Roles) > 0 && !route.Allows(role) {
		role = route.Roles[0]
	}
	return request(route.Method, path, body, "Authorization", c.tokens[role])
}

// documentPath writes a route's path as the document does: {id} for :id.
func documentPath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// complete changes what a request can't have twice, and makes what it is about.
func (c *budgetCalls) complete(t *testing.T, route op.Route, fields map[string]any, params map[string]string, query url.Values) {
	t.Helper()
	if fields["PidData"] != nil {
		var withdrawal map[string]any
		if err := json.Unmarshal([]byte(withdrawalBody()), &withdrawal); err != nil {
			t.Fatal(err)
		}
		fields["PidData"] = withdrawal["PidData"]
	}
	for _, name := range []string{"clientRefId", "refId"} {
		if fields[name] != nil {
			fields[name] = fmt.Sprintf("order-%06d", c.n)
		}
	}
	switch route.ID {
	case op.Withdrawal: // the one of BenchmarkWithdrawal
		clear(fields)
		if err := json.Unmarshal([]byte(withdrawalBody()), &fields); err != nil {
			t.Fatal(err)
		}
	case op.Purchase:
		fields["clientRefId"] = fmt.Sprintf("order-%06d", c.n)
	case op.AEPSRequery:
		clear(fields)
		fields["clientRefId"] = c.made(t, op.Purchase).CallerRef
	case op.OperationState:
		params["id"] = string(c.made(t, op.Purchase).ID)
	case op.TransferRequery:
		fields["refId"] = c.made(t, op.Transfer).CallerRef
	case op.RefundOTP:
		fields["refereanceId"] = string(c.made(t, op.Transfer).Reference)
	case op.Refund:
		o := c.made(t, op.Transfer)
		fields["refId"], fields["transactionId"] = o.CallerRef, string(o.Reference)
	case op.Transfer:
		fields["amount"] = 100
		fields["senderId"] = fmt.Sprintf("7b0c5f52-1f1c-4f6e-8b57-%012d", c.n) // each sender has a limit
	case op.SlabCreate:
		fields["provider"] = fmt.Sprint("BANK", c.n)
	case op.SlabChange, op.SlabDelete:
		c.send(t, op.SlabCreate)
		list, err := c.stack.db.Slabs(t.Context(), vendorV1)
		if err != nil {
			t.Fatal(err)
		}
		params["slabId"] = string(list[len(list)-1].ID)
	case op.Earnings:
		query.Set("from", "2026-11-01")
		query.Set("to", "2026-11-21")
	case op.VendorKeyAdd:
		c.endKey(t)
	case op.VendorKeyEnd:
		c.endKey(t)
		params["keyId"], _ = c.data(t, op.VendorKeyAdd)["id"].(string)
	case op.VendorSecretAdd:
		c.endSecret(t)
	case op.VendorSecretEnd:
		c.endSecret(t)
		params["secretId"], _ = c.data(t, op.VendorSecretAdd)["id"].(string)
	case op.CallbackSecretAdd, op.CallbackSecretEnd:
		params["secretId"] = c.callbackSecret(t, webhook.OfMerchant(merchantBase+"1"), op.CallbackSecretAdd, route.ID == op.CallbackSecretEnd)
	case op.EndpointSecretAdd, op.EndpointSecretEnd:
		params["secretId"] = c.callbackSecret(t, webhook.OfVendor(vendorV1), op.EndpointSecretAdd, route.ID == op.EndpointSecretEnd)
	case op.VendorCallback, op.VendorCallbackResend:
		params["operationId"] = string(c.late(t))
	case op.EnrolTerminal:
		fields["code"] = c.data(t, op.MintTerminal)["code"]
	case op.RevokeTerminal:
		params["id"], _ = c.data(t, op.EnrolTerminal)["terminalId"].(string)
	}
}

// send calls another route.
func (c *budgetCalls) send(t *testing.T, id op.RouteID) {
	t.Helper()
	route, _ := op.Find(id)
	text := c.next(t, route)
	if status, err := c.stack.call(text); err != nil || status/100 != 2 {
		t.Fatalf("%s: HTTP %d %s, %v", id, status, c.stack.reply, err)
	}
}

// data calls another route, and gives the data of its reply.
func (c *budgetCalls) data(t *testing.T, id op.RouteID) map[string]any {
	t.Helper()
	c.send(t, id)
	var reply struct{ Data map[string]any }
	if err := json.Unmarshal(c.stack.reply, &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Data
}

// made calls another route, and gives the operation that it made.
func (c *budgetCalls) made(t *testing.T, id op.RouteID) central.Operation {
	t.Helper()
	c.send(t, id)
	o, err := c.stack.db.ByReference(t.Context(), "merchant:"+merchantBase+"1", central.ReferenceQuery{CallerRef: fmt.Sprintf("order-%06d", c.n)})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// endKey ends the vendor's second key, if there is one.
func (c *budgetCalls) endKey(t *testing.T) {
	t.Helper()
	list, err := c.stack.db.VendorKeysOf(t.Context(), vendorV1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list[1:] {
		if err := c.stack.db.RevokeVendorKey(t.Context(), k.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
}

// endSecret ends the newer one of the vendor's program, if there are two.
func (c *budgetCalls) endSecret(t *testing.T) {
	t.Helper()
	p, now := central.Principal{Role: op.Vendor, Vendor: vendorV1}, time.Now()
	list, err := c.stack.db.ClientsOf(t.Context(), p, now)
	if err == nil && len(list[0].Secrets) > 1 {
		_, err = c.stack.db.EndClientSecret(t.Context(), p, list[0].ID, list[0].Secrets[0].No, now, now)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// callbackSecret revokes a receiver's secrets, and makes one by a route if it is wanted.
func (c *budgetCalls) callbackSecret(t *testing.T, of webhook.Receiver, add op.RouteID, wanted bool) string {
	t.Helper()
	list, err := c.stack.db.ListSecrets(t.Context(), of)
	for _, x := range list {
		err = errors.Join(err, c.stack.db.RevokeSecret(t.Context(), x.ID, time.Now()))
	}
	if err != nil {
		t.Fatal(err)
	}
	if !wanted {
		return ""
	}
	id, _ := c.data(t, add)["id"].(string)
	return id
}

// late makes an operation that was pending and has ended: the merchant is owed a callback.
func (c *budgetCalls) late(t *testing.T) op.ID {
	t.Helper()
	c.send(t, op.CallbackEndpointSet)
	db, now, id := c.stack.db, time.Now(), op.ID(uuid.NewString())
	o := central.Operation{
		ID: id, Caller: "merchant:" + merchantBase + "1", Identity: string(id), Route: op.Withdrawal, Merchant: merchantBase + "1", TID: "GAL00001",
		Kind: central.KindWithdrawal, Amount: 500_00, Aadhaar: "XXXXXXXX7058", Reference: central.Reference("GL" + string(id[:16])), STAN: "000001",
		Attempt: 1, State: op.Received, Node: "n", CreatedAt: now,
	}
	_, _, err := db.Create(t.Context(), o, nil)
	if err == nil {
		err = db.MarkSent(t.Context(), central.SentUpdate{ID: id, At: now, BankNotAfter: now.Add(time.Minute)})
	}
	if err == nil {
		_, err = db.MarkPending(t.Context(), central.PendingUpdate{ID: id, At: now, Reason: "no answer", Prefix: "AEPS-NR-", NextEnquiry: now.Add(time.Hour)})
	}
	if err == nil {
		_, err = db.Finish(t.Context(), central.FinalOutcome{ID: id, To: op.Succeeded, At: now, Reason: "answered", Answer: central.BankAnswer{Code: "00"}, HTTP: 200, Reply: []byte("{}")})
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}
