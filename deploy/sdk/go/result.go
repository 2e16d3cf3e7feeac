package galla

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
)

// State is the outcome of a call.
type State string

// The states of a result.
const (
	Success  State = "success"
	Declined State = "declined" // the bank said no
	Reversed State = "reversed" // debited, and given back
	Pending  State = "pending"  // neither success nor failure yet: pay nothing out
)

// Raw is data without a type.
type Raw = json.RawMessage

// None is the data of replies that have none.
type None struct{}

// Result is a reply. A decline of the bank and a pending operation are results, too.
type Result[T any] struct {
	State      State
	StatusCode string
	Message    string
	Code       string // the bank's code: data.ResponseCode of AEPS, otherwise StatusCode
	Data       *T     // nil while pending, and mostly when declined
	DataErr    error  // data was there and not as documented; Reply has it
	Extra      Extra  // what stands beside data, such as Pagination
	Reference  string // names a pending operation
	Key        string // of the call, to repeat it
	Replayed   bool   // the stored reply of an earlier call
	HTTPStatus int
	RequestID  string
	Reply      []byte // text of the reply

	call *call // of a pending one, for Wait
}

// OK reports whether the call succeeded.
func (r *Result[T]) OK() bool { return r.State == Success }

// Get gives the data of a success, and otherwise an *Error of kind ErrDeclined or ErrPending.
func (r *Result[T]) Get() (data T, err error) {
	e := &Error{
		Kind: ErrDeclined, Message: r.Message, HTTPStatus: r.HTTPStatus, StatusCode: r.StatusCode, RequestID: r.RequestID, Key: r.Key,
		Code: r.Code, State: r.State, Reference: r.Reference, Reply: r.Reply,
	}
	switch {
	case r.State == Pending:
		e.Kind = ErrPending
		return data, e
	case r.State != Success:
		e.Message = fmt.Sprintf("%s (%s)", r.Message, r.Code)
		return data, e
	case r.DataErr != nil:
		return data, r.DataErr
	case r.Data != nil:
		data = *r.Data
	}
	return data, nil
}

// String names state, code, message, key and reference only.
func (r *Result[T]) String() string {
	text := fmt.Sprintf("%s %s %s (key %s", r.State, r.StatusCode, r.Message, r.Key)
	if r.Reference != "" {
		text += ", reference " + r.Reference
	}
	return text + ")"
}

// Format is String for every verb.
func (r *Result[T]) Format(f fmt.State, _ rune) { writeName(f, r.String()) }

// LogValue is String.
func (r *Result[T]) LogValue() slog.Value { return slog.StringValue(r.String()) }

// envelope is a reply as all have it.
type envelope struct {
	StatusCode *string         `json:"statusCode"`
	Message    string          `json:"message"`
	Data       json.RawMessage `json:"data"`
	TxnStatus  string          `json:"txnStatus"`
	Reference  string          `json:"reference"`
}

// outcome is what data tells about it.
type outcome struct {
	ResponseCode string `json:"ResponseCode"`
	TxnStatus    string `json:"txnStatus"`
	Status       any    `json:"status"`
}

// read reads a reply's body; false: it is no JSON object.
func read(text []byte) (body envelope, ok bool) {
	err := json.Unmarshal(text, &body)
	return body, err == nil && len(text) > 0 && text[0] == '{'
}

// stateOf is the state of a reply with HTTP status 200 or 201. What does not say that it
// succeeded has not.
func stateOf(r *route, body envelope, out outcome) State {
	code := ""
	if body.StatusCode != nil {
		code = *body.StatusCode
	}
	good := map[bool]State{true: Success, false: Declined}
	switch {
	case body.TxnStatus == "PENDING", r.pending && body.Message == "Transaction pending":
		return Pending
	case r.bare && body.StatusCode == nil:
		return Success
	case r.aeps && code != "00":
		return Declined
	case r.aeps && len(body.Data) == 0:
		return Pending // the interface: no data is pending, and not failed
	case r.aeps && out.TxnStatus != "":
		return named(out.TxnStatus)
	case r.aeps:
		return good[out.ResponseCode == "00"]
	}
	if status, ok := out.Status.(string); ok && r.transfer {
		if s := named(status); s != Success || code == "00" {
			return s
		}
		return Declined
	}
	return good[code == "00"]
}

func named(status string) State {
	switch status {
	case "SUCCESS", "REFUNDED":
		return Success
	case "REVERSED":
		return Reversed
	case "FAILED":
		return Declined
	}
	return Pending
}

// resultOf builds the result of a reply. A state that is not empty is known already.
func resultOf(c *call, p *reply, body envelope, state State) *Result[json.RawMessage] {
	var out outcome
	_ = json.Unmarshal(body.Data, &out) // data may be a list
	if state == "" {
		state = stateOf(c.route, body, out)
	}
	r := &Result[json.RawMessage]{
		State: state, StatusCode: "00", Message: body.Message, Reference: body.Reference, Key: c.key,
		Replayed: p.header.Get("Idempotent-Replayed") == "true", HTTPStatus: p.status, RequestID: p.header.Get("X-Request-Id"), Reply: p.text,
	}
	if body.StatusCode != nil {
		r.StatusCode = *body.StatusCode
	}
	if r.Code = r.StatusCode; out.ResponseCode != "" {
		r.Code = out.ResponseCode
	}
	if len(body.Data) > 0 {
		r.Data = &body.Data
	}
	if c.route.bare && body.StatusCode == nil {
		data := json.RawMessage(p.text)
		r.Data = &data
	}
	if state == Pending {
		r.call = c
	}
	return r
}

// typed gives the data its type.
func typed[T any](r *Result[json.RawMessage]) *Result[T] {
	out := &Result[T]{
		State: r.State, StatusCode: r.StatusCode, Message: r.Message, Code: r.Code, Reference: r.Reference, Key: r.Key, Replayed: r.Replayed,
		HTTPStatus: r.HTTPStatus, RequestID: r.RequestID, Reply: r.Reply, call: r.call,
	}
	_ = json.Unmarshal(r.Reply, &out.Extra) // what is not as documented is left out
	if r.Data == nil {
		return out
	}
	var data T
	if err := json.Unmarshal(*r.Data, &data); err != nil {
		out.DataErr = fmt.Errorf("data of the reply with HTTP %d %s is not as documented: %w", r.HTTPStatus, http.StatusText(r.HTTPStatus), err)
		return out
	}
	out.Data = &data
	return out
}
