package sim

import (
	"context"
	"time"

	"galla/central"
	"galla/central/bank/network"
	"galla/central/bank/simbank"
	"galla/edge"
	"galla/shared/op"
)

// audit holds what every part says against the bank's books (operations.md,
// 'What must always hold').
type audit struct {
	*house
	books   map[central.Reference]simbank.Execution
	owned   map[central.Reference]central.Operation
	central map[string]central.Operation // by identity
}

// verify is an audit of a house that has come to rest.
func (h *house) verify(ctx context.Context) {
	a := &audit{
		house: h, books: map[central.Reference]simbank.Execution{}, owned: map[central.Reference]central.Operation{},
		central: map[string]central.Operation{},
	}
	a.readBooks(ctx)
	a.readCentral(ctx)
	for _, c := range h.counters {
		a.verifyCounter(ctx, c)
	}
	a.verifyOwners()
	a.verifyPartners()
	for identity := range h.forsworn {
		if o, ok := a.central[identity]; ok && !o.Forsworn {
			h.complain("operation %s was declared never seen, and is %s at the central", identity, o.State)
		}
	}
}

// lose and double complain of what must be 0.
func (a *audit) lose(format string, args ...any) {
	a.tape.count(countLost, true)
	a.complain(format, args...)
}

func (a *audit) double(format string, args ...any) {
	a.tape.count(countDoubled, true)
	a.complain(format, args...)
}

// readBooks looks for what stands in the books twice. Each press of a story has
// rupees of its own.
func (a *audit) readBooks(ctx context.Context) {
	b := a.house.bank
	executions, err := b.Executions(ctx, simbank.Filter{To: time.Now().Add(time.Hour)})
	if err != nil {
		a.complain("the books can't be read: %v", err)
		return
	}
	type wish struct {
		kind   network.Kind
		amount int64
	}
	granted := map[wish]central.Reference{}
	for _, e := range executions {
		ref := central.Reference(e.Reference)
		if before, twice := a.books[ref]; twice {
			a.double("reference %s stands twice in the books: %s and %s", ref, before.Status, e.Status)
		}
		a.books[ref] = e
		if e.Status == simbankDeclined {
			continue
		}
		w := wish{e.Kind, int64(e.Amount)}
		if before, twice := granted[w]; twice {
			a.double("the books have one %s of %s twice: as %s and as %s", e.Kind, e.Amount, before, ref)
		}
		granted[w] = ref
	}
	trial, err := b.Trial(ctx)
	if err != nil || trial.Debits != trial.Credits {
		a.complain("the books do not balance: %+v, %v", trial, err)
	}
}

const (
	simbankExecuted = "EXECUTED"
	simbankReversed = "REVERSED"
	simbankDeclined = "DECLINED"
)

// maxPerMerchant is more than a story makes.
const maxPerMerchant = 1000

// readCentral reads every operation with its history.
func (a *audit) readCentral(ctx context.Context) {
	db := a.offices[0].store
	seen := map[central.MerchantID]bool{}
	for _, s := range a.base.shops {
		if seen[s.merchant] {
			continue
		}
		seen[s.merchant] = true
		list, err := db.Newest(ctx, s.merchant, maxPerMerchant)
		if err != nil {
			a.complain("the central's operations can't be read: %v", err)
		}
		for _, o := range list {
			if o.Reference != "" {
				a.owned[o.Reference] = o
			}
			a.central[o.Identity] = o
			if !o.State.Final() {
				a.lose("operation %s (%s) is %s at the central after everything healed", o.ID, o.Route, o.State)
			}
			a.verifyHistory(ctx, o)
		}
	}
}

// verifyHistory walks the steps that were recorded: each legal, and never more
// than one dispatch.
func (a *audit) verifyHistory(ctx context.Context, o central.Operation) {
	steps, err := a.offices[0].store.History(ctx, o.ID)
	if err != nil {
		a.complain("history of operation %s: %v", o.ID, err)
		return
	}
	state, dispatched := op.State(""), 0
	for _, s := range steps {
		if s.From != state || (s.From != s.To && s.From != "" && !central.CanBecome(s.From, s.To)) {
			a.complain("history of operation %s: a step from %s to %s, when it was %s", o.ID, s.From, s.To, state)
		}
		if s.To == op.Dispatched && s.From != s.To {
			dispatched++
		}
		state = s.To
	}
	if state != o.State || dispatched > 1 {
		a.complain("history of operation %s ends in %s after %d dispatches; the operation is %s", o.ID, state, dispatched, o.State)
	}
}

// verifyCounter compares everything that a counter keeps.
func (a *audit) verifyCounter(ctx context.Context, c *counter) {
	left, err := c.queue.Unresolved()
	if err != nil {
		a.complain("%s: %v", c.name, err)
	}
	for _, r := range left {
		a.lose("%s: operation %s (%s) is still %s after everything healed (%s)", c.name, r.ID, r.Route, r.State, r.Reason)
	}
	records := map[op.ID]edge.Record{}
	for before := op.ID(""); ; {
		page, err := c.queue.Recent(before, 200)
		if err != nil {
			a.complain("%s: %v", c.name, err)
		}
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			records[r.ID] = r
			before = r.ID
			a.verifyRecord(c, r)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, state := range c.states {
		if r, ok := records[id]; ok && r.State != state {
			a.complain("%s: the screen showed operation %s as %s, and the queue has %s", c.name, id, state, r.State)
		}
	}
	for identity, o := range a.central {
		if o.Terminal != c.terminal.ID || !o.Kind.MovesMoney() {
			continue
		}
		if _, ok := records[op.ID(identity)]; !ok {
			a.lose("%s has lost operation %s, which the central has as %s", c.name, identity, o.State)
		}
	}
}

// verifyRecord compares the tellings of one operation: counter, screen, central
// and books.
func (a *audit) verifyRecord(c *counter, r edge.Record) {
	if r.CreatedAt.Before(a.base.taken.Add(-24 * time.Hour)) {
		return
	}
	o, known := a.central[string(r.ID)]
	entry := a.books[o.Reference]
	a.tape.count(string(r.State), true)
	a.tape.note("%s: %s of %s ended as %s", c.name, r.Route, r.Amount, r.State)
	want := map[op.State]bool{}
	switch entry.Status {
	case simbankExecuted:
		want[op.Succeeded] = true
	case simbankReversed:
		want[op.Reversed] = true
		want[op.Failed] = true // the bank says FAILED of what it gave back itself
	default:
		want[op.Failed], want[op.NotSent], want[op.Expired] = true, true, true
		want[op.Succeeded] = r.Class != op.Money
	}
	if r.State.Final() && !want[r.State] {
		a.lose("%s: operation %s (%s of %s): the books say %q, the central %s, the counter %s (%s)",
			c.name, r.ID, r.Route, r.Amount, entry.Status, o.State, r.State, r.Reason)
	}
	// Of what was never sent the two may have different words: a central whose
	// disk failed says so at once, and refuses the operation when it finds it.
	agrees := !known || r.State == o.State || o.Forsworn && r.State == op.NotSent ||
		o.State == op.Refused && (r.State == op.NotSent || r.Verdict() == edge.VerdictNoMoney)
	if r.State.Final() && !agrees {
		a.complain("%s: operation %s is %s here and %s at the central", c.name, r.ID, r.State, o.State)
	}
	if entry.Status == simbankExecuted && entry.Amount != r.Amount && r.Route != op.Refund {
		a.complain("%s: operation %s is of %s here and of %s in the books", c.name, r.ID, r.Amount, entry.Amount)
	}
	if r.State.Final() && r.Body != nil {
		a.complain("%s: operation %s ended and keeps its body", c.name, r.ID)
	}
	c.mu.Lock()
	verdict, shown := c.shown[r.ID]
	c.mu.Unlock()
	if shown && entry.Status == simbankExecuted && (verdict == edge.VerdictNoMoney || verdict == edge.VerdictNoCash) {
		a.lose("%s: the screen said %s of operation %s, and the books have it executed", c.name, verdict, r.ID)
	}
	if shown && entry.Status != simbankExecuted && (verdict == edge.VerdictGive || verdict == edge.VerdictPaid || verdict == edge.VerdictRefund) {
		a.lose("%s: the screen said %s of operation %s, and the books say %q", c.name, verdict, r.ID, entry.Status)
	}
}

// verifyOwners looks for what the books have and nobody knows, and for
// transfers that came back twice.
func (a *audit) verifyOwners() {
	refunds := map[central.Reference]central.Reference{}
	for ref, e := range a.books {
		o, known := a.owned[ref]
		if !known && e.Status != simbankDeclined {
			a.double("the books have %s %s of %s (%s), which no operation of the central has", e.Status, e.Kind, e.Amount, ref)
		}
		if e.Status == simbankExecuted && o.Kind == central.KindRefund {
			if before, twice := refunds[o.Original]; twice {
				a.double("transfer %s was given back twice: by %s and by %s", o.Original, before, ref)
			}
			refunds[o.Original] = ref
			if of := a.books[o.Original].Status; of != simbankExecuted && of != simbankReversed { // one that came back is due to its customer
				a.complain("refund %s gives back transfer %s, which the books have as %q", ref, o.Original, a.books[o.Original].Status)
			}
		}
	}
}
