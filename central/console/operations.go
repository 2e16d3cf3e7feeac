package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/money"
	"galla/shared/op"
)

// operationRoutes are the routes to list and read operations, and to ask the bank.
func (c *Console) operationRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "operations", minRole: staff.Viewer, handle: c.operations},
		{pattern: "POST " + Root + "operations", minRole: staff.Viewer, noStepUp: "it filters a list, and changes nothing", handle: c.filterOperations},
		{pattern: "GET " + Root + "operations.csv", minRole: staff.Viewer, handle: c.exportOperations},
		{pattern: "GET " + Root + "suggest", minRole: staff.Viewer, handle: c.suggest},
		{pattern: "POST " + Root + "views", minRole: staff.Viewer, noStepUp: "it saves a filter of the member's own", handle: c.saveView},
		{pattern: "POST " + Root + "views/delete", minRole: staff.Viewer, noStepUp: "it deletes a filter of the member's own", handle: c.deleteView},
		{pattern: "GET " + Root + "operations/{id}", minRole: staff.Viewer, handle: c.operation},
		{pattern: "POST " + Root + "operations/{id}/enquire", minRole: staff.Operator, noStepUp: "it asks the bank, as the central does by itself", handle: c.enquire},
		{pattern: "POST " + Root + "operations/{id}/case", minRole: staff.Operator, noStepUp: "it opens a case, and decides nothing", handle: c.openCase},
		{pattern: "GET " + Root + "waiting", minRole: staff.Viewer, handle: c.waiting},
	}
}

// waitingOperation is a pending operation with the bank's last answer.
type waitingOperation struct {
	central.Operation
	Age    string
	Reason string
}

// waitingPage is the data of the list of pending operations.
type waitingPage struct {
	Stuck, Pending waitingList
	More           bool
}

// waitingList is one of its tables.
type waitingList struct {
	Label string
	List  []waitingOperation
}

func (c *Console) waiting(v *visit) error {
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "operation.list-pending"}); err != nil {
		return err
	}
	list, err := c.Operations.ListPending(v.Context(), maxFound+1)
	if err != nil {
		return err
	}
	d := waitingPage{Stuck: waitingList{Label: "Stuck operations"}, Pending: waitingList{Label: "Pending operations"}}
	if d.More = len(list) > maxFound; d.More {
		list = list[:maxFound]
	}
	ids := make([]op.ID, len(list))
	for i, o := range list {
		ids[i] = o.ID
	}
	reasons, err := c.Operations.LastReasons(v.Context(), ids)
	if err != nil {
		return err
	}
	for _, o := range list {
		x := waitingOperation{o, formatAge(time.Since(o.SentAt)), reasons[o.ID]}
		if o.StuckAt.IsZero() {
			d.Pending.List = append(d.Pending.List, x)
		} else {
			d.Stuck.List = append(d.Stuck.List, x)
		}
	}
	return v.show(http.StatusOK, page{Name: "waiting", Title: "Waiting for the bank", Data: d})
}

// operationPage is one operation with all that is known of it.
type operationPage struct {
	listedOperation
	TerminalName      string
	Tone, Description string // how it stands
	Replied           string
	Steps             []central.Step
	Callback          *webhook.Callback
	CallbackAttempts  []webhook.Attempt // of the callback
	Cases             []reconcile.Case
	staff.Related
	Payment    *payments.Payment // of a payment by UPI, or of its return; nil: of no other
	Unreported bool              // its terminal does not know the outcome yet
	Age        string
	// Manual: people may open a case of it.
	Manual bool
}

func (c *Console) operation(v *visit) error {
	return c.showOperation(v, http.StatusOK, "")
}

func (c *Console) showOperation(v *visit, status int, alert string) error {
	d, err := c.readOperation(v)
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "operation", Title: "Operation " + string(d.Reference), Back: Root + "operations", Alert: alert, Data: d})
}

func (c *Console) readOperation(v *visit) (d operationPage, err error) {
	ctx := v.Context()
	id := op.ID(v.path("id"))
	if d.Operation, err = c.Operations.Operation(ctx, id); err != nil {
		return d, err
	}
	if err := c.Staff.Record(ctx, v.Actor(), staff.Change{What: "operation.view", Subject: string(id)}); err != nil {
		return d, err
	}
	if d.Steps, err = c.Operations.History(ctx, id); err != nil {
		return d, err
	}
	if d.Related, err = c.Operations.Related(ctx, d.Operation); err != nil {
		return d, err
	}
	d.listedOperation = c.named(v, []central.Operation{d.Operation})[0]
	if c.Parties != nil && d.Terminal != "" {
		if t, err := c.Parties.Accounts.TerminalWithPresence(ctx, d.Terminal, time.Now()); err == nil {
			d.TerminalName = t.Name
		}
	}
	callback, attempts, err := c.Callbacks.Callback(ctx, id)
	switch {
	case err == nil:
		d.Callback, d.CallbackAttempts = &callback, attempts
	case !errors.Is(err, central.ErrNotFound):
		return d, err
	}
	if d.Cases, err = c.Reconciliation.CasesOfOperation(ctx, id); err != nil {
		return d, err
	}
	seen, err := c.Reconciliation.Operation(ctx, d.Reference)
	if err != nil {
		return d, err
	}
	d.Unreported = seen.Unreported
	d.Replied, d.Age = staff.ReplySummary(d.Operation), formatAge(time.Since(d.CreatedAt))
	d.Tone, d.Description = describeState(d.Operation)
	d.Manual = d.State == op.Pending && time.Since(seen.CertainAt()) >= reconcile.ManualAfter
	if d.Kind.Reported() {
		err = c.readPayment(ctx, &d)
	}
	return d, err
}

// describeState returns the CSS class and the description of an operation's state.
func describeState(o central.Operation) (tone, says string) {
	switch o.State {
	case op.Received:
		return "wait", "It is recorded. Nothing was sent to the bank so far."
	case op.Sent:
		return "wait", "It was sent to the bank, which has not answered yet."
	case op.Pending:
		if !o.StuckAt.IsZero() {
			return "stop", "The enquiries gave no final answer: people have to decide. The bank may have executed it."
		}
		return "pending", "The bank has given no final answer yet. It is asked regularly, and may have executed it."
	case op.Succeeded:
		switch o.Kind {
		case central.KindUPIPayment:
			return "give", "The network received it by UPI."
		case central.KindUPIRefund:
			return "quiet", "The bank returned the payment to its payer."
		}
		return "give", "The bank executed it."
	case op.Reversed:
		return "quiet", "The bank executed it and reversed it."
	case op.Refused:
		return "quiet", "It was refused. Nothing was sent to the bank."
	}
	return "quiet", "It failed. No money moved."
}

// Took is how long an operation was in the state that a step ended; empty for the first.
func (d operationPage) Took(i int) string {
	if i == 0 {
		return ""
	}
	switch took := d.Steps[i].At.Sub(d.Steps[i-1].At); {
	case took < 10*time.Second:
		return fmt.Sprintf("+%.3f s", took.Seconds())
	case took < time.Minute:
		return fmt.Sprintf("+%.1f s", took.Seconds())
	default:
		return "+" + formatAge(took)
	}
}

// Total is the amount with the charge.
func (d operationPage) Total() money.Paise { return d.Amount + d.Charge }

// StepReason is the reason of a step, as people read it.
func (d operationPage) StepReason(s central.Step) string {
	switch {
	case s.Reason != "":
		return s.Reason
	case d.Kind.Reported() && s.To == op.Received:
		return "recorded, as the network reported it"
	case d.Kind.Reported() && s.To == op.Sent:
		return "the network had executed it"
	case s.To == op.Received:
		return "recorded, before anything is sent"
	case s.To == op.Sent:
		return "recorded as sent, right before it is sent to the bank"
	}
	return "no reason was recorded, or it is in the archive"
}

func (c *Console) enquire(v *visit) error {
	id := op.ID(v.path("id"))
	err := v.runAudited(staff.Change{What: "operation.enquire", Subject: string(id)}, func(ctx context.Context) error {
		return c.Operations.EnquireNow(ctx, id, time.Now(), v.Login())
	})
	return v.after(err, func(status int, text string) error { return c.showOperation(v, status, text) }, Root+"operations/"+string(id), "asked")
}

func (c *Console) openCase(v *visit) error {
	o, err := c.Operations.Operation(v.Context(), op.ID(v.path("id")))
	if err != nil {
		return err
	}
	opened, err := c.Reconciliation.OpenManualCase(v.Context(), v.Actor(), o, v.field("reason"))
	return v.after(err, func(status int, text string) error { return c.showOperation(v, status, text) }, Root+"cases/"+opened.String(), "opened")
}
