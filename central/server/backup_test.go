package server

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/duty"
	"galla/central/office"
	"galla/central/store"
	"galla/shared/op"
)

// tokenOf gives the first merchant's token.
func tokenOf(t *testing.T, cfg Config) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"merchant-lakshmi"}, "client_secret": {"sandbox-merchant-1"}}
	resp, err := http.PostForm("http://"+cfg.Addr+"/oauth/token", form)
	if err != nil {
		t.Fatal(err)
	}
	var granted struct {
		Token string `json:"access_token"`
	}
	err = json.UnmarshalRead(resp.Body, &granted)
	_ = resp.Body.Close()
	if err != nil || granted.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	return granted.Token
}

// ask calls a route of a serving central as the first merchant.
func ask(t *testing.T, cfg Config, path string) (status int, retry string) {
	t.Helper()
	token := tokenOf(t, cfg)
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

// TestTheWayBack backs a serving central up, puts it back, and goes the whole
// way until its doors are open again.
func TestTheWayBack(t *testing.T) {
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
	do("checked", func(out *bytes.Buffer) error { return office.Backup(t.Context(), cfg.Office(), copied, out) })
	if err := office.Restore(t.Context(), cfg.Office(), office.RestoreOptions{From: copied, Replace: true}, &said); err == nil || !strings.Contains(err.Error(), "stop the central first") {
		t.Errorf("restored under a running central: %v", err)
	}
	stop()
	if err := office.Restore(t.Context(), cfg.Office(), office.RestoreOptions{From: copied}, &said); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("restored over a database: %v", err)
	}
	do("restore release", func(out *bytes.Buffer) error {
		return office.Restore(t.Context(), cfg.Office(), office.RestoreOptions{From: copied, Replace: true}, out)
	})

	stop = serving(t, cfg)
	defer func() { stop() }()
	if status, retry := ask(t, cfg, absent); status != http.StatusTooManyRequests || retry == "" {
		t.Errorf("an absent operation after the restoration: HTTP %d, Retry-After %q", status, retry)
	}
	r, err := office.OpenRestored(t.Context(), cfg.Office())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	adopted(t, r, cfg)
	do("closed to new identities", func(out *bytes.Buffer) error { return r.Held(t.Context(), out) })
	do("1 of 2 references", func(out *bytes.Buffer) error {
		return r.Missing(t.Context(), strings.NewReader("GL261121ADOPTEDADOPT\n\nGL261121NOBODYNOBODY\n"), out)
	})
	do("never executed", func(out *bytes.Buffer) error {
		return r.Forswear(t.Context(), "merchant:"+merchantBase+"1", "gone", out)
	})
	do("taken again", func(out *bytes.Buffer) error { return r.Release(t.Context(), out) })
	do("Nothing was held", func(out *bytes.Buffer) error { return r.Release(t.Context(), out) })
	for deadline := time.Now().Add(time.Minute); ; {
		if status, _ := ask(t, cfg, absent); status == http.StatusNotFound {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the doors stay closed after the release")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// adopted takes an operation of the gap in: it is pending, the reconciler finds
// it, and a second adoption changes nothing.
func adopted(t *testing.T, r *office.Restored, cfg Config) {
	t.Helper()
	a := office.Adoption{
		Caller: "merchant:" + merchantBase + "1", Identity: "order-7", CallerRef: "order-7", Reference: "GL261121ADOPTEDADOPT",
		Kind: "transfer", Merchant: merchantBase + "1", TID: "GAL00001", Amount: "1500.50",
	}
	for _, want := range []string{"is pending", "on record already"} {
		var said bytes.Buffer
		if err := r.Adopt(t.Context(), a, "command", cfg.Rand, &said); err != nil || !strings.Contains(said.String(), want) {
			t.Fatalf("want %q, got %v: %s", want, err, said.String())
		}
	}
	db, err := office.OpenStore(t.Context(), cfg.Office(), store.Config{Node: "look", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o, err := db.ByReference(t.Context(), a.Caller, central.ReferenceQuery{CallerRef: "order-7"})
	if err != nil || o.State != op.Pending || o.NextEnquiry.IsZero() || o.Amount != 1500_50 || !o.BankNotAfter.After(o.DispatchedAt) {
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
	for name, change := range map[string]func(*office.Adoption){
		"another identity of the reference": func(a *office.Adoption) { a.Identity, a.CallerRef = "order-8", "" },
		"another reference":                 func(a *office.Adoption) { a.Reference = "GL261121OTHEROTHERXX" },
		"no kind":                           func(a *office.Adoption) { a.Kind = "BALANCE" },
		"no amount":                         func(a *office.Adoption) { a.Amount = "much" },
		"no merchant":                       func(a *office.Adoption) { a.Merchant = "" },
		"a merchant that is none": func(a *office.Adoption) {
			a.Merchant, a.Identity, a.CallerRef, a.Reference = "nobody", "order-9", "", "GL261121ANOTHERANOTH"
		},
		"a refund of nothing": func(a *office.Adoption) {
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

// TestTheArchiveByHand: the commands beside a serving central, and what the
// operator is shown of an operation whose body is gone.
func TestTheArchiveByHand(t *testing.T) {
	cfg := testConfig(t)
	stop := serving(t, cfg)
	defer stop()
	db, err := store.OpenSQLite(t.Context(), cfg.Office().Database(), store.Config{Node: "other", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	id, err := op.NewID(cfg.Rand)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-duty.BodiesKept - time.Hour)
	if _, _, err := db.Begin(t.Context(), central.Operation{
		ID: id, Caller: "merchant:" + merchantBase + "1", Identity: "old", Route: op.Withdrawal, Merchant: merchantBase + "1", TID: "GAL00001",
		Kind: central.KindWithdrawal, Amount: 500_00, Reference: "GL260501ABCDEFGHJK", STAN: "000042", State: op.Received, Node: "other", CreatedAt: at,
	}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Settle(t.Context(), central.Settlement{ID: id, To: op.Refused, At: at, Reason: "because", HTTP: 422, Reply: []byte(`{"statusCode":"05","message":"Too late, Meera"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := office.OpenRetention(t.Context(), cfg.Office())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	// The central's own chore may have been quicker.
	for _, run := range []func(context.Context, *bytes.Buffer) error{
		func(ctx context.Context, out *bytes.Buffer) error { return r.Archive(ctx, out) },
		func(ctx context.Context, out *bytes.Buffer) error { return r.Purge(ctx, out) },
	} {
		if err := run(t.Context(), &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := office.OpenEvidence(t.Context(), cfg.Office())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	var said bytes.Buffer
	for deadline := time.Now().Add(time.Minute); ; { // until whoever was quicker is done
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
	if err := r.VerifyArchive(t.Context(), &said); err != nil || !strings.Contains(said.String(), "1 archives with 1 operations are what was written") {
		t.Errorf("%v: %s", err, said.String())
	}
}
