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

	"galla/central"
	"galla/central/operator"
	"galla/edge/web/webtest"
	"galla/shared/op"
)

// TestBrowser walks through every page of the console in a real Chromium, at
// a desk's size and a phone's, as three people: by keyboard where a person would,
// and judged by webtest, with axe-core.
func TestBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1280, 800}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			h := newHouse(t)
			h.seed(t)
			plain := httptest.NewServer(h.console.Handler())
			t.Cleanup(plain.Close)
			walk := &walk{h: h, open: func() *webtest.Browser {
				return webtest.Open(t, chromium, strings.Replace(plain.URL, "127.0.0.1", localName, 1), size[0], size[1])
			}, t: t}
			walk.operations()
			walk.people()
		})
	}
}

type walk struct {
	t    *testing.T
	h    *house
	open func() *webtest.Browser
}

// enter signs in as a person does.
func (w *walk) enter(login string) *webtest.Browser {
	w.t.Helper()
	b := w.open()
	b.Go("/console/")
	b.Reads("Sign in")
	b.Focused("#login")
	b.Press(login, kb.Tab, rightPassword, kb.Tab, w.code(login), kb.Enter)
	b.Sees(`location.pathname === "/console/operations" && document.readyState === "complete"`)
	return b
}

func (w *walk) code(login string) string {
	w.t.Helper()
	code, err := operator.NewFactor(login, key(login)).CodeAt(time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	return code.Reveal()
}

// proves types the next code where one is asked for.
func (w *walk) proves(b *webtest.Browser, login string) {
	w.t.Helper()
	b.Reads("Type a code of your authenticator")
	b.Focused("#step_up")
	b.Press(w.nextCode(login), kb.Enter)
}

func (w *walk) nextCode(login string) string {
	w.t.Helper()
	code, err := operator.NewFactor(login, key(login)).CodeAt(time.Now().Add(30 * time.Second))
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

// operations: a stuck one is found, read and settled by two people, and the
// bank's file is imported.
func (w *walk) operations() {
	w.t.Helper()
	done := w.h.operation(w.t, 1, time.Hour, op.Succeeded)
	stuck := w.h.operation(w.t, 2, 8*24*time.Hour, "stuck")
	w.h.operation(w.t, 3, time.Hour, op.Pending)

	nobody := w.open()
	nobody.Go("/console/trail")
	nobody.Reads("Sign in")
	nobody.Shot("sign-in")
	nobody.Press("asha", kb.Tab, "wrong", kb.Tab, "000000", kb.Enter)
	nobody.Sees(`document.querySelector(".alert")?.innerText.includes("is wrong")`)
	nobody.Shot("sign-in-refused")

	ravi := w.enter("ravi")
	// Eleven pages in one row, and behind a button where there is no room.
	ravi.Sees(`innerWidth >= 1280
		? new Set([...document.querySelectorAll(".ways li")].map(e => Math.round(e.getBoundingClientRect().top))).size === 1 && document.querySelector(".bar").offsetHeight < 70
		: document.querySelector(".ways").offsetHeight === 0 && document.querySelector(".menu summary").offsetHeight >= 44`)
	ravi.Shot("operations")
	ravi.Focused("#name")
	ravi.Press(string(stuck.Reference), kb.Enter)
	ravi.Sees(`document.querySelectorAll(".table tbody tr a").length === 1`)
	ravi.Shot("found")
	ravi.Do(chromedp.Click(".table tbody a"))
	ravi.Reads("Operation " + string(stuck.Reference))
	ravi.Shot("operation-stuck")
	ravi.Go("/console/operations/" + string(done.ID))
	ravi.Reads("Operation " + string(done.Reference))
	ravi.Shot("operation-done")
	ravi.Go("/console/waiting")
	ravi.Reads("Waiting for the bank")
	ravi.Shot("waiting")
	ravi.Go("/console/operations/" + string(stuck.ID))
	ravi.Do(chromedp.SendKeys("#reason", "The bank's desk does not answer."), chromedp.Click(`form[action$="/case"] button`))
	ravi.Sees(`location.pathname.startsWith("/console/cases/")`)
	ravi.Reads(`Case ` + string(central.DayOf(time.Now())) + `.0.1`)
	ravi.Shot("case-open")
	ravi.Do(chromedp.Click(`input[value="succeeded"]`), chromedp.SendKeys("#reason", "The bank's letter says so."), chromedp.SendKeys("#step_up", w.nextCode("ravi")),
		chromedp.SetUploadFiles("#document", []string{w.file("letter.txt", "we executed it")}), chromedp.Click(`form[action$="/propose"] button`))
	ravi.Sees(`document.querySelector("main").innerText.includes("You proposed it")`)
	ravi.Shot("case-proposed")

	meera := w.enter("meera")
	meera.Go("/console/cases/" + string(central.DayOf(time.Now())) + ".0.1")
	meera.Sees(`document.querySelector('form[action$="/confirm"]')`)
	meera.Shot("case-confirm")
	meera.Do(chromedp.Click(`form[action$="/confirm"] button`))
	w.proves(meera, "meera")
	meera.Sees(`document.querySelector(".fine")?.innerText.includes("The case is decided")`)
	meera.Shot("case-decided")
	day := string(central.DayOf(time.Now().Add(-48 * time.Hour)))
	content := strings.Join([]string{"reference,rrn,stan,amount,code,time", "GL261120STRAY,632510000001,000001,500.00,00," + day + "T10:00:00+05:30", "END," + day + ",1,500.00,,", ""}, "\n")
	meera.Go("/console/days")
	meera.Do(chromedp.SetUploadFiles("#file", []string{w.file("day.csv", content)}), chromedp.Click(`form[action="/console/days"] button`))
	meera.Reads("The bank's file of " + day)
	meera.Shot("day")
	meera.Go("/console/days")
	meera.Reads("Reconciliation")
	meera.Shot("days")
}

// people: an admin adds somebody, who sets up; changes the role, puts out; and
// reads the trail.
func (w *walk) people() {
	w.t.Helper()
	asha := w.enter("asha")
	asha.Go("/console/people")
	asha.Reads("People")
	asha.Shot("people")
	asha.Do(chromedp.SendKeys("#login", "nila"), chromedp.SendKeys("#name", "Nila Das"), chromedp.Click(`form[action="/console/people"] button`))
	asha.Reads("Type a code of your authenticator")
	asha.Shot("step-up")
	w.proves(asha, "asha")
	asha.Reads("Hand over this code")
	asha.Shot("code")
	code := webtest.Eval[string](asha, `document.querySelector("code.key").innerText`)
	nila := w.open()
	nila.Go("/console/set-up")
	nila.Focused("#login")
	nila.Shot("set-up")
	nila.Press("nila", kb.Tab, code, kb.Enter)
	nila.Reads("Choose a password")
	nila.Shot("set-up-factor")
	raw, err := operatorKey(webtest.Eval[string](nila, `document.querySelector("code.key").innerText`))
	if err != nil {
		w.t.Fatal(err)
	}
	otp, err := operator.NewFactor("nila", raw).CodeAt(time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	nila.Press(rightPassword, kb.Tab, rightPassword, kb.Tab, otp.Reveal(), kb.Enter)
	nila.Sees(`location.pathname === "/console/operations"`)
	nila.Go("/console/me")
	nila.Reads("Your access")
	nila.Shot("me")
	nila.Go("/console/people")
	nila.Reads("Your role does not allow this")
	nila.Shot("refused")

	asha.Go("/console/people/nila")
	asha.Reads("Nila Das")
	asha.Shot("person")
	asha.Do(chromedp.Click(`form[action$="/disable"] button`))
	asha.Sees(`document.querySelector("input[name=sure]")`)
	asha.Shot("person-sure")
	asha.Do(chromedp.Click(`form[action$="/disable"] button`))
	asha.Sees(`document.querySelector(".fine")?.innerText.includes("was put out")`)
	nila.Go("/console/me")
	nila.Reads("Sign in")
	asha.Go("/console/people/ravi")
	asha.Do(chromedp.SendKeys("#role", "admin"), chromedp.Click(`form[action$="/role"] button`))
	asha.Sees(`document.querySelector("main").innerText.includes("waits for a second admin")`)
	asha.Shot("person-asked")
	asha.Go("/console/trail")
	asha.Reads("Trail")
	asha.Shot("trail")
	asha.Do(chromedp.Click(`.locker button`))
	asha.Sees(`document.querySelector(".fine")?.innerText.includes("signed out")`)
	asha.Shot("signed-out")
}
