package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/upi"
	"galla/shared/money"
	"galla/shared/op"
)

// qrData is the reply to GenerateQR (interface-decisions.md). It depends on the
// request and the merchant alone, so that a repeat has the same reply.
type qrData struct {
	Type   string         `json:"type"` // STATIC or DYNAMIC
	Link   string         `json:"upiLink"`
	Image  string         `json:"image"` // a PNG of the link, as a data URI
	Order  string         `json:"order_id"`
	Amount jsontext.Value `json:"amount"` // rupees, a number; 0 of a static one
	VPA    string         `json:"vpa"`
	Payee  string         `json:"payeeName"`
}

func (d *Dispatcher) bindUPI() { d.bind(true, d.readQR, op.GenerateQR) }

// readQR makes a QR code to pay the merchant by (section 4.5): for one amount
// and one order, or for any where no amount is named.
func (d *Dispatcher) readQR(c *call) step {
	var amount money.Paise
	if bound := c.in.Bound("amount"); bound != nil {
		amount = *bound
	}
	order := c.in.Order("order_id")
	return func(ctx context.Context) (central.Reply, error) {
		data := qrData{Type: "STATIC", Order: order, Amount: jsontext.Value(amount.Number()), Payee: upi.Payee(c.merchant.LegalName)}
		if amount > 0 {
			data.Type = "DYNAMIC"
			if err := d.claimOrder(ctx, c.merchant.ID, order, amount); err != nil {
				return central.Reply{}, err
			}
		}
		var err error
		if data.VPA, err = d.payeeAddress(c.merchant); err != nil {
			return central.Reply{}, err
		}
		data.Link = upi.Link(upi.Payment{Address: data.VPA, Payee: data.Payee, Category: c.merchant.MCC, Order: order, Amount: amount})
		if data.Image, err = upi.Picture(data.Link); err != nil {
			return central.Reply{}, fmt.Errorf("draw the QR code of merchant %s: %w", c.merchant.ID, err)
		}
		return done(200, "QR code generated", data), nil
	}
}

// claimOrder keeps a merchant's order ids apart: as the transaction reference
// of a link each belongs to one amount for ever.
func (d *Dispatcher) claimOrder(ctx context.Context, m central.MerchantID, order string, amount money.Paise) error {
	claimed, err := d.store.ClaimOrder(ctx, m, order, amount, time.Now())
	if err != nil {
		return fmt.Errorf("claim an order id of merchant %s: %w", m, err)
	}
	if claimed != amount {
		return central.Refuse(central.Conflict, "This order_id was used before with another amount; nothing was done. Use a new order_id")
	}
	return nil
}

// payeeAddress is the UPI address that a merchant is paid at: its own, or the
// one that its MID has with us.
func (d *Dispatcher) payeeAddress(m central.Merchant) (string, error) {
	switch {
	case m.VPA != "":
		return m.VPA, nil
	case m.MID == "" || d.cfg.Handle == "":
		return "", errors.New("merchant " + string(m.ID) + " has no UPI address, and none can be made: a MID and the configured handle are needed")
	}
	return strings.ToLower(m.MID) + "@" + d.cfg.Handle, nil
}
