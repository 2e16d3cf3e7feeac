package galla

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testKey    = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	testSecret = "sandbox-merchant-1"
	aadhaar    = "999941057058"
	pidData    = "<PidData>finger-of-somebody</PidData>"
)

func withdrawal() AepsWithdrawalParams {
	return AepsWithdrawalParams{AadharNo: aadhaar, TxnAmount: 500_00, Latitude: "1", Longitude: "2", CustomerName: "A", PidData: pidData}
}

// answer is what the fake central says next.
type answer struct {
	status int // 0: the connection breaks after the request
	body   string
	header map[string]string
	how    string // plain, old, other or status: how a sealed reply is spoiled
}

var (
	broken   = answer{}
	approved = answer{status: 200, body: `{"statusCode":"00","message":"Transaction successful","data":{"ResponseCode":"00","txnStatus":"SUCCESS","RetailerReferenceNumber":"GL1","AadharNo":"XXXXXXXX7058"}}`}
	waiting  = answer{status: 200, body: `{"statusCode":"00","message":"Transaction pending","txnStatus":"PENDING","reference":"AEPS-NR-1"}`}
)

// seen is a request that the fake central got; body is opened where it was sealed.
type seen struct {
	method, url, body, key, iv, auth string
}

// fake is a central that answers what a test says; the last answer for ever.
type fake struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	answers []answer
	calls   []seen
	tokens  int
	status  int // of the token end point
	pauses  []time.Duration
	now     time.Time
}

func newFake(t *testing.T, answers ...answer) *fake {
	t.Helper()
	f := &fake{t: t, answers: answers, status: 200, now: time.Now()}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/oauth/token" {
		f.tokens++
		w.WriteHeader(f.status)
		fmt.Fprintf(w, `{"access_token":"token-%d","expires_in":900}`, f.tokens)
		return
	}
	s := seen{method: r.Method, url: r.RequestURI, body: string(body), key: r.Header.Get("Idempotency-Key"), auth: r.Header.Get("Authorization")}
	sealed := strings.HasPrefix(r.RequestURI, "/process/")
	if sealed {
		s.key, s.iv, s.body = r.Header.Get("X-Request-Id"), r.Header.Get("X-Iv"), f.open(r, body)
	}
	f.calls = append(f.calls, s)
	a := f.answers[0]
	if len(f.answers) > 1 {
		f.answers = f.answers[1:]
	}
	if a.status == 0 {
		panic(http.ErrAbortHandler)
	}
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if sealed && a.how != "plain" {
		f.seal(w, r, a)
		return
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// open gives the JSON of a message; its checksum must be right.
func (f *fake) open(r *http.Request, body []byte) string {
	k, _ := ParseKey(testKey)
	var p struct{ Payload string }
	if err := json.Unmarshal(body, &p); err != nil {
		f.t.Error(err)
	}
	h := r.Header
	if k.checksum("galla-v1", r.Method, r.RequestURI, h.Get("X-Client-Id"), h.Get("X-Timestamp"), h.Get("X-Request-Id"), h.Get("X-Iv"), h.Get("X-Tag"), p.Payload) != h.Get("X-Checksum") {
		f.t.Error("the checksum of a request is wrong")
	}
	plain, err := k.decrypt(Sealed{IV: h.Get("X-Iv"), Tag: h.Get("X-Tag"), Payload: p.Payload})
	if err != nil {
		f.t.Error(err)
	}
	return string(plain)
}

func (f *fake) seal(w http.ResponseWriter, r *http.Request, a answer) {
	k, _ := ParseKey(testKey)
	iv := make([]byte, ivSize)
	_, _ = rand.Read(iv)
	m := Sealed{RequestID: r.Header.Get("X-Request-Id"), Timestamp: strconv.FormatInt(f.now.UnixMilli(), 10)}
	status := a.status
	switch a.how {
	case "old":
		m.Timestamp = strconv.FormatInt(f.now.Add(-400*time.Second).UnixMilli(), 10)
	case "other":
		m.RequestID = NewKey()
	case "status":
		status++
	}
	if err := k.encrypt(&m, iv, []byte(a.body)); err != nil {
		f.t.Error(err)
	}
	for name, value := range map[string]string{
		"X-Request-Id": m.RequestID, "X-Timestamp": m.Timestamp, "X-Iv": m.IV, "X-Tag": m.Tag,
		"X-Checksum": k.checksum("galla-v1-response", strconv.Itoa(status), m.RequestID, m.Timestamp, m.IV, m.Tag, m.Payload),
	} {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	fmt.Fprintf(w, `{"payload":%q}`, m.Payload)
}

// config counts the pauses instead of waiting.
func (f *fake) config() Config {
	return Config{
		BaseURL: f.URL, MerchantID: "m-1", Jitter: func() float64 { return 1 }, Now: func() time.Time { return f.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			f.pauses = append(f.pauses, d)
			f.now = f.now.Add(d)
			return ctx.Err()
		},
	}
}

func (f *fake) direct() *DirectClient {
	c, err := NewDirect(DirectConfig{Config: f.config(), ClientID: "merchant", ClientSecret: testSecret})
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fake) gateway() *GatewayClient {
	c, err := NewGateway(GatewayConfig{Config: f.config(), ClientID: "vk_1", Key: testKey})
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// client gives a client of a door, for the routes that both have.
func (f *fake) client(door string) gatewayRoutes {
	if door == "direct" {
		return f.direct().gatewayRoutes
	}
	return f.gateway().gatewayRoutes
}

// got gives the requests so far.
func (f *fake) got() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}
