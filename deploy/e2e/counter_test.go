//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// deal is one customer at the counter.
type deal struct {
	kind     string // of the page: withdrawal, balance, statement, purchase
	aadhaar  string
	customer string
	bank     string // as typed into the search field
	amount   string // "" for enquiries
}

// person is the customer of the sandbox test bank.
func person(kind, amount string) deal {
	return deal{kind, choudhury, "Shivshankar Choudhury", "sandbox", amount}
}

// TestCounterInBrowser is a day at the counter in a real Chromium, most of it
// by keyboard alone: unlock, sign in, serve, lose the central and get it back.
// What the screen says in the end is held against the bank's books.
func TestCounterInBrowser(t *testing.T) {
	t.Parallel()
	h := open(t, "GALLA_BANK_TIMEOUT=4s", "GALLA_BANK_TIME_SCALE=0.1")
	b := browse(t, h)
	began, before := time.Now().Add(-time.Second), h.balance(choudhury)
	d := &day{b: b, h: h, t: t}

	d.unlock()
	d.signIn()
	d.withdraw()
	d.otherKinds()
	d.refusals()
	d.centralFrozen()
	d.centralGone()
	d.centralKilledWhileTheBankWorks()
	d.counterKilledWhileTheBankWorks()
	d.counterKilledAtTheFinger()
	d.bankSilent()
	d.readerUnplugged()
	d.readersFollow()
	d.rooms()
	d.lists()
	b.checkConsole()

	spent, lines := int64(0), 0
	for _, e := range h.executions(began, time.Now().Add(time.Minute)) {
		if e.Status == "EXECUTED" {
			spent += e.AmountPaise
			lines++
		}
	}
	if moved := before - h.balance(choudhury); spent != d.paid || moved != d.paid || lines != d.debits {
		t.Errorf("the screen showed %d debits of ₹%s, the books hold %d of ₹%s, and the customer has ₹%s less",
			d.debits, rupees(d.paid), lines, rupees(spent), rupees(moved))
	}
	h.checkTrial()
}

// day is the story, and what the screen said of money in it.
type day struct {
	t      *testing.T
	h      *house
	b      *browser
	paid   int64 // paise that the screen said the bank paid
	debits int
}

func (d *day) chapter(name string) { d.t.Helper(); d.t.Log(name) }

func (d *day) unlock() {
	d.chapter("unlock")
	b := d.b
	b.goTo("/")
	b.awaitPath("/unlock")
	b.shot("unlock")
	b.shotNarrow("unlock")
	b.typeInto("pin", "1111", enter)
	b.awaitText("#pin-note", "PIN is wrong")
	b.shot("unlock-wrong-pin")
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/")
	b.awaitText("#chips", "Line up")
	b.awaitText("#chips", "Reader ready")
	b.shot("home-before-sign-in")
}

func (d *day) signIn() {
	d.chapter("the agent signs in with the own finger")
	b := d.b
	d.lay(fatima)
	b.click(`a[href="/day"]`)
	b.awaitPath("/day")
	b.shot("day")
	b.typeInto("do-day", enter)
	b.awaitPath("/op/*")
	b.awaitState("ready")
	b.press("s")
	b.awaitState("succeeded")
	b.says("Signed in for the day")
	b.shot("day-signed-in")
	b.goTo("/")
	b.awaitText("#chips", "Agent signed in")
	b.shotNarrow("home")
}

func (d *day) lay(aadhaar string) {
	d.t.Helper()
	if err := d.h.lay(aadhaar); err != nil {
		d.t.Fatal(err)
	}
}

// fill opens a form from the home page and fills it by keyboard.
func (d *day) fill(x deal) {
	d.t.Helper()
	b := d.b
	b.goTo("/")
	keys := map[string]string{"withdrawal": "1", "balance": "2", "statement": "3", "purchase": "4"}
	b.press(keys[x.kind])
	b.awaitPath("/new/" + x.kind)
	b.typeInto("aadhaar", x.aadhaar, tab, x.customer, tab, x.bank, tab)
	if x.amount != "" {
		b.press(x.amount, tab, tab) // the quick amounts are one stop
	}
	b.press(space)
}

// begin fills a form and sends it: the operation waits for the finger.
func (d *day) begin(x deal) {
	d.t.Helper()
	d.lay(x.aadhaar)
	d.fill(x)
	d.b.press(enter)
	d.b.awaitPath("/op/*")
	d.b.awaitState("ready")
}

// pay notes that the screen said the bank paid.
func (d *day) pay(paise int64) {
	d.paid += paise
	d.debits++
}

func (d *day) withdraw() {
	d.chapter("a withdrawal by keyboard alone")
	b := d.b
	b.goTo("/new/withdrawal")
	b.shotNarrow("form-empty")
	b.click("form.deal button.main")
	b.awaitText("#amount-note", "Enter the amount")
	b.awaitText("#consent-note", "Read the consent")
	b.shot("form-all-errors")

	d.fill(person("withdrawal", "500"))
	if shown, err := ask[string](b, `document.querySelector('#aadhaar').value`); err != nil || shown != "XXXX XXXX 7058" {
		d.t.Errorf("the Aadhaar field shows %q after it was left", strings.ReplaceAll(shown, choudhury[:8], "(in the clear)"))
	}
	b.shot("form-filled")
	b.shotNarrow("form-filled")
	b.press(enter)
	b.awaitPath("/op/*")
	b.awaitState("ready")
	for _, ready := range []string{"Reader ready", "Line up", "Clock right"} {
		b.awaitText(".ready", ready)
	}
	b.shot("op-ready")
	d.lay(choudhury)
	b.press("s")
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹500")
	b.shot("op-give-cash")
	b.shotNarrow("op-give-cash")
	d.pay(500_00)
	b.press("c")
	b.awaitState("given")
	b.says("CASH GIVEN ₹500")
	b.shot("op-cash-given")
	b.press("r")
	b.awaitPath("/op/*/receipt")
	b.awaitText(".receipt", "XXXXXXXX7058")
	b.shot("receipt")
	b.shotNarrow("receipt")

	// A reload, and the operation's page by its address, change nothing.
	b.goTo("/")
	b.awaitText("#today", "Shivshankar Choudhury")
	b.shot("home")
}

func (d *day) otherKinds() {
	d.chapter("balance, mini statement, Aadhaar Pay")
	b := d.b
	d.begin(person("balance", ""))
	b.press("s")
	b.awaitState("succeeded")
	if got, want := b.text("h1"), "Balance ₹24,500"; !strings.HasPrefix(got, want) {
		d.t.Errorf("the page says %q, want %q", got, want)
	}
	b.shot("op-balance")
	d.begin(person("statement", ""))
	b.press("s")
	b.awaitState("succeeded")
	b.awaitText(".statement", "500.00")
	b.shot("op-statement")
	b.shotNarrow("op-statement")
	d.begin(person("purchase", "120"))
	b.press("s")
	b.awaitState("succeeded")
	b.says("PAID ₹120")
	d.pay(120_00)
	b.shot("op-purchase")
}

func (d *day) refusals() {
	d.chapter("the bank says no")
	b := d.b
	d.begin(person("withdrawal", "100.51"))
	b.press("s")
	b.awaitState("declined")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".advice", "51")
	b.shot("op-declined")
	b.shotNarrow("op-declined")

	// Another customer's finger.
	d.begin(person("withdrawal", "100"))
	d.lay(kapoor)
	b.press("s")
	b.awaitState("declined")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".advice", "U3")
	b.awaitText(".reading", "The print was clear")
	b.shot("op-wrong-finger")
}

func (d *day) centralFrozen() {
	d.chapter("the central is stopped in the middle, and goes on")
	b := d.b
	d.begin(person("withdrawal", "200"))
	if !d.h.signal("central", syscall.SIGSTOP) {
		d.t.Fatal("the central does not run")
	}
	b.press("s")
	b.awaitState("sending", "bank")
	b.says("DO NOT GIVE CASH YET")
	b.shot("central-frozen")
	d.h.signal("central", syscall.SIGCONT)
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹200")
	d.pay(200_00)
	b.shot("central-frozen-and-back")
}

func (d *day) centralGone() {
	d.chapter("the central is gone, and comes back in time")
	b := d.b
	giveBack := d.h.takeAway("central")
	b.goTo("/")
	b.awaitText("#chips", "No line")
	b.awaitText("#today", "No line since")
	b.shot("central-gone-home")
	b.press("l")
	b.awaitPath("/line")
	b.awaitText("#line", "What still works")
	b.awaitText("#line", "Nothing was lost.")
	b.shot("central-gone-line")
	b.shotNarrow("central-gone-line")
	d.begin(person("withdrawal", "300"))
	b.press("s")
	b.awaitState("waiting")
	b.says("DO NOT GIVE CASH YET")
	b.shot("central-gone-waiting")
	b.shotNarrow("central-gone-waiting")

	// Enquiries do not wait: the agent is told at once.
	d.fill(person("balance", ""))
	b.press(enter)
	b.awaitText("[role=alert]", "line is down")
	b.shot("central-gone-enquiry")
	b.goTo("/operations")
	b.click("#ops .truth-group:last-of-type .row") // that waits for the line
	b.awaitPath("/op/*")
	giveBack()
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹300")
	d.pay(300_00)
	b.shot("central-gone-and-back")
}

func (d *day) centralKilledWhileTheBankWorks() {
	d.chapter("the central is killed while the bank executes")
	b := d.b
	d.begin(person("withdrawal", "101.99")) // executes at once, answers after a while
	b.press("s")
	d.h.awaitExecution(d.t, 101_99)
	giveBack := d.h.takeAway("central")
	b.awaitText("#chips", "No line")
	b.awaitState("asking", "bank") // bank: it was accepted before, and the central owns it
	if got := b.text("h1"); !strings.HasPrefix(got, "DO NOT GIVE CASH") {
		d.t.Errorf("the page says %q", got)
	}
	b.shot("central-killed")
	giveBack()
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹101.99")
	d.pay(101_99)
	b.shot("central-killed-and-back")
}

func (d *day) counterKilledWhileTheBankWorks() {
	d.chapter("the counter's own program is killed while the bank executes")
	b := d.b
	d.begin(person("withdrawal", "104.99")) // executes at once, answers after a while
	b.press("s")
	d.h.awaitExecution(d.t, 104_99)
	d.h.killAndAwait("edge")
	b.awaitPath("/unlock") // the page that was open looks again by itself
	b.shot("counter-killed")
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/op/*")
	if got := b.text("h1"); strings.HasPrefix(got, "GIVE CASH") == strings.HasPrefix(got, "DO NOT GIVE CASH") {
		d.t.Errorf("the page says %q", got)
	}
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹104.99")
	d.pay(104_99)
	b.shot("counter-killed-and-back")
}

func (d *day) counterKilledAtTheFinger() {
	d.chapter("the counter's own program is killed while the reader waits for the finger")
	b := d.b
	d.begin(person("withdrawal", "105"))
	d.script(map[string]any{"delayMs": 8000})
	b.press("s")
	b.awaitState("capturing")
	d.h.killAndAwait("edge")
	b.awaitPath("/unlock")
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/op/*")
	b.awaitState("expired")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".band", "No money moved")
	b.shot("counter-killed-at-the-finger")
}

func (d *day) bankSilent() {
	d.chapter("the bank executes and never answers")
	b := d.b
	d.begin(person("withdrawal", "102.97"))
	b.press("s")
	// It stays pending for as long as it is looked at: the first enquiry comes
	// after a few seconds, and would be answered.
	d.h.awaitExecution(d.t, 102_97)
	if !d.h.signal("bank", syscall.SIGSTOP) {
		d.t.Fatal("the bank does not run")
	}
	b.awaitState("pending")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".due", "5 days left.")
	b.shot("bank-silent")
	b.shotNarrow("bank-silent")
	b.click("#do-receipt")
	b.awaitPath("/op/*/receipt")
	b.shot("slip-pending")
	b.do("go back", chromedp.NavigateBack())
	b.awaitState("pending")
	d.h.signal("bank", syscall.SIGCONT)
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹102.97")
	d.pay(102_97)
	b.shot("bank-silent-and-resolved")

	d.begin(person("withdrawal", "103.93"))
	b.press("s")
	b.awaitState("reversed", "declined")
	b.says("DO NOT GIVE CASH")
	b.shot("bank-took-it-back")

	// The customer is gone to the next shelf when the bank pays: every page tells,
	// without a reload, until somebody answers.
	d.begin(person("withdrawal", "104.94"))
	b.press("s")
	b.awaitState("pending")
	path, err := ask[string](b, `location.pathname`)
	if err != nil {
		b.fail("read the address", err)
	}
	b.goTo("/new/balance")
	open := fmt.Sprintf(`document.querySelector("#open-cash").dataset.state.split(" ").includes(%q)`, strings.TrimPrefix(path, "/op/")+":due")
	b.await("the strip of the cash that is paid late", open)
	d.pay(104_94)
	b.shot("bank-paid-late")
	b.goTo("/operations")
	b.await("the strip on another page", open)
	b.awaitText(".truth-group", "₹104.94")
	b.goTo(path)
	b.says("GIVE CASH ₹104.94")
	b.press("c")
	b.awaitState("given")
	b.await("the strip to be answered", `!`+open)
}

func (d *day) readerUnplugged() {
	d.chapter("the reader is unplugged")
	b := d.b
	d.begin(person("withdrawal", "100"))
	d.device("NOTREADY")
	b.press("s")
	b.awaitState("problem")
	b.shot("reader-unplugged")
	d.device("READY")
	d.script(map[string]any{"errCode": "700", "errInfo": "Capture timed out"})
	b.press("s")
	b.awaitText("h1", "No finger in time")
	b.shot("reader-timed-out")

	// It goes while the finger lies on it, and comes back.
	d.script(map[string]any{"delayMs": 1500, "reset": true})
	b.press("s")
	b.awaitState("capturing")
	b.says("DO NOT GIVE CASH YET")
	b.awaitState("problem")
	b.awaitText(".band", "Nothing was sent yet")
	b.shot("reader-unplugged-during-capture")

	// A faint print is asked for once more before the bank is.
	d.script(map[string]any{"qScore": "31"})
	b.press("s")
	b.awaitText(".reading", "31 of 100")
	b.shot("print-faint")
	b.shotNarrow("print-faint")
	b.click("#do-abandon")
	b.awaitState("expired")
	b.says("DO NOT GIVE CASH")
	b.shot("given-up")
}

// readersFollow: the page of readers says what the status bar says, without a
// touch, when the reader is unplugged and plugged in again.
func (d *day) readersFollow() {
	d.chapter("the page of readers follows the reader")
	b := d.b
	b.goTo("/devices")
	b.awaitText(".chosen .state", "Ready")
	b.awaitText("#chips", "Reader ready")
	d.device("NOTREADY")
	b.awaitText("#chips", "Reader not ready")
	b.awaitText(".chosen .state", "Not ready")
	b.shot("readers-unplugged")
	d.device("READY")
	b.awaitText("#chips", "Reader ready")
	b.awaitText(".chosen .state", "Ready")
}

func (d *day) device(status string) {
	d.t.Helper()
	if code, _, body, err := d.h.do("POST", d.h.url("RDSIM")+"/sim/device", map[string]any{"status": status}); err != nil || code/100 != 2 {
		d.t.Fatalf("POST /sim/device: %v, HTTP %d: %s", err, code, body)
	}
}

func (d *day) script(outcomes ...map[string]any) {
	d.t.Helper()
	if code, _, body, err := d.h.do("POST", d.h.url("RDSIM")+"/sim/script", outcomes); err != nil || code/100 != 2 {
		d.t.Fatalf("POST /sim/script: %v, HTTP %d: %s", err, code, body)
	}
}

// rooms opens every page that the first one leads to, as the daemon has put them
// together.
func (d *day) rooms() {
	d.chapter("every room")
	b := d.b
	b.goTo("/")
	hrefs, err := ask[[]string](b, `[...new Set([...document.querySelectorAll('main a[href^="/"], .chips a')].map(a => a.getAttribute('href')))].filter(h => !h.startsWith('/op/'))`)
	if err != nil {
		b.fail("read the ways from the first page", err)
	}
	if len(hrefs) < leastWays {
		d.t.Errorf("the first page leads to %q only", hrefs)
	}
	for _, href := range hrefs {
		b.goTo(href)
		good, err := ask[bool](b, `performance.getEntriesByType('navigation')[0].responseStatus === 200 && document.querySelector('main').innerText.trim() !== ''`)
		if err != nil || !good {
			d.t.Errorf("%s can't be opened (%v): %s", href, err, b.text("main"))
		}
		name := "room" + strings.ReplaceAll(href, "/", "-")
		b.shot(name)
		b.shotNarrow(name)
	}
}

// leastWays is how many pages the first one leads to at least: four actions,
// line, day, operations, and the rooms.
const leastWays = 12

func (d *day) lists() {
	d.chapter("the list of operations, a dead program, and the lock")
	b := d.b
	b.goTo("/operations")
	b.awaitText("#ops", "Shivshankar Choudhury")
	b.awaitText("#ops", "XXXXXXXX7058")
	b.shot("operations")
	b.shotNarrow("operations")

	// The counter's own program dies: it comes back locked, and nothing is lost.
	d.h.killAndAwait("edge")
	until(d.t, "the counter serves again", time.Minute, func() bool {
		code, _, _, err := d.h.do("GET", "http://"+d.h.env["GALLA_COUNTER_ADDR"]+"/healthz", nil)
		return err == nil && code == 200
	})
	b.goTo("/operations")
	b.awaitPath("/unlock")
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/operations")
	b.awaitText("#ops", fmt.Sprintf("₹%s", rupees(500_00)))
	b.click(".locker button")
	b.awaitPath("/unlock")
}
