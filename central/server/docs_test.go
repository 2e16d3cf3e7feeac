package server

import (
	"net/http"
	"regexp"
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
	for path, want := range map[string]string{"/docs/install": `<a href="/docs/runbooks/bank">when`, "/docs": `href="/docs/install"`, "/docs/try": "make run"} {
		resp, err := http.Get("http://" + cfg.AdminAddr + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		policy := resp.Header.Get("Content-Security-Policy")
		if status, says := get(t, "http://"+cfg.AdminAddr+path); status != http.StatusOK || !strings.Contains(says, want) || !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "connect-src") {
			t.Errorf("%s on the administration address: HTTP %d, policy %q, no %s", path, status, policy, want)
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

// TestTryPage: a sandbox serves the page that sends calls, with the addresses of its
// simulators; production serves none of its secrets, and says where the page is.
func TestTryPage(t *testing.T) {
	cfg := Config{Sandbox: true, SandboxReader: "http://127.0.0.1:11177", SandboxBank: "http://127.0.0.1:7377"}
	pages, _, err := docPages(cfg)
	if err != nil {
		t.Fatal(err)
	}
	page, data := pages["/docs/try"], string(pages["/docs/try.json"].Body)
	if !page.Scripts || strings.Join(page.Connect, " ") != "http://127.0.0.1:11177 http://127.0.0.1:7377" {
		t.Errorf("scripts %t, may call %v", page.Scripts, page.Connect)
	}
	for _, want := range []string{`"reader":"http://127.0.0.1:11177"`, `"bank":"http://127.0.0.1:7377"`, "sandbox-merchant-1", "vk_sandbox_deccan", "post_aeps_withdrawal"} {
		if !strings.Contains(data, want) {
			t.Errorf("the data has no %s", want)
		}
	}
	loads := regexp.MustCompile(`(?:src="|from '|fetch\(')(?:\./|/docs/)([^"']+)`)
	for _, path := range []string{"/docs/try", "/docs/try.js", "/docs/calls.js"} {
		found := loads.FindAllStringSubmatch(string(pages[path].Body), -1)
		for _, m := range found {
			if pages["/docs/"+m[1]].Body == nil {
				t.Errorf("%s loads %s, which is not served", path, m[1])
			}
		}
		if len(found) == 0 {
			t.Errorf("%s loads nothing", path)
		}
	}
	pages, _, err = docPages(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for path, p := range pages {
		if p.Scripts || len(p.Connect) > 0 || strings.HasPrefix(path, "/docs/") && strings.Contains(string(p.ContentType), "javascript") {
			t.Errorf("production serves %s with scripts", path)
		}
	}
	if body := string(pages["/docs/try"].Body); !strings.Contains(body, "in a sandbox only") || strings.Contains(body, "vk_sandbox") || pages["/docs/try.json"].Body != nil {
		t.Errorf("in production: %s", body)
	}
}
