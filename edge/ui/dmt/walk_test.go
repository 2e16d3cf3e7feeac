package dmt

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// walk is an agent who does anything in any order, with any fault.
type walk struct {
	t       *rapid.T
	v       *uitest.Client
	c       *counter
	s       *memoryCache
	section *Pages
	at      string
	pages   []string // pages in other tabs, the newest last
	paid    int      // OTPs of transfers sent from a page of the flow's turn
	given   int      // the same for refunds
}

// walkReplies are possible replies of central for each route, beside the fake's normal
// ones.
var walkReplies = map[op.RouteID][]string{
	op.CustomerDetail:      {`{"statusCode":"01","message":"Customer not found"}`},
	op.RemitterDetails:     {`{"statusCode":"01","message":"sender not found"}`, noPayees, `{"statusCode":"00","data":{"senderId":"5b8f","AviableLimit":-1}}`},
	op.AccountVerification: {`{"statusCode":"00","data":{"status":0}}`, `{"statusCode":"00","data":{"status":-1}}`, `{"statusCode":"00","data":{"status":1,"account_holder_name":"SOHAN"}}`},
	op.Transfer:            {`{"statusCode":"55","message":"INVALID OTP"}`, `{"statusCode":"00","data":{"transactionId":"T9","amount":500,"status":"PENDING"}}`},
	op.Refund:              {`{"statusCode":"55","message":"INVALID OTP"}`},
}

// walkFields fill every form of the section.
var walkFields = []string{
	"name", "Asha Patil", "city", "Pune", "state", "Maharashtra", "otp", "482913", "aadhaar", uitest.CustomerAadhaar, "consent", "yes", "amount", "500", "cash", "yes",
	"receiver_account_no", "001234567811", "again", "001234567811", "receiverIfscCode", "SBIN0001234", "receivername", "Mohan Lal", "payee", "7",
}

func (w *walk) get() string {
	w.t.Helper()
	faulty := w.faulty()
	reply, page := w.v.Do(w.v.Request(http.MethodGet, w.at, nil))
	switch {
	case reply.StatusCode == http.StatusInternalServerError && faulty:
		return ""
	case reply.StatusCode != http.StatusOK:
		w.t.Fatalf("GET %s: HTTP %d\n%s", w.at, reply.StatusCode, page)
	}
	w.checkPage(page)
	w.pages = append(w.pages, page)
	return page
}

// faulty reports whether the disk or the next operation fails.
func (w *walk) faulty() bool {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.broken != nil || w.c.lose != 0
}

// checkPage compares a page with what the counter knows.
func (w *walk) checkPage(page string) {
	w.t.Helper()
	f := w.flow()
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	v := w.c.known[f.Transfer]
	if strings.Contains(page, `id="do-refund"`) && v.State != op.Reversed {
		w.t.Fatalf("a refund of a transfer that is %s", v.State)
	}
	if f.Step == Sent && strings.Contains(page, `id="do-retry"`) && (!v.State.Final() || v.State == op.Succeeded || v.State == op.Reversed) {
		w.t.Fatalf("another try of a transfer that is %s", v.State)
	}
	if r := w.c.known[f.Refund]; f.Step == Refunded && strings.Contains(page, "GIVE CASH") && r.State != op.Succeeded {
		w.t.Fatalf("cash is given for a refund that is %s", r.State)
	}
}

func (w *walk) flow() flow {
	w.section.store.mu.Lock()
	defer w.section.store.mu.Unlock()
	f, _ := w.section.store.get(op.ID(strings.TrimPrefix(w.at, "/dmt/")), edge.User{ID: edge.AgentID, Name: "Fatima"})
	return f
}

// post sends a form of a possibly outdated page.
func (w *walk) post(page, act string) {
	w.t.Helper()
	before := w.flow()
	faulty := w.faulty()
	fresh := before.Call == "" && turn(page) == fmt.Sprint(before.Turn)
	reply, body := w.v.Do(w.v.Form(w.at+"/"+act, append([]string{"turn", turn(page)}, walkFields...)...))
	switch reply.StatusCode {
	case http.StatusSeeOther, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusConflict, http.StatusOK:
	case http.StatusInternalServerError:
		if !faulty {
			w.t.Fatalf("%s at %s: HTTP 500", act, before.Step)
		}
	default:
		w.t.Fatalf("%s at %s: HTTP %d\n%s", act, before.Step, reply.StatusCode, body)
	}
	if fresh && act == "go" && before.Step == OTP {
		w.paid++
	}
	if fresh && act == "go" && before.Step == RefundCode {
		w.given++
	}
	if after := w.flow(); !fresh && act == "go" && after.Turn != before.Turn {
		w.t.Fatalf("an old form moved the flow from %s to %s", before.Step, after.Step)
	}
}

// restart restarts the section with the same disk; enquiries are in memory only, so the
// counter forgets some of them.
func (w *walk) restart() {
	w.c.mu.Lock()
	for id, v := range w.c.known {
		if route, _ := op.Find(v.Route); route.Class == op.Enquiry {
			delete(w.c.known, id)
		}
	}
	w.c.mu.Unlock()
	w.load()
}

// load reads what is on disk.
func (w *walk) load() {
	kept, err := openStore(w.s, w.c.now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.section.store.mu.Lock()
	w.section.store.flows = kept.flows
	w.section.store.mu.Unlock()
	w.section.proofs.mu.Lock()
	clear(w.section.proofs.byID)
	w.section.proofs.mu.Unlock()
}

// ends returns every running operation an outcome.
func (w *walk) ends(state op.State) {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	for id, v := range w.c.known {
		if !v.State.Final() && (v.State != op.Reserved || state == op.Expired) {
			v.State, v.Stage = state, edge.StageNone
			w.c.known[id] = v
		}
	}
}

// TestWalk: whatever an agent does, at most one transfer is made for each OTP, each
// operation's id is on disk before the operation, no id is used twice, and no page offers
// what would move money twice.
func TestWalk(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	visitor := login(t, c, s).Client
	pages := c.pages[0]
	good := newCounter().replies
	runs, reached := 0, map[op.RouteID]int{}
	rapid.Check(t, func(t *rapid.T) {
		runs++
		w := &walk{t: t, v: visitor, c: c, s: s, section: pages}
		c.mu.Lock()
		c.known, c.asked, c.down, c.holdAll, c.fingers, c.lose, c.later = map[op.ID]edge.View{}, nil, false, false, false, 0, 0
		c.replies = map[op.RouteID]string{}
		for r, reply := range good {
			c.replies[r] = reply
		}
		c.before = func(q edge.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if q.Route != op.TransferRequery && !strings.Contains(string(s.values[cacheName]), string(q.ID)) {
				t.Errorf("%s was asked without its identity on disk", q.Route)
			}
		}
		c.mu.Unlock()
		s.mu.Lock()
		s.values, s.broken = nil, nil
		s.mu.Unlock()
		w.load()
		visitor.Get("/dmt", 200)
		w.begin(rapid.SampledFrom([]string{"known", "new", "sent"}).Draw(t, "customer"), runs)
		w.steps()
		w.count()
		for _, q := range c.asked {
			reached[q.Route]++
		}
	})
	t.Logf("over %d walks: %v", runs, reached)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = nil
}

// begin serves a customer: a known one, a new one, or one with a finished transfer.
func (w *walk) begin(customer string, run int) {
	switch customer {
	case "new":
		w.c.reply(op.CustomerDetail, walkReplies[op.CustomerDetail][0])
	case "sent":
		w.c.addOperation("known", op.RemitterDetails, op.Succeeded, details)
		w.c.addOperation("transfer", op.Transfer, op.Succeeded, w.c.replies[op.Transfer])
		w.section.store.mu.Lock()
		defer w.section.store.mu.Unlock()
		err := w.section.store.save(flow{
			ID: op.ID(fmt.Sprint("sent-", run)), Operator: "Fatima", Step: Sent, Mobile: "9876543210", Name: "Asha Patil", SenderID: "5b8f", DetailsID: "known",
			To: account{ID: "7", Name: "Mohan Lal", Number: "600100200311", IFSC: "SBIN0001234"}, Amount: 500_00, Transfer: "transfer", TransactionID: "T1",
		})
		if err != nil {
			w.t.Fatal(err)
		}
		w.at = fmt.Sprint("/dmt/sent-", run)
		return
	}
	w.at = w.v.Post("/dmt", 303, "mobile", "9876543210", "form", fmt.Sprint(run))
}

func (w *walk) steps() {
	t := w.t
	every := []string{"go", "again", "resend", "back", "add", "pay", "drop", "sender", "retry", "refund", "requery", "holder", "capture", "abandon"}
	for range rapid.IntRange(5, 40).Draw(t, "steps") {
		switch do := rapid.IntRange(0, 34).Draw(t, "do"); do {
		case 0:
			w.restart()
		case 1:
			w.c.mu.Lock()
			w.c.down = !w.c.down
			w.c.mu.Unlock()
		case 2:
			w.c.holdCalls(rapid.Bool().Draw(t, "on their way"))
			w.c.holdFingers(rapid.Bool().Draw(t, "finger awaited"))
		case 3:
			w.ends(rapid.SampledFrom([]op.State{op.Succeeded, op.Failed, op.Reversed, op.Expired, op.NotSent}).Draw(t, "outcome"))
		case 4:
			s := w.s
			s.mu.Lock()
			s.broken = rapid.SampledFrom([]error{nil, nil, nil, errors.New("disk full")}).Draw(t, "disk")
			s.mu.Unlock()
		case 5:
			w.c.mu.Lock()
			w.c.later += verifyWait
			w.c.lose = rapid.IntRange(0, 2).Draw(t, "lost")
			w.c.mu.Unlock()
		case 6, 7:
			route := rapid.SampledFrom([]op.RouteID{op.CustomerDetail, op.RemitterDetails, op.AccountVerification, op.Transfer, op.Refund}).Draw(t, "route")
			w.c.reply(route, rapid.SampledFrom(append([]string{newCounter().replies[route]}, walkReplies[route]...)).Draw(t, "reply"))
		default:
			page := w.get()
			if len(w.pages) > 1 && do == 8 {
				page = w.pages[rapid.IntRange(0, len(w.pages)-1).Draw(t, "tab")]
			}
			if page == "" {
				continue
			}
			acts := every
			if offered := offers(page); do > 10 && len(offered) > 0 {
				acts = offered
			}
			act := rapid.SampledFrom(acts).Draw(t, "act")
			w.post(page, act)
			if do == 9 { // a double click
				w.post(page, act)
			}
		}
	}
}

// offers are the forms on a page. The first one is repeated, since most people choose it.
func offers(page string) []string {
	var out []string
	for _, m := range acted.FindAllStringSubmatch(page, -1) {
		if m[1] != "forget" {
			out = append(out, m[1])
		}
	}
	if len(out) > 0 {
		out = append(out, out[0], out[0])
	}
	return out
}

var acted = regexp.MustCompile(`action="/dmt/[^/"]+/([a-z]+)"`)

// count compares the requests with what was entered.
func (w *walk) count() {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	seen, transfers, refunds := map[op.ID]bool{}, 0, 0
	for _, q := range w.c.asked {
		if q.ID != "" && seen[q.ID] {
			w.t.Fatalf("%s was asked for twice under one identity", q.Route)
		}
		seen[q.ID] = true
		switch q.Route {
		case op.Transfer:
			transfers++
		case op.Refund:
			refunds++
		}
	}
	if transfers > w.paid || refunds > w.given {
		w.t.Fatalf("%d transfers of %d OTPs, %d refunds of %d", transfers, w.paid, refunds, w.given)
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for _, secret := range []string{"482913", uitest.CustomerAadhaar} {
		if strings.Contains(string(w.s.values[cacheName]), secret) {
			w.t.Fatal("what the customer proves with is kept")
		}
	}
}
