package send

import (
	"regexp"
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/message"
	"galla/edge/told"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/op"
)

// sends brings a flow to the end of a transfer, and gives the page and the
// transfer's operation.
func (w *walker) sends(c *counter) (string, op.ID) {
	w.T.Helper()
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(page, "go", "amount", "500")
	page = w.do(page, "go")
	page = w.do(page, "go", "otp", "123456")
	return page, c.asked[len(c.asked)-1].ID
}

// returned brings a flow to a transfer that the bank gives back.
func (w *walker) returned(c *counter) (string, op.ID) {
	w.T.Helper()
	_, transfer := w.sends(c)
	c.returns(transfer)
	return w.Get(w.at, 200), transfer
}

// TestNoRefundOfWhatWasPaidOut: a refund is offered of nothing but what the bank
// gives back, and the bank is asked once more before the customer is.
func TestNoRefundOfWhatWasPaidOut(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	page, transfer := w.sends(c)
	says(t, page, "Money sent")
	webtest.HasNot(t, page, "do-refund")
	w.Post(w.at+"/refund", 404, "turn", turn(page))
	if got := told.Flow(w.words(), mustSee(t, c, transfer)); got == "Refund" {
		t.Errorf("the operation's page offers %q", got)
	}
	for _, state := range []op.State{op.Pending, op.Failed, op.Unknown, op.NotSent, op.Expired} {
		c.mu.Lock()
		v := c.known[transfer]
		v.State = state
		c.known[transfer] = v
		c.mu.Unlock()
		webtest.HasNot(t, w.Get(w.at, 200), "do-refund")
	}
	// The bank has changed its word meanwhile, or another counter was quicker.
	c.returns(transfer)
	page = w.Get(w.at, 200)
	webtest.Has(t, page, "do-refund")
	for _, status := range []string{"SUCCESS", "PENDING", ""} {
		c.reply(op.TransferRequery, `{"statusCode":"00","data":{"status":"`+status+`"}}`)
		page = w.do(page, "refund")
		says(t, page, "No refund now")
		webtest.Has(t, page, "the bank does not return it now. Do not give cash.", "do-refund", "Ask the bank again")
		webtest.HasNot(t, page, "through a refund", "do-cash")
		oneAdvice(t, page)
	}
	c.reply(op.TransferRequery, `{"statusCode":"00","data":{"status":"REFUNDED"}}`)
	page = w.do(page, "refund")
	says(t, page, "Transfer refunded")
	webtest.HasNot(t, page, "do-refund", "do-cash", "through a refund", `class="alert`)
	oneAdvice(t, page)
	w.Post(w.at+"/refund", 404, "turn", turn(page))
	if got := told.Flow(w.words(), mustSee(t, c, transfer)); got != "" {
		t.Errorf("the operation's page offers %q", got)
	}
	if n := c.times(op.RefundOTP) + c.times(op.Refund); n != 0 {
		t.Errorf("%d refunds were asked for", n)
	}
}

// oneAdvice checks that a page has one, and one main button at most.
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

// TestARefundedTransferIsOver: its page offers no refund, and gives its one advice,
// after the refund has succeeded, and for whoever opens it again.
func TestARefundedTransferIsOver(t *testing.T) {
	c, s := newCounter(), &shelf{}
	w := enter(t, c, s)
	page, transfer := w.returned(c)
	oneAdvice(t, page)
	page = w.do(w.do(page, "refund"), "go")
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "GIVE CASH ₹512.50")
	w.Post(w.at+"/forget", 303)
	again := enter(t, c, s)
	again.Get("/send", 200)
	again.at = again.Post("/send/of/"+string(transfer), 303)
	page = again.Get(again.at, 200)
	says(t, page, "Transfer refunded")
	webtest.HasNot(t, page, "do-refund", "do-cash")
	oneAdvice(t, page)
}

// TestTheCashWasGivenBeforeTheRefund: somebody said so on the transfer's page, and
// each step of its refund says not to give it again.
func TestTheCashWasGivenBeforeTheRefund(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	page, transfer := w.returned(c)
	webtest.Has(t, page, "do-cash", "do-refund")
	page = w.do(page, "cash")
	says(t, page, "The transfer came back")
	webtest.Has(t, page, "Do not give it again", "do-refund")
	webtest.HasNot(t, page, "do-cash")
	oneAdvice(t, page)
	page = w.do(page, "refund")
	webtest.Has(t, page, "The customer has the cash already: give no more.")
	page = w.do(page, "go")
	webtest.Has(t, page, "The customer has the cash already: give no more.")
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "Refund closed")
	if v := mustSee(t, c, transfer); v.Cash() != edge.CashGiven || c.asked[len(c.asked)-1].Route != op.Refund {
		t.Errorf("the cash of the transfer is %q", v.Cash())
	}
}

// TestCashGoesBackAfterTheBanksWord: the page says not to give it before, and
// to give it then, once.
func TestCashGoesBackAfterTheBanksWord(t *testing.T) {
	c := newCounter()
	c.replies[op.Refund] = `{"statusCode":"55","message":"INVALID OTP"}`
	w := enter(t, c, &shelf{})
	page, transfer := w.returned(c)
	says(t, page, "The transfer came back")
	page = w.do(page, "refund")
	webtest.Has(t, page, "The cash goes back when the bank has confirmed the refund")
	page = w.do(page, "go")
	webtest.Has(t, page, "Do not give cash yet")
	webtest.HasNot(t, page, `name="cash"`)
	page = w.do(page, "go", "otp", "1111")
	says(t, page, "DO NOT GIVE CASH")
	webtest.Has(t, page, "The one-time password is wrong", "Do not give cash", "do-retry")
	page = w.do(page, "retry")
	page = w.do(page, "go")
	c.reply(op.Refund, `{"statusCode":"00","data":{"refundId":"F1","amount":500}}`)
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "GIVE CASH ₹512.50")
	webtest.HasNot(t, page, "do-retry")
	q := c.asked[len(c.asked)-1]
	if v := mustSee(t, c, q.ID); v.Cash() != edge.CashDue || q.Consent != edge.RefundRule || transfer == "" {
		t.Errorf("the cash of the refund is %q", v.Cash())
	}
}

// TestCashThatWentBackAlready: of a flow that an older program kept, the customer
// has the cash; it is not given again.
func TestCashThatWentBackAlready(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	page, _ := w.returned(c)
	w.do(w.do(page, "refund"), "go")
	r := c.rooms[0]
	r.store.mu.Lock()
	f := r.store.flows[0]
	f.CashBack = true
	err := r.store.put(f)
	r.store.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	page = w.Get(w.at, 200)
	webtest.Has(t, page, "The customer has the cash already: give no more")
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "Refund closed")
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

func (w *walker) words() *words.Words {
	book, err := words.Load(told.Catalogue())
	if err != nil {
		w.T.Fatal(err)
	}
	return book.In(words.English)
}

func TestFromATransfersOperationToItsRefund(t *testing.T) {
	c, s := newCounter(), &shelf{}
	w := enter(t, c, s)
	page, transfer := w.returned(c)
	if to := w.Post("/send/of/"+string(transfer), 303); to != w.at {
		t.Errorf("a flow that stands at the transfer is at %s, not %s", w.at, to)
	}
	w.do(page, "refund")
	if to := w.Post("/send/of/"+string(transfer), 303); to != w.at {
		t.Errorf("a flow that stands at the refund is at %s, not %s", w.at, to)
	}
	w.Post(w.at+"/forget", 303)

	again := enter(t, c, s)
	again.Get("/send", 200)
	again.at = again.Post("/send/of/"+string(transfer), 303)
	if again.at == w.at {
		t.Fatal("the flow was not ended")
	}
	page = again.Get(again.at, 200)
	says(t, page, "The transfer came back")
	webtest.Has(t, page, "Asha Patil", "Mohan Lal", "₹500.00", "do-refund")
	webtest.HasNot(t, page, "do-sender", "do-retry")
	again.Post(again.at+"/sender", 404, "turn", turn(page))
	page = again.do(page, "refund")
	page = again.do(page, "go")
	page = again.do(page, "go", "otp", "1234")
	says(t, page, "GIVE CASH ₹512.50")
	if q := c.asked[len(c.asked)-1]; !strings.Contains(string(q.Fields), `"refId":"`+string(transfer)+`","transactionId":"T1"`) {
		t.Errorf("%s %s", q.Route, q.Fields)
	}

	again.Post("/send/of/"+string(c.asked[len(c.asked)-1].ID), 404)
	again.Post("/send/of/nothing", 404)
	unknown, _ := op.NewID(strings.NewReader(strings.Repeat("x", 64)))
	again.Post("/send/of/"+string(unknown), 404)
}

func TestATransferThatCameBackIsRefunded(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	c.replies[op.Transfer] = `{"statusCode":"00","data":{"transactionId":"T3","amount":500,"status":"PENDING"}}`
	page, transfer := w.sends(c)
	webtest.HasNot(t, page, "do-refund")
	c.returns(transfer)
	page = w.Get(w.at, 200)
	says(t, page, "The transfer came back")
	webtest.HasNot(t, page, "do-retry")
	says(t, w.do(page, "refund"), "Refund")
}

// TestATransferThatTheCentralRefused: nothing was sent, and it is not told as
// a bank that was not reached.
func TestATransferThatTheCentralRefused(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	_, transfer := w.sends(c)
	c.mu.Lock()
	v := c.known[transfer]
	v.State, v.Stage, v.HTTP, v.Reply = op.Failed, edge.StageNone, 400, []byte(`{"statusCode":"02","message":"Invalid request body"}`)
	v.Result = message.ReadResult(v.HTTP, v.Reply)
	c.known[transfer] = v
	c.mu.Unlock()
	page := w.Get(w.at, 200)
	says(t, page, "Money not sent")
	webtest.Has(t, page, "It was refused before anything was sent. No money moved.", "Something in this form is not accepted.", "do-retry")
	webtest.HasNot(t, page, "not reached", "do-refund")
}

// TestRefusals: why a step went no further is said in every language, and
// nobody's English in another.
func TestRefusals(t *testing.T) {
	book, err := words.Load(words.Catalogue{Room: "send", Files: files}, told.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	view := func(state op.State, http int, reply string) edge.View {
		v := edge.View{Record: edge.Record{State: state, HTTP: http, Reply: []byte(reply), Reason: "English."}}
		v.Result = message.ReadResult(http, []byte(reply))
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
	for _, l := range words.Languages() {
		w := book.In(l.Code)
		heard := map[string]string{}
		for name, v := range cases {
			f := flow{Step: Amount}
			f.refused(v)
			got := trouble(w, f)
			if got == "" || strings.Contains(got, "send.") || strings.Contains(got, "{") || (strings.Contains(got, "English.") != (l.Code == words.English)) {
				t.Errorf("%s %s: %q", l.Code, name, got)
			}
			if other, twice := heard[got]; twice && !strings.Contains(name+other, "sent") {
				t.Errorf("%s: %s and %s say the same: %q", l.Code, name, other, got)
			}
			heard[got] = name
		}
		for _, code := range []string{"link", "disk", "revoked", "clock", "session", "busy", "number"} {
			f := flow{Step: Amount}
			f.precluded(&edge.PrecludedError{Code: code, Message: "English."})
			if got := trouble(w, f); got == "" || strings.Contains(got, "precluded") || (got == "English.") != (l.Code == words.English) {
				t.Errorf("%s %s: %q", l.Code, code, got)
			}
		}
	}
}

func TestWhatTheCounterRefusesOfAForm(t *testing.T) {
	f := flow{To: account{Name: "123412341234"}}
	got := f.drafted(&edge.DraftError{Fields: []edge.FieldError{
		{Field: "title", Message: "M"}, {Field: "amount", Message: "M"}, {Field: "otp", Message: "M"}, {Field: "city", Message: "M"}, {Field: "aadhaar", Message: "M"},
	}})
	want := formErrors{"receivername": "send.text.wrong", "amount": boundsWrong, "otp": "send.otp.missing", "city": "send.missing", "aadhaar": "send.aadhaar.wrong"}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %q, want %q", name, got[name], want[name])
		}
	}
}

// TestAnAadhaarNumberInTheWrongFieldIsNotKept, nor is it sent back.
func TestAnAadhaarNumberInTheWrongFieldIsNotKept(t *testing.T) {
	c, s := newCounter(), &shelf{}
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	w := enter(t, c, s)
	page := w.find("9876543210")
	for _, fields := range [][]string{
		{"name", "9999 4105 7058", "city", "Pune", "state", "MH"}, {"name", "Asha", "city", "Pune 9999-4105-7058", "state", "MH"},
		{"name", "Asha", "city", "Pune", "state", strings.Repeat("x", 101)},
	} {
		webtest.Has(t, w.Post(w.at+"/go", 422, append([]string{"turn", turn(page)}, fields...)...), "no Aadhaar number")
	}
	if kept := string(s.values[cacheName]); strings.Contains(kept, "4105") {
		t.Error("it is kept: " + kept)
	}
	if n := c.times(op.CustomerOnboarding); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

// TestNothingIsLostThatTheCounterRefuses: why nothing began stands on the page,
// and what was typed with it.
func TestNothingIsLostThatTheCounterRefuses(t *testing.T) {
	c := newCounter()
	c.refuse = map[op.RouteID]error{op.TransferCharges: &edge.PrecludedError{Code: "revoked", Message: "Revoked."}}
	w := enter(t, c, &shelf{})
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(page, "go", "amount", "500")
	webtest.Has(t, page, "Revoked.", `value="500"`)
}

// TestAccountNumbersKeepTheirZeros: what the number has lost, another account
// may have.
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
