// Package stored encodes an operation of the counter's queue as JSON, before it is
// sealed.
//
// It promises that Decode returns the record that Encode got, without its body,
// which is stored elsewhere; and that errors quote nothing of a record. Records
// enter and leave as edge.Record, with the slot of the body's key.
package stored

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

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
const (
	Schema = 1
	Reads  = Schema
)

// Sealing is the version of the sealed values. It changes only when every value
// of the file has to be written again.
const Sealing = 1

// MaxSlots bounds the stored bodies: one for each operation that is not final. A
// counter has a few; a month offline, some thousands.
const MaxSlots = 1 << 16

// stored is a record as it rests in the bucket records, as JSON, sealed. Times
// are Unix nanoseconds, 0 where the record has the zero time. Renaming a field
// needs a new sealing.
type stored struct {
	ID       string `json:"id"`
	Route    string `json:"route"`
	Class    string `json:"class"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitzero"`
	Version  int    `json:"version"`
	Operator string `json:"operator,omitzero"`
	Began    string `json:"began,omitzero"` // the operator's id
	Title    string `json:"title,omitzero"`
	Customer string `json:"customer,omitzero"`
	Aadhaar  string `json:"aadhaar,omitzero"` // masked
	IIN      string `json:"iin,omitzero"`
	BankName string `json:"bankName,omitzero"`
	Amount   int64  `json:"amount,omitzero"` // paise
	Charge   int64  `json:"charge,omitzero"` // paise
	Mobile   string `json:"mobile,omitzero"`

	// Slot is the place of the body's key in the keys file; 0: no body.
	Slot int `json:"slot,omitzero"`

	CreatedAt  int64  `json:"createdAt,omitzero"`
	CapturedAt int64  `json:"capturedAt,omitzero"`
	Quality    int    `json:"quality,omitzero"`
	Deadline   int64  `json:"deadline,omitzero"`
	SentAt     int64  `json:"sentAt,omitzero"`
	EndedAt    int64  `json:"endedAt,omitzero"`
	CashGiven  int64  `json:"cashGiven,omitzero"`
	CashBy     string `json:"cashBy,omitzero"`
	CashByID   string `json:"cashById,omitzero"`
	CashKept   bool   `json:"cashKept,omitzero"`
	CashInto   string `json:"cashInto,omitzero"` // an operation's id
	Refunded   int64  `json:"refunded,omitzero"`
	Of         string `json:"of,omitzero"` // an operation's id
	ConsentAt  int64  `json:"consentAt,omitzero"`
	Consent    string `json:"consent,omitzero"`
	Prints     int    `json:"prints,omitzero"`
	PrintedAt  int64  `json:"printedAt,omitzero"`

	HTTP   int          `json:"http,omitzero"`
	Reply  []byte       `json:"reply,omitzero"`
	Result storedResult `json:"result,omitzero"`
}

// storedResult is edge.Result as it rests.
type storedResult struct {
	StatusCode    string   `json:"statusCode,omitzero"`
	Message       string   `json:"message,omitzero"`
	Code          string   `json:"code,omitzero"`
	Status        string   `json:"status,omitzero"`
	STAN          string   `json:"stan,omitzero"`
	Reference     string   `json:"reference,omitzero"`
	RRN           string   `json:"rrn,omitzero"`
	AuthCode      string   `json:"authCode,omitzero"`
	Balance       *int64   `json:"balance,omitzero"` // paise
	MiniStatement []string `json:"miniStatement,omitzero"`
}

// Encode encodes a record without its body; slot is of the body's key, 0 where it
// has none. It fails for a text that is not UTF-8.
func Encode(r edge.Record, slot int) ([]byte, error) {
	s := stored{
		ID: string(r.ID), Route: string(r.Route), Class: string(r.Class), State: string(r.State), Reason: string(r.Reason),
		Version: r.Version, Operator: r.User, Began: r.UserID, Title: r.Title, Customer: r.Customer, Aadhaar: r.Aadhaar, IIN: r.IIN,
		BankName: r.BankName, Amount: int64(r.Amount), Charge: int64(r.Charge), Mobile: r.Mobile, Slot: slot,
		CashKept: r.CashKept,
		CashInto: string(r.CashUsedBy), Refunded: Nanos(r.RefundedAt), Of: string(r.LinkedTo),
		CreatedAt: Nanos(r.CreatedAt), CapturedAt: Nanos(r.CapturedAt), Quality: r.Quality, Deadline: Nanos(r.Deadline), SentAt: Nanos(r.SentAt),
		EndedAt: Nanos(r.EndedAt), CashGiven: Nanos(r.CashGivenAt), CashBy: r.CashBy, CashByID: r.CashByID, ConsentAt: Nanos(r.ConsentAt), Consent: r.Consent,
		HTTP: r.HTTP, Reply: r.Reply,
		Prints: r.PrintCount, PrintedAt: Nanos(r.PrintedAt),
		Result: storedResult{
			StatusCode: r.Result.StatusCode, Message: r.Result.Message, Code: r.Result.Code, Status: r.Result.Status,
			STAN: r.Result.STAN, Reference: r.Result.Reference, RRN: r.Result.RRN, AuthCode: r.Result.AuthCode,
			MiniStatement: r.Result.MiniStatement,
		},
	}
	if r.Result.Balance != nil {
		b := int64(*r.Result.Balance)
		s.Result.Balance = &b
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write operation %s as JSON: a text in it is not UTF-8", r.ID)
	}
	return data, nil
}

// Decode decodes what Encode wrote. Its errors do not quote the data.
func Decode(data []byte) (edge.Record, int, error) {
	var s stored
	if err := json.Unmarshal(data, &s, json.RejectUnknownMembers(true)); err != nil {
		return edge.Record{}, 0, fmt.Errorf("a stored record is not the JSON of version %d", Sealing)
	}
	id, err := op.ParseID(s.ID)
	if err != nil {
		return edge.Record{}, 0, fmt.Errorf("a stored record's id %w", err)
	}
	if !IsCounterState(op.State(s.State)) {
		return edge.Record{}, 0, fmt.Errorf("stored operation %s is in a state that a counter does not have", id)
	}
	if s.Slot < 0 || s.Slot > MaxSlots {
		return edge.Record{}, 0, fmt.Errorf("stored operation %s has its key in slot %d, which can't be", id, s.Slot)
	}
	r := edge.Record{
		ID: id, Route: op.RouteID(s.Route), Class: op.Class(s.Class), State: op.State(s.State), Reason: edge.Reason(s.Reason),
		Version: s.Version, User: s.Operator, UserID: s.Began, Title: s.Title, Customer: s.Customer, Aadhaar: s.Aadhaar, IIN: s.IIN,
		BankName: s.BankName, Amount: money.Paise(s.Amount), Charge: money.Paise(s.Charge), Mobile: s.Mobile,
		CashKept:   s.CashKept,
		CashUsedBy: op.ID(s.CashInto), RefundedAt: Instant(s.Refunded), LinkedTo: op.ID(s.Of),
		CreatedAt: Instant(s.CreatedAt), CapturedAt: Instant(s.CapturedAt), Quality: s.Quality, Deadline: Instant(s.Deadline), SentAt: Instant(s.SentAt),
		EndedAt: Instant(s.EndedAt), CashGivenAt: Instant(s.CashGiven), CashBy: s.CashBy, CashByID: s.CashByID, ConsentAt: Instant(s.ConsentAt), Consent: s.Consent,
		HTTP: s.HTTP, Reply: s.Reply,
		PrintCount: s.Prints, PrintedAt: Instant(s.PrintedAt),
		Result: edge.Result{
			StatusCode: s.Result.StatusCode, Message: s.Result.Message, Code: s.Result.Code, Status: s.Result.Status,
			STAN: s.Result.STAN, Reference: s.Result.Reference, RRN: s.Result.RRN, AuthCode: s.Result.AuthCode,
			MiniStatement: s.Result.MiniStatement,
		},
	}
	if s.Result.Balance != nil {
		b := money.Paise(*s.Result.Balance)
		r.Result.Balance = &b
	}
	return r, s.Slot, nil
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
