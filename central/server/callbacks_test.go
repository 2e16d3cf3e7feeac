package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"galla/central"
	"galla/central/admincli"
	"galla/central/store"
	"galla/shared/op"
)

// post is a callback as its receiver got it.
type post struct {
	header http.Header
	body   []byte
}

// startReceiver starts a merchant's receiver of callbacks.
func startReceiver(t *testing.T) (url string, got chan post) {
	t.Helper()
	got = make(chan post, 16)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- post{r.Header.Clone(), body}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/hook?token=Canary", got
}

// finishPending creates an operation of a merchant, makes it pending, and finishes it.
func finishPending(t *testing.T, db *store.DB, m central.MerchantID, id op.ID) {
	t.Helper()
	ctx, now := context.Background(), time.Now()
	_, _, err := db.Create(ctx, central.Operation{
		ID: id, Caller: "merchant:" + string(m), Identity: string(id), Party: "merchant:" + string(m), CallerRef: "ref-" + string(id), Route: op.Withdrawal,
		Fingerprint: sha256.Sum256([]byte(id)), Merchant: m, TID: "GAL00001", Kind: central.KindWithdrawal, Amount: 500_00,
		Reference: central.Reference("GL" + id[24:]), STAN: "000001", State: op.Received, Node: "test", CreatedAt: now,
	}, nil)
	if err == nil {
		err = db.MarkSent(ctx, central.SentUpdate{ID: id, At: now, BankNotAfter: now})
	}
	if err == nil {
		_, err = db.MarkPending(ctx, central.PendingUpdate{ID: id, At: now, Reason: "no answer", Prefix: "AEPS-NR-", NextEnquiry: now.Add(time.Hour)})
	}
	if err == nil {
		_, err = db.Finish(ctx, central.FinalOutcome{ID: id, To: op.Succeeded, At: now, Reason: "the bank answered", HTTP: 200,
			Answer: central.BankAnswer{Code: "00", RRN: "632510123456"}, Reply: []byte(`{}`)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCallbacksOfARunningCentral sets a merchant's endpoint as the command does while the
// central serves, and reads the callbacks.
func TestCallbacksOfARunningCentral(t *testing.T) {
	cfg := testConfig(t)
	defer serving(t, cfg)()
	ctx := t.Context()
	url, got := startReceiver(t)
	callbacks, err := admincli.OpenCallbacks(ctx, cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = callbacks.Close() }()
	shop := merchantBase + "1"
	say := func(do func(io.Writer) error) string {
		t.Helper()
		var out bytes.Buffer
		if err := do(&out); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, "Canary") {
			t.Fatalf("the URL's secret is shown:\n%s", text)
		}
		return out.String()
	}
	if err := callbacks.Set(ctx, shop, "http://10.0.0.1/", io.Discard); err == nil {
		t.Error("a private address was accepted")
	}
	set := say(func(w io.Writer) error { return callbacks.Set(ctx, shop, url, w) })
	secret := regexp.MustCompile(`whsec_\S+`).FindString(set)
	if again := say(func(w io.Writer) error { return callbacks.Set(ctx, shop, url, w) }); strings.Contains(again, "whsec_") {
		t.Error("a second secret was made")
	}
	verifier, err := standard.NewWebhook(secret)
	if err != nil || secret == "" {
		t.Fatalf("the command shows no secret: %v\n%s", err, set)
	}

	const id = op.ID("0193519c-0000-7000-8000-000000000001")
	db, err := admincli.OpenStore(ctx, cfg.CLIConfig(), store.Config{Node: "settler", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	finishPending(t, db, central.MerchantID(shop), id)
	first := <-got
	if err := verifier.Verify(first.body, first.header); err != nil {
		t.Errorf("the callback does not verify: %v", err)
	}
	matchDocument(t, cfg, first.body)
	awaitText(t, "delivered", func() string {
		return say(func(w io.Writer) error { return callbacks.List(ctx, shop, "delivered", w) })
	})

	// A second secret signs as well, and alone when the first is revoked.
	other := regexp.MustCompile(`whsec_\S+`).FindString(say(func(w io.Writer) error { return callbacks.MintSecret(ctx, shop, w) }))
	second, err := standard.NewWebhook(other)
	if err != nil {
		t.Fatal(err)
	}
	say(func(w io.Writer) error { return callbacks.Replay(ctx, "GL"+string(id[24:]), w) })
	both := <-got
	if verifier.Verify(both.body, both.header) != nil || second.Verify(both.body, both.header) != nil || !bytes.Equal(first.body, both.body) ||
		first.header.Get("webhook-id") != both.header.Get("webhook-id") {
		t.Errorf("the replay with two secrets: %v", both.header)
	}
	list := say(func(w io.Writer) error { return callbacks.Secrets(ctx, shop, w) })
	oldest := regexp.MustCompile(`(?m)^[0-9a-f-]{36}`).FindString(list)
	say(func(w io.Writer) error { return callbacks.RevokeSecret(ctx, oldest, w) })
	awaitText(t, "2 ", func() string { return say(func(w io.Writer) error { return callbacks.Show(ctx, string(id), w) }) })
	say(func(w io.Writer) error { return callbacks.ReplaySince(ctx, shop, time.Now().Add(-time.Hour), w) })
	alone := <-got
	if verifier.Verify(alone.body, alone.header) == nil || second.Verify(alone.body, alone.header) != nil {
		t.Errorf("after the first secret was revoked: %v", alone.header)
	}
	shown := awaitText(t, "3  ", func() string { return say(func(w io.Writer) error { return callbacks.Show(ctx, string(id), w) }) })
	for _, want := range []string{"evt_" + string(id), "delivered", "HTTP 200", shop} {
		if !strings.Contains(shown, want) {
			t.Errorf("show has no %q:\n%s", want, shown)
		}
	}
	_, metrics := get(t, "http://"+cfg.AdminAddr+"/metrics")
	for _, want := range []string{`galla_callback_attempts_total{result="delivered"} 3`, "galla_callbacks_waiting 0", "galla_callbacks_given_up 0", `galla_job_tasks_total{name="callbacks"} 3`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	say(func(w io.Writer) error { return callbacks.Set(ctx, shop, "", w) })
	if text := say(func(w io.Writer) error { return callbacks.List(ctx, shop, "", w) }); !strings.Contains(text, "no endpoint") {
		t.Errorf("after unset:\n%s", text)
	}
	for _, wrong := range []error{
		callbacks.Show(ctx, "nothing", io.Discard), callbacks.Replay(ctx, "nothing", io.Discard), callbacks.List(ctx, "", "lost", io.Discard),
		callbacks.Set(ctx, "nobody", url, io.Discard), callbacks.MintSecret(ctx, "nobody", io.Discard), callbacks.RevokeSecret(ctx, "nothing", io.Discard),
	} {
		if wrong == nil {
			t.Error("an invalid command succeeds")
		}
	}
}

// awaitText waits until a command prints a text.
func awaitText(t *testing.T, want string, print func() string) string {
	t.Helper()
	for {
		if text := print(); strings.Contains(text, want) {
			return text
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// matchDocument compares a callback with the OpenAPI document.
func matchDocument(t *testing.T, cfg Config, body []byte) {
	t.Helper()
	_, text := get(t, "http://"+cfg.Addr+"/openapi.json")
	type schema struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var document struct {
		Webhooks map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct {
						Schema schema `json:"schema"`
					} `json:"content"`
				} `json:"requestBody"`
			} `json:"post"`
		} `json:"webhooks"`
	}
	var callback struct {
		Type string                     `json:"type"`
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &callback); err != nil {
		t.Fatal(err)
	}
	var data schema
	outer := document.Webhooks[callback.Type].Post.RequestBody.Content["application/json"].Schema
	if err := json.Unmarshal(outer.Properties["data"], &data); err != nil {
		t.Fatalf("the document does not describe %s: %v", callback.Type, err)
	}
	for name := range callback.Data {
		if _, ok := data.Properties[name]; !ok {
			t.Errorf("the document has no field %s", name)
		}
	}
	for _, name := range data.Required {
		if _, ok := callback.Data[name]; !ok {
			t.Errorf("the callback has no field %s, which the document promises", name)
		}
	}
	if len(data.Required) < 9 || slices.Contains(data.Required, "RRN") {
		t.Errorf("the document promises %v", data.Required)
	}
}

// TestCallbackSecretsAreResealed together with the vendors' keys, so that an old master key
// can be removed.
func TestCallbackSecretsAreResealed(t *testing.T) {
	cfg := testConfig(t)
	defer serving(t, cfg)()
	callbacks, err := admincli.OpenCallbacks(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = callbacks.Close() }()
	if err := callbacks.MintSecret(t.Context(), merchantBase+"1", io.Discard); err != nil {
		t.Fatal(err)
	}
	keys, err := admincli.OpenVendorKeys(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = keys.Close() }()
	if n, err := keys.Rewrap(t.Context()); n != 3+len(sandboxStaff())+len(sandboxPeople()) || err != nil {
		t.Errorf("%d sealed again, want two vendors' keys, a secret and the staff's second factors: %v", n, err)
	}
}
