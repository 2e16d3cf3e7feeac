package keep

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/op"
)

// kept are the fields of a reply, and of its data, that are archived and stay
// in the short reply: statuses, codes, references and amounts by the names that
// the interface gives them. A field that is not here is personal until somebody
// says otherwise.
func kept() []string {
	return []string{
		"statusCode", "txnStatus", "status", "ResponseCode", "STAN", "reference",
		"RetailerReferenceNumber", "ReferenceNo", "rrn", "AuthCode",
		"transactionId", "refundId", "amount", "charge", "charges", "gst",
	}
}

// plain is what a kept field may look like: a code, a reference, a word or an
// amount. Twelve digits are an RRN here, and are told from an Aadhaar number by
// the field's name.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$`)

// Slim is what stays of a reply when its body is archived. It keeps the fields
// of the list above, where they are texts or numbers of their form; message is
// ours, and ResponseStatus, where there was one, repeats txnStatus. A reply
// that can't be read keeps its HTTP status only.
func Slim(o central.Operation) []byte {
	said, ok := read(o.Reply)
	if !ok {
		said = map[string]jsontext.Value{}
	}
	out := pick(said)
	out["message"] = quoted(words(o))
	if _, ok := out["statusCode"]; !ok {
		out["statusCode"] = quoted(lost)
	}
	if data, ok := read(said["data"]); ok {
		inner := pick(data)
		if status, ok := inner["txnStatus"]; ok && data["ResponseStatus"] != nil {
			inner["ResponseStatus"] = status
		}
		if len(inner) > 0 {
			out["data"] = write(inner)
		}
	}
	return write(out)
}

// lost is the statusCode where the stored reply had none that can be read.
const lost = "500"

// words are the message of a short reply.
func words(o central.Operation) string {
	state := map[op.State]string{
		op.Succeeded: "Successful", op.Failed: "Failed", op.Reversed: "Reversed", op.Refused: "Refused, nothing was sent",
	}[o.State]
	return fmt.Sprintf("%s on %s; the details of this reply were archived", state, central.DayOf(o.SettledAt))
}

func read(text []byte) (fields map[string]jsontext.Value, ok bool) {
	err := json.Unmarshal(text, &fields)
	return fields, err == nil && fields != nil
}

// pick gives those fields that are kept.
func pick(from map[string]jsontext.Value) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	for _, name := range kept() {
		value, ok := from[name]
		if !ok {
			continue
		}
		text := string(value)
		if value.Kind() == '"' && json.Unmarshal(value, &text) != nil {
			continue
		}
		if kind := value.Kind(); (kind == '"' || kind == '0') && plain.MatchString(text) {
			out[name] = value
		}
	}
	return out
}

func quoted(text string) jsontext.Value { return jsontext.Value(write(text)) }

// write encodes texts and values that were read, which always encode.
func write(v any) []byte {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return []byte(`{"statusCode":"500","message":"Server error"}`)
	}
	return text
}
