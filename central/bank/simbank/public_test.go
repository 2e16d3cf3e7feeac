package simbank_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/central"
	"galla/central/bank/simbank"
	"galla/shared/ist"
	"galla/shared/money"
)

// ask calls the public interface.
func ask(t *testing.T, h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// read calls the public interface and decodes its JSON.
func read[T any](t *testing.T, h http.Handler, target string) T {
	t.Helper()
	w := ask(t, h, "GET", target, "", "Accept", "application/json")
	var v T
	d := json.NewDecoder(w.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%s: HTTP %d, %s, %v", target, w.Code, w.Header().Get("Content-Type"), err)
	}
	return v
}

type executionJSON struct {
	Reference, Kind, Status, At string
	AmountPaise                 int64
}

type messageJSON struct{ At, Text, OTP string }

// TestPublicPages reads what the sandbox's document promises to programs outside.
func TestPublicPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		began := time.Now()
		good := h.request(central.KindWithdrawal, 500*money.Rupee)
		rrn := h.send(good).RRN
		time.Sleep(10 * time.Second)
		back, bad := h.request(central.KindPurchase, 200*money.Rupee+93), h.request(central.KindWithdrawal, 100*money.Rupee+5)
		h.send(back)
		h.send(bad)
		h.send(h.request(central.KindBalance, 0))
		time.Sleep(time.Minute)

		list := read[[]executionJSON](t, d, "/books/executions?reference="+string(good.Reference))
		if len(list) != 1 || list[0].Reference != string(good.Reference) || list[0].Kind != "CASH_WITHDRAWAL" || list[0].AmountPaise != 50000 || list[0].Status != "EXECUTED" {
			t.Errorf("executions %+v", list)
		}
		if at, err := time.Parse(time.RFC3339, list[0].At); err != nil || at.Before(began.Truncate(time.Millisecond)) || at.After(began.Add(time.Second)) {
			t.Errorf("at %q, %v", list[0].At, err)
		}
		if byRRN := read[[]executionJSON](t, d, "/books/executions?reference="+rrn); len(byRRN) != 1 || byRRN[0] != list[0] {
			t.Errorf("by RRN: %+v", byRRN)
		}
		if none := ask(t, d, "GET", "/books/executions?reference=NOBODY", "").Body.String(); none != "[]" {
			t.Errorf("no execution: %s, want []", none)
		}
		for _, zone := range []string{"UTC", "+05:30"} {
			at := began.UTC()
			if zone != "UTC" {
				at = began.In(ist.Zone())
			}
			from, to := at.Format(time.RFC3339), at.Add(20*time.Second).Format(time.RFC3339)
			all := read[[]executionJSON](t, d, "/books/executions?from="+from+"&to="+to) // the plus unescaped, as people write it
			if len(all) != 3 || all[1].Status != "REVERSED" || all[2].Status != "DECLINED" {
				t.Errorf("from %s to %s: %+v", from, to, all)
			}
			// An end without a fraction covers its second.
			if some := read[[]executionJSON](t, d, "/books/executions?from="+url.QueryEscape(from)+"&to="+url.QueryEscape(from)); len(some) != 1 {
				t.Errorf("in the first second: %+v", some)
			}
			if rest := read[[]executionJSON](t, d, "/books/executions?from="+url.QueryEscape(at.Add(time.Second).Format(time.RFC3339))); len(rest) != 2 {
				t.Errorf("from the second second on: %+v", rest)
			}
		}
		if b := read[map[string]string](t, d, "/books/balance/"+shivshankar); b["balance"] != "24500.00" || len(b) != 1 {
			t.Errorf("balance %v", b)
		}
		if tr := read[map[string]int64](t, d, "/books/trial"); tr["debitsPaise"] != tr["creditsPaise"] || tr["debitsPaise"] == 0 || len(tr) != 2 {
			t.Errorf("trial %v", tr)
		}
		inbox := read[[]messageJSON](t, d, "/inbox/9000000001")
		if len(inbox) != 3 || !strings.HasPrefix(inbox[0].Text, "Rs 200.93 credited back") || !strings.HasPrefix(inbox[2].Text, "Rs 500.00 debited") || inbox[0].OTP != "" {
			t.Errorf("inbox %+v", inbox)
		}
		if e := ask(t, d, "GET", "/inbox/9000000009", "", "Accept", "application/json").Body.String(); e != "[]" {
			t.Errorf("empty inbox: %s, want []", e)
		}
		entries := read[[]map[string]any](t, d, "/books?reference="+string(back.Reference))
		if len(entries) != 1 || entries[0]["state"] != "REVERSED" || len(entries[0]["postings"].([]any)) != 4 || entries[0]["customer"] != "XXXXXXXX7058" {
			t.Errorf("books %v", entries)
		}
		if all := read[[]map[string]any](t, d, "/books"); len(all) != 4 {
			t.Errorf("books list %d transactions, want 4", len(all))
		}
	})
}

func TestPublicHTML(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		r := h.request(central.KindWithdrawal, 500*money.Rupee, func(r *central.BankRequest) { r.MID = "<b>MID</b>" })
		h.send(r)
		for target, want := range map[string]string{
			"/":                 "Kumar Agarwal",
			"/books":            "settlement.acquirer",
			"/inbox/9000000001": "Rs 500.00 debited",
			"/inbox/9000000002": "No messages",
			"/books?reference=" + string(r.Reference): string(r.Reference),
			"/books?reference=NOBODY":                 "has not seen NOBODY",
			"/bank.css":                               "font",
		} {
			w := ask(t, d, "GET", target, "", "Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
			if w.Code != 200 || !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "<b>MID") || strings.Contains(w.Body.String(), shivshankar) {
				t.Errorf("%s: HTTP %d without %q, or with what must not be there:\n%s", target, w.Code, want, w.Body)
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
				t.Errorf("%s: policy %q", target, csp)
			}
		}
	})
}

// TestPublicBadInput: JSON with every wrong field, and nothing changes.
func TestPublicBadInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		for _, tt := range []struct {
			method, target, body string
			status               int
			fields               string
		}{
			{"GET", "/nowhere", "", 404, ""},
			{"GET", "/books/", "", 404, ""},
			{"GET", "/books/balance/", "", 404, ""},
			{"POST", "/books", "", 405, ""},
			{"DELETE", "/control", "", 405, ""},
			{"GET", "/books/executions?from=yesterday&to=now&reference=a%20b&limit=1", "", 400, "from limit reference to"},
			{"GET", "/books/executions?reference=A&reference=B", "", 400, "reference"},
			{"GET", "/books?from=%zz", "", 400, "query"},
			{"GET", "/books/balance/999941057059", "", 400, "aadhaar"},
			{"GET", "/books/balance/12", "", 400, "aadhaar"},
			{"GET", "/books/balance/" + unknown, "", 404, ""},
			{"GET", "/inbox/900000000x", "", 400, "mobile"},
			{"GET", "/inbox/90000", "", 400, "mobile"},
			{"POST", "/control", "", 400, "body"},
			{"POST", "/control", "null", 400, "body"},
			{"POST", "/control", "[]", 400, "body"},
			{"POST", "/control", `{"down":true,"down":false}`, 400, "body"},
			{"POST", "/control", `{"down":"yes","latencyMs":-1,"speed":1}`, 400, "down latencyMs speed"},
			{"POST", "/control", `{"down":null,"latencyMs":1.5}`, 400, "down latencyMs"},
			{"POST", "/control", `{"latencyMs":600001,"down":true}`, 400, "latencyMs"},
			{"POST", "/control", strings.Repeat(" ", 5000), 413, ""},
		} {
			w := ask(t, d, tt.method, tt.target, tt.body)
			var got struct {
				Error  string
				Errors []struct{ Field, Message string }
			}
			err := json.Unmarshal(w.Body.Bytes(), &got)
			var fields []string
			for _, e := range got.Errors {
				fields = append(fields, e.Field)
			}
			if w.Code != tt.status || err != nil || got.Error == "" || strings.Join(fields, " ") != tt.fields {
				t.Errorf("%s %s %s: HTTP %d, %s; want %d naming %q", tt.method, tt.target, tt.body, w.Code, w.Body, tt.status, tt.fields)
			}
			if strings.Contains(w.Body.String(), unknown) {
				t.Errorf("%s: the answer shows the number", tt.target)
			}
		}
		if c := h.bank.Control(); c.Down || c.Latency != 0 {
			t.Errorf("control %+v was changed", c)
		}
	})
}

func TestPublicControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		for _, tt := range []struct{ body, want string }{
			{`{"latencyMs":2000}`, `{"down":false,"latencyMs":2000}`},
			{`{"down":true}`, `{"down":true,"latencyMs":2000}`},
			{`{}`, `{"down":true,"latencyMs":2000}`},
			{`{"down":false,"latencyMs":0}`, `{"down":false,"latencyMs":0}`},
		} {
			if w := ask(t, d, "POST", "/control", tt.body); w.Code != 200 || w.Body.String() != tt.want {
				t.Errorf("%s: HTTP %d %s, want %s", tt.body, w.Code, w.Body, tt.want)
			}
			if got := ask(t, d, "GET", "/control", "").Body.String(); got != tt.want {
				t.Errorf("%s: reads %s", tt.body, got)
			}
			_, err := h.net.Send(t.Context(), h.request(central.KindBalance, 0))
			if down := strings.Contains(tt.want, `"down":true`); central.NotSent(err) != down || (err != nil) != down {
				t.Errorf("%s: sending gives %v", tt.body, err)
			}
		}
		for origin, status := range map[string]int{"http://evil.test": 403, "null": 403, "http://example.com": 200, "": 200} {
			headers := []string{"Origin", origin}
			if origin == "" {
				headers = nil
			}
			if w := ask(t, d, "POST", "/control", `{}`, headers...); w.Code != status {
				t.Errorf("from %q: HTTP %d, want %d", origin, w.Code, status)
			}
		}
		// Over the real listener, too.
		reply, err := h.public.Get("http://public.test/control")
		if err != nil || reply.StatusCode != 200 {
			t.Fatalf("over the network: %v, %v", reply, err)
		}
		_ = reply.Body.Close()
	})
}

// TestInboxForThePage: the sandbox's page may read inboxes; pages elsewhere may not, and
// neither may read the rest.
func TestInboxForThePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const page = "http://127.0.0.1:7100"
		d := open(t, func(c *simbank.Config) { c.Origins = []string{page} }).bank.PublicHandler()
		for _, tt := range []struct{ path, origin, want string }{
			{"/inbox/9000000001", page, page},
			{"/inbox/9000000001", "http://127.0.0.1:7200", ""},
			{"/inbox/9000000001", "", ""},
			{"/books/executions", page, ""},
			{"/control", page, ""},
		} {
			headers := []string{"Accept", "application/json"}
			if tt.origin != "" {
				headers = append(headers, "Origin", tt.origin)
			}
			w := ask(t, d, "GET", tt.path, "", headers...)
			if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != 200 || got != tt.want {
				t.Errorf("%s from %q: HTTP %d, readable by %q", tt.path, tt.origin, w.Code, got)
			}
		}
	})
}

// TestPublicWhileTransacting: people read while the central writes.
func TestPublicWhileTransacting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t)
		d := h.bank.PublicHandler()
		done := make(chan struct{})
		var requests []central.BankRequest
		for range 20 {
			requests = append(requests, h.request(central.KindWithdrawal, money.Rupee))
		}
		go func() {
			defer close(done)
			for _, r := range requests {
				if _, err := h.net.Send(t.Context(), r); err != nil {
					t.Error(err)
				}
			}
		}()
		for range 20 {
			tr := read[map[string]int64](t, d, "/books/trial")
			if tr["debitsPaise"] != tr["creditsPaise"] {
				t.Errorf("trial %v", tr)
			}
		}
		<-done
		if e := read[[]executionJSON](t, d, "/books/executions"); len(e) != len(requests) {
			t.Error(fmt.Sprint(len(e), " executions"))
		}
	})
}
