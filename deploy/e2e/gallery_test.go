//go:build linux

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"galla/edge/web/webtest"
)

// TestGallery walks the counter's rooms over a running house, and looks at each
// page in English on a desktop and in Hindi on a phone: nothing is cut, jumps or
// can't be read, and axe-core finds no barrier. For 'make gallery' it looks in both
// languages at both sizes, and keeps every picture.
func TestGallery(t *testing.T) {
	h := open(t, "GALLA_BANK_TIMEOUT=5s", "GALLA_BANK_TIME_SCALE=2")
	g := hang(t, h)
	for _, part := range []struct {
		name string
		walk func()
	}{
		{"door", g.door}, {"day", g.day}, {"deals", g.deals}, {"drawer", g.drawer}, {"sending", g.sending}, {"shop", g.shop}, {"people", g.people},
		{"help", g.help}, {"trouble", g.trouble}, {"rest", g.rest},
	} {
		t.Run(part.name, func(t *testing.T) {
			g.t = t
			for _, tab := range g.tabs {
				tab.T = t
			}
			part.walk()
		})
	}
}

// gallery is the same counter in two languages.
type gallery struct {
	t    *testing.T
	h    *house
	tabs []tongue
	by   *agent          // does what changes the state, in plain forms
	seen map[string]bool // kinds of pages that were looked at
	all  bool            // GALLA_GALLERY: each page in both languages at both sizes, not only in two of the four
}

type tongue struct {
	code string
	*webtest.Browser
}

// sizes are the windows of a counter's PC and of a phone, in pixels.
var sizes = [][2]int64{{1366, 768}, {360, 740}}

// reflow is how narrow a page gets without scrolling sideways, in pixels.
const reflow = 320

func hang(t *testing.T, h *house) *gallery {
	t.Helper()
	g := &gallery{t: t, h: h, seen: map[string]bool{}, all: os.Getenv("GALLA_GALLERY") != ""}
	var err error
	if g.by, err = newAgent(h.url("COUNTER")); err != nil {
		t.Fatal(err)
	}
	chromium := webtest.Chromium(t)
	for _, code := range []string{"en", "hi"} {
		b := webtest.Open(t, chromium, h.url("COUNTER"), sizes[0][0], sizes[0][1])
		b.Go("/unlock")
		b.Reads("Unlock the counter")
		webtest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, code))
		b.Sees(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, code))
		g.tabs = append(g.tabs, tongue{code, b})
	}
	return g
}

// look opens a page in all languages and sizes. act, if any, is a script that
// changes the page; until says when it did.
func (g *gallery) look(name, path string, act ...string) {
	g.t.Helper()
	g.t.Log(name)
	g.seen[someone.ReplaceAllString(path, "")] = true
	for i, tab := range g.tabs {
		for j, size := range sizes {
			if i != j && !g.all {
				continue
			}
			tab.Resize(size[0], size[1])
			tab.Go(path)
			tab.Sees(`document.readyState === "complete" && document.querySelector("h1")`)
			if len(act) == 2 {
				webtest.Eval[any](tab.Browser, act[0])
				tab.Sees(act[1])
			}
			tab.Look(tab.code + "-" + name)
			if j == 1 { // WCAG's reflow: a desktop of 1280 pixels, enlarged four times
				tab.Resize(reflow, 640)
				if wide := webtest.Eval[int](tab.Browser, `document.documentElement.scrollWidth`); wide > reflow {
					g.t.Errorf("%s in %s scrolls sideways at %d pixels: it is %d wide", name, tab.code, reflow, wide)
				}
			}
		}
		// A page that stays open would follow the next step by itself.
		tab.Do(chromedp.Navigate("about:blank"))
	}
}

// must gives the page that a step of the agent ends at.
func (g *gallery) must(path, page string, err error) (string, string) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
	return path, page
}

var (
	pageForms = regexp.MustCompile(`(?s)<form[^>]* action="([^"]+)"[^>]*>(.*?)</form>`)
	hidden    = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
)

// submit sends a form of a page with its hidden fields.
func (g *gallery) submit(page, action string, fields ...string) (path, next string, err error) {
	g.t.Helper()
	for _, m := range pageForms.FindAllStringSubmatch(page, -1) {
		if m[1] != action {
			continue
		}
		for _, f := range hidden.FindAllStringSubmatch(m[2], -1) {
			if f[1] != "csrf" && !slices.Contains(fields, f[1]) {
				fields = append(fields, f[1], f[2])
			}
		}
		return g.by.post(action, page, fields...)
	}
	g.t.Fatalf("no form goes to %s:\n%s", action, page)
	return "", "", nil
}

func (g *gallery) lay(aadhaar string) {
	g.t.Helper()
	if err := g.h.lay(aadhaar); err != nil {
		g.t.Fatal(err)
	}
}

// press shows a click of the main button of a form whose fields are empty.
const (
	pressMain = `document.querySelector("main form button.main").click()`
	sawNotes  = `document.querySelector(".bad .note, .alert")`
)

func (g *gallery) door() {
	g.look("unlock", "/unlock")
	g.look("unlock-wrong", "/unlock", `(() => { const p = document.querySelector("#pin"); p.value = "1111"; p.form.requestSubmit(); })()`,
		`document.readyState === "complete" && document.querySelector("#pin-note")?.textContent.trim()`)
	for _, tab := range g.tabs {
		tab.Go("/unlock")
		tab.Focused("#pin")
		tab.Press("2", "5", "8", "0", "\r")
		tab.Sees(`document.querySelector(".tiles")`)
	}
	if err := g.by.unlock("2580"); err != nil {
		g.t.Fatal(err)
	}
}

// begin fills a form of AEPS and gives the operation's path.
func (g *gallery) begin(kind, amount string) (at, page string) {
	g.t.Helper()
	g.lay(choudhury)
	_, page = g.must(g.by.get("/new/" + kind))
	fields := []string{"aadhaar", choudhury, "customer", "Shivshankar Choudhury", "iin", iins[choudhury], "consent", "yes"}
	if amount != "" {
		fields = append(fields, "amount", amount)
	}
	return g.must(g.submit(page, "/new/"+kind, fields...))
}

// deal begins an operation, takes the finger and waits for a state.
func (g *gallery) deal(kind, amount, state string) (at string) {
	g.t.Helper()
	at, page := g.begin(kind, amount)
	g.must(g.submit(page, at+"/capture"))
	g.await(at, state)
	return at
}

func (g *gallery) await(at, state string) {
	g.t.Helper()
	var now, title string
	defer func() {
		if g.t.Failed() && now != state {
			g.t.Logf("%s is %s: %s", at, now, title)
		}
	}()
	until(g.t, at+" is "+state, time.Minute, func() bool {
		var err error
		now, title, err = g.by.look(strings.TrimPrefix(at, "/op/"))
		return err == nil && now == state
	})
}

func (g *gallery) day() {
	g.look("home-before-sign-in", "/")
	g.look("day", "/day")
	g.lay(fatima)
	g.by.signIn(g.t)
	g.look("home", "/")
	g.look("day-signed-in", "/day")
}

func (g *gallery) deals() {
	for _, kind := range []string{"withdrawal", "balance", "statement", "purchase"} {
		g.look("form-"+kind, "/new/"+kind)
	}
	g.look("form-errors", "/new/withdrawal", pressMain, sawNotes)
	at, page := g.begin("withdrawal", "500")
	g.look("ready", at)
	g.lay(choudhury)
	g.must(g.submit(page, at+"/capture"))
	g.await(at, "succeeded")
	g.look("give", at)
	_, page = g.must(g.by.get(at))
	g.must(g.submit(page, at+"/cash"))
	g.look("given", at)
	g.look("receipt", at+"/receipt")
	g.look("declined", g.deal("withdrawal", "100.51", "declined"))
	g.look("balance", g.deal("balance", "", "succeeded"))
	g.look("statement", g.deal("statement", "", "succeeded"))
	g.look("paid", g.deal("purchase", "120", "succeeded"))
	g.look("home-busy", "/")
	g.look("operations", "/operations")
}

// drawer counts the cash of the morning, and shows what it should be by now.
func (g *gallery) drawer() {
	const opening = "/till/opening"
	g.look("till-opening", opening)
	_, page := g.must(g.by.get(opening))
	for _, m := range pageForms.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(m[1], opening) {
			g.must(g.submit(page, m[1], "n50000", "20"))
		}
	}
	g.look("till", "/till")
	g.look("till-count", "/till/count")
	g.look("printer", "/printer")
}

// trouble shows what goes wrong: the bank that is silent, the central that is
// gone, the reader that is unplugged.
func (g *gallery) trouble() {
	g.look("pending", g.deal("withdrawal", "100.98", "pending"))
	at, page := g.begin("withdrawal", "200")
	g.device("NOTREADY")
	g.must(g.submit(page, at+"/capture"))
	g.await(at, "problem")
	g.look("reader-unplugged", at)
	g.look("devices-unplugged", "/devices")
	g.device("READY")
	giveBack := g.h.takeAway("central")
	until(g.t, "the counter has no line", time.Minute, func() bool {
		_, page, err := g.by.get("/")
		return err == nil && strings.Contains(page, "No line since")
	})
	g.look("line-gone-home", "/")
	at, page = g.begin("withdrawal", "300")
	g.must(g.submit(page, at+"/capture"))
	g.await(at, "waiting")
	g.look("line-gone-waiting", at)
	g.look("line-gone-enquiry", "/new/balance")
	g.look("line-gone-send", "/send")
	g.look("line-gone-operations", "/operations")
	giveBack()
	g.await(at, "succeeded")
}

func (g *gallery) device(status string) {
	g.t.Helper()
	if code, _, body, err := g.h.do("POST", g.h.url("RDSIM")+"/sim/device", map[string]any{"status": status}); err != nil || code/100 != 2 {
		g.t.Fatalf("POST /sim/device: %v, HTTP %d: %s", err, code, body)
	}
}

// goesOn is what the page of a flow shows while the bank is asked.
var goesOn = regexp.MustCompile(`<p class="lead" role="status">|data-state="(sending|bank|asking|waiting|capturing)"`)

// settled gives the page of a flow of sending money once nothing goes on in it,
// or a finger is asked for.
func (g *gallery) settled(at string) string {
	g.t.Helper()
	var page string
	until(g.t, at+" waits for people", time.Minute, func() bool {
		_, got, err := g.by.get(at)
		page = got
		return err == nil && (!goesOn.MatchString(got) || strings.Contains(got, "do-capture"))
	})
	return page
}

// step sends a form of a flow and gives the page that it settles at.
func (g *gallery) step(at, page, act string, fields ...string) string {
	g.t.Helper()
	g.must(g.submit(page, at+"/"+act, fields...))
	return g.settled(at)
}

// sending brings a new sender from the mobile number to a refund.
func (g *gallery) sending() {
	const mobile, account, ifsc = "9000000005", "600100200311", "HDFC0000123"
	g.look("send", "/send")
	g.look("send-errors", "/send", pressMain, sawNotes)
	_, page := g.must(g.by.get("/send"))
	at, _ := g.must(g.submit(page, "/send", "mobile", mobile))
	page = g.settled(at)
	g.look("send-new-name", at)
	page = g.step(at, page, "go", "name", "Anisha Jay Kapoor", "city", "Pune", "state", "Maharashtra")
	g.look("send-new-otp", at)
	page = g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	g.look("send-new-aadhaar", at)
	g.lay(kapoor)
	page = g.step(at, page, "go", "aadhaar", kapoor)
	g.look("send-new-finger", at)
	page = g.step(at, page, "go", "consent", "AEPS-EN-1")
	g.look("send-new-capture", at)
	page = g.step(at, page, "capture")
	g.look("send-sender-empty", at)
	page = g.step(at, page, "add")
	g.look("send-payee", at)
	page = g.step(at, page, "go", "receiver_account_no", account, "again", account, "receiverIfscCode", ifsc, "receivername", "Meena Joshi")
	if strings.Contains(page, `data-step="holder"`) { // the bank has another name for the account
		g.look("send-holder", at)
		page = g.step(at, page, "holder")
	}
	g.look("send-sender", at)
	page = g.step(at, page, "pay")
	g.look("send-amount", at)
	page = g.step(at, page, "go", "amount", "250")
	g.look("send-confirm", at)
	page = g.step(at, page, "go")
	g.look("send-otp", at)
	g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	page = g.transferred(at)
	g.look("send-sent", at)

	// One that the bank gives back is refunded (sandbox.md).
	g.step(at, page, "sender")
	page = g.settled(at)
	page = g.step(at, page, "pay")
	page = g.step(at, page, "go", "amount", "250.93")
	page = g.step(at, page, "go")
	g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	page = g.transferred(at)
	if !strings.Contains(page, "do-refund") {
		g.t.Fatalf("the transfer did not come back: %s", opTitle.FindString(page))
	}
	g.look("send-returned", at)
	g.step(at, page, "refund")
	page = g.settled(at)
	g.look("send-refund", at)
	page = g.step(at, page, "go")
	g.look("send-refund-otp", at)
	g.step(at, page, "go", "otp", g.h.otp(g.t, mobile))
	g.look("send-refunded", at)
	g.look("send-open", "/send")
}

// transferred waits for the end of a transfer, and gives its page.
func (g *gallery) transferred(at string) (page string) {
	until(g.t, "the transfer ended", time.Minute, func() bool {
		page = g.settled(at)
		return !strings.Contains(page, `data-state="pending"`)
	})
	return page
}

// shop is the codes, and the merchant's onboarding.
func (g *gallery) shop() {
	g.look("qr", "/qr")
	_, page := g.must(g.by.get("/qr"))
	at, _ := g.must(g.submit(page, "/qr", "amount", "150"))
	until(g.t, "the code is shown", time.Minute, func() bool {
		_, page, err := g.by.get(at)
		return err == nil && strings.Contains(page, "shop-sum")
	})
	g.look("qr-shown", at)
	g.look("poster-none", "/qr/poster")
	_, page = g.must(g.by.get("/qr/poster"))
	g.must(g.submit(page, "/qr/poster"))
	until(g.t, "the poster is there", time.Minute, func() bool {
		_, page, err := g.by.get("/qr/poster")
		return err == nil && strings.Contains(page, "shop-vpa")
	})
	g.look("poster", "/qr/poster")
	g.look("confirm", "/shop/aeps")
	g.confirm("/shop/aeps", `#shop-form`)
	g.look("onboarding", "/shop/aeps")
	_, page = g.must(g.by.get("/shop/aeps"))
	g.must(g.submit(page, "/shop/aeps/status"))
	until(g.t, "the network told how far the shop is", time.Minute, func() bool {
		_, page, err := g.by.get("/shop/aeps")
		return err == nil && strings.Contains(page, "The network approved the shop")
	})
	g.look("onboarding-approved", "/shop/aeps")
}

// confirm types the PIN again, in every tab that is asked for it: the owner's acts are
// open for minutes. The page behind it has the element.
func (g *gallery) confirm(at, element string) {
	g.t.Helper()
	if _, page := g.must(g.by.get(at)); strings.Contains(page, `name="confirm"`) {
		g.must(g.by.post("/confirm?next="+at, page, "confirm", "2580"))
	}
	for _, tab := range g.tabs {
		tab.Go(at)
		tab.Sees(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(%q)`, "#confirm, "+element))
		if webtest.Eval[bool](tab.Browser, `!!document.querySelector("#confirm")`) {
			tab.Focused("#confirm")
			tab.Leave("2", "5", "8", "0", "\r")
		}
		tab.Sees(fmt.Sprintf(`document.querySelector(%q)`, element))
	}
}

func (g *gallery) people() {
	g.confirm("/people", `form[action="/people/add"]`)
	g.look("people", "/people")
	_, page := g.must(g.by.get("/people"))
	at, _ := g.must(g.submit(page, "/people/add", "name", "Asha Patil", "role", "operator", "pin", "7391"))
	g.t.Log(at)
	g.look("people-two", "/people")
	_, page = g.must(g.by.get("/people"))
	if m := regexp.MustCompile(`href="(/people/[^"]+)">Asha`).FindStringSubmatch(page); m != nil {
		g.look("people-one", m[1])
	} else {
		g.t.Error("the new operator is not in the list")
	}
	g.look("own-pin", "/pin")
	g.look("customer-desk", "/customer/desk")
	g.look("customer", "/customer")
}

func (g *gallery) help() {
	g.look("help", "/help")
	g.look("help-code", "/help?code=51")
	g.look("devices", "/devices")
	g.look("program", "/program")
	g.look("nowhere", "/nowhere")
}

// leads are the links of a page that stay at the counter.
var leads = regexp.MustCompile(`href="(/[^"#]*)"`)

// rest follows every link from the first page, and looks at the pages that
// nobody has looked at: a room that is new is in the gallery from its first day.
func (g *gallery) rest() {
	for next := []string{"/"}; len(next) > 0; next = next[1:] {
		_, page, err := g.by.get(next[0])
		if err != nil {
			g.t.Errorf("a link leads nowhere: %v", err)
			continue
		}
		for _, m := range leads.FindAllStringSubmatch(page, -1) {
			to := strings.ReplaceAll(m[1], "&amp;", "&")
			kind := someone.ReplaceAllString(to, "")
			if g.seen[kind] || slices.ContainsFunc(notPages, func(p string) bool { return strings.HasPrefix(to, p) }) {
				continue
			}
			g.look(strings.Trim(unnamed.ReplaceAllString("page"+kind, "-"), "-"), to)
			next = append(next, to)
		}
	}
}

var (
	// someone is what tells two pages of a kind apart: an identity, a question.
	someone = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\?.*$|\d{4}-\d{2}(-\d{2})?`)
	unnamed = regexp.MustCompile(`[^a-z]+`)
)

// notPages are links that give a file, or end the walk.
var notPages = []string{"/static/", "/operations/csv", "/customer"}
