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
	"galla/edge/till"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// cashier is an agent with a drawer of notes: what goes in and out of it is what
// the screens say, one customer after the other.
type cashier struct {
	agent
	drawer money.Paise
	cut    bool                  // the line breaks at this customer's transfer
	kept   map[op.ID]money.Paise // a customer's cash of which the screen said: keep it
	fees   map[op.ID]money.Paise // the charge that the customer of a transfer was told
}

// errand is what one customer of a cashier wants.
type errand struct {
	what  string
	paise money.Paise // the bank's scenario
	wrong bool        // the first one-time password
	cut   bool        // the line breaks when it was given to it
	nth   int         // of the transfers, for a refund
}

// lastsLong is more than the bank, the central and the counter take to say
// something that is final or pending.
const lastsLong = 10 * time.Minute

// withdraws gives the cash where the bank has paid while the customer waits.
func (c *cashier) withdraws(ctx context.Context, route op.RouteID, amount money.Paise) {
	daemon := c.counter.daemon()
	aadhaar, err := secret.ParseAadhaar(customer)
	if err != nil {
		c.house.complain("the customer: %v", err)
		return
	}
	v, err := daemon.Begin(ctx, edge.Draft{
		Route: route, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: customerIIN, Amount: amount, Consent: "en-1", Operator: "Fatima", OperatorID: edge.AgentID,
	})
	if err == nil {
		err = daemon.Capture(v.ID)
	}
	if err == nil {
		v, err = daemon.Await(ctx, v.ID)
	}
	if err != nil {
		c.house.complain("%s of %s: %v", route, amount, err)
		return
	}
	if v.Verdict() == edge.VerdictGive {
		c.gives(v.Record)
	}
}

// gives hands the cash of a withdrawal or a refund over, and says so.
func (c *cashier) gives(r edge.Record) {
	if err := c.counter.daemon().ConfirmCash(r.ID, edge.Operator{ID: edge.AgentID, Name: "Fatima"}); err != nil {
		c.house.complain("cash of %s can't be confirmed: %v", r.ID, err)
	}
	c.drawer -= cashbook.Payable(r)
}

// asks makes one call and waits for what is said of it.
func (c *cashier) asks(ctx context.Context, q edge.Request, fields map[string]any) (edge.View, bool) {
	raw, err := json.Marshal(fields)
	if err != nil {
		c.house.complain("write %s: %v", q.Route, err)
		return edge.View{}, false
	}
	q.Fields, q.Title, q.Operator, q.OperatorID = raw, "sim", "Fatima", edge.AgentID
	v, err := c.counter.daemon().Perform(ctx, q)
	if err == nil && c.cut && q.Route == op.Transfer {
		synctest.Wait()
		c.house.network.sever(c.counter.name)
	}
	if err == nil {
		v, err = c.counter.daemon().Await(ctx, v.ID)
	}
	for up := 0; up < 60 && !c.counter.daemon().Status().Link.Up; up++ {
		time.Sleep(time.Second)
	}
	if err != nil {
		c.house.complain("%s: %v", q.Route, err)
	}
	return v, err == nil
}

// sends takes amount and charge, and sends them: once more where the one-time
// password was wrong, with the same cash.
func (c *cashier) sends(ctx context.Context, amount money.Paise, wrong bool) {
	p, rupees := c.house.base.payee, json.Number(amount.String())
	told, ok := c.asks(ctx, edge.Request{Route: op.TransferCharges}, map[string]any{"senderId": p.Sender, "amount": rupees})
	if !ok {
		return
	}
	charge, err := money.Parse(told.Value("charge"))
	if err != nil || charge <= 0 {
		c.house.complain("the charge of %s is %q: %v", amount, told.Value("charge"), err)
		return
	}
	c.drawer += amount + charge
	for range 2 {
		if _, ok := c.asks(ctx, edge.Request{Route: op.TransferOTP}, p.fields("amount", rupees)); !ok {
			return
		}
		otp := c.otp(payer)
		if wrong {
			otp = secret.NewOTP("000000")
		}
		v, ok := c.asks(ctx, edge.Request{Route: op.Transfer, OTP: otp, Charge: charge, Mobile: payer},
			p.fields("amount", rupees, "BeneficiaryId", p.Beneficiary, "account_holder_name", "Ravi Kapoor"))
		if !ok {
			return
		}
		c.fees[v.ID] = charge
		switch v.State {
		case op.Succeeded:
			return
		case op.Pending:
			c.kept[v.ID] = amount + charge
			return
		case op.Reversed: // it waits for its refund
			return
		}
		if v.Returns() { // the screen said to keep the cash, and its customer is still here
			if err := c.counter.daemon().ConfirmCash(v.ID, edge.Operator{ID: edge.AgentID, Name: "Fatima"}); err != nil {
				c.house.complain("the cash of transfer %s can't be given back: %v", v.ID, err)
			}
		}
		if !wrong {
			break
		}
		wrong = false
	}
	c.drawer -= amount + charge // it was refused, and goes straight back
}

// refunds gives a transfer back: the cash follows the bank's word.
func (c *cashier) refunds(ctx context.Context, nth int) {
	views, err := c.counter.daemon().Recent("", 200)
	if err != nil {
		c.house.complain("the operations can't be listed: %v", err)
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
	reference := of.Value("transactionId")
	if v, ok := c.asks(ctx, edge.Request{Route: op.RefundOTP}, map[string]any{"refereanceId": reference}); !ok || v.Result.StatusCode != "00" {
		return // it is refunded already
	}
	amount, charge := cashbook.Back(of.Record)
	v, ok := c.asks(ctx, edge.Request{Route: op.Refund, OTP: c.otp(payer), Amount: amount, Charge: charge, Mobile: payer, Consent: edge.RefundRule},
		map[string]any{"transactionId": reference, "refId": string(of.ID)})
	if ok && v.Verdict() == edge.VerdictGive {
		c.gives(v.Record)
	}
}

// comesBack is who left while the bank had not answered: withdrawals that were
// paid late are handed over, and cash of transfers that failed goes back.
func (c *cashier) comesBack() {
	views, err := c.counter.daemon().Recent("", 200)
	if err != nil {
		c.house.complain("the operations can't be listed: %v", err)
	}
	for _, v := range views {
		switch held := c.kept[v.ID]; {
		case v.Verdict() == edge.VerdictGive && v.CashGiven.IsZero():
			c.gives(v.Record)
		case held > 0 && v.State.Final():
			delete(c.kept, v.ID)
			if due := cashbook.Due(v.Record); due > 0 && v.State != op.Reversed { // what came back follows its refund
				c.drawer -= held
				if err := c.counter.daemon().ConfirmCash(v.ID, edge.Operator{ID: edge.AgentID, Name: "Fatima"}); err != nil || due != held {
					c.house.complain("%s of transfer %s are due, %s were kept: %v", due, v.ID, held, err)
				}
			} else if v.State == op.Failed || v.State == op.NotSent {
				c.house.complain("transfer %s is %s, its customer's %s are here, and nobody says so", v.ID, v.State, held)
			}
		}
	}
}

// does is one errand.
func (c *cashier) does(ctx context.Context, e errand, rupees money.Paise) {
	ctx, cancel := context.WithTimeout(ctx, lastsLong)
	defer cancel()
	c.cut = e.cut
	switch e.what {
	case "withdraw":
		c.withdraws(ctx, op.Withdrawal, rupees+e.paise)
	case "pay":
		c.withdraws(ctx, op.Purchase, rupees+e.paise)
	case "send":
		c.sends(ctx, rupees+e.paise, e.wrong)
	case "refund":
		c.refunds(ctx, e.nth)
	case "back":
		c.comesBack()
	case "close":
		c.closes()
	}
}

// room is the till of the cashier's counter.
func (c *cashier) room() *till.Till {
	room, err := till.New(c.counter.queue, till.Config{
		Now: c.counter.now, Offset: func() time.Duration { return -c.counter.offset() }, Cash: func() []edge.Record { return c.counter.daemon().Status().Cash },
	})
	if err != nil {
		c.house.complain("the till: %v", err)
	}
	return room
}

// closes closes today, if it is open; where cash asks, it is given first.
func (c *cashier) closes() {
	room := c.room()
	day := room.Today()
	if _, closed, err := room.Closed(day); closed || err != nil {
		return
	}
	k, err := room.Reckon(day)
	if err == nil && len(k.Asking) > 0 {
		var asking *till.AskingError
		if _, err := room.Close(day, "Fatima", nil, "not counted", nil); !errors.As(err, &asking) {
			c.house.complain("%s is closed over cash that asks: %v", day, err)
		}
		c.comesBack()
	}
	acknowledged, openErr := room.Open()
	if _, closeErr := room.Close(day, "Fatima", nil, "not counted", acknowledged); err != nil || openErr != nil || closeErr != nil {
		c.house.complain("%s is not closed: %v, %v, %v", day, err, openErr, closeErr)
	}
}

// stays holds a closed day against its closing.
func (c *cashier) stays(room *till.Till, k till.Reckoning) {
	kept, closed, err := room.Closed(k.Day)
	if err != nil {
		c.house.complain("the closing of %s: %v", k.Day, err)
	}
	if closed && kept.Expected != k.Expected {
		c.house.complain("%s was closed over %s, and is now %s by %+v", k.Day, kept.Expected, k.Expected, k.Lines)
	}
}

// reckoned is what the till says came in and went out on all the story's days.
func (c *cashier) reckoned(t *testing.T) (sum money.Paise) {
	room := c.room()
	for day := room.Today().Add(-2); day <= room.Today().Add(1); day = day.Add(1) { // what follows a closing is the next day's
		k, err := room.Reckon(day)
		if err != nil || k.Expected != k.Opening+k.In-k.Out {
			t.Errorf("the reckoning of %s: %+v, %v", day, k, err)
		}
		c.stays(room, k)
		sum += k.In - k.Out
	}
	return sum
}

// inBooks is what the drawer must hold by the bank's books: what customers' accounts
// paid out, what was sent with its charge, and what was refunded.
func (c *cashier) inBooks(t *testing.T) (sum money.Paise) {
	executions, err := c.house.bank.Executions(context.Background(), simbank.Filter{To: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	books := map[central.Reference]simbank.Execution{}
	for _, e := range executions {
		books[central.Reference(e.Reference)] = e
	}
	list, err := c.house.offices[0].store.Newest(context.Background(), c.counter.merchant, maxPerMerchant)
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

// TestDrawer: whatever customers want, whatever the bank does and whenever the day
// is closed, the drawer that
// the till expects holds the notes that the agent has, by what the screens said,
// and what the bank's books say.
func TestDrawer(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	dir := scratch(t)
	b := newBase(t, dir)
	errands := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) errand {
		return errand{
			what:  rapid.SampledFrom([]string{"withdraw", "withdraw", "pay", "send", "send", "send", "refund", "refund", "back", "close"}).Draw(t, "what"),
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
			c := &cashier{agent: s.agentOf(0), kept: map[op.ID]money.Paise{}, fees: map[op.ID]money.Paise{}}
			for i, e := range list {
				c.does(ctx, e, money.Paise(200+i)*money.Rupee)
				done[e.what]++
				if e.cut && e.what == "send" {
					cuts++
				}
			}
			s.rest()
			c.comesBack()
			if here, books := c.reckoned(t), c.inBooks(t); here != c.drawer || books != c.drawer {
				s.complain("the till expects %s, the drawer holds %s, and the books say %s", here, c.drawer, books)
			}
		}
		if _, complaints := play(t, 1, b, dir, scene{1, 1, plot}); len(complaints) > 0 {
			rt.Fatalf("%v: %v", list, complaints)
		}
	})
	t.Logf("errands: %v, and the line was cut in %d transfers", done, cuts)
}
