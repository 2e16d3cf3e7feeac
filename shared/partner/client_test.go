package partner

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"galla/shared/envelope"
	"galla/shared/partner/partnertest"
	"galla/shared/secret"
)

const clientID = "vk_sandbox_sahyadri"

func key(t testing.TB, text string) secret.Key {
	t.Helper()
	k, err := envelope.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func rightKey(t testing.TB) secret.Key { return key(t, strings.Repeat("a5", 32)) }

// spoil answers in place of the double.
type spoil func(w http.ResponseWriter, r *http.Request, real http.Handler)

func (h *system) spoil(s spoil) {
	if s == nil {
		h.spoiler.Store(nil)
		return
	}
	h.spoiler.Store(&s)
}

// system is a double behind a server, with a hand on what passes between.
type system struct {
	*testing.T
	gateway *partnertest.Gateway
	server  *httptest.Server
	client  *Client
	runs    atomic.Int32
	spoiler atomic.Pointer[spoil] // nil: nothing
	texts   []string
}

func newSystem(t *testing.T, change func(*Config)) *system {
	h := &system{T: t}
	double, err := partnertest.New(partnertest.Config{
		ClientID: clientID, Key: rightKey(t), Rand: rand.Reader,
		Answer: func(method, route string, body []byte) (int, []byte) {
			n := h.runs.Add(1)
			return http.StatusOK, fmt.Appendf(nil, `{"statusCode":"00","message":"run %d","data":{"method":%q,"route":%q,"body":%s}}`, n, method, route, body)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.gateway = double
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s := h.spoiler.Load(); s != nil {
			(*s)(w, r, double)
			return
		}
		double.ServeHTTP(w, r)
	}))
	t.Cleanup(h.server.Close)
	cfg := Config{
		BaseURL: h.server.URL, ClientID: clientID, Key: rightKey(t), Rand: rand.Reader,
		HTTPClient: h.server.Client(),
		Trace:      func(direction, text string) { h.texts = append(h.texts, direction+"\n"+text) },
	}
	if change != nil {
		change(&cfg)
	}
	if h.client, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestCall(t *testing.T) {
	for _, tt := range []struct {
		method, route string
		body          any
		want          string
	}{
		{"GET", "/aeps/banks", nil, `{}`},
		{"GET", "/dmt/customer/statusCheck?x=1&y=%20z", map[string]string{"referenceid": "R1"}, `{"referenceid":"R1"}`},
		{"POST", "/aeps/balance", `{"TxnAmount":0,"CustomerName":"आशा"}`, `{"TxnAmount":0,"CustomerName":"आशा"}`},
		{"POST", "/aeps/balance", []byte(`{"a" : 1}`), `{"a" : 1}`},
	} {
		h := newSystem(t, nil)
		reply, err := h.client.Call(context.Background(), tt.method, tt.route, tt.body)
		if err != nil {
			t.Fatalf("%v (the double says %v)", err, h.gateway.Refused())
		}
		var got struct {
			Data struct {
				Method, Route string
				Body          json.RawMessage
			}
		}
		if err := reply.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if reply.Status != 200 || reply.Code != "00" || reply.Message != "run 1" || got.Data.Method != tt.method || got.Data.Route != tt.route || string(got.Data.Body) != tt.want {
			t.Errorf("%s %s: %+v, %+v", tt.method, tt.route, reply, got)
		}
		if len(h.texts) != 2 || !strings.HasPrefix(h.texts[0], "request\ngalla-v1\n"+tt.method+"\n/process"+tt.route+"\n"+clientID+"\n") ||
			!strings.HasPrefix(h.texts[1], "reply\ngalla-v1-response\n200\n"+reply.Call.ID+"\n") {
			t.Errorf("watched %q", h.texts)
		}
	}
}

// TestRetryRunsOnce: the same call again, from a kept copy, gives the stored
// reply; the same identity with another body is a conflict, and a reply.
func TestRetryRunsOnce(t *testing.T) {
	h := newSystem(t, nil)
	ctx := context.Background()
	call, err := h.client.Prepare("POST", "/aeps/withdrawal", `{"TxnAmount":500}`)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	first, err := h.client.Send(ctx, call)
	if err != nil {
		t.Fatal(err)
	}
	var again Call
	if err := json.Unmarshal(kept, &again); err != nil {
		t.Fatal(err)
	}
	second, err := h.client.Send(ctx, again)
	if err != nil || !bytes.Equal(first.Body, second.Body) || h.runs.Load() != 1 {
		t.Errorf("%s, then %s, %v; ran %d times", first.Body, second.Body, err, h.runs.Load())
	}
	if h.texts[0] == h.texts[2] {
		t.Error("the retry is the same message, which is a replay")
	}
	other, err := h.client.Call(ctx, "POST", "/aeps/withdrawal", `{"TxnAmount":501}`, WithRequestID(call.ID))
	if err != nil || other.Status != http.StatusConflict || h.runs.Load() != 1 {
		t.Errorf("%+v, %v; ran %d times", other, err, h.runs.Load())
	}
}

// record plays the real gateway and gives its reply for changing.
func record(r *http.Request, real http.Handler) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	real.ServeHTTP(rec, r)
	return rec
}

func replay(w http.ResponseWriter, rec *httptest.ResponseRecorder) {
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// TestFalseReplies: whatever somebody on the line makes of a reply, it is no
// Reply.
func TestFalseReplies(t *testing.T) {
	var earlier *httptest.ResponseRecorder
	for _, tt := range []struct {
		name  string
		spoil func(w http.ResponseWriter, r *http.Request, real http.Handler)
		kind  Kind
		says  string
	}{
		{"a proxy's page", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "<h1>Bad gateway</h1>", http.StatusBadGateway)
		}, NotGenuine, "HTTP 502 without"},
		{"a plain success", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			_, _ = io.WriteString(w, `{"statusCode":"00"}`)
		}, NotGenuine, "HTTP 200 without"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, NotGenuine, "HTTP 307 without"},
		{"another status", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			rec := record(r, real)
			rec.Code = 202
			replay(w, rec)
		}, NotGenuine, "checksum"},
		{"another payload", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			rec := record(r, real)
			rec.Body = bytes.NewBufferString(`{"payload":"AAAA"}`)
			replay(w, rec)
		}, NotGenuine, "checksum"},
		{"no body", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			rec := record(r, real)
			rec.Body = new(bytes.Buffer)
			replay(w, rec)
		}, NotGenuine, "payload"},
		{"a header twice", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			rec := record(r, real)
			rec.Header().Add("X-Iv", rec.Header().Get("X-Iv"))
			replay(w, rec)
		}, NotGenuine, "X-IV stands 2 times"},
		{"no tag", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			rec := record(r, real)
			rec.Header().Del("X-Tag")
			replay(w, rec)
		}, NotGenuine, "X-Tag stands 0 times"},
		{"the reply to another call", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			if earlier == nil {
				earlier = record(r, real)
			}
			replay(w, earlier)
		}, NotGenuine, "another call"},
		{"half a reply", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"payl`)
			panic(http.ErrAbortHandler)
		}, NoReply, "safe"},
		{"no reply", func(http.ResponseWriter, *http.Request, http.Handler) {
			panic(http.ErrAbortHandler)
		}, NoReply, "safe"},
		{"an endless reply", func(w http.ResponseWriter, r *http.Request, real http.Handler) {
			for range maxReply/1024 + 1 {
				_, _ = w.Write(make([]byte, 1024))
			}
		}, NoReply, "more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newSystem(t, nil)
			if tt.says == "another call" {
				h.spoil(tt.spoil)
				if _, err := h.client.Call(context.Background(), "GET", "/aeps/banks", nil); err != nil {
					t.Fatal(err)
				}
			}
			h.spoil(tt.spoil)
			reply, err := h.client.Call(context.Background(), "GET", "/aeps/banks", nil)
			var e *Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.says) || !SafeToRetry(err) || reply.Status != 0 {
				t.Fatalf("%+v, %v", reply, err)
			}
			h.spoil(nil)
			if reply, err := h.client.Send(context.Background(), e.Call); err != nil || reply.Code != "00" {
				t.Errorf("the retry gives %+v, %v", reply, err)
			}
		})
	}
}

func TestNotAuthenticated(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name   string
		change func(*Config)
		says   string // by the error
		inside string // by the double
	}{
		{"another key", func(c *Config) { c.Key = key(t, strings.Repeat("5a", 32)) }, "look at the client id, the key", "X-Checksum"},
		{"another client", func(c *Config) { c.ClientID = "vk_other" }, "look at the client id, the key", "X-Client-Id"},
		{"a clock that is late", func(c *Config) { c.Now = func() time.Time { return now.Add(-301 * time.Second) } }, "clock is 5m", "X-Timestamp"},
		{"a clock that is early", func(c *Config) { c.Now = func() time.Time { return now.Add(time.Hour) } }, "clock is 1h0m", "X-Timestamp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newSystem(t, tt.change)
			_, err := h.client.Call(context.Background(), "GET", "/aeps/banks", nil)
			var e *Error
			if !errors.As(err, &e) || e.Kind != NotAuthenticated || e.Status != 401 || !strings.Contains(err.Error(), tt.says) || SafeToRetry(err) {
				t.Errorf("%v", err)
			}
			if inside := fmt.Sprint(h.gateway.Refused()); !strings.Contains(inside, tt.inside) {
				t.Errorf("the double says %s", inside)
			}
		})
	}
}

// TestStaleReply: a reply of an hour ago is none, though its checksum is right.
func TestStaleReply(t *testing.T) {
	h := newSystem(t, nil)
	ctx := context.Background()
	h.spoil(func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		rec := record(r, real)
		h.client.now = func() time.Time { return time.Now().Add(time.Hour) }
		replay(w, rec)
	})
	if _, err := h.client.Call(ctx, "GET", "/aeps/banks", nil); err == nil || !strings.Contains(err.Error(), "from this machine's clock") || !SafeToRetry(err) {
		t.Errorf("%v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	h := newSystem(t, nil)
	const canary = "canary-secret"
	for _, tt := range []struct {
		name, route string
		body        any
	}{
		{"no path", "aeps/banks", nil},
		{"the gateway's path", "/process/aeps/banks", nil},
		{"an array", "/aeps/banks", `["canary-secret"]`},
		{"no JSON", "/aeps/banks", `{"canary-secret"`},
		{"nothing", "/aeps/banks", ""},
		{"two objects", "/aeps/banks", `{"a":"canary-secret"}{}`},
		{"a channel", "/aeps/banks", make(chan int)},
		{"a number", "/aeps/banks", 4},
	} {
		_, err := h.client.Call(context.Background(), "GET", tt.route, tt.body)
		var e *Error
		if !errors.As(err, &e) || e.Kind != NotSent || SafeToRetry(err) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for name, route := range map[string]string{"a space": "/aeps/banks?a= b", "beyond ASCII": "/aeps/bänks", "a fragment": "/aeps/banks#a"} {
		if _, err := h.client.Call(context.Background(), "GET", route, nil); err == nil || h.runs.Load() != 0 {
			t.Errorf("%s is sent", name)
		}
	}
	if _, err := h.client.Call(context.Background(), "GET", "/aeps/banks", nil, WithRequestID("42")); err == nil {
		t.Error("an identity that is no UUID is sent")
	}
	if _, err := h.client.Call(context.Background(), "POST", "/aeps/balance", map[string]string{"PidData": strings.Repeat("x", envelope.MaxPlain)}); err == nil || !strings.Contains(err.Error(), "takes 1048576") {
		t.Errorf("a body beyond the limit: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no address":       func(c *Config) { c.BaseURL = "" },
		"no scheme":        func(c *Config) { c.BaseURL = "gateway.example" },
		"a path":           func(c *Config) { c.BaseURL = "https://gateway.example/process" },
		"a query":          func(c *Config) { c.BaseURL = "https://gateway.example?a=1" },
		"a password":       func(c *Config) { c.BaseURL = "https://u:p@gateway.example" },
		"no client":        func(c *Config) { c.ClientID = "" },
		"no key":           func(c *Config) { c.Key = secret.Key{} },
		"no randomness":    func(c *Config) { c.Rand = nil },
		"nothing is wrong": func(c *Config) { c.BaseURL = "https://gateway.example/" },
	} {
		cfg := Config{BaseURL: "https://gateway.example", ClientID: clientID, Key: rightKey(t), Rand: rand.Reader}
		change(&cfg)
		if _, err := New(cfg); (err == nil) != (name == "nothing is wrong") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBrokenKeptConnection: net/http itself repeats a GET when a kept
// connection breaks; the repeat would be a replay. The second request of each
// connection is read, and dropped.
func TestBrokenKeptConnection(t *testing.T) {
	h := newSystem(t, nil)
	var lock sync.Mutex
	seen, on := 0, map[string]int{} // on: by connection
	h.spoil(func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		lock.Lock()
		seen++
		on[r.RemoteAddr]++
		drop := on[r.RemoteAddr] == 2
		lock.Unlock()
		if drop {
			panic(http.ErrAbortHandler)
		}
		real.ServeHTTP(w, r)
	})
	if _, err := h.client.Call(context.Background(), "GET", "/aeps/banks", nil); err != nil {
		t.Fatal(err)
	}
	_, err := h.client.Call(context.Background(), "GET", "/aeps/banks", nil)
	var e *Error
	lock.Lock()
	defer lock.Unlock()
	if !errors.As(err, &e) || e.Kind != NoReply || seen != 2 {
		t.Errorf("%v; the gateway saw %d messages", err, seen)
	}
}

func TestErrorsNameNoURL(t *testing.T) {
	h := newSystem(t, nil)
	h.server.Close()
	_, err := h.client.Call(context.Background(), "GET", "/aeps/banks?secret=1", nil)
	if err == nil || strings.Contains(err.Error(), h.server.URL) || !SafeToRetry(err) {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := h.client.Call(ctx, "GET", "/aeps/banks", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "3": 3 * time.Second, "-1": 0, "x": 0, "999999999": maxRetryAfter} {
		if got := retryAfter(http.Header{"Retry-After": {text}}); got != want {
			t.Errorf("%q gives %s", text, got)
		}
	}
}

// TestNothingPrintsBodies: a call and a reply hold what customers gave.
func TestNothingPrintsBodies(t *testing.T) {
	h := newSystem(t, nil)
	reply, err := h.client.Call(context.Background(), "POST", "/aeps/balance", `{"AadharNo":"canary"}`)
	if err != nil {
		t.Fatal(err)
	}
	e := &Error{Call: reply.Call, Kind: NoReply, Err: io.EOF}
	var log bytes.Buffer
	for _, v := range []any{reply, &reply, reply.Call, &reply.Call, e, []Reply{reply}} {
		if _, many := v.([]Reply); !many { // their JSON is for keeping
			slog.New(slog.NewJSONHandler(&log, nil)).Info("call", "it", v)
		}
		slog.New(slog.NewTextHandler(&log, nil)).Info("call", "it", v)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			fmt.Fprintf(&log, verb+"\n", v)
		}
	}
	if text := log.String(); strings.Contains(text, "canary") || strings.Contains(text, "63616e617279") || strings.Contains(text, "99 97 110 97") {
		t.Errorf("prints a body: %s", text)
	}
}
