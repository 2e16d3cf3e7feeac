package server

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/admincli"
	"galla/central/store"
	"galla/shared/op"
)

// TestAnOperatorFindsAnOperation by each of its references while the central serves, with
// every step, and without the customer's data of the reply.
func TestAnOperatorFindsAnOperation(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	defer stop()
	db, err := store.OpenSQLite(t.Context(), cfg.CLIConfig().Database(), store.Config{Node: "other", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	id, err := op.NewID(cfg.Rand)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	o := central.Operation{
		ID: id, Caller: "merchant:" + merchantBase + "1", Identity: "key-1", Party: "merchant:" + merchantBase + "1", CallerRef: "order-1",
		Route: op.Withdrawal, Merchant: merchantBase + "1", TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 500_00,
		Aadhaar: "XXXXXXXX7058", IIN: "990326", Reference: "GL261121ABCDEFGHJK", STAN: "000042", State: op.Received, Node: "other", CreatedAt: now,
	}
	if _, _, err := db.Create(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
	if err := db.MarkSent(t.Context(), central.SentUpdate{ID: id, At: now, BankNotAfter: now.Add(15 * time.Second)}); err != nil {
		t.Fatal(err)
	}
	pending, err := db.MarkPending(t.Context(), central.PendingUpdate{ID: id, At: now, Reason: "no answer from the bank", Prefix: "AEPS-NR-", NextEnquiry: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	e, err := admincli.OpenOperations(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	var waiting bytes.Buffer
	if err := e.Waiting(t.Context(), &waiting); err != nil || !strings.Contains(waiting.String(), string(o.Reference)) {
		t.Errorf("%v: %s", err, waiting.String())
	}
	if _, err := db.Finish(t.Context(), central.FinalOutcome{
		ID: id, To: op.Succeeded, At: now.Add(time.Minute), Reason: "the bank answered an enquiry", Answer: central.BankAnswer{Code: "00", RRN: "632500000001"},
		HTTP: 200, Reply: []byte(`{"statusCode":"00","message":"Transaction successful","data":{"Balance":"24500.00"}}`),
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{string(id), "GL261121ABCDEFGHJK", pending.PendingReference, "632500000001", "order-1", "key-1"} {
		var out bytes.Buffer
		if err := e.Show(t.Context(), name, &out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range []string{string(id), "succeeded", "500.00", "XXXXXXXX7058", "632500000001", "no answer from the bank", "sent → pending", "the bank answered an enquiry", "Transaction successful"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, out.String())
			}
		}
		if strings.Contains(out.String(), "24500") {
			t.Errorf("the customer's balance is shown:\n%s", out.String())
		}
	}
	if err := e.Show(t.Context(), "GL-unknown", &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "GL-unknown") {
		t.Errorf("an unknown name: %v", err)
	}
	waiting.Reset()
	if err := e.Waiting(t.Context(), &waiting); err != nil || !strings.Contains(waiting.String(), "No operation waits") {
		t.Errorf("%v: %s", err, waiting.String())
	}
}
