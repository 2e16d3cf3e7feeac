package sim

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/central/bank/simbank"
	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// cashierModel is an agent with a drawer of notes. The screens say what goes in and
// out, one customer after the other.
type cashierModel struct {
	agent
	expectedCash money.Paise
	cut          bool                  // the connection breaks at this customer's transfer
	customerCash map[op.ID]money.Paise // a customer's cash that the screen said to keep
	fees         map[op.ID]money.Paise // the charge that the screen showed the customer of a transfer
}

// customerRequest is what one customer of a cashier wants.
type customerRequest struct {
	kind  string
	paise money.Paise // the bank's scenario
	wrong bool        // the first one-time password
	cut   bool        // the connection broke when the OTP was given
	nth   int         // of the transfers, for a refund
}

// lastsLong is longer than the bank, the central and the counter take to report a final
// or pending state.
const lastsLong = 10 * time.Minute

// withdraw gives the cash if the bank has paid while the customer waits.
func (c *cashierModel) withdraw(ctx context.Context, route op.RouteID, amount money.Paise) {
	daemon := c.counter.daemon()
	aadhaar, err := secret.ParseAadhaar(customer)
	if err != nil {
		c.system.violation("the customer: %v", err)
		return
	}
	v, err := daemon.Start(edge.Request{
		Route: route, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: customerIIN, Amount: amount, Consent: "en-1", User: "Fatima", UserID: edge.AgentID,
	})
	if err == nil {
		err = daemon.Capture(v.ID)
	}
	if err == nil {
		v, err = daemon.Await(ctx, v.ID)
	}
	if err != nil {
		c.system.violation("%s of %s: %v", route, amount, err)
		return
	}
	if v.Verdict() == edge.VerdictGive {
		c.giveCash(v.Record)
	}
}

// giveCash hands over the cash of a withdrawal or a refund, and confirms it.
func (c *cashierModel) giveCash(r edge.Record) {
	if err := c.counter.daemon().ConfirmCash(r.ID, edge.User{ID: edge.AgentID, Name: "Fatima"}); err != nil {
		c.system.violation("cash of %s can't be confirmed: %v", r.ID, err)
	}
	c.expectedCash -= cashbook.Payable(r)
}

// call makes one request and waits for its outcome.
func (c *cashierModel) call(ctx context.Context, q edge.Request, fields map[string]any) (edge.View, bool) {
	raw, err := json.Marshal(fields)
	if err != nil {
		c.system.violation("write %s: %v", q.Route, err)
		return edge.View{}, false
	}
	q.Fields, q.Title, q.User, q.UserID = raw, "sim", "Fatima", edge.AgentID
	v, err := c.counter.daemon().Start(q)
	if err == nil && c.cut && q.Route == op.Transfer {
		synctest.Wait()
		c.system.network.disconnectPart(c.counter.name)
	}
	if err == nil {
		v, err = c.counter.daemon().Await(ctx, v.ID)
	}
	for up := 0; up < 60 && !c.counter.daemon().Status().Link.Online; up++ {
		time.Sleep(time.Second)
	}
	if err != nil {
		c.system.violation("%s: %v", q.Route, err)
	}
	return v, err == nil
}

// transfer takes amount and charge, and sends them: once more after a wrong one-time
// password, with the same cash.
func (c *cashierModel) transfer(ctx context.Context, amount money.Paise, wrong bool) {
	p, rupees := c.system.snapshot.payee, json.Number(amount.String())
	reply, ok := c.call(ctx, edge.Request{Route: op.TransferCharges}, map[string]any{"senderId": p.Sender, "amount": rupees})
	if !ok {
		return
	}
	charge, err := money.Parse(reply.ReplyValue("charge"))
	if err != nil || charge <= 0 {
		c.system.violation("the charge of %s is %q: %v", amount, reply.ReplyValue("charge"), err)
		return
	}
	c.expectedCash += amount + charge
	for range 2 {
		if _, ok := c.call(ctx, edge.Request{Route: op.TransferOTP}, p.fields("amount", rupees)); !ok {
			return
		}
		otp := c.otp(payer)
		if wrong {
			otp = secret.NewOTP("000000")
		}
		v, ok := c.call(ctx, edge.Request{Route: op.Transfer, OTP: otp, Charge: charge, Mobile: payer},
			p.fields("amount", rupees, "BeneficiaryId", p.Beneficiary, "account_holder_name", "Ravi Kapoor"))
		if !ok {
			return
		}
		c.fees[v.ID] = charge
		switch v.State {
		case op.Succeeded:
			return
		case op.Pending:
			c.customerCash[v.ID] = amount + charge
			return
		case op.Reversed: // it waits for its refund
			return
		}
		if v.OwesCashBack() { // the screen said to keep the cash, and the customer is still here
			if err := c.counter.daemon().ConfirmCash(v.ID, edge.User{ID: edge.AgentID, Name: "Fatima"}); err != nil {
				c.system.violation("the cash of transfer %s can't be given back: %v", v.ID, err)
			}
		}
		if !wrong {
			break
		}
		wrong = false
	}
	c.expectedCash -= amount + charge // it was refused, and goes straight back
}

// refund gives a transfer back: the cash follows the bank's answer.
func (c *cashierModel) refund(ctx context.Context, nth int) {
	views, err := c.counter.daemon().Recent("", 200)
	if err != nil {
		c.system.violation("the operations can't be listed: %v", err)
	}
	var sent []edge.View
	for _, v := range views {
		if v.Route == op.Transfer && (v.State == op.Succeeded || v.State == op.Reversed) {
			sent = append(sent, v)
		}
	}
	if len(sent) == 0 {
		return
	}
	of := sent[nth%len(sent)]
	reference := of.ReplyValue("transactionId")
	if v, ok := c.call(ctx, edge.Request{Route: op.RefundOTP}, map[string]any{"refereanceId": reference}); !ok || v.Result.StatusCode != "00" {
		return // it is refunded already
	}
	amount, charge := cashbook.RefundAmounts(of.Record)
	v, ok := c.call(ctx, edge.Request{Route: op.Refund, OTP: c.otp(payer), Amount: amount, Charge: charge, Mobile: payer, Consent: edge.RefundCashAfter},
		map[string]any{"transactionId": reference, "refId": string(of.ID)})
	if ok && v.Verdict() == edge.VerdictGive {
		c.giveCash(v.Record)
	}
}

// lateCash serves customers who left while the bank had not answered: withdrawals that
// were paid late are handed over, and cash of failed transfers goes back.
func (c *cashierModel) lateCash() {
	views, err := c.counter.daemon().Recent("", 200)
	if err != nil {
		c.system.violation("the operations can't be listed: %v", err)
	}
	for _, v := range views {
		switch held := c.customerCash[v.ID]; {
		case v.Verdict() == edge.VerdictGive && v.CashGivenAt.IsZero():
			c.giveCash(v.Record)
		case held > 0 && v.State.Final():
			delete(c.customerCash, v.ID)
			if due := cashbook.OwedBack(v.Record); due > 0 && v.State != op.Reversed { // a returned transfer's cash follows its refund
				c.expectedCash -= held
				if err := c.counter.daemon().ConfirmCash(v.ID, edge.User{ID: edge.AgentID, Name: "Fatima"}); err != nil || due != held {
					c.system.violation("%s of transfer %s are due, %s were kept: %v", due, v.ID, held, err)
				}
			} else if v.State == op.Failed || v.State == op.NotSent {
				c.system.violation("transfer %s is %s, its customer's %s are here, and nobody says so", v.ID, v.State, held)
			}
		}
	}
}

// run serves one customer.
func (c *cashierModel) run(ctx context.Context, e customerRequest, rupees money.Paise) {
	ctx, cancel := context.WithTimeout(ctx, lastsLong)
	defer cancel()
	c.cut = e.cut
	switch e.kind {
	case "withdraw":
		c.withdraw(ctx, op.Withdrawal, rupees+e.paise)
	case "pay":
		c.withdraw(ctx, op.Purchase, rupees+e.paise)
	case "send":
		c.transfer(ctx, rupees+e.paise, e.wrong)
	case "refund":
		c.refund(ctx, e.nth)
	case "back":
		c.lateCash()
	case "close":
		c.closeDay()
	}
}

// dayend is the cashbook of the cashier's counter.
func (c *cashierModel) dayend() *cashbook.Book {
	book, err := cashbook.New(c.counter.queue, cashbook.Config{
		Now: c.counter.now, Offset: func() time.Duration { return -c.counter.offset() }, Cash: func() []edge.Record { return c.counter.daemon().Status().OpenCash },
	})
	if err != nil {
		c.system.violation("the cashbook: %v", err)
	}
	return book
}

// closeDay closes today, if it is open; unanswered cash is given first.
func (c *cashierModel) closeDay() {
	book := c.dayend()
	day := book.Today()
	if _, closed, err := book.Closed(day); closed || err != nil {
		return
	}
	k, err := book.Summarize(day)
	if err == nil && len(k.UnansweredCash) > 0 {
		var asking *cashbook.UnansweredCashError
		if _, err := book.Close(day, "Fatima", nil, "not counted", nil); !errors.As(err, &asking) {
			c.system.violation("%s is closed with unanswered cash: %v", day, err)
		}
		c.lateCash()
	}
	acknowledged, openErr := book.UnfinishedIDs()
	if _, closeErr := book.Close(day, "Fatima", nil, "not counted", acknowledged); err != nil || openErr != nil || closeErr != nil {
		c.system.violation("%s is not closed: %v, %v, %v", day, err, openErr, closeErr)
	}
}

// checkClosedDay compares a closed day with its closing.
func (c *cashierModel) checkClosedDay(book *cashbook.Book, k cashbook.Summary) {
	kept, closed, err := book.Closed(k.Day)
	if err != nil {
		c.system.violation("the closing of %s: %v", k.Day, err)
	}
	if closed && kept.Expected != k.Expected {
		c.system.violation("%s was closed over %s, and is now %s by %+v", k.Day, kept.Expected, k.Expected, k.Lines)
	}
}

// dayEndTotals is what the cashbook says came in and went out on all days of the story.
func (c *cashierModel) dayEndTotals(t *testing.T) (sum money.Paise) {
	book := c.dayend()
	for day := book.Today().Add(-2); day <= book.Today().Add(1); day = day.Add(1) { // what follows a closing is the next day's
		k, err := book.Summarize(day)
		if err != nil || k.Expected != k.Opening+k.In-k.Out {
			t.Errorf("the summary of %s: %+v, %v", day, k, err)
		}
		c.checkClosedDay(book, k)
		sum += k.In - k.Out
	}
	return sum
}

// expectedFromBank is what the drawer must hold by the bank's books: what customers'
// accounts paid out, what was sent with its charge, and what was refunded.
func (c *cashierModel) expectedFromBank(t *testing.T) (sum money.Paise) {
	executions, err := c.system.bank.Executions(context.Background(), simbank.Filter{To: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	books := map[central.Reference]simbank.Execution{}
	for _, e := range executions {
		books[central.Reference(e.Reference)] = e
	}
	list, err := c.system.nodes[0].store.LatestOperations(context.Background(), c.counter.merchant, maxPerMerchant)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		e := books[o.Reference]
		moved := e.Status == simbankExecuted || e.Status == simbankReversed
		switch charge := c.fees[op.ID(o.Identity)]; {
		case o.Kind == central.KindWithdrawal && e.Status == simbankExecuted:
			sum -= e.Amount
		case o.Kind == central.KindTransfer && moved:
			if e.Status == simbankExecuted && o.Charge != charge {
				t.Errorf("the customer of transfer %s paid a charge of %s, and the bank took %s", o.Identity, charge, o.Charge)
			}
			sum += e.Amount + charge
		case o.Kind == central.KindRefund && e.Status == simbankExecuted:
			sum -= e.Amount
			if books[o.Original].Status == simbankReversed { // the bank gave its charge back
				for _, of := range list {
					if of.Reference == o.Original {
						sum -= c.fees[op.ID(of.Identity)]
					}
				}
			}
		}
	}
	return sum
}

// TestCashDrawer checks, whatever customers want, whatever the bank does and whenever
// the day is closed, that the cashbook's expected cash, the agent's notes and the
// bank's books agree.
func TestCashDrawer(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := scratch(t)
	b := newSnapshot(t, dir)
	errands := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) customerRequest {
		return customerRequest{
			kind:  rapid.SampledFrom([]string{"withdraw", "withdraw", "pay", "send", "send", "send", "refund", "refund", "back", "close"}).Draw(t, "what"),
			paise: rapid.SampledFrom([]money.Paise{0, 0, 0, 5, 51, 97, 98, 99, 96, 94, 93}).Draw(t, "paise"),
			wrong: rapid.IntRange(0, 3).Draw(t, "wrong password") == 0,
			cut:   rapid.IntRange(0, 4).Draw(t, "cut") == 0,
			nth:   rapid.IntRange(0, 9).Draw(t, "nth"),
		}
	}), 4, 14)
	done, cuts := map[string]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		list := errands.Draw(rt, "errands")
		plot := func(s *story, ctx context.Context) {
			c := &cashierModel{agent: s.agentOf(0), customerCash: map[op.ID]money.Paise{}, fees: map[op.ID]money.Paise{}}
			for i, e := range list {
				c.run(ctx, e, money.Paise(200+i)*money.Rupee)
				done[e.kind]++
				if e.cut && e.kind == "send" {
					cuts++
				}
			}
			s.waitUntilIdle()
			c.lateCash()
			if here, books := c.dayEndTotals(t), c.expectedFromBank(t); here != c.expectedCash || books != c.expectedCash {
				s.violation("the cashbook expects %s, the drawer holds %s, and the books say %s", here, c.expectedCash, books)
			}
		}
		if _, complaints := runStory(t, 1, b, dir, setup{1, 1, plot}); len(complaints) > 0 {
			rt.Fatalf("%v: %v", list, complaints)
		}
	})
	t.Logf("errands: %v, and the connection was cut in %d transfers", done, cuts)
}
