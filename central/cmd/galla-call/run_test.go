package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"galla/shared/envelope"
	"galla/shared/partner/partnertest"
	"galla/shared/settings"
)

// central plays both entrances: the gateway by the fake, the HTTP API by what
// it needs to answer.
func central(t *testing.T) *httptest.Server {
	t.Helper()
	key, err := envelope.ParseKey(sandboxKey)
	if err != nil {
		t.Fatal(err)
	}
	double, err := partnertest.New(partnertest.Config{
		ClientID: sandboxVendor, Key: key, Rand: rand.Reader,
		Answer: func(method, route string, body []byte) (int, []byte) { return reply("gateway", method, route, body) },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/process/", double)
	mux.HandleFunc("POST /oauth/token", func(w http.ResponseWriter, r *http.Request) {
		if id, word, ok := r.BasicAuth(); !ok || id != sandboxMerchant || word != sandboxSecret || r.FormValue("grant_type") != "client_credentials" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"invalid_client"}`)
			return
		}
		_, _ = io.WriteString(w, `{"access_token":"token-canary","token_type":"Bearer"}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token-canary" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Request-Id", "named-by-the-server")
		w.Header().Set("Server", "not shown")
		status, text := reply("direct", r.Method, r.RequestURI, append(body, r.Header.Get("Idempotency-Key")...))
		w.WriteHeader(status)
		_, _ = w.Write(text)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func reply(entrance, method, route string, body []byte) (int, []byte) {
	switch {
	case strings.HasPrefix(route, "/upi/"):
		return http.StatusForbidden, []byte(`{"statusCode":"01","message":"Access denied"}`)
	case strings.HasPrefix(route, "/text"):
		return http.StatusOK, []byte("no JSON \x1b[31m")
	}
	return http.StatusOK, fmt.Appendf(nil, `{"entrance":%q,"method":%q,"route":%q,"body":%q}`, entrance, method, route, body)
}

type outcome struct {
	status   int
	out, err string
	fail     error
}

func call(t *testing.T, c cli, env map[string]string, stdin string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	status, err := run(context.Background(), c, environment{
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs,
		getenv: func(name string) string { return env[name] }, rand: rand.Reader, now: time.Now,
	})
	return outcome{status, out.String(), errs.String(), err}
}

const id = "bd97163b-32d4-49f5-85e5-f63c15ce68b0"

func TestEntrances(t *testing.T) {
	s := central(t)
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name   string
		c      cli
		env    map[string]string
		stdin  string
		status int
		out    []string
		err    []string
	}{
		{"the gateway in the sandbox", cli{Sandbox: true, Method: "get", Route: "/aeps/banks"}, nil, "", 200,
			[]string{`"entrance": "gateway"`, `"method": "GET"`, `"route": "/aeps/banks"`, `"body": "{}"`}, []string{"GET /aeps/banks as vk_sandbox_sahyadri", "HTTP 200", "X-Request-Id: "}},
		{"a key of the environment, a body of stdin", cli{Client: sandboxVendor, RequestID: id, Method: "POST", Route: "/aeps/balance", Body: "-"}, map[string]string{envKey: sandboxKey + "\n"}, `{"a":1}`, 200,
			[]string{`"body": "{\"a\":1}"`}, []string{"X-Request-Id: " + id}},
		{"a key of a file, a body of a file", cli{Client: sandboxVendor, KeyFile: file("key", sandboxKey+"\n"), Method: "POST", Route: "/aeps/balance", Body: "@" + file("body", `{"b":2}`)}, nil, "", 200,
			[]string{`"body": "{\"b\":2}"`}, nil},
		{"verbose", cli{Sandbox: true, Verbose: true, Method: "POST", Route: "/aeps/balance", Body: `{"c":"` + strings.Repeat("x", 400) + `"}`}, nil, "", 200,
			nil, []string{"the checksum of the request covers:\n  galla-v1\n  POST\n  /process/aeps/balance\n  vk_sandbox_sahyadri\n", "… (", "the checksum of the reply covers:\n  galla-v1-response\n  200\n"}},
		{"a refusal", cli{Sandbox: true, Method: "POST", Route: "/upi/txn/v1/GenerateQR"}, nil, "", 403,
			[]string{`"message": "Access denied"`}, []string{"HTTP 403"}},
		{"direct in the sandbox", cli{Direct: true, Sandbox: true, RequestID: id, Method: "POST", Route: "/aeps/balance", Body: `{"d":4}`}, nil, "", 200,
			[]string{`"entrance": "direct"`, `"body": "{\"d\":4}` + id}, []string{"as merchant-lakshmi", "X-Request-Id: named-by-the-server", id}},
		{"direct GET", cli{Direct: true, Client: sandboxMerchant, Method: "GET", Route: "/aeps/statusCheck?x=1"}, map[string]string{envSecret: sandboxSecret}, "", 200,
			[]string{`"route": "/aeps/statusCheck?x=1"`, `"body": ""`}, nil},
		{"no JSON", cli{Direct: true, Sandbox: true, Method: "GET", Route: "/text"}, nil, "", 200, []string{"no JSON .[31m"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.c.URL = settings.Address(strings.TrimPrefix(s.URL, "http://"))
			o := call(t, tt.c, tt.env, tt.stdin)
			if o.fail != nil || o.status != tt.status {
				t.Fatalf("%d, %v", o.status, o.fail)
			}
			for _, want := range tt.out {
				if !strings.Contains(o.out, want) {
					t.Errorf("stdout has no %q: %s", want, o.out)
				}
			}
			for _, want := range tt.err {
				if !strings.Contains(o.err, want) {
					t.Errorf("stderr has no %q: %s", want, o.err)
				}
			}
			for _, never := range []string{sandboxKey, sandboxSecret, "token-canary", "not shown", "\x1b"} {
				if strings.Contains(o.out+o.err, never) {
					t.Errorf("prints %q: %s%s", never, o.out, o.err)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	s := central(t)
	for _, tt := range []struct {
		name string
		c    cli
		env  map[string]string
		says string
	}{
		{"no client", cli{Method: "GET", Route: "/aeps/banks"}, nil, "--client"},
		{"no key", cli{Client: "vk", Method: "GET", Route: "/aeps/banks"}, nil, "--key-file, or set $GALLA_KEY"},
		{"no key of another in the sandbox", cli{Sandbox: true, Client: "vk", Method: "GET", Route: "/aeps/banks"}, nil, "--key-file"},
		{"no secret", cli{Direct: true, Client: "m", Method: "GET", Route: "/aeps/banks"}, nil, "--secret-file, or set $GALLA_CLIENT_SECRET"},
		{"a key that is none", cli{Client: "vk", Method: "GET", Route: "/aeps/banks"}, map[string]string{envKey: "canary"}, "64 hex"},
		{"a file that is none", cli{Client: "vk", KeyFile: "/nowhere/key", Method: "GET", Route: "/aeps/banks"}, nil, "read --key-file"},
		{"another key", cli{Client: sandboxVendor, Method: "GET", Route: "/aeps/banks"}, map[string]string{envKey: strings.Repeat("ca", 32)}, "not authenticated"},
		{"another secret", cli{Direct: true, Client: sandboxMerchant, Method: "GET", Route: "/aeps/banks"}, map[string]string{envSecret: "canary"}, "invalid_client"},
		{"no JSON", cli{Sandbox: true, Method: "POST", Route: "/aeps/balance", Body: `{"canary"`}, nil, "one JSON object"},
		{"an array", cli{Sandbox: true, Method: "POST", Route: "/aeps/balance", Body: `["canary"]`}, nil, "one JSON object"},
		{"a name twice", cli{Sandbox: true, Method: "POST", Route: "/aeps/balance", Body: `{"a":"canary","a":2}`}, nil, "no name twice"},
		{"the gateway's path", cli{Sandbox: true, Method: "POST", Route: "/process/aeps/balance"}, nil, "direct call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.c.URL = settings.Address(s.URL)
			o := call(t, tt.c, tt.env, "")
			if o.fail == nil || !strings.Contains(o.fail.Error(), tt.says) || o.out != "" {
				t.Errorf("%v, %q", o.fail, o.out)
			}
			if strings.Contains(fmt.Sprint(o.fail, o.err), "canary") || strings.Contains(fmt.Sprint(o.fail), "caca") {
				t.Errorf("quotes what it was given: %v %s", o.fail, o.err)
			}
		})
	}
	s.Close()
	for _, direct := range []bool{true, false} {
		o := call(t, cli{Direct: direct, Sandbox: true, RequestID: id, URL: settings.Address(s.URL + "/"), Method: "POST", Route: "/aeps/balance"}, nil, "")
		if o.fail == nil || strings.Contains(o.fail.Error(), s.URL) {
			t.Errorf("no central: %v", o.fail)
		}
		if !direct && !strings.Contains(o.fail.Error(), "--id "+id) {
			t.Errorf("nothing says how to repeat: %v", o.fail)
		}
	}
}
