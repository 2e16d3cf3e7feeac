package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"

	"galla/central/staff"
	"galla/central/webhook"
	"galla/edge/ui/uitest"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/wire"
)

// TestChromiumWalk walks through the pages about parties in a real Chromium, at a
// desktop's size and a phone's; webtest checks each page with axe-core. It walks all pages of
// the console as each role, too. One browser does all this at the same time: most of it is
// waiting, and axe-core judges what looks the same once.
func TestChromiumWalk(t *testing.T) {
	chromium := uitest.Chromium(t)
	t.Run("roles", func(t *testing.T) {
		t.Parallel()
		walkAsEachRole(t, chromium)
	})
	for _, size := range [][2]int64{{1280, 800}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			h := newSystem(t)
			w := &walk{t: t, h: h, open: func() *uitest.Browser { return uitest.Open(t, chromium, h.console(t), size[0], size[1]) }}
			w.addData()
			asha := w.enter(staff.Admin)
			w.now(asha)
			w.parties(asha)
			w.activity(asha)
		})
	}
}

type walk struct {
	t            *testing.T
	h            *system
	open         func() *uitest.Browser
	withCallback op.ID // an operation with a callback
}

// enter signs in as a person does.
func (w *walk) enter(role staff.Role) *uitest.Browser {
	w.t.Helper()
	b := w.open()
	b.Navigate("/console/")
	b.WaitForHeading("Sign in")
	w.signIn(b, role)
	b.Navigate("/console/step-up?next=/console/me")
	b.WaitForHeading("Enter an authenticator code")
	b.Press(nextCode(w.t, role), kb.Enter)
	b.WaitForHeading("Your access")
	return b
}

// signIn fills in the sign-in's form.
func (w *walk) signIn(b *uitest.Browser, role staff.Role) {
	w.t.Helper()
	b.Press("sandbox-"+string(role), kb.Tab, sandboxIn, kb.Tab, code(w.t, role), kb.Enter)
	b.WaitFor(`location.pathname === "/console/now" && document.readyState === "complete"`)
}

// now reads the first page, and filters operations by a merchant's name.
func (w *walk) now(b *uitest.Browser) {
	w.t.Helper()
	b.Navigate("/console/now")
	b.WaitForHeading("Now")
	b.WaitFor(`[...document.querySelectorAll(".tile")].some(e => e.innerText.startsWith("Terminals online\n1"))`)
	b.Screenshot("now")
	b.Navigate("/console/operations")
	b.WaitForFocus("body")
	b.Do(chromedp.Focus("#merchant"))
	b.Press("laksh")
	b.WaitFor(`[...document.querySelectorAll("#merchants option")].some(e => e.value === "Lakshmi Kirana Store")`)
	b.Press(kb.Enter)
	b.WaitFor(`new URLSearchParams(location.search).get("merchant")?.length === 36 && document.querySelector("#merchant").value === "Lakshmi Kirana Store"`)
	b.Screenshot("operations-of-a-merchant")
}

// addData adds an online terminal and an offline one, a day's operations, a callback
// and readings of the float.
func (w *walk) addData() {
	w.t.Helper()
	now := time.Now()
	w.h.connect(w.t, w.h.enrol(w.t, "Front counter"), wire.Frame{Version: "v1.4.2", Clock: now.Add(3 * time.Minute).UnixMilli(), Unresolved: []op.ID{op.ID(uuid.Must(uuid.NewV7()).String())}})
	w.h.enrol(w.t, "Back counter")
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w.t.Cleanup(receiver.Close)
	if err := w.h.db.SetEndpoint(w.t.Context(), webhook.OfMerchant(shop), receiver.URL+"/hook", []string{"operation.finished"}, now); err != nil {
		w.t.Fatal(err)
	}
	yesterday := now.In(ist.Zone()).AddDate(0, 0, -1)
	nine := time.Date(yesterday.Year(), yesterday.Month(), yesterday.Day(), 9, 0, 0, 0, yesterday.Location())
	for i := range 60 {
		state, pending, iin := op.Succeeded, false, []string{"990326", "607152", "508534", "607094"}[i%4]
		switch {
		case i%11 == 5:
			state = op.Failed
		case i%17 == 9:
			state, pending = op.Pending, true
		}
		w.h.operation(w.t, i+1, nine.Add(time.Duration(i*i%600)*time.Minute), state, pending, iin)
	}
	for i := range 20 { // a week before that day
		w.h.operation(w.t, 200+i, nine.AddDate(0, 0, -7).Add(time.Duration(i*i%500)*time.Minute), op.Succeeded, false, "990326")
	}
	w.withCallback = w.h.operation(w.t, 100, now.Add(-time.Minute), op.Succeeded, true, "990326")
}

// parties: the list of merchants, one that is suspended, a vendor with a key, and
// slabs.
func (w *walk) parties(asha *uitest.Browser) {
	w.t.Helper()
	asha.Navigate("/console/merchants")
	asha.WaitForHeading("Merchants")
	asha.Screenshot("merchants")
	asha.Do(chromedp.Click(`.sorts a[href*="sort=moved"]`))
	asha.WaitFor(`document.querySelector("th[aria-sort=descending]")?.textContent === "Moved today" && document.querySelector("tbody").innerText.includes("Lakshmi Kirana Store")`)
	asha.Navigate("/console/merchants")
	asha.Do(chromedp.SendKeys("#legal_name", "Konkan Stores"), chromedp.SendKeys("#mid", "GAL0000099"), chromedp.SendKeys("#mobile", "123"), chromedp.Click(`form[action="/console/merchants"][method=post] button`))
	asha.WaitFor(`document.querySelector(".alert")?.innerText.includes("mobile number")`)
	asha.Screenshot("merchant-refused")
	asha.Navigate("/console/merchants/" + shop)
	asha.WaitForHeading("Lakshmi Kirana Store")
	asha.Do(chromedp.Click(`main details summary`))
	asha.WaitFor(`document.querySelector("main details").innerText.includes("a remitter, in a month")`)
	asha.Screenshot("merchant")
	asha.Do(chromedp.Click(`form[action$="/code"] button`))
	asha.WaitForHeading("Enrolment code")
	asha.Screenshot("enrolment-code")
	asha.Navigate("/console/merchants/" + shop)
	asha.Do(chromedp.Click(`form[action$="/status"] button`))
	asha.WaitForHeading("Are you sure?")
	asha.Screenshot("confirmed")
	asha.Do(chromedp.Click(`.message button`))
	asha.WaitFor(`document.querySelector(".fine")?.innerText.includes("suspended")`)
	asha.Screenshot("merchant-suspended")
	asha.Do(chromedp.Click(`form[action$="/secrets"] button`))
	asha.WaitForHeading("Callback secret")
	asha.Navigate("/console/merchants/" + shop)
	asha.Do(chromedp.Click(`form[action$="/clients"] button`))
	asha.WaitForHeading("Program of Lakshmi Kirana Store")
	asha.Screenshot("program")
	asha.Do(chromedp.Click(`main a[href*="/clients/"]`))
	asha.WaitFor(`document.readyState === "complete" && document.querySelector("main").innerText.includes("Terminals enrolled with its codes")`)
	asha.Do(chromedp.Click(`form[action$="/secrets"] button`))
	asha.WaitFor(`document.querySelector(".lead")?.innerText.startsWith("Secret 2 of a program")`)
	asha.Do(chromedp.Click(`main a[href*="/clients/"]`))
	asha.WaitFor(`document.querySelectorAll('form[action$="/end"]').length === 2`)
	asha.Screenshot("program-and-its-terminals")
	asha.Navigate("/console/merchants/" + shop + "/change")
	asha.WaitForHeading("Change Lakshmi Kirana Store")
	asha.Screenshot("merchant-change")
	asha.Navigate("/console/vendors")
	asha.WaitForHeading("Vendors")
	asha.Screenshot("vendors")
	asha.Navigate("/console/aggregators/a0000000-0000-4000-8000-000000000001")
	asha.WaitForHeading("Galla Aggregator")
	asha.Screenshot("aggregator")
	asha.Navigate("/console/vendors/" + vendor)
	asha.WaitForHeading("Sahyadri Fintech")
	asha.Do(chromedp.Click(`form[action$="/keys"] button`))
	asha.WaitForHeading("Key of Sahyadri Fintech")
	asha.Navigate("/console/vendors/" + vendor)
	asha.Screenshot("vendor")
	asha.Navigate("/console/vendors/" + vendor + "/slabs")
	asha.WaitForHeading("Slabs of Sahyadri Fintech")
	asha.Do(chromedp.SendKeys("#slab-new-method", "AEPS"), chromedp.SendKeys("#slab-new-provider", "TESTP"), chromedp.SendKeys("#slab-new-type", "WITHDRAWAL"),
		chromedp.SendKeys("#slab-new-min", "100"), chromedp.SendKeys("#slab-new-rate", "2.50"), chromedp.Click(`form[action$="/slabs"] button`))
	asha.WaitFor(`document.querySelector(".fine")?.innerText.includes("added")`)
	asha.Do(chromedp.SendKeys("#slab-new-method", "aeps"), chromedp.SendKeys("#slab-new-provider", "testp"), chromedp.SendKeys("#slab-new-type", "withdrawal"),
		chromedp.SendKeys("#slab-new-rate", "1"), chromedp.Click(`form[action$="/slabs"] button`))
	asha.WaitFor(`document.querySelectorAll(".overlap").length === 2`)
	asha.Do(chromedp.Click(".table summary"))
	asha.Screenshot("slabs")
}

// activity: terminals, callbacks, the day and the float.
func (w *walk) activity(asha *uitest.Browser) {
	w.t.Helper()
	asha.Navigate("/console/terminals")
	asha.WaitFor(`document.querySelector("main").innerText.includes("online")`)
	asha.Screenshot("terminals")
	asha.Do(chromedp.Click(".table tbody a"))
	asha.WaitForHeading("Front counter")
	asha.Screenshot("terminal")
	asha.Do(chromedp.Click(`form[action$="/revoke"] button`))
	asha.WaitForHeading("Are you sure?")
	asha.Do(chromedp.Click(`.message button`))
	asha.WaitFor(`document.querySelector(".fine")?.innerText.includes("revoked")`)
	asha.Navigate("/console/callbacks")
	asha.WaitForHeading("Callbacks")
	asha.Screenshot("callbacks")
	asha.Navigate("/console/callbacks/" + string(w.withCallback))
	asha.WaitForHeading("Callback")
	asha.Screenshot("callback")
	asha.Navigate("/console/payments")
	asha.WaitForHeading("UPI payments")
	asha.Screenshot("payments")
	asha.Navigate("/console/day?day=" + time.Now().In(ist.Zone()).AddDate(0, 0, -1).Format(time.DateOnly))
	asha.WaitFor(`document.querySelectorAll("svg.chart rect").length > 20`)
	asha.WaitFor(`document.querySelectorAll("line.before").length > 10`)
	asha.WaitFor(chartTextsFit)
	asha.Screenshot("day")
	asha.Navigate("/console/float")
	asha.WaitForHeading("Float")
	asha.Do(chromedp.Click(`form[action="/console/float"][method=post] button`))
	asha.WaitFor(`document.querySelector(".fine")?.innerText.includes("was read")`)
	asha.WaitFor(chartTextsFit)
	asha.Screenshot("float")
}

// chartTextsFit: all texts of charts are inside their cards, large enough to read, and none
// is over another.
const chartTextsFit = `[...document.querySelectorAll(".plot")].every(plot => {
	const card = plot.getBoundingClientRect(), texts = [...plot.querySelectorAll("svg text")];
	const boxes = texts.map(t => t.getBoundingClientRect());
	return texts.length > 3 && texts.every(t => parseFloat(getComputedStyle(t).fontSize) >= 12) &&
		boxes.every(b => b.height >= 12 && b.left >= card.left && b.right <= card.right && b.bottom <= card.bottom) &&
		boxes.every((a, i) => boxes.slice(i + 1).every(b => a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 4 || b.bottom <= a.top + 4));
})`
