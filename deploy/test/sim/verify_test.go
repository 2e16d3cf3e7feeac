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

// audit compares what every part reports with the bank's books (operations.md, section
// 16).
type audit struct {
	*system
	books   map[central.Reference]simbank.Execution
	owned   map[central.Reference]central.Operation
	central map[string]central.Operation // by identity
}

// verify audits a system in which nothing moves any more.
func (h *system) verify(ctx context.Context) {
	a := &audit{
		system: h, books: map[central.Reference]simbank.Execution{}, owned: map[central.Reference]central.Operation{},
		central: map[string]central.Operation{},
	}
	a.readBooks(ctx)
	a.readCentral(ctx)
	for _, c := range h.counters {
		a.verifyCounter(ctx, c)
	}
	a.verifyOwners()
	a.verifyPartners()
	a.verifyPayments(ctx)
	a.verifyMessages(ctx)
	for identity := range h.tombstones {
		if o, ok := a.central[identity]; ok && !o.Tombstone {
			h.violation("operation %s was declared never seen, and is %s at the central", identity, o.State)
		}
	}
}

// addLost and addDoubled report what must be 0.
func (a *audit) addLost(format string, args ...any) {
	a.trace.countEvent(countLost, true)
	a.violation(format, args...)
}

func (a *audit) addDoubled(format string, args ...any) {
	a.trace.countEvent(countDoubled, true)
	a.violation(format, args...)
}

// readBooks looks for entries that the books have twice. Each request of a story has
// rupees of its own.
func (a *audit) readBooks(ctx context.Context) {
	b := a.system.bank
	executions, err := b.Executions(ctx, simbank.Filter{To: time.Now().Add(time.Hour)})
	if err != nil {
		a.violation("the books can't be read: %v", err)
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
			a.addDoubled("reference %s stands twice in the books: %s and %s", ref, before.Status, e.Status)
		}
		a.books[ref] = e
		if e.Status == simbankDeclined {
			continue
		}
		w := wish{e.Kind, int64(e.Amount)}
		if before, twice := granted[w]; twice {
			a.addDoubled("the books have one %s of %s twice: as %s and as %s", e.Kind, e.Amount, before, ref)
		}
		granted[w] = ref
	}
	trial, err := b.Trial(ctx)
	if err != nil || trial.Debits != trial.Credits {
		a.violation("the books do not balance: %+v, %v", trial, err)
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
	db := a.nodes[0].store
	seen := map[central.MerchantID]bool{}
	for _, s := range a.snapshot.shops {
		if seen[s.merchant] {
			continue
		}
		seen[s.merchant] = true
		list, err := db.LatestOperations(ctx, s.merchant, maxPerMerchant)
		if err != nil {
			a.violation("the central's operations can't be read: %v", err)
		}
		for _, o := range list {
			if o.Reference != "" {
				a.owned[o.Reference] = o
			}
			a.central[o.Identity] = o
			if !o.State.Final() {
				a.addLost("operation %s (%s) is %s at the central after everything healed", o.ID, o.Route, o.State)
			}
			a.verifyHistory(ctx, o)
		}
	}
}

// verifyHistory checks the recorded steps: each is legal, and at most one is sent.
func (a *audit) verifyHistory(ctx context.Context, o central.Operation) {
	steps, err := a.nodes[0].store.History(ctx, o.ID)
	if err != nil {
		a.violation("history of operation %s: %v", o.ID, err)
		return
	}
	state, sent := op.State(""), 0
	for _, s := range steps {
		if s.From != state || (s.From != s.To && s.From != "" && !central.CanTransition(s.From, s.To)) {
			a.violation("history of operation %s: a step from %s to %s, when it was %s", o.ID, s.From, s.To, state)
		}
		if s.To == op.Sent && s.From != s.To {
			sent++
		}
		state = s.To
	}
	if state != o.State || sent > 1 {
		a.violation("history of operation %s ends in %s and was sent %d times; the operation is %s", o.ID, state, sent, o.State)
	}
}

// verifyCounter compares everything that a counter keeps.
func (a *audit) verifyCounter(ctx context.Context, c *counter) {
	left, err := c.queue.Unresolved()
	if err != nil {
		a.violation("%s: %v", c.name, err)
	}
	for _, r := range left {
		a.addLost("%s: operation %s (%s) is still %s after everything healed (%s)", c.name, r.ID, r.Route, r.State, r.Reason)
	}
	records := map[op.ID]edge.Record{}
	for before := op.ID(""); ; {
		page, err := c.queue.Recent(before, 200)
		if err != nil {
			a.violation("%s: %v", c.name, err)
		}
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			records[r.ID] = r
			before = r.ID
			if !r.IsPayment() { // verifyPayments
				a.verifyRecord(c, r)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, state := range c.states {
		if r, ok := records[id]; ok && r.State != state {
			a.violation("%s: the screen showed operation %s as %s, and the queue has %s", c.name, id, state, r.State)
		}
	}
	for identity, o := range a.central {
		if o.Terminal != c.terminal.ID || !o.Kind.MovesMoney() {
			continue
		}
		if _, ok := records[op.ID(identity)]; !ok {
			a.addLost("%s has lost operation %s, which the central has as %s", c.name, identity, o.State)
		}
	}
}

// verifyRecord compares the versions of one operation: counter, screen, central and
// books.
func (a *audit) verifyRecord(c *counter, r edge.Record) {
	if r.CreatedAt.Before(a.snapshot.takenAt.Add(-24 * time.Hour)) {
		return
	}
	o, known := a.central[string(r.ID)]
	entry := a.books[o.Reference]
	a.trace.countEvent(string(r.State), true)
	a.trace.event("%s: %s of %s ended as %s", c.name, r.Route, r.Amount, r.State)
	want := map[op.State]bool{}
	switch entry.Status {
	case simbankExecuted:
		want[op.Succeeded] = true
	case simbankReversed:
		want[op.Reversed] = true
		want[op.Failed] = true // the bank reports FAILED for what it gave back itself
	default:
		want[op.Failed], want[op.NotSent], want[op.Expired] = true, true, true
		want[op.Succeeded] = r.Class != op.Money
	}
	if r.State.Final() && !want[r.State] {
		a.addLost("%s: operation %s (%s of %s): the books say %q, the central %s, the counter %s (%s)",
			c.name, r.ID, r.Route, r.Amount, entry.Status, o.State, r.State, r.Reason)
	}
	// For an operation that was never sent the two may differ: a central whose disk
	// failed reports that at once, and refuses the operation when it finds it.
	agrees := !known || r.State == o.State || o.Tombstone && r.State == op.NotSent ||
		o.State == op.Refused && (r.State == op.NotSent || r.Verdict() == edge.VerdictNoMoney)
	if r.State.Final() && !agrees {
		a.violation("%s: operation %s is %s here and %s at the central", c.name, r.ID, r.State, o.State)
	}
	if entry.Status == simbankExecuted && entry.Amount != r.Amount && r.Route != op.Refund {
		a.violation("%s: operation %s is of %s here and of %s in the books", c.name, r.ID, r.Amount, entry.Amount)
	}
	if r.State.Final() && r.Body != nil {
		a.violation("%s: operation %s ended and keeps its body", c.name, r.ID)
	}
	c.mu.Lock()
	verdict, shown := c.lastShown[r.ID]
	c.mu.Unlock()
	if shown && entry.Status == simbankExecuted && (verdict == edge.VerdictNoMoney || verdict == edge.VerdictNoCash) {
		a.addLost("%s: the screen said %s of operation %s, and the books have it executed", c.name, verdict, r.ID)
	}
	if shown && entry.Status != simbankExecuted && (verdict == edge.VerdictGive || verdict == edge.VerdictPaid || verdict == edge.VerdictRefund) {
		a.addLost("%s: the screen said %s of operation %s, and the books say %q", c.name, verdict, r.ID, entry.Status)
	}
}

// verifyOwners looks for entries in the books that nobody knows, and for transfers that
// were refunded twice.
func (a *audit) verifyOwners() {
	refunds := map[central.Reference]central.Reference{}
	for ref, e := range a.books {
		o, known := a.owned[ref]
		if !known && e.Status != simbankDeclined {
			a.addDoubled("the books have %s %s of %s (%s), which no operation of the central has", e.Status, e.Kind, e.Amount, ref)
		}
		if e.Status == simbankExecuted && o.Kind == central.KindRefund {
			if before, twice := refunds[o.Original]; twice {
				a.addDoubled("transfer %s was given back twice: by %s and by %s", o.Original, before, ref)
			}
			refunds[o.Original] = ref
			if of := a.books[o.Original].Status; of != simbankExecuted && of != simbankReversed { // a returned transfer is owed to its customer
				a.violation("refund %s gives back transfer %s, which the books have as %q", ref, o.Original, a.books[o.Original].Status)
			}
		}
	}
}
