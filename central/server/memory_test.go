package server

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/admincli"
	"galla/central/store"
)

// TestACommandsChangeCountsWithinASecond: a client that a command suspends, and a merchant
// and a vendor that another node suspends, are refused within a second by a central that
// served them a moment before.
func TestACommandsChangeCountsWithinASecond(t *testing.T) {
	cfg := testConfig(t)
	cfg.Load = Load{DirectRate: 1e6, DirectBurst: 1_000_000} // it asks again and again
	stop := serving(t, cfg)
	defer stop()
	other, err := store.OpenSQLite(t.Context(), cfg.CLIConfig().Database(), store.Config{Node: "other", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	clients, err := admincli.OpenClients(t.Context(), cfg.CLIConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = clients.Close() }()
	merchant, vendor := tokenOf(t, cfg, "merchant-lakshmi"), tokenOf(t, cfg, "vendor-sahyadri")
	for _, x := range []struct {
		name, path, token string
		change            func() error
		refused           int
	}{
		{"a vendor", "/vendor/me", vendor, func() error { return other.SetVendorActive(t.Context(), vendorV1, false) }, http.StatusUnprocessableEntity},
		{"a merchant", "/aeps/authStatus", merchant, func() error {
			return other.SetMerchantStatus(t.Context(), merchantBase+"1", central.MerchantApproved, central.MerchantSuspended)
		}, http.StatusUnprocessableEntity},
		{"a client", "/aeps/authStatus", merchant, func() error { return clients.SetActive(t.Context(), "merchant-lakshmi", false, io.Discard) }, http.StatusUnauthorized},
	} {
		before := statusOf(t, cfg, x.path, x.token)
		if err := x.change(); err != nil {
			t.Fatal(err)
		}
		changed := time.Now()
		for {
			asked := time.Now()
			got := statusOf(t, cfg, x.path, x.token)
			if got == x.refused {
				break
			}
			if got != before || asked.Sub(changed) >= time.Second {
				t.Fatalf("%s that is suspended gets HTTP %d after %v, and before HTTP %d", x.name, got, asked.Sub(changed), before)
			}
		}
	}
}

// TestTheRateOfTheDirectRoutesIsASetting.
func TestTheRateOfTheDirectRoutesIsASetting(t *testing.T) {
	cfg := testConfig(t)
	cfg.Load = Load{DirectRate: 0.01, DirectBurst: 2}
	stop := serving(t, cfg)
	defer stop()
	token := tokenOf(t, cfg, "merchant-lakshmi")
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		if got := statusOf(t, cfg, "/aeps/authStatus", token); got != want {
			t.Errorf("request %d: HTTP %d, want %d", i+1, got, want)
		}
	}
}

// tokenOf is an access token of a sandbox client.
func tokenOf(t testing.TB, cfg Config, client string) string {
	t.Helper()
	secret := ""
	for _, c := range sandboxClients() {
		if c.id == client {
			secret = c.secret
		}
	}
	resp, err := http.PostForm("http://"+cfg.Addr+"/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var reply struct {
		Token string `json:"access_token"`
	}
	if err := json.UnmarshalRead(resp.Body, &reply); err != nil || reply.Token == "" {
		t.Fatalf("no token: HTTP %d, %v", resp.StatusCode, err)
	}
	return reply.Token
}

// statusOf is the HTTP status of a request.
func statusOf(t *testing.T, cfg Config, path, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://%s%s", cfg.Addr, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}
