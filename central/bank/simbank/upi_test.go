package simbank_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central/bank/network"
	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/upi/upitest"
	"galla/shared/money"
)

// paymentJSON is a payment as programs outside read it (sandbox.md).
type paymentJSON struct {
	ID, RRN, Payee, TR, At string
	AmountPaise            int64
	PayerName, PayerVPA    string
	Refund                 *struct{ ID, RRN, At string }
	Notifications          []struct {
		Attempts            int
		NextAt, DeliveredAt string
	}
}

// upiBank is a running bank and a played central that is told of payments.
type upiBank struct {
	*sandbox
	d       http.Handler
	central *upitest.Central
	wire    *http.Client
}

func openUPI(t *testing.T) *upiBank {
	t.Helper()
	central := upitest.New(t, network.NewChecksums(NetworkKey()))
	var wire *http.Client
	h := open(t, func(c *Config) {
		c.NotifyURL, c.DialNotify = "http://central.test", central.Dial
		w := &Wire{}
		c.ListenNetwork = w.Listen
		wire = &http.Client{Transport: &http.Transport{DialContext: w.Dial, DisableKeepAlives: true}}
	})
	return &upiBank{h, h.bank.PublicHandler(), central, wire}
}

// pays sends a body to /control/upi/pay, which must be in order.
func (u *upiBank) pays(body string) paymentJSON {
	u.t.Helper()
	return u.control("/control/upi/pay", body)
}

func (u *upiBank) control(path, body string) paymentJSON {
	u.t.Helper()
	w := ask(u.t, u.d, "POST", path, body)
	var p paymentJSON
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 200 {
		u.t.Fatalf("%s %s: HTTP %d %s", path, body, w.Code, w.Body)
	}
	return p
}

// asks puts a question over the network's listener.
func (u *upiBank) asks(q network.PaymentQuery) network.Payments {
	u.t.Helper()
	q.Reference = "UPI-1"
	body, err := network.EncodePaymentQuery(q)
	if err != nil {
		u.t.Fatal(err)
	}
	status, reply := u.posts(network.PathPayments, body)
	a, err := network.DecodePayments(reply)
	if err != nil || status != 200 || a.Reference != q.Reference {
		u.t.Fatalf("%+v: HTTP %d %s, %v", q, status, reply, err)
	}
	return a
}

// posts sends a signed request, and checks the reply's checksum.
func (u *upiBank) posts(path string, body []byte) (int, []byte) {
	u.t.Helper()
	req, err := http.NewRequestWithContext(u.t.Context(), "POST", "http://bank.test"+path, bytes.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	req.Header.Set(network.HeaderChecksum, network.RequestChecksum(NetworkKey(), "POST", path, body))
	reply, err := u.wire.Do(req)
	if err != nil {
		u.t.Fatal(err)
	}
	defer reply.Body.Close()
	said, err := io.ReadAll(reply.Body)
	reference := "UPI-1"
	if reply.StatusCode != 200 {
		reference = ""
	}
	if err != nil || !network.NewChecksums(NetworkKey()).IsReply(reply.Header.Get(network.HeaderChecksum), reply.StatusCode, reference, said) {
		u.t.Fatalf("%s: HTTP %d %s, with a wrong checksum, %v", path, reply.StatusCode, said, err)
	}
	return reply.StatusCode, said
}

const (
	dynamicLink = "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=order-17&tn=Order%20order-17&am=250.00&cu=INR"
	staticLink  = "upi://pay?ver=01&mode=01&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tn=Order%20counter-1&cu=INR"
)

// TestUPIControl plays what the control can pay; the central is told, and every question
// and the books say the same.
func TestUPIControl(t *testing.T) {
	for name, c := range map[string]struct {
		body        string
		payee, tr   string
		amount      int64
		payer, told string
	}{
		"dynamic":       {`{"upiLink":"` + dynamicLink + `"}`, "gal0000001@galla", "order-17", 25000, "A••a K••••••i, as••••@okbank", "now"},
		"static":        {`{"upiLink":"` + staticLink + `","amount":12.5,"payer":{"name":"Ramesh Kumar","vpa":"ramesh@okbank"}}`, "gal0000001@galla", "", 1250, "R••••h K•••r, ra••••@okbank", "now"},
		"wrong amount":  {`{"upiLink":"` + dynamicLink + `","amount":"249.99"}`, "gal0000001@galla", "order-17", 24999, "A••a K••••••i, as••••@okbank", "now"},
		"vpa":           {`{"vpa":"gal0000002@galla","amount":1}`, "gal0000002@galla", "", 100, "A••a K••••••i, as••••@okbank", "now"},
		"vpa and order": {`{"vpa":"gal0000002@galla","order_id":"order-1","amount":0.01,"payer":{"name":"रमेश"}}`, "gal0000002@galla", "order-1", 1, "र••श, as••••@okbank", "now"},
		"unknown payee": {`{"vpa":"nobody@nowhere","amount":7}`, "nobody@nowhere", "", 700, "A••a K••••••i, as••••@okbank", "now"},
		"double":        {`{"vpa":"a@b","amount":7,"notify":{"times":2}}`, "a@b", "", 700, "A••a K••••••i, as••••@okbank", "twice"},
		"late":          {`{"vpa":"a@b","amount":7,"notify":{"after":120000}}`, "a@b", "", 700, "A••a K••••••i, as••••@okbank", "late"},
		"missing":       {`{"vpa":"a@b","amount":7,"notify":{"never":true}}`, "a@b", "", 700, "A••a K••••••i, as••••@okbank", "never"},
		"wrong":         {`{"vpa":"a@b","amount":7,"notify":{"checksum":"wrong"}}`, "a@b", "", 700, "A••a K••••••i, as••••@okbank", "refused"},
		"wrong once":    {`{"vpa":"a@b","amount":7,"notify":{"checksum":"wrong-once","after":0}}`, "a@b", "", 700, "A••a K••••••i, as••••@okbank", "second"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := openUPI(t)
				began := time.Now().Truncate(time.Millisecond)
				p := u.pays(c.body)
				if p.Payee != c.payee || p.TR != c.tr || p.AmountPaise != c.amount || p.PayerName+", "+p.PayerVPA != c.payer || p.Refund != nil || len(p.ID) != 35 || len(p.RRN) != 12 {
					t.Errorf("%+v", p)
				}
				time.Sleep(10 * time.Second)
				soon := u.central.Took()
				time.Sleep(10 * time.Minute)
				all := append(slices.Clone(soon), u.central.Took()...)
				right := 0
				for _, r := range all {
					if r.Payment.ID != p.ID || r.Payment.RRN != p.RRN || r.Payment.Payee != c.payee || r.Payment.TR != c.tr || r.Payment.Amount != money.Paise(c.amount) {
						t.Errorf("told %+v", r)
					}
					if r.Signed {
						right++
					}
				}
				counts := []int{len(soon), len(all), right}
				want := map[string][]int{"now": {1, 1, 1}, "twice": {2, 2, 2}, "late": {0, 1, 1}, "never": {0, 0, 0}, "refused": {4, 10, 0}, "second": {2, 2, 1}}[c.told]
				if !slices.Equal(counts, want) {
					t.Errorf("told soon, in all, rightly: %v, want %v", counts, want)
				}
				byRRN, byPeriod := u.asks(network.PaymentQuery{RRN: p.RRN, Limit: 1}), u.asks(network.PaymentQuery{From: began, To: time.Now(), Limit: 500})
				if len(byRRN.Payments) != 1 || byRRN.Payments[0].ID != p.ID || !reflect.DeepEqual(byRRN.Payments, byPeriod.Payments) {
					t.Errorf("by RRN %+v, by period %+v", byRRN, byPeriod)
				}
				if c.tr != "" {
					if byTR := u.asks(network.PaymentQuery{Payee: c.payee, TR: c.tr, Limit: 5}); !reflect.DeepEqual(byTR.Payments, byRRN.Payments) {
						t.Errorf("by tr %+v", byTR)
					}
				}
				listed := read[[]paymentJSON](t, u.d, "/books/payments")
				notifications := map[string]int{"now": 1, "twice": 2, "late": 1, "never": 0, "refused": 1, "second": 1}[c.told]
				if len(listed) != 1 || listed[0].ID != p.ID || listed[0].AmountPaise != c.amount || len(listed[0].Notifications) != notifications {
					t.Errorf("listed %+v", listed)
				}
			})
		})
	}
}

// TestUPIRefund: the bank returns a payment later: the central is told again, with the
// refund, and the payment has a second place in the order.
func TestUPIRefund(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := openUPI(t)
		p := u.pays(`{"upiLink":"` + dynamicLink + `"}`)
		time.Sleep(time.Hour)
		first := u.central.Took()
		refunded := u.control("/control/upi/refund", `{"id":"`+p.ID+`","notify":{"times":2}}`)
		if refunded.Refund == nil || refunded.Refund.ID == p.ID || refunded.ID != p.ID {
			t.Fatalf("%+v", refunded)
		}
		time.Sleep(time.Minute)
		again := u.central.Took()
		if len(first) != 1 || first[0].Payment.Refund != nil || len(again) != 2 || again[0].Payment.Refund == nil || again[1].Payment.Refund.ID != refunded.Refund.ID {
			t.Errorf("told %+v, then %+v", first, again)
		}
		all := u.asks(network.PaymentQuery{From: time.Now().Add(-2 * time.Hour), To: time.Now(), Limit: 500}).Payments
		if len(all) != 2 || all[0].ID != p.ID || !reflect.DeepEqual(all[0], all[1]) || all[0].Refund == nil {
			t.Errorf("in order: %+v", all)
		}
		lines, end, _ := settled(t, u.d, "date="+time.Now().In(time.FixedZone("IST", 19800)).Format(time.DateOnly))
		for reference, rrn := range map[string]string{p.ID: p.RRN, refunded.Refund.ID: refunded.Refund.RRN} {
			if l := lines[reference]; l == nil || strings.Join(l[1:5], " ") != rrn+" 000000 250.00 00" {
				t.Errorf("settlement of %s: %v", reference, l)
			}
		}
		if end[2] != "2" || end[3] != "500.00" {
			t.Errorf("end %v", end)
		}
		for body, status := range map[string]int{
			`{"id":"` + p.ID + `"}`: 409, `{"id":"GSB1"}`: 404, `{}`: 400, `{"id":1}`: 400, `{"id":"GSB1","more":1}`: 400, `{"id":"GSB1","notify":{"times":0}}`: 400, `[]`: 400,
		} {
			if w := ask(t, u.d, "POST", "/control/upi/refund", body); w.Code != status {
				t.Errorf("%s: HTTP %d %s, want %d", body, w.Code, w.Body, status)
			}
		}
		if tr := read[map[string]int64](t, u.d, "/books/trial"); tr["debitsPaise"] != tr["creditsPaise"] {
			t.Errorf("trial %v", tr)
		}
	})
}

// TestUPIControlBadInput: every wrong field is named, and nothing is paid.
func TestUPIControlBadInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := openUPI(t)
		for _, tt := range []struct{ body, fields string }{
			{``, "body"}, {`null`, "body"}, {`{"vpa":"a@b","vpa":"a@c","amount":1}`, "body"},
			{`{}`, "upiLink"},
			{`{"upiLink":"` + dynamicLink + `","vpa":"a@b"}`, "upiLink"},
			{`{"upiLink":"upi://pay?am=1"}`, "upiLink"},
			{`{"upiLink":"` + staticLink + `"}`, "amount"},
			{`{"upiLink":"` + staticLink + `","order_id":"x","amount":0}`, "amount order_id"},
			{`{"upiLink":null,"speed":1}`, "speed upiLink"},
			{`{"vpa":"shop","order_id":"with space","amount":"1.001","payer":{"name":" ","vpa":"x","age":1},"notify":{"times":21,"after":-1,"checksum":"right","often":1}}`,
				"amount notify.after notify.checksum notify.often notify.times order_id payer.age payer.name payer.vpa vpa"},
			{`{"vpa":"","order_id":"","amount":null,"payer":1,"notify":[]}`, "amount notify order_id payer vpa"},
			{`{"vpa":"a@b","amount":1,"payer":{"name":1,"vpa":null},"notify":{"never":1,"times":1.5,"after":"x","checksum":1}}`,
				"notify.after notify.checksum notify.never notify.times payer.name payer.vpa"},
			{`{"vpa":"a@b","amount":1,"notify":{"never":true,"times":2}}`, "notify.never"},
			{`{"vpa":"a@b","amount":1,"notify":{"after":86400001,"checksum":""}}`, "notify.after notify.checksum"},
			{`{"vpa":"a@b","amount":10000000000,"payer":{"name":"` + strings.Repeat("x", 61) + `"}}`, "amount payer.name"},
			{`{"vpa":"a@b","amount":1,"payer":{"name":"a\u0000"}}`, "payer.name"},
		} {
			w := ask(t, u.d, "POST", "/control/upi/pay", tt.body)
			var got struct {
				Error  string
				Errors []struct{ Field, Message string }
			}
			err := json.Unmarshal(w.Body.Bytes(), &got)
			var fields []string
			for _, e := range got.Errors {
				fields = append(fields, e.Field)
			}
			if w.Code != 400 || err != nil || got.Error == "" || strings.Join(fields, " ") != tt.fields {
				t.Errorf("%s: HTTP %d, %s; want %q", tt.body, w.Code, w.Body, tt.fields)
			}
		}
		for _, path := range []string{"/control/upi/pay", "/control/upi/refund", "/phone"} {
			for origin, status := range map[string]int{"http://evil.test": 403, "null": 403, "http://example.com": 400} {
				if w := ask(t, u.d, "POST", path, `{}`, "Origin", origin); w.Code != status {
					t.Errorf("%s from %q: HTTP %d, want %d", path, origin, w.Code, status)
				}
			}
			if w := ask(t, u.d, "POST", path, strings.Repeat(" ", 20_000), "Content-Type", "application/x-www-form-urlencoded"); w.Code != 413 {
				t.Errorf("%s, too large: HTTP %d", path, w.Code)
			}
			if w := ask(t, u.d, "DELETE", path, ``); w.Code != 405 || w.Header().Get("Allow") == "" {
				t.Errorf("DELETE %s: HTTP %d", path, w.Code)
			}
		}
		if listed := read[[]paymentJSON](t, u.d, "/books/payments?reference=order-17"); len(listed) != 0 {
			t.Errorf("something was paid: %+v", listed)
		}
		for _, bad := range []string{"?limit=1", "?reference=a%20b", "?from=x"} {
			if w := ask(t, u.d, "GET", "/books/payments"+bad, ""); w.Code != 400 {
				t.Errorf("%s: HTTP %d", bad, w.Code)
			}
		}
		for _, bad := range []string{`{`, `{"reference":"UPI-1"}`, `{"reference":"UPI-1","rrn":"1","limit":1}`, `{"reference":"UPI-1","from":1,"to":2,"after":"x","limit":1}`} {
			if status, _ := u.posts(network.PathPayments, []byte(bad)); status != 400 {
				t.Errorf("%s: HTTP %d", bad, status)
			}
		}
	})
}

// TestUPIWhileDown: payments are made while the bank's network is down; the central is told
// when it is up.
func TestUPIWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := openUPI(t)
		ask(t, u.d, "POST", "/control", `{"down":true}`)
		p := u.pays(`{"vpa":"a@b","amount":7}`)
		time.Sleep(time.Hour)
		if got := u.central.Took(); got != nil {
			t.Errorf("told while down: %+v", got)
		}
		ask(t, u.d, "POST", "/control", `{"down":false}`)
		time.Sleep(time.Second)
		if got := u.central.Took(); len(got) != 1 || got[0].Payment.ID != p.ID {
			t.Errorf("told %+v", got)
		}
	})
}

// TestLargePages: an answer stays below the limit of replies, and the rest follows.
func TestLargePages(t *testing.T) {
	cfg, _, _ := NewTestConfig(t)
	b := Open(t, cfg)
	payee := strings.Repeat("p", 200) + "@" + strings.Repeat("b", 54)
	const many = 900
	from := time.Now().Add(-time.Second)
	for i := range many {
		_, err := b.PayUPI(t.Context(), UPIPayment{Payee: payee, TR: fmt.Sprintf("%035d", i), Amount: 1, PayerName: strings.Repeat("x ", 30), PayerVPA: "x@" + strings.Repeat("y", 250)}, Notice{})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for q := (network.PaymentQuery{Reference: "UPI-1", From: from, To: time.Now().Add(time.Second), Limit: 500}); ; {
		body, err := network.EncodePaymentQuery(q)
		if err != nil {
			t.Fatal(err)
		}
		w := ask(t, b.NetworkHandler(), "POST", network.PathPayments, string(body), network.HeaderChecksum, network.RequestChecksum(NetworkKey(), "POST", network.PathPayments, body))
		a, err := network.DecodePayments(w.Body.Bytes())
		if err != nil || w.Code != 200 || w.Body.Len() > network.MaxReply {
			t.Fatalf("HTTP %d, %d bytes, %v", w.Code, w.Body.Len(), err)
		}
		for _, p := range a.Payments {
			if p.TR != fmt.Sprintf("%035d", seen) || p.InvalidMembers() != nil {
				t.Fatalf("payment %d: %+v, %v", seen, p, p.InvalidMembers())
			}
			seen++
		}
		if q.After = a.Next; q.After == "" {
			break
		}
	}
	if seen != many {
		t.Errorf("%d payments, want %d", seen, many)
	}
}

// TestPayersAreMasked: neither the files nor the log have a payer's name or VPA.
func TestPayersAreMasked(t *testing.T) {
	var log bytes.Buffer
	cfg, _, _ := NewTestConfig(t)
	cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b := Open(t, cfg)
	if _, err := b.PayUPI(t.Context(), UPIPayment{Payee: "shop@galla", Amount: 100, PayerName: "Gajendranath Mukhopadhyay", PayerVPA: "gajendranath@okbank"}, Notice{}); err != nil {
		t.Fatal(err)
	}
	data := log.Bytes()
	files, err := filepath.Glob(filepath.Join(cfg.DataDir, "books*"))
	if err != nil || len(files) == 0 {
		t.Fatal("the books have no files", err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, content...)
	}
	if !bytes.Contains(data, []byte("ga••••@okbank")) {
		t.Error("the search finds nothing that is there")
	}
	for _, secret := range []string{"Gajendra", "Mukhopadhyay", "gajendra"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%q lies in a file or in the log", secret)
		}
	}
}

// TestPhoneForms goes through the phone's pages as a browser without scripts.
func TestPhoneForms(t *testing.T) {
	cfg, _, _ := NewTestConfig(t)
	b := Open(t, cfg)
	d := b.PublicHandler()
	page := func(method, target, body string) (int, http.Header, string) {
		w := ask(t, d, method, target, body, "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded", "Origin", "http://example.com")
		if !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'") {
			t.Errorf("%s: policy %q", target, w.Header().Get("Content-Security-Policy"))
		}
		return w.Code, w.Header(), w.Body.String()
	}
	if status, _, text := page("GET", "/phone", ""); status != 200 || !strings.Contains(text, "Link of the QR code") {
		t.Errorf("HTTP %d %s", status, text)
	}
	if status, _, text := page("GET", "/phone?upiLink=upi%3A%2F%2Fpay%3Fam%3D1%3Cb%3E", ""); status != 400 || !strings.Contains(text, "must have pa") || strings.Contains(text, "1<b>") {
		t.Errorf("HTTP %d %s", status, text)
	}
	status, _, text := page("GET", "/phone?upiLink="+url.QueryEscape(staticLink), "")
	_, id, found := strings.Cut(text, `name="id" value="`)
	if id, _, _ = strings.Cut(id, `"`); status != 200 || !found || !strings.Contains(text, "Lakshmi Kirana Store") {
		t.Fatalf("HTTP %d %s", status, text)
	}
	form := url.Values{"upiLink": {staticLink}, "id": {id}, "amount": {"0"}, "payer": {" "}}
	if status, _, text := page("POST", "/phone", form.Encode()); status != 400 || !strings.Contains(text, "Rupees above zero") || !strings.Contains(text, "readable name") {
		t.Errorf("HTTP %d %s", status, text)
	}
	form.Set("amount", "12.50")
	form.Set("payer", "Ramesh Kumar")
	for range 2 { // a second press pays nothing
		if status, h, _ := page("POST", "/phone", form.Encode()); status != 303 || h.Get("Location") != "/phone/paid/"+id {
			t.Errorf("HTTP %d to %s", status, h.Get("Location"))
		}
	}
	if status, _, text := page("GET", "/phone/paid/"+id, ""); status != 200 || !strings.Contains(text, "<b>Paid</b> ₹12.50") || !strings.Contains(text, "ra••••@okbank") || !strings.Contains(text, id) {
		t.Errorf("HTTP %d %s", status, text)
	}
	paid, err := b.Payments(t.Context(), books.Filter{})
	if err != nil || len(paid) != 1 || paid[0].Amount != 12_50 {
		t.Fatalf("%+v, %v", paid, err)
	}
	form.Set("id", "x")
	if status, _, text := page("POST", "/phone", form.Encode()); status != 400 || !strings.Contains(text, "too old") {
		t.Errorf("HTTP %d %s", status, text)
	}
	if status, _, _ := page("GET", "/phone/paid/"+paid[0].RRN, ""); status != 404 {
		t.Errorf("by its RRN: HTTP %d", status)
	}
	if _, err := b.RefundUPI(t.Context(), id, Notice{Never: true}); err != nil {
		t.Fatal(err)
	}
	if _, _, text := page("GET", "/phone/paid/"+id, ""); !strings.Contains(text, "<b>Refunded</b>") {
		t.Error(text)
	}
	for target, want := range map[string]string{"/books/payments": id, "/books/payments?reference=nobody": "no payment nobody"} {
		if w := ask(t, d, "GET", target, "", "Accept", "text/html"); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: HTTP %d %s", target, w.Code, w.Body)
		}
	}
}
