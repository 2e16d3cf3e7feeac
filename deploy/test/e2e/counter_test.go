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

// customerVisit is one customer at the counter.
type customerVisit struct {
	kind     string // of the page: withdrawal, balance, statement, purchase
	aadhaar  string
	customer string
	bank     string // as typed into the search field
	amount   string // "" for enquiries
}

// person is the customer of the sandbox test bank.
func person(kind, amount string) customerVisit {
	return customerVisit{kind, choudhury, "Shivshankar Choudhury", "sandbox", amount}
}

// TestChromiumCounter is a day at the counter in a real Chromium, most of it by
// keyboard alone: unlock, sign in, serve, lose the central and get it back. At the end
// the screen is compared with the bank's books.
func TestChromiumCounter(t *testing.T) {
	t.Parallel()
	h := startSandbox(t, "GALLA_BANK_TIMEOUT=4s", "GALLA_BANK_TIME_SCALE=0.1")
	b := browse(t, h)
	began, before := time.Now().Add(-time.Second), h.balance(choudhury)
	d := &counterDay{b: b, h: h, t: t}

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
	d.readersMatchStatusBar()
	d.openAllPages()
	d.checkLists()
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
	h.checkDoubleEntry()
}

// counterDay is the test's state, and what the screen said about money.
type counterDay struct {
	t      *testing.T
	h      *sandbox
	b      *browser
	paid   int64 // paise that the screen said the bank paid
	debits int
}

func (d *counterDay) section(name string) { d.t.Helper(); d.t.Log(name) }

func (d *counterDay) unlock() {
	d.section("unlock")
	b := d.b
	b.goTo("/")
	b.awaitPath("/unlock")
	b.shot("unlock")
	b.shotNarrow("unlock")
	b.typeInto("pin", "1111", enter)
	b.awaitText("#pin-note", "Wrong PIN")
	b.shot("unlock-wrong-pin")
}

func (d *counterDay) signIn() {
	d.section("the agent signs in with PIN and own finger, on one page")
	b := d.b
	d.placeFinger(fatima)
	b.await("the offer of the day's finger", `document.querySelector("#day")?.checked`)
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/") // after the finger, by itself
	b.awaitText("#chips", "Online")
	b.awaitText("#chips", "Reader ready")
	b.awaitText("#chips", "Agent signed in")
	b.shotNarrow("home")
}

func (d *counterDay) placeFinger(aadhaar string) {
	d.t.Helper()
	if err := d.h.placeFinger(aadhaar); err != nil {
		d.t.Fatal(err)
	}
}

// fill opens a form from the home page and fills it by keyboard.
func (d *counterDay) fill(x customerVisit) {
	d.t.Helper()
	b := d.b
	b.goTo("/")
	keys := map[string]string{"withdrawal": "1", "balance": "2", "statement": "3", "purchase": "4"}
	b.press(keys[x.kind])
	b.awaitPath("/new/" + x.kind)
	b.typeInto("aadhaar", x.aadhaar) // its last digit goes on to the name
	b.typeInto("customer", x.customer, enter)
	b.typeInto("iin", x.bank, enter)
	if x.amount != "" {
		b.typeInto("amount", x.amount, enter)
	}
	b.typeInto("consent", space)
}

// begin fills a form and sends it, with the customer's finger on the reader.
func (d *counterDay) begin(x customerVisit) {
	d.t.Helper()
	d.beginWith(x, x.aadhaar)
}

// beginWith is begin with a finger of another person, or with no change of the reader: "".
func (d *counterDay) beginWith(x customerVisit, finger string) {
	d.t.Helper()
	if finger != "" {
		d.placeFinger(finger)
	}
	d.fill(x)
	d.b.press(enter)
	d.b.awaitPath("/op/*")
}

// notePaid records that the screen said that the bank paid.
func (d *counterDay) notePaid(paise int64) {
	d.paid += paise
	d.debits++
}

func (d *counterDay) withdraw() {
	d.section("a withdrawal by keyboard alone")
	b := d.b
	b.goTo("/new/withdrawal")
	b.shotNarrow("form-empty")
	b.click("#transaction button.main")
	b.awaitText("#amount-note", "Enter the amount")
	b.awaitText("#consent-note", "Read the consent")
	b.shot("form-all-errors")

	d.fill(person("withdrawal", "500"))
	if shown, err := ask[string](b, `document.querySelector('#aadhaar').value`); err != nil || shown != "XXXX XXXX 7058" {
		d.t.Errorf("the Aadhaar field shows %q after it was left", strings.ReplaceAll(shown, choudhury[:8], "(in the clear)"))
	}
	b.shot("form-filled")
	b.shotNarrow("form-filled")
	for _, ready := range []string{"Reader ready", "Online", "Clock right"} {
		b.awaitText(".ready", ready)
	}
	d.placeFinger(choudhury)
	b.press(enter)
	b.awaitPath("/op/*")
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹500")
	b.shot("op-give-cash")
	b.shotNarrow("op-give-cash")
	d.notePaid(500_00)
	b.press("c")
	b.awaitState("given")
	b.says("CASH GIVEN ₹500")
	b.shot("op-cash-given")
	b.press("r")
	b.awaitPath("/op/*/receipt")
	b.awaitText(".receipt", "XXXXXXXX7058")
	b.shot("receipt")
	b.shotNarrow("receipt")
	d.sendReceipt()

	// A reload, and the operation's page by its address, change nothing.
	b.goTo("/")
	b.awaitText("#today", "Shivshankar Choudhury")
	b.shot("home")
}

// sendReceipt sends the receipt on the page by SMS, twice, to a number that the customer
// names. The inbox gets it once.
func (d *counterDay) sendReceipt() {
	d.t.Helper()
	const mobile = "9876504321"
	b := d.b
	for range 2 {
		b.press("m")
		b.typeInto("mobile", mobile, enter)
		b.typeInto("wants", space, enter)
		b.await("the page without its form", `document.readyState === 'complete' && !document.querySelector('#sms')`)
		b.awaitText("#sms-lines .ok", "Sent to XXXXXX4321")
	}
	b.shot("receipt-sent")
	var inbox []struct{ Text string }
	d.h.get(d.h.url("BANK")+"/inbox/"+mobile, &inbox)
	if len(inbox) != 1 || !strings.HasPrefix(inbox[0].Text, "Lakshmi Kirana Store: Cash withdrawal of Rs 500.00: successful. Aadhaar XXXX7058. Ref ") {
		d.t.Errorf("the inbox has %q", inbox)
	}
}

func (d *counterDay) otherKinds() {
	d.section("balance, mini statement, Aadhaar Pay")
	b := d.b
	d.begin(person("balance", ""))
	b.awaitState("succeeded")
	if got, want := b.text("h1"), "Balance ₹24,500"; !strings.HasPrefix(got, want) {
		d.t.Errorf("the page says %q, want %q", got, want)
	}
	b.shot("op-balance")
	d.begin(person("statement", ""))
	b.awaitState("succeeded")
	b.awaitText(".statement", "500.00")
	b.shot("op-statement")
	b.shotNarrow("op-statement")
	d.begin(person("purchase", "120"))
	b.awaitState("succeeded")
	b.says("PAID ₹120")
	d.notePaid(120_00)
	b.shot("op-purchase")
}

func (d *counterDay) refusals() {
	d.section("the bank says no")
	b := d.b
	d.begin(person("withdrawal", "100.51"))
	b.awaitState("declined")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".advice", "51")
	b.shot("op-declined")
	b.shotNarrow("op-declined")

	// Another customer's finger.
	d.beginWith(person("withdrawal", "100"), kapoor)
	b.awaitState("declined")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".advice", "U3")
	b.awaitText(".reading", "The print was clear")
	b.shot("op-wrong-finger")
}

// hangNoticed is how soon the page says that the central hangs: 8 s, and a second for the
// page on a busy machine.
const hangNoticed = 9 * time.Second

func (d *counterDay) centralFrozen() {
	d.section("the central is stopped in the middle, and goes on")
	b := d.b
	d.placeFinger(choudhury)
	d.fill(person("withdrawal", "200"))
	if !d.h.signal("central", syscall.SIGSTOP) {
		d.t.Fatal("the central does not run")
	}
	frozen := time.Now()
	b.press(enter)
	b.awaitPath("/op/*")
	b.awaitText("#chips", "Offline")
	if took := time.Since(frozen); took > hangNoticed {
		d.t.Errorf("a central that hangs was noticed after %v, want %v at most", took.Round(time.Millisecond), hangNoticed)
	}
	if got := b.text("h1"); !strings.HasPrefix(got, "DO NOT GIVE CASH") {
		d.t.Errorf("the page says %q while the central hangs", got)
	}
	b.shot("central-frozen")
	d.h.signal("central", syscall.SIGCONT)
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹200")
	d.notePaid(200_00)
	b.shot("central-frozen-and-back")
}

func (d *counterDay) centralGone() {
	d.section("the central is gone, and comes back in time")
	b := d.b
	giveBack := d.h.keepDown("central")
	b.goTo("/")
	b.awaitText("#chips", "Offline")
	b.awaitText("#alerts", "Offline since")
	b.shot("central-gone-home")
	b.press("l")
	b.awaitPath("/connection")
	b.awaitText("#line", "What works offline")
	b.awaitText("#line", "Nothing was lost.")
	b.shot("central-gone-line")
	b.shotNarrow("central-gone-line")
	d.begin(person("withdrawal", "300"))
	b.awaitState("waiting")
	b.says("DO NOT GIVE CASH YET")
	b.shot("central-gone-waiting")
	b.shotNarrow("central-gone-waiting")

	// Enquiries do not wait: the agent gets an answer at once.
	d.fill(person("balance", ""))
	b.press(enter)
	b.awaitText("[role=alert]", "counter is offline")
	b.shot("central-gone-enquiry")
	b.goTo("/operations")
	b.click("#ops .history-group:last-of-type .row") // that waits for the connection
	b.awaitPath("/op/*")
	giveBack()
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹300")
	d.notePaid(300_00)
	b.shot("central-gone-and-back")
}

func (d *counterDay) centralKilledWhileTheBankWorks() {
	d.section("the central is killed while the bank executes")
	b := d.b
	d.begin(person("withdrawal", "101.99")) // executes at once, answers after a while
	d.h.waitForExecution(d.t, 101_99)
	giveBack := d.h.keepDown("central")
	b.awaitText("#chips", "Offline")
	b.awaitState("asking", "bank") // bank: it was accepted before, and the central owns it
	if got := b.text("h1"); !strings.HasPrefix(got, "DO NOT GIVE CASH") {
		d.t.Errorf("the page says %q", got)
	}
	b.shot("central-killed")
	giveBack()
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹101.99")
	d.notePaid(101_99)
	b.shot("central-killed-and-back")
}

func (d *counterDay) counterKilledWhileTheBankWorks() {
	d.section("the counter's own program is killed while the bank executes")
	b := d.b
	d.begin(person("withdrawal", "104.99")) // executes at once, answers after a while
	d.h.waitForExecution(d.t, 104_99)
	d.h.killAndWait("edge")
	b.awaitPath("/unlock") // the open page refreshes by itself
	b.shot("counter-killed")
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/op/*")
	if got := b.text("h1"); strings.HasPrefix(got, "GIVE CASH") == strings.HasPrefix(got, "DO NOT GIVE CASH") {
		d.t.Errorf("the page says %q", got)
	}
	b.awaitState("succeeded")
	b.says("GIVE CASH ₹104.99")
	d.notePaid(104_99)
	b.shot("counter-killed-and-back")
}

func (d *counterDay) counterKilledAtTheFinger() {
	d.section("the counter's own program is killed while the reader waits for the finger")
	b := d.b
	d.placeFinger(choudhury)
	d.script(map[string]any{"delayMs": 8000})
	d.beginWith(person("withdrawal", "105"), "")
	b.awaitState("capturing")
	d.h.killAndWait("edge")
	b.awaitPath("/unlock")
	b.typeInto("pin", "2580", enter)
	b.awaitPath("/op/*")
	b.awaitState("expired")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".banner", "No money moved")
	b.shot("counter-killed-at-the-finger")
}

func (d *counterDay) bankSilent() {
	d.section("the bank executes and never answers")
	b := d.b
	d.begin(person("withdrawal", "102.97"))
	// It stays pending only for a while: the first enquiry comes after a few seconds,
	// and would be answered.
	d.h.waitForExecution(d.t, 102_97)
	if !d.h.signal("bank", syscall.SIGSTOP) {
		d.t.Fatal("the bank does not run")
	}
	b.awaitState("pending")
	b.says("DO NOT GIVE CASH")
	b.awaitText(".deadline", "5 days left.")
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
	d.notePaid(102_97)
	b.shot("bank-silent-and-resolved")

	d.begin(person("withdrawal", "103.93"))
	b.awaitState("reversed", "declined")
	b.says("DO NOT GIVE CASH")
	b.shot("bank-took-it-back")

	// The customer has stepped aside when the bank pays: every page shows it, without a
	// reload, until somebody answers.
	d.begin(person("withdrawal", "104.94"))
	b.awaitState("pending")
	path, err := ask[string](b, `location.pathname`)
	if err != nil {
		b.fail("read the address", err)
	}
	b.goTo("/new/balance")
	open := fmt.Sprintf(`document.querySelector("#open-cash").dataset.state.split(" ").includes(%q)`, strings.TrimPrefix(path, "/op/")+":due")
	b.await("the strip of the cash that is paid late", open)
	d.notePaid(104_94)
	b.shot("bank-paid-late")
	b.goTo("/operations")
	b.await("the strip on another page", open)
	b.awaitText(".history-group", "₹104.94")
	b.goTo(path)
	b.says("GIVE CASH ₹104.94")
	b.press("c")
	b.awaitState("given")
	b.await("the strip to be answered", `!`+open)
}

// openAllPages opens every page that the first one links to, as the daemon serves them.
func (d *counterDay) openAllPages() {
	d.section("every section")
	b := d.b
	b.goTo("/")
	hrefs, err := ask[[]string](b, `[...new Set([...document.querySelectorAll('main a[href^="/"], .chips a')].map(a => a.getAttribute('href')))].filter(h => !h.startsWith('/op/'))`)
	if err != nil {
		b.fail("read the ways from the first page", err)
	}
	if len(hrefs) < minMenuItems {
		d.t.Errorf("the first page leads to %q only", hrefs)
	}
	for _, href := range hrefs {
		b.goTo(href)
		good, err := ask[bool](b, `performance.getEntriesByType('navigation')[0].responseStatus === 200 && document.querySelector('main').innerText.trim() !== ''`)
		if err != nil || !good {
			d.t.Errorf("%s can't be opened (%v): %s", href, err, b.text("main"))
		}
		name := "section" + strings.ReplaceAll(href, "/", "-")
		b.shot(name)
		b.shotNarrow(name)
	}
}

// minMenuItems is how many pages the first one links to at least: four actions,
// connection, day, operations, and the sections.
const minMenuItems = 12

func (d *counterDay) checkLists() {
	d.section("the list of operations, a dead program, and the lock")
	b := d.b
	b.goTo("/operations")
	b.awaitText("#ops", "Shivshankar Choudhury")
	b.awaitText("#ops", "XXXXXXXX7058")
	b.shot("operations")
	b.shotNarrow("operations")

	// The counter's own program dies: it comes back locked, and nothing is lost.
	d.h.killAndWait("edge")
	waitUntil(d.t, "the counter serves again", time.Minute, func() bool {
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
