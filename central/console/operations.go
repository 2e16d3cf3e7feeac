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
	"galla/central/duty"
	"galla/central/operator"
	"galla/central/settle"
	"galla/shared/op"
)

// operationRoutes are the ways to find operations, to read them and to have the
// bank asked.
func (c *Console) operationRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "operations", need: operator.Viewer, do: c.operations},
		{pattern: "POST " + Root + "operations", need: operator.Viewer, free: "it looks, and changes nothing", do: c.find},
		{pattern: "GET " + Root + "operations/{id}", need: operator.Viewer, do: c.operation},
		{pattern: "POST " + Root + "operations/{id}/enquire", need: operator.Operator, free: "it asks the bank, as the central does by itself", do: c.enquire},
		{pattern: "POST " + Root + "operations/{id}/case", need: operator.Operator, free: "it opens a case, and decides nothing", do: c.openCase},
		{pattern: "GET " + Root + "waiting", need: operator.Viewer, do: c.waiting},
	}
}

const (
	// maxFound is how many operations a page lists: more than anybody reads.
	maxFound = 100
	// lookBack is how far a search goes that names no day: what people ask for
	// happened this week.
	lookBack = 7 * 24 * time.Hour
)

// searchPage is the data of the search, with what was typed. What may be a
// customer's number is not sent back.
type searchPage struct {
	Name, Last4, Merchant string
	From, To              string // Indian days
	Asked                 bool
	Found                 []central.Operation
	More                  bool // there are more than are listed
}

func (c *Console) operations(w http.ResponseWriter, r *http.Request, v *visit) {
	c.render(w, r, v, http.StatusOK, page{Name: "operations", Title: "Operations", Data: searchPage{}})
}

var (
	fourDigits = regexp.MustCompile(`^[0-9]{4}$`)
	tenDigits  = regexp.MustCompile(`^[6-9][0-9]{9}$`)
	// longNumber has ten digits or more, also as people group them, and is no part
	// of a reference.
	longNumber = regexp.MustCompile(`(^|[^A-Za-z0-9-])([0-9](?:[ -]?[0-9]){9,})`)
)

// hushed is what was looked for as the trail has it: of a long number the last
// four digits, for it may be a customer's.
func hushed(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(found string) string {
		parts := longNumber.FindStringSubmatch(found)
		digits := strings.NewReplacer(" ", "", "-", "").Replace(parts[2])
		return parts[1] + "…" + digits[len(digits)-4:]
	})
}

// kept is what was typed as it is sent back: nothing that may have a customer's
// number in it.
func kept(typed string) string {
	if longNumber.MatchString(typed) {
		return ""
	}
	return typed
}

// question is what a search form asks.
type question struct {
	name   string // any name of an operation; or the search
	search operator.Search
	told   string // for the trail
}

// wrongSearch is what is wrong with a search, for people.
type wrongSearch string

func (e wrongSearch) Error() string { return string(e) }

// read reads a search form.
func (c *Console) read(f url.Values, now time.Time) (question, searchPage, error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	name, last4, merchant := text("name"), text("last4"), text("merchant")
	d := searchPage{Name: kept(name), Merchant: kept(merchant), From: text("from"), To: text("to"), Asked: true}
	if fourDigits.MatchString(last4) {
		d.Last4 = last4
	}
	mobile := strings.TrimPrefix(strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, text("mobile")), "+91")
	q := question{search: operator.Search{From: now.Add(-lookBack), To: now.Add(time.Minute), Limit: maxFound + 1}}
	var asked operator.Query
	asked, _, err := ask(url.Values{"from": {d.From}, "to": {d.To}})
	if err != nil {
		return q, d, wrongSearch(sentence(err.Error()))
	}
	if d.From != "" {
		q.search.From = asked.From
	}
	if d.To != "" {
		q.search.To = asked.To
	}
	switch {
	case name != "":
		q.name, q.told = name, "by name "+hushed(name)
	case last4 != "":
		if d.Last4 == "" {
			return q, d, wrongSearch("The last digits of an Aadhaar number are four: type no more of it.")
		}
		q.search.Aadhaar, q.told = "XXXXXXXX"+d.Last4, "by the last four digits "+d.Last4
	case mobile != "":
		if !tenDigits.MatchString(mobile) {
			return q, d, wrongSearch("A mobile number has ten digits and begins with 6, 7, 8 or 9.")
		}
		q.search.Mobile, q.search.Hash, q.told = mobile, c.Mobiles.Hash(mobile), "by mobile "+hushed(mobile)
	case merchant != "":
		q.search.Merchant, q.told = central.MerchantID(merchant), "by merchant "+hushed(merchant)
	case d.From != "" || d.To != "":
		q.told = "by time"
	default:
		return q, d, wrongSearch("Say what to look for.")
	}
	if q.name == "" {
		q.told += ", " + when(q.search.From) + " to " + when(q.search.To)
	}
	return q, d, nil
}

func (c *Console) find(w http.ResponseWriter, r *http.Request, v *visit) {
	q, d, err := c.read(r.PostForm, time.Now())
	if err != nil {
		c.render(w, r, v, http.StatusUnprocessableEntity, page{Name: "operations", Title: "Operations", Alert: err.Error(), Data: d})
		return
	}
	err = c.People.Searches(r.Context(), v.Login())
	if err == nil {
		err = c.People.Note(r.Context(), v.Actor(), operator.Change{What: "operation.find", Note: q.told})
	}
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	if q.name != "" {
		d.Found, err = c.Operations.Find(r.Context(), q.name, maxFound+1)
	} else {
		d.Found, err = c.Operations.Search(r.Context(), q.search)
	}
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	if d.More = len(d.Found) > maxFound; d.More {
		d.Found = d.Found[:maxFound]
	}
	c.render(w, r, v, http.StatusOK, page{Name: "operations", Title: "Operations", Data: d})
}

// waits is an operation that waits, with the bank's last word.
type waits struct {
	central.Operation
	Age  string
	Word string
}

// waitingPage is the data of the list of what waits.
type waitingPage struct {
	Stuck, Pending waitingList
	More           bool
}

// waitingList is one of its tables.
type waitingList struct {
	Label string
	List  []waits
}

func (c *Console) waiting(w http.ResponseWriter, r *http.Request, v *visit) {
	if err := c.People.Note(r.Context(), v.Actor(), operator.Change{What: "operation.waiting"}); err != nil {
		c.failed(w, r, v, err)
		return
	}
	list, err := c.Operations.Waiting(r.Context(), maxFound+1)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	d := waitingPage{Stuck: waitingList{Label: "Stuck operations"}, Pending: waitingList{Label: "Pending operations"}}
	if d.More = len(list) > maxFound; d.More {
		list = list[:maxFound]
	}
	ids := make([]op.ID, len(list))
	for i, o := range list {
		ids[i] = o.ID
	}
	words, err := c.Operations.LastWords(r.Context(), ids)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	for _, o := range list {
		x := waits{o, age(time.Since(o.DispatchedAt)), words[o.ID]}
		if o.StuckAt.IsZero() {
			d.Pending.List = append(d.Pending.List, x)
		} else {
			d.Stuck.List = append(d.Stuck.List, x)
		}
	}
	c.render(w, r, v, http.StatusOK, page{Name: "waiting", Title: "Waiting for the bank", Data: d})
}

// operationPage is one operation with all that is known of it.
type operationPage struct {
	central.Operation
	Tone, Says string // how it stands
	Replied    string
	Steps      []central.Step
	Callback   *duty.Callback
	Tries      []duty.Attempt // of the callback
	Cases      []settle.Case
	Untold     bool // its terminal has not heard of the outcome
	Age        string
	// ByHand tells that people may open a case of it.
	ByHand bool
}

func (c *Console) operation(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showOperation(w, r, v, http.StatusOK, "")
}

func (c *Console) showOperation(w http.ResponseWriter, r *http.Request, v *visit, status int, alert string) {
	d, err := c.readOperation(r, v)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	c.render(w, r, v, status, page{Name: "operation", Title: "Operation " + string(d.Reference), Back: Root + "operations", Alert: alert, Data: d})
}

func (c *Console) readOperation(r *http.Request, v *visit) (d operationPage, err error) {
	ctx := r.Context()
	id := op.ID(r.PathValue("id"))
	if d.Operation, err = c.Operations.Operation(ctx, id); err != nil {
		return d, err
	}
	if err := c.People.Note(ctx, v.Actor(), operator.Change{What: "operation.look", Subject: string(id)}); err != nil {
		return d, err
	}
	if d.Steps, err = c.Operations.History(ctx, id); err != nil {
		return d, err
	}
	callback, attempts, err := c.Callbacks.Callback(ctx, id)
	switch {
	case err == nil:
		d.Callback, d.Tries = &callback, attempts
	case !errors.Is(err, central.ErrNotFound):
		return d, err
	}
	if d.Cases, err = c.Settlement.CasesOfOperation(ctx, id); err != nil {
		return d, err
	}
	seen, err := c.Settlement.Operation(ctx, d.Reference)
	if err != nil {
		return d, err
	}
	d.Untold = seen.Untold
	d.Replied, d.Age = operator.Replied(d.Operation), age(time.Since(d.CreatedAt))
	d.Tone, d.Says = stands(d.Operation)
	d.ByHand = d.State == op.Pending && time.Since(seen.Certain()) >= settle.HandAfter
	return d, nil
}

// stands tells how an operation stands, in words.
func stands(o central.Operation) (tone, says string) {
	switch o.State {
	case op.Received:
		return "wait", "It is recorded. Nothing was sent to the bank so far."
	case op.Dispatched:
		return "wait", "It was sent to the bank, whose answer is awaited."
	case op.Pending:
		if !o.StuckAt.IsZero() {
			return "stop", "No enquiry resolved it: a person must. The bank may have executed it."
		}
		return "pending", "The bank has given no final answer, and is asked again and again. It may have executed it."
	case op.Succeeded:
		return "give", "The bank executed it."
	case op.Reversed:
		return "quiet", "The bank executed it and took it back."
	case op.Refused:
		return "quiet", "It was refused. Nothing was sent to the bank."
	}
	return "quiet", "It failed. No money moved."
}

// Words tells a step in words.
func (operationPage) Words(s central.Step) string {
	switch {
	case s.Reason != "":
		return s.Reason
	case s.To == op.Received:
		return "it was recorded, before anything was sent"
	case s.To == op.Dispatched:
		return "it was recorded that it is sent to the bank, and then it was"
	}
	return "no reason was recorded, or it is archived"
}

func (c *Console) enquire(w http.ResponseWriter, r *http.Request, v *visit) {
	id := op.ID(r.PathValue("id"))
	err := c.People.Do(r.Context(), v.Actor(), operator.Change{What: "operation.enquire", Subject: string(id)}, func(ctx context.Context) error {
		return c.Operations.EnquireNow(ctx, id, time.Now(), v.Login())
	})
	c.stepOfOperation(w, r, v, err, Root+"operations/"+string(id)+"?done=asked")
}

func (c *Console) stepOfOperation(w http.ResponseWriter, r *http.Request, v *visit, err error, to string) {
	if err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok && status != http.StatusNotFound {
			c.showOperation(w, r, v, status, text)
		} else if ok {
			c.failed(w, r, v, err)
		}
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (c *Console) openCase(w http.ResponseWriter, r *http.Request, v *visit) {
	o, err := c.Operations.Operation(r.Context(), op.ID(r.PathValue("id")))
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	var opened settle.CaseID
	err = c.People.Do(r.Context(), v.Actor(), operator.Change{What: "case.open", Subject: string(o.ID)}, func(ctx context.Context) (err error) {
		opened, _, err = c.Settlement.OpenByHand(ctx, o.Reference, r.PostForm.Get("reason"), v.settler())
		return err
	})
	c.stepOfOperation(w, r, v, err, Root+"cases/"+opened.String()+"?done=opened")
}

// settler is who acts, as the settlement's cases have it.
func (v *visit) settler() settle.Actor {
	return settle.Actor{Person: v.Login(), Account: "console, " + v.From}
}
