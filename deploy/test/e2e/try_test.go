//go:build linux

package e2e

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"galla/edge/ui/uitest"
	"galla/shared/envelope"
)

// tryPage is the page /docs/try in a browser.
type tryPage struct {
	*uitest.Browser
	t *testing.T
	h *sandbox
}

// openTry opens the page of a sandbox.
func openTry(t *testing.T, h *sandbox, chromium context.Context, width, height int64) tryPage {
	t.Helper()
	p := tryPage{uitest.Open(t, chromium, h.url("CENTRAL"), width, height), t, h}
	p.Navigate("/docs/try")
	p.WaitFor(`document.body.dataset.ready === "yes"`)
	return p
}

// change sets a field as its user does.
func (p tryPage) change(selector, value string) {
	p.t.Helper()
	uitest.Eval[bool](p.Browser, fmt.Sprintf(`(() => {
		const field = document.querySelector(%q), value = %q;
		if (field.type === "radio") field.click(); else field.value = value;
		for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
		return true;
	})()`, selector, value))
}

func (p tryPage) text(id string) string {
	p.t.Helper()
	return uitest.Eval[string](p.Browser, fmt.Sprintf(`document.getElementById(%q).textContent`, id))
}

// press presses a button and waits until the page has done it.
func (p tryPage) press(id string) string {
	p.t.Helper()
	p.WaitFor(`document.getElementById("call").ariaBusy !== "true"`)
	uitest.Eval[bool](p.Browser, fmt.Sprintf(`(document.getElementById("status").textContent = "", document.getElementById(%q).click(), true)`, id))
	p.WaitFor(`document.getElementById("call").ariaBusy === "false" && !["", "Sending…"].includes(document.getElementById("status").textContent)`)
	return p.text("status")
}

// paste runs the command that the page shows.
func (p tryPage) paste() string {
	p.t.Helper()
	out, err := exec.Command("bash", "-c", p.text("command")).CombinedOutput()
	if err != nil {
		p.t.Errorf("the command fails: %v: %s", err, out)
	}
	return string(out)
}

// TestChromiumTry: a partner's engineer withdraws at the page /docs/try, directly and
// through the gateway, on a desktop by keyboard and on a phone, and pastes its commands.
func TestChromiumTry(t *testing.T) {
	t.Parallel()
	h := startSandbox(t)
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		p := openTry(t, h, chromium, size[0], size[1])
		p.Screenshot("try")
		p.tryDirect()
		p.tryGateway()
		p.tryPayment()
		p.tryFailures()
	}
	p := openTry(t, h, chromium, 1366, 768)
	p.sealsAsTheGatewayDoes()
}

// executions counts what the bank has executed so far.
func (p tryPage) executions() int {
	p.t.Helper()
	return len(p.h.executions(time.Now().Add(-time.Hour), time.Now().Add(time.Hour)))
}

func (p tryPage) tryDirect() {
	p.t.Helper()
	before := p.executions()
	p.TabTo("#route")
	p.TabTo("#send")
	p.Press(kb.Enter)
	p.WaitFor(`document.getElementById("status").textContent.startsWith("HTTP 200, statusCode 00: Transaction successful")`)
	if reply := p.text("reply"); !strings.Contains(reply, `"txnStatus": "SUCCESS"`) || p.executions() != before+1 {
		p.t.Errorf("%d executions: %s", p.executions()-before, reply)
	}
	p.Screenshot("try-direct")
	if said := p.press("again"); !strings.HasPrefix(said, "HTTP 200") || !strings.Contains(strings.ToLower(p.text("reply")), "idempotent-replayed: true") {
		p.t.Errorf("the same again: %s: %s", said, p.text("reply"))
	}
	if out := p.paste(); !strings.Contains(out, "HTTP/1.1 200") || !strings.Contains(strings.ToLower(out), "idempotent-replayed: true") || p.executions() != before+1 {
		p.t.Errorf("%d executions; the command: %s", p.executions()-before, out)
	}
}

func (p tryPage) tryGateway() {
	p.t.Helper()
	before := p.executions()
	p.change(`[name=door][value=gateway]`, "")
	if said := p.press("send"); !strings.HasPrefix(said, "HTTP 200, statusCode 00: Transaction successful") {
		p.t.Fatalf("%s\n%s", said, p.Text())
	}
	if !strings.Contains(p.text("reply"), `"txnStatus": "SUCCESS"`) || !strings.HasPrefix(p.text("verdict"), "The checksum is right") ||
		!strings.Contains(p.text("plain"), `"merchantId": "c0000000-0000-4000-8000-000000000001"`) || strings.Contains(p.text("sealed-reply"), "SUCCESS") {
		p.t.Errorf("the sealed withdrawal: %s", p.Text())
	}
	p.Screenshot("try-gateway")
	if said := p.press("again"); !strings.HasPrefix(said, "HTTP 200") || !strings.Contains(strings.ToLower(p.text("sealed-reply")), "idempotent-replayed: true") || p.executions() != before+1 {
		p.t.Errorf("the same again: %s: %s", said, p.text("sealed-reply"))
	}
	if out := p.paste(); !strings.Contains(out, "HTTP/1.1 401") {
		p.t.Errorf("a message was taken twice: %s", out)
	}
	if said := p.press("seal"); !strings.HasPrefix(said, "Sealed, and not sent") || p.executions() != before+1 {
		p.t.Errorf("sealing: %s", said)
	}
	if out := p.paste(); !strings.Contains(out, "HTTP/1.1 200") || p.executions() != before+2 {
		p.t.Errorf("a sealed message that was pasted: %s", out)
	}
	p.change("#route", "get_aeps_banks")
	if !uitest.Eval[bool](p.Browser, `document.getElementById("send").disabled`) {
		p.t.Error("a sealed GET, whose body a browser does not send, can be sent")
	}
	p.press("seal")
	if out := p.paste(); !strings.Contains(out, "HTTP/1.1 200") {
		p.t.Errorf("a sealed GET: %s", out)
	}
}

// openRoute opens the page anew, at a route.
func (p tryPage) openRoute(id string) {
	p.t.Helper()
	p.Navigate("/docs") // another page: a change of the fragment alone loads nothing
	p.Navigate("/docs/try#" + id)
	p.WaitFor(fmt.Sprintf(`document.body.dataset.ready === "yes" && document.getElementById("route").value === %q`, id))
}

// tryPayment: the link under a new QR code leads to the bank's phone, which pays it, and the
// status of the order is then asked for on the page.
func (p tryPage) tryPayment() {
	p.t.Helper()
	p.openRoute("post_upi_txn_v1_GenerateQR")
	order := fmt.Sprintf("TRY-%d", time.Now().UnixNano())
	p.change("#body", fmt.Sprintf(`{"order_id": %q, "amount": 12.5}`, order))
	if said := p.press("send"); !strings.HasPrefix(said, "HTTP 200, statusCode 00") {
		p.t.Fatalf("a QR code: %s\n%s", said, p.text("reply"))
	}
	p.Screenshot("try-code")
	const link = `document.getElementById("pay")`
	if to := uitest.Eval[string](p.Browser, link+`.href`); !strings.HasPrefix(to, p.h.url("BANK")+"/phone?upiLink=upi%3A%2F%2Fpay%3F") {
		p.t.Fatalf("the link to pay it leads to %s", to)
	}
	// A tab of its own is beyond this browser: it opens the link in this one.
	uitest.Eval[any](p.Browser, fmt.Sprintf(`void (%[1]s.target = "_self", %[1]s.click())`, link))
	p.WaitFor(`document.readyState === "complete" && document.querySelector(".sum")?.innerText === "₹12.50"`)
	uitest.Eval[any](p.Browser, `void document.querySelector("main button.main").click()`)
	p.WaitFor(`document.querySelector(".paid")?.innerText.includes("₹12.50")`)
	p.openRoute("post_upi_txn_v1_status")
	p.change("#body", fmt.Sprintf(`{"order_id": %q}`, order))
	for limit := time.Now().Add(time.Minute); ; {
		said := p.press("send")
		if strings.Contains(p.text("reply"), `"status": "PAID"`) {
			break
		}
		if !strings.HasPrefix(said, "HTTP 200") || time.Now().After(limit) {
			p.t.Fatalf("the order is not paid: %s\n%s", said, p.text("reply"))
		}
	}
	if !uitest.Eval[bool](p.Browser, `document.getElementById("pay-row").hidden`) {
		p.t.Error("a reply without a QR code can be paid")
	}
}

// tryFailures: what is refused or missing is said, and nothing is sent for it.
func (p tryPage) tryFailures() {
	p.t.Helper()
	p.change(`[name=door][value=direct]`, "")
	p.change("#route", "post_aeps_withdrawal")
	p.change("#body", strings.Replace(uitest.Eval[string](p.Browser, `document.getElementById("body").value`), `"TxnAmount": 500`, `"TxnAmount": 100.51`, 1))
	if p.press("send"); !strings.Contains(p.text("reply"), `"ResponseCode": "51"`) {
		p.t.Errorf("a decline: %s", p.text("reply"))
	}
	p.change("#client", "merchant-nila")
	if said := p.press("send"); !strings.HasPrefix(said, "Not sent: merchant-nila gets no token") {
		p.t.Errorf("a merchant that is pending: %s", said)
	}
	p.Navigate("/docs")
	p.WaitFor(`document.readyState === "complete"`)
	uitest.Eval[bool](p.Browser, `(document.querySelector("a[href='/docs/try#post_dmt_txn_v1_transaction_otp']").click(), true)`)
	p.WaitFor(`document.body.dataset.ready === "yes" && document.getElementById("route").value === "post_dmt_txn_v1_transaction_otp"`)
	p.TabTo("#send")
	p.Press(kb.Enter)
	const missing = "Not sent: there is no value for $SENDERID yet: run the calls that come first, or write one"
	p.WaitFor(fmt.Sprintf(`document.getElementById("status").textContent === %q`, missing))
	p.Screenshot("try-refused")
}

// sealsAsTheGatewayDoes: the browser's message has the bytes of the gateway's own code.
func (p tryPage) sealsAsTheGatewayDoes() {
	p.t.Helper()
	const path, id, request, plain = "/process/aeps/balance", "vk_sandbox_sahyadri", "bd97163b-32d4-49f5-85e5-f63c15ce68b0", `{"name":"शिव","n":1}`
	raw, iv, at := []byte("0123456789abcdef0123456789ABCDEF"), []byte("0123456789ab"), time.UnixMilli(1767225600000)
	parsed, err := envelope.ParseKey(hex.EncodeToString(raw))
	must(p.t, err)
	key, err := envelope.New(parsed)
	must(p.t, err)
	want, body, err := key.SealRequest("POST", path, id, request, at, []byte(plain), strings.NewReader(string(iv)))
	must(p.t, err)
	var got struct {
		Headers map[string]string
		Body    string
	}
	must(p.t, json.Unmarshal([]byte(uitest.Eval[string](p.Browser, fmt.Sprintf(`import("/docs/seal.js").then(async (m) => JSON.stringify(await m.sealRequest(m.readHex(%q), {
		method: "POST", path: %q, clientId: %q, requestId: %q, json: %q, now: %d, iv: Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))})))`,
		hex.EncodeToString(raw), path, id, request, plain, at.UnixMilli(), base64.StdEncoding.EncodeToString(iv)))), &got))
	for name, value := range map[string]string{
		envelope.HeaderClientID: want.ClientID, envelope.HeaderTimestamp: want.Timestamp, envelope.HeaderRequestID: want.RequestID,
		envelope.HeaderIV: want.IV, envelope.HeaderTag: want.Tag, envelope.HeaderChecksum: want.Checksum,
	} {
		if got.Headers[name] != value {
			p.t.Errorf("%s is %q, the gateway's own code has %q", name, got.Headers[name], value)
		}
	}
	if got.Body != string(body) {
		p.t.Errorf("body %s, want %s", got.Body, body)
	}
	// A reply that somebody changed is not opened.
	sealed, text, err := key.SealReply(200, request, at, []byte(plain), strings.NewReader(string(iv)))
	must(p.t, err)
	headers, err := json.Marshal(map[string]string{
		envelope.HeaderTimestamp: sealed.Timestamp, envelope.HeaderRequestID: sealed.RequestID, envelope.HeaderIV: sealed.IV, envelope.HeaderTag: sealed.Tag, envelope.HeaderChecksum: sealed.Checksum,
	})
	must(p.t, err)
	for _, tt := range []struct {
		status, later int
		request, want string
	}{
		{200, 0, request, plain},
		{400, 0, request, "the checksum of the reply is wrong"},
		{200, 0, "another", "the reply belongs to another request"},
		{200, 300_001, request, "the reply's time is not now: is this computer's clock right?"},
	} {
		opened := uitest.Eval[string](p.Browser, fmt.Sprintf(`import("/docs/seal.js").then((m) => m.openReply(m.readHex(%q), {status: %d, header: (n) => (%s)[n], body: %q, requestId: %q, now: %d}).then((o) => o.json, (e) => e.message))`,
			hex.EncodeToString(raw), tt.status, headers, text, tt.request, at.UnixMilli()+int64(tt.later)))
		if opened != tt.want {
			p.t.Errorf("the reply opens to %q, want %q", opened, tt.want)
		}
	}
}

// TestChromiumTryEveryRoute: each route's example succeeds from the page at a fresh
// sandbox, through either entrance, with what it needs run by one press.
func TestChromiumTryEveryRoute(t *testing.T) {
	t.Parallel()
	for _, door := range []string{"direct", "gateway"} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			h := startSandbox(t)
			p := openTry(t, h, uitest.Chromium(t), 1366, 768)
			ids := uitest.Eval[[]string](p.Browser, `fetch("/docs/try.json").then((r) => r.json()).then((d) => d.samples.groups.flatMap((g) => g.routes).sort((a, b) => a.step - b.step).map((r) => r.id))`)
			if len(ids) < 50 {
				t.Fatalf("%d routes", len(ids))
			}
			sent := 0
			for _, id := range ids {
				p.change(`[name=door][value=direct]`, "")
				p.change("#route", id)
				if door == "gateway" && uitest.Eval[bool](p.Browser, `!document.querySelector("[value=gateway]").disabled`) {
					p.change(`[name=door][value=gateway]`, "")
					if uitest.Eval[bool](p.Browser, `document.getElementById("send").disabled`) {
						p.change(`[name=door][value=direct]`, "") // a GET
					} else {
						sent++
					}
				}
				if uitest.Eval[bool](p.Browser, `!document.getElementById("before-row").hidden && !document.getElementById("first").disabled`) {
					p.press("first")
				}
				said := p.press("send")
				if !strings.HasPrefix(said, "HTTP 20") || strings.Contains(said, "statusCode") && !strings.Contains(said, "statusCode 00") {
					t.Errorf("%s: %s\n%s\n%s", id, said, p.text("steps"), p.text("request"))
				}
			}
			if door == "gateway" && sent < 30 {
				t.Errorf("%d sealed messages were sent", sent)
			}
		})
	}
}
