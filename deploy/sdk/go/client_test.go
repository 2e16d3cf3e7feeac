package galla

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStates(t *testing.T) {
	text := func(code, message, data string) string {
		return fmt.Sprintf(`{"statusCode":%q,"message":%q%s}`, code, message, data)
	}
	for _, c := range []struct {
		route, body string
		state       State
		code        string
	}{
		{"AepsWithdrawal", approved.body, Success, "00"},
		{"AepsWithdrawal", waiting.body, Pending, "00"},
		{"AepsPurchase", text("00", "m", `,"data":{"ResponseCode":"51","txnStatus":"FAILED"}`), Declined, "51"},
		{"AepsWithdrawal", text("00", "m", `,"data":{"ResponseCode":"22","txnStatus":"REVERSED"}`), Reversed, "22"},
		{"AepsWithdrawal", text("00", "m", `,"data":{"ResponseCode":"00","txnStatus":"LATER"}`), Pending, "00"},
		{"AepsWithdrawal", text("00", "odd", ""), Pending, "00"},
		{"AepsReqAuth", text("00", "m", `,"data":{"ResponseCode":"00"}`), Success, "00"},
		{"AepsReqAuth", text("00", "m", `,"data":{"ResponseCode":"U3"}`), Declined, "U3"},
		{"DmtTransactionInstant", text("00", "m", `,"data":{"status":"SUCCESS"}`), Success, "00"},
		{"DmtTransactionInstant", text("55", "m", `,"data":{"status":"FAILED"}`), Declined, "55"},
		{"DmtTransactionInstant", text("55", "m", `,"data":{"status":"SUCCESS"}`), Declined, "55"},
		{"DmtTransactionInstant", text("22", "m", `,"data":{"status":"REVERSED"}`), Reversed, "22"},
		{"DmtRefund", text("00", "Transaction pending", `,"data":{"status":"PENDING"}`), Pending, "00"},
		{"DmtRefund", text("00", "m", `,"data":{"refundId":"r","amount":1}`), Success, "00"},
		{"DmtCustomerGetDetail", text("01", "no such customer", ""), Declined, "01"},
		{"AepsInitialize", `{"merchantId":"m","service":"AEPS"}`, Success, "00"},
	} {
		body, ok := read([]byte(c.body))
		r := resultOf(&call{route: routes[c.route]}, &reply{status: 200, text: []byte(c.body)}, body, "")
		if !ok || r.State != c.state || r.Code != c.code {
			t.Errorf("%s %s: %s %s", c.route, c.body, r.State, r.Code)
		}
		_, err := r.Get()
		want := map[State]error{Pending: ErrPending, Declined: ErrDeclined, Reversed: ErrDeclined}[c.state]
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", c.body, err, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	f := newFake(t, answer{status: 200, body: `{"statusCode":"00","message":"m"}`})
	d, g, ctx := f.direct(), f.gateway(), t.Context()
	_, err1 := d.DmtCustomerStatusCheck(ctx, DmtCustomerStatusCheckParams{Referenceid: "a b"})
	_, err2 := d.TerminalsDelete(ctx, TerminalsDeleteParams{ID: "t/1", MerchantID: "m-2"})
	_, err3 := g.DmtCustomerStatusCheck(ctx, DmtCustomerStatusCheckParams{Referenceid: "a b"})
	_, err4 := g.AepsBanks(ctx)
	page := int64(2)
	_, err5 := d.VendorMerchants(ctx, VendorMerchantsParams{Page: &page})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	for i, want := range []seen{
		{method: "GET", url: "/dmt/customer/statusCheck?merchantId=m-1&referenceid=a+b"}, {method: "DELETE", url: "/terminals/t%2F1", body: `{"merchantId":"m-2"}`},
		{method: "GET", url: "/process/dmt/customer/statusCheck", body: `{"merchantId":"m-1","referenceid":"a b"}`}, {method: "GET", url: "/process/aeps/banks", body: "{}"},
		{method: "GET", url: "/vendor/merchants?page=2"},
	} {
		if got := f.got()[i]; got.method != want.method || got.url != want.url || got.body != want.body {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if _, err := d.OperationsGet(ctx, OperationsGetParams{}); err == nil || len(f.got()) != 5 {
		t.Errorf("a path without its id was sent: %v", err)
	}
	for _, key := range []string{"", "a b", strings.Repeat("x", 129)} {
		if _, err := d.AepsSubmit(ctx, AepsSubmitParams{}, WithKey(key)); err == nil {
			t.Errorf("the key %q was taken", key)
		}
	}
	if _, err := g.AepsSubmit(ctx, AepsSubmitParams{}, WithKey(strings.ToUpper(NewKey()))); err == nil {
		t.Error("the gateway's client took a key in capitals")
	}
}

func TestTokens(t *testing.T) {
	f := newFake(t, approved)
	d := f.direct()
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := d.AepsSubmit(t.Context(), AepsSubmitParams{}); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	f.now = f.now.Add(839 * time.Second)
	_, _ = d.AepsSubmit(t.Context(), AepsSubmitParams{})
	if f.tokens != 1 {
		t.Errorf("%d tokens were asked for", f.tokens)
	}
	f.now = f.now.Add(2 * time.Second)
	_, _ = d.AepsSubmit(t.Context(), AepsSubmitParams{})
	if f.tokens != 2 || f.got()[len(f.got())-1].auth != "Bearer token-2" {
		t.Errorf("a token that ends is not renewed: %d", f.tokens)
	}
	f = newFake(t, answer{status: 401}, approved)
	if r, err := f.direct().AepsWithdrawal(t.Context(), withdrawal()); err != nil || !r.OK() || f.tokens != 2 || f.got()[0].key != f.got()[1].key {
		t.Errorf("%v, %v, %d tokens", r, err, f.tokens)
	}
	f = newFake(t, answer{status: 401})
	if _, err := f.direct().AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrAuthentication) || len(f.got()) != 2 {
		t.Errorf("%v after %d calls", err, len(f.got()))
	}
	f = newFake(t, approved)
	f.status = 401
	if _, err := f.direct().AepsWithdrawal(t.Context(), withdrawal()); !errors.Is(err, ErrAuthentication) || len(f.got()) != 0 {
		t.Errorf("%v after %d calls", err, len(f.got()))
	}
}

func TestWait(t *testing.T) {
	ctx := t.Context()
	f := newFake(t, waiting, bank, waiting, approved)
	g := f.gateway()
	first, err := g.AepsWithdrawal(ctx, withdrawal())
	if err != nil {
		t.Fatal(err)
	}
	last, err := Wait(ctx, g, first, time.Minute)
	if err != nil || !last.OK() || last.Key != first.Key || last.Data.RetailerReferenceNumber != "GL1" || f.got()[3].url != "/process/aeps/requery" || f.got()[3].body != `{"merchantId":"m-1","reference":"AEPS-NR-1"}` {
		t.Errorf("%v, %v, %+v", last, err, f.got())
	}
	f = newFake(t, answer{status: 200, body: `{"statusCode":"00","message":"Transaction pending","data":{"amount":1,"status":"PENDING"}}`}, answer{status: 200, body: `{"statusCode":"00","message":"m","data":{"status":"FAILED","amount":1}}`})
	d := f.direct()
	sent, err := d.DmtTransactionInstant(ctx, DmtTransactionInstantParams{RefID: "r-1", Otp: "1234"})
	if err != nil {
		t.Fatal(err)
	}
	if sent, err = Wait(ctx, d, sent, time.Minute); err != nil || sent.State != Declined || f.got()[1].url != "/dmt/txn/v1/transaction/requery" || !strings.Contains(f.got()[1].body, `"refId":"r-1"`) {
		t.Errorf("%v, %v, %+v", sent, err, f.got())
	}
	f = newFake(t, bankStep, bankStep, bankStep, bankStep, answer{status: 200, body: `{"statusCode":"00","message":"m","data":{}}`})
	d = f.direct()
	step, err := d.AepsSubmit(ctx, AepsSubmitParams{})
	if err != nil {
		t.Fatal(err)
	}
	if step, err = Wait(ctx, d, step, time.Minute); err != nil || !step.OK() || f.got()[4].key != f.got()[0].key {
		t.Errorf("%v, %v", step, err)
	}
	f = newFake(t, answer{status: 200, body: `{"statusCode":"00","message":"Transaction pending","txnStatus":"PENDING"}`}, answer{status: 200, body: `{"statusCode":"00","message":"m","data":{"reference":"GL7"}}`}, approved)
	d = f.direct()
	if first, err = d.AepsWithdrawal(ctx, withdrawal()); err != nil {
		t.Fatal(err)
	}
	if last, err = Wait(ctx, d, first, time.Minute); err != nil || !last.OK() || f.got()[1].url != "/operations/"+first.Key || !strings.Contains(f.got()[2].body, `"RetailerReferenceNumber":"GL7"`) {
		t.Errorf("%v, %v, %+v", last, err, f.got())
	}
	f = newFake(t, waiting)
	d, begun := f.direct(), f.now
	first, _ = d.AepsWithdrawal(ctx, withdrawal())
	if last, err = Wait(ctx, d, first, 33*time.Second); err != nil || last.State != Pending || f.now.Sub(begun) != 33*time.Second || len(f.got()) != 7 {
		t.Errorf("%v, %v, %s, %d calls", last, err, f.now.Sub(begun), len(f.got()))
	}
}

func TestNothingShowsSecrets(t *testing.T) {
	f := newFake(t, waiting, answer{status: 400, body: `{"statusCode":"02","message":"Invalid request"}`}, broken)
	cfg := DirectConfig{Config: f.config(), ClientID: "merchant", ClientSecret: testSecret}
	cfg.Attempts = 1
	d, err := NewDirect(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := d.AepsWithdrawal(t.Context(), withdrawal())
	_, err1 := d.AepsWithdrawal(t.Context(), withdrawal())
	_, err2 := d.AepsWithdrawal(t.Context(), withdrawal())
	key, _ := ParseKey(testKey)
	gcfg := GatewayConfig{Config: f.config(), ClientID: "vk", Key: testKey}
	var all strings.Builder
	log := slog.New(slog.NewJSONHandler(&all, nil))
	for _, v := range []any{cfg, gcfg, d, f.gateway(), r, err1, err2, withdrawal(), DmtRefundParams{Otp: "918273"}, key} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&all, verb+"\n", v)
		}
	}
	log.Info("x", "params", withdrawal(), "result", r, "error", err1)
	for _, secret := range []string{testSecret, testKey, aadhaar, pidData, "918273", "token-1", fmt.Sprintf("%x", aadhaar), fmt.Sprintf("%x", testSecret)} {
		if strings.Contains(all.String(), secret) {
			t.Errorf("%s is shown", secret)
		}
	}
	if err1 == nil || err2 == nil || !strings.Contains(all.String(), "DirectClient(") {
		t.Error("too little is shown")
	}
}

func TestSettings(t *testing.T) {
	good := DirectConfig{Config: Config{BaseURL: "https://api.example.org"}, ClientID: "c", ClientSecret: "s"}
	for says, change := range map[string]func(*DirectConfig){
		"use https":    func(c *DirectConfig) { c.BaseURL = "http://api.example.org" },
		"address":      func(c *DirectConfig) { c.BaseURL = "api.example.org" },
		"credentials":  func(c *DirectConfig) { c.BaseURL = "https://a:b@x" },
		"ClientSecret": func(c *DirectConfig) { c.ClientSecret = "" },
		"negative":     func(c *DirectConfig) { c.Attempts = -1 },
	} {
		cfg := good
		change(&cfg)
		if _, err := NewDirect(cfg); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	good.BaseURL, good.Insecure = "http://central:7100", true
	if _, err := NewDirect(good); err != nil {
		t.Error(err)
	}
	for _, key := range []string{testKey[1:], strings.Repeat("x", 44)} {
		if _, err := NewGateway(GatewayConfig{Config: good.Config, ClientID: "c", Key: key}); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("the key: %v", err)
		}
	}
}

func TestMoney(t *testing.T) {
	for text, want := range map[string]Rupees{"0": 0, "500": 50000, "110.5": 11050, "100.94": 10094, "1e2": 10000, "-0.05": -5, "92233720368547758.07": 1<<63 - 1} {
		got, err := ParseRupees(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1.005", "1/2", "0x10", "1_0", "x", "1e999999999", "92233720368547758.08", "NaN"} {
		if got, err := ParseRupees(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	out, err := json.Marshal(map[string]any{"a": Rupees(11050), "b": Rupees(-5), "c": Decimal("0.4"), "d": Decimal("")})
	if err != nil || string(out) != `{"a":110.50,"b":-0.05,"c":0.4,"d":0}` {
		t.Errorf("%s, %v", out, err)
	}
	if _, err := json.Marshal(Decimal(`"x"`)); err == nil {
		t.Error("a text is a Decimal")
	}
	if s := Rupees(-1 << 63).String(); s != "-92233720368547758.08" {
		t.Error(s)
	}
}

// TestVectors checks the envelope with messages that another program made.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "vectors", "gateway.json"))
	if err != nil {
		t.Skipf("the gateway's vectors are not beside the repository (../shared/vectors/gateway.json): %v", err)
	}
	if n, err := CheckVectors(text); err != nil || n == 0 {
		t.Errorf("%d vectors, %v", n, err)
	}
}
