package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp/fasthttputil"

	"galla/central"
	"galla/central/admincli"
	"galla/central/api"
	"galla/central/bank"
	"galla/central/commission"
	"galla/central/httpapi"
	"galla/central/keys"
	"galla/central/payments"
	"galla/central/store"
	"galla/central/telemetry"
	"galla/shared/money"
)

// instantBank answers at once.
type instantBank struct{ central.Bank }

func (instantBank) Send(_ context.Context, r central.BankRequest) (central.BankAnswer, error) {
	balance := money.Paise(24_500_00)
	return central.BankAnswer{Status: central.BankApproved, Code: central.CodeApproved, Message: "SUCCESS", RRN: "632500000001", AuthCode: "123456", STAN: r.STAN, Balance: &balance}, nil
}

func (instantBank) Consult(context.Context, central.BankRequest) (central.BankAnswer, error) {
	return central.BankAnswer{Status: central.BankApproved, Code: central.CodeApproved, Message: "SUCCESS"}, nil
}

// stack is a whole central in this process, with SQLite on a disk and without a network:
// its bank answers at once, and its only caller is on a connection in memory.
type stack struct {
	db      *store.DB
	cfg     Config
	dial    func() (net.Conn, error) // another connection
	conn    net.Conn
	replies *bufio.Reader
	reply   []byte // the last reply
}

// newStack starts a stack that writes its log to nowhere.
func newStack(t testing.TB) *stack { return newStackWith(t, io.Discard, nil) }

// newStackWith starts a stack with a log. It tells the statements that it runs, if tell is
// not nil.
func newStackWith(t testing.TB, log io.Writer, tell func(statement string)) *stack {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cfg := Config{
		Addr: "127.0.0.1:1", AdminAddr: "127.0.0.1:2", UplinkAddr: "127.0.0.1:3", BankURL: "http://127.0.0.1:4", Data: t.TempDir(), Sandbox: true, Node: "stack",
		Rand: rand.Reader, Logger: slog.New(telemetry.LogHandler(slog.NewJSONHandler(log, nil))),
	}
	k, err := keys.Load(cfg.keyConfig())
	must(err)
	notifier := central.NewNotifier()
	db, err := admincli.OpenStore(t.Context(), cfg.CLIConfig(), store.Config{Node: cfg.Node, Logger: cfg.Logger, OnNotify: notifier.Notify, OnStatement: tell})
	must(err)
	must(seedSandbox(t.Context(), cfg, db))
	_, err = db.AddSlab(t.Context(), central.Slab{
		ID: "5eb00000-0000-4000-8000-000000000001", Vendor: vendorV1, Aggregator: aggregatorA1, IsDefault: true, Rate: 450_000, RateType: central.RatePercentage,
		CreatedAt: time.Now(), Combination: central.Combination{PaymentMethod: "AEPS", Provider: "NSDL", TxnType: "WITHDRAWAL"},
	})
	must(err)
	w, _, err := newTelemetry(t.Context(), cfg)
	must(err)
	r, err := loadRules(cfg)
	must(err)
	watch, parties := newCache(db)
	tariff, err := commission.New(parties, parties, r.rates, commission.Config{Provider: cfg.Provider})
	must(err)
	engine, err := newEngine(cfg, instantBank{}, db, tariff, notifier, w)
	must(err)
	registry := central.NewTerminalRegistry(db, notifier, cfg.Rand)
	changes, err := newAudited(cfg, k, db, engine, registry)
	must(err)
	handler, err := newHandler(t.Context(), engine, registry, db, parties, changes, api.Config{
		FingerprintKey: k.Fingerprint, UplinkURL: cfg.uplinkURL(), Audience: uplinkAudience,
		Payments: newTestPayments(t, cfg, k, db, tariff, r.limits, notifier, w), Limits: r.limits, UPIHandle: cfg.handle(), Sandbox: cfg.Sandbox, Rand: cfg.Rand, Logger: cfg.Logger,
	})
	must(err)
	vendors, outer, err := newGateway(t.Context(), cfg, k, db, watch, w.WrapHandler(telemetry.Gateway, handler))
	must(err)
	direct, err := httpapi.New(w.WrapHandler(telemetry.Direct, handler), db, parties, outer)
	must(err)
	ln := fasthttputil.NewInmemoryListener()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{engine.Run, vendors.Run, func(ctx context.Context) error { return direct.Run(ctx, ln) }} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	s := &stack{db: db, cfg: cfg, dial: ln.Dial, reply: make([]byte, 64<<10)}
	s.conn, err = ln.Dial()
	must(err)
	s.replies = bufio.NewReaderSize(s.conn, 64<<10)
	t.Cleanup(func() {
		_ = s.conn.Close()
		stop()
		running.Wait()
		must(db.Close())
	})
	for !engine.Running() {
		if t.Context().Err() != nil {
			t.Fatal("the engine did not start")
		}
	}
	return s
}

// request is a request as it is written.
func request(method, path, body string, headers ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: galla.example.in\r\nUser-Agent: counter/1.0\r\nAccept: application/json\r\n", method, path)
	for i := 0; i < len(headers); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", headers[i], headers[i+1])
	}
	fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return b.Bytes()
}

var (
	lengthHeader = []byte("Content-Length: ")
	errReply     = errors.New("the reply is not one of ours")
)

// call sends a request and reads its reply into s.reply. It allocates nothing.
func (s *stack) call(request []byte) (status int, err error) {
	if _, err := s.conn.Write(request); err != nil {
		return 0, err
	}
	length := 0
	for line := 0; ; line++ {
		text, err := s.replies.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		text = bytes.TrimRight(text, "\r\n")
		switch {
		case line == 0 && len(text) > 12:
			status = number(text[9:12])
		case bytes.HasPrefix(text, lengthHeader):
			length = number(text[len(lengthHeader):])
		case len(text) == 0:
			if length > cap(s.reply) {
				return 0, errReply
			}
			s.reply = s.reply[:length]
			_, err := io.ReadFull(s.replies, s.reply)
			return status, err
		}
	}
}

func number(digits []byte) (n int) {
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return n
}

// token is an access token of a sandbox client.
func (s *stack) token(t testing.TB, client string) string {
	t.Helper()
	for _, c := range sandboxClients() {
		if c.id != client {
			continue
		}
		form := "grant_type=client_credentials&client_id=" + c.id + "&client_secret=" + c.secret
		text := bytes.Replace(request("POST", "/oauth/token", form), []byte("application/json\r\nContent-Length"), []byte("application/x-www-form-urlencoded\r\nContent-Length"), 1)
		status, err := s.call(text)
		_, rest, found := strings.Cut(string(s.reply), `"access_token":"`)
		if err != nil || status != 200 || !found {
			t.Fatalf("token: HTTP %d %s, %v", status, s.reply, err)
		}
		token, _, _ := strings.Cut(rest, `"`)
		return "Bearer " + token
	}
	t.Fatalf("%s is no client of the sandbox", client)
	return ""
}

// withdrawalBody has a capture of 4 KB, as a finger's is.
func withdrawalBody() string {
	pid := `<PidData><Resp errCode=\"0\" errInfo=\"\"/><Skey ci=\"20271231\">` + strings.Repeat("c2tleQ", 57) + `</Skey><Hmac>aG1hY2htYWNobWFjaG1hYw==</Hmac><Data type=\"X\">` + strings.Repeat("ZGF0", 850) + `</Data></PidData>`
	return `{"AadharNo":"999941057058","TxnAmount":500,"Latitude":"17.385044","Longitude":"78.486671","CustomerName":"Shivshankar","BankName":"","PidData":"` + pid + `"}`
}

// BenchmarkWithdrawal is a whole withdrawal over HTTP in the whole central, without the
// bank: the first one opens the agent's session.
func BenchmarkWithdrawal(b *testing.B) {
	s := newStack(b)
	text := request("POST", "/aeps/withdrawal", withdrawalBody(), "Authorization", s.token(b, "merchant-lakshmi"))
	b.ReportAllocs()
	for b.Loop() {
		if status, err := s.call(text); err != nil || status != 200 {
			b.Fatalf("HTTP %d %s, %v", status, s.reply, err)
		}
	}
}

// newTestPayments is the service of payments, which asks no network.
func newTestPayments(t testing.TB, cfg Config, k keys.Set, db *store.DB, tariff central.Tariff, bounds payments.Limits, notifier *central.Notifier, w *telemetry.Metrics) *payments.Service {
	t.Helper()
	received, err := newPayments(cfg, k, new(bank.Client), db, tariff, bounds, notifier, w)
	if err != nil {
		t.Fatal(err)
	}
	return received.Service
}
