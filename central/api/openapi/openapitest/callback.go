package openapitest

import "github.com/go-json-experiment/json/jsontext"

// callbackEvent is the event of a pending operation that has ended.
const callbackEvent = "operation.finished"

// event is an event of callbacks, in words.
type event struct{ name, id, summary, about string }

// paymentEvents are those about payments by UPI: their data are a UPIPayment, and the merchant.
func paymentEvents() []event {
	return []event{
		{"upi.received", "upi_received", "A payment was received", "A payment by UPI was recorded for the merchant: of a dynamic or static code, or one that no order was found for. It is sent, signed and repeated as operation.finished; data has what GET /upi/txn/v1/payments lists, and the merchant."},
		{"upi.returned", "upi_returned", "A payment was returned", "The bank returned a payment by UPI to its payer. data is the payment with status RETURNED, and the merchant."},
	}
}

// callbackFields are the data of the event, in order: the name, whether it is
// always present, and its meaning.
func callbackFields() []callbackField {
	return []callbackField{
		{"id", true, "The operation, as GET /operations/{id} takes it."},
		{"merchantId", true, "The merchant of the operation."},
		{"route", true, "The request that created it, such as POST /aeps/withdrawal."},
		{"reference", true, "Our reference, GL…"},
		{"pendingReference", true, "The reference of the pending reply, AEPS-NR-… or DMT-NR-…"},
		{"callerReference", false, "Your own reference in the body: clientRefId or refId."},
		{"idempotencyKey", false, "The Idempotency-Key of the request, if it had one and was the receiver's own."},
		{"amount", true, "Rupees, as a text with two decimals."},
		{"txnStatus", true, "SUCCESS, FAILED or REVERSED."},
		{"ResponseCode", true, "The bank's code; 00 if and only if it succeeded."},
		{"RRN", false, "The bank's retrieval reference number."},
		{"finishedAt", true, "When the operation ended, ISO 8601 in UTC."},
	}
}

type callbackField struct {
	Name     string
	Required bool
	About    string
}

// callbackWords describe the callback for the document and the page.
func callbackWords() []string {
	return []string{
		"When an operation that was answered as pending has its final outcome, the merchant's endpoint gets a POST; where it has none, its vendor's endpoint does, signed with the vendor's secrets. It has references, the amount and the outcome; nothing of the customer. There is no callback if the reply to the request itself was final.",
		"Messages follow Standard Webhooks (standardwebhooks.com), whose libraries verify them: webhook-signature has v1 and the base64 of HMAC-SHA-256 over webhook-id, webhook-timestamp (seconds) and the body, joined by full stops, under the secret whsec_… While a secret is being changed there are two signatures, separated by a space: accept either. Refuse a timestamp that is more than five minutes off.",
		"Answer with any status 2xx within 15 seconds. After anything else the callback is sent again, with pauses from 5 seconds to 2 hours, for 24 hours; a Retry-After of up to 2 hours with 429 or 503 is heeded; redirects are not followed. 410 ends all callbacks until the endpoint is set again.",
		"A callback may arrive more than once, and then has the same webhook-id: remember it. Callbacks may arrive in any order; finishedAt gives the order. If none arrives, ask GET /operations/{id}, or repeat the request.",
	}
}

// callbackExample is a message as it is sent.
const callbackExample = `{"type":"operation.finished","timestamp":"2026-11-21T10:30:00.123Z","data":{"id":"0193519c-0000-7000-8000-000000000001","merchantId":"c0000000-0000-4000-8000-000000000001","route":"POST /aeps/withdrawal","reference":"GL261121ABCDEFGHJK","pendingReference":"AEPS-NR-1795000000000","callerReference":"order-1","amount":"500.00","txnStatus":"SUCCESS","ResponseCode":"00","RRN":"632510123456","finishedAt":"2026-11-21T10:30:00.123Z"}}`

// webhooks are the messages that the central sends on its own.
func webhooks() object {
	var properties object
	var required []string
	for _, f := range callbackFields() {
		properties = properties.with(f.Name, object{{"type", "string"}, {"description", f.About}})
		if f.Required {
			required = append(required, f.Name)
		}
	}
	about := ""
	for i, paragraph := range callbackWords() {
		if i > 0 {
			about += "\n\n"
		}
		about += paragraph
	}
	out := object{webhook(event{callbackEvent, "operation_finished", "A pending operation has ended", about},
		object{{"type", "object"}, {"required", required}, {"properties", properties}}, callbackExample)}
	for _, e := range paymentEvents() {
		merchant := object{{"type", "object"}, {"required", []string{"merchantId"}}, {"properties", object{
			{"merchantId", object{{"type", "string"}, {"format", "uuid"}, {"description", "The merchant that was paid."}}},
		}}}
		data := object{{"allOf", []object{merchant, {{"$ref", "#/components/schemas/UPIPayment"}}}}}
		out = append(out, webhook(e, data, paymentExample(e.name)))
	}
	return out
}

// paymentExample is a message about a payment as it is sent.
func paymentExample(event string) string {
	status, end := "RECEIVED", ""
	if event != "upi.received" {
		status, end = "RETURNED", `,"refundId":"GSB9E2C4A70B8D13F56E0A7C1B2D3F48596","refundRRN":"632590000002","returnedAt":"2026-11-21T11:00:00.000Z"`
	}
	return `{"type":"` + event + `","timestamp":"2026-11-21T09:30:00.312Z","data":{"merchantId":"c0000000-0000-4000-8000-000000000001","id":"GSB5B1D0E7F3C9A4862A1F0D94C7E6B2358","RRN":"632590000001","order_id":"ORDER-17","amount":"1.00","vpa":"gal0000001@galla","payerName":"A••a K••••••i","payerVPA":"as••••@okbank","match":"order","status":"` + status + `","paidAt":"2026-11-21T09:30:00.123Z","recordedAt":"2026-11-21T09:30:00.312Z"` + end + `}}`
}

// webhook is one event with its data and an example of its message.
func webhook(e event, data object, example string) member {
	text := object{{"type", "string"}}
	header := func(name, about string) object {
		return object{{"name", name}, {"in", "header"}, {"required", true}, {"description", about}, {"schema", text}}
	}
	return member{e.name, object{{"post", object{
		{"operationId", e.id},
		{"security", []object{}}, // the signature is in a header; it is none of our schemes
		{"summary", e.summary},
		{"description", e.about},
		{"parameters", []object{
			header("webhook-id", "Names the callback; the same with every attempt."),
			header("webhook-timestamp", "The moment of the attempt, in seconds since 1970."),
			header("webhook-signature", "One signature, or two separated by a space."),
		}},
		{"requestBody", object{{"required", true}, {"content", object{{mediaJSON, object{
			{"schema", object{
				{"type", "object"},
				{"required", []string{"type", "timestamp", "data"}},
				{"properties", object{
					{"type", object{{"type", "string"}, {"enum", []string{e.name}}}},
					{"timestamp", object{{"type", "string"}, {"format", "date-time"}, {"description", "When it happened."}}},
					{"data", data},
				}},
			}},
			{"example", jsontext.Value(example)},
		}}}}}},
		{"responses", object{
			{"2XX", object{{"description", "The callback was received."}}},
			{"410", object{{"description", "Send no more callbacks."}}},
			{"default", object{{"description", "It is sent again."}}},
		}},
	}}}}
}

// callbackView is the event on the page.
type callbackView struct {
	Words   []string
	Fields  []callbackField
	Example string
}

func viewCallback() (callbackView, error) {
	example, err := pretty(jsontext.Value(callbackExample))
	return callbackView{callbackWords(), callbackFields(), example}, err
}
