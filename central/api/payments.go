package api

import (
	"context"
	"errors"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/central/payments"
	"galla/shared/money"
)

// Payments are what merchants received by UPI; *payments.Service implements it.
type Payments interface {
	AddCode(ctx context.Context, c payments.Code) error
	// Order returns the codes of an order and its payments, each newest first.
	Order(ctx context.Context, m central.MerchantID, order string) ([]payments.Code, []payments.Payment, error)
	// List lists payments, the newest record first. payments.ErrAfter.
	List(ctx context.Context, f payments.Filter) ([]payments.Payment, error)
}

// received serves a route about received payments.
func (h *Handler) received(prepare func(*activeRequest) action) endpoint {
	return forMerchant(func(c *activeRequest) action {
		work := prepare(c)
		if h.cfg.Payments == nil {
			return func(context.Context) (central.Reply, error) {
				return central.Reply{}, central.NewError(central.NoRoute, "")
			}
		}
		return work
	})
}

// States of an order.
const (
	orderOpen          = "OPEN"           // nothing was received, and the code can be paid
	orderExpired       = "EXPIRED"        // nothing was received, and the code is too old
	orderPaid          = "PAID"           // a payment of its amount was received, and not returned
	orderAmountDiffers = "AMOUNT_DIFFERS" // what was received has other amounts
	orderReturned      = "RETURNED"       // the bank returned everything that was received
)

// orderData is the state of an order (interface.md, section 4.8).
type orderData struct {
	Order     string          `json:"order_id"`
	Status    string          `json:"status"`
	Amount    string          `json:"amount,omitzero"` // rupees, of the newest code
	ExpiresAt string          `json:"expiresAt,omitzero"`
	Received  string          `json:"received"` // rupees: the sum of what was received and not returned
	Payments  []payments.Data `json:"payments"` // newest first, at most 100
}

// orderStatus returns the state of an order.
func (h *Handler) orderStatus(c *activeRequest) action {
	order := c.fields.Text("order_id", field.Must)
	return func(ctx context.Context) (central.Reply, error) {
		codes, list, err := h.cfg.Payments.Order(ctx, c.merchant.ID, order)
		if err != nil {
			return central.Reply{}, err
		}
		if len(codes) == 0 && len(list) == 0 {
			return central.Reply{}, central.NewError(central.NotFound, "No QR code with an amount was made for this order")
		}
		return successReply(200, "Order found", orderOf(order, codes, list, time.Now())), nil
	}
}

// orderOf is the state of an order by its codes and payments, each newest first.
func orderOf(order string, codes []payments.Code, list []payments.Payment, now time.Time) orderData {
	d := orderData{Order: order, Status: orderOpen, Payments: []payments.Data{}}
	if len(codes) > 0 {
		ends := codes[0].MadeAt.Add(payments.CodeLife)
		d.Amount, d.ExpiresAt = codes[0].Amount.String(), isoTime(ends)
		if now.After(ends) {
			d.Status = orderExpired
		}
	}
	var sum money.Paise
	for _, p := range list {
		d.Payments = append(d.Payments, payments.DataOf(p))
		switch {
		case p.Refunded():
			if d.Status == orderOpen || d.Status == orderExpired {
				d.Status = orderReturned
			}
			continue
		case p.Match == payments.MatchAmount:
			if d.Status != orderPaid {
				d.Status = orderAmountDiffers
			}
		default:
			d.Status = orderPaid
		}
		sum += p.Amount
	}
	d.Received = sum.String()
	return d
}

// listPayments lists what the merchant received, by the Indian days of the record.
func (h *Handler) listPayments(c *activeRequest) action {
	limit := c.fields.Limit("limit", maxListed, defaultList)
	after := c.fields.ID("after", field.May)
	from, to := parseDays(&c.fields, time.Now())
	return func(ctx context.Context) (central.Reply, error) {
		f := payments.Filter{Merchant: c.merchant.ID, After: after, Limit: limit + 1}
		f.From, f.To = period(from, to)
		found, err := h.cfg.Payments.List(ctx, f)
		if errors.Is(err, payments.ErrAfter) {
			err = errAfter()
		}
		if err != nil {
			return central.Reply{}, err
		}
		out, list := pageReply{StatusCode: statusOK, Message: "Payments"}, []payments.Data{}
		if len(found) > limit {
			found = found[:limit]
			out.Next = found[limit-1].ID
		}
		for _, p := range found {
			list = append(list, payments.DataOf(p))
		}
		out.Data = list
		return central.Reply{HTTP: 200, Body: encode(out)}, nil
	}
}
