package dmt

import (
	"regexp"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// sends brings a flow to the end of a transfer, and returns the page and the transfer's
// operation.
func (w *walker) sends(c *counter) (string, op.ID) {
	w.T.Helper()
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(page, "go", "amount", "500")
	page = w.do(page, "go")
	page = w.do(page, "go", "otp", "123456")
	return page, c.asked[len(c.asked)-1].ID
}

// returned brings a flow to a transfer that the bank returns.
func (w *walker) returned(c *counter) (string, op.ID) {
	w.T.Helper()
	_, transfer := w.sends(c)
	c.returns(transfer)
	return w.Get(w.at, 200), transfer
}

// TestNoRefundOfWhatWasPaidOut: a refund is offered only for what the bank returns, and
// the bank is asked again before the customer is.
func TestNoRefundOfWhatWasPaidOut(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, transfer := w.sends(c)
	heading(t, page, "Money sent")
	uitest.NotContains(t, page, "do-refund")
	w.Post(w.at+"/refund", 404, "turn", turn(page))
	if got := outcome.TransferLinkText(w.words(), mustSee(t, c, transfer)); got == "Refund" {
		t.Errorf("the operation's page offers %q", got)
	}
	for _, state := range []op.State{op.Pending, op.Failed, op.Unknown, op.NotSent, op.Expired} {
		c.mu.Lock()
		v := c.known[transfer]
		v.State = state
		c.known[transfer] = v
		c.mu.Unlock()
		uitest.NotContains(t, w.Get(w.at, 200), "do-refund")
	}
	// The bank's status has changed meanwhile, or another counter was faster.
	c.returns(transfer)
	page = w.Get(w.at, 200)
	uitest.Contains(t, page, "do-refund")
	for _, status := range []string{"SUCCESS", "PENDING", ""} {
		c.reply(op.TransferRequery, `{"statusCode":"00","data":{"status":"`+status+`"}}`)
		page = w.do(page, "refund")
		heading(t, page, "No refund now")
		uitest.Contains(t, page, "the bank does not return it now. Do not give cash.", "do-refund", "Ask the bank again")
		uitest.NotContains(t, page, "through a refund", "do-cash")
		oneAdvice(t, page)
	}
	c.reply(op.TransferRequery, `{"statusCode":"00","data":{"status":"REFUNDED"}}`)
	page = w.do(page, "refund")
	heading(t, page, "Transfer refunded")
	uitest.NotContains(t, page, "do-refund", "do-cash", "through a refund", `class="alert`)
	oneAdvice(t, page)
	w.Post(w.at+"/refund", 404, "turn", turn(page))
	if got := outcome.TransferLinkText(w.words(), mustSee(t, c, transfer)); got != "" {
		t.Errorf("the operation's page offers %q", got)
	}
	if n := c.times(op.RefundOTP) + c.times(op.Refund); n != 0 {
		t.Errorf("%d refunds were asked for", n)
	}
}

// oneAdvice checks that a page has one advice, and at most one main button.
func oneAdvice(t *testing.T, page string) {
	t.Helper()
	_, main, _ := strings.Cut(page, "<main")
	if a, b := strings.Count(main, "data-advice="), strings.Count(main, `class="alert`); a+b != 1 {
		t.Errorf("%d advices and %d alerts\n%s", a, b, main)
	}
	if n := len(mainButton.FindAllString(main, -1)); n > 1 {
		t.Errorf("%d main buttons\n%s", n, main)
	}
}

var mainButton = regexp.MustCompile(`<(?:button|a)[^>]*class="(?:button )?main`)

// TestARefundedTransferIsOver: its page offers no refund, and gives its one advice, after
// the refund and whenever it is opened again.
func TestARefundedTransferIsOver(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	w := login(t, c, s)
	page, transfer := w.returned(c)
	oneAdvice(t, page)
	page = w.do(w.do(page, "refund"), "go")
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "GIVE CASH ₹512.50")
	w.Post(w.at+"/forget", 303)
	again := login(t, c, s)
	again.Get("/dmt", 200)
	again.at = again.Post("/dmt/of/"+string(transfer), 303)
	page = again.Get(again.at, 200)
	heading(t, page, "Transfer refunded")
	uitest.NotContains(t, page, "do-refund", "do-cash")
	oneAdvice(t, page)
}

// TestTheCashWasGivenBeforeTheRefund: somebody said so on the transfer's page, and each
// step of its refund says not to give it again.
func TestTheCashWasGivenBeforeTheRefund(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, transfer := w.returned(c)
	uitest.Contains(t, page, "do-cash", "do-refund")
	page = w.do(page, "cash")
	heading(t, page, "The transfer came back")
	uitest.Contains(t, page, "Do not give it again", "do-refund")
	uitest.NotContains(t, page, "do-cash")
	oneAdvice(t, page)
	page = w.do(page, "refund")
	uitest.Contains(t, page, "The customer has the cash already: give no more.")
	page = w.do(page, "go")
	uitest.Contains(t, page, "The customer has the cash already: give no more.")
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "Refund closed")
	if v := mustSee(t, c, transfer); v.Cash() != edge.CashGiven || c.asked[len(c.asked)-1].Route != op.Refund {
		t.Errorf("the cash of the transfer is %q", v.Cash())
	}
}

// TestCashGoesBackAfterTheBanksWord: the page says not to give it before the bank's
// answer, and to give it then, once.
func TestCashGoesBackAfterTheBanksWord(t *testing.T) {
	c := newCounter()
	c.replies[op.Refund] = `{"statusCode":"55","message":"INVALID OTP"}`
	w := login(t, c, &memoryCache{})
	page, transfer := w.returned(c)
	heading(t, page, "The transfer came back")
	page = w.do(page, "refund")
	uitest.Contains(t, page, "Give the cash when the bank has confirmed the refund")
	page = w.do(page, "go")
	uitest.Contains(t, page, "Do not give cash yet")
	uitest.NotContains(t, page, `name="cash"`)
	page = w.do(page, "go", "otp", "1111")
	heading(t, page, "Refund: enter OTP")
	uitest.Contains(t, page, "Wrong or expired OTP. No refund was made. Do not give cash. 2 tries left", "Do not give cash yet")
	page = w.do(page, "resend")
	heading(t, page, "Refund: enter OTP")
	uitest.NotContains(t, page, "Wrong or expired OTP")
	c.reply(op.Refund, `{"statusCode":"00","data":{"refundId":"F1","amount":500}}`)
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "GIVE CASH ₹512.50")
	uitest.NotContains(t, page, "do-retry")
	q := c.asked[len(c.asked)-1]
	if v := mustSee(t, c, q.ID); v.Cash() != edge.CashDue || q.Consent != edge.RefundCashAfter || transfer == "" {
		t.Errorf("the cash of the refund is %q", v.Cash())
	}
}

// TestCashThatWentBackAlready: in a flow with returned cash, the cash is not given again.
func TestCashThatWentBackAlready(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, _ := w.returned(c)
	w.do(w.do(page, "refund"), "go")
	r := c.pages[0]
	r.store.mu.Lock()
	f := r.store.flows[0]
	f.CashReturned = true
	err := r.store.save(f)
	r.store.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	page = w.Get(w.at, 200)
	uitest.Contains(t, page, "The customer has the cash already: give no more")
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "Refund closed")
	if v := mustSee(t, c, c.asked[len(c.asked)-1].ID); v.Cash() != edge.CashNone {
		t.Errorf("the cash of the refund is %q", v.Cash())
	}
}

func mustSee(t *testing.T, c *counter, id op.ID) edge.View {
	t.Helper()
	v, err := c.Operation(id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (w *walker) words() *i18n.Localizer {
	if w.english == nil {
		book, err := i18n.Load(outcome.Catalogue())
		if err != nil {
			w.T.Fatal(err)
		}
		w.english = book.Localizer(i18n.English)
	}
	return w.english
}

func TestFromATransfersOperationToItsRefund(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	w := login(t, c, s)
	page, transfer := w.returned(c)
	if to := w.Post("/dmt/of/"+string(transfer), 303); to != w.at {
		t.Errorf("a flow that stands at the transfer is at %s, not %s", w.at, to)
	}
	w.do(page, "refund")
	if to := w.Post("/dmt/of/"+string(transfer), 303); to != w.at {
		t.Errorf("a flow that stands at the refund is at %s, not %s", w.at, to)
	}
	w.Post(w.at+"/forget", 303)

	again := login(t, c, s)
	again.Get("/dmt", 200)
	again.at = again.Post("/dmt/of/"+string(transfer), 303)
	if again.at == w.at {
		t.Fatal("the flow was not ended")
	}
	page = again.Get(again.at, 200)
	heading(t, page, "The transfer came back")
	uitest.Contains(t, page, "Asha Patil", "Mohan Lal", "₹500.00", "do-refund")
	uitest.NotContains(t, page, "do-sender", "do-retry")
	again.Post(again.at+"/sender", 404, "turn", turn(page))
	page = again.do(page, "refund")
	page = again.do(page, "go")
	page = again.do(page, "go", "otp", "1234")
	heading(t, page, "GIVE CASH ₹512.50")
	if q := c.asked[len(c.asked)-1]; !strings.Contains(string(q.Fields), `"refId":"`+string(transfer)+`","transactionId":"T1"`) {
		t.Errorf("%s %s", q.Route, q.Fields)
	}

	again.Post("/dmt/of/"+string(c.asked[len(c.asked)-1].ID), 404)
	again.Post("/dmt/of/nothing", 404)
	unknown, _ := op.NewID(strings.NewReader(strings.Repeat("x", 64)))
	again.Post("/dmt/of/"+string(unknown), 404)
}

func TestATransferThatCameBackIsRefunded(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	c.replies[op.Transfer] = `{"statusCode":"00","data":{"transactionId":"T3","amount":500,"status":"PENDING"}}`
	page, transfer := w.sends(c)
	uitest.NotContains(t, page, "do-refund")
	c.returns(transfer)
	page = w.Get(w.at, 200)
	heading(t, page, "The transfer came back")
	uitest.NotContains(t, page, "do-retry")
	heading(t, w.do(page, "refund"), "Refund")
}

// TestATransferThatCentralRefused: nothing was sent, and it is not shown as an
// unreachable bank.
func TestATransferThatCentralRefused(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	_, transfer := w.sends(c)
	c.mu.Lock()
	v := c.known[transfer]
	v.State, v.Stage, v.HTTP, v.Reply = op.Failed, edge.StageNone, 400, []byte(`{"statusCode":"02","message":"Invalid request body"}`)
	v.Result = api.ParseResult(v.HTTP, v.Reply)
	c.known[transfer] = v
	c.mu.Unlock()
	page := w.Get(w.at, 200)
	heading(t, page, "Money not sent")
	uitest.Contains(t, page, "It was refused before anything was sent. No money moved.", "Something in this form is not accepted.", "do-retry")
	uitest.NotContains(t, page, "not reached", "do-refund")
}

// TestRefusals: the reason of a refusal is shown in every language, and English only in
// English.
func TestRefusals(t *testing.T) {
	book, err := i18n.Load(i18n.Catalogue{Owner: "dmt", Files: files}, outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	view := func(state op.State, http int, reply string) edge.View {
		v := edge.View{Record: edge.Record{State: state, HTTP: http, Reply: []byte(reply), Reason: edge.ReasonTooLate}}
		v.Result = api.ParseResult(http, []byte(reply))
		return v
	}
	cases := map[string]edge.View{
		"55":       view(op.Succeeded, 200, `{"statusCode":"55","message":"English."}`),
		"61":       view(op.Failed, 200, `{"statusCode":"61","message":"English."}`),
		"ZZ":       view(op.Failed, 200, `{"statusCode":"ZZ","message":"English."}`),
		"own-05":   view(op.NotSent, 422, `{"statusCode":"05","message":"English."}`),
		"own-10":   view(op.Failed, 502, `{"statusCode":"10","message":"English."}`),
		"expired":  view(op.Expired, 0, ``),
		"not sent": view(op.NotSent, 0, ``),
	}
	for _, l := range i18n.Languages() {
		w := book.Localizer(l.Code)
		heard := map[string]string{}
		for name, v := range cases {
			f := flow{Step: Amount}
			f.stopRefused(v)
			got := problemText(w, f)
			if got == "" || strings.Contains(got, "dmt.") || strings.Contains(got, "{") || strings.Contains(got, "English.") != (l.Code == i18n.English && v.Result.Message != "") {
				t.Errorf("%s %s: %q", l.Code, name, got)
			}
			if other, twice := heard[got]; twice && !strings.Contains(name+other, "sent") {
				t.Errorf("%s: %s and %s say the same: %q", l.Code, name, other, got)
			}
			heard[got] = name
		}
		for _, code := range []string{"link", "disk", "revoked", "clock", "session", "busy", "number"} {
			f := flow{Step: Amount}
			f.stopPrecluded(&edge.PreconditionError{Code: edge.Precondition(code)})
			if got := problemText(w, f); got == "" || strings.Contains(got, "preconditi") {
				t.Errorf("%s %s: %q", l.Code, code, got)
			}
		}
	}
}

func TestWhatTheCounterRefusesOfAForm(t *testing.T) {
	f := flow{To: account{Name: "123412341234"}}
	got := f.fieldErrors(&edge.ValidationError{Fields: []string{"title", "amount", "otp", "city", "aadhaar"}})
	want := formErrors{"receivername": "dmt.text.wrong", "amount": boundsError, "otp": "dmt.otp.missing", "city": "dmt.missing", "aadhaar": "field.aadhaar.check"}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %q, want %q", name, got[name], want[name])
		}
	}
}

// TestAnAadhaarNumberInTheWrongFieldIsNotKept, nor is it sent back.
func TestAnAadhaarNumberInTheWrongFieldIsNotKept(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	w := login(t, c, s)
	page := w.find("9876543210")
	for _, fields := range [][]string{
		{"name", "9999 4105 7058", "city", "Pune", "state", "MH"}, {"name", "Asha", "city", "Pune 9999-4105-7058", "state", "MH"},
		{"name", "Asha", "city", "Pune", "state", strings.Repeat("x", 101)},
	} {
		uitest.Contains(t, w.Post(w.at+"/go", 422, append([]string{"turn", turn(page)}, fields...)...), "no Aadhaar number")
	}
	if kept := string(s.values[cacheName]); strings.Contains(kept, "4105") {
		t.Error("it is kept: " + kept)
	}
	if n := c.times(op.CustomerOnboarding); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

// TestNothingIsLostThatTheCounterRefuses: the page shows why nothing started, and the
// typed values.
func TestNothingIsLostThatTheCounterRefuses(t *testing.T) {
	c := newCounter()
	c.refuse = map[op.RouteID]error{op.TransferCharges: &edge.PreconditionError{Code: edge.PreconditionRevoked}}
	w := login(t, c, &memoryCache{})
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(page, "go", "amount", "500")
	uitest.Contains(t, page, "This counter was revoked", `value="500"`)
}

// TestAccountNumbersKeepTheirZeros: without them, the number may be another account's.
func TestAccountNumbersKeepTheirZeros(t *testing.T) {
	m, err := readRemitter([]byte(`{"data":{"senderId":"x","beneficiarydetail":[` +
		`{"beneficiaryid":1,"accountnumber":1234567811,"accountnumberText":"001234567811","beneficiarymobilenumber":0,"beneficiarystatus":1},` +
		`{"beneficiaryid":2,"accountnumber":1234567811,"beneficiarymobilenumber":9000000012,"beneficiarystatus":1},` +
		`{"beneficiaryid":3,"accountnumberText":"12 34","beneficiarystatus":1},{"accountnumber":1,"beneficiarystatus":1}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if a := m.Payees[0]; a.Number != "001234567811" || a.Mobile != "" || !a.Usable {
		t.Errorf("%+v", a)
	}
	if a := m.Payees[1]; a.Number != "1234567811" || a.Mobile != "9000000012" {
		t.Errorf("%+v", a)
	}
	for _, a := range m.Payees[2:] {
		if a.Usable {
			t.Errorf("usable without a number or an id: %+v", a)
		}
	}
}
