//go:build linux

package e2e

import (
	"fmt"
	"testing"
	"time"

	"galla/shared/op"
)

// ledger is the bank's books of one run, with which every report and the central's
// table are compared.
type ledger struct {
	t      *testing.T
	h      *sandbox
	lines  map[string]execution
	owners map[string]string // reference → whose operation it is

	lost    int // without an end, or reported as paid and not in the books
	doubled int // executed twice
	wrong   int // anything else that was reported and is not so

	payments string // by UPI, in words; empty: they were not checked
}

// openLedger reads the books since a moment.
func openLedger(t *testing.T, h *sandbox, since time.Time) *ledger {
	t.Helper()
	return newLedger(t, h, h.executions(since, time.Now().Add(time.Minute)))
}

func newLedger(t *testing.T, h *sandbox, lines []execution) *ledger {
	t.Helper()
	g := &ledger{t: t, h: h, lines: map[string]execution{}, owners: map[string]string{}}
	for _, e := range lines {
		if _, twice := g.lines[e.Reference]; twice {
			g.addDoubled("reference %s stands twice in the books", e.Reference)
		}
		g.lines[e.Reference] = e
	}
	return g
}

// The invariants are those of operations.md, section 16.

func (g *ledger) addLost(format string, args ...any) {
	g.t.Helper()
	g.lost++
	g.t.Errorf("invariant 3: "+format, args...)
}

func (g *ledger) addDoubled(format string, args ...any) {
	g.t.Helper()
	g.doubled++
	g.t.Errorf("invariant 1: "+format, args...)
}

func (g *ledger) find(format string, args ...any) {
	g.t.Helper()
	g.wrong++
	g.t.Errorf("invariant 2: "+format, args...)
}

// markOwned records that a line of the books belongs to an operation.
func (g *ledger) markOwned(ref, who string) {
	if other := g.owners[ref]; other != "" {
		g.find("%s and %s have one reference, %s", other, who, ref)
	}
	g.owners[ref] = who
}

// checkStrays compares what a terminal of the test's own was told with the books. Its
// lines are found by their amounts, as a counter's are.
func (g *ledger) checkStrays(l *strayLoad) {
	l.mu.Lock() // it is connected, and may still hear something
	defer l.mu.Unlock()
	byAmount := map[int64][]execution{}
	for _, line := range g.lines {
		if line.Kind != kindTransfer && strayAmount(line.AmountPaise) {
			byAmount[line.AmountPaise] = append(byAmount[line.AmountPaise], line)
		}
	}
	for _, o := range l.order {
		executed := 0
		for _, line := range byAmount[o.paise] {
			g.markOwned(line.Reference, string(o.id))
			if line.Status == "EXECUTED" {
				executed++
			}
		}
		switch paid := o.last == op.Succeeded; {
		case executed > 1 || len(byAmount[o.paise]) > 1:
			g.addDoubled("%s stands %d times in the books: %+v", o.id, len(byAmount[o.paise]), byAmount[o.paise])
		case o.unseen && executed == 1:
			g.find("%s was declared never seen, and the bank has EXECUTED it: %+v", o.id, byAmount[o.paise])
		case paid && executed == 0:
			g.addLost("a terminal was told that %s (%d paise) %s, the books hold %+v", o.id, o.paise, o.last, byAmount[o.paise])
		case !paid && executed == 1:
			g.find("a terminal was told that %s (%d paise) %s, the books hold %+v", o.id, o.paise, o.last, byAmount[o.paise])
		case !o.ended():
			g.addLost("%s (%d paise) has no end at its terminal: it is %q", o.id, o.paise, o.last)
		}
	}
}

// checkReplies compares every reply to a direct caller with the books.
func (g *ledger) checkReplies(l *load) {
	for _, e := range l.entries {
		if e.final == nil {
			g.addLost("%s (%d paise) has no final state; it was told %v", e.key, e.paise, e.replies)
			continue
		}
		v := judge(*e.final)
		if v == nothing {
			continue // it has no reference; a debit of it would stay unclaimed
		}
		ref := e.final.Data.RetailerReferenceNumber
		g.markOwned(ref, e.key)
		line := g.lines[ref]
		switch {
		case v == succeeded && line.Status != "EXECUTED":
			g.addLost("%s (%d paise) was told SUCCESS, but the books say %q of %s", e.key, e.paise, line.Status, ref)
		case v != succeeded && line.Status == "EXECUTED":
			g.find("%s (%d paise) was told %s, but the books say EXECUTED of %s", e.key, e.paise, v, ref)
		case v == succeeded && line.AmountPaise != e.paise:
			g.find("%s: %d paise asked, %d in the books", e.key, e.paise, line.AmountPaise)
		}
	}
}

// checkCounter compares what a counter shows with the books. Its lines are found by
// their amounts, which nobody else uses, whatever the counter forgot.
func (g *ledger) checkCounter(c *counterLoad) {
	byAmount := map[int64][]execution{}
	for _, line := range g.lines {
		if line.Kind != kindTransfer && c.ownsAmount(line.AmountPaise) {
			byAmount[line.AmountPaise] = append(byAmount[line.AmountPaise], line)
		}
	}
	for _, o := range c.ops {
		lines := byAmount[o.paise]
		delete(byAmount, o.paise)
		executed := 0
		for _, line := range lines {
			g.markOwned(line.Reference, o.id)
			if line.Status == "EXECUTED" {
				executed++
			}
		}
		state := o.last()
		switch paid := state == "succeeded"; {
		case executed > 1 || len(lines) > 1:
			g.addDoubled("%s stands %d times in the books: %+v", o.id, len(lines), lines)
		case paid && executed == 0:
			g.addLost("the counter shows %s of %s (%d paise; %v), the books hold %+v", state, o.id, o.paise, o.states, lines)
		case !paid && executed == 1:
			g.find("the counter shows %s of %s (%d paise; %v), the books hold %+v", state, o.id, o.paise, o.states, lines)
		case !finalAtCounter(state) && state != "ready" && state != "problem":
			g.addLost("%s (%d paise) has no end at the counter: %v", o.id, o.paise, o.states)
		}
	}
	for _, lines := range byAmount {
		g.find("the books hold a withdrawal of counter %d that no agent began: %+v", c.n, lines)
	}
}

// tableState is what the central's table has for each reply.
var tableState = map[verdict]string{succeeded: "succeeded", failed: "failed", reversed: "reversed"}

// checkTable compares the central's table with the books and with the replies.
func (g *ledger) checkTable(rows map[string]row, l *load) {
	for _, r := range rows {
		if r.finalSteps == 0 {
			g.addLost("the central's table has operation %s (%s) in state %s after everything ended", r.id, r.identity, r.state)
		}
	}
	g.checkFinished(rows)
	g.checkUnknownDebits(rows)
	for _, e := range l.entries {
		if e.final == nil {
			continue
		}
		r, there := rows[e.key]
		v := judge(*e.final)
		switch {
		case v == nothing && there && r.state != "refused" && r.state != "failed":
			g.find("%s: the reply says that nothing was sent, and the central's table says %s", e.key, r.state)
		case v != nothing && !there:
			g.addLost("%s: the reply says %s, and the central's table has no operation of it", e.key, v)
		case v != nothing && r.state != tableState[v]:
			g.find("%s: the reply says %s, and the central's table says %s", e.key, v, r.state)
		}
	}
}

// checkFinished compares the operations that are final in the central's table with the
// books.
func (g *ledger) checkFinished(rows map[string]row) {
	for _, r := range rows {
		line := g.lines[r.reference]
		executed := line.Status == "EXECUTED"
		switch {
		case r.sentCount > 1:
			g.addDoubled("operation %s was sent %d times by its history", r.id, r.sentCount)
		case r.finalSteps > 1:
			g.find("operation %s ended %d times by its history", r.id, r.finalSteps)
		case r.finalSteps == 0:
		case r.state == "refused" && executed:
			g.find("the central says that nothing was sent of %s, and the bank has EXECUTED %s of it", r.id, r.reference)
		case (r.state == "succeeded") != executed:
			g.find("the central's table says %s of %s, the books say %q of %s", r.state, r.id, line.Status, r.reference)
		case executed && line.AmountPaise != r.amount:
			g.find("%s: %d paise in the central's table, %d in the books", r.id, r.amount, line.AmountPaise)
		}
	}
}

// checkUnknownDebits looks for debits that belong to no operation: each is recorded
// under its reference before it is sent, and is not sent again under another one.
func (g *ledger) checkUnknownDebits(rows map[string]row) {
	known := map[string]bool{}
	for _, r := range rows {
		known[r.reference] = true
	}
	for ref, line := range g.lines {
		if line.AmountPaise > 0 && !known[ref] {
			g.addDoubled("the books hold %s (%d paise, %s), which is no operation's: something was sent again, or without a record", ref, line.AmountPaise, line.Status)
		}
	}
}

// checkBalances compares the customers' accounts with the executions, and looks for
// debits that belong to nobody.
func (g *ledger) checkBalances(l *load) {
	spent := int64(0)
	for ref, line := range g.lines {
		if line.Status != "EXECUTED" {
			continue
		}
		if line.Kind != kindTransfer { // which the merchants pay
			spent += line.AmountPaise
		}
		if g.owners[ref] == "" {
			g.find("the books hold a debit of %d paise that nobody was told of: %s", line.AmountPaise, ref)
		}
	}
	moved := int64(0)
	for aadhaar, before := range l.before {
		moved += before - g.h.balance(aadhaar)
	}
	if moved != spent {
		g.find("the customers have %d paise less, the executions sum up to %d", moved, spent)
	}
	g.h.checkDoubleEntry()
}

// String is the last line of a run.
func (g *ledger) String() string {
	executed := 0
	for _, line := range g.lines {
		if line.Status == "EXECUTED" {
			executed++
		}
	}
	return fmt.Sprintf("%d debits in the bank's books%s; lost %d, doubled %d, wrong %d", executed, g.payments, g.lost, g.doubled, g.wrong)
}
