package sdk

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/shared/envelope"
	"galla/shared/partner/partnertest"
)

// missing reports whether a language is not installed and may be left out; where it may
// not, the test ends.
func missing(t *testing.T, l Language) bool {
	t.Helper()
	if !l.Missing() {
		return false
	}
	says := l.Wants + ", or set GALLA_WITHOUT_LANGUAGES=1 to leave the missing languages out"
	if os.Getenv("GALLA_WITHOUT_LANGUAGES") == "" {
		t.Fatal(says)
	}
	t.Log(says)
	return true
}

// shared is a folder of all tests, for what is built once.
var shared string

func TestMain(m *testing.M) {
	var err error
	if shared, err = os.MkdirTemp("", "galla-sdk-test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(shared)
	os.Exit(code)
}

// building lets one test build at a time, since they build into one folder.
var building sync.Mutex

// program gives the command of one of a language's examples. What was compiled for another
// one is used again.
func program(t *testing.T, l Language, of func(l Language, folder, temp string) ([]string, error)) []string {
	t.Helper()
	if l.build != nil {
		building.Lock()
		defer building.Unlock()
	}
	temp := filepath.Join(shared, l.Name)
	err := os.MkdirAll(temp, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	command, err := of(l, ".", temp)
	if err != nil {
		t.Fatal(err)
	}
	return command
}

// ran is the result of a run of an example.
type ran struct {
	out, err string
	ok       bool
}

// maxRun bounds one run: starting Java on a busy machine takes seconds.
const maxRun = 60 * time.Second

func run(t *testing.T, program, env []string, stdin string, args ...string) ran {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), maxRun)
	defer stop()
	cmd := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], args...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %s: %v", program[0], err)
	}
	return ran{out.String(), errs.String(), err == nil}
}

func vectorsFile(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "vectors", "gateway.json"))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skipf("the gateway's vectors are not beside the repository (../shared/vectors/gateway.json): %v", err)
	}
	return path
}

// TestExamples runs each language: against the vectors, and through a fake gateway.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, l := range Languages() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			if missing(t, l) {
				t.Skip(l.Wants)
			}
			program := program(t, l, Language.Program)
			t.Run("vectors", func(t *testing.T) { vectors(t, program) })
			t.Run("calls", func(t *testing.T) { calls(t, newFakeGateway(t, nil), program) })
			t.Run("refusals", func(t *testing.T) { refusals(t, program) })
		})
	}
}

// TestUnits runs the tests that each package has in its own language.
func TestUnits(t *testing.T) {
	t.Parallel()
	for _, l := range Languages() {
		if len(l.Units) == 0 {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			if missing(t, l) {
				t.Skip(l.Wants)
			}
			cmd := exec.CommandContext(t.Context(), l.Units[0], l.Units[1:]...)
			cmd.Dir = l.Folder
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v in deploy/sdk/%s: %v\n%s", l.Units, l.Folder, err, out)
			}
		})
	}
}

// vectors runs a program with the vectors, and with vectors with one thing changed,
// which it must find.
func vectors(t *testing.T, program []string) {
	whole := vectorsFile(t)
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []map[string]any `json:"vectors"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d vectors: all right", len(file.Vectors))
	if r := run(t, program, nil, "", "vectors", whole); !r.ok || strings.TrimSpace(r.out) != want {
		t.Errorf("ok %t, %q, %s", r.ok, r.out, r.err)
	}
	last := file.Vectors[len(file.Vectors)-1]
	last["checksum"] = strings.Repeat("0", 64)
	broken, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	brokenFile := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(brokenFile, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, program, nil, "", "vectors", brokenFile); r.ok || !strings.Contains(r.err, fmt.Sprint(last["name"])) {
		t.Errorf("a wrong checksum: ok %t, %q, %s", r.ok, r.out, r.err)
	}
}

const (
	clientID = "vk_sandbox_sahyadri"
	keyText  = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
)

// fakeGateway is a fake gateway behind a server, whose replies can be spoiled.
type fakeGateway struct {
	*httptest.Server
	double *partnertest.Gateway
	runs   int
}

func newFakeGateway(t *testing.T, spoil func(http.Header, *bytes.Buffer)) *fakeGateway {
	t.Helper()
	key, err := envelope.ParseKey(keyText)
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeGateway{}
	d.double, err = partnertest.New(partnertest.Config{
		ClientID: clientID, Key: key, Rand: rand.Reader,
		Answer: func(method, route string, body []byte) (int, []byte) {
			d.runs++
			if strings.HasPrefix(route, "/upi/") {
				return http.StatusForbidden, []byte(`{"statusCode":"01","message":"Access denied"}`)
			}
			return http.StatusOK, fmt.Appendf(nil, `{"statusCode":"00","message":"आदाब %d","data":{"method":%q,"route":%q,"body":%s}}`, d.runs, method, route, body)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if spoil == nil {
			d.double.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		d.double.ServeHTTP(rec, r)
		spoil(rec.Header(), rec.Body)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		_, _ = io.Copy(w, rec.Body)
	}))
	t.Cleanup(d.Close)
	return d
}

func (d *fakeGateway) env(more ...string) []string {
	return append([]string{"GALLA_GATEWAY=" + d.URL, "GALLA_CLIENT_ID=" + clientID, "GALLA_KEY=" + keyText}, more...)
}

// calls are answered as the direct routes would, and a repeat by the stored
// reply.
func calls(t *testing.T, d *fakeGateway, program []string) {
	body := `{"merchantId":"c0000000-0000-4000-8000-000000000001","name":"आशा \"देवी\"", "city":"पुणे/पूना"}`
	id := "GALLA_REQUEST_ID=bd97163b-32d4-49f5-85e5-f63c15ce68b0"
	for _, c := range []struct {
		method, route, stdin string
		env, args            []string
		want                 string
	}{
		{"GET", "/aeps/banks", "", nil, nil, `HTTP 200` + "\n" + `{"statusCode":"00","message":"आदाब 1","data":{"method":"GET","route":"/aeps/banks","body":{}}}`},
		{"POST", "/dmt/customer/onboarding?x=1&y=%20z", body + "\n", []string{id}, nil, `HTTP 200` + "\n" + `{"statusCode":"00","message":"आदाब 2","data":{"method":"POST","route":"/dmt/customer/onboarding?x=1&y=%20z","body":` + body + `}}`},
		{"POST", "/dmt/customer/onboarding?x=1&y=%20z", "", []string{id}, []string{body}, `HTTP 200` + "\n" + `{"statusCode":"00","message":"आदाब 2","data":{"method":"POST","route":"/dmt/customer/onboarding?x=1&y=%20z","body":` + body + `}}`},
		{"PUT", "/vendor-commission/v/commission/s", `{"commissionRate":2}`, nil, nil, `HTTP 200` + "\n" + `{"statusCode":"00","message":"आदाब 3","data":{"method":"PUT","route":"/vendor-commission/v/commission/s","body":{"commissionRate":2}}}`},
		{"DELETE", "/vendor-commission/v/commission/s", "", nil, nil, `HTTP 200` + "\n" + `{"statusCode":"00","message":"आदाब 4","data":{"method":"DELETE","route":"/vendor-commission/v/commission/s","body":{}}}`},
		{"POST", "/upi/txn/v1/GenerateQR", "{}", nil, nil, `HTTP 403` + "\n" + `{"statusCode":"01","message":"Access denied"}`},
	} {
		r := run(t, program, d.env(c.env...), c.stdin, append([]string{"call", c.method, c.route}, c.args...)...)
		if !r.ok || strings.TrimSpace(r.out) != c.want {
			t.Errorf("%s %s: ok %t\n got %s\nwant %s\n%s (the double says %v)", c.method, c.route, r.ok, r.out, c.want, r.err, d.double.Refused())
		}
	}
}

// refusals: a wrong key is distinguished from a false reply, and neither prints a key.
func refusals(t *testing.T, program []string) {
	const wrongKey = "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="
	flip := func(h http.Header, name string) {
		v := []byte(h.Get(name))
		v[0] ^= 1 // 0 and 1, a and `: another checksum, a time of another digit
		h.Set(name, string(v))
	}
	for _, c := range []struct {
		name  string
		env   string
		spoil func(http.Header, *bytes.Buffer)
		says  string
	}{
		{"another key", "GALLA_KEY=" + wrongKey, nil, "not authenticated"},
		{"no key", "GALLA_KEY=" + wrongKey[1:], nil, "64 hex or 44 base64"},
		{"another checksum", "", func(h http.Header, _ *bytes.Buffer) { flip(h, "X-Checksum") }, "checksum"},
		{"another payload", "", func(_ http.Header, b *bytes.Buffer) { b.Reset(); b.WriteString(`{"payload":"AAAA"}`) }, "checksum"},
		{"a plain reply", "", func(h http.Header, b *bytes.Buffer) {
			for name := range h {
				h.Del(name)
			}
			b.Reset()
			b.WriteString(`{"statusCode":"00"}`)
		}, "something else answered"},
	} {
		d := newFakeGateway(t, c.spoil)
		r := run(t, program, d.env(c.env), "", "call", "GET", "/aeps/banks")
		if r.ok || !strings.Contains(r.err, c.says) || r.out != "" {
			t.Errorf("%s: ok %t, %q, %s", c.name, r.ok, r.out, r.err)
		}
		if all := r.out + r.err; strings.Contains(all, keyText) || strings.Contains(all, wrongKey[1:]) {
			t.Errorf("%s: a key is printed: %s", c.name, all)
		}
		if c.name != "no key" && !strings.Contains(r.err, "GALLA_REQUEST_ID=") {
			t.Errorf("%s: nothing says how to repeat the call: %s", c.name, r.err)
		}
	}
}
