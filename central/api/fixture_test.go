package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"galla/central"
	"galla/shared/op"
	"galla/shared/secret"
)

// fixture is a Handler with fakes around it.
type fixture struct {
	*Handler
	executor *fakeExecutor
	registry *fakeRegistry
	store    *fakeStore
	limits   *fakeLimits
	log      *bytes.Buffer
}

func config(log *bytes.Buffer) Config {
	return Config{
		FingerprintKey: secret.NewKey(bytes.Repeat([]byte{7}, 32)), UplinkURL: "ws://127.0.0.1:7102/uplink", Audience: "galla-central",
		Limits: &fakeLimits{}, UPIHandle: "galla", Rand: mathrand.NewChaCha8([32]byte{1}), Logger: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{ReplaceAttr: withoutTimes})),
	}
}

// withoutTimes leaves times out of the log: the digits of one may be those of an OTP.
func withoutTimes(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Value.Kind() == slog.KindDuration {
		return slog.Attr{}
	}
	return a
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	balance := centralPaise(2_450_000)
	b := &fixture{
		executor: &fakeExecutor{state: op.Succeeded, known: map[string]central.Operation{}, answer: central.BankAnswer{
			Status: central.BankApproved, Code: "00", Message: "SUCCESS", RRN: "632509000042", AuthCode: "A1B2C3",
			Balance: &balance, MiniStatement: "21/11 CASH WITHDRAWAL  D 500.00\n20/11 SALARY NOVEMBER   C 25000.00",
		}},
		registry: &fakeRegistry{},
		store: &fakeStore{sessions: map[string]central.AgentSession{}, operations: map[op.ID]central.Operation{}, kyc: map[central.MerchantID]central.ServiceKYC{},
			fakeCustomers: fakeCustomers{
				proofs: map[string]bool{string(m1) + " sender:" + senderID: true, string(m2) + " sender:" + senderID: true},
				owners: map[string]string{"bc BC0001": aggregator1.Party(), "agent AG0001": vendor1.Party()},
			}},
		log: &bytes.Buffer{},
	}
	cfg := config(b.log)
	b.limits = cfg.Limits.(*fakeLimits)
	d, err := New(b.executor, b.registry, b.store, b.store, nil, cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = d
	return b
}

// call handles one request; fields is a JSON text.
func (b *fixture) call(p central.Principal, id op.RouteID, body string) central.Reply {
	route, _ := op.Find(id)
	return b.Handle(context.Background(), central.Request{Principal: p, Route: route, Body: []byte(body), RequestID: "req-1"})
}

// body writes a valid request with the given fields changed; nil takes one out.
func body(changes map[string]any) string {
	fields := map[string]any{
		"AadharNo": aadhaar, "TxnAmount": json.RawMessage("500"), "Latitude": "17.385044", "Longitude": "78.486671",
		"CustomerName": "Shivshankar Choudhury", "PidData": pid,
	}
	for name, v := range changes {
		if v == nil {
			delete(fields, name)
		} else {
			fields[name] = v
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// reply is a reply's body as a caller reads it.
type reply struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	TxnStatus  string `json:"txnStatus"`
	Reference  string `json:"reference"`
	Data       any    `json:"data"`
}

// fields gives the data of a reply that is an object.
func (r reply) fields() map[string]any {
	fields, _ := r.Data.(map[string]any)
	return fields
}

func parse(t testing.TB, r central.Reply) reply {
	t.Helper()
	var out reply
	if err := json.Unmarshal(r.Body, &out); err != nil {
		t.Fatalf("reply is no JSON: %v\n%s", err, r.Body)
	}
	return out
}

// wrongFields gives "field rule" of each field error.
func wrongFields(t testing.TB, r central.Reply) []string {
	t.Helper()
	var out struct {
		Data struct{ Errors []central.FieldError }
	}
	if err := json.Unmarshal(r.Body, &out); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range out.Data.Errors {
		list = append(list, e.Field+" "+e.Rule)
	}
	return list
}

func expect(t testing.TB, r central.Reply, http int, statusCode string) reply {
	t.Helper()
	out := parse(t, r)
	if r.HTTP != http || out.StatusCode != statusCode {
		t.Fatalf("reply is HTTP %d, %s; want %d, %s\n%s", r.HTTP, out.StatusCode, http, statusCode, r.Body)
	}
	return out
}

// golden compares a reply with the file of its name.
func golden(t *testing.T, name string, r central.Reply) {
	t.Helper()
	got := fmt.Sprintf("HTTP %d\n%s\n", r.HTTP, r.Body)
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden reply: %v (write it with -update, and read it)", err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("reply %s changed\ngot  %swant %s", name, got, want)
	}
}
