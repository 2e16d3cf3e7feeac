package aeps

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// filled is a withdrawal's filled form; pairs replace fields.
func filled(pairs ...string) []string {
	fields := []string{"form", "f1", "aadhaar", "9999 4105 7058", "customer", "Shivshankar Choudhury", "iin", "607094", "amount", "500", "consent", "yes"}
	return append(fields, pairs...)
}

// TestStates: the page of each state first says what to do with the cash, in words and
// shape, and offers the possible actions and no others.
func TestStates(t *testing.T) {
	v := unlocked(t)
	for _, s := range galleryRecords {
		t.Run(s.name, func(t *testing.T) {
			v := v.in(t)
			id := v.f.add(s.view)
			page := v.Get("/op/"+string(id), http.StatusOK)
			if got := uitest.Heading(t, page); got != s.heading {
				t.Errorf("it says %q, want %q", got, s.heading)
			}
			uitest.Contains(t, page, s.want)
			cash := strings.HasPrefix(s.heading, "GIVE CASH")
			if s.view.Route == op.Withdrawal && s.view.State != op.Reserved {
				if strings.Contains(page, `class="banner give`) != cash {
					t.Error("the green banner is shown where no cash is to be given, or missing where it is")
				}
				if !cash && s.name != "given" && !strings.Contains(s.heading, "DO NOT GIVE CASH") {
					t.Errorf("it says %q first", s.heading)
				}
			}
			if shows := strings.Contains(page, "/cash\""); shows != (s.name == "paid") {
				t.Errorf("the confirmation of cash is offered: %v", shows)
			}
			now, err := v.f.Operation(id)
			if err != nil {
				t.Fatal(err)
			}
			if final := now.State.Final(); final == strings.Contains(page, `class="steps"`) {
				t.Errorf("final: %v, and the progress is shown: %v", final, !final)
			}
			// Without scripts, a running operation's page reloads.
			refreshes := strings.Contains(page, `http-equiv="refresh"`)
			if moving := !now.State.Final() && now.State != op.Reserved; refreshes != moving {
				t.Errorf("the page refreshes itself: %v", refreshes)
			}
			part := v.Get("/op/"+string(id)+"?part=main", http.StatusOK)
			uitest.Contains(t, part, `id="op"`, `data-live`, s.heading)
			uitest.NotContains(t, part, "<html")
		})
	}
}

func TestWaitingForTheLine(t *testing.T) {
	v := unlocked(t)
	v.f.status.Link = edge.LinkState{Since: fakeNow.Add(-time.Minute)}
	id := v.f.add(cashOp(func(v *edge.View) { v.State, v.Deadline = op.Queued, fakeNow.Add(90*time.Second) }))
	page := v.Get("/op/"+string(id), http.StatusOK)
	uitest.Contains(t, page, "DO NOT GIVE CASH YET", "If it is online before 10:15:30, this is sent", "Offline since 10:13", "Cancel")
	// Cancelled before it was sent, it is final; after, it is not.
	if to := v.Post("/op/"+string(id)+"/abandon", http.StatusSeeOther); to != "/op/"+string(id) {
		t.Errorf("giving up leads to %s", to)
	}
	uitest.Contains(t, v.Get("/op/"+string(id), http.StatusOK), "DO NOT GIVE CASH", "No money moved", "It was cancelled at the counter before it was sent.")
	v.Post("/op/"+string(id)+"/abandon", http.StatusSeeOther)
	sent := v.f.add(cashOp(func(v *edge.View) { v.State = op.Sent }))
	uitest.Contains(t, v.Post("/op/"+string(sent)+"/abandon", http.StatusConflict), "Already sent", "DO NOT GIVE CASH YET",
		`content="3;url=/op/`+string(sent)+`?auto=1"`)
	uitest.Contains(t, v.Post("/op/"+string(sent)+"/cash", http.StatusConflict), "Do not give cash")
	uitest.Contains(t, v.Post("/op/"+string(sent)+"/abandon?part=main", http.StatusConflict), "Already sent")
}

// TestReaderErrors: each of the reader's codes has a headline and says that nothing was
// sent.
func TestReaderErrors(t *testing.T) {
	v := unlocked(t)
	for _, c := range []struct{ code, action, heading string }{
		{"700", "retry-customer", "No finger detected"}, {"710", "retry-device", "Reader in use"},
		{"720", "retry-device", "Reader not ready"}, {"730", "retry-customer", "Fingerprint not read"},
		{"740", "retry-device", "Restart the reader"}, {"900", "call-support", "The reader is locked to another program"},
		{"999", "call-support", "The reader's program has a fault"}, {"-1307", "retry-device", "Reader not plugged in"},
		{"-1509", "retry-device", "Reader is starting"}, {"170", "fix-request", "The reader did not accept the request"},
		{"", "retry-device", "Check the reader"}, {"", "retry-customer", "Ask for the finger again"},
		{"4711", "call-support", "The reader needs support"}, {"", "", "Fingerprint not captured"},
	} {
		id := v.f.add(cashOp(func(v *edge.View) {
			v.State, v.Problem = op.Reserved, &edge.CaptureError{Code: c.code, Action: c.action, Message: "What happened and what to do."}
		}))
		page := v.Get("/op/"+string(id), http.StatusOK)
		if got := uitest.Heading(t, page); got != c.heading {
			t.Errorf("code %q: %q, want %q", c.code, got, c.heading)
		}
		uitest.Contains(t, page, "What happened and what to do.", "Nothing has been sent. No money moved.", "Try again", "Cancel")
	}
}

func TestDoubleSubmit(t *testing.T) {
	v := unlocked(t)
	v.Get("/new/withdrawal", http.StatusOK)
	var wg sync.WaitGroup
	places := make([]string, 8)
	for i := range places {
		wg.Go(func() {
			reply, err := v.HTTP.Do(v.Form("/new/withdrawal", filled()...))
			if err != nil {
				t.Error(err)
				return
			}
			places[i] = reply.Header.Get("Location")
			_ = reply.Body.Close()
		})
	}
	wg.Wait()
	for _, p := range places {
		if p != places[0] || !strings.HasPrefix(p, "/op/") {
			t.Errorf("the same form led to %q and %q", places[0], p)
		}
	}
	if v.f.begun() != 1 {
		t.Errorf("one form began %d operations", v.f.begun())
	}
	// Another amount in the same form is another operation, and so is another form of the same
	// customer.
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("amount", "700")...)
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("form", "f2")...)
	if v.f.begun() != 3 {
		t.Errorf("%d operations, want 3", v.f.begun())
	}
	// Starting the capture twice, or confirming the cash twice, changes nothing.
	id := v.f.latest(t)
	for range 2 {
		if to := v.Post("/op/"+string(id)+"/capture", http.StatusSeeOther); to != "/op/"+string(id) {
			t.Errorf("the capture leads to %s", to)
		}
	}
	v.f.move(id, paid)
	for range 2 {
		v.Post("/op/"+string(id)+"/cash", http.StatusSeeOther)
	}
	v.Post("/op/"+string(id)+"/capture", http.StatusSeeOther)
	uitest.Contains(t, v.Get("/op/"+string(id), http.StatusOK), "CASH GIVEN ₹500", "Do not give it again")
	uitest.Contains(t, v.Post("/op/"+string(id)+"/cash?part=main", http.StatusOK), "CASH GIVEN ₹500")
}

func TestBegin(t *testing.T) {
	v := unlocked(t)
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("amount", " ₹ 1,250.50 ")...)
	v.Post("/new/purchase", http.StatusSeeOther, filled("amount", "", "quick", "2000")...)
	v.Post("/new/purchase", http.StatusSeeOther, filled("amount", "2000", "quick", "2000")...)
	v.Post("/new/balance", http.StatusSeeOther, filled("amount", "500")...) // an enquiry ignores an amount
	d := v.f.drafts
	for i, want := range []struct {
		route  op.RouteID
		amount money.Paise
	}{{op.Withdrawal, 1_250_50}, {op.Purchase, 2_000_00}, {op.Purchase, 2_000_00}, {op.Balance, 0}} {
		if d[i].Route != want.route || d[i].Amount != want.amount || d[i].Aadhaar.Reveal() != uitest.CustomerAadhaar ||
			d[i].Customer != "Shivshankar Choudhury" || d[i].IIN != "607094" || d[i].User != "Fatima" || d[i].Consent != "AEPS-EN-1" {
			t.Errorf("draft %d: %+v", i, d[i])
		}
	}
	// The bank of the last customers is first, with its success rate.
	uitest.Contains(t, v.Get("/new/withdrawal", http.StatusOK), `<optgroup label="Recent"><option value="607094" data-rate="The bank answered 19 of the last 20" data-short="19 of 20" data-tone="ok">State Bank of India</option></optgroup>
<optgroup label="All banks">`)
}

// TestFieldErrors: all wrong fields are reported at once, typed values stay, except the
// Aadhaar number.
func TestFieldErrors(t *testing.T) {
	v := unlocked(t)
	for _, c := range []struct {
		name   string
		fields []string
		want   []string
		fault  int
	}{
		{"empty", []string{"aadhaar", "", "customer", " ", "iin", "", "amount", "", "consent", ""}, []string{
			"Fix 5 fields. Nothing has been sent.", "12-digit Aadhaar number.", "Enter the customer&#39;s name.", "Choose the customer&#39;s bank", "Enter the amount.", "Read the consent",
		}, 5},
		{"check digit", []string{"aadhaar", "999941057059"}, []string{"Fix 1 field. Nothing has been sent.", "Not a valid Aadhaar number"}, 1},
		{"short", []string{"aadhaar", "99994105705"}, []string{"has 12 digits"}, 1},
		{"letters", []string{"aadhaar", "99994105705x"}, []string{"has 12 digits"}, 1},
		{"bank", []string{"iin", "123456"}, []string{"Choose the customer&#39;s bank", "ending in XXXXXXXX7058"}, 2},
		{"amount", []string{"amount", "abc"}, []string{"Enter the amount in digits", `value="abc"`}, 2},
		{"decimals", []string{"amount", "500.123"}, []string{"At most two digits"}, 2},
		{"too much", []string{"amount", "10000.01"}, []string{"from ₹1.00 to ₹10,000.00", `value="10000.01"`}, 2},
		{"both", []string{"amount", "500", "quick", "1000"}, []string{"You typed 500 and chose 1000"}, 2},
		{"no consent", []string{"consent", ""}, []string{"Read the consent"}, 2},
		{"markup", []string{"customer", `<script>"x`, "consent", ""}, []string{"&lt;script&gt;&#34;x"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := v.in(t)
			page := v.Post("/new/withdrawal", http.StatusUnprocessableEntity, filled(c.fields...)...)
			uitest.Contains(t, page, c.want...)
			if n := strings.Count(page, `aria-invalid="true"`); n != c.fault {
				t.Errorf("%d fields are marked, want %d", n, c.fault)
			}
			if n := strings.Count(page, " autofocus"); n != 1 {
				t.Errorf("%d fields want the focus", n)
			}
			if c.name == "check digit" {
				uitest.Contains(t, page, `value="Shivshankar Choudhury"`, `value="500"`, `<option value="607094" selected`, ` checked`)
				uitest.NotContains(t, page, "7059")
			}
		})
	}
	if v.f.begun() != 0 {
		t.Error("a wrong form began an operation")
	}
}

// TestPageFaultStartsNothing: where only the page finds a fault, no operation
// starts.
func TestPageFaultStartsNothing(t *testing.T) {
	v := unlocked(t)
	page := v.Post("/new/balance", http.StatusUnprocessableEntity, filled("customer", "")...)
	uitest.Contains(t, page, "Enter the customer&#39;s name.")
	v.s.counter = &lenient{v.f}
	v.Post("/new/balance", http.StatusUnprocessableEntity, filled("customer", "")...)
	if n := v.f.begun(); n != 0 {
		t.Errorf("a wrong form started %d operations", n)
	}
}

// lenient finds no fault in a request.
type lenient struct{ *fake }

func (l *lenient) Validate(edge.Request) error { return nil }

func TestPrecluded(t *testing.T) {
	v := unlocked(t)
	v.f.refuse = &edge.PreconditionError{Code: edge.PreconditionLink}
	page := v.Post("/new/balance", http.StatusConflict, filled()...)
	uitest.Contains(t, page, "The counter is offline.", `value="Shivshankar Choudhury"`, "ending in XXXXXXXX7058")
	uitest.Contains(t, v.Post("/sign-in", http.StatusConflict), "The counter is offline.")
	v.f.refuse = &edge.PreconditionError{Code: edge.PreconditionSession}
	if to := v.Post("/new/balance", http.StatusSeeOther, filled()...); to != "/sign-in?next=balance" {
		t.Errorf("without a session it leads to %s", to)
	}
	v.f.refuse = errors.New("disk on fire")
	uitest.Contains(t, v.Post("/new/balance", http.StatusInternalServerError, filled()...), "Do not give cash")
	if strings.Contains(v.Transcript.String(), "disk on fire</") {
		t.Error("an inner error was shown")
	}
}

// TestSignIn: without the daily authentication every transaction leads to it, and back.
func TestSignIn(t *testing.T) {
	v := unlocked(t)
	v.f.status.Session = edge.SessionState{}
	for _, k := range outcome.AEPSKinds() {
		if to := v.GetRedirect("/new/" + k.Name); to != "/sign-in?next="+k.Name {
			t.Errorf("%s leads to %s", k.Name, to)
		}
	}
	uitest.Contains(t, v.Get("/sign-in?next=purchase", http.StatusOK), "Next: Aadhaar Pay", `name="next" value="purchase"`)
	uitest.Contains(t, v.Get("/sign-in?next=//evil.example", http.StatusOK), `name="next" value=""`)
	uitest.Contains(t, v.Get("/", http.StatusOK), "Before the first customer", "Agent not signed in")
	to := v.Post("/sign-in", http.StatusSeeOther, "next", "purchase")
	id := v.f.latest(t)
	if to != "/op/"+string(id)+"?next=purchase" {
		t.Errorf("it leads to %s", to)
	}
	if again := v.Post("/sign-in", http.StatusSeeOther, "next", "purchase"); again != to {
		t.Errorf("the second press leads to %s", again)
	}
	uitest.Contains(t, v.Get(to, http.StatusOK), "Place the finger on the reader", "XXXXXXXX9405")
	if v.f.asked(id) != 1 {
		t.Error("the form did not ask for the finger")
	}
	if back := v.Post("/op/"+string(id)+"/capture", http.StatusSeeOther, "next", "purchase"); back != to {
		t.Errorf("the capture leads to %s", back)
	}
	v.f.move(id, func(v *edge.View) { v.State = op.Succeeded })
	v.f.status.Session = edge.SessionState{Known: true, Active: true, ExpiresAt: fakeNow.Add(24 * time.Hour)}
	if next := v.GetRedirect(to); next != "/new/purchase" {
		t.Errorf("after the authentication comes %s", next)
	}
	uitest.Contains(t, v.Get(to+"&part=main", http.StatusOK), "Signed in for the day", "until 22 Nov, 10:14", `data-go="/new/purchase"`)
	uitest.Contains(t, v.Get("/sign-in", http.StatusOK), "You are signed in until 22 Nov, 10:14, for another 24 h 0 min")
	uitest.Contains(t, v.Get("/", http.StatusOK), "Agent signed in, 24 h")
	if again := v.Post("/sign-in", http.StatusSeeOther); again == to {
		t.Error("another authentication is the old one")
	}
}

func TestAgainWithTheSameCustomer(t *testing.T) {
	v := unlocked(t)
	id := v.f.add(cashOp(func(v *edge.View) { v.State = op.Expired }))
	uitest.Contains(t, v.Get("/op/"+string(id), http.StatusOK), "/new/withdrawal?again="+string(id))
	uitest.Contains(t, v.Get("/new/withdrawal?again="+string(id), http.StatusOK), `value="Shivshankar Choudhury"`, `value="500"`, `<option value="607094" selected`)
	v.Get("/new/withdrawal?again=nonsense", http.StatusOK)
	v.Get("/new/withdrawal?again=01a1fd9d-5dff-70af-bbe2-a29581a5d260", http.StatusOK)
}

func TestReceipt(t *testing.T) {
	v := unlocked(t)
	id := v.f.add(cashOp(paid))
	page := v.Get("/op/"+string(id)+"/receipt", http.StatusOK)
	uitest.Contains(t, page, "XXXXXXXX7058", "632504004211", "₹500.00", "paper-80")
	uitest.Contains(t, v.Get("/op/"+string(id)+"/receipt?paper=58", http.StatusOK), "paper-58")
	uitest.Contains(t, v.Get("/op/"+string(id)+"/receipt?paper=nonsense", http.StatusOK), "paper-80")
	pending := v.f.add(cashOp(func(v *edge.View) { v.State = op.Pending }))
	uitest.Contains(t, v.Get("/op/"+string(pending), http.StatusOK), "Slip for the customer")
	v.Get("/op/"+string(pending)+"/receipt", http.StatusOK)
	for _, state := range []op.State{op.Reserved, op.Queued, op.Sent, op.Expired, op.NotSent} {
		none := v.f.add(cashOp(func(v *edge.View) { v.State = state }))
		if to := v.GetRedirect("/op/" + string(none) + "/receipt"); to != "/op/"+string(none) {
			t.Errorf("a receipt in state %s leads to %s", state, to)
		}
	}
}

// TestReceiptAsCode: the page has the receipt's text and its QR code, and is there for the
// same operations as the receipt.
func TestReceiptAsCode(t *testing.T) {
	v := unlocked(t)
	id := v.f.add(cashOp(paid))
	uitest.Contains(t, v.Get("/op/"+string(id)+"/receipt", http.StatusOK), `href="/op/`+string(id)+`/receipt/code"`)
	page := v.Get("/op/"+string(id)+"/receipt/code", http.StatusOK)
	uitest.Contains(t, page, `role="img" aria-label="QR code of the receipt"`, "Cash withdrawal\nSUCCESSFUL")
	none := v.f.add(cashOp(func(v *edge.View) { v.State = op.Sent }))
	if to := v.GetRedirect("/op/" + string(none) + "/receipt/code"); to != "/op/"+string(none) {
		t.Errorf("the code of an operation under way leads to %s", to)
	}
}

func TestUnknownOperations(t *testing.T) {
	v := unlocked(t)
	for _, id := range []string{"01a1fd9d-5dff-70af-bbe2-a29581a5d260", "nonsense", uitest.CustomerAadhaar[4:]} {
		for _, path := range []string{"/op/" + id, "/op/" + id + "/receipt"} {
			uitest.Contains(t, v.Get(path, http.StatusNotFound), "Operation not found")
		}
		for _, step := range []string{"capture", "abandon", "cash"} {
			v.Post("/op/"+id+"/"+step, http.StatusNotFound)
		}
	}
	id := v.f.add(cashOp(paid))
	v.Post("/op/"+string(id)+"/nonsense", http.StatusNotFound)
	v.Get("/new/nonsense", http.StatusNotFound)
	v.Post("/new/nonsense", http.StatusNotFound)
	v.f.broken = errors.New("page 7 of the queue")
	for _, path := range []string{"/op/" + string(id), "/op/" + string(id) + "/receipt"} {
		uitest.NotContains(t, v.Get(path, http.StatusInternalServerError), "page 7")
	}
	uitest.Contains(t, v.Get("/", http.StatusOK), "cannot be read from the disk")
	v.Post("/op/"+string(id)+"/cash", http.StatusInternalServerError)
}

func TestHomeAndBar(t *testing.T) {
	v := unlocked(t)
	page := v.Get("/", http.StatusOK)
	for i, k := range outcome.AEPSKinds() {
		uitest.Contains(t, page, fmt.Sprintf(`href="/new/%s" data-key="%d"`, k.Name, i+1))
	}
	uitest.Contains(t, page, "Lakshmi Kirana Store", "Fatima", "GAL00001", "Online", "Reader ready", "Agent signed in, 19 h", "Nothing open")
	for _, c := range []struct {
		alter func(*edge.Status)
		want  string
	}{
		{func(s *edge.Status) { s.Link = edge.LinkState{Since: fakeNow.Add(-26 * time.Hour)} }, "Offline since 20 Nov, 08:14"},
		{func(s *edge.Status) { s.Link = edge.LinkState{} }, "Not online yet"},
		{func(s *edge.Status) { s.Link.Revoked = true }, "Counter revoked"},
		{func(s *edge.Status) { s.Link.Offset = 6 * time.Minute }, "clock is 6 min behind"},
		{func(s *edge.Status) { s.Link.Offset = -26 * time.Hour }, "clock is 26 h 0 min ahead"},
		{func(s *edge.Status) { s.Reader.Status = "USED" }, "Reader in use"},
		{func(s *edge.Status) { s.Reader.Status = "NOTREADY" }, "Reader not ready"},
		{func(s *edge.Status) { s.Reader.Status = "ABSENT" }, "No reader"},
		{func(s *edge.Status) { s.Reader.CertEnd = fakeNow.Add(48 * time.Hour) }, "ends on 23 Nov, 10:14"},
		{func(s *edge.Status) { s.Session.ExpiresAt = fakeNow.Add(59 * time.Minute) }, "Agent signed in, 59 min"},
		{func(s *edge.Status) { s.Unresolved = 2 }, "2 open"},
		{func(s *edge.Status) { s.Warnings = []edge.Warning{{Kind: edge.WarningDiskFull}} }, "The disk cannot save anything new"},
	} {
		before := v.f.Status()
		v.f.change(c.alter)
		uitest.Contains(t, v.Get("/", http.StatusOK), c.want)
		uitest.Contains(t, v.Get("/?part=main", http.StatusOK), c.want)
		v.f.change(func(s *edge.Status) { *s = before })
	}
}

// TestWeight: a page with all its files has less than 150 KB, uncompressed.
func TestWeight(t *testing.T) {
	const limit = 150 << 10
	v := unlocked(t)
	id := v.f.add(galleryRecords[7].view)
	for range 20 {
		v.f.add(galleryRecords[5].view)
		v.f.add(galleryRecords[7].view)
	}
	for _, path := range []string{"/", "/new/withdrawal", "/sign-in", "/op/" + string(id), "/op/" + string(id) + "/receipt"} {
		n := v.Weight(path)
		if n > limit {
			t.Errorf("GET %s weighs %d bytes, more than %d", path, n, limit)
		}
		t.Logf("GET %s weighs %d bytes", path, n)
	}
}

// TestHomeReadsLittle: what the first page reads does not grow with the operations, and
// an old one without an outcome is on it.
func TestHomeReadsLittle(t *testing.T) {
	v := unlocked(t)
	v.f.add(cashOp(func(v *edge.View) { v.State, v.Customer = op.Pending, "Oldest Customer" }))
	for range 1200 {
		v.f.add(cashOp(func(v *edge.View) { paid(v); v.CashGivenAt = fakeNow }))
	}
	v.f.mu.Lock()
	v.f.listed = 0
	v.f.mu.Unlock()
	page := v.Get("/", http.StatusOK)
	uitest.Contains(t, page, "Oldest Customer")
	v.f.mu.Lock()
	defer v.f.mu.Unlock()
	if v.f.listed == 0 || v.f.listed > 50 {
		t.Errorf("the first page reads %d operations, want 50 at most", v.f.listed)
	}
}
