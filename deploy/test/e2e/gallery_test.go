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

	"galla/edge/i18n"
	"galla/edge/ui/help/guide"
	"galla/edge/ui/uitest"
)

// TestGallery opens each page of the counter over a running sandbox, in English on a
// desktop and in Hindi on a phone: nothing is cut, jumps or is unreadable, and axe-core
// finds no barrier. For 'make gallery' it opens them in both languages at both sizes,
// and keeps every picture. For 'make guide' it takes the pictures of the guide only.
func TestGallery(t *testing.T) {
	h := startSandbox(t, "GALLA_BANK_TIMEOUT=5s", "GALLA_BANK_TIME_SCALE=2")
	g := writeGallery(t, h)
	for _, part := range []struct {
		name string
		walk func()
	}{
		{"unlock", g.checkUnlock}, {"day", g.checkSignIn}, {"aeps", g.checkAEPS}, {"drawer", g.checkDayEnd}, {"sending", g.checkDMT}, {"shop", g.checkOnboardingAndUPI}, {"people", g.checkUsers},
		{"help", g.checkHelp}, {"trouble", g.checkFaults}, {"rest", g.checkRemainingPages},
	} {
		t.Run(part.name, func(t *testing.T) {
			g.t = t
			for _, tab := range g.tabs {
				tab.T = t
			}
			if g.guide != nil {
				g.confirmCash()
			}
			part.walk()
		})
	}
}

// gallery is the same counter in two languages.
type gallery struct {
	t     *testing.T
	h     *sandbox
	tabs  []languageTab
	agent *agent                   // does what changes the state, in plain forms
	seen  map[string]bool          // kinds of pages that were opened
	all   bool                     // GALLA_GALLERY: each page in both languages at both sizes, not only in two of the four
	guide map[string]guide.Picture // by page, if only the guide's pictures are taken
}

type languageTab struct {
	code string
	*uitest.Browser
}

// sizes are the windows of a counter's PC and of a phone, in pixels.
var sizes = [][2]int64{{1366, 768}, {360, 740}}

// reflow is how narrow a page gets without scrolling sideways, in pixels.
const reflow = 320

func writeGallery(t *testing.T, h *sandbox) *gallery {
	t.Helper()
	g := &gallery{t: t, h: h, seen: map[string]bool{}, all: os.Getenv("GALLA_GALLERY") != ""}
	var err error
	if g.agent, err = newAgent(h.url("COUNTER")); err != nil {
		t.Fatal(err)
	}
	chromium := uitest.Chromium(t)
	codes := []string{"en", "hi"}
	if os.Getenv("GALLA_GALLERY") == guideMode {
		g.guide, codes = guidePictures(t), nil
		for _, l := range i18n.Languages() {
			codes = append(codes, l.Code)
		}
	}
	for _, code := range codes {
		b := uitest.Open(t, chromium, h.url("COUNTER"), sizes[0][0], sizes[0][1])
		b.Navigate("/unlock")
		b.WaitForHeading("Unlock the counter")
		uitest.Eval[any](b, fmt.Sprintf(`(() => { const s = document.querySelector("#language"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, code))
		b.WaitFor(fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, code))
		g.tabs = append(g.tabs, languageTab{code, b})
	}
	return g
}

// check opens a page in all languages and sizes. act, if any, is a script that changes
// the page; until says when it has.
func (g *gallery) check(name, path string, act ...string) {
	g.t.Helper()
	g.t.Log(name)
	g.seen[anyName.ReplaceAllString(path, "")] = true
	if g.guide != nil {
		g.takePicture(name, path, act...)
		return
	}
	for i, tab := range g.tabs {
		for j, size := range sizes {
			if i != j && !g.all {
				continue
			}
			tab.Resize(size[0], size[1])
			tab.open(path, act...)
			tab.Check(tab.code + "-" + name)
			if j == 1 { // WCAG's reflow: a desktop of 1280 pixels, enlarged four times
				tab.Resize(reflow, 640)
				if wide := uitest.Eval[int](tab.Browser, `document.documentElement.scrollWidth`); wide > reflow {
					g.t.Errorf("%s in %s scrolls sideways at %d pixels: it is %d wide", name, tab.code, reflow, wide)
				}
			}
		}
		// A page that stays open would follow the next step by itself.
		tab.Do(chromedp.Navigate("about:blank"))
	}
}

// open opens a page, and runs the script that changes it.
func (tab languageTab) open(path string, act ...string) {
	tab.T.Helper()
	tab.Navigate(path)
	tab.WaitFor(`document.readyState === "complete" && document.querySelector("h1")`)
	if len(act) == 2 {
		uitest.Eval[any](tab.Browser, act[0])
		tab.WaitFor(act[1])
	}
}

// mustGet gives the page at which a step of the agent ends.
func (g *gallery) mustGet(path, page string, err error) (string, string) {
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
		return g.agent.post(action, page, fields...)
	}
	g.t.Fatalf("no form goes to %s:\n%s", action, page)
	return "", "", nil
}

func (g *gallery) placeFinger(aadhaar string) {
	g.t.Helper()
	if err := g.h.placeFinger(aadhaar); err != nil {
		g.t.Fatal(err)
	}
}

// press shows a click of the main button of a form whose fields are empty.
const (
	pressMain = `document.querySelector("main form button.main").click()`
	sawNotes  = `document.querySelector(".bad .note, .alert")`
)

func (g *gallery) checkUnlock() {
	g.check("unlock", "/unlock")
	perRound := len(g.tabs)
	if g.guide != nil {
		perRound = 1 // six wrong PINs, one after the other, would make the user wait
	}
	for tabs := range slices.Chunk(g.tabs, perRound) {
		some := *g
		some.tabs = tabs
		some.check("unlock-wrong", "/unlock", `(() => { const p = document.querySelector("#pin"); p.value = "1111"; p.form.requestSubmit(); })()`,
			`document.readyState === "complete" && document.querySelector("#pin-note")?.textContent.trim()`)
		for _, tab := range tabs {
			tab.Navigate("/unlock")
			tab.WaitForFocus("#pin")
			uitest.Eval[any](tab.Browser, `void document.querySelector("#day:checked")?.click(), document.querySelector("#pin").focus()`) // the sign-in has its own part
			tab.Press("2", "5", "8", "0", "\r")
			tab.WaitFor(`document.querySelector(".tiles")`)
		}
	}
	if err := g.agent.unlock("2580"); err != nil {
		g.t.Fatal(err)
	}
}

// begin fills a form of AEPS, which asks for the finger, and gives the operation's path.
func (g *gallery) begin(kind, amount string) (at string) {
	g.t.Helper()
	g.placeFinger(choudhury)
	_, page := g.mustGet(g.agent.get("/new/" + kind))
	fields := []string{"aadhaar", choudhury, "customer", "Shivshankar Choudhury", "iin", iins[choudhury], "consent", "yes"}
	if amount != "" {
		fields = append(fields, "amount", amount)
	}
	at, _ = g.mustGet(g.submit(page, "/new/"+kind, fields...))
	return at
}

// createAndWait begins an operation and waits for a state.
func (g *gallery) createAndWait(kind, amount, state string) (at string) {
	g.t.Helper()
	at = g.begin(kind, amount)
	g.waitForState(at, state)
	return at
}

func (g *gallery) waitForState(at, state string) {
	g.t.Helper()
	var now, title string
	defer func() {
		if g.t.Failed() && now != state {
			g.t.Logf("%s is %s: %s", at, now, title)
		}
	}()
	waitUntil(g.t, at+" is "+state, time.Minute, func() bool {
		var err error
		now, title, err = g.agent.look(strings.TrimPrefix(at, "/op/"))
		return err == nil && now == state
	})
}

func (g *gallery) checkSignIn() {
	g.check("home-before-sign-in", "/")
	g.check("sign-in", "/sign-in")
	g.placeFinger(fatima)
	g.agent.signIn(g.t)
	g.check("home", "/")
	g.check("signed-in", "/sign-in")
}

func (g *gallery) checkAEPS() {
	for _, kind := range []string{"withdrawal", "balance", "statement", "purchase"} {
		g.check("form-"+kind, "/new/"+kind)
	}
	g.check("form-errors", "/new/withdrawal", pressMain, sawNotes)
	at := g.begin("withdrawal", "500")
	g.waitForState(at, "succeeded")
	g.check("give", at)
	_, page := g.mustGet(g.agent.get(at))
	g.mustGet(g.submit(page, at+"/cash"))
	g.check("given", at)
	g.check("receipt", at+"/receipt")
	g.check("declined", g.createAndWait("withdrawal", "100.51", "declined"))
	g.check("balance", g.createAndWait("balance", "", "succeeded"))
	g.check("statement", g.createAndWait("statement", "", "succeeded"))
	g.check("paid", g.createAndWait("purchase", "120", "succeeded"))
	g.check("home-busy", "/")
	g.check("operations", "/operations")
}

// checkDayEnd counts the morning's cash, and shows what the drawer should hold now.
func (g *gallery) checkDayEnd() {
	const opening = "/day-end/opening"
	g.check("dayend-opening", opening)
	_, page := g.mustGet(g.agent.get(opening))
	for _, m := range pageForms.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(m[1], opening) {
			g.mustGet(g.submit(page, m[1], "n50000", "20"))
		}
	}
	g.check("dayend", "/day-end")
	g.check("dayend-count", "/day-end/count")
	g.check("printer", "/printer")
}

// checkFaults shows faults: the silent bank, the missing central, the unplugged reader.
func (g *gallery) checkFaults() {
	g.check("pending", g.createAndWait("withdrawal", "100.98", "pending"))
	g.checkReaders("NOTREADY")
	at := g.begin("withdrawal", "200")
	g.waitForState(at, "problem")
	g.check("reader-unplugged", at)
	g.check("readers-unplugged", "/readers")
	g.checkReaders("READY")
	giveBack := g.h.keepDown("central")
	waitUntil(g.t, "the counter has no line", time.Minute, func() bool {
		_, page, err := g.agent.get("/")
		return err == nil && strings.Contains(page, "Offline since")
	})
	g.check("offline-home", "/")
	at = g.begin("withdrawal", "300")
	g.waitForState(at, "waiting")
	g.check("offline-waiting", at)
	g.check("offline-enquiry", "/new/balance")
	g.check("offline-dmt", "/dmt")
	g.check("offline-operations", "/operations")
	giveBack()
	g.waitForState(at, "succeeded")
}

func (g *gallery) checkReaders(status string) {
	g.t.Helper()
	if code, _, body, err := g.h.do("POST", g.h.url("RDSIM")+"/sim/device", map[string]any{"status": status}); err != nil || code/100 != 2 {
		g.t.Fatalf("POST /sim/device: %v, HTTP %d: %s", err, code, body)
	}
}

// inProgress is what the page of a flow shows while the bank is asked.
var inProgress = regexp.MustCompile(`<p class="lead" role="status">|data-state="(sending|bank|asking|waiting|capturing)"`)

// waitForFlow gives the page of a money transfer once nothing is in progress, or a
// finger is asked for.
func (g *gallery) waitForFlow(at string) string {
	g.t.Helper()
	var page string
	waitUntil(g.t, at+" waits for people", time.Minute, func() bool {
		_, got, err := g.agent.get(at)
		page = got
		return err == nil && (!inProgress.MatchString(got) || strings.Contains(got, "do-capture"))
	})
	return page
}

// step sends a form of a flow and gives the page at which it stops.
func (g *gallery) step(at, page, act string, fields ...string) string {
	g.t.Helper()
	g.mustGet(g.submit(page, at+"/"+act, fields...))
	return g.waitForFlow(at)
}

// checkOnboardingAndUPI shows the QR codes and the merchant's onboarding.
func (g *gallery) checkOnboardingAndUPI() {
	g.check("upi", "/upi")
	_, page := g.mustGet(g.agent.get("/upi"))
	at, _ := g.mustGet(g.submit(page, "/upi", "amount", "150"))
	waitUntil(g.t, "the code is shown", time.Minute, func() bool {
		_, page, err := g.agent.get(at)
		return err == nil && strings.Contains(page, "upi-sum")
	})
	g.check("upi-code", at)
	g.check("poster-none", "/upi/poster")
	_, page = g.mustGet(g.agent.get("/upi/poster"))
	g.mustGet(g.submit(page, "/upi/poster"))
	waitUntil(g.t, "the poster is there", time.Minute, func() bool {
		_, page, err := g.agent.get("/upi/poster")
		return err == nil && strings.Contains(page, "upi-vpa")
	})
	g.check("poster", "/upi/poster")
	g.check("confirm", "/onboarding")
	g.confirm("/onboarding", `#onboarding-form`)
	g.check("onboarding", "/onboarding")
	_, page = g.mustGet(g.agent.get("/onboarding"))
	g.mustGet(g.submit(page, "/onboarding/status"))
	waitUntil(g.t, "the network reports the shop's onboarding", time.Minute, func() bool {
		_, page, err := g.agent.get("/onboarding")
		return err == nil && strings.Contains(page, "The network approved the shop")
	})
	g.check("onboarding-approved", "/onboarding")
}

// confirm types the PIN again, in every tab that asks for it: the owner's actions stay
// open for minutes. The page behind it has the element.
func (g *gallery) confirm(at, element string) {
	g.t.Helper()
	if _, page := g.mustGet(g.agent.get(at)); strings.Contains(page, `name="confirm"`) {
		g.mustGet(g.agent.post("/confirm?next="+at, page, "confirm", "2580"))
	}
	for _, tab := range g.tabs {
		tab.Navigate(at)
		tab.WaitFor(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(%q)`, "#confirm, "+element))
		if uitest.Eval[bool](tab.Browser, `!!document.querySelector("#confirm")`) {
			tab.WaitForFocus("#confirm")
			tab.PressAndWait("2", "5", "8", "0", "\r")
		}
		tab.WaitFor(fmt.Sprintf(`document.querySelector(%q)`, element))
	}
}

func (g *gallery) checkUsers() {
	g.confirm("/users", `form[action="/users/add"]`)
	g.check("people", "/users")
	_, page := g.mustGet(g.agent.get("/users"))
	at, _ := g.mustGet(g.submit(page, "/users/add", "name", "Asha Patil", "role", "operator", "pin", "7391"))
	g.t.Log(at)
	g.check("people-two", "/users")
	_, page = g.mustGet(g.agent.get("/users"))
	if m := regexp.MustCompile(`href="(/users/[^"]+)">Asha`).FindStringSubmatch(page); m != nil {
		g.check("people-one", m[1])
	} else {
		g.t.Error("the new operator is not in the list")
	}
	g.check("own-pin", "/pin")
	g.check("customer-setup", "/customer/setup")
	g.check("customer", "/customer")
}

func (g *gallery) checkHelp() {
	g.check("help", "/help")
	g.check("help-words", "/help?q=finger+not+read")
	g.check("help-code", "/help?code=51")
	g.check("guide", "/guide")
	g.check("readers", "/readers")
	g.check("program", "/program")
	g.check("nowhere", "/nowhere")
}

// redirectOf are the links of a page that stay at the counter.
var redirectOf = regexp.MustCompile(`href="(/[^"#]*)"`)

// checkRemainingPages follows every link from the first page, and opens the pages that
// were not opened yet: a new section is in the gallery from its first day.
func (g *gallery) checkRemainingPages() {
	for next := []string{"/"}; len(next) > 0; next = next[1:] {
		_, page, err := g.agent.get(next[0])
		if err != nil {
			g.t.Errorf("a link leads nowhere: %v", err)
			continue
		}
		for _, m := range redirectOf.FindAllStringSubmatch(page, -1) {
			to := strings.ReplaceAll(m[1], "&amp;", "&")
			kind := anyName.ReplaceAllString(to, "")
			if g.seen[kind] || slices.ContainsFunc(notPages, func(p string) bool { return strings.HasPrefix(to, p) }) {
				continue
			}
			g.check(strings.Trim(unnamed.ReplaceAllString("page"+kind, "-"), "-"), to)
			next = append(next, to)
		}
	}
}

var (
	// anyName is what distinguishes two pages of a kind: an identity, a question.
	anyName = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\?.*$|\d{4}-\d{2}(-\d{2})?`)
	unnamed = regexp.MustCompile(`[^a-z]+`)
)

// notPages are links that give a file, or end the walk.
var notPages = []string{"/static/", "/operations/csv", "/customer"}
