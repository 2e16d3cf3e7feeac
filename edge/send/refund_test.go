package send

import (
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

func TestARefundIsTriedAgainWithoutGivingTheCashTwice(t *testing.T) {
	c := newCounter()
	c.replies[op.Refund] = `{"statusCode":"55","message":"INVALID OTP"}`
	w := enter(t, c, &shelf{})
	page, transfer := w.sends(c)
	page = w.do(page, "refund")
	page = w.do(page, "go")
	webtest.Has(t, page, "Give the cash to the customer now", `name="cash"`)
	page = w.do(page, "go", "otp", "1111", "cash", "yes")
	webtest.Has(t, page, "Refund not accepted", "The one-time password is wrong", "do-retry")
	page = w.do(page, "retry")
	page = w.do(page, "go")
	webtest.Has(t, page, "The customer has the cash already: give no more")
	webtest.HasNot(t, page, `name="cash"`, "Give the cash to the customer now")
	c.replies[op.Refund] = `{"statusCode":"00","data":{"refundId":"F1","amount":500}}`
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "Refund closed")
	webtest.HasNot(t, page, "do-retry")

	// The next transfer of the same flow begins with a clean slate.
	page = w.do(w.do(page, "sender"), "pay", "payee", "7")
	page = w.do(w.do(page, "go", "amount", "500"), "go")
	page = w.do(w.do(w.do(page, "go", "otp", "123456"), "refund"), "go")
	webtest.Has(t, page, `name="cash"`)
	if c.asked[len(c.asked)-1].Route != op.RefundOTP || transfer == "" {
		t.Errorf("%+v", c.asked[len(c.asked)-1])
	}
}

func TestFromATransfersOperationToItsRefund(t *testing.T) {
	c, s := newCounter(), &shelf{}
	w := enter(t, c, s)
	page, transfer := w.sends(c)
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
	says(t, page, "Money sent")
	webtest.Has(t, page, "Asha Patil", "Mohan Lal", "₹500.00", "do-refund")
	webtest.HasNot(t, page, "do-sender", "do-retry")
	again.Post(again.at+"/sender", 404, "turn", turn(page))
	page = again.do(page, "refund")
	page = again.do(page, "go")
	webtest.Has(t, page, "once only", `name="cash"`)
	page = again.do(page, "go", "otp", "1234", "cash", "yes")
	says(t, page, "Refund closed")
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
	c.mu.Lock()
	v := c.known[transfer]
	v.State = op.Reversed
	c.known[transfer] = v
	c.mu.Unlock()
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
	webtest.Has(t, page, "It was refused before anything was sent. No money moved.", "Compare every field", "do-retry")
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
