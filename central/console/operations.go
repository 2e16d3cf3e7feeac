package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/op"
)

// operationRoutes are the routes to find and read operations, and to ask the bank.
func (c *Console) operationRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "operations", minRole: staff.Viewer, handle: c.operations},
		{pattern: "POST " + Root + "operations", minRole: staff.Viewer, noStepUp: "it looks, and changes nothing", handle: c.find},
		{pattern: "GET " + Root + "operations/{id}", minRole: staff.Viewer, handle: c.operation},
		{pattern: "POST " + Root + "operations/{id}/enquire", minRole: staff.Operator, noStepUp: "it asks the bank, as the central does by itself", handle: c.enquire},
		{pattern: "POST " + Root + "operations/{id}/case", minRole: staff.Operator, noStepUp: "it opens a case, and decides nothing", handle: c.openCase},
		{pattern: "GET " + Root + "waiting", minRole: staff.Viewer, handle: c.waiting},
	}
}

const (
	// maxFound is how many operations a page lists.
	maxFound = 100
	// lookBack is the period of a search without days.
	lookBack = 7 * 24 * time.Hour
)

// searchPage is the search's data, with what was typed. What may be a customer's
// number is not sent back.
type searchPage struct {
	Name, Last4, Merchant string
	From, To              string // Indian days
	Asked                 bool
	Found                 []central.Operation
	More                  bool // there are more than are listed
}

func (c *Console) operations(v *visit) error {
	return v.show(http.StatusOK, page{Name: "operations", Title: "Operations", Data: searchPage{}})
}

var (
	fourDigits = regexp.MustCompile(`^[0-9]{4}$`)
	tenDigits  = regexp.MustCompile(`^[6-9][0-9]{9}$`)
)

// withoutNumbers is typed text as it is sent back: nothing that may have a customer's
// number in it.
func withoutNumbers(typed string) string {
	if staff.HasLongNumber(typed) {
		return ""
	}
	return typed
}

// searchRequest is what a search form asks for.
type searchRequest struct {
	name        string // any name of an operation; or the search
	search      staff.Search
	description string // for the audit log
}

// searchError is an error in a search form, for people.
type searchError string

func (e searchError) Error() string { return string(e) }

// parseSearch reads a search form.
func (c *Console) parseSearch(f url.Values, now time.Time) (searchRequest, searchPage, error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	name, last4, merchant := text("name"), text("last4"), text("merchant")
	d := searchPage{Name: withoutNumbers(name), Merchant: withoutNumbers(merchant), From: text("from"), To: text("to"), Asked: true}
	if fourDigits.MatchString(last4) {
		d.Last4 = last4
	}
	mobile := strings.TrimPrefix(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, text("mobile")), "+91")
	q := searchRequest{search: staff.Search{From: now.Add(-lookBack), To: now.Add(time.Minute), Limit: maxFound + 1}}
	var asked staff.AuditQuery
	asked, _, err := parseAuditQuery(url.Values{"from": {d.From}, "to": {d.To}})
	if err != nil {
		return q, d, searchError(sentence(err.Error()))
	}
	if d.From != "" {
		q.search.From = asked.From
	}
	if d.To != "" {
		q.search.To = asked.To
	}
	switch {
	case name != "":
		q.name, q.description = name, "by name "+staff.RedactNumbers(name)
	case last4 != "":
		if d.Last4 == "" {
			return q, d, searchError("Type only the last four digits of the Aadhaar number.")
		}
		q.search.Aadhaar, q.description = "XXXXXXXX"+d.Last4, "by the last four digits "+d.Last4
	case mobile != "":
		if !tenDigits.MatchString(mobile) {
			return q, d, searchError("A mobile number has ten digits and begins with 6, 7, 8 or 9.")
		}
		q.search.Mobile, q.search.Hash, q.description = mobile, c.CustomerKey(mobile), "by mobile "+staff.RedactNumbers(mobile)
	case merchant != "":
		q.search.Merchant, q.description = central.MerchantID(merchant), "by merchant "+staff.RedactNumbers(merchant)
	case d.From != "" || d.To != "":
		q.description = "by time"
	default:
		return q, d, searchError("Fill in one field.")
	}
	if q.name == "" {
		q.description += ", " + formatTime(q.search.From) + " to " + formatTime(q.search.To)
	}
	return q, d, nil
}

func (c *Console) find(v *visit) error {
	q, d, err := c.parseSearch(v.r.PostForm, time.Now())
	if err != nil {
		return v.show(http.StatusUnprocessableEntity, page{Name: "operations", Title: "Operations", Alert: err.Error(), Data: d})
	}
	err = c.Staff.CountSearch(v.Context(), v.Login())
	if err == nil {
		err = c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "operation.search", Note: q.description})
	}
	if err != nil {
		return err
	}
	if q.name != "" {
		d.Found, err = c.Operations.FindByAnyName(v.Context(), q.name, maxFound+1)
	} else {
		d.Found, err = c.Operations.Search(v.Context(), q.search)
	}
	if err != nil {
		return err
	}
	if d.More = len(d.Found) > maxFound; d.More {
		d.Found = d.Found[:maxFound]
	}
	return v.show(http.StatusOK, page{Name: "operations", Title: "Operations", Data: d})
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
	central.Operation
	Tone, Description string // how it stands
	Replied           string
	Steps             []central.Step
	Callback          *webhook.Callback
	CallbackAttempts  []webhook.Attempt // of the callback
	Cases             []reconcile.Case
	Unreported        bool // its terminal does not know the outcome yet
	// Messages are those with its receipt. A message has ReceiptOf and Mobile, masked.
	Messages  []receiptMessage
	ReceiptOf op.ID
	Mobile    string
	Age       string
	// Manual: people may open a case of it.
	Manual bool
}

// receiptMessage is a message with the receipt of an operation.
type receiptMessage struct {
	ID     op.ID
	Mobile string // masked
	State  op.State
	At     time.Time
}

// readMessages fills in what an operation has to do with messages.
func (c *Console) readMessages(ctx context.Context, d *operationPage) error {
	d.ReceiptOf, d.Mobile = d.Operation.ReceiptOf()
	list, err := c.Operations.ReceiptMessages(ctx, d.ID)
	for _, o := range list {
		_, mobile := o.ReceiptOf()
		d.Messages = append(d.Messages, receiptMessage{ID: o.ID, Mobile: mobile, State: o.State, At: o.CreatedAt})
	}
	return err
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
	callback, attempts, err := c.Callbacks.Callback(ctx, id)
	switch {
	case err == nil:
		d.Callback, d.CallbackAttempts = &callback, attempts
	case !errors.Is(err, central.ErrNotFound):
		return d, err
	}
	if err := c.readMessages(ctx, &d); err != nil {
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
	return d, nil
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
		return "give", "The bank executed it."
	case op.Reversed:
		return "quiet", "The bank executed it and reversed it."
	case op.Refused:
		return "quiet", "It was refused. Nothing was sent to the bank."
	}
	return "quiet", "It failed. No money moved."
}

// StepReason is the reason of a step, as people read it.
func (operationPage) StepReason(s central.Step) string {
	switch {
	case s.Reason != "":
		return s.Reason
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
