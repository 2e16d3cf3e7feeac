package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// agent is who stands behind one counter.
type agent struct {
	house   *house
	counter *counter
}

// otp reads the newest one-time password of a telephone; zero: there is none.
func (a agent) otp(mobile string) secret.OTP {
	b := a.house.books()
	if b == nil {
		return secret.OTP{}
	}
	list, err := b.Inbox(context.Background(), mobile)
	if err != nil {
		return secret.OTP{}
	}
	for _, m := range list {
		if m.OTP != "" {
			return secret.NewOTP(m.OTP)
		}
	}
	return secret.OTP{}
}

// begun notes an operation that the counter gave an id to.
func (a agent) begun(what string, id op.ID, err error) {
	switch {
	case err != nil:
		a.house.tape.note("%s: %s refused", a.counter.name, what)
	default:
		a.house.tape.note("%s: %s", a.counter.name, what)
	}
	a.house.tape.count("operations", id != "")
}

// finger begins an AEPS transaction.
func (a agent) finger(route op.RouteID, amount money.Paise) {
	daemon := a.counter.daemon()
	if daemon == nil {
		return
	}
	aadhaar, err := secret.ParseAadhaar(customer)
	if err != nil {
		a.house.complain("the customer: %v", err)
		return
	}
	v, err := daemon.Begin(context.Background(), edge.Draft{
		Route: route, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: customerIIN, Amount: amount, Consent: "en-1", Operator: "Fatima", OperatorID: edge.AgentID,
	})
	a.begun(fmt.Sprintf("%s of %s", route, amount), v.ID, err)
	if err == nil {
		_ = daemon.Capture(v.ID) // the operation's own record tells why there was none
	}
}

// authenticate is the agent's own finger.
func (a agent) authenticate() {
	daemon := a.counter.daemon()
	if daemon == nil {
		return
	}
	v, err := daemon.Authenticate(context.Background(), edge.Operator{ID: edge.AgentID, Name: "Fatima"})
	a.begun("agent authentication", v.ID, err)
	if err == nil {
		_ = daemon.Capture(v.ID)
	}
}

// patience is how long an agent waits for an answer that he needs to go on.
const patience = 20 * time.Second

// perform asks for one run of a route; wait: until there is an outcome.
func (a agent) perform(ctx context.Context, route op.RouteID, fields map[string]any, otp secret.OTP, wait bool) (edge.View, bool) {
	daemon := a.counter.daemon()
	if daemon == nil {
		return edge.View{}, false
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		a.house.complain("write %s: %v", route, err)
		return edge.View{}, false
	}
	v, err := daemon.Perform(ctx, edge.Request{Route: route, Fields: raw, OTP: otp, Title: "sim", Operator: "Fatima", OperatorID: edge.AgentID})
	a.begun(string(route), v.ID, err)
	if err != nil || !wait {
		return v, err == nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err = daemon.Await(ctx, v.ID)
	return v, err == nil && v.State == op.Succeeded && v.Result.StatusCode == "00"
}

// transfer sends money, against an OTP.
func (a agent) transfer(ctx context.Context, amount money.Paise) (op.ID, bool) {
	p := a.house.base.payee
	rupees := json.Number(amount.String())
	if _, ok := a.perform(ctx, op.TransferOTP, p.fields("amount", rupees), secret.OTP{}, true); !ok {
		return "", false
	}
	otp := a.otp(payer)
	if otp.IsZero() {
		return "", false
	}
	v, ok := a.perform(ctx, op.Transfer, p.fields("amount", rupees, "BeneficiaryId", p.Beneficiary, "account_holder_name", "Ravi Kapoor"), otp, false)
	return v.ID, ok
}

// refund gives back a transfer of this counter that succeeded: the nth newest.
func (a agent) refund(ctx context.Context, nth int) (op.ID, bool) {
	daemon := a.counter.daemon()
	if daemon == nil {
		return "", false
	}
	views, err := daemon.Recent("", 50)
	if err != nil {
		return "", false
	}
	var done []edge.View
	for _, v := range views {
		if v.Route == op.Transfer && v.State == op.Succeeded {
			done = append(done, v)
		}
	}
	if len(done) == 0 {
		return "", false
	}
	transfer := done[nth%len(done)]
	reference := transfer.Value("transactionId")
	if _, ok := a.perform(ctx, op.RefundOTP, map[string]any{"refereanceId": reference}, secret.OTP{}, true); !ok {
		return "", false
	}
	otp := a.otp(payer)
	if otp.IsZero() {
		return "", false
	}
	v, ok := a.perform(ctx, op.Refund, map[string]any{"transactionId": reference, "refId": string(transfer.ID)}, otp, false)
	return v.ID, ok
}

// paise play the bank's scenarios: mostly none.
var paise = []money.Paise{0, 0, 0, 0, 0, 5, 51, 91, 97, 98, 99, 96, 95, 94, 93}

// press is what one customer wants. Everything about it is drawn at once, so
// that a story has the same customers whatever becomes of each.
type press struct {
	what, nth int
	amount    money.Paise
}

// drawPress draws the nth press of a counter. No two presses of a story ask for
// the same rupees, so that the books show a debit that was made twice.
func (c *counter) drawPress(luck *chance, nth int) press {
	rupees := money.Paise(100+len(c.house.base.shops)*nth+c.place) * money.Rupee
	return press{what: luck.below(100), nth: luck.below(10), amount: rupees + paise[luck.below(len(paise))]}
}

// serve does what a customer wants. Whatever is refused before it is recorded
// needs no following.
func (a agent) serve(ctx context.Context, p press) {
	switch {
	case p.what < 45:
		a.finger(op.Withdrawal, p.amount)
	case p.what < 58:
		a.finger(op.Purchase, p.amount)
	case p.what < 64:
		a.finger(op.Balance, 0)
	case p.what < 67:
		a.authenticate()
	case p.what < 84:
		a.transfer(ctx, p.amount)
	case p.what < 93:
		a.refund(ctx, p.nth)
	default: // a record: one account or another, added again and again
		p := payee{Sender: a.house.base.payee.Sender, Account: fmt.Sprintf("0012345678%02d", 20+p.nth), IFSC: a.house.base.payee.IFSC}
		a.perform(ctx, op.BeneficiaryAdd, p.fields("receivername", "Ravi Kapoor"), secret.OTP{}, false)
	}
}
