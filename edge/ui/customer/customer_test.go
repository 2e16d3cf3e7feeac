package customer

import (
	"crypto/rand"
	"html/template"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// fake is a counter with the test's operations.
type fake struct {
	*uitest.Counter
	mu       sync.Mutex
	all      []edge.View // newest first
	payments []edge.Record
}

func (f *fake) set(all ...edge.View) {
	f.mu.Lock()
	f.all = all
	f.mu.Unlock()
	f.Update(func(*edge.Status) {})
}

// pay records payments of the order that is shown.
func (f *fake) pay(all ...edge.Record) {
	f.mu.Lock()
	f.payments = all
	f.mu.Unlock()
	f.Update(func(*edge.Status) {})
}

func (f *fake) Payments(int) []edge.Record {
	all := f.PaymentsOf("")
	slices.Reverse(all)
	return all
}

func (f *fake) PaymentsOf(string) []edge.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.payments)
}

func (f *fake) Recent(op.ID, int) ([]edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all), nil
}

func (f *fake) Operation(id op.ID) (edge.View, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range f.all {
		if v.ID == id {
			return v, nil
		}
	}
	return edge.View{}, edge.ErrNotFound
}

func serve(t *testing.T) (*fake, *uitest.Server) {
	t.Helper()
	f := &fake{Counter: uitest.NewCounter()}
	c, err := New(f, Config{
		QRImage: func(v edge.View) (template.HTML, money.Paise, bool) {
			return pattern(), v.Amount, v.State == op.Succeeded
		},
		Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, uitest.Serve(t, f, c)
}

func view(t *testing.T, route op.RouteID, state op.State) edge.View {
	t.Helper()
	id, err := op.NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	balance := 123456 * money.Rupee
	v := edge.View{Record: edge.Record{
		ID: id, Route: route, State: state, User: "Fatima", UserID: edge.AgentID, Customer: "Asha", Aadhaar: secret.MaskAadhaar(uitest.CustomerAadhaar),
		BankName: "State Bank of India", Amount: 500 * money.Rupee, Consent: "AEPS-EN-1", CreatedAt: uitest.Now(),
	}}
	r, _ := op.Find(route)
	v.Class = r.Class
	if route == op.GenerateQR {
		v.Consent = "" // it needs no finger
	}
	if state.Final() {
		v.EndedAt = uitest.Now()
	}
	if state == op.Succeeded {
		v.Result.Balance = &balance
	}
	return v
}

// TestScreen: each state in a customer's words, without Aadhaar digits, bank, name and
// balance.
func TestScreen(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	v.Login()
	for _, c := range []struct {
		route op.RouteID
		state op.State
		stage edge.Stage
		want  string
	}{
		{op.Withdrawal, op.Reserved, edge.StageReady, "Do you agree?"},
		{op.Withdrawal, op.Reserved, edge.StageCapturing, "Place your finger on the reader"},
		{op.Withdrawal, op.Accepted, edge.StageBank, "Please wait"},
		{op.Withdrawal, op.Unknown, edge.StageAsking, "Please wait"},
		{op.Withdrawal, op.State("new"), edge.StageNone, "Please wait"},
		{op.Withdrawal, op.Succeeded, "", "Take your cash"},
		{op.Purchase, op.Succeeded, "", "The shop was paid"},
		{op.Balance, op.Succeeded, "", "No money was taken"},
		{op.Withdrawal, op.Pending, "", "There is no cash now"},
		{op.Balance, op.Pending, "", "An enquiry moves no money"},
		{op.MiniStatement, op.Pending, "", "An enquiry moves no money"},
		{op.Withdrawal, op.Reversed, "", "goes back to your account"},
		{op.Withdrawal, op.Expired, "", "Nothing was taken"},
		{op.GenerateQR, op.Succeeded, "", "Scan and pay"},
		{op.ReqAuth, op.Accepted, edge.StageBank, "Welcome"}, // the agent's own
	} {
		one := view(t, c.route, c.state)
		one.Stage = c.stage
		f.set(one)
		page := strings.ReplaceAll(v.Get("/customer", http.StatusOK), string(one.ID), "") // whose digits are random
		uitest.Contains(t, page, c.want)
		uitest.NotContains(t, page, one.Aadhaar, one.Aadhaar[8:], "Asha", "1,23,456", "State Bank", "<form")
		if c.want != "Take your cash" {
			uitest.NotContains(t, page, "Take your cash", "band give")
		}
	}
}

// TestPaidCode: the customer reads that the payment has come, once the right amount was
// recorded and as long as it was not returned.
func TestPaidCode(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	v.Login()
	code := view(t, op.GenerateQR, op.Succeeded)
	code.Reply = []byte(`{"statusCode":"00","data":{"order_id":"o-1"}}`)
	f.set(code)
	received := edge.Record{ID: "p1", Route: op.PaymentReceived, State: op.Succeeded, Amount: code.Amount}
	other := edge.Record{ID: "p2", Route: op.PaymentReceived, State: op.Succeeded, Amount: 1}
	for name, c := range map[string]struct {
		list []edge.Record
		paid bool
	}{
		"nothing":        {nil, false},
		"another amount": {[]edge.Record{other}, false},
		"paid":           {[]edge.Record{received}, true},
		"returned":       {[]edge.Record{received, {ID: "p3", Route: op.PaymentReturned, LinkedTo: "p1"}}, false},
	} {
		f.pay(c.list...)
		page := v.Get("/customer", http.StatusOK)
		if got := strings.Contains(page, "The shop has received it"); got != c.paid || got == strings.Contains(page, "Scan and pay") {
			t.Errorf("%s: says paid %v", name, got)
		}
	}
}

// TestPrintedCodeBesideAnOrder: a payment with the printed code is told beside the code for an
// order, which it does not pay.
func TestPrintedCodeBesideAnOrder(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	v.Login()
	code := view(t, op.GenerateQR, op.Succeeded)
	code.Reply = []byte(`{"statusCode":"00","data":{"order_id":"o-1"}}`)
	f.set(code)
	printed := uitest.Payment(1, 70*money.Rupee, "")
	f.pay(printed)
	page := v.Get("/customer", http.StatusOK)
	if !strings.Contains(page, "₹70 was just paid with the printed code") || !strings.Contains(page, "Scan and pay") || strings.Contains(page, "The shop has received it") {
		t.Error("the screen does not tell of the printed code beside the order's")
	}
	f.pay(printed, edge.Record{ID: "p1", Route: op.PaymentReceived, State: op.Succeeded, Amount: code.Amount})
	page = v.Get("/customer", http.StatusOK)
	if !strings.Contains(page, "₹70 was just paid with the printed code") || !strings.Contains(page, "The shop has received it") {
		t.Error("the screen does not tell of both payments")
	}
	f.pay(printed, uitest.ReturnOf(printed))
	if page = v.Get("/customer", http.StatusOK); strings.Contains(page, "₹70") {
		t.Error("the screen tells of a payment that went back")
	}
}

// TestOthersAndOldOnesAreNotShown: another user's customer, and an earlier one, are not
// shown.
func TestOthersAndOldOnesAreNotShown(t *testing.T) {
	old, other := view(t, op.Withdrawal, op.Succeeded), view(t, op.Withdrawal, op.Succeeded)
	old.EndedAt = uitest.Now().Add(-resultTTL - time.Second)
	other.UserID = "a1" // of another user with the same name
	for name, v := range map[string]edge.View{"old": old, "other": other} {
		if _, ok := current([]edge.View{v}, edge.User{ID: edge.AgentID, Name: "Fatima"}, uitest.Now()); ok {
			t.Errorf("%s is shown", name)
		}
	}
	if got, ok := current([]edge.View{other, view(t, op.ReqAuth, op.Succeeded), view(t, op.Balance, op.Succeeded)}, edge.User{ID: edge.AgentID, Name: "Fatima"}, uitest.Now()); !ok || got.Route != op.Balance {
		t.Error("the operator's own is not shown")
	}
}

// TestOthersCashIsNotShown: the cash bar is for the agent; a customer sees nothing of
// other customers.
func TestOthersCashIsNotShown(t *testing.T) {
	f, server := serve(t)
	v := server.NewClient(t)
	v.Login()
	f.Update(func(st *edge.Status) {
		st.OpenCash = []edge.Record{{ID: "01", Route: op.Withdrawal, State: op.Succeeded, Customer: "Shivshankar Choudhury", Aadhaar: "XXXXXXXX7058", Amount: 700 * money.Rupee}}
	})
	uitest.Contains(t, v.Get("/customer/setup", http.StatusOK), "GIVE CASH ₹700", "Shivshankar", "…7058")
	uitest.NotContains(t, v.Get("/customer", http.StatusOK), "open-cash", "Shivshankar", "7058", "₹700")
}

// TestCustomerSeesWhatTheCounterSees: cash that was given, or is owed.
func TestCustomerSeesWhatTheCounterSees(t *testing.T) {
	f, server := serve(t)
	v := server.NewClient(t)
	v.Login()
	paid := view(t, op.Withdrawal, op.Succeeded)
	for _, c := range []struct {
		by    string
		given time.Time
		want  string
	}{{"", time.Time{}, "Take your cash"}, {"Fatima", time.Time{}, "The shop owes you this cash"}, {"Fatima", uitest.Now(), "You have your cash"}} {
		paid.CashBy, paid.CashGivenAt, paid.EndedAt = c.by, c.given, uitest.Now()
		f.set(paid)
		uitest.Contains(t, v.Get("/customer", http.StatusOK), c.want)
	}
}

// TestBalanceOnPress: the balance is shown when the agent presses, and by no other user.
func TestBalanceOnPress(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	v.Login()
	one := view(t, op.Balance, op.Succeeded)
	f.set(one)
	uitest.Contains(t, v.Get("/customer/setup", http.StatusOK), "Show the customer")
	raju := h.NewClient(t)
	raju.GetRedirect("/enter?operator=raju&name=Raju&role=operator&to=/enter/done")
	raju.Get("/customer/setup", http.StatusOK)
	raju.Post("/customer/setup/balance", http.StatusNotFound, "id", string(one.ID), "show", "yes")
	uitest.NotContains(t, v.Get("/customer", http.StatusOK), "1,23,456")
	v.Post("/customer/setup/balance", http.StatusSeeOther, "id", string(one.ID), "show", "yes")
	uitest.Contains(t, v.Get("/customer", http.StatusOK), "₹1,23,456.00")
	v.Get("/customer/setup", http.StatusOK)
	v.Post("/customer/setup/balance", http.StatusSeeOther, "id", string(one.ID), "show", "no")
	uitest.NotContains(t, v.Get("/customer", http.StatusOK), "1,23,456")
}

var keyPattern = regexp.MustCompile(`customer-key digits">(\d{4} \d{4})<`)

// TestCode: another browser is admitted by a code, once, and shows nothing when the
// counter locks.
func TestCode(t *testing.T) {
	f, h := serve(t)
	agent, second, third := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	agent.Login()
	f.set(view(t, op.Withdrawal, op.Succeeded))
	if to := second.GetRedirect("/customer"); to != "/customer/open" {
		t.Fatalf("an unknown browser was redirected to %s", to)
	}
	second.Get("/customer/open", http.StatusOK)
	agent.Get("/customer/setup", http.StatusOK)
	m := keyPattern.FindStringSubmatch(agent.Post("/customer/setup", http.StatusOK))
	if m == nil {
		t.Fatal("no code was made")
	}
	second.Post("/customer/open", http.StatusForbidden, "code", "1")
	second.Post("/customer/open", http.StatusSeeOther, "code", m[1])
	uitest.Contains(t, second.Get("/customer", http.StatusOK), "Take your cash")
	uitest.Contains(t, second.Get("/customer", http.StatusOK), "Take your cash") // a reload
	second.GetRedirect("/customer/setup")                                        // it can do nothing
	third.Get("/customer/open", http.StatusOK)
	third.Post("/customer/open", http.StatusForbidden, "code", m[1])
	agent.Get("/customer/setup", http.StatusOK)
	agent.Post("/lock", http.StatusSeeOther)
	page := second.Get("/customer", http.StatusOK)
	uitest.Contains(t, page, "Welcome")
	uitest.NotContains(t, page, "Take your cash", "₹500")

	// If only one user is unlocked, the screen is that one's; with two, it waits for the one
	// who created the code.
	raju := h.NewClient(t)
	raju.GetRedirect("/enter?operator=raju&name=Raju&role=operator&to=/enter/done")
	his := view(t, op.Balance, op.Succeeded)
	his.User, his.UserID = "Raju", "raju"
	f.set(his, view(t, op.Withdrawal, op.Succeeded))
	uitest.Contains(t, second.Get("/customer", http.StatusOK), "No money was taken")
	sita := h.NewClient(t)
	sita.GetRedirect("/enter?operator=sita&name=Sita&role=operator&to=/enter/done")
	uitest.Contains(t, second.Get("/customer", http.StatusOK), "Welcome")
	agent.Login()
	uitest.Contains(t, second.Get("/customer", http.StatusOK), "Take your cash")
}

// TestRestart: a screen that was open before a restart shows nothing; its script is
// redirected to the code form and, after the unlock, back.
func TestRestart(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	f.set(view(t, op.Withdrawal, op.Succeeded))
	page := v.Get("/customer?part=main", http.StatusOK)
	uitest.Contains(t, page, `id="customer-access"`)
	uitest.NotContains(t, page, "customer-now", "₹500")
	v.Get("/customer/open?part=main", http.StatusOK)
	v.Login()
	uitest.Contains(t, v.Get("/customer/open?part=main", http.StatusOK), "customer-now")
	if to := v.GetRedirect("/customer/open"); to != "/customer" {
		t.Errorf("the code page leads to %s", to)
	}
}

// TestOwnScreenRemains: the screen in the agent's own browser outlives the lock, and does
// not show another user's customers.
func TestOwnScreenRemains(t *testing.T) {
	f, h := serve(t)
	v, raju := h.NewClient(t), h.NewClient(t)
	v.Login()
	his := view(t, op.Withdrawal, op.Succeeded)
	his.User, his.UserID = "Raju", "raju"
	f.set(view(t, op.Withdrawal, op.Succeeded), his)
	page := v.Get("/customer", http.StatusOK)
	uitest.Contains(t, page, "Take your cash", "data-customer", "Ask at the counter before you go")
	uitest.NotContains(t, page, "hand out cash")
	v.Get("/enter/done", http.StatusOK)
	v.Post("/lock", http.StatusSeeOther)
	raju.GetRedirect("/enter?operator=raju&name=Raju&role=operator&to=/enter/done")
	for _, path := range []string{"/customer", "/customer?part=main"} {
		page := v.Get(path, http.StatusOK)
		uitest.Contains(t, page, "Welcome")
		uitest.NotContains(t, page, "Take your cash")
	}
}

// TestGuesses: too many guesses invalidate a code.
func TestGuesses(t *testing.T) {
	_, h := serve(t)
	agent, second := h.NewClient(t), h.NewClient(t)
	agent.Login()
	agent.Get("/customer/setup", http.StatusOK)
	m := keyPattern.FindStringSubmatch(agent.Post("/customer/setup", http.StatusOK))
	second.Get("/customer/open", http.StatusOK)
	for range maxTries {
		second.Post("/customer/open", http.StatusForbidden, "code", "x")
	}
	second.Post("/customer/open", http.StatusForbidden, "code", m[1])
}

// TestCustomersLanguage: the screen has the language of the consent.
func TestCustomersLanguage(t *testing.T) {
	f, h := serve(t)
	v := h.NewClient(t)
	v.Login()
	one := view(t, op.Withdrawal, op.Succeeded)
	one.Consent = "AEPS-HI-1"
	f.set(one)
	page := v.Get("/customer", http.StatusOK)
	uitest.Contains(t, page, `lang="hi"`)
	uitest.NotContains(t, page, "Take your cash")
}

// TestTexts: every language has every text of this section.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "customer", Files: files})
}

// TestGiveOnlyWhatWasPaid: only a successful withdrawal looks like cash.
func TestGiveOnlyWhatWasPaid(t *testing.T) {
	f := &fake{Counter: uitest.NewCounter()}
	book, err := i18n.Load(i18n.Catalogue{Owner: "customer", Files: files}, outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range outcome.AEPSKinds() {
		for _, state := range []op.State{op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Succeeded, op.Failed, op.Pending, op.Reversed, op.Expired, op.NotSent, "x"} {
			got := operationView(book.Localizer("en"), view(t, k.Route, state), f.Status())
			give := k.Route == op.Withdrawal && state == op.Succeeded
			if (got.Tone == outcome.ToneGive) != give || strings.Contains(got.Title, "cash") != give {
				t.Errorf("%s %s: %s %q", k.Name, state, got.Tone, got.Title)
			}
		}
	}
}

// TestPrintedCode: between customers the screen says what was just paid with the printed
// code, and nothing that was paid earlier or went back.
func TestPrintedCode(t *testing.T) {
	now := uitest.Payment(1, 70*money.Rupee, "")
	for name, c := range map[string]struct {
		list []edge.Record
		paid bool
	}{
		"nothing":         {nil, false},
		"paid":            {[]edge.Record{now}, true},
		"another's order": {[]edge.Record{uitest.Payment(1, 70*money.Rupee, "abc")}, false},
		"told late":       {[]edge.Record{uitest.PaymentAt(1, 70*money.Rupee, "", uitest.Now().Add(-printedCodeTTL))}, false},
		"returned":        {[]edge.Record{now, uitest.ReturnOf(now)}, false},
	} {
		f, h := serve(t)
		v := h.NewClient(t)
		v.Login()
		f.pay(c.list...)
		page := v.Get("/customer", http.StatusOK)
		if got := strings.Contains(page, "The shop has received it") && strings.Contains(page, "₹70"); got != c.paid {
			t.Errorf("%s: says paid %v", name, got)
		}
	}
}
