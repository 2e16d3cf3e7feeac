package retention

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// keptFields are the fields of a reply, and of its data, that stay in the short reply:
// statuses, codes, references and amounts. All other fields are treated as personal.
func keptFields() []string {
	return []string{
		"statusCode", "txnStatus", "status", "ResponseCode", "STAN", "reference",
		"RetailerReferenceNumber", "ReferenceNo", "rrn", "AuthCode",
		"transactionId", "refundId", "amount", "charge", "charges", "gst",
	}
}

// plainValue matches the values of kept fields: a code, a reference, a word or an amount.
// Twelve digits are an RRN: no kept field can be an Aadhaar number.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$`)

// ShortReply returns what remains of an operation's reply when its body is archived: the
// kept fields, if their values are plain; a message of ours; and ResponseStatus, if there
// was one, with the value of txnStatus. Of a reply that can't be parsed, only the HTTP
// status remains.
func ShortReply(o central.Operation) []byte {
	reply, ok := decodeObject(o.Reply)
	if !ok {
		reply = map[string]jsontext.Value{}
	}
	out := pickKept(reply)
	out["message"] = quote(shortMessage(o))
	if _, ok := out["statusCode"]; !ok {
		out["statusCode"] = quote(unreadableStatus)
	}
	if data, ok := decodeObject(reply["data"]); ok {
		inner := pickKept(data)
		if status, ok := inner["txnStatus"]; ok && data["ResponseStatus"] != nil {
			inner["ResponseStatus"] = status
		}
		if len(inner) > 0 {
			out["data"] = encode(inner)
		}
	}
	return encode(out)
}

// unreadableStatus is the statusCode if the stored reply has none that can be parsed.
const unreadableStatus = "500"

// shortMessage returns the message of a short reply.
func shortMessage(o central.Operation) string {
	state := map[op.State]string{
		op.Succeeded: "Successful", op.Failed: "Failed", op.Reversed: "Reversed", op.Refused: "Refused, nothing was sent",
	}[o.State]
	return fmt.Sprintf("%s on %s; the details of this reply were archived", state, ist.DayOf(o.FinishedAt))
}

func decodeObject(text []byte) (fields map[string]jsontext.Value, ok bool) {
	err := json.Unmarshal(text, &fields)
	return fields, err == nil && fields != nil
}

// pickKept returns the kept fields.
func pickKept(from map[string]jsontext.Value) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	for _, name := range keptFields() {
		value, ok := from[name]
		if !ok {
			continue
		}
		text := string(value)
		if value.Kind() == '"' && json.Unmarshal(value, &text) != nil {
			continue
		}
		if kind := value.Kind(); (kind == '"' || kind == '0') && plainValue.MatchString(text) {
			out[name] = value
		}
	}
	return out
}

func quote(text string) jsontext.Value { return jsontext.Value(encode(text)) }

// encode encodes texts and parsed values, which never fails.
func encode(v any) []byte {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return []byte(`{"statusCode":"500","message":"Server error"}`)
	}
	return text
}
