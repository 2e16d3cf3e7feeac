package payments

import (
	"time"

	"github.com/go-json-experiment/json"
)

// Data is a payment as the interface and callbacks show it. Times are ISO 8601 in UTC.
type Data struct {
	ID         string `json:"id"` // UPI's transaction id
	RRN        string `json:"RRN"`
	OrderID    string `json:"order_id,omitzero"`
	Amount     string `json:"amount"` // rupees, two decimals
	VPA        string `json:"vpa"`    // the payee's
	PayerName  string `json:"payerName,omitzero"`
	PayerVPA   string `json:"payerVPA,omitzero"`
	Match      Match  `json:"match"`
	Status     string `json:"status"` // RECEIVED, or RETURNED
	PaidAt     string `json:"paidAt"`
	RecordedAt string `json:"recordedAt"`
	// RefundID and the next two are of a payment that the bank returned to its payer.
	RefundID   string `json:"refundId,omitzero"`
	RefundRRN  string `json:"refundRRN,omitzero"`
	ReturnedAt string `json:"returnedAt,omitzero"`
}

// Statuses of Data.
const (
	StatusReceived = "RECEIVED"
	StatusReturned = "RETURNED"
)

// DataOf is a payment as it is shown.
func DataOf(p Payment) Data {
	d := Data{
		ID: p.ID, RRN: p.RRN, OrderID: p.Order, Amount: p.Amount.String(), VPA: p.Payee, PayerName: p.PayerName, PayerVPA: p.PayerVPA,
		Match: p.Match, Status: StatusReceived, PaidAt: isoTime(p.At), RecordedAt: isoTime(p.RecordedAt),
	}
	if r := p.Refund; r != nil {
		d.Status, d.RefundID, d.RefundRRN, d.ReturnedAt = StatusReturned, r.ID, r.RRN, isoTime(r.At)
	}
	return d
}

// Render is the reply of a payment's operation.
func Render(message string, p Payment) []byte {
	body, err := json.Marshal(struct {
		StatusCode string `json:"statusCode"`
		Message    string `json:"message"`
		Data       Data   `json:"data"`
	}{"00", message, DataOf(p)})
	if err != nil { // a text of the network is not UTF-8, which its decoder refuses
		return []byte(`{"statusCode":"00","message":"` + message + `"}`)
	}
	return body
}

func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
