package dmt

import (
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/api"
	"galla/edge/cashbook"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// lastOf returns the last request of a route.
func (c *counter) lastOf(t *testing.T, route op.RouteID) edge.Request {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.asked) - 1; i >= 0; i-- {
		if c.asked[i].Route == route {
			return c.asked[i]
		}
	}
	t.Fatalf("%s was not asked", route)
	return edge.Request{}
}

// setOutcome returns an operation another outcome.
func (c *counter) setOutcome(id op.ID, state op.State, reply string, alter func(*edge.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[id]
	v.State, v.Reply, v.Result = state, []byte(reply), api.ParseResult(200, []byte(reply))
	if alter != nil {
		alter(&v)
	}
	c.known[id] = v
}

// TestTheChargeIsKeptWithTheTransfer: the charge that the customer was shown, and the
// number to find the transfer by, are in its record.
func TestTheChargeIsKeptWithTheTransfer(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	w.sends(c)
	if q := c.lastOf(t, op.Transfer); q.Charge != 12_50 || q.Mobile != "9876543210" {
		t.Errorf("the transfer was asked for with a charge of %s, of %q", q.Charge, q.Mobile)
	}
}

// TestWhatCameBackComesWithItsCharge: the bank takes none for it.
func TestWhatCameBackComesWithItsCharge(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, _ := w.returned(c)
	page = w.do(w.do(page, "refund"), "go")
	uitest.Contains(t, page, "₹512.50")
	page = w.do(page, "go", "otp", "2222")
	heading(t, page, "GIVE CASH ₹512.50")
	q := c.lastOf(t, op.Refund)
	if q.Amount != 500_00 || q.Charge != 12_50 || q.Mobile != "9876543210" {
		t.Errorf("the refund was asked for with %s and a charge of %s, of %q", q.Amount, q.Charge, q.Mobile)
	}
	// Nothing has left the drawer before somebody says so.
	for _, e := range cashbook.EntriesOf(mustSee(t, c, q.ID).Record) {
		if e.Flow != cashbook.Unconfirmed || e.Amount != 512_50 {
			t.Errorf("the drawer has %+v", e)
		}
	}
}

// kept brings a flow to a transfer that failed after its cash was kept.
func (w *walker) kept(c *counter) (string, op.ID) {
	w.T.Helper()
	page, id := w.sends(c)
	uitest.NotContains(w.T, page, "do-cash")
	c.setOutcome(id, op.Failed, `{"statusCode":"91","message":"ISSUER NOT AVAILABLE","data":{"transactionId":"T1"}}`, func(v *edge.View) {
		v.CashKept, v.Amount, v.Charge = true, 500_00, 12_50
	})
	page = w.Get(w.at, 200)
	uitest.Contains(w.T, page, "do-cash", "Cash given back: ₹512.50", "do-retry")
	return page, id
}

// TestKeptCashGoesBackOnce: a transfer that failed after its cash was kept asks whether
// the cash was returned.
func TestKeptCashGoesBackOnce(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, id := w.kept(c)
	page = w.do(page, "cash")
	uitest.NotContains(t, page, "do-cash")
	if v := mustSee(t, c, id); v.CashGivenAt.IsZero() || v.CashByID != edge.AgentID {
		t.Errorf("nobody gave the cash back: %+v", v.Record)
	}
}

// TestTryingAgainSaysNothingOfTheCash: it belongs to the failed transfer until the next
// attempt, which is paid with it, is recorded (edge.Request.CashFrom).
func TestTryingAgainSaysNothingOfTheCash(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, id := w.kept(c)
	due := func(when string) {
		t.Helper()
		if v := mustSee(t, c, id); v.Cash() != edge.CashDue || v.CashBy != "" {
			t.Errorf("%s the cash is %q, said by %q", when, v.Cash(), v.CashBy)
		}
	}
	page = w.do(page, "retry")
	due("after the key was pressed")
	uitest.Contains(t, page, "Here already, from the failed attempt", "₹512.50")
	page = w.do(page, "go")
	due("with the password asked for")
	c.refuse = map[op.RouteID]error{op.Transfer: &edge.PreconditionError{Code: edge.PreconditionLink}}
	page = w.do(page, "go", "otp", "123456")
	due("with the line down")
	uitest.Contains(t, page, "The counter is offline.", "Here already, from the failed attempt")
	c.refuse = nil
	w.do(page, "go", "otp", "123456")
	if q := c.lastOf(t, op.Transfer); q.CashFrom != id || q.ID == id {
		t.Errorf("the next attempt is paid from %q, want %q", q.CashFrom, id)
	}
	// A later transfer is paid anew.
	page = w.do(w.Get(w.at, 200), "sender")
	page = w.do(page, "pay", "payee", "7")
	page = w.do(w.do(page, "go", "amount", "500"), "go")
	w.do(page, "go", "otp", "123456")
	if q := c.lastOf(t, op.Transfer); q.CashFrom != "" {
		t.Errorf("another transfer is paid from %q", q.CashFrom)
	}
}

// TestAnotherSumIsPaidAnew: the kept cash is returned, and the page mentions none.
func TestAnotherSumIsPaidAnew(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	page, _ := w.kept(c)
	page = w.do(w.do(page, "retry"), "back")
	c.reply(op.TransferCharges, `{"statusCode":"00","data":{"charge":10,"totalAmount":310}}`)
	page = w.do(page, "go", "amount", "300")
	uitest.NotContains(t, page, "from the failed attempt")
}

const wrongOTPReply = `{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":500,"status":"FAILED"}}`

// TestAWrongOTPKeepsTheTransferOpen: a new OTP is offered first, the tries are counted,
// the counter sends nothing after the last one, and each try is an operation of its own.
func TestAWrongOTPKeepsTheTransferOpen(t *testing.T) {
	c, s := newCounter(), &memoryCache{}
	c.replies[op.Transfer] = wrongOTPReply
	w := login(t, c, s)
	page, first := w.sends(c)
	for try, left := range []string{"2 tries left with this OTP.", "1 try left with this OTP."} {
		heading(t, page, "OTP")
		uitest.Contains(t, page, "Wrong or expired OTP. Nothing was sent. Keep the cash while you try again; otherwise give it back. "+left, `name="otp"`)
		uitest.NotContains(t, page, "do-cash", "do-refund", "from the failed attempt")
		oneAdvice(t, page)
		if a, b := strings.Index(page, "do-resend"), strings.Index(page, "do-go"); a < 0 || b < a {
			t.Errorf("after %d tries a new OTP is not offered first", try+1)
		}
		if to := w.Post("/dmt/of/"+string(first), 303); try == 0 && to != w.at {
			t.Errorf("its operation leads to %s, want the open transfer", to)
		}
		page = w.do(page, "go", "otp", "111111")
	}
	uitest.Contains(t, page, "No tries left with this OTP. Send a new OTP.", "do-resend")
	uitest.NotContains(t, page, `name="otp"`, "do-go")
	page = w.do(page, "go", "otp", "111111")
	if n := c.times(op.Transfer); n != maxOTPTries {
		t.Errorf("%d transfers with one OTP, want %d", n, maxOTPTries)
	}
	page = w.do(page, "resend")
	heading(t, page, "OTP")
	uitest.NotContains(t, page, "Wrong or expired OTP")
	c.reply(op.Transfer, newCounter().replies[op.Transfer])
	heading(t, w.do(page, "go", "otp", "222222"), "Money sent")
	if n := c.times(op.TransferOTP); n != 2 {
		t.Errorf("%d OTPs were sent, want 2", n)
	}
}

// TestKeptCashPaysForTheTryAfterAWrongOTP: the bank's refusal came late, so the counter
// asked to keep the cash.
func TestKeptCashPaysForTheTryAfterAWrongOTP(t *testing.T) {
	c := newCounter()
	w := login(t, c, &memoryCache{})
	c.holdCalls(false)
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	page = w.do(w.do(page, "go", "amount", "500"), "go")
	c.holdCalls(true)
	w.do(page, "go", "otp", "111111")
	id := c.lastOf(t, op.Transfer).ID
	c.holdCalls(false)
	c.setOutcome(id, op.Failed, wrongOTPReply, func(v *edge.View) { v.CashKept = true })
	page = w.Get(w.at, 200)
	heading(t, page, "OTP")
	uitest.Contains(t, page, "Wrong or expired OTP", "from the failed attempt", "₹512.50")
	w.do(page, "go", "otp", "222222")
	if q := c.lastOf(t, op.Transfer); q.CashFrom != id || q.ID == id {
		t.Errorf("the next attempt is paid from %q, want %q", q.CashFrom, id)
	}
}

// TestAWrongOTPOfTheSender keeps the registration at its OTP.
func TestAWrongOTPOfTheSender(t *testing.T) {
	c := newCounter()
	c.replies[op.CustomerDetail] = `{"statusCode":"01","message":"Customer not found"}`
	c.replies[op.CustomerValidateOTP] = `{"statusCode":"55","message":"INVALID OTP"}`
	w := login(t, c, &memoryCache{})
	page := w.do(w.find("9876543210"), "go", "name", "Asha Patil", "city", "Pune", "state", "Maharashtra")
	page = w.do(page, "go", "otp", "111111")
	uitest.Contains(t, page, "Wrong or expired OTP. Nothing was changed. 2 tries left with this OTP.")
	uitest.NotContains(t, w.do(page, "resend"), "Wrong or expired OTP")
	if n := c.times(op.CustomerRequestOTP); n != 2 {
		t.Errorf("%d OTPs were sent, want 2", n)
	}
}

// TestTheRegistrationFee is shown before any other cash.
func TestTheRegistrationFee(t *testing.T) {
	c := newCounter()
	c.replies[op.RemitterDetails] = `{"statusCode":"01","message":"sender not found"}`
	c.replies[op.RemitterRegister] = `{"statusCode":"00","data":{"senderid":"5b8f","registrationFeeCharged":10}}`
	c.before = func(q edge.Request) {
		if q.Route == op.RemitterRegister {
			c.replies[op.RemitterDetails] = details
		}
	}
	w := login(t, c, &memoryCache{})
	page := w.find("9876543210")
	uitest.Contains(t, page, "registration fee of ₹10.00", "Registration fee")
}

// TestPaiseAreRefusedAtTheForm, in every language.
func TestPaiseAreRefusedAtTheForm(t *testing.T) {
	c := newCounter()
	c.bounds = &edge.Bounds{Min: 1_00, Step: money.Rupee}
	w := login(t, c, &memoryCache{})
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	reply, body := w.Do(w.Form(w.at+"/go", "turn", turn(page), "amount", "500.50"))
	if reply.StatusCode != 422 || !strings.Contains(body, "Enter whole rupees: cash has no paise.") {
		t.Errorf("HTTP %d\n%s", reply.StatusCode, body)
	}
}
