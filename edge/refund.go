package edge

import (
	"cmp"
	"errors"

	"galla/edge/message"
	"galla/shared/op"
)

// statusRefunded is what the bank's side says of a transfer that it has given back
// through a refund (interface-decisions.md).
const statusRefunded = "REFUNDED"

// Customer's cash is one heap of notes, and stands in one record. A refund, the
// next attempt of a transfer and a hand may each want that of a transfer: who
// takes it holds Counter.handover meanwhile.

// link says which transfer an operation is about, and whose cash follows from it:
// a refund pays none that was given back before it, and a transfer that is paid
// with an earlier one's kept cash holds it from the beginning. handover is held.
func (c *Counter) link(r *Record, f message.Fields, q Request) error {
	switch r.Route {
	case op.Refund, op.TransferRequery:
		r.Of, _ = op.ParseID(f.Text(message.Ref))
	case op.Transfer:
		r.Of = q.CashFrom
	}
	if r.Of == "" || r.Route == op.TransferRequery {
		return nil
	}
	of, err := c.queue.Get(r.Of)
	switch {
	case errors.Is(err, ErrNotFound): // it was of another counter, or is kept no longer
		if r.Route == op.Transfer {
			r.Of = ""
		}
	case err != nil:
		c.log.Error("a transfer can't be read, so nothing is begun that takes its cash", "operation", r.Of, "error", err)
		return &PrecludedError{"disk", "The transfer's entry can't be read, so nothing was begun. Nothing was asked of the customer."}
	case r.Route == op.Refund && of.Route == op.Transfer && of.Cash() == CashGiven:
		r.Consent = RefundClosed
	case r.Route == op.Refund:
	case of.Route == op.Transfer && of.Returns() && of.Cash().Open() && of.Amount+of.Charge == r.Amount+r.Charge:
		r.CashKept = true
	default: // it went to a hand meanwhile, or is another sum: the customer pays anew
		r.Of = ""
	}
	return nil
}

// refunding tells whether a refund of a transfer is under way.
func (c *Counter) refunding(transfer op.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.refunds[transfer]) > 0
}

// noteTransfer takes over to a transfer what an operation about it tells: that its
// kept cash pays for the next attempt, or that the bank refunded it. It may be
// called again and again: a start repeats what a power cut left out.
func (c *Counter) noteTransfer(r Record) {
	switch {
	case r.Of == "":
	case r.Route == op.Transfer:
		c.alter(r.Of, func(of *Record) error {
			if !of.Returns() || !of.Cash().Open() {
				return errStale
			}
			of.CashGiven, of.CashInto, of.CashBy, of.CashByID = r.CreatedAt, r.ID, cmp.Or(r.Operator, r.OperatorID, AgentID), r.OperatorID
			return nil
		})
	case r.Route == op.Refund && !r.State.Final():
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.refunds[r.Of] == nil {
			c.refunds[r.Of] = map[op.ID]bool{}
		}
		c.refunds[r.Of][r.ID] = true
	case r.Route == op.Refund:
		if r.State == op.Succeeded && !c.refunded(r.Of) {
			return // nobody gives its cash by hand before this is on disk
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.refunds[r.Of], r.ID)
	case r.Route == op.TransferRequery && r.State == op.Succeeded && r.Value("status") == statusRefunded:
		c.refunded(r.Of)
	}
}

// refunded records that the bank has refunded a transfer; false: it is not on disk.
func (c *Counter) refunded(transfer op.ID) bool {
	return c.alter(transfer, func(of *Record) error {
		if of.Route != op.Transfer || !of.Refunded.IsZero() {
			return errStale
		}
		of.Refunded = c.cfg.Now()
		return nil
	})
}

// alter changes a transfer, if it is here and needs it; false: the disk did not
// take it.
func (c *Counter) alter(transfer op.ID, change func(*Record) error) bool {
	_, err := c.change(transfer, change)
	if err = settled(err); err != nil {
		c.log.Error("what became of a transfer's cash can't be recorded; the next start tries again", "operation", transfer, "error", err)
	}
	return err == nil
}
