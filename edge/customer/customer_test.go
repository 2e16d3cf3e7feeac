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
	"galla/edge/told"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// fake is a counter with operations that a test puts there.
type fake struct {
	*webtest.Counter
	mu  sync.Mutex
	all []edge.View // newest first
}

func (f *fake) set(all ...edge.View) {
	f.mu.Lock()
	f.all = all
	f.mu.Unlock()
	f.Change(func(*edge.Status) {})
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

func serve(t *testing.T) (*fake, *webtest.House) {
	t.Helper()
	f := &fake{Counter: webtest.NewCounter()}
	c, err := New(f, Config{
		Picture: func(v edge.View) (template.HTML, money.Paise, bool) {
			return pattern(), v.Amount, v.State == op.Succeeded
		},
		Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, webtest.Serve(t, f, c)
}

func view(t *testing.T, route op.RouteID, state op.State) edge.View {
	t.Helper()
	id, err := op.NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	balance := 123456 * money.Rupee
	v := edge.View{Record: edge.Record{
		ID: id, Route: route, State: state, Operator: "Fatima", OperatorID: edge.AgentID, Customer: "Asha", Aadhaar: secret.MaskAadhaar(webtest.CustomerAadhaar),
		BankName: "State Bank of India", Amount: 500 * money.Rupee, Consent: "AEPS-EN-1", CreatedAt: webtest.Now(),
	}}
	r, _ := op.Find(route)
	v.Class = r.Class
	if route == op.GenerateQR {
		v.Consent = "" // it needs no finger
	}
	if state.Final() {
		v.EndedAt = webtest.Now()
	}
	if state == op.Succeeded {
		v.Result.Balance = &balance
	}
	return v
}

// TestScreen: each state in a customer's words, with no Aadhaar digit, no bank,
// no name and no balance.
func TestScreen(t *testing.T) {
	f, h := serve(t)
	v := h.Visitor(t)
	v.Enter()
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
		page := v.Get("/customer", http.StatusOK)
		webtest.Has(t, page, c.want)
		webtest.HasNot(t, page, one.Aadhaar, one.Aadhaar[8:], "Asha", "1,23,456", "State Bank", "<form")
		if c.want != "Take your cash" {
			webtest.HasNot(t, page, "Take your cash", "band give")
		}
	}
}

// TestOthersAndOldOnesAreNotShown: another operator's customer, and one who has
// gone, are not shown.
func TestOthersAndOldOnesAreNotShown(t *testing.T) {
	old, other := view(t, op.Withdrawal, op.Succeeded), view(t, op.Withdrawal, op.Succeeded)
	old.EndedAt = webtest.Now().Add(-linger - time.Second)
	other.OperatorID = "a1" // of one who has the same name
	for name, v := range map[string]edge.View{"old": old, "other": other} {
		if _, ok := current([]edge.View{v}, edge.Operator{ID: edge.AgentID, Name: "Fatima"}, webtest.Now()); ok {
			t.Errorf("%s is shown", name)
		}
	}
	if got, ok := current([]edge.View{other, view(t, op.ReqAuth, op.Succeeded), view(t, op.Balance, op.Succeeded)}, edge.Operator{ID: edge.AgentID, Name: "Fatima"}, webtest.Now()); !ok || got.Route != op.Balance {
		t.Error("the operator's own is not shown")
	}
}

// TestBalanceOnPress: the balance is shown when the agent presses, and no other
// operator can.
// TestOthersCashIsNotShown: the strip of open cash is the counter's; a customer
// sees nothing of other customers.
func TestOthersCashIsNotShown(t *testing.T) {
	f, house := serve(t)
	v := house.Visitor(t)
	v.Enter()
	f.Change(func(st *edge.Status) {
		st.Cash = []edge.Record{{ID: "01", Route: op.Withdrawal, State: op.Succeeded, Customer: "Shivshankar Choudhury", Aadhaar: "XXXXXXXX7058", Amount: 700 * money.Rupee}}
	})
	webtest.Has(t, v.Get("/customer/desk", http.StatusOK), "GIVE CASH ₹700", "Shivshankar", "…7058")
	webtest.HasNot(t, v.Get("/customer", http.StatusOK), "open-cash", "Shivshankar", "7058", "₹700")
}

// TestCustomerIsToldWhatTheCounterIs: cash that was given, or is owed.
func TestCustomerIsToldWhatTheCounterIs(t *testing.T) {
	f, house := serve(t)
	v := house.Visitor(t)
	v.Enter()
	paid := view(t, op.Withdrawal, op.Succeeded)
	for _, c := range []struct {
		by    string
		given time.Time
		want  string
	}{{"", time.Time{}, "Take your cash"}, {"Fatima", time.Time{}, "The shop owes you this cash"}, {"Fatima", webtest.Now(), "You have your cash"}} {
		paid.CashBy, paid.CashGiven, paid.EndedAt = c.by, c.given, webtest.Now()
		f.set(paid)
		webtest.Has(t, v.Get("/customer", http.StatusOK), c.want)
	}
}

func TestBalanceOnPress(t *testing.T) {
	f, h := serve(t)
	v := h.Visitor(t)
	v.Enter()
	one := view(t, op.Balance, op.Succeeded)
	f.set(one)
	webtest.Has(t, v.Get("/customer/desk", http.StatusOK), "Show the customer")
	raju := h.Visitor(t)
	raju.Leads("/enter?operator=raju&name=Raju&role=operator&to=/enter/done")
	raju.Get("/customer/desk", http.StatusOK)
	raju.Post("/customer/desk/balance", http.StatusNotFound, "id", string(one.ID), "show", "yes")
	webtest.HasNot(t, v.Get("/customer", http.StatusOK), "1,23,456")
	v.Post("/customer/desk/balance", http.StatusSeeOther, "id", string(one.ID), "show", "yes")
	webtest.Has(t, v.Get("/customer", http.StatusOK), "₹1,23,456.00")
	v.Get("/customer/desk", http.StatusOK)
	v.Post("/customer/desk/balance", http.StatusSeeOther, "id", string(one.ID), "show", "no")
	webtest.HasNot(t, v.Get("/customer", http.StatusOK), "1,23,456")
}

var keyOf = regexp.MustCompile(`customer-key digits">(\d{4} \d{4})<`)

// TestCode: another browser is let in by a code, once, and sees nothing when
// the counter locks.
func TestCode(t *testing.T) {
	f, h := serve(t)
	agent, second, third := h.Visitor(t), h.Visitor(t), h.Visitor(t)
	agent.Enter()
	f.set(view(t, op.Withdrawal, op.Succeeded))
	if to := second.Leads("/customer"); to != "/customer/open" {
		t.Fatalf("a stranger was led to %s", to)
	}
	second.Get("/customer/open", http.StatusOK)
	agent.Get("/customer/desk", http.StatusOK)
	m := keyOf.FindStringSubmatch(agent.Post("/customer/desk", http.StatusOK))
	if m == nil {
		t.Fatal("no code was made")
	}
	second.Post("/customer/open", http.StatusForbidden, "code", "1")
	second.Post("/customer/open", http.StatusSeeOther, "code", m[1])
	webtest.Has(t, second.Get("/customer", http.StatusOK), "Take your cash")
	webtest.Has(t, second.Get("/customer", http.StatusOK), "Take your cash") // a reload
	second.Leads("/customer/desk")                                           // it can do nothing
	third.Get("/customer/open", http.StatusOK)
	third.Post("/customer/open", http.StatusForbidden, "code", m[1])
	agent.Get("/customer/desk", http.StatusOK)
	agent.Post("/lock", http.StatusSeeOther)
	page := second.Get("/customer", http.StatusOK)
	webtest.Has(t, page, "Welcome")
	webtest.HasNot(t, page, "Take your cash", "₹500")

	// Whoever is alone at the counter then has the screen; with two, it waits
	// for the one who gave the code.
	raju := h.Visitor(t)
	raju.Leads("/enter?operator=raju&name=Raju&role=operator&to=/enter/done")
	his := view(t, op.Balance, op.Succeeded)
	his.Operator, his.OperatorID = "Raju", "raju"
	f.set(his, view(t, op.Withdrawal, op.Succeeded))
	webtest.Has(t, second.Get("/customer", http.StatusOK), "No money was taken")
	sita := h.Visitor(t)
	sita.Leads("/enter?operator=sita&name=Sita&role=operator&to=/enter/done")
	webtest.Has(t, second.Get("/customer", http.StatusOK), "Welcome")
	agent.Enter()
	webtest.Has(t, second.Get("/customer", http.StatusOK), "Take your cash")
}

// TestRestart: a screen that was open before a restart shows nothing, and its
// script is led to the door and, once the counter is unlocked, back.
func TestRestart(t *testing.T) {
	f, h := serve(t)
	v := h.Visitor(t)
	f.set(view(t, op.Withdrawal, op.Succeeded))
	page := v.Get("/customer?part=main", http.StatusOK)
	webtest.Has(t, page, `id="customer-door"`)
	webtest.HasNot(t, page, "customer-now", "₹500")
	v.Get("/customer/open?part=main", http.StatusOK)
	v.Enter()
	webtest.Has(t, v.Get("/customer/open?part=main", http.StatusOK), "customer-now")
	if to := v.Leads("/customer/open"); to != "/customer" {
		t.Errorf("the door leads to %s", to)
	}
}

// TestOwnScreenStays: the screen in the agent's own browser outlives the lock,
// and is not given another operator's customers.
func TestOwnScreenStays(t *testing.T) {
	f, h := serve(t)
	v, raju := h.Visitor(t), h.Visitor(t)
	v.Enter()
	his := view(t, op.Withdrawal, op.Succeeded)
	his.Operator, his.OperatorID = "Raju", "raju"
	f.set(view(t, op.Withdrawal, op.Succeeded), his)
	page := v.Get("/customer", http.StatusOK)
	webtest.Has(t, page, "Take your cash", "data-front", "Ask at the counter before you go")
	webtest.HasNot(t, page, "hand out cash")
	v.Get("/enter/done", http.StatusOK)
	v.Post("/lock", http.StatusSeeOther)
	raju.Leads("/enter?operator=raju&name=Raju&role=operator&to=/enter/done")
	for _, path := range []string{"/customer", "/customer?part=main"} {
		page := v.Get(path, http.StatusOK)
		webtest.Has(t, page, "Welcome")
		webtest.HasNot(t, page, "Take your cash")
	}
}

// TestGuesses: a code that was guessed at too often is void.
func TestGuesses(t *testing.T) {
	_, h := serve(t)
	agent, second := h.Visitor(t), h.Visitor(t)
	agent.Enter()
	agent.Get("/customer/desk", http.StatusOK)
	m := keyOf.FindStringSubmatch(agent.Post("/customer/desk", http.StatusOK))
	second.Get("/customer/open", http.StatusOK)
	for range maxTries {
		second.Post("/customer/open", http.StatusForbidden, "code", "x")
	}
	second.Post("/customer/open", http.StatusForbidden, "code", m[1])
}

// TestCustomersLanguage: the screen speaks the language of the consent.
func TestCustomersLanguage(t *testing.T) {
	f, h := serve(t)
	v := h.Visitor(t)
	v.Enter()
	one := view(t, op.Withdrawal, op.Succeeded)
	one.Consent = "AEPS-HI-1"
	f.set(one)
	page := v.Get("/customer", http.StatusOK)
	webtest.Has(t, page, `lang="hi"`)
	webtest.HasNot(t, page, "Take your cash")
}

// TestTexts: every language has every text of this room.
func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(words.Catalogue{Room: "customer", Files: files}) {
		t.Error(fault)
	}
}

// TestGiveOnlyWhatWasPaid: nothing but a withdrawal that succeeded looks like
// cash, whatever state there is.
func TestGiveOnlyWhatWasPaid(t *testing.T) {
	f := &fake{Counter: webtest.NewCounter()}
	book, err := words.Load(words.Catalogue{Room: "customer", Files: files}, told.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range told.Kinds() {
		for _, state := range []op.State{op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Succeeded, op.Failed, op.Pending, op.Reversed, op.Expired, op.NotSent, "x"} {
			got := of(book.In("en"), view(t, k.Route, state), f.Status())
			give := k.Route == op.Withdrawal && state == op.Succeeded
			if (got.Tone == told.ToneGive) != give || strings.Contains(got.Title, "cash") != give {
				t.Errorf("%s %s: %s %q", k.Name, state, got.Tone, got.Title)
			}
		}
	}
}
