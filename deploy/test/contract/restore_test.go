package contract

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central/admincli"
	"galla/edge"
	"galla/shared/op"
	"galla/shared/secret"
)

// TestACounterAfterARestoration: the bank has executed an operation that the restored
// database does not know. No reply says that no money moved; a person finds
// the operation in the bank's books, and the bank's answer reaches the counter.
func TestACounterAfterARestoration(t *testing.T) {
	dir := t.TempDir() // removed last, when nobody writes into it
	h := &system{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	must := func(doing string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", doing, err)
		}
	}
	must("open the system", h.open(ctx, &ended, dir))
	c := newCounter(t, h)
	aadhaar, err := secret.ParseAadhaar(agarwal)
	must("read an Aadhaar number", err)
	c.transact(op.ReqAuth, aadhaar)

	copied := filepath.Join(dir, "copy.db")
	must("back up", admincli.Backup(ctx, h.cfg.CLIConfig(), copied, &bytes.Buffer{}))

	// The bank executes this one and never answers.
	since := time.Now().UTC().Add(-time.Second)
	c.glass.placeFinger(agarwal)
	v, err := c.Start(edge.Request{Route: op.Withdrawal, Amount: 100_97, Aadhaar: aadhaar, Customer: "Kumar", IIN: iins[agarwal], Consent: "en-1", User: "Fatima", UserID: edge.AgentID})
	must("begin", err)
	must("capture", c.Capture(v.ID))
	var executed []struct{ Reference, Kind, Status string }
	eventually(t, "the bank has executed it", func() bool {
		h.books(t, "/books/executions?from="+since.Format(time.RFC3339)+"&to="+time.Now().UTC().Add(time.Minute).Format(time.RFC3339), &executed)
		for _, x := range executed {
			if x.Kind == "CASH_WITHDRAWAL" {
				return true
			}
		}
		return false
	})
	must("stop", h.stop())
	var said bytes.Buffer
	must("restore", admincli.Restore(ctx, h.cfg.CLIConfig(), admincli.RestoreOptions{From: copied, Replace: true}, &said))
	must("start", h.start())

	// The counter asks, and gets no answer.
	r, err := admincli.OpenRecovery(ctx, h.cfg.CLIConfig())
	must("open", err)
	defer func() { _ = r.Close() }()
	eventually(t, "the counter has asked for it", func() bool {
		said.Reset()
		must("list", r.Held(ctx, &said))
		return strings.Contains(said.String(), string(v.ID))
	})
	if v, err = c.Operation(v.ID); err != nil || v.State.Final() {
		t.Fatalf("the counter says %s, %s: %v", v.State, v.Reason, err)
	}
	h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, agarwal, "100"), fields{"clientRefId": h.ref("gap")})).is(429, "07")

	// A person looks at the bank's books.
	var references []string
	for _, x := range executed {
		if x.Kind == "CASH_WITHDRAWAL" {
			references = append(references, x.Reference)
		}
	}
	said.Reset()
	must("compare", r.Missing(ctx, strings.NewReader(strings.Join(references, "\n")), &said))
	if len(references) != 1 || !strings.HasPrefix(said.String(), references[0]+"\n1 of 1") {
		t.Fatalf("missing: %s", said.String())
	}
	terminal := ""
	said.Reset()
	must("list", r.Held(ctx, &said))
	for line := range strings.Lines(said.String()) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == string(v.ID) {
			terminal = f[0]
		}
	}
	must("adopt", r.Adopt(ctx, admincli.Adoption{
		Caller: terminal, Identity: string(v.ID), Reference: references[0], Kind: "CASH_WITHDRAWAL", Merchant: merchant1, TID: "GAL00101", Amount: "100.97",
	}, "command", h.cfg.Rand, &said))
	must("release", r.Release(ctx, &said))
	limited, leave := context.WithTimeout(ctx, time.Minute)
	defer leave()
	for v.State != op.Succeeded {
		select {
		case <-limited.Done():
			t.Fatalf("the bank's word does not reach the counter: it says %s, %s", v.State, v.Reason)
		case <-time.After(100 * time.Millisecond):
		}
		if v, err = c.Operation(v.ID); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the entrances are open", func() bool {
		return h.call(t, m1, "POST", "/aeps/withdrawal", with(h.aeps(t, agarwal, "100"), fields{"clientRefId": h.ref("gap")})).http == 200
	})
	checkTrial(t, h)
}
