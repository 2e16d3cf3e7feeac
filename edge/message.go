package edge

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/secret"
)

// IsMessage reports whether the record is an SMS with the receipt of another operation
// (LinkedTo). It moves nothing, and is in no total and no list of a day.
func (r Record) IsMessage() bool { return r.Route == op.ReceiptMessage }

// MessageOf is the request of an SMS with a receipt, in a language, to the number that the
// customer named. Its title is the masked number: the number itself is in the sealed body
// only.
func MessageOf(receipt op.ID, mobile, language string, user User) (Request, error) {
	fields, err := json.Marshal(map[string]string{"id": string(receipt), api.FieldReceiptMobile: mobile, api.FieldLanguage: language}, json.Deterministic(true))
	if err != nil {
		return Request{}, err
	}
	return Request{Route: op.ReceiptMessage, Fields: fields, Title: secret.MaskMobile(mobile), User: user.Name, UserID: user.ID}, nil
}

// rememberMessage notes of which receipt a message is.
func (c *Counter) rememberMessage(r Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if list := c.messages[r.LinkedTo]; !slices.Contains(list, r.ID) {
		c.messages[r.LinkedTo] = append(list, r.ID)
	}
}

// MessagesOf returns the messages with the receipt of an operation, newest first. Those
// that can't be read are left out and logged.
func (c *Counter) MessagesOf(receipt op.ID) []View {
	c.mu.Lock()
	ids := slices.Clone(c.messages[receipt])
	c.mu.Unlock()
	slices.SortFunc(ids, func(a, b op.ID) int { return cmp.Compare(b, a) })
	var out []View
	for _, id := range ids {
		v, err := c.Operation(id)
		if err != nil {
			c.log.Error("a message with a receipt can't be read", "operation", id, "error", err)
			continue
		}
		out = append(out, v)
	}
	return out
}
