package contract

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	qrcode "github.com/skip2/go-qrcode"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Codes of NPCI's UPI linking specification.
const (
	upiVersion = "01"
	upiStatic  = "01" // mode: QR code
	upiDynamic = "15" // mode: dynamic QR code, for one amount
	// upiNoCategory is the merchant category of payees that have none.
	upiNoCategory = "0000"
	upiCurrency   = "INR"
)

// Bounds of NPCI's UPI linking specification, in characters.
const (
	maxPayee = 99
	maxNote  = 50
)

// qrModule is the width of a QR code's module in the picture, in pixels: whole
// modules stay sharp, and a link's code is about 500 pixels wide.
const qrModule = 8

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
		data := qrData{Type: "STATIC", Order: order, Amount: jsontext.Value(amount.Number()), Payee: cut(c.merchant.LegalName, maxPayee)}
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
		data.Link = upiLink(c.merchant, data, amount)
		if data.Image, err = picture(data.Link); err != nil {
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

// upiLink writes NPCI's link. The parameters' order is the specification's; a
// static link has neither reference nor amount, and the payer's app asks for
// the amount.
func upiLink(m central.Merchant, data qrData, amount money.Paise) string {
	mode, category := upiStatic, m.MCC
	if amount > 0 {
		mode = upiDynamic
	}
	if category == "" {
		category = upiNoCategory
	}
	var b strings.Builder
	b.WriteString("upi://pay?ver=" + upiVersion)
	add := func(name, value string) { b.WriteString("&" + name + "=" + value) }
	add("mode", mode)
	// Payment apps look for the @ of an address as it is, which a query may hold.
	add("pa", strings.ReplaceAll(percent(data.VPA), "%40", "@"))
	add("pn", percent(data.Payee))
	add("mc", percent(category))
	if amount > 0 {
		add("tr", percent(data.Order))
	}
	add("tn", percent(cut("Order "+data.Order, maxNote)))
	if amount > 0 {
		add("am", amount.String())
	}
	add("cu", upiCurrency)
	return b.String()
}

// percent encodes a value of a query as RFC 3986 has it: a space is %20, since
// payment apps show a plus as it is.
func percent(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// cut shortens a text to at most max characters.
func cut(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max])
}

// picture draws a QR code with medium recovery, which a worn sticker needs.
func picture(content string) (string, error) {
	png, err := qrcode.Encode(content, qrcode.Medium, -qrModule)
	if err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png), nil
}
