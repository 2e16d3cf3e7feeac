package send

import (
	"strings"
	"testing"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/message"
	"galla/edge/web/webtest"
	"galla/shared/money"
	"galla/shared/op"
)

// asks gives the last request of a route.
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

// becomes gives an operation another outcome.
func (c *counter) becomes(id op.ID, state op.State, reply string, alter func(*edge.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.known[id]
	v.State, v.Reply, v.Result = state, []byte(reply), message.ReadResult(200, []byte(reply))
	if alter != nil {
		alter(&v)
	}
	c.known[id] = v
}

// TestTheChargeIsKeptWithTheTransfer: the charge that the customer was told, and
// the number to find the transfer by, go into its record.
func TestTheChargeIsKeptWithTheTransfer(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	w.sends(c)
	if q := c.lastOf(t, op.Transfer); q.Charge != 12_50 || q.Mobile != "9876543210" {
		t.Errorf("the transfer was asked for with a charge of %s, of %q", q.Charge, q.Mobile)
	}
}

// TestWhatCameBackComesWithItsCharge: the bank takes none for it.
func TestWhatCameBackComesWithItsCharge(t *testing.T) {
	c := newCounter()
	w := enter(t, c, &shelf{})
	page, _ := w.returned(c)
	page = w.do(w.do(page, "refund"), "go")
	webtest.Has(t, page, "₹512.50")
	page = w.do(page, "go", "otp", "2222")
	says(t, page, "GIVE CASH ₹512.50")
	q := c.lastOf(t, op.Refund)
	if q.Amount != 500_00 || q.Charge != 12_50 || q.Mobile != "9876543210" {
		t.Errorf("the refund was asked for with %s and a charge of %s, of %q", q.Amount, q.Charge, q.Mobile)
	}
	// Nothing has left the drawer before somebody says so.
	for _, e := range cashbook.Of(mustSee(t, c, q.ID).Record) {
		if e.Flow != cashbook.Unconfirmed || e.Amount != 512_50 {
			t.Errorf("the drawer has %+v", e)
		}
	}
}

// TestKeptCashGoesBackOnce: a transfer that failed after the agent was told to keep
// its cash asks whether it went back; another attempt is paid with it.
func TestKeptCashGoesBackOnce(t *testing.T) {
	for _, act := range []string{"cash", "retry"} {
		c := newCounter()
		w := enter(t, c, &shelf{})
		page, id := w.sends(c)
		webtest.HasNot(t, page, "do-cash")
		c.becomes(id, op.Failed, `{"statusCode":"91","message":"ISSUER NOT AVAILABLE","data":{"transactionId":"T1"}}`, func(v *edge.View) { v.CashKept, v.Charge = true, 12_50 })
		page = w.Get(w.at, 200)
		webtest.Has(t, page, "do-cash", "Cash given back: ₹512.50")
		page = w.do(page, act)
		if strings.Contains(page, "do-cash") {
			t.Errorf("after %s the page asks for it again", act)
		}
		c.mu.Lock()
		v := c.known[id]
		c.mu.Unlock()
		if v.CashGiven.IsZero() || v.CashByID != edge.AgentID {
			t.Errorf("after %s nobody gave the cash back: %+v", act, v.Record)
		}
	}
}

// TestARefusedPasswordKeepsNoCash: the customer is there, and the cash with them.
func TestARefusedPasswordKeepsNoCash(t *testing.T) {
	c := newCounter()
	c.replies[op.Transfer] = `{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":500,"status":"FAILED"}}`
	w := enter(t, c, &shelf{})
	page, _ := w.sends(c)
	webtest.HasNot(t, page, "do-cash", "do-refund")
	webtest.Has(t, page, "otherwise give it back")
}

// TestTheFeeOfARegistration is told before any other cash.
func TestTheFeeOfARegistration(t *testing.T) {
	c := newCounter()
	c.replies[op.RemitterDetails] = `{"statusCode":"01","message":"sender not found"}`
	c.replies[op.RemitterRegister] = `{"statusCode":"00","data":{"senderid":"5b8f","registrationFeeCharged":10}}`
	c.before = func(q edge.Request) {
		if q.Route == op.RemitterRegister {
			c.replies[op.RemitterDetails] = details
		}
	}
	w := enter(t, c, &shelf{})
	page := w.find("9876543210")
	webtest.Has(t, page, "registration fee of ₹10.00", "Registration fee")
}

// TestPaiseAreRefusedAtTheForm, in words of every language (package told).
func TestPaiseAreRefusedAtTheForm(t *testing.T) {
	c := newCounter()
	c.bounds = &edge.Bounds{Min: 1_00, Step: money.Rupee}
	w := enter(t, c, &shelf{})
	page := w.do(w.find("9876543210"), "pay", "payee", "7")
	reply, body := w.Do(w.Form(w.at+"/go", "turn", turn(page), "amount", "500.50"))
	if reply.StatusCode != 422 || !strings.Contains(body, "Enter whole rupees: cash has no paise.") {
		t.Errorf("HTTP %d\n%s", reply.StatusCode, body)
	}
}
