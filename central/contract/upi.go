package contract

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/form"
	"galla/central/upi"
	"galla/shared/money"
	"galla/shared/op"
)

// qrData is the reply to GenerateQR (interface-decisions.md). It depends on the
// request and the merchant alone, so that a repeat has the same reply, and one
// order may have as many codes as the merchant likes: nothing moved.
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
	p := upi.Payment{Amount: amount, Order: c.in.Text("order_id", form.Must)}
	return func(context.Context) (central.Reply, error) {
		payee, err := d.payee(c.merchant)
		if err != nil {
			return central.Reply{}, fmt.Errorf("merchant %s can't be paid by UPI: %w", c.merchant.ID, err)
		}
		data := qrData{Type: "STATIC", Order: p.Order, Amount: jsontext.Value(p.Amount.Number()), VPA: payee.Address, Payee: payee.Name}
		if p.Dynamic() {
			data.Type = "DYNAMIC"
		}
		data.Link = upi.Link(payee, p)
		if data.Image, err = upi.Picture(data.Link); err != nil {
			return central.Reply{}, fmt.Errorf("draw the QR code of merchant %s: %w", c.merchant.ID, err)
		}
		return done(200, "QR code generated", data), nil
	}
}

// payee is the merchant as its customers' payment apps know it.
func (d *Dispatcher) payee(m central.Merchant) (upi.Payee, error) {
	address := m.VPA
	if address == "" {
		address = upi.AddressOf(m.MID, d.cfg.Handle)
	}
	return upi.NewPayee(address, m.LegalName, m.MCC)
}
