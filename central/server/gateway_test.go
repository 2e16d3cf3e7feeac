package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"galla/central"
	"galla/central/admincli"
	"galla/central/keys"
	"galla/shared/envelope"
	"galla/shared/seal"
	"galla/shared/secret"
)

// sendSealed sends a message to the list of banks, or to another path, and gives the status and
// whether the reply is sealed.
func sendSealed(t *testing.T, cfg Config, apiKey string, key secret.Key, path string) (int, bool) {
	t.Helper()
	k, err := envelope.New(key)
	if err != nil {
		t.Fatal(err)
	}
	h, body, err := k.SealRequest("GET", path, apiKey, uuid.NewString(), time.Now(), []byte("{}"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("GET", "http://"+cfg.Addr+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"X-Client-Id": h.ClientID, "X-Timestamp": h.Timestamp, "X-Request-Id": h.RequestID, "X-IV": h.IV, "X-Tag": h.Tag,
		"X-Checksum": h.Checksum, "Content-Type": "application/json",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode, res.Header.Get("X-Checksum") != ""
}

// TestVendorKeysOfARunningCentral adds and revokes keys as the command does, while the
// central serves.
func TestVendorKeysOfARunningCentral(t *testing.T) {
	cfg := testConfig(t)
	defer serving(t, cfg)()
	for _, k := range sandboxKeys() {
		if status, sealed := sendSealed(t, cfg, k.APIKey.Reveal(), k.Key, "/process/aeps/banks"); status != 200 || !sealed {
			t.Errorf("sandbox key %s: HTTP %d, sealed %t", k.ID, status, sealed)
		}
	}
	keyring, err := admincli.OpenVendorKeys(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := keyring.Close(); err != nil {
			t.Error(err)
		}
	}()
	issued, err := keyring.Add(t.Context(), vendorV1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Add(t.Context(), vendorV1); !errors.Is(err, central.ErrState) {
		t.Errorf("a third key: %v", err)
	}
	becomes := func(want int) {
		t.Helper()
		for range 500 {
			if status, _ := sendSealed(t, cfg, issued.APIKey.Reveal(), issued.Key, "/process/aeps/banks"); status == want {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("the key is never answered with HTTP %d", want)
	}
	becomes(200)
	if _, err := keyring.Revoke(t.Context(), string(issued.ID)); err != nil {
		t.Fatal(err)
	}
	becomes(401)
	_, metrics := get(t, "http://"+cfg.AdminAddr+"/metrics")
	for _, want := range []string{"galla_gateway_messages_total", `galla_gateway_refused_total{cause="client"}`, "galla_gateway_keys 2", "galla_gateway_keys_to_replace 0"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics do not have %s", want)
		}
	}
	files, err := filepath.Glob(filepath.Join(cfg.Data, "central", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range append(sandboxKeys(), issued) {
			if bytes.Contains(text, k.Key.Reveal()) || bytes.Contains(text, []byte(k.APIKey.Reveal())) {
				t.Errorf("%s has a key, or an API key, in the clear", filepath.Base(file))
			}
		}
	}
}

// TestExplainIsForSandboxes: in production the route does not exist.
func TestExplainIsForSandboxes(t *testing.T) {
	cfg := testConfig(t)
	ask := func() (int, string) {
		t.Helper()
		res, err := http.Post("http://"+cfg.Addr+"/gateway/explain", "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	stop := serving(t, cfg)
	status, text := ask()
	var out struct{ Data struct{ Check int } }
	if err := json.Unmarshal([]byte(text), &out); err != nil || status != 200 || out.Data.Check != 1 {
		t.Errorf("in a sandbox: HTTP %d %s", status, text)
	}
	stop()
	cfg.Sandbox, cfg.Data = false, productionFolder(t)
	defer serving(t, cfg)()
	if status, text = ask(); status != 404 || !strings.Contains(text, `"04"`) {
		t.Errorf("in production: HTTP %d %s", status, text)
	}
}

// TestMasterKeyRotation replaces the master key of a central with data: no vendor key is
// lost.
func TestMasterKeyRotation(t *testing.T) {
	cfg := testConfig(t)
	served := func(step string, want int) {
		t.Helper()
		k := sandboxKeys()[0]
		stop := serving(t, cfg)
		defer stop()
		if status, _ := sendSealed(t, cfg, k.APIKey.Reveal(), k.Key, "/process/aeps/banks"); status != want {
			t.Errorf("%s: HTTP %d, want %d", step, status, want)
		}
	}
	served("under the first master key", 200)
	folder := filepath.Join(cfg.Data, "keys")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(filepath.Join(folder, keys.MasterFile), filepath.Join(folder, "vendor-master-old.key")))
	_, err := seal.EnsureKeyFile(filepath.Join(folder, keys.MasterFile), rand.Reader)
	must(err)
	served("under both", 200)
	keyring, err := admincli.OpenVendorKeys(t.Context(), cfg.CLIConfig())
	must(err)
	if n, err := keyring.Rewrap(t.Context()); n != 2+len(sandboxStaff())+len(sandboxPeople()) || err != nil { // with their second factors
		t.Errorf("rewrapped %d, %v", n, err)
	}
	must(keyring.Close())
	must(os.Remove(filepath.Join(folder, "vendor-master-old.key")))
	served("under the new one alone", 200)
	cfg.VendorMasterKeys = []secret.Key{secret.NewKey(bytes.Repeat([]byte{1}, 32))}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, cfg) }()
	says := until(t, cfg, "not ready: the master key")
	if !strings.Contains(says, "opens none of the 2 live vendors' keys") || !strings.Contains(says, "ok      engine") {
		t.Errorf("under another's key /readyz says %s", says)
	}
	if status, _ := sendSealed(t, cfg, sandboxKeys()[0].APIKey.Reveal(), sandboxKeys()[0].Key, "/process/aeps/banks"); status != 401 {
		t.Errorf("under another's: HTTP %d, want 401", status)
	}
	stop()
	must(<-done)
}

func TestParseMasterKeys(t *testing.T) {
	one, two := hex.EncodeToString(bytes.Repeat([]byte{1}, 32)), hex.EncodeToString(bytes.Repeat([]byte{2}, 32))
	for text, want := range map[string]int{"": 0, one: 1, one + "," + two: 2, " " + one + " , " + two + " ": 2} {
		keyring, err := keys.ParseMasterKeys(text)
		if err != nil || len(keyring) != want {
			t.Errorf("%d keys of %q, %v", len(keyring), text, err)
		}
	}
	for _, text := range []string{one[:62], one + ",", "secret-of-mine", strings.Repeat(one+",", 8) + one} {
		_, err := keys.ParseMasterKeys(text)
		if err == nil || strings.Contains(fmt.Sprint(err), "secret-of-mine") || strings.Contains(fmt.Sprint(err), one) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := admincli.OpenVendorKeys(t.Context(), testConfig(t).CLIConfig()); err == nil || !strings.Contains(err.Error(), "--data") {
		t.Errorf("keys without a database: %v", err)
	}
}
