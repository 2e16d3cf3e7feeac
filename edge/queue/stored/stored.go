// Package stored encodes an operation of the counter's queue as JSON, before it is
// sealed.
//
// It promises that Decode returns the record that Encode got, without its body,
// which is stored elsewhere; and that errors quote nothing of a record. Records
// enter and leave as edge.Record, with the slot of the body's key.
package stored

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// Schema is the version of the counter's file. Open refuses a version above
// Reads.
//
// A release whose Schema this program could not read is not installed, so that
// the counter can go back: a program that writes a new schema comes after one
// that reads it.
//
// Schema 2 has a journal beside the file, and keys of bodies that are sealed for
// their slot alone. No release wrote schema 1; Open takes it over.
const (
	Schema = 2
	Reads  = Schema
)

// Sealing is the version of the sealed values. It changes only when every value
// of the file has to be written again.
const Sealing = 1

// MaxSlots bounds the stored bodies: one for each operation that is not final. A
// counter has a few; a month offline, some thousands.
const MaxSlots = 1 << 16

// record is edge.Record as it rests in the bucket records, as JSON, sealed: the same
// fields in the same order, so that one converts to the other and none can be
// forgotten. Renaming a field of the JSON needs a new sealing.
type record struct {
	ID          op.ID       `json:"id"`
	Route       op.RouteID  `json:"route"`
	Class       op.Class    `json:"class"`
	State       op.State    `json:"state"`
	Reason      edge.Reason `json:"reason,omitzero"`
	Version     int         `json:"version"`
	User        string      `json:"operator,omitzero"`
	UserID      string      `json:"began,omitzero"`
	Title       string      `json:"title,omitzero"`
	Customer    string      `json:"customer,omitzero"`
	Aadhaar     string      `json:"aadhaar,omitzero"` // masked
	IIN         string      `json:"iin,omitzero"`
	BankName    string      `json:"bankName,omitzero"`
	Amount      money.Paise `json:"amount,omitzero"`
	Charge      money.Paise `json:"charge,omitzero"`
	Mobile      string      `json:"mobile,omitzero"` // joined with ReceiverMobile (joinMobiles)
	LinkedTo    op.ID       `json:"of,omitzero"`
	Body        []byte      `json:"-"`
	CreatedAt   time.Time   `json:"createdAt,omitzero"`
	CapturedAt  time.Time   `json:"capturedAt,omitzero"`
	Deadline    time.Time   `json:"deadline,omitzero"`
	SentAt      time.Time   `json:"sentAt,omitzero"`
	EndedAt     time.Time   `json:"endedAt,omitzero"`
	CashGivenAt time.Time   `json:"cashGiven,omitzero"`
	CashBy      string      `json:"cashBy,omitzero"`
	CashByID    string      `json:"cashById,omitzero"`
	CashKept    bool        `json:"cashKept,omitzero"`
	CashUsedBy  op.ID       `json:"cashInto,omitzero"`
	RefundedAt  time.Time   `json:"refunded,omitzero"`
	Quality     int         `json:"quality,omitzero"`
	ConsentAt   time.Time   `json:"consentAt,omitzero"`
	Consent     string      `json:"consent,omitzero"`
	PrintCount  int         `json:"prints,omitzero"`
	PrintedAt   time.Time   `json:"printedAt,omitzero"`
	HTTP        int         `json:"http,omitzero"`
	Reply       []byte      `json:"reply,omitzero"`
	Result      edge.Result `json:"result,omitzero"`
	// ReceiverMobile has no member of its own: an older release refuses those that
	// it does not know.
	ReceiverMobile string `json:"-"`
}

type result struct {
	StatusCode    string       `json:"statusCode,omitzero"`
	Message       string       `json:"message,omitzero"`
	Code          string       `json:"code,omitzero"`
	Status        string       `json:"status,omitzero"`
	STAN          string       `json:"stan,omitzero"`
	Reference     string       `json:"reference,omitzero"`
	RRN           string       `json:"rrn,omitzero"`
	AuthCode      string       `json:"authCode,omitzero"`
	Balance       *money.Paise `json:"balance,omitzero"`
	MiniStatement []string     `json:"miniStatement,omitzero"`
}

// recordWithSlot is a record with the slot of its body's key; 0: no body.
type recordWithSlot struct {
	record
	Slot int `json:"slot,omitzero"`
}

// marshalers write times as Unix nanoseconds, and unmarshalers read them.
var (
	marshalers = json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(func(to *jsontext.Encoder, t time.Time) error { return to.WriteToken(jsontext.Int(Nanos(t))) }),
		json.MarshalToFunc(func(to *jsontext.Encoder, r edge.Result) error { return json.MarshalEncode(to, result(r)) }),
	))
	unmarshalers = json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(func(from *jsontext.Decoder, t *time.Time) error {
			var n int64
			err := json.UnmarshalDecode(from, &n)
			*t = Instant(n)
			return err
		}),
		json.UnmarshalFromFunc(func(from *jsontext.Decoder, r *edge.Result) error { return json.UnmarshalDecode(from, (*result)(r)) }),
	))
)

// Encode encodes a record without its body; slot is of the body's key, 0 where it
// has none. It fails for a text that is not UTF-8.
func Encode(r edge.Record, slot int) ([]byte, error) {
	r.Mobile = joinMobiles(r.Mobile, r.ReceiverMobile)
	data, err := json.Marshal(recordWithSlot{record(r), slot}, marshalers)
	if err != nil {
		return nil, fmt.Errorf("write operation %s as JSON: a text in it is not UTF-8", r.ID)
	}
	return data, nil
}

// Decode decodes what Encode wrote. Its errors do not quote the data.
func Decode(data []byte) (edge.Record, int, error) {
	var s recordWithSlot
	if err := json.Unmarshal(data, &s, json.RejectUnknownMembers(true), unmarshalers); err != nil {
		return edge.Record{}, 0, fmt.Errorf("a stored record is not the JSON of version %d", Sealing)
	}
	id, err := op.ParseID(string(s.ID))
	if err != nil {
		return edge.Record{}, 0, fmt.Errorf("a stored record's id %w", err)
	}
	if !IsCounterState(s.State) {
		return edge.Record{}, 0, fmt.Errorf("stored operation %s is in a state that a counter does not have", id)
	}
	if s.Slot < 0 || s.Slot > MaxSlots {
		return edge.Record{}, 0, fmt.Errorf("stored operation %s has its key in slot %d, which can't be", id, s.Slot)
	}
	s.ID = id
	s.Mobile, s.ReceiverMobile, _ = strings.Cut(s.Mobile, mobileSeparator)
	return edge.Record(s.record), s.Slot, nil
}

// mobileSeparator separates the customer's mobile number from the receiver's. A release
// before the second one reads both as one number that nobody searches for.
const mobileSeparator = ","

func joinMobiles(customer, receiver string) string {
	if receiver == "" {
		return customer
	}
	return customer + mobileSeparator + receiver
}

// Nanos is a time as it is stored: Unix nanoseconds, 0 for the zero time.
func Nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Instant is the time that Nanos wrote.
func Instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// IsCounterState reports whether a counter's operation can be in the state.
func IsCounterState(s op.State) bool {
	switch s {
	case op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Expired, op.NotSent,
		op.Pending, op.Succeeded, op.Failed, op.Reversed:
		return true
	}
	return false
}
