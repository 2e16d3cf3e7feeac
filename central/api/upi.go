package api

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/api/field"
	"galla/central/payments"
	"galla/shared/money"
)

// qrData is the reply of GenerateQR (interface.md, section 4.5). It depends on the
// request and the merchant only, so a repeat gets the same reply, and one order
// may have any number of codes: no money moves. A code with an amount is recorded, so that
// a payment of it can be told from others.
type qrData struct {
	Type   string         `json:"type"` // STATIC or DYNAMIC
	Link   string         `json:"upiLink"`
	Image  string         `json:"image"` // a PNG of the link, as a data URI
	Order  string         `json:"order_id"`
	Amount jsontext.Value `json:"amount"` // rupees, a number; 0 in a static code
	VPA    string         `json:"vpa"`
	Payee  string         `json:"payeeName"`
}

// generateQR makes a QR code to pay the merchant (interface.md, section 4.5): for
// one amount and one order, or for any amount if none is given.
func (h *Handler) generateQR(c *activeRequest) action {
	var amount money.Paise
	if bound := c.fields.Bound("amount"); bound != nil {
		amount = *bound
	}
	p := upiPayment{Amount: amount, Order: c.fields.Text("order_id", field.Must)}
	return func(ctx context.Context) (central.Reply, error) {
		payee, err := h.payee(c.merchant)
		if err != nil {
			return central.Reply{}, fmt.Errorf("merchant %s can't be paid by UPI: %w", c.merchant.ID, err)
		}
		data := qrData{Type: "STATIC", Order: p.Order, Amount: jsontext.Value(p.Amount.Number()), VPA: payee.Address, Payee: payee.Name}
		if p.Dynamic() {
			data.Type = "DYNAMIC"
		}
		data.Link = upiLink(payee, p)
		if data.Image, err = qrPicture(data.Link); err != nil {
			return central.Reply{}, fmt.Errorf("draw the QR code of merchant %s: %w", c.merchant.ID, err)
		}
		if p.Dynamic() && h.cfg.Payments != nil {
			if err := h.cfg.Payments.AddCode(ctx, payments.Code{Merchant: c.merchant.ID, TR: upiReference(p.Order), Amount: p.Amount, Order: p.Order, MadeAt: time.Now()}); err != nil {
				return central.Reply{}, err
			}
		}
		return successReply(200, "QR code generated", data), nil
	}
}

// payee describes the merchant as payment apps show it.
func (h *Handler) payee(m central.Merchant) (upiPayee, error) {
	address := m.VPA
	if address == "" {
		address = defaultVPA(m.MID, h.cfg.UPIHandle)
	}
	return newUPIPayee(address, m.LegalName, m.MCC)
}
