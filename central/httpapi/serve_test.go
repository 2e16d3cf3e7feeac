package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"galla/central"
	"galla/central/ratelimit"
	"galla/shared/op"
)

func TestCall(t *testing.T) {
	h := startServer(t, nil)
	bearer := h.merchantToken(t)
	a := expect(t, h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer, "Idempotency-Key", "key-1", "X-Request-Id", "from the caller"), 200, "00")
	id, err := uuid.Parse(a.header.Get("X-Request-Id"))
	if err != nil || id.Version() != 7 {
		t.Errorf("X-Request-Id is %q", a.header.Get("X-Request-Id"))
	}
	if s := h.executor.last; s.Caller != "merchant:"+string(m1) || s.Identity != "key-1" || s.Request.Amount != 50000 {
		t.Errorf("submission is %+v", s)
	}
	if a.header.Get("Idempotent-Replayed") != "" {
		t.Error("the first call is called a replay")
	}
	again := expect(t, h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", strings.Replace(bearer, "Bearer", "bearer", 1), "Idempotency-Key", "key-1", "X-Request-Id", "req-17"), 200, "00")
	if again.header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(a.body, again.body) || h.executor.count != 1 {
		t.Errorf("a repeat: %v %s", again.header, again.body)
	}
	if again.header.Get("X-Request-Id") != "req-17" {
		t.Errorf("X-Request-Id is %q", again.header.Get("X-Request-Id"))
	}
	expect(t, h.do(t, "POST", "/aeps/withdrawal", strings.Replace(money, "500", "501", 1), "Authorization", bearer, "Idempotency-Key", "key-1"), 409, "09")
	if log := h.log.String(); strings.Contains(log, bearer[10:40]) || strings.Contains(log, "999941057058") || strings.Contains(log, "c2tleQ") {
		t.Errorf("the log holds a secret: %s", log)
	}
}

// TestEveryRouteOfTheTable: each direct route is served, asks for a token
// unless it authenticates by itself, and answers other methods with 405.
func TestEveryRouteOfTheTable(t *testing.T) {
	h := startServer(t, nil)
	merchant := h.merchantToken(t)
	other := h.token(t, "agg-galla", clientSecret)
	for _, route := range op.Table() {
		if route.Entrances&op.Direct == 0 {
			continue
		}
		path := strings.Replace(route.Path, ":id", "0190a000-0000-7000-8000-000000000001", 1)
		if len(route.Roles) > 0 {
			a := expect(t, h.do(t, route.Method, path, ""), 401, "03")
			if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("%s: WWW-Authenticate is %q", route.ID, a.header.Get("WWW-Authenticate"))
			}
			if !route.Allows(op.Aggregator) {
				expect(t, h.do(t, route.Method, path, "", "Authorization", other), 403, "01")
			}
		}
		a := h.do(t, route.Method, path, "", "Authorization", merchant)
		if a.status == 405 || a.status == 500 || a.text("message") == "No such route" {
			t.Errorf("%s: HTTP %d %s", route.ID, a.status, a.body)
		}
		a = expect(t, h.do(t, "PATCH", path, "{}", "Authorization", merchant), 405, "04")
		if !strings.Contains(a.header.Get("Allow"), route.Method) {
			t.Errorf("%s: Allow is %q", route.ID, a.header.Get("Allow"))
		}
	}
}

func TestWhatIsNoRoute(t *testing.T) {
	h := startServer(t, nil)
	bearer := h.merchantToken(t)
	for _, path := range []string{
		"/", "/aeps", "/aeps/process", "/dmt/process", "/aeps/deposit", "/AEPS/withdrawal", "/aeps/Withdrawal", "/aeps/withdrawal/", "//aeps/withdrawal",
		"/aeps//withdrawal", "/aeps/./withdrawal", "/aeps/x/../withdrawal", "/aeps%2fwithdrawal", "/aeps/withdrawa%6c", "/process/aeps/withdrawal", "/oauth/token/", "/metrics",
	} {
		if a := expect(t, h.do(t, "POST", path, money, "Authorization", bearer), 404, "04"); bytes.Contains(a.body, []byte("aeps")) {
			t.Errorf("the path is echoed: %s", a.body)
		}
	}
	if h.executor.count != 0 {
		t.Error("the executor was called")
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PUT"} {
		if method == "CONNECT" {
			continue // the client of the standard library does not send it to a path
		}
		if a := h.do(t, method, "/aeps/withdrawal", ""); a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("%s: HTTP %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
	}
	expect(t, h.do(t, "BREW", "/aeps/withdrawal", ""), 405, "04")
	expect(t, h.do(t, "BREW", "/coffee", ""), 404, "04")
}

func TestParams(t *testing.T) {
	var got []string
	h := startServer(t, func(_ *Config, d *central.Handler) {
		*d = watch{*d, func(c central.Request) { got = append(got, c.Params["id"]) }}
	})
	bearer := h.merchantToken(t)
	for _, path := range []string{"/operations/order-17", "/operations/order%2017", "/operations/%E0%A4%85", "/operations/a+b"} {
		expect(t, h.do(t, "GET", path, "", "Authorization", bearer), 404, "04")
	}
	if want := []string{"order-17", "order 17", "अ", "a+b"}; !slices.Equal(got, want) {
		t.Errorf("ids are %q, want %q", got, want)
	}
	got = nil
	for _, path := range []string{"/operations/a%2fb", "/operations/%ff", "/operations/"} {
		expect(t, h.do(t, "GET", path, "", "Authorization", bearer), 404, "04")
	}
	for _, a := range h.rawRequest(t, request("GET /operations/%zz HTTP/1.1", []string{"Authorization: " + bearer}, "")) {
		if a.status != 404 && a.status != 400 {
			t.Errorf("HTTP %d %s", a.status, a.body)
		}
	}
	if got != nil {
		t.Errorf("handled for %q", got)
	}
}

// watch is a handler that reports each request.
type watch struct {
	central.Handler
	tell func(central.Request)
}

func (w watch) Handle(ctx context.Context, c central.Request) central.Reply {
	w.tell(c)
	return w.Handler.Handle(ctx, c)
}

func TestQuery(t *testing.T) {
	h := startServer(t, nil)
	vendor := h.token(t, "vendor-sahyadri", "p:ä +%")
	expect(t, h.do(t, "GET", "/terminals?merchantId="+string(m1), "", "Authorization", vendor), 200, "00")
	expect(t, h.do(t, "GET", "/terminals", fmt.Sprintf(`{"merchantId":%q}`, m1), "Authorization", vendor), 200, "00")
	expect(t, h.do(t, "GET", "/terminals", "", "Authorization", vendor), 404, "01")
	expect(t, h.do(t, "GET", "/terminals?merchantId="+string(m1)+"&merchantId="+string(m1), "", "Authorization", vendor), 400, "02")
	expect(t, h.do(t, "GET", "/terminals?merchantId=%ff", "", "Authorization", vendor), 400, "02")
}

func TestAuthorization(t *testing.T) {
	h := startServer(t, nil)
	bearer := h.merchantToken(t)
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer x", bearer + "x", "Basic " + bearer[7:], strings.Replace(bearer, " ", "  ", 1), bearer[7:]} {
		a := expect(t, h.do(t, "GET", "/aeps/banks", "", "Authorization", header), 401, "03")
		if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), `Bearer realm="galla"`) {
			t.Errorf("%q: WWW-Authenticate is %q", header, a.header.Get("WWW-Authenticate"))
		}
	}
	// Spaces at the end of a header's value are not part of it.
	for _, a := range h.rawRequest(t, request("GET /aeps/banks HTTP/1.1", []string{"Authorization: " + bearer + " \t"}, "")) {
		if a.status != 200 {
			t.Errorf("HTTP %d %s", a.status, a.body)
		}
	}
}

func TestHeadersThatCountOnce(t *testing.T) {
	h := startServer(t, nil)
	bearer := h.merchantToken(t)
	for _, tt := range []struct {
		headers []string
		fields  []string
	}{
		{[]string{"Authorization", bearer, "Authorization", bearer}, []string{"Authorization once"}},
		{[]string{"Authorization", bearer, "Idempotency-Key", "a", "Idempotency-Key", "a", "X-Request-Id", "r", "X-Request-Id", "r"}, []string{"Idempotency-Key once", "X-Request-Id once"}},
		{[]string{"Authorization", bearer, "Idempotency-Key", ""}, []string{"Idempotency-Key reference"}},
		{[]string{"Authorization", bearer, "Idempotency-Key", "a, b"}, []string{"Idempotency-Key reference"}},
		{[]string{"Authorization", bearer, "Content-Encoding", "gzip"}, []string{"Content-Encoding absent"}},
		{[]string{"Authorization", bearer, "Content-Encoding", "identity"}, []string{"Content-Encoding absent"}},
	} {
		a := expect(t, h.do(t, "POST", "/aeps/withdrawal", money, tt.headers...), 400, "02")
		var out struct {
			Data struct{ Errors []central.FieldError }
		}
		if err := json.Unmarshal(a.body, &out); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range out.Data.Errors {
			got = append(got, e.Field+" "+e.Rule)
		}
		if !slices.Equal(got, tt.fields) {
			t.Errorf("%v: errors are %v, want %v", tt.headers[2:], got, tt.fields)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, money)
	_ = z.Close()
	expect(t, h.do(t, "POST", "/aeps/withdrawal", packed.String(), "Authorization", bearer, "Content-Encoding", "gzip"), 400, "02")
	if h.executor.count != 0 {
		t.Error("the executor was called")
	}
}

func TestBodyLimit(t *testing.T) {
	h := startServer(t, nil)
	bearer := h.merchantToken(t)
	padded := func(size int) string { return money + strings.Repeat(" ", size-len(money)) }
	expect(t, h.do(t, "POST", "/aeps/withdrawal", padded(maxBody), "Authorization", bearer), 200, "00")
	for range 5 { // the reply must survive that the peer is still sending
		expect(t, h.do(t, "POST", "/aeps/withdrawal", padded(maxBody+1), "Authorization", bearer), 413, "06")
		expect(t, h.do(t, "POST", "/aeps/withdrawal", padded(8<<20), "Authorization", bearer), 413, "06")
	}
	expect(t, h.do(t, "POST", "/aeps/withdrawal", padded(maxBody+1), "Authorization", bearer, "Expect", "100-continue"), 413, "06")
	expect(t, h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer, "Expect", "100-continue"), 200, "00")
	req, err := http.NewRequest("POST", "http://"+h.addr+"/aeps/withdrawal", io.MultiReader(strings.NewReader(money), strings.NewReader(strings.Repeat(" ", 2<<20))))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", bearer) // of unknown length: sent in chunks
	res, err := h.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	expect(t, checked(t, res, text), 413, "06")
	if h.executor.count != 2 {
		t.Errorf("%d operations", h.executor.count)
	}
}

func TestLongHeaders(t *testing.T) {
	h := startServer(t, nil)
	a := expect(t, h.do(t, "GET", "/aeps/banks", "", "X-Long", strings.Repeat("x", readBuffer)), 400, "02")
	if !bytes.Contains(a.body, []byte("headers")) {
		t.Errorf("reply is %s", a.body)
	}
	expect(t, h.do(t, "GET", "/"+strings.Repeat("x", readBuffer), ""), 400, "02")
}

func TestRatePerPrincipal(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.Rate, c.Burst = 0.001, 3 })
	vendor := h.token(t, "vendor-sahyadri", "p:ä +%")
	bearer := h.merchantToken(t)
	for range 3 {
		expect(t, h.do(t, "GET", "/aeps/banks", "", "Authorization", bearer), 200, "00")
	}
	// Whoever claims to call for somebody else is still the same principal.
	a := expect(t, h.do(t, "GET", "/aeps/banks", "", "Authorization", bearer, "X-Forwarded-For", "203.0.113.9"), 429, "07")
	if a.header.Get("Retry-After") == "" || a.header.Get("Retry-After") == "0" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	expect(t, h.do(t, "GET", "/aeps/banks", "", "Authorization", vendor), 200, "00")
	// Routes without authentication count by network, and trust no header.
	enrol := func(from string) answer {
		return h.do(t, "POST", "/terminals/enrol", "{}", "X-Forwarded-For", from, "Forwarded", "for="+from)
	}
	expect(t, enrol("203.0.113.1"), 400, "02")
	expect(t, enrol("203.0.113.2"), 429, "07")
}

// TestRatesHoldOverAllNodes: a caller, and a network, get at two nodes what they
// would at one, and what each of them gives out by itself.
func TestRatesHoldOverAllNodes(t *testing.T) {
	shared := rates()
	share := func(c *Config, _ *central.Handler) { c.Rates, c.Rate, c.Burst = shared, 0.01, 100 }
	nodes := []*system{startServer(t, share), startServer(t, share)}
	tokens := []string{nodes[0].merchantToken(t), nodes[1].merchantToken(t)} // two calls of the network
	for _, c := range []struct {
		what string
		call func(n int) answer
		most int
	}{
		{"caller", func(n int) answer { return nodes[n].do(t, "GET", "/aeps/banks", "", "Authorization", tokens[n]) }, 104},
		{"network", func(n int) answer { return nodes[n].do(t, "POST", "/terminals/enrol", "{}") }, 102},
	} {
		taken := 0
		for n := range 200 {
			switch a := c.call(n % 2); a.status {
			case 429:
				if a.header.Get("Retry-After") == "" {
					t.Errorf("%s: no word when to come back: %s", c.what, a.body)
				}
			case 500:
				t.Fatalf("%s: %s", c.what, a.body)
			default:
				taken++
			}
		}
		if taken < 100 || taken > c.most {
			t.Errorf("%s: %d calls were taken, want 100 to %d", c.what, taken, c.most)
		}
	}
}

// TestRatesWithoutTheirDatabase: each node then goes by its own count.
func TestRatesWithoutTheirDatabase(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.Rates, c.Rate, c.Burst = deaf{c.Rates}, 0.01, 10 })
	bearer := h.merchantToken(t)
	for n := range 20 {
		want := 200
		if n >= 10 {
			want = 429
		}
		if a := h.do(t, "GET", "/aeps/banks", "", "Authorization", bearer); a.status != want {
			t.Errorf("call %d: %d, want %d", n+1, a.status, want)
		}
	}
}

// deaf gives nothing out.
type deaf struct{ ratelimit.Buckets }

func (deaf) TakeRateTokens(context.Context, string, ratelimit.Rate, int, time.Time) (int, time.Duration, error) {
	return 0, 0, errors.New("the database is gone")
}

// TestSharedRefusalTakesNoLocalToken: what all nodes together refuse was not made,
// and this node's own count stays whole for when the shared one can't be asked.
func TestSharedRefusalTakesNoLocalToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(Config{Rates: empty{}, Rate: 1, Burst: 10}, callerPrefix)
		for range 30 {
			if err := l.allow(t.Context(), "x"); central.AsError(err).RetryAfter != 7*time.Second {
				t.Fatalf("refused with %v, want the shared count's seven seconds", err)
			}
		}
		for n := range 10 {
			if wait := l.local.Take("x"); wait > 0 {
				t.Fatalf("%d calls are left on this node, want 10", n)
			}
		}
	})
}

// empty has nothing left to give out for seven seconds.
type empty struct{ ratelimit.Buckets }

func (empty) TakeRateTokens(context.Context, string, ratelimit.Rate, int, time.Time) (int, time.Duration, error) {
	return 0, 7 * time.Second, nil
}

func TestCallsUnderWayAreBounded(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.MaxUnderWay = 1 })
	h.executor.hold = make(chan struct{})
	bearer := h.merchantToken(t)
	first := make(chan answer)
	go func() { first <- h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer) }()
	<-h.executor.began
	a := expect(t, h.do(t, "GET", "/aeps/banks", "", "Authorization", bearer), 429, "07")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	close(h.executor.hold)
	expect(t, <-first, 200, "00")
}

func TestSlowCallIsAnsweredAsPending(t *testing.T) {
	h := startServer(t, func(c *Config, _ *central.Handler) { c.CallTimeout = 500 * time.Millisecond })
	h.executor.hold = make(chan struct{})
	bearer := h.merchantToken(t)
	a := expect(t, h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer), 200, "00")
	if a.text("txnStatus") != "PENDING" || a.text("reference") != "GL1" || a.fields["data"] != nil {
		t.Errorf("reply is %s", a.body)
	}
}

// faulty is a handler that fails in a given way.
type faulty struct {
	central.Handler
	fault  central.Fault
	panics bool
}

func (f *faulty) Handle(_ context.Context, c central.Request) central.Reply {
	if f.panics {
		panic("the handler broke")
	}
	return f.ErrorReply(&central.Error{Fault: f.fault, RetryAfter: 1500 * time.Millisecond}, c.RequestID)
}

// TestEveryFault: each line of the error table is passed on unchanged.
func TestEveryFault(t *testing.T) {
	var broken *faulty
	h := startServer(t, func(_ *Config, d *central.Handler) {
		broken = &faulty{Handler: *d}
		*d = broken
	})
	bearer := h.merchantToken(t)
	for _, f := range central.Faults() {
		broken.fault = f
		want := broken.ErrorReply(central.NewError(f, ""), "req-1")
		a := h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer, "X-Request-Id", "req-1")
		if a.status != want.HTTP || !bytes.Equal(a.body, want.Body) {
			t.Errorf("%s: HTTP %d %s, want %d %s", f, a.status, a.body, want.HTTP, want.Body)
		}
		if got := a.header.Get("Retry-After"); got != "2" {
			t.Errorf("%s: Retry-After is %q", f, got)
		}
		if (a.header.Get("WWW-Authenticate") != "") != (a.status == 401) {
			t.Errorf("%s: WWW-Authenticate is %q", f, a.header.Get("WWW-Authenticate"))
		}
	}
	broken.panics = true
	a := expect(t, h.do(t, "POST", "/aeps/withdrawal", money, "Authorization", bearer, "X-Request-Id", "req-2"), 500, "500")
	if !bytes.Contains(a.body, []byte(`"requestId":"req-2"`)) || bytes.Contains(a.body, []byte("broke")) {
		t.Errorf("reply is %s", a.body)
	}
	if !strings.Contains(h.log.String(), "the handler broke") {
		t.Error("the panic is not in the log")
	}
}

// TestBodiesAreNotSharedBetweenRequests: what a call kept must not change when
// the next one arrives on the same connection.
func TestBodiesAreNotSharedBetweenRequests(t *testing.T) {
	var kept []central.Request
	h := startServer(t, func(_ *Config, d *central.Handler) {
		*d = watch{*d, func(c central.Request) { kept = append(kept, c) }}
	})
	bearer := h.merchantToken(t)
	for i := range 5 {
		body := strings.Replace(money, "500", fmt.Sprint(100+i), 1)
		expect(t, h.do(t, "POST", "/aeps/withdrawal", body, "Authorization", bearer, "Idempotency-Key", fmt.Sprint("key-", i)), 200, "00")
	}
	for i, c := range kept {
		if !bytes.Contains(c.Body, []byte(fmt.Sprintf(`"TxnAmount":%d`, 100+i))) || c.Identity != fmt.Sprint("key-", i) {
			t.Errorf("call %d became %s with key %s", i, c.Body[:50], c.Identity)
		}
	}
}

func TestHandlerServesWithoutAListener(t *testing.T) {
	h := startServer(t, nil)
	var fctx fasthttp.RequestCtx
	fctx.Request.Header.SetMethod("GET")
	fctx.Request.Header.SetHost("galla")
	fctx.Request.SetRequestURI("/.well-known/jwks.json")
	h.serveHTTP(&fctx)
	if fctx.Response.StatusCode() != 200 || !bytes.Contains(fctx.Response.Body(), []byte("Ed25519")) {
		t.Errorf("HTTP %d %s", fctx.Response.StatusCode(), fctx.Response.Body())
	}
}
