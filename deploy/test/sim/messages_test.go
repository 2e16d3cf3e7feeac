package sim

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/edge"
	"galla/shared/op"
	"galla/shared/secret"
)

// Receipts by SMS under all faults: whatever is pressed twice, lost, doubled or killed, a
// receipt reaches a number at most once, and the counters say what is in the inboxes.

// messageNumbers are the customers' numbers; more than one receipt may go to.
var messageNumbers = []string{"9876500001", "9876500002", "9876500003", "9876500004", "9876500005"}

const (
	// maxMessages is how many messages an operation may have (uplink.md, section 10).
	maxMessages = 3

	messageSeeds = 12 // stories
)

// messagePlot is randomPlot, and customers who ask for receipts by SMS.
func messagePlot(s *story, ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storyTime)
	defer cancel()
	var cast sync.WaitGroup
	for _, c := range s.counters {
		cast.Go(func() { s.customers(ctx, c, &cast) })
		cast.Go(func() { s.receipts(ctx, c) })
	}
	s.adversary(ctx)
	cast.Wait()
}

// receipts are the customers of a counter who ask for receipts, some twice.
func (s *story) receipts(ctx context.Context, c *counter) {
	luck := newRNG(s.seed, "receipts of "+c.name)
	a := agent{system: s.system, counter: c}
	for {
		select {
		case <-time.After(luck.between(time.Second, 6*time.Second)):
		case <-ctx.Done():
			return
		}
		nth, number, presses := luck.below(4), messageNumbers[luck.below(len(messageNumbers))], 1+luck.below(2)
		for range presses {
			a.sendReceipt(nth, number)
		}
	}
}

// sendReceipt sends the receipt of the nth newest operation that has one.
func (a agent) sendReceipt(nth int, number string) {
	daemon := a.counter.daemon()
	if daemon == nil {
		return
	}
	views, err := daemon.Recent("", 50)
	if err != nil {
		return
	}
	for _, v := range views {
		has := v.Route == op.Withdrawal || v.Route == op.Purchase || v.Route == op.Transfer || v.Route == op.Refund
		if !has || v.State != op.Succeeded && v.State != op.Failed && v.State != op.Reversed {
			continue
		}
		if nth--; nth >= 0 {
			continue
		}
		q, err := edge.MessageOf(v.ID, number, "en", edge.User{ID: edge.AgentID, Name: "Fatima"})
		if err == nil {
			v, err = daemon.Start(q)
		}
		a.noteBegun("receipt by SMS", v.ID, err)
		return
	}
}

// messageKey is a receipt and the masked number that it goes to.
type messageKey struct {
	receipt op.ID
	mobile  string
}

// verifyMessages compares the inboxes with the central and the counters.
func (a *audit) verifyMessages(ctx context.Context) {
	sent, inbox := 0, a.readInboxes(ctx)
	succeeded, ofReceipt := map[messageKey]int{}, map[op.ID]int{}
	for _, o := range a.central {
		if of, mobile := o.ReceiptOf(); of != "" && o.State == op.Succeeded {
			succeeded[messageKey{of, mobile}]++
		}
	}
	for key, n := range inbox {
		sent += n
		ofReceipt[key.receipt] += n
		if n > 1 || succeeded[key] != n {
			a.addDoubled("the receipt of %s is %d times in the inbox of %s, and %d messages of the central succeeded", key.receipt, n, key.mobile, succeeded[key])
		}
	}
	for key, n := range succeeded {
		if inbox[key] != n {
			a.addLost("%d messages with the receipt of %s to %s succeeded, and the inbox has %d", n, key.receipt, key.mobile, inbox[key])
		}
	}
	for id, n := range ofReceipt {
		if n > maxMessages {
			a.violation("the receipt of %s was sent %d times", id, n)
		}
	}
	for _, c := range a.counters {
		a.verifyMessagesOf(c, inbox)
	}
	a.trace.countEvent("receipts by SMS", sent > 0)
}

// verifyMessagesOf: what a counter says was sent is in the inbox.
func (a *audit) verifyMessagesOf(c *counter, inbox map[messageKey]int) {
	linked, err := c.queue.LinkedOperations()
	if err != nil {
		a.violation("%s: %v", c.name, err)
	}
	for _, r := range linked {
		if r.IsMessage() && r.State == op.Succeeded && inbox[messageKey{r.LinkedTo, r.Title}] != 1 {
			a.addLost("%s says that the receipt of %s was sent to %s, and the inbox has %d", c.name, r.LinkedTo, r.Title, inbox[messageKey{r.LinkedTo, r.Title}])
		}
	}
}

// readInboxes counts the receipts in the customers' inboxes. Each names its operation by
// RRN or reference.
func (a *audit) readInboxes(ctx context.Context) map[messageKey]int {
	named := map[string]op.ID{}
	for _, o := range a.central {
		if o.Kind == central.KindReceiptMessage {
			continue
		}
		named[string(o.Reference)] = o.ID
		if o.RRN != "" {
			named[o.RRN] = o.ID
		}
	}
	inbox := map[messageKey]int{}
	for _, number := range messageNumbers {
		list, err := a.system.bank.Inbox(ctx, number)
		if err != nil {
			a.violation("the inbox of %s can't be read: %v", secret.MaskMobile(number), err)
		}
		for _, m := range list {
			_, rest, _ := strings.Cut(m.Text, " Ref ")
			name, _, _ := strings.Cut(rest, ".")
			id, ok := named[name]
			if !ok {
				a.violation("a message names %q, which no operation has: %s", name, m.Text)
			}
			inbox[messageKey{id, secret.MaskMobile(number)}]++
		}
	}
	return inbox
}

// TestMessages plays stories with receipts by SMS.
func TestMessages(t *testing.T) {
	dir := scratch(t)
	b := newSnapshot(t, dir)
	total := newTraceTotals()
	for seed := uint64(1); seed <= messageSeeds; seed++ {
		tape, complaints := runStory(t, seed, b, dir, setup{2, 2 + int(seed%2), messagePlot})
		total.add(tape)
		for _, c := range complaints {
			t.Errorf("seed %d: %s", seed, c)
		}
	}
	t.Log(total)
	if total.Counts["receipts by SMS"] == 0 {
		t.Error("no receipt was sent: the stories do not do what they should")
	}
}
