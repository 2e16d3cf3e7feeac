package wire

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
	"galla/shared/op"
)

// Payment is the data of an event of kind payment: a UPI payment as the central has
// recorded it by now. Times are Unix milliseconds of the central's clock.
type Payment struct {
	ID         string      `json:"id"` // UPI's transaction id
	RRN        string      `json:"rrn"`
	VPA        string      `json:"vpa"`            // the payee's
	Order      string      `json:"order,omitzero"` // the order_id of the QR; empty: none was matched
	Amount     money.Paise `json:"amountPaise"`
	Match      string      `json:"match"` // payments.Match
	PayerName  string      `json:"payerName,omitzero"`
	PayerVPA   string      `json:"payerVPA,omitzero"`
	PaidAt     int64       `json:"paidAt"`
	RecordedAt int64       `json:"recordedAt"`
	ReturnedAt int64       `json:"returnedAt,omitzero"` // the bank returned it to the payer
	// Received is the id of the operation of the payment, in the event of its return.
	Received op.ID `json:"received,omitzero"`
}

// EncodePayment writes the data of an event.
func EncodePayment(p Payment) (jsontext.Value, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode payment %s: %w", p.ID, errEncode)
	}
	return b, nil
}

// DecodePayment reads what EncodePayment wrote; it ignores unknown keys.
func DecodePayment(data jsontext.Value) (Payment, error) {
	var p Payment
	if err := json.Unmarshal(data, &p); err != nil {
		return Payment{}, ErrSyntax
	}
	if p.ID == "" || p.Amount <= 0 || p.Amount > money.Max || p.PaidAt <= 0 || p.RecordedAt <= 0 {
		return Payment{}, fmt.Errorf("%w: a payment needs id, amountPaise, paidAt and recordedAt", ErrField)
	}
	return p, nil
}
