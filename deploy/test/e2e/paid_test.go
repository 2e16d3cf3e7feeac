//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"galla/shared/theme"
)

// window opens another window of the same browser, with cookies of its own.
func (b *browser) window(name string) *browser {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	b.t.Cleanup(cancel)
	other := &browser{t: b.t, h: b.h, ctx: ctx, shots: b.shots, prefix: name + "-"}
	if err := chromedp.Do(ctx); err != nil {
		b.t.Fatalf("open a window: %v", err)
	}
	go other.watchExceptions()
	go other.watchLog()
	other.wide()
	return other
}

// paidDay is a counter, the phone of somebody who pays, and the customer's screen.
type paidDay struct {
	t                         *testing.T
	h                         *sandbox
	counter, phone, customers *browser
	vpa                       string // the shop's UPI address
}

// TestChromiumPaid is a walk in a real Chromium: somebody pays the code that the counter
// shows, and then the printed one, and the bank gives a payment back. The shop hears of each
// on the page that is open, and its customer on the other screen.
func TestChromiumPaid(t *testing.T) {
	t.Parallel()
	h := startSandbox(t)
	b := browse(t, h)
	d := &paidDay{t: t, h: h, counter: b, phone: b.window("phone"), customers: b.window("customers")}
	b.goTo("/")
	b.awaitPath("/unlock")
	(&counterDay{b: b, h: h, t: t}).signIn()
	d.openCustomersScreen()
	id := d.payCode()
	d.payPrintedCode()
	d.returnPayment(id)
	d.restart()
	for _, one := range []*browser{d.counter, d.phone, d.customers} {
		one.checkConsole()
	}
	h.checkDoubleEntry()
}

func (d *paidDay) openCustomersScreen() {
	d.t.Log("the customer's screen is opened by a code")
	d.counter.goTo("/customer/setup")
	d.counter.click(`form[action="/customer/setup"] button`)
	d.counter.await("the code", `document.querySelector(".customer-key")`)
	code := strings.ReplaceAll(d.counter.text(".customer-key"), " ", "")
	d.customers.goTo("/customer/open")
	d.customers.typeInto("code", code, enter)
	d.customers.awaitPath("/customer")
}

// listen counts the sounds that the counter's page plays from now on.
const listen = `void (() => {
	const again = "sounds" in window;
	window.sounds = [];
	if (again) return;
	const play = HTMLMediaElement.prototype.play;
	HTMLMediaElement.prototype.play = function () {
		const sound = {from: this.currentSrc || this.src, over: false};
		window.sounds.push(sound);
		this.addEventListener("ended", () => { sound.over = true; });
		return play.call(this).catch((fault) => { sound.from = String(fault); throw fault; });
	};
})()`

// listen notes the sounds of the page from now on.
func (d *paidDay) listen() {
	d.t.Helper()
	if _, err := ask[any](d.counter, listen); err != nil {
		d.counter.fail("listen to the page", err)
	}
}

// heard waits until the page has played so many sounds since listen, each to its end.
func (d *paidDay) heard(want int) {
	d.t.Helper()
	d.counter.await("the sound", fmt.Sprintf(`window.sounds.filter(s => s.over).length >= %d`, want))
	n, err := ask[int](d.counter, `window.sounds.length`)
	if err != nil || n != want {
		d.t.Errorf("the page played %d sounds, %v, want %d", n, err, want)
	}
}

// pay pays a link on the phone, and returns the payment's id at the network.
func (d *paidDay) pay(link, amount string) (id string) {
	d.t.Helper()
	p := d.phone
	p.do("open the phone", chromedp.Navigate(d.h.url("BANK")+"/phone"))
	p.await("the phone", `document.readyState === "complete" && document.querySelector("#link")`)
	p.do("paste the link", chromedp.Focus(chromedp.CSS("#link")))
	p.press(link)
	p.click("#read button.main")
	p.await("the payment", `document.querySelector("#payer")`)
	if amount != "" {
		p.do("choose the amount", chromedp.Focus(chromedp.CSS("#amount")))
		p.press(amount)
	}
	p.shot("pays")
	p.click("main form button.main")
	p.await("that it is paid", `document.querySelector(".paid")`)
	return p.text("#id")
}

// groceries is the sandbox's shops' category of merchants.
const groceries = "5411"

// link is what a code of the shop holds: of an order, or the printed one.
func (d *paidDay) link(order, amount string) string {
	payee := strings.ReplaceAll(url.QueryEscape(d.counter.text(".upi-payee")), "+", "%20")
	if order == "" {
		return "upi://pay?ver=01&mode=01&pa=" + d.vpa + "&pn=" + payee + "&mc=" + groceries + "&cu=INR"
	}
	return "upi://pay?ver=01&mode=15&pa=" + d.vpa + "&pn=" + payee + "&mc=" + groceries + "&tr=" + order + "&tn=Order%20" + order + "&am=" + amount + "&cu=INR"
}

// mustBeDrawn fails unless the page's QR code holds a link.
func (d *paidDay) mustBeDrawn(link string) {
	d.t.Helper()
	want, err := theme.QRDrawing(link, "")
	if err != nil {
		d.t.Fatal(err)
	}
	shown, err := ask[string](d.counter, `document.querySelector("svg.qr path").getAttribute("d")`)
	if err != nil || shown == "" || !strings.Contains(string(want), `d="`+shown+`"`) {
		d.t.Fatalf("the page's QR code does not hold %s: %v", link, err)
	}
}

func (d *paidDay) payCode() (id string) {
	d.t.Log("a customer pays the code of an amount")
	b := d.counter
	b.goTo("/upi")
	b.typeInto("amount", "250", enter)
	b.awaitPath("/upi/*")
	b.await("the code", `document.querySelector("svg.qr")`)
	d.vpa = b.text(".facts dd")
	order := b.text(".facts dd.digits")
	link := d.link(order, "250.00")
	d.mustBeDrawn(link)
	d.customers.await("the code on the customer's screen", `document.querySelector("svg.qr")`)
	b.shot("paid-code")
	d.customers.shot("code")
	d.listen()
	id = d.pay(link, "")
	began := time.Now()
	b.await("PAID", `document.querySelector(".banner.done h1")?.innerText === "PAID ₹250" && !document.querySelector("svg.qr")`)
	d.t.Logf("PAID %s after the phone said so", time.Since(began).Round(time.Millisecond))
	d.heard(1)
	b.await("no strip beside the page", `document.querySelector("#payments").innerText === ""`)
	d.customers.await("that the customer's screen says so", `document.querySelector("#customer-now").dataset.state.includes(" paid ")`)
	// The styles of all sections are on one page.
	b.await("the payments as wide as the banner", `document.querySelector(".upi-payments").offsetWidth === document.querySelector(".banner").offsetWidth`)
	b.shot("paid")
	b.shotNarrow("paid")
	d.customers.shot("paid")
	return id
}

func (d *paidDay) payPrintedCode() {
	d.t.Log("another pays the printed code, while a form is open")
	b := d.counter
	b.goTo("/upi/poster")
	b.click(`form[action="/upi/poster"] button`)
	b.await("the printed code", `document.querySelector(".upi-poster svg.qr")`)
	link := d.link("", "")
	b.goTo("/new/balance")
	b.typeInto("aadhaar", "9999")
	d.listen()
	d.pay(link, "70")
	b.awaitText("#payments", "₹70 received by UPI")
	d.heard(1)
	typed, err := ask[string](b, `document.activeElement.id + " " + document.activeElement.value`)
	if err != nil || typed != "aadhaar 9999" {
		d.t.Errorf("after the strip came, the cursor and the field are %q, %v", typed, err)
	}
	b.shot("strip")
	b.shotNarrow("strip")
}

func (d *paidDay) returnPayment(id string) {
	d.t.Log("the bank gives the first payment back")
	b := d.counter
	d.listen()
	if code, _, body, err := d.h.do("POST", d.h.url("BANK")+"/control/upi/refund", map[string]any{"id": id}); err != nil || code != 200 {
		d.t.Fatalf("refund: %v, HTTP %d: %s", err, code, body)
	}
	b.awaitText("#payments .strip.stop", "UPI payment returned: ₹250")
	b.awaitText("#payments", "1 more")
	d.heard(1)
	b.shot("strip-returned")
	b.goTo("/operations?show=qr")
	b.awaitText("#ops", "UPI payment returned")
	b.awaitText("#ops", "₹70.00")
	b.shot("paid-history")
	b.goTo("/day-end")
	b.awaitText(".dayend-upi", "UPI received: ₹70")
	b.shot("paid-day")
}

// restart kills the counter's program: the strip is still there, and silent, until the agent
// has seen it.
func (d *paidDay) restart() {
	d.t.Log("the counter's program is killed before somebody has seen the strip")
	b := d.counter
	b.goTo("/settings")
	d.h.killAndWait("edge")
	b.awaitPath("/unlock") // the open page notices it by itself
	b.awaitText("#payments", "UPI payment returned: ₹250")
	b.await("the field of the PIN", `document.activeElement?.id === "pin"`)
	if _, err := ask[any](b, `void document.querySelector("#day")?.click()`); err != nil {
		b.fail("leave the finger out", err)
	}
	b.do("choose the PIN", chromedp.Focus(chromedp.CSS("#pin")))
	b.press("2580", enter)
	b.awaitPath("/settings")
	b.awaitText("#payments", "UPI payment returned: ₹250")
	sounds, err := ask[string](b, `document.querySelector("#payments").dataset.sounds`)
	if err != nil || sounds != "" {
		d.t.Errorf("after the restart, %q sounds again: %v", sounds, err)
	}
	b.shot("paid-settings")
	b.click("#payments-seen")
	b.await("the end of the strip", `document.querySelector("#payments").innerText === ""`)
	b.goTo("/operations")
	if left := b.text("#payments"); left != "" {
		d.t.Errorf("after they were seen, the strip says %q", left)
	}
	var told []any
	_, _, body, err := d.h.do("GET", d.h.url("BANK")+"/books/payments", nil)
	if err == nil {
		err = json.Unmarshal(body, &told)
	}
	if err != nil || len(told) != 2 {
		d.t.Errorf("the bank's books have %d payments: %v", len(told), err)
	}
}
