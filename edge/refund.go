package edge

import (
	"cmp"
	"errors"

	"galla/edge/api"
	"galla/shared/op"
)

// statusRefunded is the status of a transfer that the bank has refunded
// (interface.md).
const statusRefunded = "REFUNDED"

// The cash of a transfer is recorded in one place only. A refund, the next
// attempt and ConfirmCash may all claim it: each holds Counter.cashMu while it
// does.

// linkTransfer sets the transfer that an operation is about. A refund pays no
// cash that was given back before it; a transfer that is paid with the kept cash
// of an earlier one owns that cash from the start. The caller holds cashMu.
func (c *Counter) linkTransfer(r *Record, p preparedRequest) error {
	switch r.Route {
	case op.Refund, op.TransferRequery:
		r.LinkedTo, _ = op.ParseID(p.fields.Text(api.FieldRef))
	case op.Transfer:
		r.LinkedTo = p.CashFrom
	case op.ReceiptMessage:
		r.LinkedTo, _ = op.ParseID(p.fields.Text("id"))
	}
	if r.LinkedTo == "" || r.Route == op.TransferRequery || r.IsMessage() {
		return nil
	}
	of, err := c.queue.Get(r.LinkedTo)
	switch {
	case errors.Is(err, ErrNotFound): // created by another counter, or purged
		if r.Route == op.Transfer {
			r.LinkedTo = ""
		}
	case err != nil:
		c.log.Error("a transfer can't be read; the refund or transfer was not created", "operation", r.LinkedTo, "error", err)
		return &PreconditionError{Code: PreconditionDisk, Err: err}
	case r.Route == op.Refund && of.Route == op.Transfer && of.Cash() == CashGiven:
		r.Consent = RefundCashBefore
	case r.Route == op.Refund:
	case of.Route == op.Transfer && of.OwesCashBack() && of.Cash().IsOpen() && of.Amount+of.Charge == r.Amount+r.Charge:
		r.CashKept = true
	default: // the cash was given back meanwhile, or the amount differs: the customer pays again
		r.LinkedTo = ""
	}
	return nil
}

// hasOpenRefund reports whether a refund of a transfer is not final.
func (c *Counter) hasOpenRefund(transfer op.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.openRefunds[transfer]) > 0
}

// updateLinkedTransfer records in a transfer what follows from an operation about
// it: its kept cash pays for the next attempt, or the bank refunded it. It is
// idempotent: a start repeats changes that a power cut prevented.
func (c *Counter) updateLinkedTransfer(r Record) {
	switch {
	case r.LinkedTo == "":
	case r.IsMessage():
		c.rememberMessage(r)
	case r.Route == op.Transfer:
		c.changeTransfer(r.LinkedTo, func(of *Record) error {
			if !of.OwesCashBack() || !of.Cash().IsOpen() {
				return errStale
			}
			of.CashGivenAt, of.CashUsedBy, of.CashBy, of.CashByID = r.CreatedAt, r.ID, cmp.Or(r.User, r.UserID, AgentID), r.UserID
			return nil
		})
	case r.Route == op.Refund && !r.State.Final():
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.openRefunds[r.LinkedTo] == nil {
			c.openRefunds[r.LinkedTo] = map[op.ID]bool{}
		}
		c.openRefunds[r.LinkedTo][r.ID] = true
	case r.Route == op.Refund:
		if r.State == op.Succeeded && !c.markRefunded(r.LinkedTo) {
			return // ConfirmCash stays refused until this is on disk
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.openRefunds[r.LinkedTo], r.ID)
	case r.Route == op.TransferRequery && r.State == op.Succeeded && r.ReplyValue("status") == statusRefunded:
		c.markRefunded(r.LinkedTo)
	}
}

// markRefunded records that the bank has refunded a transfer. False: it is not on
// disk.
func (c *Counter) markRefunded(transfer op.ID) bool {
	return c.changeTransfer(transfer, func(of *Record) error {
		if of.Route != op.Transfer || !of.RefundedAt.IsZero() {
			return errStale
		}
		of.RefundedAt = c.cfg.Now()
		return nil
	})
}

// changeTransfer changes a transfer that is here and needs the change. False: the
// change is not on disk.
func (c *Counter) changeTransfer(transfer op.ID, change func(*Record) error) bool {
	_, err := c.change(transfer, change)
	if err = ignoreStale(err); err != nil {
		c.log.Error("the cash of a transfer can't be recorded; it is retried at the next start", "operation", transfer, "error", err)
	}
	return err == nil
}
