package server

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
)

// TestHandbook: the documents are pages below /docs with the usual headers, and a broken
// document prevents the start.
func TestHandbook(t *testing.T) {
	cfg := testConfig(t)
	cfg.Documents = fstest.MapFS{
		"install.md":       {Data: []byte("# Install\n\n[when the bank is down](runbooks/bank.md)\n")},
		"runbooks/bank.md": {Data: []byte("# The bank is down\n")},
	}
	stop := serving(t, cfg)
	for path, want := range map[string]string{"/docs/install": `<a href="/docs/runbooks/bank">when`, "/docs/runbooks/bank": "<h1", "/docs": `href="/docs/install"`, "/docs/gateway": "Integrate in an afternoon"} {
		resp, err := http.Get("http://" + cfg.Addr + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		status, says := get(t, "http://"+cfg.Addr+path)
		policy := resp.Header.Get("Content-Security-Policy")
		if status != http.StatusOK || !strings.Contains(says, want) || !strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "style-src 'sha256-") {
			t.Errorf("%s: HTTP %d, policy %q, no %s", path, status, policy, want)
		}
	}
	for _, path := range []string{"/", "/docs/"} {
		resp, err := http.Get("http://" + cfg.Addr + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/docs" {
			t.Errorf("%s: HTTP %d at %s", path, resp.StatusCode, resp.Request.URL.Path)
		}
	}
	for _, path := range []string{"/openapi.json", "/docs/gateway", "/docs/install", "/docs/"} {
		resp, err := http.Head("http://" + cfg.Addr + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.ContentLength <= 0 {
			t.Errorf("HEAD %s: HTTP %d, %d bytes", path, resp.StatusCode, resp.ContentLength)
		}
	}
	stop()
	for name, broken := range map[string]fstest.MapFS{
		"a link":            {"install.md": {Data: []byte("# Install\n\n[x](away.md)\n")}},
		"the guide's place": {"gateway.md": {Data: []byte("# Another\n")}},
	} {
		cfg := testConfig(t)
		cfg.Documents = broken
		if err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "handbook") {
			t.Errorf("%s: Run = %v", name, err)
		}
	}
}
