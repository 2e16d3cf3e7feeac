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

// agent is the person at one counter.
type agent struct {
	system  *system
	counter *counter
}

// otp reads the newest one-time password of a phone; zero: there is none.
func (a agent) otp(mobile string) secret.OTP {
	b := a.system.books()
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

// noteBegun records an operation that the counter gave an id to.
func (a agent) noteBegun(what string, id op.ID, err error) {
	switch {
	case err != nil:
		a.system.trace.event("%s: %s refused", a.counter.name, what)
	default:
		a.system.trace.event("%s: %s", a.counter.name, what)
	}
	a.system.trace.countEvent("operations", id != "")
}

// runAEPS begins an AEPS transaction.
func (a agent) runAEPS(route op.RouteID, amount money.Paise) {
	daemon := a.counter.daemon()
	if daemon == nil {
		return
	}
	aadhaar, err := secret.ParseAadhaar(customer)
	if err != nil {
		a.system.violation("the customer: %v", err)
		return
	}
	v, err := daemon.Start(edge.Request{
		Route: route, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: customerIIN, Amount: amount, Consent: "en-1", User: "Fatima", UserID: edge.AgentID,
	})
	a.noteBegun(fmt.Sprintf("%s of %s", route, amount), v.ID, err)
	if err == nil {
		_ = daemon.Capture(v.ID) // the operation's own record has the reason
	}
}

// authenticate is the agent's own finger.
func (a agent) authenticate() {
	daemon := a.counter.daemon()
	if daemon == nil {
		return
	}
	v, err := daemon.Start(edge.Request{Route: op.ReqAuth, User: "Fatima", UserID: edge.AgentID})
	a.noteBegun("agent authentication", v.ID, err)
	if err == nil {
		_ = daemon.Capture(v.ID)
	}
}

// finalTimeout is how long an agent waits for a required answer.
const finalTimeout = 20 * time.Second

// runRoute runs a route once; wait: until there is an outcome.
func (a agent) runRoute(ctx context.Context, route op.RouteID, fields map[string]any, otp secret.OTP, wait bool) (edge.View, bool) {
	daemon := a.counter.daemon()
	if daemon == nil {
		return edge.View{}, false
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		a.system.violation("write %s: %v", route, err)
		return edge.View{}, false
	}
	v, err := daemon.Start(edge.Request{Route: route, Fields: raw, OTP: otp, Title: "sim", User: "Fatima", UserID: edge.AgentID})
	a.noteBegun(string(route), v.ID, err)
	if err != nil || !wait {
		return v, err == nil
	}
	ctx, cancel := context.WithTimeout(ctx, finalTimeout)
	defer cancel()
	v, err = daemon.Await(ctx, v.ID)
	return v, err == nil && v.State == op.Succeeded && v.Result.StatusCode == "00"
}

// transfer sends money, against an OTP.
func (a agent) transfer(ctx context.Context, amount money.Paise) (op.ID, bool) {
	p := a.system.snapshot.payee
	rupees := json.Number(amount.String())
	if _, ok := a.runRoute(ctx, op.TransferOTP, p.fields("amount", rupees), secret.OTP{}, true); !ok {
		return "", false
	}
	otp := a.otp(payer)
	if otp.IsZero() {
		return "", false
	}
	v, ok := a.runRoute(ctx, op.Transfer, p.fields("amount", rupees, "BeneficiaryId", p.Beneficiary, "account_holder_name", "Ravi Kapoor"), otp, false)
	return v.ID, ok
}

// refund gives back a successful transfer of this counter: the nth newest.
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
	reference := transfer.ReplyValue("transactionId")
	if _, ok := a.runRoute(ctx, op.RefundOTP, map[string]any{"refereanceId": reference}, secret.OTP{}, true); !ok {
		return "", false
	}
	otp := a.otp(payer)
	if otp.IsZero() {
		return "", false
	}
	v, ok := a.runRoute(ctx, op.Refund, map[string]any{"transactionId": reference, "refId": string(transfer.ID)}, otp, false)
	return v.ID, ok
}

// paise select the bank's scenarios: mostly none.
var paise = []money.Paise{0, 0, 0, 0, 0, 5, 51, 91, 97, 98, 99, 96, 95, 94, 93}

// userAction is what one customer wants. All of it is drawn at once, so that a story
// has the same customers whatever happens to each.
type userAction struct {
	kind, nth int
	amount    money.Paise
}

// nextAction draws the nth press of a counter. No two presses of a story ask for
// the same rupees, so that the books show a debit that was made twice.
func (c *counter) nextAction(luck *rng, nth int) userAction {
	rupees := money.Paise(100+len(c.system.snapshot.shops)*nth+c.place) * money.Rupee
	return userAction{kind: luck.below(100), nth: luck.below(10), amount: rupees + paise[luck.below(len(paise))]}
}

// serve does what a customer wants. Whatever is refused before it is recorded
// needs no following.
func (a agent) serve(ctx context.Context, p userAction) {
	switch {
	case p.kind < 45:
		a.runAEPS(op.Withdrawal, p.amount)
	case p.kind < 58:
		a.runAEPS(op.Purchase, p.amount)
	case p.kind < 64:
		a.runAEPS(op.Balance, 0)
	case p.kind < 67:
		a.authenticate()
	case p.kind < 84:
		a.transfer(ctx, p.amount)
	case p.kind < 93:
		a.refund(ctx, p.nth)
	default: // a record: one account or another, added again and again
		p := payee{Sender: a.system.snapshot.payee.Sender, Account: fmt.Sprintf("0012345678%02d", 20+p.nth), IFSC: a.system.snapshot.payee.IFSC}
		a.runRoute(ctx, op.BeneficiaryAdd, p.fields("receivername", "Ravi Kapoor"), secret.OTP{}, false)
	}
}
