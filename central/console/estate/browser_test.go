package estate_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"

	"galla/central/operator"
	"galla/edge/web/webtest"
	"galla/shared/op"
	"galla/shared/wire"
)

// TestBrowserWalk walks through every page of the room in a real Chromium, at a
// desk's size and a phone's, judged by webtest with axe-core.
func TestBrowserWalk(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1280, 800}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			h := newHouse(t)
			w := &walk{t: t, h: h, open: func() *webtest.Browser { return webtest.Open(t, chromium, h.console(t), size[0], size[1]) }}
			w.furnish()
			asha := w.enter(operator.Admin)
			w.parties(asha)
			w.things(asha)
		})
	}
}

type walk struct {
	t    *testing.T
	h    *house
	open func() *webtest.Browser
	told op.ID // an operation with a callback
}

// enter signs in as a person does.
func (w *walk) enter(role operator.Role) *webtest.Browser {
	w.t.Helper()
	b := w.open()
	b.Go("/console/")
	b.Reads("Sign in")
	b.Press("sandbox-"+string(role), kb.Tab, sandboxIn, kb.Tab, code(w.t, role), kb.Enter)
	b.Sees(`location.pathname === "/console/operations" && document.readyState === "complete"`)
	b.Go("/console/step-up?next=/console/me")
	b.Reads("Type a code of your authenticator")
	b.Press(nextCode(w.t, role), kb.Enter)
	b.Reads("Your access")
	return b
}

// furnish gives the house a counter on the line and one that is not, a day's
// operations, a callback and readings of the float.
func (w *walk) furnish() {
	w.t.Helper()
	now := time.Now()
	w.h.connect(w.t, w.h.enrol(w.t, "Front counter"), wire.Frame{Version: "v1.4.2", Clock: now.Add(3 * time.Minute).UnixMilli(), Unresolved: []op.ID{op.ID(uuid.Must(uuid.NewV7()).String())}})
	w.h.enrol(w.t, "Back counter")
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w.t.Cleanup(receiver.Close)
	if err := w.h.db.SetEndpoint(w.t.Context(), shop, receiver.URL+"/hook", []string{"operation.settled"}, now); err != nil {
		w.t.Fatal(err)
	}
	yesterday := now.In(time.FixedZone("IST", 19800)).AddDate(0, 0, -1)
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
	w.told = w.h.operation(w.t, 100, now.Add(-time.Minute), op.Succeeded, true, "990326")
}

// parties: the list of merchants, one that is suspended, a vendor with a key and
// slabs.
func (w *walk) parties(asha *webtest.Browser) {
	w.t.Helper()
	asha.Go("/console/merchants")
	asha.Reads("Merchants")
	asha.Shot("merchants")
	asha.Do(chromedp.SendKeys("#legal_name", "Konkan Stores"), chromedp.SendKeys("#mid", "GAL0000099"), chromedp.SendKeys("#mobile", "123"), chromedp.Click(`form[action="/console/merchants"][method=post] button`))
	asha.Sees(`document.querySelector(".alert")?.innerText.includes("mobile number")`)
	asha.Shot("merchant-refused")
	asha.Go("/console/merchants/" + shop)
	asha.Reads("Lakshmi Kirana Store")
	asha.Shot("merchant")
	asha.Do(chromedp.Click(`form[action$="/code"] button`))
	asha.Reads("Enrolment code")
	asha.Shot("enrolment-code")
	asha.Go("/console/merchants/" + shop)
	asha.Do(chromedp.Click(`form[action$="/status"] button`))
	asha.Reads("Are you sure?")
	asha.Shot("sure")
	asha.Do(chromedp.Click(`.message button`))
	asha.Sees(`document.querySelector(".fine")?.innerText.includes("suspended")`)
	asha.Shot("merchant-suspended")
	asha.Do(chromedp.Click(`form[action$="/secrets"] button`))
	asha.Reads("Callback secret")
	asha.Go("/console/merchants/" + shop)
	asha.Do(chromedp.Click(`form[action$="/clients"] button`))
	asha.Reads("Program of Lakshmi Kirana Store")
	asha.Shot("program")
	asha.Do(chromedp.Click(`main a[href*="/clients/"]`))
	asha.Sees(`document.readyState === "complete" && document.querySelector("main").innerText.includes("Terminals that its codes enrolled")`)
	asha.Shot("program-and-its-terminals")
	asha.Go("/console/merchants/" + shop + "/change")
	asha.Reads("Change Lakshmi Kirana Store")
	asha.Shot("merchant-change")
	asha.Go("/console/vendors")
	asha.Reads("Vendors")
	asha.Shot("vendors")
	asha.Go("/console/aggregators/a0000000-0000-4000-8000-000000000001")
	asha.Reads("Galla Aggregator")
	asha.Shot("aggregator")
	asha.Go("/console/vendors/" + vendor)
	asha.Reads("Sahyadri Fintech")
	asha.Do(chromedp.Click(`form[action$="/keys"] button`))
	asha.Reads("Key of Sahyadri Fintech")
	asha.Go("/console/vendors/" + vendor)
	asha.Shot("vendor")
	asha.Go("/console/vendors/" + vendor + "/slabs")
	asha.Reads("Slabs of Sahyadri Fintech")
	asha.Do(chromedp.SendKeys("#slab-new-method", "AEPS"), chromedp.SendKeys("#slab-new-provider", "TESTP"), chromedp.SendKeys("#slab-new-type", "WITHDRAWAL"),
		chromedp.SendKeys("#slab-new-min", "100"), chromedp.SendKeys("#slab-new-rate", "2.50"), chromedp.Click(`form[action$="/slabs"] button`))
	asha.Sees(`document.querySelector(".fine")?.innerText.includes("added")`)
	asha.Do(chromedp.SendKeys("#slab-new-method", "aeps"), chromedp.SendKeys("#slab-new-provider", "testp"), chromedp.SendKeys("#slab-new-type", "withdrawal"),
		chromedp.SendKeys("#slab-new-rate", "1"), chromedp.Click(`form[action$="/slabs"] button`))
	asha.Sees(`document.querySelectorAll(".overlap").length === 2`)
	asha.Do(chromedp.Click(".table summary"))
	asha.Shot("slabs")
}

// things: terminals, callbacks, the day and the float.
func (w *walk) things(asha *webtest.Browser) {
	w.t.Helper()
	asha.Go("/console/terminals")
	asha.Sees(`document.querySelector("main").innerText.includes("online")`)
	asha.Shot("terminals")
	asha.Do(chromedp.Click(".table tbody a"))
	asha.Reads("Front counter")
	asha.Shot("terminal")
	asha.Do(chromedp.Click(`form[action$="/revoke"] button`))
	asha.Reads("Are you sure?")
	asha.Do(chromedp.Click(`.message button`))
	asha.Sees(`document.querySelector(".fine")?.innerText.includes("revoked")`)
	asha.Go("/console/callbacks")
	asha.Reads("Callbacks")
	asha.Shot("callbacks")
	asha.Go("/console/callbacks/" + string(w.told))
	asha.Reads("Callback")
	asha.Shot("callback")
	asha.Go("/console/figures?day=" + time.Now().In(time.FixedZone("IST", 19800)).AddDate(0, 0, -1).Format(time.DateOnly))
	asha.Sees(`document.querySelectorAll("svg.chart rect").length > 20`)
	asha.Shot("figures")
	asha.Go("/console/float")
	asha.Reads("Float")
	asha.Do(chromedp.Click(`form[action="/console/float"][method=post] button`))
	asha.Sees(`document.querySelector(".fine")?.innerText.includes("was asked")`)
	asha.Shot("float")
}
