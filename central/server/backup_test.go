package server

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/central/admincli"
	"galla/central/retention"
	"galla/central/store"
	"galla/shared/op"
)

// ask requests a path of a running central as the first merchant.
func ask(t *testing.T, cfg Config, path string) (status int, retry string) {
	t.Helper()
	token := tokenOf(t, cfg, "merchant-lakshmi")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+cfg.Addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Retry-After")
}

// TestBackupAndRestore backs up a running central, restores it, and handles the gap until
// new operations are accepted again.
func TestBackupAndRestore(t *testing.T) {
	cfg := testConfig(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	const absent = "/operations/never-used"
	var said bytes.Buffer
	do := func(want string, run func(out *bytes.Buffer) error) {
		t.Helper()
		said.Reset()
		if err := run(&said); err != nil || !strings.Contains(said.String(), want) {
			t.Fatalf("want %q, got %v: %s", want, err, said.String())
		}
	}

	stop := serving(t, cfg)
	if status, _ := ask(t, cfg, absent); status != http.StatusNotFound {
		t.Errorf("an absent operation: HTTP %d", status)
	}
	do("checked", func(out *bytes.Buffer) error { return admincli.Backup(t.Context(), cfg.CLIConfig(), copied, out) })
	if err := admincli.Restore(t.Context(), cfg.CLIConfig(), admincli.RestoreOptions{From: copied, Replace: true}, &said); err == nil || !strings.Contains(err.Error(), "stop the central first") {
		t.Errorf("restored under a running central: %v", err)
	}
	stop()
	if err := admincli.Restore(t.Context(), cfg.CLIConfig(), admincli.RestoreOptions{From: copied}, &said); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("restored over a database: %v", err)
	}
	do("restore release", func(out *bytes.Buffer) error {
		return admincli.Restore(t.Context(), cfg.CLIConfig(), admincli.RestoreOptions{From: copied, Replace: true}, out)
	})

	stop = serving(t, cfg)
	defer func() { stop() }()
	if status, retry := ask(t, cfg, absent); status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("an absent operation after the restoration: HTTP %d, Retry-After %q", status, retry)
	}
	r, err := admincli.OpenRecovery(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	adopted(t, r, cfg)
	do("refused", func(out *bytes.Buffer) error { return r.Held(t.Context(), out) })
	do("1 of 2 references", func(out *bytes.Buffer) error {
		return r.Missing(t.Context(), strings.NewReader("GL261121ADOPTEDADOPT\n\nGL261121NOBODYNOBODY\n"), out)
	})
	do("never executed", func(out *bytes.Buffer) error {
		return r.MarkTombstone(t.Context(), "merchant:"+merchantBase+"1", "gone", out)
	})
	do("accepted again", func(out *bytes.Buffer) error { return r.Release(t.Context(), out) })
	do("accepted already", func(out *bytes.Buffer) error { return r.Release(t.Context(), out) })
	for deadline := time.Now().Add(time.Minute); ; {
		if status, _ := ask(t, cfg, absent); status == http.StatusNotFound {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("new operations are refused after the release")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// adopted adopts an operation of the gap: it is pending, the engine enquires about it, and
// a second adoption changes nothing.
func adopted(t *testing.T, r *admincli.Recovery, cfg Config) {
	t.Helper()
	a := admincli.Adoption{
		Caller: "merchant:" + merchantBase + "1", Identity: "order-7", CallerRef: "order-7", Reference: "GL261121ADOPTEDADOPT",
		Kind: "transfer", Merchant: merchantBase + "1", TID: "GAL00001", Amount: "1500.50",
	}
	for _, want := range []string{"is pending", "recorded already"} {
		var said bytes.Buffer
		if err := r.Adopt(t.Context(), a, "command", cfg.Rand, &said); err != nil || !strings.Contains(said.String(), want) {
			t.Fatalf("want %q, got %v: %s", want, err, said.String())
		}
	}
	db, err := admincli.OpenStore(t.Context(), cfg.CLIConfig(), store.Config{Node: "look", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o, err := db.ByReference(t.Context(), a.Caller, central.ReferenceQuery{CallerRef: "order-7"})
	if err != nil || o.State != op.Pending || o.NextEnquiry.IsZero() || o.Amount != 1500_50 || !o.BankNotAfter.After(o.SentAt) {
		t.Errorf("adopted: %+v, %v", o, err)
	}
	// A key that looks like an id of ours is still the caller's, and leads to its
	// newest attempt; where nothing else is known, it may have been the reference.
	keyed := a
	keyed.Identity, keyed.CallerRef, keyed.Reference = "0193519c-0000-7000-8000-00000000000a", "", "GL261121KEYEDKEYEDKE"
	if err := r.Adopt(t.Context(), keyed, "command", cfg.Rand, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if o, err := db.ByIdentity(t.Context(), a.Caller, keyed.Identity); err != nil || string(o.ID) == keyed.Identity || o.CallerRef != keyed.Identity {
		t.Errorf("adopted under a key: %+v, %v", o, err)
	}
	for name, change := range map[string]func(*admincli.Adoption){
		"another identity of the reference": func(a *admincli.Adoption) { a.Identity, a.CallerRef = "order-8", "" },
		"another reference":                 func(a *admincli.Adoption) { a.Reference = "GL261121OTHEROTHERXX" },
		"no kind":                           func(a *admincli.Adoption) { a.Kind = "BALANCE" },
		"no amount":                         func(a *admincli.Adoption) { a.Amount = "much" },
		"no merchant":                       func(a *admincli.Adoption) { a.Merchant = "" },
		"a merchant that is none": func(a *admincli.Adoption) {
			a.Merchant, a.Identity, a.CallerRef, a.Reference = "nobody", "order-9", "", "GL261121ANOTHERANOTH"
		},
		"a refund of nothing": func(a *admincli.Adoption) {
			a.Kind, a.Identity, a.CallerRef, a.Reference = "REFUND", "order-9", "", "GL261121ANOTHERANOTH"
		},
	} {
		b := a
		change(&b)
		if err := r.Adopt(t.Context(), b, "command", cfg.Rand, &bytes.Buffer{}); err == nil {
			t.Errorf("adopted with %s", name)
		}
	}
}

// TestArchiveCommand runs the commands while a central serves, and shows an operation whose
// body was archived.
func TestArchiveCommand(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	defer stop()
	db, err := store.OpenSQLite(t.Context(), cfg.CLIConfig().Database(), store.Config{Node: "other", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	id, err := op.NewID(cfg.Rand)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-retention.BodyRetention - time.Hour)
	if _, _, err := db.Create(t.Context(), central.Operation{
		ID: id, Caller: "merchant:" + merchantBase + "1", Identity: "old", Route: op.Withdrawal, Merchant: merchantBase + "1", TID: "GAL00001",
		Kind: central.KindWithdrawal, Amount: 500_00, Reference: "GL260501ABCDEFGHJK", STAN: "000042", State: op.Received, Node: "other", CreatedAt: at,
	}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Finish(t.Context(), central.FinalOutcome{ID: id, To: op.Refused, At: at, Reason: "because", HTTP: 422, Reply: []byte(`{"statusCode":"05","message":"Too late, Meera"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := admincli.OpenRetention(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	// The central's own scheduled job may have been quicker.
	for _, run := range []func(context.Context, *bytes.Buffer) error{
		func(ctx context.Context, out *bytes.Buffer) error { return r.Archive(ctx, out) },
		func(ctx context.Context, out *bytes.Buffer) error { return r.Purge(ctx, out) },
	} {
		if err := run(t.Context(), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := admincli.OpenOperations(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	var said bytes.Buffer
	for deadline := time.Now().Add(time.Minute); ; { // until the quicker one is done
		said.Reset()
		if err := e.Show(t.Context(), "GL260501ABCDEFGHJK", &said); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(said.String(), "into operations-") || time.Now().After(deadline) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if text := said.String(); !strings.Contains(text, "into operations-") || !strings.Contains(text, `HTTP 422, statusCode "05", Refused, nothing was sent`) || strings.Contains(text, "Meera") {
		t.Errorf("shown: %s", text)
	}
	said.Reset()
	if err := r.VerifyArchive(t.Context(), &said); err != nil || !strings.Contains(said.String(), "1 archives with 1 operations are unchanged") {
		t.Errorf("%v: %s", err, said.String())
	}
}
