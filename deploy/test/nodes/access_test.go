package nodes

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"galla/central/admincli"
)

// TestASuspensionCountsAtEveryNode checks a program that is suspended by command line,
// or gets another secret: every node refuses it within a second, it gets no enrolment
// code anywhere from that moment on, and new tokens work at all nodes at once.
func TestASuspensionCountsAtEveryNode(t *testing.T) {
	t.Parallel()
	h := newSystem(t)
	nodes := h.plan("north", "south")
	h.start(nodes...)
	cfg := h.config(&node{name: "command line"}).CLIConfig()
	admin, err := admincli.OpenClients(t.Context(), cfg)
	h.must(err)
	defer func() { h.must(admin.Close()) }()

	var out bytes.Buffer
	shown := regexp.MustCompile(`client_id +(\S+)\nclient_secret +(\S+)\n`)
	h.must(admin.Add(t.Context(), "merchant:c0000000-0000-4000-8000-000000000001", &out))
	credential := shown.FindStringSubmatch(out.String())
	grant := func(at *node) string {
		t.Helper()
		resp, err := http.PostForm("http://"+at.addr+"/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {credential[1]}, "client_secret": {credential[2]}})
		h.must(err)
		defer func() { _ = resp.Body.Close() }()
		var reply struct {
			Token string `json:"access_token"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || reply.Token == "" {
			t.Fatalf("token at %s: HTTP %d, %v", at.name, resp.StatusCode, err)
		}
		return "Bearer " + reply.Token
	}
	status := func(at *node, token, method, path string) int {
		t.Helper()
		a, err := send(h.client(), at.addr, method, path, []byte("{}"), "Authorization", token)
		h.must(err)
		return a.http
	}
	for what, end := range map[string]func(){
		"suspended": func() { h.must(admin.SetActive(t.Context(), credential[1], false, &out)) },
		"another secret": func() {
			out.Reset()
			h.must(admin.Renew(t.Context(), credential[1], &out))
			credential = shown.FindStringSubmatch(out.String())
		},
	} {
		token := grant(nodes[0])
		for _, n := range nodes {
			if got := status(n, token, "POST", "/terminals"); got != http.StatusCreated {
				t.Fatalf("to begin with, a code at %s: HTTP %d", n.name, got)
			}
		}
		end()
		for _, n := range nodes {
			if got := status(n, token, "POST", "/terminals"); got != http.StatusUnauthorized {
				t.Errorf("%s, and it makes a code at %s: HTTP %d", what, n.name, got)
			}
		}
		for _, n := range nodes {
			eventually(t, what+": the token is refused at "+n.name, func() bool { return status(n, token, "GET", "/aeps/banks") == http.StatusUnauthorized })
		}
		if what == "suspended" {
			h.must(admin.SetActive(t.Context(), credential[1], true, &out))
		}
		fresh := grant(nodes[1])
		for _, n := range nodes {
			if got := status(n, fresh, "GET", "/aeps/banks"); got != http.StatusOK {
				t.Errorf("after %s a new token at %s: HTTP %d", what, n.name, got)
			}
			if got := status(n, token, "GET", "/aeps/banks"); got != http.StatusUnauthorized {
				t.Errorf("after %s the old token at %s: HTTP %d", what, n.name, got)
			}
		}
	}
}
