package nodes

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/central/bank/simbank"
	"galla/central/server"
	"galla/central/store/pgtest"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
	"galla/shared/freeport"
	"galla/shared/seal"
	"galla/shared/secret"
)

// The sandbox's identities (sandbox.md, section 2).
const (
	merchant1 = "merchant-lakshmi"
	merchant3 = "merchant-charminar"
	customer  = "999971658847"
	bankOf    = "607094" // the customer's
)

var passwords = map[string]string{merchant1: "sandbox-merchant-1", merchant3: "sandbox-merchant-3"}

// The amount of work in a usual run; 'make torture DATABASE=postgres' does more.
var (
	pairs  = flag.Int64("pairs", 400, "how many operations are sent to two nodes at once")
	rounds = flag.Int("rounds", 1, "how often every node is restarted")
)

func TestMain(m *testing.M) {
	if text := os.Getenv(nodeVariable); text != "" {
		os.Exit(runChildNode(text))
	}
	os.Exit(pgtest.Main(m.Run))
}

// system is everything but the nodes, and the nodes that run now.
type system struct {
	t         *testing.T
	data      string
	url       string // of the database
	bank      *simbank.Bank
	bankAdmin string // base URL of the bank's books
	net       string // address of the bank's network
	readers   *fakeReaders
	log       *slog.Logger
	begun     time.Time
	// slowBank is how long nodes wait for the bank: if it is silent on purpose, the
	// test waits as long.
	slowBank time.Duration

	mu     sync.Mutex
	tokens map[string]string
}

func newSystem(t *testing.T) *system {
	t.Helper()
	level := slog.LevelError
	if os.Getenv("GALLA_LOG") == "debug" {
		level = slog.LevelDebug
	}
	h := &system{
		t: t, data: t.TempDir(), url: pgtest.Database(t), tokens: map[string]string{}, begun: time.Now(), slowBank: 15 * time.Second,
		log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	}
	key, err := seal.EnsureKeyFile(filepath.Join(h.data, "keys", "bank-network.key"), rand.Reader)
	h.must(err)
	cert, authority, err := rdcrypto.EnsureAuthority(filepath.Join(h.data, "authority"), rand.Reader)
	h.must(err)
	console := ""
	console, h.net = freeport.For(t), freeport.For(t)
	h.bankAdmin = "http://" + console
	listen := func(addr string) func(context.Context) (net.Listener, error) {
		return func(ctx context.Context) (net.Listener, error) { return new(net.ListenConfig).Listen(ctx, "tcp", addr) }
	}
	h.bank, err = simbank.New(t.Context(), simbank.Config{
		DataDir: filepath.Join(h.data, "bank"), NetworkKey: key, AuthorityKey: authority, AuthorityCert: cert,
		ListenPublic: listen(console), ListenNetwork: listen(h.net), TimeScale: 0.05, Rand: rand.Reader, Logger: h.log,
	})
	h.must(err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(h.bank.Run(ctx), h.bank.Close()) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the bank ended: %v", err)
		}
	})
	var urls []string
	for range readers {
		device, err := rdsim.New(cert, rand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{CaptureTime: time.Millisecond})
		h.must(err)
		web := httptest.NewServer(device)
		t.Cleanup(web.Close)
		urls = append(urls, web.URL)
	}
	h.readers, err = newFakeReaders(t.Context(), urls)
	h.must(err)
	return h
}

func (h *system) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// node is one central.
type node struct {
	name                  string
	addr, admin, terminal string
	stop                  func() error
	ended                 chan struct{}
}

func (h *system) config(n *node) server.Config {
	return server.Config{
		Addr: n.addr, AdminAddr: n.admin, UplinkAddr: n.terminal, BankURL: "http://" + h.net, BankTimeout: h.slowBank,
		Data: h.data, DatabaseURL: secret.NewToken(h.url), Sandbox: true, Node: n.name, PIDFile: filepath.Join(h.data, n.name+".pid"), DrainDelay: drainDelay,
		Load: server.Load{GatewayRate: vendorRate, GatewayBurst: vendorBurst}, Rand: rand.Reader, Logger: h.log.With("node", n.name),
	}
}

// drainDelay is how long a stopping node waits for the load balancer.
const drainDelay = 200 * time.Millisecond

// Rates of a vendor at all nodes together.
const (
	vendorRate  = 10
	vendorBurst = 100
)

// plan gives addresses to nodes; it starts nothing.
func (h *system) plan(names ...string) []*node {
	var all []*node
	for _, name := range names {
		all = append(all, &node{name: name, addr: freeport.For(h.t), admin: freeport.For(h.t), terminal: freeport.For(h.t)})
	}
	return all
}

// start runs nodes in parallel, as a cluster would start them, and waits until each is
// ready.
func (h *system) start(nodes ...*node) {
	h.t.Helper()
	for _, n := range nodes {
		h.run(n)
	}
	for _, n := range nodes {
		h.awaitReady(n)
	}
}

func (h *system) run(n *node) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var err error
	go func() { err = server.Run(ctx, h.config(n)); close(ended) }()
	n.ended = ended
	n.stop = sync.OnceValue(func() error {
		cancel()
		<-ended
		return err
	})
	stop := n.stop
	h.t.Cleanup(func() {
		if err := stop(); err != nil {
			h.t.Errorf("node %s ended: %v", n.name, err)
		}
	})
}

func (h *system) awaitReady(n *node) {
	h.t.Helper()
	eventually(h.t, n.name+" is ready", func() bool {
		select {
		case <-n.ended:
			h.t.Fatalf("node %s ended at its start: %v", n.name, n.stop())
		default:
		}
		return ready(n)
	})
}

func ready(n *node) bool {
	resp, err := http.Get("http://" + n.admin + "/readyz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// patience bounds every wait of a test: the machine may be very busy.
const patience = 2 * time.Minute

// eventually asks again until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ok() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("after %v still not: %s", patience, what)
}

// fields is a body.
type fields = map[string]any

// answer is a reply.
type answer struct {
	http     int
	replayed bool
	closes   bool // the connection
	raw      []byte

	StatusCode string
	Message    string
	TxnStatus  string
	Reference  string
	Data       struct{ TxnStatus, RetailerReferenceNumber string }
}

// send makes one request to an address; headers come in pairs. An error means that no
// reply came, or not all of it.
func send(client *http.Client, addr, method, path string, body []byte, header ...string) (answer, error) {
	req, err := http.NewRequest(method, "http://"+addr+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{http: resp.StatusCode, replayed: resp.Header.Get("Idempotent-Replayed") == "true", closes: resp.Close, raw: raw}
	_ = json.Unmarshal(raw, &a) // a reply that is no object has no fields
	return a, nil
}

// token gives a client's access token, which every node accepts.
func (h *system) token(addr, client string) string {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if token := h.tokens[client]; token != "" {
		return token
	}
	resp, err := http.PostForm("http://"+addr+"/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {passwords[client]}})
	h.must(err)
	defer func() { _ = resp.Body.Close() }()
	var grant struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&grant); err != nil || grant.Token == "" {
		h.t.Fatalf("token of %s: HTTP %d, %v", client, resp.StatusCode, err)
	}
	h.tokens[client] = grant.Token
	return grant.Token
}

// withdrawal is the body of a cash withdrawal, with a fresh capture: the bank accepts
// each once.
func (h *system) withdrawal(paise int64) []byte {
	pid, err := h.readers.capture(context.Background())
	if err != nil {
		panic(err) // nobody disturbs the reader
	}
	body, err := json.Marshal(fields{
		"AadharNo": customer, "TxnAmount": json.Number(fmt.Sprintf("%d.%02d", paise/100, paise%100)),
		"Latitude": "18.5204", "Longitude": "73.8567", "CustomerName": "Customer", "PidData": pid, "BankName": bankOf,
	})
	if err != nil {
		panic(err) // texts and numbers
	}
	return body
}

// withdraw sends a withdrawal once.
func (h *system) withdraw(client *http.Client, addr, merchant, key string, body []byte) (answer, error) {
	return send(client, addr, "POST", "/aeps/withdrawal", body, "Authorization", "Bearer "+h.token(addr, merchant), "Idempotency-Key", key)
}

// verdict is what a reply says of an operation.
type verdict string

const (
	succeeded verdict = "SUCCESS"
	failed    verdict = "FAILED"
	reversed  verdict = "REVERSED"
	pending   verdict = "PENDING"
	nothing   verdict = "nothing was sent" // final
	later     verdict = "come back"        // says nothing about the operation
	broken    verdict = "broken"           // a reply that may not be
)

func judge(a answer) verdict {
	switch {
	case a.http == 200 && a.StatusCode == "00" && a.Data.TxnStatus != "":
		return verdict(a.Data.TxnStatus)
	case a.http == 200 && a.StatusCode == "00" && a.TxnStatus == "PENDING" && a.Reference != "":
		return pending
	case a.http == 502 && a.StatusCode == "10", a.http == 422 && a.StatusCode == "05", a.http == 500 && a.replayed:
		return nothing
	case a.http == 429, a.http == 503, a.http == 500:
		return later
	}
	return broken
}

func (v verdict) final() bool { return v == succeeded || v == failed || v == reversed || v == nothing }

// execution is a debit as the bank's books have it.
type execution struct {
	Reference   string
	AmountPaise int64
	Status      string
}

// executions reads the books since the start, by reference; a reference that stands
// there twice is a fault by itself.
func (h *system) executions() map[string]execution {
	h.t.Helper()
	resp, err := http.Get(h.bankAdmin + "/books/executions?from=" + url.QueryEscape(h.begun.Add(-time.Minute).Format(time.RFC3339)))
	h.must(err)
	defer func() { _ = resp.Body.Close() }()
	var list []execution
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || resp.StatusCode != http.StatusOK {
		h.t.Fatalf("books: HTTP %d, %v", resp.StatusCode, err)
	}
	books := map[string]execution{}
	for _, e := range list {
		if _, twice := books[e.Reference]; twice {
			h.t.Errorf("reference %s stands twice in the books", e.Reference)
		}
		books[e.Reference] = e
	}
	return books
}

// clients gives an HTTP client with connections of its own.
func (h *system) client() *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	h.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}
