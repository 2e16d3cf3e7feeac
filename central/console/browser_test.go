package console

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/central/staff"
	"galla/edge/ui/uitest"
	"galla/shared/ist"
	"galla/shared/op"
)

// TestChromium walks through the console's own pages in a real Chromium, at a desktop's
// size and a phone's, as three people, partly by keyboard; webtest checks each page
// with axe-core.
func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1280, 800}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.seed(t)
			plain := httptest.NewServer(h.console.Handler())
			t.Cleanup(plain.Close)
			walk := &walk{h: h, open: func() *uitest.Browser {
				return uitest.Open(t, chromium, strings.Replace(plain.URL, "127.0.0.1", localName, 1), size[0], size[1])
			}, t: t}
			walk.operations()
			walk.reports()
			walk.people()
		})
	}
}

type walk struct {
	t    *testing.T
	h    *harness
	open func() *uitest.Browser
}

// enter signs in as a person does.
func (w *walk) enter(login string) *uitest.Browser {
	w.t.Helper()
	b := w.open()
	b.Navigate("/console/")
	b.WaitForHeading("Sign in")
	b.WaitForFocus("#login")
	b.Press(login, kb.Tab, rightPassword, kb.Tab, w.code(login), kb.Enter)
	b.WaitFor(`location.pathname === "/console/operations" && document.readyState === "complete"`)
	return b
}

func (w *walk) code(login string) string {
	w.t.Helper()
	code, err := staff.NewFactor(login, key(login)).CodeAt(time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	return code.Reveal()
}

// proves types the next code where one is asked for.
func (w *walk) proves(b *uitest.Browser, login string) {
	w.t.Helper()
	b.WaitForHeading("Enter an authenticator code")
	b.WaitForFocus("#step_up")
	b.Press(w.nextCode(login), kb.Enter)
}

func (w *walk) nextCode(login string) string {
	w.t.Helper()
	code, err := staff.NewFactor(login, key(login)).CodeAt(time.Now().Add(30 * time.Second))
	if err != nil {
		w.t.Fatal(err)
	}
	return code.Reveal()
}

// file writes a file that a browser can send.
func (w *walk) file(name, content string) string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// operations: a stuck operation is found, read and decided by two people, and the
// bank's file is imported.
func (w *walk) operations() {
	w.t.Helper()
	done := w.h.operation(w.t, 1, time.Hour, op.Succeeded)
	stuck := w.h.operation(w.t, 2, 8*24*time.Hour, "stuck")
	w.h.operation(w.t, 3, time.Hour, op.Pending)

	nobody := w.open()
	nobody.Navigate("/console/audit")
	nobody.WaitForHeading("Sign in")
	nobody.Screenshot("sign-in")
	nobody.Press("asha", kb.Tab, "wrong", kb.Tab, "000000", kb.Enter)
	nobody.WaitFor(`document.querySelector(".alert")?.innerText.includes("is wrong")`)
	nobody.Screenshot("sign-in-refused")

	ravi := w.enter("ravi")
	// Eleven links in one row, or behind a button where the row is too narrow.
	ravi.WaitFor(`innerWidth >= 1280
		? new Set([...document.querySelectorAll(".nav li")].map(e => Math.round(e.getBoundingClientRect().top))).size === 1 && document.querySelector(".bar").offsetHeight < 70
		: document.querySelector(".nav").offsetHeight === 0 && document.querySelector(".menu summary").offsetHeight >= 44`)
	ravi.WaitFor(`document.querySelectorAll("[data-live] tbody tr").length === 3`)
	ravi.Screenshot("operations")
	w.live(ravi)
	ravi.Press("/")
	ravi.WaitForFocus("form.find [type=search]")
	ravi.Press("7058", kb.Enter)
	ravi.WaitForHeading("Search")
	ravi.WaitFor(`document.querySelectorAll(".table tbody tr").length === 3`)
	ravi.Screenshot("found")
	ravi.Do(chromedp.Clear("#text"), chromedp.Focus("#text"))
	ravi.Press(string(stuck.Reference), kb.Enter)
	ravi.WaitForHeading("Operation " + string(stuck.Reference))
	ravi.Screenshot("operation-stuck")
	ravi.Navigate("/console/operations/" + string(done.ID))
	ravi.WaitForHeading("Operation " + string(done.Reference))
	ravi.Screenshot("operation-done")
	paid := w.h.payment(w.t, 4, returned)
	ravi.Navigate("/console/operations/" + string(paid.Operation))
	ravi.WaitForHeading("Operation " + paid.ID)
	ravi.Screenshot("operation-payment")
	ravi.Navigate("/console/waiting")
	ravi.WaitForHeading("Waiting for the bank")
	ravi.Screenshot("waiting")
	ravi.Navigate("/console/operations/" + string(stuck.ID))
	ravi.Do(chromedp.SendKeys("#reason", "The bank does not answer."), chromedp.Click(`form[action$="/case"] button`))
	ravi.WaitFor(`location.pathname.startsWith("/console/cases/")`)
	ravi.WaitForHeading(`Case ` + string(ist.DayOf(time.Now())) + `.0.1`)
	ravi.Screenshot("case-open")
	ravi.Do(chromedp.Click(`input[value="succeeded"]`), chromedp.SendKeys("#reason", "The bank's letter says so."), chromedp.SendKeys("#step_up", w.nextCode("ravi")),
		chromedp.SetUploadFiles("#document", []string{w.file("letter.txt", "we executed it")}), chromedp.Click(`form[action$="/propose"] button`))
	ravi.WaitFor(`document.querySelector("main").innerText.includes("You proposed it")`)
	ravi.Screenshot("case-proposed")

	meera := w.enter("meera")
	meera.Navigate("/console/cases/" + string(ist.DayOf(time.Now())) + ".0.1")
	meera.WaitFor(`document.querySelector('form[action$="/confirm"]')`)
	meera.Screenshot("case-confirm")
	meera.Do(chromedp.Click(`form[action$="/confirm"] button`))
	w.proves(meera, "meera")
	meera.WaitFor(`document.querySelector(".fine")?.innerText.includes("The case is decided")`)
	meera.Screenshot("case-decided")
	day := string(ist.DayOf(time.Now().Add(-48 * time.Hour)))
	content := strings.Join([]string{"reference,rrn,stan,amount,code,time", "GL261120STRAY,632510000001,000001,500.00,00," + day + "T10:00:00+05:30", "END," + day + ",1,500.00,,", ""}, "\n")
	meera.Navigate("/console/reconciliation")
	meera.Do(chromedp.SetUploadFiles("#file", []string{w.file("day.csv", content)}), chromedp.Click(`form[action="/console/reconciliation"] button`))
	meera.WaitForHeading("Settlement file of " + day)
	meera.Screenshot("day")
	meera.Navigate("/console/reconciliation")
	meera.WaitForHeading("Reconciliation")
	meera.Screenshot("reconciliation")
}

// live: a new operation comes into the list by itself, also while a link of it has the focus.
func (w *walk) live(b *uitest.Browser) {
	w.t.Helper()
	b.Do(chromedp.Focus("[data-live] tbody a"))
	first := uitest.Eval[string](b, `document.activeElement.getAttribute("href")`)
	o := w.h.operation(w.t, 4, 0, op.Succeeded)
	b.WaitFor(`document.querySelector("[data-live] tbody a").getAttribute("href").endsWith("` + string(o.ID) + `")`)
	b.WaitFor(`document.activeElement.getAttribute("href") === "` + first + `"`)
	b.WaitFor(`document.querySelector("[data-told]").innerText.startsWith("Updated ")`)
	b.Do(chromedp.Blur("[data-live] tbody a[href='" + first + "']"))
}

// people: an admin adds a member, who sets up; changes the role, disables the member,
// and reads the audit log.
func (w *walk) people() {
	w.t.Helper()
	asha := w.enter("asha")
	asha.Navigate("/console/staff")
	asha.WaitForHeading("Staff")
	asha.Screenshot("staff")
	asha.Do(chromedp.SendKeys("#login", "nila"), chromedp.SendKeys("#name", "Nila Das"), chromedp.Click(`form[action="/console/staff"] button`))
	asha.WaitForHeading("Enter an authenticator code")
	asha.Screenshot("step-up")
	w.proves(asha, "asha")
	asha.WaitForHeading("Set-up code")
	asha.Screenshot("code")
	code := uitest.Eval[string](asha, `document.querySelector("code.key").innerText`)
	nila := w.open()
	nila.Navigate("/console/set-up")
	nila.WaitForFocus("#login")
	nila.Screenshot("set-up")
	nila.Press("nila", kb.Tab, code, kb.Enter)
	nila.WaitForHeading("Choose a password")
	nila.Screenshot("set-up-factor")
	for dark, ground := range map[bool]string{true: "rgb(16, 23, 22)", false: "rgb(246, 243, 236)"} {
		nila.SetDark(dark)
		nila.WaitFor(`getComputedStyle(document.body).backgroundColor === "` + ground + `"`)
		nila.WaitFor(`getComputedStyle(document.querySelector(".qr rect")).fill === "rgb(255, 255, 255)" && getComputedStyle(document.querySelector(".qr path")).fill === "rgb(0, 0, 0)"`)
	}
	nila.SetDark(os.Getenv(uitest.Dark) != "")
	raw, err := operatorKey(uitest.Eval[string](nila, `document.querySelector("code.key").innerText`))
	if err != nil {
		w.t.Fatal(err)
	}
	otp, err := staff.NewFactor("nila", raw).CodeAt(time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	nila.Press(rightPassword, kb.Tab, rightPassword, kb.Tab, otp.Reveal(), kb.Enter)
	nila.WaitFor(`location.pathname === "/console/operations"`)
	nila.Navigate("/console/me")
	nila.WaitForHeading("Your access")
	nila.Screenshot("me")
	nila.Navigate("/console/staff")
	nila.WaitForHeading("Your role does not allow this")
	nila.Screenshot("refused")

	asha.Navigate("/console/staff/nila")
	asha.WaitForHeading("Nila Das")
	asha.Screenshot("person")
	asha.Do(chromedp.Click(`form[action$="/disable"] button`))
	asha.WaitFor(`document.querySelector("input[name=confirmed]")`)
	asha.Screenshot("person-sure")
	asha.Do(chromedp.Click(`form[action$="/disable"] button`))
	asha.WaitFor(`document.querySelector(".fine")?.innerText.includes("was disabled")`)
	nila.Navigate("/console/me")
	nila.WaitForHeading("Sign in")
	asha.Navigate("/console/staff/ravi")
	asha.Do(chromedp.SendKeys("#role", "admin"), chromedp.Click(`form[action$="/role"] button`))
	asha.WaitFor(`document.querySelector("main").innerText.includes("waits for a second admin")`)
	asha.Screenshot("person-asked")
	asha.Navigate("/console/audit")
	asha.WaitForHeading("Audit log")
	asha.Screenshot("audit")
	asha.Do(chromedp.Click(`.locker button`))
	asha.WaitFor(`document.querySelector(".fine")?.innerText.includes("signed out")`)
	asha.Screenshot("signed-out")
}
